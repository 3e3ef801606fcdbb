/** Accounts of fills, as files and users write them. */
import { describe, expect, test } from 'vitest';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { FillHome } from '../fill-home.ts';
import { makeFileFills } from './make-file-fill.ts';

const all = makeFileFills(['buy 1 @ 100', 'sell 1 @ 101'], { fees: 1 });
const [bought, sold] = all as [FileFill, FileFill];

const trades = (home: FillHome) =>
  home
    .rows('SELECT account, status, gross_pnl, fees FROM trades ORDER BY account')
    .map((row) => Object.values(row).join(' '));

describe('accounts ignore letter case', () => {
  test.each<[string, Partial<FileFill>, object]>([
    ['ids within a day', {}, { name: 'x' }],
    ['unique ids', {}, { name: 'x', hasUniqueIds: true }],
    ['no ids', { executionId: null }, { name: 'x' }],
  ])(
    'the same file with its account in lower case adds nothing (%s)',
    (_, changes, format) => {
      const home = new FillHome().withUser();
      const file = all.map((fill) => ({ ...fill, ...changes }));
      home.take(file, { account: 'Sim', format: format as { name: string } });
      const before = home.contents();
      const { added, trades } = home.take(file, {
        account: 'sim',
        format: format as { name: string },
      });
      expect([added, trades]).toMatchObject([0, { added: 0, changed: 0, removed: 0 }]);
      expect(home.contents()).toEqual(before);
    },
  );

  test.each([[[[bought], [sold]]], [[[sold], [bought]]], [[[bought, sold]]]])(
    'a fill closes a position of the account in other case (%#)',
    (files) => {
      const home = new FillHome().withUser();
      const named = new Map([
        [bought, { ...bought, account: 'Sim' }],
        [sold, { ...sold, account: 'SIM' }],
      ]);
      for (const file of files)
        home.take(file.map((fill) => named.get(fill) as FileFill));
      expect(trades(home)).toEqual(['Sim closed 5 2']);
    },
  );
});

test('fills of one instant have the order of the file without accounts, if those with accounts state none', () => {
  const at = { executedAt: '2026-11-02T15:00:00.000Z', fees: 0 };
  const [first, second] = [
    { ...sold, ...at },
    { ...bought, ...at },
  ];
  const home = new FillHome().withUser();
  for (const fill of [second, first]) home.take([fill], { account: 'a' });
  expect(home.rows('SELECT account, side FROM trades')).toEqual([
    { account: 'a', side: 'long' },
  ]);
  home.take([first, second]);
  expect(home.rows('SELECT account, side FROM trades')).toEqual([
    { account: 'a', side: 'short' },
  ]);
});

describe('a fill without an account that matches several accounts', () => {
  const dearer = all.map((fill) => ({ ...fill, fees: 3 }));

  test('is refused without --account', () => {
    const home = new FillHome().withUser();
    for (const account of ['a', 'b']) home.take(all, { account });
    expect(() => home.take(dearer)).toThrow(
      'is in the accounts a and b, and the file names none; pass --account',
    );
    home.take(dearer, { account: 'b' });
    expect(trades(home)).toEqual(['a closed 5 2', 'b closed 5 6']);
  });

  test('adds its fees if only one account has it', () => {
    const home = new FillHome().withUser();
    home.take(all, { account: 'a' });
    home.take(dearer);
    expect(trades(home)).toEqual(['a closed 5 6']);
  });
});
