/** What follows from the fills of one trade: its size, prices, times, and what was realised. */
import type * as z from 'zod';
import type { execution } from '../journal/resources/trades.ts';
import { roundMoney, Sum } from '../money.ts';

export type Execution = z.infer<typeof execution>;

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
    open_quantity: clean(open),
    entry_price: clean(entry.value.value / quantity),
    exit_price: exit.quantity.value > 0 ? clean(exit.value.value / exit.quantity.value) : null,
    fees: roundMoney(fees.value),
  };
}

/**
 * What the fills realised before fees, closing at the average price of what was open.
 * @returns undefined where they turn the position through zero
 */
export function realisedBy(executions: readonly Execution[], multiplier: number): number | undefined {
  const position = executions.length > 0 ? positionOf(executions) : undefined;
  if (!position) return undefined;
  const realised = new Sum();
  if (position.status === 'closed') {
    // Flat to flat, what came in less what went out is exact; averages are not.
    for (const fill of executions) realised.add((fill.side === 'sell' ? 1 : -1) * fill.quantity * fill.price);
    return roundMoney(realised.value * multiplier);
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
  return roundMoney(realised.value * multiplier);
}

/** What is left open; a remainder that is only binary noise is nothing. */
function openOf(opened: number, closed: number): number {
  const open = opened - closed;
  return Math.abs(open) <= opened * 1e-9 ? 0 : open;
}

/** A quantity or price without binary noise. */
function clean(value: number): number {
  return Number(value.toPrecision(15));
}
