/** Parameters of figures: the unit to count, the sections and the rows. */

import { nearest } from '../errors.ts';
import { UNITS } from '../journal/analytics/closed-trades.ts';
import { type Clause, nameOfKey } from '../journal/analytics/condition.ts';
import {
  ALL_DIMENSIONS,
  type Dimension,
  factsOfDimension,
  type Key,
} from '../journal/analytics/dimensions.ts';
import {
  LONG_SECTIONS,
  type Question,
  SECTIONS,
  type Section,
} from '../journal/analytics/index.ts';
import {
  type Asked,
  between,
  CALENDAR_PERIODS,
  daysOfPeriod,
  isPeriod,
  lastDaysTo,
  MAX_DAYS,
  NUMBERED_PERIOD,
  periodOf,
  WHOLE_JOURNAL,
} from '../journal/analytics/period.ts';
import { isDate, type ZoneClock } from '../time.ts';
import { intervalOf, type Parameter, type Query, shown } from './parameter.ts';
import { invalidParameter } from './problem.ts';

// Parameters of the period: period, days and end of the compact summary; period, start and end of
// the analytics.

const DEFAULT_DAYS = 30;

const LENGTHS = '<n>d, <n>w, <n>m (30 days each) or <n>y up to and including today';
const NAMES = `a period of the calendar in the user's time zone, weeks from Monday: ${CALENDAR_PERIODS.join(', ')} (wtd, mtd, qtd and ytd are other names of this_week, this_month, this_quarter and this_year), or 2026, 2026-10, 2026-Q3, 2026-W47 (ISO 8601), 2026-11-20 as a whole`;

const periodParameter = (what: string): Parameter => ({
  name: 'period',
  description: `The period: ${LENGTHS}; ${NAMES}; ${what}`,
  schema: {
    type: 'string',
    anyOf: [
      { pattern: '^[1-9][0-9]*[dwmy]$' },
      { pattern: NUMBERED_PERIOD.source },
      { format: 'date' },
      { enum: [...CALENDAR_PERIODS, WHOLE_JOURNAL] },
    ],
  },
  example: 'last_month',
  validationError: (text) =>
    isPeriod(text)
      ? undefined
      : `must be a length such as 7d, 4w, 3m or 1y, a period such as 2026, 2026-10, 2026-Q3, 2026-W47 or 2026-11-20, or one of ${[...CALENDAR_PERIODS, WHOLE_JOURNAL].join(', ')}; got "${shown(text)}"`,
});

export const period = periodParameter('or all for the whole journal');
export const cappedPeriod = periodParameter(
  `or all. A period of more than ${MAX_DAYS} days is cut at its start, and capped is true`,
);

export const days: Parameter = {
  name: 'days',
  description: `Length of the period in days, up to and including today or end; at most ${MAX_DAYS}. Overrides period (default: ${DEFAULT_DAYS})`,
  schema: { type: 'number', minimum: 1, multipleOf: 1 },
  example: 30,
  validationError: (text) =>
    /^[1-9]\d*(\.0+)?$/.test(text)
      ? undefined
      : `must be a whole number of at least 1, such as 30; got "${shown(text)}"`,
};

export const lastDay: Parameter = {
  name: 'end',
  description: 'The last day of the period (default: today)',
  schema: { type: 'string', format: 'date' },
  example: '2026-10-31',
  validationError: (text) =>
    isDate(text) ? undefined : `must be a date, such as 2026-10-31; got "${shown(text)}"`,
};

/** @throws Problem for an end with a period of the calendar */
export function summaryPeriod(query: Query, clock: ZoneClock, now: number): Asked {
  const { days, period = `${DEFAULT_DAYS}d`, end } = query;
  const today = clock.dateOf(now);
  const length = days === undefined ? daysOfPeriod(period) : Number(days);
  if (length !== null) return lastDaysTo(clock, length, end ?? today, MAX_DAYS);
  if (end !== undefined) {
    throw invalidParameter(
      'end',
      `end needs a number of days, such as 30d; ${period} has its own end`,
    );
  }
  return periodOf(clock, period, today, MAX_DAYS) as Asked;
}

/** @throws Problem for a period with start or end, and for a start after the end */
export function analyticsPeriod(query: Query, clock: ZoneClock, now: number): Asked {
  const { period, start, end } = query;
  if (period === undefined) return between(clock, intervalOf(query, clock), now);
  if (start !== undefined || end !== undefined) {
    throw invalidParameter('period', 'send either period, or start and end, not both');
  }
  return periodOf(clock, period, clock.dateOf(now), null) as Asked;
}

// A condition on trades in JSON, checked dimension by dimension.

const MAX_CONDITION_LENGTH = 2000;
const MAX_CLAUSES = 5;

