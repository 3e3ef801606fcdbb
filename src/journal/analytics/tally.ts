/** Counts and sums of a set of trades, for totals and rows of breakdowns. */

import type * as z from 'zod';
import {
  asDecimal,
  moneyOrNull,
  ratioOrNull,
  roundMoney,
  roundRatio,
  Sum,
} from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import * as f from '../fields.ts';
import { once } from '../once.ts';
import { type ClosedTrade, IN_BASE } from './closed-trade.ts';
import {
  compareKeys,
  type Dimension,
  factsOfDimension,
  type Key,
  orderOf,
} from './dimensions.ts';
import { Moments, meanInterval } from './statistics.ts';

// Rows of breakdowns and groups: labels in one spelling, and the rest in one row.

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
      'Low end of its 95 % confidence interval, clustered by day of closing, in the base currency; null below 2 days',
    ),
  ),
  expectancy_high: f.orNull(f.money('High end of the interval')),
  average_r: f.orNull(f.ratio('Mean R of the trades with a risk; null without any')),
  total_r: f.orNull(f.ratio('Sum of their R; null without any')),
  r_sample: f.count('Trades with a risk'),
  quantity: f.revealing('money', f.notNegative('Sum of their quantities')),
  fees: f.money(`Fees, ${IN_BASE}`),
  contracts: f.orNull(
    f.revealing('money', f.notNegative('Option and future contracts; null without any')),
  ),
  fees_per_contract: f.orNull(
    f.money(
      'Fees of the trades with contracts over contracts, in the base currency; null without any',
    ),
  ),
  largest_share: f
    .ratio(
      'Net P&L of the trade with the largest share in net_pnl, over net_pnl: only above 0.5, and of several trades',
    )
    .optional(),
  other: f
    .flag(
      'True in the last row if top omits rows, else absent. It sums up the omitted rows, and its keys are null',
    )
    .optional(),
}));

/** Columns that all rows count. */
export const COLUMNS_OF_ROWS = ['risk', 'quantity', 'market'] as const;

export function figuresOf(
  tally: Tally,
): z.infer<z.ZodObject<ReturnType<typeof rowShape>>> {
  const [low = null, high = null] = meanInterval(tally.net)?.map(roundMoney) ?? [];
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
    total_r: tally.totalR,
    r_sample: tally.rSample,
    quantity: asDecimal(tally.quantity.value),
    fees: roundMoney(tally.fees.value),
    contracts: tally.contracts.value === 0 ? null : asDecimal(tally.contracts.value),
    fees_per_contract: tally.feesPerContract,
    ...(tally.largestShare > 0.5 && { largest_share: tally.largestShare }),
  };
}

/** A row before formatting: its keys and counts. */
export interface CountedRow {
  keys: readonly Key[];
  tally: Tally;
}

/**
 * Spelling of labels that differ only in case: the one of most trades; if several, the
 * first by code units.
 * @param counts trades by spelling
 */
export function spellingsOf(counts: Iterable<readonly [Key, number]>): (key: Key) => Key {
  const shown = new Map<string, readonly [Key, number]>();
  for (const [key, count] of counts) {
    if (typeof key !== 'string') continue;
    const fold = foldCase(key);
    const best = shown.get(fold);
    if (!best || count > best[1] || (count === best[1] && compareKeys(key, best[0]) < 0))
      shown.set(fold, [key, count]);
  }

  return (key) =>
    typeof key === 'string' ? (shown.get(foldCase(key))?.[0] ?? key) : key;
}

/** Merges rows with equal keys. */
export function merged(rows: readonly CountedRow[]): CountedRow[] {
  const byKeys = new Map<string, CountedRow>();
  for (const row of rows) {
    const name = JSON.stringify(row.keys);
    const same = byKeys.get(name);
    if (same) same.tally.addAll(row.tally);
    else byKeys.set(name, row);
  }

  return [...byKeys.values()];
}

/**
 * Sorts by keys if all dimensions have an order; else by net P&L, highest first, then by
 * keys.
 */
export function sorted<R extends CountedRow>(
  rows: readonly R[],
  dimensions: readonly Dimension[],
): R[] {
  const orders = dimensions.map(orderOf);
  const byKeys = (a: R, b: R) =>
    orders.reduce<number>(
      (order, compare, i) => order || compare(a.keys[i] as Key, b.keys[i] as Key),
      0,
    );

  const isOrdered = dimensions.every(
    (dimension) => factsOfDimension(dimension).isOrdered,
  );
  if (isOrdered) return rows.toSorted(byKeys);

  const net = new Map(rows.map((row) => [row, row.tally.netPnl] as const));
  return rows.toSorted(
    (a, b) => (net.get(b) as number) - (net.get(a) as number) || byKeys(a, b),
  );
}

