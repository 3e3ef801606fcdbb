/** Tables that people and programs made, where they lie beside the project, by the mappings that docs/mapping.md has of such. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadMapping } from '../../../src/import/mapping/load.ts';
import { ImportHome } from '../home.ts';

const FOLDER = new URL('../../../../shared/data', import.meta.url).pathname;
const OWN = join(FOLDER, 'journal-of-a-trader');

function imported(path: string, mapping: object) {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
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
  lookups: { symbols: { file: join(FOLDER, 'zerodha', 'Instruments.csv'), key: 'instrument_id', value: 'symbol' } },
};

describe.skipIf(!existsSync(OWN))('real tables', () => {
  test.each([
    [undefined, 5767.5, 1],
    [true, 5642.5, 0],
  ])('a table derived from fills, whose first sale has no purchase: shorts %s', (short, gross, unmatched) => {
    const fields = { ...TABLE.fields, ...(short && { may_short: { value: short } }) };
    const { report } = imported(join(FOLDER, 'zerodha', 'tradebook.csv'), { ...TABLE, fields });
    expect(report?.platform).toMatchObject({ fills: 200, trades: { closed: 99 }, money: [{ currency: 'INR', gross }] });
    expect(report?.platform?.unmatched).toHaveLength(unmatched);
    const last = expect.objectContaining({ symbol: 'BANKNIFTY2311942500CE', open_quantity: 25 });
    expect(report?.platform?.by_symbol).toContainEqual(last);
  });

  test('the closed trades of a journal, and their fills, come to the same', () => {
    const { report } = imported(join(OWN, 'Trade_Log_Summary_20251202_182509.csv'), {
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
    });
    expect(report?.platform).toMatchObject({ trades: { closed: 40, open: 0 }, money: [{ gross: 66577.36 }] });
    const { report: fills } = imported(join(OWN, 'Trade_Log_Details_20251202_182458.csv'), {
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
    });
    expect(fills?.platform).toMatchObject({ fills: 80, money: [{ gross: 66577.36 }], stated: [{ difference: 0 }] });
  });

  test('the days of a journal; what has no place is said', () => {
    const { home, report } = imported(join(OWN, 'Trading_Journal_Clean_20251202_181022.csv'), {
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
    expect(report).toMatchObject({ added: 40 });
    expect(report?.notes).toEqual([
      'columns that the mapping does not use: Status, > 21e, Cash -/+, Beg NLV, End NLV, Daily $ Change, Daily % Change, % Invested, SPY, Nasdaq',
    ]);
    const sessions = home.everything()['sessions'] ?? [];
    expect(sessions[0]).toMatchObject({ date: '2025-12-01', review: { rating: 5 } });
    expect(sessions.filter(({ notes }) => notes !== null)).toHaveLength(7);
  });
});
