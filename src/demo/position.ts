/** From fills to the facts of a trade: averages, P&L and fees follow from the executions and from nothing else. */
import { roundMoney, Sum } from '../money.ts';
import { toInstantText } from '../time.ts';
import { feeOf, type Instrument } from './markets.ts';

const MINUTE = 60_000;

export interface Fill {
  at: number;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
}

/** Everything of a trade that its executions determine, with the first fill as the opening side. */
export function positionOf(one: Instrument, fills: readonly Fill[]) {
  const first = fills[0]!;
  const opened = fills.filter((fill) => fill.side === first.side);
  const closed = fills.filter((fill) => fill.side !== first.side);
  const executions = fills.map(({ at, ...fill }) => ({
    executed_at: toInstantText(at),
    ...fill,
    fees: feeOf(one, fill.quantity, fill.price),
  }));
  const quantity = roundMoney(sum(opened, (fill) => fill.quantity));
  const closedQuantity = roundMoney(sum(closed, (fill) => fill.quantity));
  const status = closedQuantity === quantity ? ('closed' as const) : ('open' as const);
  const cost = sum(opened, (fill) => fill.quantity * fill.price);
  const proceeds = sum(closed, (fill) => fill.quantity * fill.price);
  const gain = (proceeds - cost * (closedQuantity / quantity)) * (first.side === 'buy' ? 1 : -1);
  const closedAt = status === 'closed' ? fills.at(-1)!.at : null;
  return {
    symbol: one.symbol,
    account: one.account,
    market: one.market,
    currency: one.currency,
    multiplier: one.multiplier,
    side: first.side === 'buy' ? ('long' as const) : ('short' as const),
    status,
    executed_at: toInstantText(first.at),
    closed_at: closedAt === null ? null : toInstantText(closedAt),
    quantity,
    open_quantity: roundMoney(quantity - closedQuantity),
    entry_price: roundMoney(cost / quantity),
    exit_price: closedQuantity === 0 ? null : roundMoney(proceeds / closedQuantity),
    gross_pnl: roundMoney(gain * one.multiplier),
    fees: roundMoney(sum(executions, (execution) => execution.fees)),
    executions,
    // The broker's statement arrives a few minutes after the fills.
    created_at: toInstantText(first.at + 4 * MINUTE),
    updated_at: toInstantText(fills.at(-1)!.at + 6 * MINUTE),
  };
}

/** A quantity in up to `count` parts of whole lots, the last one taking what is left over. */
export function inParts(quantity: number, count: number, lot: number): number[] {
  const lots = Math.round(quantity / lot);
  const each = Math.floor(lots / count);
  if (count === 1 || each === 0) return [quantity];
  return Array.from({ length: count }, (_, n) => roundMoney((n === count - 1 ? lots - each * n : each) * lot));
}

function sum<T>(from: readonly T[], amount: (one: T) => number): number {
  const all = new Sum();
  for (const one of from) all.add(amount(one));
  return all.value;
}
