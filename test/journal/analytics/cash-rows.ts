/** Rows of journals with cash flows. */
import { type Row, tradeRow, type World } from '../../helpers.ts';

/** A closed trade of an account that realised an amount on a day. */
export const realised = (id: string, day: string, amount: number, more: Row = {}) =>
  tradeRow(id, {
    executed_at: `${day}T10:00:00.000Z`,
    closed_at: `${day}T11:00:00.000Z`,
    gross_pnl: amount,
    account: 'main',
    ...more,
  });

export const flow = (
  id: string,
  day: string,
  kind: string,
  amount: number,
  more: Row = {},
) => ({
  id,
  account: 'main',
  at: `${day}T09:00:00.000Z`,
  kind,
  amount,
  currency: 'USD',
  ...more,
});

/** A line of the list of imports, with the ending cash that its file states. */
export function stating(world: World, id: number, cash: readonly object[]): void {
  world.insert('imports', {
    id,
    imported_at: '2026-11-01T00:00:00.000Z',
    file: 'cash.csv',
    format: 'test',
    resource: 'fills',
    rows: 1,
    fills: 0,
    records: 0,
    trades: 0,
    cash: JSON.stringify(cash),
  });
}

export const EXAMPLE = {
  trades: [
    realised('a', '2026-03-02', 500),
    realised('b', '2026-03-03', -300),
    realised('c', '2026-03-05', 588),
  ],
  flows: [
    flow('in', '2026-03-03', 'deposit', 4500),
    flow('out', '2026-03-05', 'withdrawal', -5288),
  ],
};
