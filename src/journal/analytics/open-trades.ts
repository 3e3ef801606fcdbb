/** Trades that are still open, which no other figure counts. */
import * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import { IN_BASE, rateOf } from './base-currency.ts';
import type { Selection } from './closed-trades.ts';

export const openRecord = z.strictObject({
  trades: f.count('Open trades that were opened before the end of the window'),
  realised_pnl: f.money(`What they have realised so far after fees, ${IN_BASE}`),
});

/** Open trades belong to no day; those opened before the window's end count. */
export function openTrades(reader: Reader, user: User, { range, filters }: Selection): z.infer<typeof openRecord> {
  // An open trade has no outcome yet.
  if (filters['outcome'] !== undefined) return { trades: 0, realised_pnl: 0 };
  const where = new Where(user.id);
  where.filter(tradeFilters, filters, { byIndex: false });
  where.add("status = 'open'");
  where.range('executed_at', { from: null, to: range.to });
  // Nearly all trades are closed, so SQLite's statistics may speak against the index, which finds the few open ones.
  const rows = reader.all(
    `SELECT currency, fx_rate, net_pnl FROM trades AS t INDEXED BY trades_status WHERE ${where.sql}`,
    ...where.values,
  ) as unknown as { currency: string; fx_rate: number | null; net_pnl: number }[];
  const realised = new Sum();
  let trades = 0;
  for (const { currency, fx_rate, net_pnl } of rows) {
    const rate = rateOf(user, currency, fx_rate);
    if (rate === null) continue;
    trades++;
    realised.add(storedNumber(net_pnl * rate));
  }
  return { trades, realised_pnl: roundMoney(realised.value) };
}
