/** Dimensions of breakdowns, and the keys of a trade in each. */
import { roundRatio } from '../../money.ts';
import { dateOfDay, isDate, startOfUnit, weekdayOf, type ZoneClock } from '../../time.ts';
import { CURRENCY_PATTERN } from '../fields.ts';
import { MARKETS, type Outcome } from '../resource.ts';
import { POSITION_SIDES } from '../resources/positions.ts';
import { fieldName, type TraderValue, valueIn } from '../trader-fields.ts';
import {
  type ClosedTrade,
  type Column,
  DAY_RESULTS,
  type Sequence,
  type SessionFacts,
  type TraderDimension,
} from './closed-trade.ts';
import { uniqueLabels } from './trade-rows.ts';

export type Key = string | number | boolean | null;
type KeyOf = (trade: ClosedTrade, clock: ZoneClock) => Key | readonly Key[];

interface DimensionFacts {
  /** Description of the dimension. */
  by: string;
  /** Key of a trade; several if it counts in several rows. */
  keyOf: KeyOf;
  /**
   * The number or text that the key of a trade follows from, if conditions may bound it.
   */
  fieldValueOf?: (trade: ClosedTrade) => TraderValue | null;
  /**
   * Required columns and parts of a trade's context, besides net P&L, R and the time of
   * closing.
   */
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
  /** Keys are labels that may be written in knowledge of the trade's result. */
  isHindsight?: true;
  /**
   * Keys follow from the results of the same day, so only shuffling within days can test
   * them.
   */
  isByResults?: true;
  /**
   * Keys follow from the result of the trade itself, or from later trades, so no test
   * applies.
   */
  isOfItself?: true;
  /**
   * Keys follow from the close of the trade, as those with the time of closing: an open
   * one has none.
   */
  isByClose?: true;
  /** The kind of data that its keys reveal, if a key may hide it. */
  reveals?: 'text';
  /** Keys are times or days, or follow from those, of the entry or of the closing. */
  time?: 'entry' | 'closing';
  /**
   * A trader can't act on its keys: known only after the end, a date, or a name of single
   * trades.
   */
  isActionable?: false;
}

/**
 * Keys of values below each limit and not below the previous one; the last limit is
 * included. The last key is for all others.
 */
interface Steps {
  limits: readonly number[];
  keys: readonly string[];
}

const HOLDING: Steps = {
  limits: [60, 300, 900, 3600, 14_400, 86_400, 604_800],
  keys: [
    'under_1m',
    '1m_to_5m',
    '5m_to_15m',
    '15m_to_1h',
    '1h_to_4h',
    '4h_to_1d',
    '1d_to_1w',
    'over_1w',
  ],
};
const MINUTE = 60_000;
const LAST_GAP = 120 * MINUTE;
const SINCE_LOSS: Steps = {
  limits: [10 * MINUTE, 15 * MINUTE, 30 * MINUTE, LAST_GAP],
  keys: ['under_10m', '10m_to_15m', '15m_to_30m', '30m_to_2h', 'over_2h'],
};
/** The largest time of each step of since_loss: closes are in whole milliseconds. */
export const GAPS: readonly number[] = [
  ...SINCE_LOSS.limits.map((limit) => (limit === LAST_GAP ? limit : limit - 1)),
  Number.MAX_VALUE,
  Infinity,
];
const SIZES: Steps = {
  limits: [0.5, 1.5, 3],
  keys: ['under_half', 'half_to_1.5x', '1.5x_to_3x', 'over_3x'],
};
const SLEEP: Steps = {
  limits: [6, 7, 8],
  keys: ['under_6h', '6h_to_7h', '7h_to_8h', 'over_8h'],
};

const STEP_R = 0.5;
/** Values beyond, in either direction, share one step. */
const MOST_R = 5;
const LIMITS_OF_R = Array.from(
  { length: (2 * MOST_R) / STEP_R + 1 },
  (_, i) => i * STEP_R - MOST_R,
);
const R: Steps = {
  limits: LIMITS_OF_R,
  keys: [
    `under_${-MOST_R}`,
    ...LIMITS_OF_R.slice(1).map((limit) => `${limit - STEP_R}_to_${limit}`),
    `over_${MOST_R}`,
  ],
};

