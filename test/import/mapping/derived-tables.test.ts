/** Tables in the form of published ones, read by the mappings of docs/mapping.md. */
import { copyFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadMapping } from '../../../src/import/mapping/load.ts';
import { exportsWith } from '../exports.ts';
import { ImportHome } from '../home.ts';

function imported(path: string, mapping: object, lookup?: string) {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  if (lookup !== undefined) copyFileSync(lookup, home.path(basename(lookup)));
  const map = loadMapping(home.file('my.json', JSON.stringify(mapping)));
  const [first] = home.import(path, { map }).files;
  const [again] = home.import(path, { map }).files;
  expect(again).toMatchObject({ added: 0, changed: 0 });
  return { home, report: first };
}

const TABLE = {
  name: 'tradebook',
  target: 'fills',
  zone: 'Asia/Kolkata',
  fields: {
    execution_id: 'trade_id',
    symbol: { column: 'instrument_id', lookup: 'symbols' },
    market: { value: 'option' },
    multiplier: { value: 1 },
    currency: { value: 'INR' },
    executed_at: { column: ['trade_date', 'order_time'] },
    side: 'trade_type',
    quantity: 'quantity',
    price: 'price',
  },
};

describe('tables derived from exports', () => {
  const tradebook = (
    short: true | undefined,
    own: [number, number],
    other: [number, number],
  ) =>
    exportsWith(
      [
        'zerodha/tradebook.csv',
        {
          short,
          gross: own[0],
          unmatched: own[1],
          fills: 9,
          closed: 3,
          last: ['BANKNIFTY2611341900PE', 25],
        },
      ],
      [
        'zerodha/tradebook.csv',
        {
          short,
          gross: other[0],
          unmatched: other[1],
          fills: 200,
          closed: 99,
          last: ['BANKNIFTY2311942500CE', 25],
        },
      ],
    );

  test.each([
    ...tradebook(undefined, [633.75, 1], [5767.5, 1]),
    ...tradebook(true, [692.5, 0], [5642.5, 0]),
  ])('$label, with an unmatched first sale: shorts $holds.short', ({ path, holds }) => {
    const { short, gross, unmatched, fills, closed, last } = holds;
    const own = path();
    const fields = { ...TABLE.fields, ...(short && { may_short: { value: short } }) };
    const file = join(dirname(own), 'Instruments.csv');
    const lookups = {
      symbols: { file: basename(file), key: 'instrument_id', value: 'symbol' },
    };
    const { report } = imported(own, { ...TABLE, fields, lookups }, file);
    expect(report?.platform).toMatchObject({
      fills,
      trades: { closed },
      money: [{ currency: 'INR', gross }],
    });
    expect(report?.platform?.unmatched).toHaveLength(unmatched);
    const [symbol, open_quantity] = last;
    expect(report?.platform?.by_symbol).toContainEqual(
      expect.objectContaining({ symbol, open_quantity }),
    );
  });

  const SUMMARY = {
    name: 'own',
    target: 'trades',
    fields: {
      id: 'Trade_ID',
      symbol: 'Ticker',
      market: { value: 'stock' },
      executed_at: 'Open_Date',
      closed_at: 'Closed_Date',
      quantity: 'Shares',
      entry_price: 'Avg_Entry',
      exit_price: 'Avg_Exit',
      gross_pnl: 'Realized_PL',
      setup: 'Buy_Rule',
      notes: 'Notes',
      stop_loss: { column: 'Stop_Loss', empty: ['0.0'] },
    },
  };

  test.each(
    exportsWith(
      ['journal-of-a-trader/Trade_Log_Summary.csv', { closed: 5, gross: 112.48 }],
      [
        'journal-of-a-trader/Trade_Log_Summary_20251202_182509.csv',
        { closed: 40, gross: 66577.36 },
      ],
    ),
  )('$label: the closed trades of a journal', ({ path, holds: { closed, gross } }) => {
    const { report } = imported(path(), SUMMARY);
    expect(report?.platform).toMatchObject({
      trades: { closed, open: 0 },
      money: [{ gross }],
    });
  });

  const DETAILS = {
    name: 'own',
    target: 'fills',
    fields: {
      symbol: 'Ticker',
      market: { value: 'stock' },
      executed_at: 'Date',
      side: 'Action',
      quantity: 'Shares',
      price: 'Amount',
      gross_pnl: 'Realized_PL',
    },
  };

  test.each(
    exportsWith(
      ['journal-of-a-trader/Trade_Log_Details.csv', { fills: 10, gross: 112.48 }],
      [
        'journal-of-a-trader/Trade_Log_Details_20251202_182458.csv',
        { fills: 80, gross: 66577.36 },
      ],
    ),
  )('$label: the same totals from its fills', ({ path, holds: { fills, gross } }) => {
    const { report } = imported(path(), DETAILS);
    expect(report?.platform).toMatchObject({
      fills,
      money: [{ gross }],
      stated: [{ difference: 0 }],
    });
  });

  test.each(
    exportsWith(
      [
        'journal-of-a-trader/Trading_Journal_Clean.csv',
        { added: 5, last: '2026-02-03', withNotes: 3 },
      ],
      [
        'journal-of-a-trader/Trading_Journal_Clean_20251202_181022.csv',
        { added: 40, last: '2025-12-01', withNotes: 7 },
      ],
    ),
  )(
    '$label: the days of a journal; unused columns are named',
    ({ path, holds: { added, last, withNotes } }) => {
      const { home, report } = imported(path(), {
        name: 'own',
        target: 'sessions',
        dates: ['ymd', 'mdy'],
        fields: {
          date: 'Day',
          notes: 'Market_Action',
          tags: 'Keywords',
          'market_context.condition': 'Market Window',
          'review.rating': { column: 'Score', empty: ['0'] },
        },
      });
      expect(report).toMatchObject({ added });
      expect(report?.notes).toEqual([
        'columns not used by the mapping: Status, > 21e, Cash -/+, Beg NLV, End NLV, Daily $ Change, Daily % Change, % Invested, SPY, Nasdaq',
      ]);
      const sessions = home.everything()['sessions'] ?? [];
      expect(sessions[0]).toMatchObject({ date: last, review: { rating: 5 } });
      expect(sessions.filter(({ notes }) => notes !== null)).toHaveLength(withNotes);
    },
  );
});
