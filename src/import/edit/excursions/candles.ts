/** A series of candles: when each begins and ends, its extremes, and the times when its market is closed. */

import { DAY } from '../../../time.ts';

/** Longer breaks are gaps, even over a weekend. */
const LONGEST_BREAK = 5 * DAY;
/** Share of a file's days on which a break must end at the same time of day, if it isn't a gap. */
const USUAL = 0.05;

/** One entry per candle, in order: epoch milliseconds and prices. A candle ends at the latest when the next begins. */
interface Series {
  starts: Float64Array;
  ends: Float64Array;
  highs: Float64Array;
  lows: Float64Array;
}

export class Candles {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly highs: Float64Array;
  readonly lows: Float64Array;
  /** Length of a candle in milliseconds: the commonest distance between two. */
  readonly step: number;
  /** The step of prices: all are whole multiples of it apart. */
  readonly tick: number;
  readonly #gaps: Int32Array;

  private constructor({ starts, ends, highs, lows }: Series, step: number, tick: number) {
    this.starts = starts;
    this.ends = ends;
    this.highs = highs;
    this.lows = lows;
    this.step = step;
    this.tick = tick;
    this.#gaps = this.#countGaps();
  }

  /**
   * @param times in order, each once, at least two
   * @param prices open, high, low and close of each
   * @param isEnd whether times are those of the ends
   * @param decimals of prices as written
   */
  static of(
    times: readonly number[],
    prices: readonly number[],
    { isEnd, decimals }: { isEnd: boolean; decimals: number },
  ): Candles {
    const step = commonestStep(times);
    const series = seriesOf(times.length);
    for (let i = 0; i < times.length; i++) {
      const time = times[i] as number;
      series.starts[i] = isEnd ? Math.max(time - step, times[i - 1] ?? Number.NEGATIVE_INFINITY) : time;
      series.ends[i] = isEnd ? time : Math.min(time + step, times[i + 1] ?? Number.POSITIVE_INFINITY);
      series.highs[i] = prices[i * 4 + 1] as number;
      series.lows[i] = prices[i * 4 + 2] as number;
    }
    return new Candles(series, step, tickOf(prices, decimals));
  }

  /** The candles of several files with one step. One that several have was still moving when the first was exported: it goes as far as any. */
  static joined(all: readonly [Candles, ...Candles[]]): Candles {
    const [first, ...more] = all;
    if (more.length === 0) return first;
    const flat = all.flatMap((own) => Array.from(own.starts, (start, index) => ({ start, own, index })));
    const byStart = [
      ...Map.groupBy(
        flat.sort((a, b) => a.start - b.start),
        ({ start }) => start,
      ),
    ];
    const series = seriesOf(byStart.length);
    byStart.forEach(([start, same], i) => {
      const most = (name: 'highs' | 'ends') => Math.max(...same.map(({ own, index }) => own[name][index] as number));
      series.starts[i] = start;
      series.ends[i] = Math.min(most('ends'), byStart[i + 1]?.[0] ?? Number.POSITIVE_INFINITY);
      series.highs[i] = most('highs');
      series.lows[i] = Math.min(...same.map(({ own, index }) => own.lows[index] as number));
    });
    return new Candles(series, first.step, Math.min(...all.map(({ tick }) => tick)));
  }

  get count(): number {
    return this.starts.length;
  }

  get first(): number {
    return this.starts[0] as number;
  }

  get last(): number {
    return this.ends[this.count - 1] as number;
  }

  /** The candle at an instant; -1 if there is none. */
  indexAt(instant: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] as number) <= instant) low = middle + 1;
      else high = middle;
    }
    return low > 0 && instant < (this.ends[low - 1] as number) ? low - 1 : -1;
  }

  /** Whether candles are missing between two, while the market was open. */
  hasGap(from: number, to: number): boolean {
    return (this.#gaps[to] as number) > (this.#gaps[from] as number);
  }

  /** Highest and lowest price of the candles between two, both excluded; undefined without any. */
  extremesBetween(from: number, to: number): { high: number; low: number } | undefined {
    if (to - from < 2) return undefined;
    let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = from + 1; i < to; i++) {
      high = Math.max(high, this.highs[i] as number);
      low = Math.min(low, this.lows[i] as number);
    }
    return { high, low };
  }

  /**
   * Number of gaps before each candle. Missing candles aren't a gap if the market was closed: on a weekend without any candle, or
   * until a time of day at which other breaks of the file end, too.
   */
  #countGaps(): Int32Array {
    const { starts, ends, count } = this;
    const breaks = new Map<number, number>();
    const days = new Set<number>();
    for (let i = 0; i < count; i++) {
      const start = starts[i] as number;
      days.add(Math.floor(start / DAY));
      if (i > 0 && start > (ends[i - 1] as number)) breaks.set(start % DAY, (breaks.get(start % DAY) ?? 0) + 1);
    }
    const rests = ![...days].some(isSaturday);
    const usual = Math.max(2, days.size * USUAL);
    const gaps = new Int32Array(count);
    for (let i = 1; i < count; i++) {
      const [end, start] = [ends[i - 1] as number, starts[i] as number];
      const isClosed =
        start - end <= LONGEST_BREAK && ((rests && isWeekend(end, start)) || (breaks.get(start % DAY) ?? 0) >= usual);
      gaps[i] = (gaps[i - 1] as number) + (start > end && !isClosed ? 1 : 0);
    }
    return gaps;
  }
}

function seriesOf(count: number): Series {
  const list = () => new Float64Array(count);
  return { starts: list(), ends: list(), highs: list(), lows: list() };
}

/** Day 0, 1970-01-01, was a Thursday. */
function isSaturday(day: number): boolean {
  return (((day - 2) % 7) + 7) % 7 === 0;
}

/** Whether a whole Saturday (UTC), and no whole day from Monday to Friday, lies between two instants. */
function isWeekend(from: number, to: number): boolean {
  let hasSaturday = false;
  for (let day = Math.ceil(from / DAY); (day + 1) * DAY <= to; day++) {
    if (isSaturday(day)) hasSaturday = true;
    else if (!isSaturday(day - 1)) return false;
  }
  return hasSaturday;
}

function commonestStep(times: readonly number[]): number {
  const counts = new Map<number, number>();
  for (let i = 1; i < times.length; i++) {
    const step = (times[i] as number) - (times[i - 1] as number);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const [[step] = [0]] = [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b);
  return step;
}

/** The greatest common divisor of the distances between prices, at least one unit of their last decimal. */
function tickOf(prices: readonly number[], decimals: number): number {
  const unit = 10 ** decimals;
  const first = Math.round((prices[0] as number) * unit);
  let tick = 0;
  for (let i = 1; i < prices.length && tick !== 1; i++) {
    let [a, b] = [tick, Math.abs(Math.round((prices[i] as number) * unit) - first)];
    while (b !== 0) [a, b] = [b, a % b];
    tick = a;
  }
  return Math.max(tick, 1) / unit;
}
