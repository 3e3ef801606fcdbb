/** Results of sample trades, as figures and as the words of the journal. */
import { roundMoney } from '../money.ts';
import { ZoneClock } from '../time.ts';
import { ZONE } from './calendar.ts';
import type { SampleTrade } from './records.ts';

type Result = Pick<SampleTrade, 'gross_pnl' | 'fees' | 'currency' | 'fx_rate'>;

/** Within this many dollars of nothing, a trade is a breakeven. */
export const TOLERANCE = 5;

export function netOf(trade: Result): number {
  return roundMoney(trade.gross_pnl - trade.fees);
}

/** Net in dollars; undefined where no rate is known. */
export function dollarsOf(trade: Result): number | undefined {
  if (trade.currency === 'USD') return netOf(trade);
  return trade.fx_rate === null ? undefined : netOf(trade) * trade.fx_rate;
}

export function outcomeOf(trade: Result): 'win' | 'loss' | 'breakeven' {
  const net = dollarsOf(trade) ?? netOf(trade);
  return Math.abs(net) <= TOLERANCE ? 'breakeven' : net > 0 ? 'win' : 'loss';
}

/** "+1,204 USD": whole units, signed. */
export function inWords(amount: number, currency = 'USD'): string {
  return `${amount < 0 ? '-' : '+'}${Math.round(Math.abs(amount)).toLocaleString('en-US')} ${currency}`;
}

/** The trades of each local day they were closed on. */
export function byClosingDay(trades: readonly SampleTrade[]): Map<string, SampleTrade[]> {
  const clock = new ZoneClock(ZONE);
  const closed = trades.filter((trade) => trade.closed_at !== null);
  return Map.groupBy(closed, (trade) => clock.dateOf(Date.parse(trade.closed_at!)));
}