/** @returns the condition, or an error that follows its name */
function readCondition(text: string): Clause[] | string {
  if (text.length > MAX_CONDITION_LENGTH)
    return `must have at most ${MAX_CONDITION_LENGTH} characters`;
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return `must be JSON, such as {"weekday":5,"hour":[14,15]}; got "${shown(text)}"`;
  }
  const list = Array.isArray(sent) ? sent : [sent];
  if (list.length === 0 || list.length > MAX_CLAUSES)
    return `must be an object, or a list of 1 to ${MAX_CLAUSES} objects`;
  const clauses: Clause[] = [];
  for (const one of list) {
    const clause = clauseOf(one);
    if (typeof clause === 'string') return clause;
    clauses.push(clause);
  }
  return clauses;
}

function clauseOf(sent: unknown): Clause | string {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return 'must be an object of dimensions, such as {"weekday":5,"hour":[14,15]}, or a list of such objects';
  }
  const entries = Object.entries(sent);
  if (entries.length === 0) return 'must have at least one dimension, such as {"weekday":5}';
  const clause: Partial<Record<Dimension, readonly Key[]>> = {};
  for (const [name, value] of entries) {
    const dimension = ALL_DIMENSIONS.find((one) => one === name);
    if (!dimension) {
      const meant = nearest(name, ALL_DIMENSIONS);
      return `has no dimension "${shown(name)}"${meant ? `; did you mean ${meant}?` : '.'} It takes ${ALL_DIMENSIONS.join(', ')}`;
    }
    const keys: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = keysError(dimension, keys);
    if (wrong !== undefined) return wrong;
    clause[dimension] = keys as Key[];
  }
  return clause;
}

function keysError(dimension: Dimension, sent: readonly unknown[]): string | undefined {
  const { keys, form } = factsOfDimension(dimension);
  if (sent.length === 0) return `has no key for ${dimension}; add a key or remove the dimension`;
  if (sent.some((key) => typeof key === 'object' && key !== null)) {
    return `has keys of ${dimension} that are not texts, numbers, true, false or null`;
  }
  if (form) {
    const wrong = (sent as Key[]).find((key) => key !== null && !form.isKey(String(key)));
    if (wrong === undefined) return undefined;
    return `has no ${dimension} "${shown(String(wrong))}"; it takes one such as ${form.example}, or null`;
  }
  if (!keys) return undefined;
  const names = new Set(keys.map((key) => nameOfKey(dimension, key)));
  const unknown = (sent as Key[]).find(
    (key) => key !== null && !names.has(nameOfKey(dimension, key)),
  );
  if (unknown === undefined) return undefined;
  return `has no ${dimension} "${shown(String(unknown))}"; it takes ${keys.join(', ')} or null`;
}

export const unit: Parameter = {
  name: 'unit',
  description:
    'Unit to count: trade counts each trade, position counts the legs of a trade group as one trade that closes with its last leg. Filters then select positions with a matching leg, and count them whole',
  schema: { type: 'string', enum: UNITS, default: 'trade' },
  example: 'position',
  validationError: (text) =>
    (UNITS as readonly string[]).includes(text)
      ? undefined
      : `must be trade or position; got "${shown(text)}"`,
};

/** Names of sections. */
const PARTS = ['period', ...SECTIONS];

export const sections: Parameter = {
  name: 'sections',
  description: `Only these sections, separated by commas: ${SECTIONS.join(', ')}. period is always included. Default: all except ${LONG_SECTIONS.join(', ')}`,
  schema: namesSchema(PARTS),
  example: 'performance,mistakes',
  validationError: (text) => namesError(text, PARTS, PARTS.length),
};

export const groupBy: Parameter = {
  name: 'group_by',
  description: `Adds groups: rows of figures by one or two of these together, separated by a comma: ${ALL_DIMENSIONS.join(', ')}`,
  schema: namesSchema(ALL_DIMENSIONS),
  example: 'setup,weekday',
  validationError: (text) => namesError(text, ALL_DIMENSIONS, 2),
  reveals: (text) => revealedBy(text.split(',') as Dimension[]),
};

/** Kinds of data that keys of these dimensions reveal. */
function revealedBy(dimensions: readonly Dimension[]) {
  return dimensions.flatMap((dimension) => factsOfDimension(dimension).reveals ?? []);
}

const KEYS =
  'a JSON object of group_by dimensions, each with a key or a list of keys as in the rows of groups. All must match, labels in any letter case; null selects trades without a key. In a list of up to 5 such objects, any may match';

