/** Hypothetical results of missed trades, separate from all other figures. */
import type * as z from 'zod';
import { roundMoney, roundRatio, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import { IN_BASE } from './closed-trade.ts';
import type { Selection } from './closed-trades.ts';
import { filtersIgnored, ignoring } from './condition.ts';

export const missedRecord = f.record(() => ({
  count: f.count('Missed trades of the period; the filters market, symbol, underlying, side, setup and tag apply'),
  hypothetical_r: f.ratio('Sum of their hypothetical R'),
  hypothetical_pnl: f.money(`Sum of their hypothetical P&L, only of those ${IN_BASE}`),
  forgone_gain: f.money(`Sum of the amounts above 0, ${IN_BASE}`),
  avoided_loss: f.money(`Sum of the amounts below 0, as a positive amount ${IN_BASE}`),
  unknown: f.count('Missed trades with an unknown outcome'),
  filters_ignored: filtersIgnored(),
}));

interface MissedTradeRow {
  hypothetical_outcome: string;
  hypothetical_r: number | null;
  hypothetical_pnl: number | null;
  currency: string;
}

/** Trade filters with a column in missed trades. These have no underlying, so that filter uses the symbol. */
const { market, symbol, side, setup, tag, underlying } = tradeFilters;
const MISSED_FILTERS = { market, symbol, side, setup, tag, underlying: { ...underlying, column: 'symbol' } };

/**
 * Missed trades of a selection, by the day on which they were missed.
 * @param ignored parameters of the request that don't apply, besides filters
 */
export function missedTradesOf(
  reader: Reader,
  user: User,
  { range, filters }: Selection,
  ignored: readonly string[],
): z.infer<typeof missedRecord> {
  const where = new Where(user.id);
  const given = Object.entries(filters).filter(([name]) => Object.hasOwn(MISSED_FILTERS, name));
  where.filter(MISSED_FILTERS, Object.fromEntries(given), { byIndex: false });
  where.range('missed_at', range);
  const rows = reader.all(
    `SELECT hypothetical_outcome, hypothetical_r, hypothetical_pnl, currency FROM missed_trades AS t WHERE ${where.sql}`,
    ...where.values,
  ) as unknown as MissedTradeRow[];
  const r = new Sum();
  const gain = new Sum();
  const loss = new Sum();
  let unknown = 0;
  for (const { hypothetical_outcome, hypothetical_r, hypothetical_pnl, currency } of rows) {
    if (hypothetical_outcome === 'unknown') unknown++;
    if (hypothetical_r !== null) r.add(storedNumber(hypothetical_r));
    if (hypothetical_pnl !== null && currency === user.base_currency) {
      (hypothetical_pnl > 0 ? gain : loss).add(storedNumber(hypothetical_pnl));
    }
  }
  return {
    count: rows.length,
    hypothetical_r: roundRatio(r.value),
    hypothetical_pnl: roundMoney(gain.value + loss.value),
    forgone_gain: roundMoney(gain.value),
    avoided_loss: roundMoney(-loss.value),
    unknown,
    ...ignoring([...Object.keys(filters).filter((name) => !Object.hasOwn(MISSED_FILTERS, name)), ...ignored]),
  };
}
