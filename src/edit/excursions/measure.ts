/** How far a trade went: its excursions by candles and its own fills. */

import type { Candles } from './candles.ts';

/** A closed trade with its fills in order. */
export interface MeasuredTrade {
  /** Money per point of price and unit of quantity. */
  multiplier: number;
  /** Realised P&L before fees. */
  gross: number;
  fills: readonly MeasuredFill[];
}

export interface MeasuredFill {
  /** Epoch milliseconds. */
  at: number;
  /** Below 0 if sold. */
  quantity: number;
  price: number;
}

/**
 * In the trade's currency, before fees: mae and its bound at most 0, mfe and its bound at
 * least 0.
 */
export interface Excursions {
  mae: number;
  mfe: number;
  mae_bound: number;
  mfe_bound: number;
}

export const REASONS = {
  outside: 'beginning or ending outside of the candles',
  time: 'with a fill at a time without a candle',
  price: 'with a fill outside of its candle',
  gap: 'with a gap inside',
  fills: 'with a P&L that its fills and prices do not give',
} as const;
export type Reason = (typeof REASONS)[keyof typeof REASONS];

/** Units that may stay after the last fill, as a share of all: fees in coins. */
const DUST = 0.001;
/**
 * Difference of the stated P&L from that of the fills, as a share of it: rounded prices.
 */
const ROUNDING = 0.01;

/** The candle of each fill, or why there is none. */
export function candlesOf(
  { fills }: Pick<MeasuredTrade, 'fills'>,
  candles: Candles,
): number[] | Reason {
  const indexes = fills.map(({ at }) => candles.indexAt(at));
  if (indexes.includes(-1)) return REASONS.time;

  // Binary noise must not reject a price at the very edge.
  const tick = candles.tick * 1.000001;
  const areHeld = fills.every(({ price }, place) => {
    const { high, low } = candles.at(indexes[place] as number);
    return price <= high + tick && price >= low - tick;
  });
  return areHeld ? indexes : REASONS.price;
}

/**
 * At each price, a trade stands at what its fills so far have paid and received, plus the
 * value of the open position. mae and mfe are the extremes that it certainly reached: at
 * its fills, and in candles between the one of the entry and the one of the exit. The
 * bounds count the candles of entry and exit whole, and in a candle with fills each
 * position that was held in it.
 */
export function measure(trade: MeasuredTrade, candles: Candles): Excursions | Reason {
  const { fills } = trade;
  const [entry, exit] = [fills[0], fills.at(-1)] as [MeasuredFill, MeasuredFill];
  if (entry.at < candles.first || exit.at >= candles.last) return REASONS.outside;

  const indexes = candlesOf(trade, candles);
  if (typeof indexes === 'string') return indexes;

  const [first, last] = [indexes[0] as number, indexes.at(-1) as number];
  if (candles.hasGap(first, last)) return REASONS.gap;
  if (!hasPnl(trade, candles.tick)) return REASONS.fills;

  const reached = new Reached(trade);
  let held: Standing = { paid: 0, open: 0 };
  // Those within one candle. Before its entry, a trade holds nothing.
  let standings: Standing[] = [];

  for (const [place, fill] of fills.entries()) {
    const index = indexes[place] as number;
    const before = indexes[place - 1] ?? index;
    if (before !== index) {
      reached.addAll(held, candles.extremesBetween(before, index));
      standings = [held];
    }

    held = afterFill(held, fill);
    if (place < fills.length - 1) {
      standings.push(held);
      reached.add(held, fill.price);
    }

    const isWithin = index > first && index < last;
    if (indexes[place + 1] !== index)
      reached.addCandle(standings, candles.at(index), isWithin);
  }

  return reached.excursions;
}

function afterFill(
  { paid, open }: Standing,
  { quantity, price }: MeasuredFill,
): Standing {
  return { paid: paid - quantity * price, open: open + quantity };
}

/** The standings that a trade certainly reached, and those that it may have reached. */
class Reached {
  readonly #multiplier: number;
  readonly #sure: Range;
  readonly #bound: Range;

  constructor({ gross, multiplier }: MeasuredTrade) {
    this.#multiplier = multiplier;
    this.#sure = new Range(gross);
    this.#bound = new Range(gross);
  }

  add(held: Standing, price: number): void {
    const standing = standingAt(held, price) * this.#multiplier;
    this.#sure.add(standing);
    this.#bound.add(standing);
  }

  addAll(held: Standing, prices: PriceRange | undefined): void {
    if (!prices) return;

    this.add(held, prices.high);
    this.add(held, prices.low);
  }

  /**
   * The prices of a candle with fills.
   * @param isWithin whether entry and exit are in others: then its prices were reached,
   * but at which of the positions is unknown
   */
  addCandle(positions: readonly Standing[], prices: PriceRange, isWithin: boolean): void {
    for (const price of [prices.high, prices.low]) {
      const all = positions.map((held) => standingAt(held, price) * this.#multiplier);
      const [low, high] = [Math.min(...all), Math.max(...all)];
      this.#bound.add(low);
      this.#bound.add(high);
      if (isWithin) this.#sure.addBetween(low, high);
    }
  }

  get excursions(): Excursions {
    // Adding 0 makes a negative zero positive.
    return {
      mae: this.#sure.low + 0,
      mfe: this.#sure.high + 0,
      mae_bound: this.#bound.low + 0,
      mfe_bound: this.#bound.high + 0,
    };
  }
}

interface PriceRange {
  high: number;
  low: number;
}

/**
 * Money received less paid, and the open units, below 0 for a short position: both before
 * the contract size.
 */
interface Standing {
  paid: number;
  open: number;
}

function standingAt({ paid, open }: Standing, price: number): number {
  return paid + open * price;
}

/** Whether the fills end flat, and their prices give the trade's P&L. */
function hasPnl({ fills, multiplier, gross }: MeasuredTrade, tick: number): boolean {
  let [paid, open, volume] = [0, 0, 0];
  for (const { quantity, price } of fills) {
    paid -= quantity * price;
    open += quantity;
    volume += Math.abs(quantity) / 2;
  }

  if (Math.abs(open) > volume * DUST) return false;

  const last = fills.at(-1) as MeasuredFill;
  const computed = (paid + open * last.price) * multiplier;

  return (
    Math.abs(computed - gross) <=
    ROUNDING * Math.max(Math.abs(computed), Math.abs(gross)) + volume * multiplier * tick
  );
}

/** The lowest and highest standing, at most and at least 0. */
class Range {
  low: number;
  high: number;

  constructor(standing: number) {
    this.low = Math.min(0, standing);
    this.high = Math.max(0, standing);
  }

  add(standing: number): void {
    this.low = Math.min(this.low, standing);
    this.high = Math.max(this.high, standing);
  }

  /** A standing between two: it was at most the higher, and at least the lower. */
  addBetween(low: number, high: number): void {
    this.low = Math.min(this.low, high);
    this.high = Math.max(this.high, low);
  }
}
