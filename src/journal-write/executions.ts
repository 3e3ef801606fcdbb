/** What follows from fills: the trades that they make, and of each its size, prices, times, and what was realised. */
import type * as z from 'zod';
import type { execution } from '../journal/resources/trades.ts';
import { roundMoney, Sum } from '../money.ts';

/** One fill. Times are instants in UTC, money is in the currency of the trade, fees are costs (negative for a rebate). */
export type Execution = z.infer<typeof execution>;

/** What the executions of one trade say of it: quantities in units, average prices, fees in the currency of the trade. */
export interface Position {
  side: 'long' | 'short';
  status: 'open' | 'closed';
  executed_at: string;
  closed_at: string | null;
  quantity: number;
  open_quantity: number;
  entry_price: number;
  exit_price: number | null;
  fees: number;
}

/** Fills in the order they happened; where times are equal, the order they were given in. */
export function inOrder(executions: readonly Execution[]): Execution[] {
  return [...executions].sort((a, b) => (a.executed_at < b.executed_at ? -1 : a.executed_at > b.executed_at ? 1 : 0));
}

/**
 * Fills by trade, from flat to flat: one that turns the position through zero closes a trade and opens the next.
 * @param fills of one account and symbol, in the order they happened
 * @returns the trades in that order; the last one may still be open
 */
export function flatToFlat<F extends Pick<Execution, 'side' | 'quantity'>>(fills: readonly F[]): F[][] {
  const trades: F[][] = [];
  let trade: F[] = [];
  let opened = new Sum();
  let closed = new Sum();
  for (const fill of fills) {
    if (fill.side === (trade[0] ?? fill).side) {
      trade.push(fill);
      opened.add(fill.quantity);
      continue;
    }
    const open = openOf(opened.value, closed.value);
    const beyond = -openOf(open, fill.quantity);
    trade.push(beyond > 0 ? { ...fill, quantity: open } : fill);
    closed.add(fill.quantity);
    if (openOf(opened.value, closed.value) > 0) continue;
    trades.push(trade);
    trade = beyond > 0 ? [{ ...fill, quantity: beyond }] : [];
    opened = new Sum();
    closed = new Sum();
    if (beyond > 0) opened.add(beyond);
  }
  return trade.length > 0 ? [...trades, trade] : trades;
}

/**
 * The position that the executions of one trade make.
 * @param executions in order, at least one
 * @returns undefined where they turn the position through zero, which no single trade does
 */
export function positionOf(executions: readonly Execution[]): Position | undefined {
  const first = executions[0] as Execution;
  const entry = { quantity: new Sum(), value: new Sum() };
  const exit = { quantity: new Sum(), value: new Sum() };
  const fees = new Sum();
  for (const fill of executions) {
    const leg = fill.side === first.side ? entry : exit;
    leg.quantity.add(fill.quantity);
    leg.value.add(fill.quantity * fill.price);
    fees.add(fill.fees);
    if (openOf(entry.quantity.value, exit.quantity.value) < 0) return undefined;
  }
  const quantity = entry.quantity.value;
  const open = openOf(quantity, exit.quantity.value);
  return {
    side: first.side === 'buy' ? 'long' : 'short',
    status: open === 0 ? 'closed' : 'open',
    executed_at: first.executed_at,
    closed_at: open === 0 ? (executions.at(-1) as Execution).executed_at : null,
    quantity: clean(quantity),
    open_quantity: open,
    entry_price: clean(entry.value.value / quantity),
    exit_price: exit.quantity.value > 0 ? clean(exit.value.value / exit.quantity.value) : null,
    fees: roundIfFinite(fees.value),
  };
}

/**
 * What the executions of one trade realised before fees, closing at the average price of what was open.
 * @param executions in order
 * @param multiplier money per point of price and unit of quantity
 * @returns money in the currency of the trade; undefined where there are none, or they turn the position through zero
 */
export function realisedBy(executions: readonly Execution[], multiplier: number): number | undefined {
  const position = executions.length > 0 ? positionOf(executions) : undefined;
  if (!position) return undefined;
  const realised = new Sum();
  if (position.status === 'closed') {
    // Flat to flat, what came in less what went out is exact; averages are not.
    for (const fill of executions) realised.add((fill.side === 'sell' ? 1 : -1) * fill.quantity * fill.price);
    return roundIfFinite(realised.value * multiplier);
  }
  const direction = position.side === 'long' ? 1 : -1;
  const opening = position.side === 'long' ? 'buy' : 'sell';
  let open = 0;
  let average = 0;
  for (const { side, quantity, price } of executions) {
    if (side === opening) {
      average = (average * open + price * quantity) / (open + quantity);
      open += quantity;
    } else {
      realised.add((price - average) * quantity * direction);
      open -= quantity;
    }
  }
  return roundIfFinite(realised.value * multiplier);
}

/**
 * What is left open, negative beyond flat; a remainder that is only binary noise is nothing. The rest has the decimals that
 * what was opened may have: 1.00000001 less 1 is 1e-8, not 9.99999994e-9.
 */
function openOf(opened: number, closed: number): number {
  const open = opened - closed;
  if (Math.abs(open) <= opened * 1e-9) return 0;
  return Number(open.toFixed(Math.min(Math.max(14 - Math.floor(Math.log10(opened)), 0), 100)));
}

/** Money rounded; what is beyond all bounds is left for the check of the record to refuse. */
export function roundIfFinite(value: number): number {
  return Number.isFinite(value) ? roundMoney(value) : value;
}

/** A quantity or price without binary noise. */
function clean(value: number): number {
  return Number(value.toPrecision(15));
}
