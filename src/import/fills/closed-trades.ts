/** Comparison of closed trades that exports state without fills: with each other, and of their ends with fills. */
import type { ClosedTrade } from '../../journal-write/imports.ts';
import { isSameAccount } from './accounts.ts';

/** The opening or closing of a trade, as both a fill and a closed trade state it. */
interface TradeEnd {
  account: string | null;
  executed_at: string;
  side: string | null;
}

export function tradeEnds({ account, side, executed_at, closed_at }: ClosedTrade): TradeEnd[] {
  const [opening, closing] = side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
  return [
    { account, executed_at, side: opening },
    { account, executed_at: closed_at, side: closing },
  ];
}

/** Key that equal ends share: minute and side, but no price, which may be an average in a closed trade. */
export function minuteOf({ executed_at, side }: TradeEnd): string {
  return `${executed_at.slice(0, 16)} ${side}`;
}

/** @param end with the same minute and side */
export function isSameEnd(end: TradeEnd, other: TradeEnd): boolean {
  return isSameAccount(end, other) && isSameTime(end.executed_at, other.executed_at);
}

/** Everything that a trade states except seconds. */
export function withoutSeconds({
  side,
  quantity,
  entry_price,
  exit_price,
  executed_at,
  closed_at,
}: ClosedTrade): string {
  return JSON.stringify([side, quantity, entry_price, exit_price, executed_at.slice(0, 16), closed_at.slice(0, 16)]);
}

/**
 * Whether one is the other after a spreadsheet dropped its seconds. Equal ones are no copies: their ids count them.
 * @param trade equal to the other without seconds
 */
export function isCopy(trade: ClosedTrade, other: ClosedTrade): boolean {
  const isEqual = trade.executed_at === other.executed_at && trade.closed_at === other.closed_at;
  return (
    !isEqual &&
    isSameAccount(trade, other) &&
    isSameTime(trade.executed_at, other.executed_at) &&
    isSameTime(trade.closed_at, other.closed_at)
  );
}

/** Key of the side and the minutes of both ends. */
export function minutesOf({ side, executed_at, closed_at }: ClosedTrade): string {
  return `${side} ${executed_at.slice(0, 16)} ${closed_at.slice(0, 16)}`;
}

/**
 * Whether two trades are the same, although a file may have rounded the prices.
 * @param other with the same side and minutes
 */
export function isSameTrade(trade: ClosedTrade, other: ClosedTrade): boolean {
  const isClose = (a: number, b: number) => Math.abs(a - b) <= 1e-4 * Math.abs(b);
  return (
    trade.quantity === other.quantity &&
    isClose(trade.entry_price, other.entry_price) &&
    isClose(trade.exit_price, other.exit_price) &&
    isSameAccount(trade, other) &&
    isSameTime(trade.executed_at, other.executed_at) &&
    isSameTime(trade.closed_at, other.closed_at)
  );
}

/** To the second, or to the minute if one has no seconds. */
function isSameTime(a: string, b: string): boolean {
  const isWhole = a.slice(17, 19) === '00' || b.slice(17, 19) === '00';
  return isWhole ? a.slice(0, 16) === b.slice(0, 16) : a.slice(0, 19) === b.slice(0, 19);
}
