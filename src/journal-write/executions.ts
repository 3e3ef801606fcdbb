/** Size, prices, times and realised P&L of a trade, computed from its executions. */
import type * as z from 'zod';
import type { execution } from '../journal/resources/trades.ts';
import { roundMoney, Sum } from '../money.ts';
import { asDecimal, difference, isNoise } from './quantities.ts';

/** One fill. Times are instants in UTC, money is in the currency of the trade, fees are costs (negative for a rebate). */
export type Execution = z.infer<typeof execution>;

/** A trade by its executions: quantities in units, average prices, fees in the currency of the trade. */
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

/** Fills in the order they happened; for equal times, in the given order. */
export function inOrder(executions: readonly Execution[]): Execution[] {
  return [...executions].sort((a, b) => (a.executed_at < b.executed_at ? -1 : a.executed_at > b.executed_at ? 1 : 0));
}

/**
 * The position that the executions of one trade make.
 * @param executions in order, at least one
 * @returns undefined if they reverse the position, which no single trade does
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
    quantity: asDecimal(quantity),
    open_quantity: open,
    entry_price: asDecimal(entry.value.value / quantity),
    exit_price: exit.quantity.value > 0 ? asDecimal(exit.value.value / exit.quantity.value) : null,
    fees: roundIfFinite(fees.value),
  };
}

/**
 * Realised P&L of a trade's executions before fees; closes use the average price of the open position.
 * @param executions in order
 * @param multiplier money per point of price and unit of quantity
 * @returns money in the currency of the trade; undefined without executions, or if they reverse the position
 */
export function realisedBy(executions: readonly Execution[], multiplier: number): number | undefined {
  const position = executions.length > 0 ? positionOf(executions) : undefined;
  if (!position) return undefined;
  const realised = new Sum();
  if (position.status === 'closed') {
    // From flat to flat, proceeds minus cost is exact; averages aren't.
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

/** The open quantity, negative beyond flat; binary noise counts as 0. */
function openOf(opened: number, closed: number): number {
  return isNoise(opened - closed, opened) ? 0 : difference(opened, closed);
}

/** Rounded money; infinite values are rejected later, by the check of the record. */
export function roundIfFinite(value: number): number {
  return Number.isFinite(value) ? roundMoney(value) : value;
}
