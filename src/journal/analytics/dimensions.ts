/** What trades can be broken down by, and what a trade counts as in each. */
import { roundRatio } from '../../money.ts';
import { dateOfDay, weekdayOf, type ZoneClock } from '../../time.ts';
import type { ClosedTrade, Column } from './trade-rows.ts';

export type Key = string | number | null;

interface DimensionFacts {
  /** What it is by, for descriptions. */
  by: string;
  /** What a trade counts as; several where it counts in several rows. */
  keyOf: (trade: ClosedTrade, clock: ZoneClock) => Key | readonly string[];
  /** What that takes besides net P&L, R and the time of closing. */
  columns?: readonly Column[];
  /** Texts that people wrote: those that differ only in the case of their letters are one. */
  isLabel?: true;
  /** Rows in the order of their keys, not by net P&L. */
  isOrdered?: true;
  /** Keys are numbers. */
  isNumber?: true;
}

const HOLDING: readonly (readonly [seconds: number, key: string])[] = [
  [60, 'under_1m'],
  [300, '1m_to_5m'],
  [900, '5m_to_15m'],
  [3600, '15m_to_1h'],
  [14_400, '1h_to_4h'],
  [86_400, '4h_to_1d'],
  [604_800, '1d_to_1w'],
  [Number.POSITIVE_INFINITY, 'over_1w'],
];

const STEP_R = 0.5;
/** What lies beyond, either way, is one step. */
const MOST_R = 5;
const STEPS_OF_R = Array.from({ length: (2 * MOST_R) / STEP_R }, (_, i) => {
  const from = i * STEP_R - MOST_R;
  return `${from}_to_${from + STEP_R}`;
});

export const DIMENSIONS = {
  symbol: { by: 'By symbol', keyOf: (trade) => trade.symbol, columns: ['symbol'], isLabel: true },
  underlying: {
    by: 'By underlying, or by the symbol of what has none',
    keyOf: (trade) => trade.underlying,
    columns: ['symbol', 'underlying'],
    isLabel: true,
  },
  market: { by: 'By market', keyOf: (trade) => trade.market, columns: ['market'] },
  side: { by: 'By side', keyOf: (trade) => trade.side, columns: ['side'] },
  setup: { by: 'By setup', keyOf: (trade) => trade.setup, columns: ['setup'], isLabel: true },
  tag: {
    by: 'By tag; a trade with two tags counts in two rows',
    keyOf: (trade) => trade.tags,
    columns: ['tags'],
    isLabel: true,
  },
  mistake: {
    by: 'By mistake, of the trade or of its journal entries; a trade with two mistakes counts in two rows',
    keyOf: (trade) => trade.mistakes,
    columns: ['mistakes', 'entries'],
    isLabel: true,
  },
  weekday: {
    by: "By weekday of entry, in the user's zone: 1 Monday to 7 Sunday",
    keyOf: (trade, clock) => weekdayOf(clock.dayOf(trade.enteredMs)),
    columns: ['entered'],
    isOrdered: true,
    isNumber: true,
  },
  hour: {
    by: "By hour of entry, in the user's zone: 0 to 23",
    keyOf: (trade, clock) => clock.hourOf(trade.enteredMs),
    columns: ['entered'],
    isOrdered: true,
    isNumber: true,
  },
  account: { by: 'By account', keyOf: (trade) => trade.account, columns: ['account'], isLabel: true },
  holding_time: {
    by: `By holding time, lower bound included: ${HOLDING.map(([, key]) => key).join(', ')}`,
    keyOf: (trade) => holdingTime(trade),
    columns: ['entered'],
  },
  r_multiple: {
    by: `By R in steps of half an R, lower bound included: under_${-MOST_R}, ${-MOST_R}_to_${STEP_R - MOST_R} ... over_${MOST_R}`,
    keyOf: (trade) => (trade.r === null ? null : stepOfR(trade.r)),
  },
  month: {
    by: "By month of closing, in the user's zone: 2026-11",
    keyOf: (trade, clock) => closing(trade, clock).month,
    isOrdered: true,
  },
  day: { by: 'By day of closing: 2026-11-20', keyOf: (trade, clock) => closing(trade, clock).date, isOrdered: true },
  week: {
    by: 'By week of closing, named after its Monday: 2026-11-16',
    keyOf: (trade, clock) => {
      const day = clock.dayOf(trade.closedMs);
      return dateOfDay(day + 1 - weekdayOf(day));
    },
    isOrdered: true,
  },
  quarter: {
    by: 'By quarter of closing: 2026-Q4',
    keyOf: (trade, clock) => {
      const { date } = closing(trade, clock);
      return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
    },
    isOrdered: true,
  },
  year: {
    by: 'By year of closing: 2026',
    keyOf: (trade, clock) => closing(trade, clock).date.slice(0, 4),
    isOrdered: true,
  },
  rating: {
    by: 'By rating, 1 to 5',
    keyOf: (trade) => trade.rating,
    columns: ['rating'],
    isOrdered: true,
    isNumber: true,
  },
  group: { by: 'By trade group, by its id', keyOf: (trade) => trade.groupId, columns: ['group'] },
} satisfies Record<string, DimensionFacts>;

export type Dimension = keyof typeof DIMENSIONS;

export const ALL_DIMENSIONS = Object.keys(DIMENSIONS) as Dimension[];

export const factsOfDimension = (dimension: Dimension): DimensionFacts => DIMENSIONS[dimension];

/** By the R that the trade is shown with: a stop at exactly 1 R is in the step from -1 on, whatever its fractions made of it. */
function stepOfR(value: number): string {
  const r = roundRatio(value);
  if (r < -MOST_R) return `under_${-MOST_R}`;
  if (r >= MOST_R) return `over_${MOST_R}`;
  return STEPS_OF_R[Math.floor(r / STEP_R) + MOST_R / STEP_R] as string;
}

function holdingTime(trade: ClosedTrade): string {
  const seconds = (trade.closedMs - trade.enteredMs) / 1000;
  return (HOLDING.find(([limit]) => seconds < limit) ?? HOLDING[HOLDING.length - 1])?.[1] as string;
}

let last = { day: 0, date: '1970-01-01', month: '1970-01' };

/** Trades come in the order of closing, so that the same day is met many times in a row. */
function closing(trade: ClosedTrade, clock: ZoneClock): typeof last {
  const day = clock.dayOf(trade.closedMs);
  if (day !== last.day) {
    const date = dateOfDay(day);
    last = { day, date, month: date.slice(0, 7) };
  }
  return last;
}

/** Orders keys by code units, which is the same on every machine; null comes last. */
export function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