/** The first rows, and one more with the sum of all others. */
export function withRest<R extends CountedRow>(
  rows: readonly R[],
  top: number | null,
): (R | (CountedRow & { other: true }))[] {
  const rest = top === null ? [] : rows.slice(top);
  const first = rest[0];
  if (!first) return [...rows];

  const tally = new Tally();
  for (const row of rest) tally.addAll(row.tally);

  return [
    ...rows.slice(0, top as number),
    { keys: first.keys.map(() => null), tally, other: true },
  ];
}

/** Counted fields of a trade. */
type Counted = Pick<
  ClosedTrade,
  | 'net'
  | 'nativeNet'
  | 'gross'
  | 'outcome'
  | 'r'
  | 'day'
  | 'fees'
  | 'allQuantity'
  | 'contracts'
  | 'contractFees'
>;

export class Tally {
  trades = 0;
  wins = 0;
  losses = 0;
  breakevens = 0;
  /**
   * Sums of net P&L by its sign, not by outcome: a breakeven of 0.10 is part of the gross
   * profit. The gross loss is negative or 0.
   */
  readonly grossProfit = new Sum();
  readonly grossLoss = new Sum();
  readonly fees = new Sum();
  readonly quantity = new Sum();
  readonly contracts = new Sum();
  readonly #contractFees = new Sum();
  /** Net P&L by day of closing. */
  readonly net = new Moments();
  readonly gross = new Sum();
  #highest = 0;
  #lowest = 0;
  /** Net in the trades' currency, if they have one; null if legs have several. */
  #nativeNet: Sum | null = new Sum();
  readonly #r = new Sum();
  rSample = 0;

  add(trade: Counted): void {
    const { net, nativeNet, gross, outcome, r, day, fees } = trade;
    this.trades++;
    if (outcome === 'win') this.wins++;
    else if (outcome === 'loss') this.losses++;
    else this.breakevens++;

    if (net > 0) this.grossProfit.add(net);
    else if (net < 0) this.grossLoss.add(net);
    if (net > this.#highest) this.#highest = net;
    else if (net < this.#lowest) this.#lowest = net;
    this.net.add(net, day);
    this.fees.add(fees);
    this.gross.add(gross);
    if (nativeNet === null) this.#nativeNet = null;
    else this.#nativeNet?.add(nativeNet);
    this.quantity.add(trade.allQuantity);
    this.contracts.add(trade.contracts);
    this.#contractFees.add(trade.contractFees);
    if (r === null) return;

    this.#r.add(r);
    this.rSample++;
  }

  /** Adds the counts of another tally. */
  addAll(other: Tally): void {
    this.trades += other.trades;
    this.wins += other.wins;
    this.losses += other.losses;
    this.breakevens += other.breakevens;
    this.grossProfit.addSum(other.grossProfit);
    this.grossLoss.addSum(other.grossLoss);
    this.#highest = Math.max(this.#highest, other.#highest);
    this.#lowest = Math.min(this.#lowest, other.#lowest);
    this.net.addAll(other.net);
    this.fees.addSum(other.fees);
    this.gross.addSum(other.gross);
    if (this.#nativeNet && other.#nativeNet) this.#nativeNet.addSum(other.#nativeNet);
    else this.#nativeNet = null;
    this.quantity.addSum(other.quantity);
    this.contracts.addSum(other.contracts);
    this.#contractFees.addSum(other.#contractFees);
    this.#r.addSum(other.#r);
    this.rSample += other.rSample;
  }

  get winRate(): number | null {
    return ratioOrNull(this.trades === 0 ? null : this.wins / this.trades);
  }

  get profitFactor(): number | null {
    const loss = this.grossLoss.value;
    return ratioOrNull(loss === 0 ? null : this.grossProfit.value / -loss);
  }

  get expectancy(): number | null {
    return moneyOrNull(this.net.mean);
  }

  get averageR(): number | null {
    return ratioOrNull(this.rSample === 0 ? null : this.#r.value / this.rSample);
  }

  get totalR(): number | null {
    return ratioOrNull(this.rSample === 0 ? null : this.#r.value);
  }

  get feesPerContract(): number | null {
    const contracts = this.contracts.value;
    // Of less than the smallest unit, which another program may have written, fees would be
    // endless.
    return contracts < 1e-8 ? null : roundMoney(this.#contractFees.value / contracts);
  }

  get nativeNetPnl(): number | null {
    return this.#nativeNet && roundMoney(this.#nativeNet.value);
  }

  /**
   * Of the trade with the largest share in the net P&L; 0 for a single trade, or without
   * any.
   */
  get largestShare(): number {
    if (this.netPnl === 0 || this.trades === 1) return 0;
    const net = this.net.sum;
    return roundRatio((net > 0 ? this.#highest : this.#lowest) / net);
  }

  get netPnl(): number {
    return roundMoney(this.net.sum);
  }
}
