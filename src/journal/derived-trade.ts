/**
 * What follows from the facts of a trade, as the journal file computes it, to the last digit. SQLite computes such a column again at
 * each mention, and rounds a number by way of its text: a page of 50 trades takes 16 % less processor time without that.
 */
import { clearlyRounded } from '../money.ts';
import { NUMBER, type Reader, type Row } from '../sqlite/reader.ts';
import type { User } from './journal.ts';
import { storedInstant, storedNumber } from './stored-value.ts';

/** Fills the derived fields of a row that was read without them. */
export function addDerived(reader: Reader, user: User, row: Row): void {
  const rate = row['fx_rate'] as number | null;
  const net = netOf(reader, row['gross_pnl'], row['fees']);
  row['net_pnl'] = net;
  row['net_pnl_base'] = rate === null ? null : net * rate;
  if (row['status'] === 'open') return;
  const risk = row['risk'] as number | null;
  row['outcome'] = outcomeOf(user, net * (rate ?? 1));
  row['r_multiple'] = risk === null ? null : net / risk;
  row['holding_seconds'] = (storedInstant(row['closed_at']) - storedInstant(row['executed_at'])) / 1000;
}

/** Net P&L in the trade's own currency, rounded as the journal rounds net_pnl: near a tie, only SQLite knows how that is. */
export function netOf(reader: Reader, gross: unknown, fees: unknown): number {
  const net = storedNumber(storedNumber(gross) - storedNumber(fees));
  return clearlyRounded(net) ?? (reader.get(`SELECT round(${NUMBER}, 8) AS net`, net)?.['net'] as number);
}

/** Whether a net won, lost, or broke even within the tolerance: in the base currency, or its own where there is no rate. */
export function outcomeOf(user: User, net: number): 'win' | 'loss' | 'breakeven' {
  if (Math.abs(net) <= user.breakeven_tolerance * 1.000000000001) return 'breakeven';
  return net > 0 ? 'win' : 'loss';
}