const condition = (name: string, what: string, example: string): Parameter => ({
  name,
  description: `${what}: ${KEYS}`,
  schema: { type: 'string', maxLength: MAX_CONDITION_LENGTH },
  example,
  validationError: (text) => {
    const read = readCondition(text);
    return typeof read === 'string' ? read : undefined;
  },
  reveals: (text) =>
    revealedBy((conditionOf(text) ?? []).flatMap((clause) => Object.keys(clause)) as Dimension[]),
  symbolsIn: (text) =>
    (conditionOf(text) ?? [])
      .flatMap(({ symbol = [], underlying = [] }) => [...symbol, ...underlying])
      .filter((key) => key !== null)
      .map(String),
});

export const where = condition(
  'where',
  'Only trades, or with unit=position positions, that meet a condition',
  '{"weekday":5,"hour":[14,15]}',
);

/** The same for lists. */
export const whereClosed = condition(
  'where',
  'Only closed trades that meet a condition, those that a row of groups counts',
  '{"weekday":5,"hour":[14,15]}',
);

export const exclude = condition(
  'exclude',
  'Takes the trades that meet a condition out of every section, and adds what_if: figures with and without them',
  '{"after":"losses"}',
);

const MAX_EXTREMES = 100;

const extremes = (name: string, which: string): Parameter => ({
  name,
  description: `Takes this number of trades out of every section, those with the ${which} net P&L after exclude, and adds what_if: figures with and without them; at most ${MAX_EXTREMES}`,
  schema: { type: 'integer', minimum: 1, maximum: MAX_EXTREMES },
  example: 5,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text) && Number(text) <= MAX_EXTREMES
      ? undefined
      : `must be a whole number from 1 to ${MAX_EXTREMES}, such as 5; got "${shown(text)}"`,
  reveals: () => ['money'],
});

export const best = extremes('best', 'highest');
export const worst = extremes('worst', 'lowest');

export const top: Parameter = {
  name: 'top',
  description:
    'Maximum rows in each breakdown and in groups; one more row, marked other, sums up the rest',
  schema: { type: 'integer', minimum: 1 },
  example: 5,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text)
      ? undefined
      : `must be a whole number of at least 1, such as 5; got "${shown(text)}"`,
};

export function unitOf(query: Query): (typeof UNITS)[number] {
  return query['unit'] === 'position' ? 'position' : 'trade';
}

/** Parameters that select sections, rows and conditions. */
type Parts = Pick<
  Question,
  'sections' | 'groupBy' | 'top' | 'where' | 'exclude' | 'best' | 'worst'
>;

/**
 * The rows and sections of a request. groups and what_if are included whenever their parameters are
 * given.
 * @throws Problem for groups without group_by, and for what_if without exclude, best or worst
 */
export function partsOf(query: Query): Parts {
  const groupBy = (query['group_by']?.split(',') ?? []) as Dimension[];
  const isWhatIf = ['exclude', 'best', 'worst'].some((name) => query[name] !== undefined);
  const named = query['sections']?.split(',').filter((name) => name !== 'period') as
    | Section[]
    | undefined;
  if (named?.includes('groups') && groupBy.length === 0) {
    throw invalidParameter('sections', 'groups needs group_by, such as group_by=setup');
  }
  if (named?.includes('what_if') && !isWhatIf) {
    throw invalidParameter('sections', 'what_if needs exclude, best or worst, such as best=5');
  }
  const unless: readonly Section[] = ['groups', 'what_if', ...(named ? [] : LONG_SECTIONS)];
  const wanted = (named ?? SECTIONS).filter((section) => !unless.includes(section));
  return {
    sections: [
      ...wanted,
      ...(groupBy.length > 0 ? (['groups'] as const) : []),
      ...(isWhatIf ? (['what_if'] as const) : []),
    ],
    groupBy,
    top: query['top'] === undefined ? null : Number(query['top']),
    where: conditionOf(query['where']),
    exclude: conditionOf(query['exclude']),
    best: Number(query['best'] ?? 0),
    worst: Number(query['worst'] ?? 0),
  };
}

/** The clauses of a valid condition; null without one. */
export function conditionOf(text: string | undefined): Clause[] | null {
  return text === undefined ? null : (readCondition(text) as Clause[]);
}

function namesSchema(names: readonly string[]) {
  return { type: 'string', pattern: `^(${names.join('|')})(,(${names.join('|')}))*$` };
}

function namesError(text: string, names: readonly string[], most: number): string | undefined {
  const given = text.split(',');
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names);
    return `has no "${shown(unknown)}"${meant ? `; did you mean ${meant}?` : '.'} It takes ${names.join(', ')}, separated by commas`;
  }
  if (new Set(given).size < given.length) return 'has a duplicate; name each once';
  return given.length > most ? `takes at most ${most} names` : undefined;
}
