/** Rows of breakdowns and groups: labels in one spelling, and the rest in one row. */
import type * as z from 'zod';
import { foldCase } from '../../sqlite/functions.ts';
import * as f from '../fields.ts';
import { mapInSteps, sortInSteps } from '../in-steps.ts';
import { once } from '../once.ts';
import { IN_BASE } from './base-currency.ts';
import { expectancyInterval } from './confidence.ts';
import { compareKeys, type Dimension, factsOfDimension, type Key, orderOf } from './dimensions.ts';
import type { Tally } from './tally.ts';

/** The figures of any row. */
export const rowShape = once(() => ({
  trades: f.count('Trades'),
  wins: f.count('Wins'),
  losses: f.count('Losses'),
  breakevens: f.count('Breakevens'),
  net_pnl: f.money(`Net P&L, ${IN_BASE}`),
  win_rate: f.orNull(f.ratio('Wins over trades, 0 to 1')),
  profit_factor: f.orNull(f.ratio('Gains over losses; null without a loss')),
  expectancy: f.orNull(f.money('Mean net P&L per trade, in the base currency')),
  expectancy_low: f.orNull(
    f.money(
      "Low end of its 95 % confidence interval (Student's t), in the base currency; null with fewer than 2 trades",
    ),
  ),
  expectancy_high: f.orNull(f.money('High end of the interval')),
  average_r: f.orNull(f.ratio('Mean R of the trades with a risk; null without any')),
  other: f
    .flag('True in the last row if top omits rows, else absent. It sums up the omitted rows, and its keys are null')
    .optional(),
}));

/** Columns that all rows count. */
export const COLUMNS_OF_ROWS = ['risk'] as const;

export function figuresOf(tally: Tally): z.infer<z.ZodObject<ReturnType<typeof rowShape>>> {
  const [low, high] = expectancyInterval(tally) ?? [null, null];
  return {
    trades: tally.trades,
    wins: tally.wins,
    losses: tally.losses,
    breakevens: tally.breakevens,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
    profit_factor: tally.profitFactor,
    expectancy: tally.expectancy,
    expectancy_low: low,
    expectancy_high: high,
    average_r: tally.averageR,
  };
}

/** A row before formatting: its keys and counts. */
export interface CountedRow<T extends Tally = Tally> {
  keys: readonly Key[];
  tally: T;
}

/**
 * Spelling of labels that differ only in case: the one of most trades; if several, the first by code units.
 * @param counts trades by spelling
 */
export function spellingsOf(counts: Iterable<readonly [Key, number]>): (key: Key) => Key {
  const shown = new Map<string, readonly [Key, number]>();
  for (const [key, count] of counts) {
    if (typeof key !== 'string') continue;
    const fold = foldCase(key);
    const best = shown.get(fold);
    if (!best || count > best[1] || (count === best[1] && compareKeys(key, best[0]) < 0)) shown.set(fold, [key, count]);
  }
  return (key) => (typeof key === 'string' ? (shown.get(foldCase(key))?.[0] ?? key) : key);
}

/** Merges rows with equal keys. */
export function* merged<T extends Tally>(rows: readonly CountedRow<T>[]): Generator<void, CountedRow<T>[]> {
  const byKeys = new Map<string, CountedRow<T>>();
  yield* mapInSteps(rows, (row) => {
    const name = JSON.stringify(row.keys);
    const same = byKeys.get(name);
    if (same) same.tally.addAll(row.tally);
    else byKeys.set(name, row);
  });
  return [...byKeys.values()];
}

/** Sorts by keys if all dimensions have an order; else by net P&L, highest first, then by keys. */
export function* sorted<R extends CountedRow>(
  rows: readonly R[],
  dimensions: readonly Dimension[],
): Generator<void, R[]> {
  const orders = dimensions.map(orderOf);
  const byKeys = (a: R, b: R) =>
    orders.reduce<number>((order, compare, i) => order || compare(a.keys[i] as Key, b.keys[i] as Key), 0);
  const isOrdered = dimensions.every((dimension) => factsOfDimension(dimension).isOrdered);
  if (isOrdered) return yield* sortInSteps(rows, byKeys);
  const net = new Map(yield* mapInSteps(rows, (row) => [row, row.tally.netPnl] as const));
  return yield* sortInSteps(rows, (a, b) => (net.get(b) as number) - (net.get(a) as number) || byKeys(a, b));
}

/** The first rows, and one more with the sum of all others. */
export function withRest<T extends Tally, R extends CountedRow<T>>(
  rows: readonly (R & CountedRow<T>)[],
  top: number | null,
): (R | (CountedRow<T> & { other: true }))[] {
  const rest = top === null ? [] : rows.slice(top);
  const first = rest[0];
  if (!first) return [...rows];
  const tally = first.tally.fresh() as T;
  for (const row of rest) tally.addAll(row.tally);
  return [...rows.slice(0, top as number), { keys: first.keys.map(() => null), tally, other: true }];
}
