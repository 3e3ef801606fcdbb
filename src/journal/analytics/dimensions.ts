/** Dimensions of breakdowns, and the keys of a trade in each. */
import { roundRatio } from '../../money.ts';
import { dateOfDay, isDate, startOfUnit, weekdayOf, type ZoneClock } from '../../time.ts';
import { MARKETS, SIDES } from '../resources/common.ts';
import type { ClosedTrade, Column, Sequence, SessionFacts } from './closed-trade.ts';
import { uniqueLabels } from './trade-rows.ts';

export type Key = string | number | boolean | null;

interface DimensionFacts {
  /** Description of the dimension. */
  by: string;
  /** Key of a trade; several if it counts in several rows. */
  keyOf: (trade: ClosedTrade, clock: ZoneClock) => Key | readonly Key[];
  /** Required columns and parts of a trade's context, besides net P&L, R and the time of closing. */
  columns?: readonly Column[];
  /** All keys except null, in order; if undefined, any text, or any text of the form. */
  keys?: readonly Key[];
  form?: { isKey: (text: string) => boolean; example: string };
  /** Keys are texts written by users: case is ignored. */
  isLabel?: true;
  /** Keys are ids of records: case matters. */
  isId?: true;
  /** Rows are sorted by key, not by net P&L. */
  isOrdered?: true;
  /** Keys are numbers. */
  isNumber?: true;
  /** Keys are true and false. */
  isFlag?: true;
  /** Keys follow from the results of the same day, so only shuffling within days can test them. */
  isByResults?: true;
  /** Keys follow from the result of the trade itself, so no test applies. */
  isOfItself?: true;
  /** The kind of data that its keys reveal, if a key may hide it. */
  reveals?: 'text';
}

/** Values below each limit and not below the previous one; the last but one includes its limit. */
type Steps = readonly (readonly [limit: number, key: string])[];

const HOLDING: Steps = [
  [60, 'under_1m'],
  [300, '1m_to_5m'],
  [900, '5m_to_15m'],
  [3600, '15m_to_1h'],
  [14_400, '1h_to_4h'],
  [86_400, '4h_to_1d'],
  [604_800, '1d_to_1w'],
  [Number.POSITIVE_INFINITY, 'over_1w'],
];

