/** Values that a trade takes from its fills besides money: exchange rate and source. */
import { describe, expect, test } from 'vitest';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { FillHome } from '../fill-home.ts';
import { MES, makeFileFills } from './make-file-fill.ts';

describe('rates that files state', () => {
  const SHARE = { ...MES, symbol: 'ABC', market: 'stock' as const };

  test.each([
    ["the last fill has the trade's", 'CHF', ['USD', 'USD'], 1.2],
    ['one to another currency is ignored', 'CHF', ['USD', 'EUR'], null],
    ['one of the base currency itself is ignored', 'USD', ['USD', 'USD'], null],
  ] as const)('%s', (_, currency, bases, rate) => {
    const home = new FillHome().withUser();
    const fills = makeFileFills(['buy 1 @ 100', 'sell 1 @ 101'], {
      instrument: { ...SHARE, currency },
    });
    const rated = fills.map((fill, index) => ({
      ...fill,
      rate: { base: bases[index] as string, value: index === 0 ? 1.1 : 1.2 },
    }));
    home.take(rated as FileFill[]);
    expect(home.rows('SELECT fx_rate FROM trades')).toEqual([{ fx_rate: rate }]);
  });
});

test("the source of a trade in two exports of a platform is the opening fill's", () => {
  const home = new FillHome().withUser();
  const [bought, sold] = makeFileFills(['buy 1 @ 100', 'sell 1 @ 101']) as [
    FileFill,
    FileFill,
  ];
  home.take([sold], { format: { name: 'late', platform: 'p' } });
  home.take([bought], { format: { name: 'early', platform: 'p' } });
  expect(home.rows('SELECT source, status FROM trades')).toEqual([
    { source: 'early', status: 'closed' },
  ]);
});
