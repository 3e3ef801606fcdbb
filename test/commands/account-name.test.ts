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
])('%s %s takes no empty name, and none with control characters', async (...args) => {
  const world = new World();
  for (const name of ['', ' ', 'a\tb', '\x1b[31mred']) {
    const { code, stderr } = await runHere([...args, name, '--home', world.files.home]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/--account takes a name|limits need the name of an account/),
    ]);
    expect(stderr.trimEnd()).not.toMatch(/\p{Cc}/u);
  }
});