const MINUTE = 60_000;
const SINCE_LOSS: Steps = [
  [10 * MINUTE, 'under_10m'],
  [30 * MINUTE, '10m_to_30m'],
  [120 * MINUTE, '30m_to_2h'],
  [Number.POSITIVE_INFINITY, 'over_2h'],
];
/** The largest time of each step of since_loss: closes are in whole milliseconds. */
export const GAPS: readonly number[] = [10 * MINUTE - 1, 30 * MINUTE - 1, 120 * MINUTE, Number.MAX_VALUE, Infinity];
const SIZES: Steps = [
  [0.5, 'under_half'],
  [1.5, 'half_to_1.5x'],
  [3, '1.5x_to_3x'],
  [Number.POSITIVE_INFINITY, 'over_3x'],
];
const SLEEP: Steps = [
  [6, 'under_6h'],
  [7, '6h_to_7h'],
  [8, '7h_to_8h'],
  [Number.POSITIVE_INFINITY, 'over_8h'],
];
const OUTCOMES = ['win', 'breakeven', 'loss'] as const;
const AFTER = ['none', ...OUTCOMES, 'losses'];
const STREAKS = ['losses_3+', 'losses_2', 'losses_1', 'none', 'wins_1', 'wins_2', 'wins_3+'];
const LOSSES_TODAY = ['0', '1', '2', '3+'];
/** Trades from here on share a key. */
const MOST_OF_DAY = 10;
const OF_DAY = Array.from({ length: MOST_OF_DAY }, (_, i) => `${i + 1}${i + 1 === MOST_OF_DAY ? '+' : ''}`);
const FLAGS = [true, false];
const COLOURS = ['green', 'red', 'flat', 'none'];
const HELD_OVER = ['none', 'night', 'weekend'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const SEQUENCE = ['entered', 'group', 'sequence'] as const;
const RATINGS = [1, 2, 3, 4, 5];

const keysOf = (steps: Steps) => steps.map(([, key]) => key);

const STEP_R = 0.5;
/** Values beyond, in either direction, share one step. */
const MOST_R = 5;
const STEPS_OF_R = Array.from({ length: (2 * MOST_R) / STEP_R }, (_, i) => {
  const from = i * STEP_R - MOST_R;
  return `${from}_to_${from + STEP_R}`;
});

export const DIMENSIONS = {
  symbol: { by: 'By symbol', keyOf: (trade) => trade.symbol, columns: ['symbol'], isLabel: true },
  underlying: {
    by: 'By underlying, or by symbol without one',
    keyOf: (trade) => trade.underlying,
    columns: ['symbol', 'underlying'],
    isLabel: true,
  },
  market: { by: 'By market', keyOf: (trade) => trade.market, columns: ['market'], keys: MARKETS },
  side: { by: 'By side', keyOf: (trade) => trade.side, columns: ['side'], keys: SIDES },
  setup: { by: 'By setup', keyOf: (trade) => trade.setup, columns: ['setup'], isLabel: true },
  tag: {
    by: 'By tag; a trade with two tags counts in two rows',
    keyOf: (trade) => trade.tags,
    columns: ['tags'],
    isLabel: true,
  },
  mistake: {
    by: 'By mistake of the trade or of its journal entries; a trade with two mistakes counts in two rows',
    keyOf: (trade) => trade.mistakes,
    columns: ['mistakes', 'entries'],
    isLabel: true,
  },
  weekday: {
    by: "By weekday of entry, in the user's time zone: 1 Monday to 7 Sunday",
    keyOf: (trade, clock) => weekdayOf(clock.dayOf(trade.enteredMs)),
    columns: ['entered'],
    keys: [1, 2, 3, 4, 5, 6, 7],
    isOrdered: true,
    isNumber: true,
  },
  hour: {
    by: "By hour of entry, in the user's time zone: 0 to 23",
    keyOf: (trade, clock) => clock.hourOf(trade.enteredMs),
    columns: ['entered'],
    keys: HOURS,
    isOrdered: true,
    isNumber: true,
  },
  account: { by: 'By account', keyOf: (trade) => trade.account, columns: ['account'], isLabel: true },
  holding_time: {
    by: `By holding time, lower bound included, over_1w excluding 1 week: ${keysOf(HOLDING).join(', ')}`,
    keyOf: (trade) => stepOf(HOLDING, (trade.closedMs - trade.enteredMs) / 1000),
    columns: ['entered'],
    keys: keysOf(HOLDING),
  },
  r_multiple: {
    by: `By R in steps of half an R, lower bound included, over_${MOST_R} excluding it: under_${-MOST_R}, ${-MOST_R}_to_${STEP_R - MOST_R} ... over_${MOST_R}`,
    keyOf: (trade) => (trade.r === null ? null : stepOfR(trade.r)),
    columns: ['risk'],
    keys: [`under_${-MOST_R}`, ...STEPS_OF_R, `over_${MOST_R}`],
  },
  month: {
    by: "By month of closing, in the user's time zone: 2026-11",
    keyOf: (trade, clock) => closing(trade, clock).month,
    form: { isKey: (text) => isDate(`${text}-01`), example: '2026-11' },
    isOrdered: true,
  },
  day: {
    by: 'By day of closing: 2026-11-20',
    keyOf: (trade, clock) => closing(trade, clock).date,
    form: { isKey: isDate, example: '2026-11-20' },
    isOrdered: true,
  },
  week: {
    by: 'By week of closing, named after its Monday: 2026-11-16',
    keyOf: (trade, clock) => {
      const day = clock.dayOf(trade.closedMs);
      return dateOfDay(day + 1 - weekdayOf(day));
    },
    form: { isKey: (text) => isDate(text) && startOfUnit(text, 'week') === text, example: '2026-11-16' },
    isOrdered: true,
  },
  quarter: {
    by: 'By quarter of closing: 2026-Q4',
    keyOf: (trade, clock) => {
      const { date } = closing(trade, clock);
      return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
    },
    form: { isKey: (text) => /^\d{4}-Q[1-4]$/i.test(text), example: '2026-Q4' },
    isOrdered: true,
  },
  year: {
    by: 'By year of closing: 2026',
    keyOf: (trade, clock) => closing(trade, clock).date.slice(0, 4),
    form: { isKey: (text) => /^\d{4}$/.test(text), example: '2026' },
    isOrdered: true,
  },
  rating: {
    by: 'By rating, 1 to 5',
    keyOf: (trade) => trade.rating,
    columns: ['rating'],
    keys: RATINGS,
    isOrdered: true,
    isNumber: true,
  },
  group: { by: 'By trade group, by its id', keyOf: (trade) => trade.groupId, columns: ['group'], isId: true },
  after: {
    by: `By the outcome of the trade of the same account closed last on the day of this entry, before it: ${AFTER.join(', ')} (two or more in a row)`,
    keyOf: ({ context }) => afterOf(context.sequence as Sequence),
    columns: SEQUENCE,
    keys: AFTER,
    isOrdered: true,
    isByResults: true,
  },
  since_loss: {
    by: `By the time from the last close of a loss in the same account on the day of this entry to it, lower bound included, over_2h excluding 2 hours: ${keysOf(SINCE_LOSS).join(', ')}; null without such a loss`,
    keyOf: ({ context }) => {
      const { sinceLoss } = context.sequence as Sequence;
      return sinceLoss === Infinity ? null : stepOf(SINCE_LOSS, sinceLoss);
    },
    columns: SEQUENCE,
    keys: keysOf(SINCE_LOSS),
    isOrdered: true,
    isByResults: true,
  },
  streak: {
    by: `By the run of trades of the same account closed on the day of this entry, before it: ${STREAKS.join(', ')}`,
    keyOf: ({ context }) => STREAKS[3 + Math.max(-3, Math.min(3, (context.sequence as Sequence).run || 0))] as string,
    columns: SEQUENCE,
    keys: STREAKS,
    isOrdered: true,
    isByResults: true,
  },
  losses_today: {
    by: `By the number of losses in the same account closed on the day of this entry, before it: ${LOSSES_TODAY.join(', ')}`,
    keyOf: ({ context }) => LOSSES_TODAY[Math.min((context.sequence as Sequence).losses, 3)] as string,
    columns: SEQUENCE,
    keys: LOSSES_TODAY,
    isOrdered: true,
    isByResults: true,
  },
  first_trade: {
    by: `By the outcome of the first trade of the same account closed on the day of this entry, for every trade of the day, itself included: ${OUTCOMES.join(', ')}; null if none closed on it`,
    keyOf: ({ context }) => (context.sequence as Sequence).first,
    columns: SEQUENCE,
    keys: OUTCOMES,
    isOfItself: true,
  },
  after_day: {
    by: `By the net P&L of the previous day on which the same account closed a trade: ${COLOURS.join(', ')}`,
    keyOf: ({ context }) => (context.sequence as Sequence).dayBefore,
    columns: SEQUENCE,
    keys: COLOURS,
  },
  trade_of_day: {
    by: `By number of the trade in its day and account, in the order of entry, open trades included: 1 ... ${OF_DAY.at(-1)}`,
    keyOf: ({ context }) => OF_DAY[Math.min((context.sequence as Sequence).tradeOfDay, MOST_OF_DAY) - 1] as string,
    columns: SEQUENCE,
    keys: OF_DAY,
    isOrdered: true,
  },
  size: {
    by: `By quantity over the median quantity of all closed trades of its account and underlying, lower bound included, over_3x excluding 3 times: ${keysOf(SIZES).join(', ')}; null for several legs`,
    keyOf: ({ context: { size } }) => (size === null ? null : stepOf(SIZES, size)),
    columns: ['quantity', 'account', 'symbol', 'underlying', 'entered', 'size'],
    keys: keysOf(SIZES),
    isOrdered: true,
  },
  emotion: {
    by: 'By emotion in its journal entries; a trade with two emotions counts in two rows',
    keyOf: (trade) => trade.emotions,
    columns: ['feelings'],
    isLabel: true,
  },
  rule: {
    by: 'By answered rule in its journal entries, "{rule}: kept" or "{rule}: broken"; a trade with two rules counts in two rows',
    keyOf: rulesOf,
    columns: ['entries'],
    isLabel: true,
  },
  followed_plan: {
    by: 'By followed_plan of its journal entries: false if any entry has false, null if unanswered',
    keyOf: (trade) => trade.followedPlan,
    columns: ['feelings'],
    keys: FLAGS,
    isFlag: true,
  },
  mood: {
    by: 'By mood of the day of entry, from its first session with one',
    keyOf: ({ context }) => (context.session as SessionFacts).mood,
    columns: ['entered', 'session'],
    isLabel: true,
  },
  energy: {
    by: 'By energy of the day of entry, 1 to 5, from its first session with a value',
    keyOf: ({ context }) => (context.session as SessionFacts).energy,
    columns: ['entered', 'session'],
    keys: RATINGS,
    isOrdered: true,
    isNumber: true,
  },
  sleep: {
    by: `By hours slept, from the first session of the day of entry with a value, lower bound included, over_8h excluding 8 hours: ${keysOf(SLEEP).join(', ')}`,
    keyOf: ({ context }) => {
      const { sleepHours } = context.session as SessionFacts;
      return sleepHours === null ? null : stepOf(SLEEP, sleepHours);
    },
    columns: ['entered', 'session'],
    keys: keysOf(SLEEP),
    isOrdered: true,
  },
  day_plan: {
    by: 'By whether the plan of the day of entry was followed, from the first session whose review answers it',
    keyOf: ({ context }) => (context.session as SessionFacts).followedPlan,
    columns: ['entered', 'session'],
    keys: FLAGS,
    isFlag: true,
  },
  condition: {
    by: 'By market condition of the day of entry, from its first session with one',
    keyOf: ({ context }) => (context.session as SessionFacts).condition,
    columns: ['entered', 'session'],
    isLabel: true,
    reveals: 'text',
  },
  bias: {
    by: 'By bias of the day of entry, from its first session with one',
    keyOf: ({ context }) => (context.session as SessionFacts).bias,
    columns: ['entered', 'session'],
    isLabel: true,
    reveals: 'text',
  },
  confidence: {
    by: 'By confidence of its journal entries, 1 to 5; a trade with two values counts in two rows',
    keyOf: (trade) => trade.confidence,
    columns: ['feelings'],
    keys: RATINGS,
    isOrdered: true,
    isNumber: true,
  },
  timeframe: { by: 'By timeframe', keyOf: (trade) => trade.timeframe, columns: ['timeframe'], isLabel: true },
  close_hour: {
    by: "By hour of closing, in the user's time zone: 0 to 23",
    keyOf: (trade, clock) => clock.hourOf(trade.closedMs),
    keys: HOURS,
    isOrdered: true,
    isNumber: true,
  },
  held_over: {
    by: `By what lies between entry and closing: ${HELD_OVER.join(', ')} (a Saturday between the two days)`,
    keyOf: (trade, clock) => heldOver(clock.dayOf(trade.enteredMs), clock.dayOf(trade.closedMs)),
    columns: ['entered'],
    keys: HELD_OVER,
    isOrdered: true,
  },
  strategy: {
    by: 'By strategy of the trade group',
    keyOf: (trade) => trade.strategy,
    columns: ['group', 'strategy'],
    isLabel: true,
  },
  currency: {
    by: 'By currency of the trade, with net_pnl_native in that currency; null if the legs of a position have several',
    keyOf: (trade) => trade.currency,
    form: { isKey: (text) => /^[A-Z0-9]{2,10}$/i.test(text), example: 'USD' },
  },
} satisfies Record<string, DimensionFacts>;

export type Dimension = keyof typeof DIMENSIONS;

export const ALL_DIMENSIONS = Object.keys(DIMENSIONS) as Dimension[];

export const factsOfDimension = (dimension: Dimension): DimensionFacts => DIMENSIONS[dimension];

/** Step of the rounded R of the response: a loss of exactly 1 R is in the step from -1, despite binary fractions. */
function stepOfR(value: number): string {
  const r = roundRatio(value);
  if (r < -MOST_R) return `under_${-MOST_R}`;
  if (r > MOST_R) return `over_${MOST_R}`;
  return STEPS_OF_R[Math.min(Math.floor(r / STEP_R) + MOST_R / STEP_R, STEPS_OF_R.length - 1)] as string;
}

function stepOf(steps: Steps, value: number): string {
  // 0.15 over 0.1 is 1.5, despite binary fractions.
  const rounded = Number.isFinite(value) ? roundRatio(value) : value;
  return (steps[stepIndexOf(steps, rounded)] as Steps[number])[1];
}

function stepIndexOf(steps: Steps, value: number): number {
  const last = steps.length - 1;
  const found = steps.findIndex(([limit], i) => value < limit || (i === last - 1 && value === limit));
  return found === -1 ? last : found;
}

function afterOf({ run }: Sequence): string {
  if (Number.isNaN(run)) return 'none';
  return run > 0 ? 'win' : run === 0 ? 'breakeven' : run === -1 ? 'loss' : 'losses';
}

/** @param entered number of the day, as of the next */
function heldOver(entered: number, closed: number): string {
  if (entered === closed) return 'none';
  // Days to the Saturday after the entry.
  const saturday = ((12 - weekdayOf(entered)) % 7) + 1;
  return entered + saturday < closed ? 'weekend' : 'night';
}

function rulesOf({ journalRules }: ClosedTrade): readonly string[] {
  if (journalRules.length === 0) return [];
  const answers = journalRules.flat().filter(({ followed }) => followed !== null);
  return uniqueLabels(answers.map(({ rule, followed }) => `${rule}: ${followed ? 'kept' : 'broken'}`));
}

let last = { day: 0, date: '1970-01-01', month: '1970-01' };

/** Trades arrive in the order of closing, so the same day occurs many times in a row. */
function closing(trade: ClosedTrade, clock: ZoneClock): typeof last {
  const day = clock.dayOf(trade.closedMs);
  if (day !== last.day) {
    const date = dateOfDay(day);
    last = { day, date, month: date.slice(0, 7) };
  }
  return last;
}

/** Order of a dimension's keys: as declared if the dimension is ordered. */
export function orderOf(dimension: Dimension): (a: Key, b: Key) => number {
  const { keys, isOrdered } = factsOfDimension(dimension);
  if (!keys || !isOrdered) return compareKeys;
  const places = new Map(keys.map((key, i) => [key, i]));
  return (a, b) => (places.get(a) ?? places.size) - (places.get(b) ?? places.size);
}

/** Orders keys by code units, the same on every machine; null is last. */
export function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
