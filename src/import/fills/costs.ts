/** Costs that a file states apart from their fills: joined only here, so that file order doesn't matter and an undo removes them. */
import type { Fill } from '../../journal-write/fill-row.ts';
import { roundMoney } from '../../money.ts';
import { isSameAccount } from './accounts.ts';

/**
 * @param fills in the order they happened
 * @returns the same with the costs in their fees, and any costs whose fill is not imported yet
 */
export function withCosts(fills: readonly Fill[]): readonly Fill[] {
  const costs = fills.filter(({ kind }) => kind === 'cost');
  if (costs.length === 0) return fills;
  const traded = Map.groupBy(
    fills.filter(({ kind }) => kind === 'trade'),
    secondOf,
  );
  const joined = new Map<Fill, number>();
  const gone = new Set<Fill>();
  for (const cost of costs) {
    const all = traded.get(secondOf(cost))?.filter((own) => isSameAccount(own, cost)) ?? [];
    const named = all.filter(({ account }) => account !== null);
    const own = named.length > 0 ? named : all;
    if (own.length > 0) gone.add(cost);
    // Fees that a file states with its fills include these costs already.
    const free = own.filter((fill) => !fill.fees_stated || fill.fees === 0);
    for (const [fill, share] of sharesOf(cost, free)) joined.set(fill, roundMoney((joined.get(fill) ?? 0) + share));
  }
  return fills.flatMap((fill) => {
    const cost = joined.get(fill);
    if (gone.has(fill)) return [];
    return [cost === undefined ? fill : { ...fill, fees: roundMoney(fill.fees + cost), fees_stated: true }];
  });
}

/** The export of costs has times to the second. */
function secondOf({ symbol, executed_at }: Fill): string {
  return `${symbol.toLowerCase()} ${executed_at.slice(0, 19)}`;
}

/** Shares by quantity; the last takes the remainder. */
function sharesOf({ fees }: Fill, fills: readonly Fill[]): [Fill, number][] {
  const units = fills.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  let left = fees;
  return fills.map((fill, index) => {
    const share = index === fills.length - 1 ? left : roundMoney((fees * Number(fill.quantity)) / units);
    left = roundMoney(left - share);
    return [fill, share];
  });
}
