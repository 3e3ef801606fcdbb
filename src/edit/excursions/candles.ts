/**
 * A series of candles: when each begins and ends, its extremes, and the times when its
 * market is closed.
 */

import { DAY } from '../../time.ts';

/** Longer breaks are gaps, even over a weekend. */
const LONGEST_BREAK = 5 * DAY;
/**
 * Share of a file's days on which a break must end at the same time of day, if it isn't a
 * gap.
 */
const USUAL = 0.05;

export const PRICES = ['open', 'high', 'low', 'close'] as const;

/** A candle of a file, by its time in epoch milliseconds. */
export type ReadCandle = Record<(typeof PRICES)[number] | 'time' | 'line', number>;

/** Epoch milliseconds and prices. It ends at the latest when the next begins. */
type Candle = Record<'start' | 'end' | 'high' | 'low', number>;

export class Candles {
  /** In order. */
  readonly all: readonly Candle[];
  /** Length of a candle in milliseconds: the commonest distance between two. */
  readonly step: number;
  /** The step of prices: all are whole multiples of it apart. */
  readonly tick: number;
  readonly first: number;
  readonly last: number;
  /** Number of gaps before each candle. */
  readonly #gaps: readonly number[];

  private constructor(all: readonly Candle[], step: number, tick: number) {
    this.all = all;
    this.step = step;
    this.tick = tick;
    this.first = this.at(0).start;
    this.last = this.at(all.length - 1).end;
    this.#gaps = gapsIn(all);
  }

  /**
   * @param read in order, each time once, at least two
   * @param isEnd whether times are those of the ends
   * @param decimals of prices as written
   */
  static of(
    read: readonly ReadCandle[],
    { isEnd, decimals }: { isEnd: boolean; decimals: number },
  ): Candles {
    const step = commonestStep(read);
    const all = read.map(({ time, high, low }, i): Candle => {
      const start = isEnd
        ? Math.max(time - step, read[i - 1]?.time ?? Number.NEGATIVE_INFINITY)
        : time;
      const end = isEnd
        ? time
        : Math.min(time + step, read[i + 1]?.time ?? Number.POSITIVE_INFINITY);
      return { start, end, high, low };
    });
    return new Candles(all, step, tickOf(read, decimals));
  }

  /**
   * The candles of several files with one step. One that several have was still moving
   * when the first was exported: it goes as far as any.
   */
  static joined(series: readonly [Candles, ...Candles[]]): Candles {
    const [first, ...more] = series;
    if (more.length === 0) return first;

    const inOrder = series.flatMap(({ all }) => all).sort((a, b) => a.start - b.start);
    const byStart = [...Map.groupBy(inOrder, ({ start }) => start)];
    const all = byStart.map(([start, same], i): Candle => {
      const next = byStart[i + 1]?.[0] ?? Number.POSITIVE_INFINITY;
      return {
        start,
        end: Math.min(Math.max(...same.map(({ end }) => end)), next),
        high: Math.max(...same.map(({ high }) => high)),
        low: Math.min(...same.map(({ low }) => low)),
      };
    });

    return new Candles(all, first.step, Math.min(...series.map(({ tick }) => tick)));
  }

  at(index: number): Candle {
    return this.all[index] as Candle;
  }

  /** The candle at an instant; -1 if there is none. */
  indexAt(instant: number): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle).start <= instant) low = middle + 1;
      else high = middle;
    }
    return low > 0 && instant < this.at(low - 1).end ? low - 1 : -1;
  }

  /** Whether candles are missing between two, while the market was open. */
  hasGap(from: number, to: number): boolean {
    return (this.#gaps[to] as number) > (this.#gaps[from] as number);
  }

  /**
   * Highest and lowest price of the candles between two, both excluded; undefined without
   * any.
   */
  extremesBetween(from: number, to: number): { high: number; low: number } | undefined {
    if (to - from < 2) return undefined;
    let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = from + 1; i < to; i++) {
      high = Math.max(high, this.at(i).high);
      low = Math.min(low, this.at(i).low);
    }
    return { high, low };
  }
}

/**
 * Missing candles aren't a gap if the market was closed: on a weekend without any candle,
 * or until a time of day at which other breaks of the file end, too.
 */
function gapsIn(all: readonly Candle[]): number[] {
  const days = new Set(all.map(({ start }) => Math.floor(start / DAY)));
  const breaks = all.flatMap(({ start }, i) => {
    const before = all[i - 1];
    return before && start > before.end
      ? [{ from: before.end, to: start, index: i }]
      : [];
  });
  const endingAt = Map.groupBy(breaks, ({ to }) => to % DAY);
  const rests = ![...days].some(isSaturday);
  const usual = Math.max(2, days.size * USUAL);
  const open = breaks.filter(({ from, to }) => {
    const isUsual = (endingAt.get(to % DAY)?.length ?? 0) >= usual;
    return to - from > LONGEST_BREAK || !((rests && isWeekend(from, to)) || isUsual);
  });
  const places = new Set(open.map(({ index }) => index));
  let count = 0;

  return all.map((_, i) => (places.has(i) ? ++count : count));
}

/** Day 0, 1970-01-01, was a Thursday. */
function isSaturday(day: number): boolean {
  return (((day - 2) % 7) + 7) % 7 === 0;
}

/**
 * Whether a whole Saturday (UTC), and no whole day from Monday to Friday, lies between
 * two instants.
 */
function isWeekend(from: number, to: number): boolean {
  let hasSaturday = false;
  for (let day = Math.ceil(from / DAY); (day + 1) * DAY <= to; day++) {
    if (isSaturday(day)) hasSaturday = true;
    else if (!isSaturday(day - 1)) return false;
  }
  return hasSaturday;
}

function commonestStep(read: readonly ReadCandle[]): number {
  const steps = Map.groupBy(
    read.slice(1),
    ({ time }, i) => time - (read[i] as ReadCandle).time,
  );
  const [[step] = [0]] = [...steps].sort(
    ([a, { length: countA }], [b, { length: countB }]) => countB - countA || a - b,
  );
  return step;
}

/**
 * The greatest common divisor of the distances between prices, at least one unit of their
 * last decimal.
 */
function tickOf(read: readonly ReadCandle[], decimals: number): number {
  const unit = 10 ** decimals;
  const first = Math.round((read[0] as ReadCandle).open * unit);
  let tick = 0;

  for (const candle of read) {
    for (const name of PRICES) {
      let [a, b] = [tick, Math.abs(Math.round(candle[name] * unit) - first)];
      while (b !== 0) [a, b] = [b, a % b];
      tick = a;
    }
    if (tick === 1) break;
  }

  return Math.max(tick, 1) / unit;
}
