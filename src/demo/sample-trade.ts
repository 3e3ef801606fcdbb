/** A trade of the sample, derived from its executions, and its result. */
import type { Trade } from '../journal/resources/trades.ts';
import { type Execution, positionOf, realisedBy } from '../journal-write/executions.ts';
import { roundMoney } from '../money.ts';
import { toInstantText, ZoneClock } from '../time.ts';
import { ZONE } from './calendar.ts';
import { feeOf, type Instrument } from './market.ts';

export const MINUTE = 60_000;
/** Largest net P&L in dollars that counts as breakeven. */
export const TOLERANCE = 5;

/** A record of a file of trades; missing values are null. */
export type SampleTrade = ReturnType<typeof tradeOf> & Pick<Trade, 'id' | 'tags' | 'mistakes'> & Partial<Trade>;
/** A trade without its id; ids follow the order of entry. */
export type UnnumberedTrade = Omit<SampleTrade, 'id'>;

/** A fill and its time in milliseconds. */
export type Fill = Pick<Execution, 'side' | 'quantity' | 'price'> & { at: number };

/** @param fills in order of time; the trade is computed from them as in an import */
export function tradeOf(one: Instrument, fills: readonly Fill[], account: string = one.account) {
  const { symbol, market, currency, multiplier, contract } = one;
  const executions = fills.map(({ at, side, quantity, price }) => {
    return { executed_at: toInstantText(at), side, quantity, price, fees: feeOf(one, quantity, price) };
  });
  return {
    ...{ symbol, account, market, currency, multiplier, ...contract },
    ...positionOf(executions)!,
    gross_pnl: realisedBy(executions, multiplier)!,
    executions,
    // The broker's statement arrives a few minutes after the fills.
    ...stamps(fills[0]!.at + 4 * MINUTE, fills.at(-1)!.at + 6 * MINUTE),
  };
}

/** Times of a record's creation and last change. */
export function stamps(made: number, changed = made): { created_at: string; updated_at: string } {
  return { created_at: toInstantText(made), updated_at: toInstantText(changed) };
}

/** Net P&L in the trade's own currency. */
export function netOf(trade: UnnumberedTrade): number {
  return roundMoney(trade.gross_pnl - trade.fees);
}

/** Net P&L of trades in dollars, excluding those without an exchange rate. */
export function dollarsOf(...trades: readonly SampleTrade[]): number {
  return trades.reduce((sum, one) => sum + netOf(one) * (one.currency === 'USD' ? 1 : (one.fx_rate ?? 0)), 0);
}

export function outcomeOf(trade: SampleTrade): 'win' | 'loss' | 'breakeven' {
  const net = netOf(trade) * (trade.fx_rate ?? 1);
  return Math.abs(net) <= TOLERANCE ? 'breakeven' : net > 0 ? 'win' : 'loss';
}

/** "+1,204 USD": whole units, signed. */
export function signedAmount(amount: number, currency = 'USD'): string {
  return `${amount < 0 ? '-' : '+'}${Math.round(Math.abs(amount)).toLocaleString('en-US')} ${currency}`;
}

/** Trades by local closing day. */
export function byClosingDay(trades: readonly SampleTrade[]): Map<string, SampleTrade[]> {
  const clock = new ZoneClock(ZONE);
  const closed = trades.filter((trade) => trade.closed_at !== null);
  return Map.groupBy(closed, (trade) => clock.dateOf(Date.parse(trade.closed_at!)));
}