const BEST_FIRST = ['win', 'breakeven', 'loss'] satisfies Outcome[];
const AFTER = ['none', ...BEST_FIRST, 'losses'];
const STREAKS = [
  'losses_3+',
  'losses_2',
  'losses_1',
  'none',
  'wins_1',
  'wins_2',
  'wins_3+',
];
const LOSSES_TODAY = ['0', '1', '2', '3+'];
/** Trades from here on share a key. */
const MOST_OF_DAY = 10;
const OF_DAY = Array.from(
  { length: MOST_OF_DAY },
  (_, i) => `${i + 1}${i + 1 === MOST_OF_DAY ? '+' : ''}`,
);
/** Each for as many trades of a day; the last for all others. */
const TRADES_OF_KEY = 3;
const TRADES_THAT_DAY = ['1_to_3', '4_to_6', '7_to_9', '10+'];
const COLOURS = ['green', 'red', 'flat', 'none'];
const HELD_OVER = ['none', 'night', 'weekend'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const RATINGS = [1, 2, 3, 4, 5];

const by = (by: string, keyOf: KeyOf, ...columns: Column[]) =>
  ({ by, keyOf, columns }) satisfies DimensionFacts;

const byLabel = (...facts: Parameters<typeof by>): DimensionFacts => ({
  ...by(...facts),
  isLabel: true,
});

const byHindsight = (...facts: Parameters<typeof by>): DimensionFacts => ({
  ...byLabel(...facts),
  isHindsight: true,
});

/** By one of these keys, in their order. */
const byOrdered = (
  keys: readonly Key[],
  ...facts: Parameters<typeof by>
): DimensionFacts => ({
  ...by(...facts),
  keys,
  isOrdered: true,
});

let last = { day: 0, date: '1970-01-01' };

/** Trades arrive in the order of closing, so the same day occurs many times in a row. */
function dateOf(day: number): string {
  if (day !== last.day) last = { day, date: dateOfDay(day) };
  return last.date;
}

/** By the time of entry, in the order of its keys. */
const byEntry = (...facts: Parameters<typeof byOrdered>): DimensionFacts => ({
  ...byOrdered(...facts),
  time: 'entry',
});

/** By what is known only at the end of the trade. */
const byEnd = (...facts: Parameters<typeof byOrdered>): DimensionFacts => ({
  ...byOrdered(...facts),
  isActionable: false,
});

/** By a form of the day of closing. */
const byDate = (
  text: string,
  example: string,
  keyOf: (day: number) => string,
  isKey: (text: string) => boolean,
) => ({
  ...by(`${text}: ${example}`, ({ day }) => keyOf(day)),
  form: { isKey, example },
  isOrdered: true as const,
  time: 'closing' as const,
  isActionable: false as const,
});

/** By earlier trades of its account. */
const bySequence = (
  text: string,
  keys: readonly Key[],
  keyOf: (sequence: Sequence) => Key,
) => ({
  ...by(
    text,
    ({ context }) => keyOf(context.sequence as Sequence),
    'entered',
    'group',
    'sequence',
  ),
  keys,
  time: 'entry' as const,
});

const byResults = (...facts: Parameters<typeof bySequence>): DimensionFacts => ({
  ...bySequence(...facts),
  isOrdered: true,
  isByResults: true,
});

/** By the sessions of the day of entry. */
const bySession = (text: string, keyOf: (session: SessionFacts) => Key) => ({
  ...by(
    text,
    ({ context }) => keyOf(context.session as SessionFacts),
    'entered',
    'session',
  ),
  time: 'entry' as const,
});

const DIMENSIONS = {
  symbol: byLabel('By symbol', (trade) => trade.symbol, 'symbol'),
  underlying: byLabel(
    'By underlying, or by symbol without one',
    (trade) => trade.underlying,
    ...(['symbol', 'underlying'] as const),
  ),
  market: { ...by('By market', (trade) => trade.market, 'market'), keys: MARKETS },
  side: {
    ...by(
      'By side; of a position with options, credit or debit by the cash of its opening',
      (trade) => trade.side,
      'side',
    ),
    keys: POSITION_SIDES,
  },
  setup: byLabel('By setup', (trade) => trade.setup, 'setup'),
  tag: byHindsight(
    'By tag; a trade with two tags counts in two rows',
    (trade) => trade.tags,
    'tags',
  ),
  mistake: byHindsight(
    'By mistake of the trade or of its journal entries; a trade with two mistakes counts in two rows',
    (trade) => trade.mistakes,
    ...(['mistakes', 'entries'] as const),
  ),
  weekday: byEntry(
    [1, 2, 3, 4, 5, 6, 7],
    "By weekday of entry, in the user's time zone: 1 Monday to 7 Sunday",
    (trade, clock) => weekdayOf(clock.dayOf(trade.enteredMs)),
    'entered',
  ),
  hour: byEntry(
    HOURS,
    "By hour of entry, in the user's time zone: 0 to 23",
    (trade, clock) => clock.hourOf(trade.enteredMs),
    'entered',
  ),
  account: byLabel('By account', (trade) => trade.account, 'account'),
  holding_time: {
    ...by(
      `By holding time, lower bound included, over_1w excluding 1 week: ${HOLDING.keys.join(', ')}`,
      (trade) => stepOf(HOLDING, (trade.closedMs - trade.enteredMs) / 1000),
      'entered',
    ),
    keys: HOLDING.keys,
    isActionable: false,
    isByClose: true,
  },
  r_multiple: {
    ...by(
      `By R in steps of half an R, lower bound included, over_${MOST_R} excluding it: ${R.keys.slice(0, 2).join(', ')} ... ${R.keys.at(-1)}`,
      ({ r }) => stepOf(R, r),
      'risk',
    ),
    keys: R.keys,
    isActionable: false,
    isByClose: true,
  },
  month: byDate(
    "By month of closing, in the user's time zone",
    '2026-11',
    (day) => dateOf(day).slice(0, 7),
    (text) => isDate(`${text}-01`),
  ),
  day: byDate('By day of closing', '2026-11-20', dateOf, isDate),
  entry_day: {
    ...byDate("By day of entry, in the user's time zone", '2026-11-20', dateOf, isDate),
    keyOf: ({ enteredMs }, clock) => dateOf(clock.dayOf(enteredMs)),
    columns: ['entered'],
    time: 'entry',
  },
  week: byDate(
    'By week of closing, named after its Monday',
    '2026-11-16',
    (day) => dateOf(day + 1 - weekdayOf(day)),
    (text) => isDate(text) && startOfUnit(text, 'week') === text,
  ),
  quarter: byDate(
    'By quarter of closing',
    '2026-Q4',
    (day) =>
      `${dateOf(day).slice(0, 4)}-Q${Math.ceil(Number(dateOf(day).slice(5, 7)) / 3)}`,
    (text) => /^\d{4}-Q[1-4]$/i.test(text),
  ),
  year: byDate(
    'By year of closing',
    '2026',
    (day) => dateOf(day).slice(0, 4),
    (text) => /^\d{4}$/.test(text),
  ),
  rating: byEnd(RATINGS, 'By rating, 1 to 5', (trade) => trade.rating, 'rating'),
  group: {
    ...by('By trade group, by its id', (trade) => trade.groupId, 'group'),
    isId: true,
    isActionable: false,
  },
  after: byResults(
    `By the outcome of the trade of the same account closed last on the day of this entry, before it: ${AFTER.join(', ')} (two or more in a row)`,
    AFTER,
    ({ run }) => {
      if (Number.isNaN(run)) return 'none';
      if (run > 0) return 'win';
      if (run === 0) return 'breakeven';
      return run === -1 ? 'loss' : 'losses';
    },
  ),
  since_loss: byResults(
    `By the time from the last close of a loss in the same account on the day of this entry to it, lower bound included, over_2h excluding 2 hours: ${SINCE_LOSS.keys.join(', ')}; null without such a loss`,
    SINCE_LOSS.keys,
    ({ sinceLoss }) => stepOf(SINCE_LOSS, sinceLoss === Infinity ? null : sinceLoss),
  ),
  streak: byResults(
    `By the run of trades of the same account closed on the day of this entry, before it: ${STREAKS.join(', ')}`,
    STREAKS,
    ({ run }) => STREAKS[3 + Math.max(-3, Math.min(3, run || 0))] as string,
  ),
  losses_today: byResults(
    `By the number of losses in the same account closed on the day of this entry, before it: ${LOSSES_TODAY.join(', ')}`,
    LOSSES_TODAY,
    ({ losses }) => LOSSES_TODAY[Math.min(losses, 3)] as string,
  ),
  day_result: byResults(
    `By the net P&L of the trades of the same account closed on the day of this entry, before it: ${DAY_RESULTS.join(', ')} (first: none closed; flat: within the breakeven tolerance)`,
    DAY_RESULTS,
    ({ dayResult }) => dayResult,
  ),
  first_trade: {
    ...bySequence(
      `By the outcome of the first trade of the same account closed on the day of this entry, for every trade of the day, itself included: ${BEST_FIRST.join(', ')}; null if none closed on it`,
      BEST_FIRST,
      ({ first }) => first,
    ),
    isOfItself: true,
    isActionable: false,
  },
  after_day: bySequence(
    `By the net P&L of the previous day on which the same account closed a trade: ${COLOURS.join(', ')}`,
    COLOURS,
    ({ dayBefore }) => dayBefore,
  ),
  trade_of_day: {
    ...bySequence(
      `By number of the trade in its day and account, in the order of entry, open trades included: 1 ... ${OF_DAY.at(-1)}`,
      OF_DAY,
      ({ tradeOfDay }) => OF_DAY[Math.min(tradeOfDay, MOST_OF_DAY) - 1] as string,
    ),
    isOrdered: true,
  },
  trades_that_day: {
    ...bySequence(
      `By number of trades entered on the day in the same account, later and open ones included: ${TRADES_THAT_DAY.join(', ')}`,
      TRADES_THAT_DAY,
      ({ tradesThatDay }) =>
        TRADES_THAT_DAY[
          Math.min(Math.floor((tradesThatDay - 1) / TRADES_OF_KEY), 3)
        ] as string,
    ),
    isOrdered: true,
    isOfItself: true,
    isActionable: false,
  },
  size: byOrdered(
    SIZES.keys,
    `By quantity over the median quantity of all closed trades of its account and underlying, lower bound included, over_3x excluding 3 times: ${SIZES.keys.join(', ')}; null for several legs`,
    ({ context: { size } }) => stepOf(SIZES, size),
    ...(['quantity', 'account', 'symbol', 'underlying', 'entered', 'size'] as const),
  ),
  emotion: byHindsight(
    'By emotion in its journal entries; a trade with two emotions counts in two rows, and null is for trades without any',
    ({ emotions }) => (emotions.length === 0 ? null : emotions),
    'entries',
  ),
  rule: byHindsight(
    'By answered rule in its journal entries, "{rule}: kept" or "{rule}: broken"; a trade with two rules counts in two rows',
    rulesOf,
    'entries',
  ),
  followed_plan: {
    ...by(
      'By followed_plan of its journal entries: false if any entry has false, null if unanswered',
      (trade) => trade.followedPlan,
      'entries',
    ),
    keys: [true, false],
  },
  mood: {
    ...bySession(
      'By mood of the day of entry, from its first session with one',
      ({ mood }) => mood,
    ),
    isLabel: true,
  },
  energy: {
    ...bySession(
      'By energy of the day of entry, 1 to 5, from its first session with a value',
      ({ energy }) => energy,
    ),
    keys: RATINGS,
    isOrdered: true,
  },
  sleep: {
    ...bySession(
      `By hours slept, from the first session of the day of entry with a value, lower bound included, over_8h excluding 8 hours: ${SLEEP.keys.join(', ')}`,
      ({ sleepHours }) => stepOf(SLEEP, sleepHours),
    ),
    keys: SLEEP.keys,
    isOrdered: true,
  },
  day_plan: {
    ...bySession(
      'By whether the plan of the day of entry was followed, from the first session whose review answers it',
      ({ followedPlan }) => followedPlan,
    ),
    keys: [true, false],
  },
  condition: {
    ...bySession(
      'By market condition of the day of entry, from its first session with one',
      ({ condition }) => condition,
    ),
    isLabel: true,
    reveals: 'text',
  },
  bias: {
    ...bySession(
      'By bias of the day of entry, from its first session with one',
      ({ bias }) => bias,
    ),
    isLabel: true,
    reveals: 'text',
  },
  confidence: byOrdered(
    RATINGS,
    'By confidence of its journal entries, 1 to 5; a trade with two values counts in two rows',
    (trade) => trade.confidence,
    'entries',
  ),
  timeframe: byLabel('By timeframe', (trade) => trade.timeframe, 'timeframe'),
  close_hour: {
    ...byEnd(
      HOURS,
      "By hour of closing, in the user's time zone: 0 to 23",
      (trade, clock) => clock.hourOf(trade.closedMs),
    ),
    time: 'closing',
  },
  held_over: {
    ...byEnd(
      HELD_OVER,
      `By what lies between entry and closing: ${HELD_OVER.join(', ')} (a Saturday between the two days)`,
      (trade, clock) => heldOver(clock.dayOf(trade.enteredMs), trade.day),
      'entered',
    ),
    isByClose: true,
  },
  strategy: byLabel(
    'By strategy of the trade group',
    (trade) => trade.strategy,
    'group',
    'strategy',
  ),
  currency: {
    ...by(
      'By currency of the trade, with net_pnl_native in that currency; null if the legs of a position have several',
      (trade) => trade.currency,
    ),
    form: { isKey: (text) => CURRENCY_PATTERN.test(text.toUpperCase()), example: 'USD' },
  },
} satisfies Record<string, DimensionFacts>;

type KnownDimension = keyof typeof DIMENSIONS;

export type Dimension = KnownDimension | TraderDimension | typeof ID;

/** Only conditions take it. */
export const ID = 'id';

export const dimensionInCondition = (text: string) =>
  text === ID ? ID : dimensionNamed(text);

const BY_ID: DimensionFacts = { by: 'By id', keyOf: ({ unitId }) => unitId, isId: true };

const FIELD = 'field:';

/** All but those by fields that the trader named. */
export const ALL_DIMENSIONS = Object.keys(DIMENSIONS) as KnownDimension[];

/** For descriptions: the form of a dimension by a field that the trader named. */
export const FIELD_FORM = `${FIELD}NAME`;

/** For JSON Schema. */
export const FIELD_PATTERN = `${FIELD}[^,]{1,40}`;

export function factsOfDimension(dimension: Dimension): DimensionFacts {
  if (dimension === ID) return BY_ID;
  return isOfField(dimension) ? factsOfField(dimension) : DIMENSIONS[dimension];
}

function isOfField(dimension: string): dimension is TraderDimension {
  return dimension.startsWith(FIELD);
}

/** The dimension that a text names; undefined if none. */
export function dimensionNamed(text: string): Dimension | undefined {
  if (isOfField(text)) {
    const name = fieldName(nameOfField(text));
    return name === undefined ? undefined : `${FIELD}${name}`;
  }
  return ALL_DIMENSIONS.find((known) => known === text);
}

export const dimensionOfField = (name: string): TraderDimension => `${FIELD}${name}`;

/** The name of the field of a dimension. */
export const nameOfField = (dimension: TraderDimension) => dimension.slice(FIELD.length);

const MOST_NUMBERS = 12;
export const BY_FIELD = `By a field of the trader's own: the value of the trade, else of its group, else of the first session of the day of entry with one; more than ${MOST_NUMBERS} different numbers by quartile of all closed trades, lower bound included: under_A, A_to_B, B_to_C, from_C`;

function factsOfField(dimension: TraderDimension): DimensionFacts {
  const name = nameOfField(dimension);

  const fieldValueOf = ({ fields, context }: ClosedTrade): TraderValue | null => {
    // Null if the legs of a position differ.
    if (Object.hasOwn(fields, name)) return valueIn(fields, name);
    return valueIn((context.session as SessionFacts).fields, name);
  };

  return {
    by: BY_FIELD,
    keyOf(trade) {
      const value = fieldValueOf(trade);
      const bounds = trade.context.quartiles?.get(name);
      return bounds && typeof value === 'number' ? quarterOf(bounds, value) : value;
    },
    fieldValueOf,
    columns: ['fields', 'group', 'entered', 'session', 'quartiles', dimension],
    isLabel: true,
    reveals: 'text',
    time: 'entry',
  };
}

/**
 * The bounds between the quarters of numbers: values of a quarter, a half and three
 * quarters of the way through them. Undefined if few differ.
 */
export function quartilesOf(numbers: readonly number[]): readonly number[] | undefined {
  if (new Set(numbers).size <= MOST_NUMBERS) return undefined;

  const ordered = Float64Array.from(numbers).sort();
  const bounds = [1, 2, 3].map(
    (part) => ordered[Math.floor((part * ordered.length) / 4)],
  );
  return [...new Set(bounds as number[])];
}

function quarterOf(bounds: readonly number[], value: number): string {
  const above = bounds.findIndex((bound) => value < bound);
  if (above === 0) return `under_${bounds[0]}`;
  return above === -1
    ? `from_${bounds.at(-1)}`
    : `${bounds[above - 1]}_to_${bounds[above]}`;
}

function stepOf({ limits, keys }: Steps, value: number | null): string | null {
  if (value === null) return null;

  // 0.15 over 0.1 is 1.5, and a loss of exactly 1 R is in the step from -1, despite binary
  // fractions.
  const rounded = Number.isFinite(value) ? roundRatio(value) : value;
  const last = limits.length - 1;
  return keys.at(
    limits.findIndex((limit, i) => rounded < limit || (i === last && rounded === limit)),
  ) as string;
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
  return uniqueLabels(
    answers.map(({ rule, followed }) => `${rule}: ${followed ? 'kept' : 'broken'}`),
  );
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
  // A field of the trader's may have both: numbers first.
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : 1;
}
