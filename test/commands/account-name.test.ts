/** Names of accounts that commands are given. */
import { expect, test } from 'vitest';
import { World } from '../helpers.ts';
import { runHere } from '../program.ts';

test.each([
  ['cash', 'add', '2026-11-06', 'deposit', '5', '--account'],
  ['fill', '2026-11-06 10:00 buy 1 MSFT 10', '--account'],
  ['import', 'trades.csv', '--account'],
  ['import', 'change', '1', '--account'],
  ['fees', 'set', 'MNQ=0.62', '--account'],
  ['summary', '--account'],
  ['limits', 'set', '--balance', '1000', '--max-loss', '100', '--trailing', 'static'],
  ['limits', 'remove'],
  ['account', 'set', '--starting-balance', '1000'],
  ['account', 'rename', 'main'],
])('%s %s takes only a name that an account may have', async (...args) => {
  const world = new World();
  for (const name of ['', ' ', 'a\tb', '\x1b[31mred', 'a'.repeat(201), '(none)']) {
    const { code, stderr } = await runHere([...args, name, '--home', world.files.home]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/an account's name is one line|"\(none\)" stands for/),
    ]);
    expect(stderr.trimEnd()).not.toMatch(/\p{Cc}/u);
  }
});
