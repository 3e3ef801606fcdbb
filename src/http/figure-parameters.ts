/** Parameters of figures: the unit to count, the sections, the rows, the period, conditions. */

import { nearest } from '../errors.ts';
import {
  type Bounds,
  type Clause,
  isBounds,
  type KeyOrBounds,
  nameOfKey,
} from '../journal/analytics/condition.ts';
import {
  ALL_DIMENSIONS,
  BY_FIELD,
  type Dimension,
  dimensionInCondition,
  dimensionNamed,
  FIELD_FORM,
  FIELD_PATTERN,
  factsOfDimension,
  ID,
  type Key,
} from '../journal/analytics/dimensions.ts';
import {
  LONG_SECTIONS,
  MOST_FIELDS_TESTED,
  type Question,
  SECTIONS,
  type Section,
} from '../journal/analytics/index.ts';
import { MISSED_GROUPS, type MissedGroup } from '../journal/analytics/missed.ts';
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
import { UNITS, type Unit } from '../journal/resource.ts';
import { NAME_RULE } from '../journal/trader-fields.ts';
import { isDate, weekdayNamed, type ZoneClock } from '../time.ts';
import { intervalOf, type Parameter, type Query, shown } from './parameter.ts';
import { invalidParameter } from './problem.ts';

export const unit: Parameter = {
  name: 'unit',
  description:
    'Unit to count: trade counts each trade, position counts the legs of a trade group as one ' +
    'trade that closes with its last leg. Filters then compare what belongs to the position as a ' +
    'whole (status, outcome, side, net P&L, quantity), and symbol, market, account and labels of ' +
    'any leg',
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
  description:
    `Only these sections, separated by commas: ${SECTIONS.join(', ')}. ` +
    `period is always included. Default: all except ${LONG_SECTIONS.join(', ')}`,
  schema: namesSchema(PARTS),
  example: 'performance,mistakes',
  validationError: (text) => namesError(text, PARTS, PARTS.length),
};

export const groupBy: Parameter = {
  name: 'group_by',
  description:
    'Adds groups: rows of figures by one or two of these together, separated by a comma: ' +
    `${ALL_DIMENSIONS.join(', ')}, ${FIELD_FORM} (${BY_FIELD})`,
  schema: namesSchema([...ALL_DIMENSIONS, FIELD_PATTERN]),
  example: 'setup,weekday',
  validationError(text) {
    const fields = text.split(',').filter((name) => name.startsWith('field:'));
    const wrong = fields.find((name) => dimensionNamed(name) === undefined);
    if (wrong !== undefined) return unknownDimension(wrong);
    const known = text.split(',').map((name) => dimensionNamed(name) ?? name);
    return namesError(
      known.join(','),
      [...ALL_DIMENSIONS, ...fields.map(named), FIELD_FORM],
      2,
    );
  },
  reveals: (text) => revealedBy(dimensionsIn(text)),
};

export const groupMissedBy: Parameter = {
  name: 'group_by',
  description: `Adds groups: rows by one or two of these together, separated by a comma: ${MISSED_GROUPS.join(', ')}`,
  schema: namesSchema(MISSED_GROUPS),
  example: 'miss_type',
  validationError: (text) => namesError(text, MISSED_GROUPS, 2),
};

export const missedGroupsOf = ({ group_by }: Query) =>
  (group_by?.split(',') ?? []) as MissedGroup[];

const named = (text: string) => dimensionNamed(text) as Dimension;

const dimensionsIn = (text: string) => text.split(',').map(named);

const MAX_EXTREMES = 100;

const extremes = (name: string, which: string): Parameter => ({
  name,
  description:
    `Takes this number of trades out of every section, those with the ${which} net P&L after ` +
    `exclude, and adds what_if: figures with and without them; at most ${MAX_EXTREMES}`,
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

export const leaks: Parameter = {
  name: 'leaks',
  description: `fields: adds leaks, which then also tests the ${MOST_FIELDS_TESTED} most used fields of the trader's own; more rows are tried, so a row has to differ more`,
  schema: { type: 'string', enum: ['fields'] },
  example: 'fields',
  validationError: (text) =>
    text === 'fields' ? undefined : `must be fields; got "${shown(text)}"`,
  reveals: () => ['text'],
};

export function unitOf(query: Query): Unit {
  return query['unit'] === 'position' ? 'position' : 'trade';
}

/** Parameters that select sections, rows and conditions. */
type Parts = Pick<
  Question,
  'sections' | 'groupBy' | 'leaksFields' | 'top' | 'where' | 'exclude' | 'best' | 'worst'
>;

/**
 * The rows and sections of a request. groups and what_if are included whenever their
 * parameters are given.
 * @throws Problem for groups without group_by, and for what_if without exclude, best or
 * worst
 */
export function partsOf(query: Query): Parts {
  const groupBy = query['group_by'] === undefined ? [] : dimensionsIn(query['group_by']);
  const isWhatIf = ['exclude', 'best', 'worst'].some((name) => query[name] !== undefined);
  const named = query['sections']?.split(',').filter((name) => name !== 'period') as
    | Section[]
    | undefined;
  if (named?.includes('groups') && groupBy.length === 0) {
    throw invalidParameter('sections', 'groups needs group_by, such as group_by=setup');
  }
  if (named?.includes('what_if') && !isWhatIf) {
    throw invalidParameter(
      'sections',
      'what_if needs exclude, best or worst, such as best=5',
    );
  }

  const leaksFields = query['leaks'] === 'fields';
  const unless: readonly Section[] = [
    'groups',
    'what_if',
    ...(leaksFields ? (['leaks'] as const) : []),
    ...(named ? [] : LONG_SECTIONS),
  ];
  const wanted = (named ?? SECTIONS).filter((section) => !unless.includes(section));

  return {
    sections: [
      ...wanted,
      ...(groupBy.length > 0 ? (['groups'] as const) : []),
      ...(isWhatIf ? (['what_if'] as const) : []),
      ...(leaksFields ? (['leaks'] as const) : []),
    ],
    groupBy,
    leaksFields,
    top: query['top'] === undefined ? null : Number(query['top']),
    where: conditionOf(query['where']),
    exclude: conditionOf(query['exclude']),
    best: Number(query['best'] ?? 0),
    worst: Number(query['worst'] ?? 0),
  };
}

function namesSchema(names: readonly string[]) {
  return { type: 'string', pattern: `^(${names.join('|')})(,(${names.join('|')}))*$` };
}

function namesError(
  text: string,
  names: readonly string[],
  most: number,
): string | undefined {
  const given = text.split(',');
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names);
    const advice = meant ? `; did you mean ${meant}?` : '.';
    return `has no "${shown(unknown)}"${advice} It takes ${names.join(', ')}, separated by commas`;
  }
  if (new Set(given).size < given.length) return 'has a duplicate; name each once';

  return given.length > most ? `takes at most ${most} names` : undefined;
}

// The period: period, days and end of the compact summary; period, start and end of the
// analytics.

const DEFAULT_DAYS = 30;

const LENGTHS = '<n>d, <n>w, <n>m (30 days each) or <n>y up to and including today';
const NAMES =
  `a period of the calendar in the user's time zone, weeks from Monday: ` +
  `${CALENDAR_PERIODS.join(', ')} (wtd, mtd, qtd and ytd are other names of this_week, ` +
  'this_month, this_quarter and this_year), or 2026, 2026-10, 2026-Q3, 2026-W47 (ISO 8601), ' +
  '2026-11-20 as a whole';

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
      : 'must be a length such as 7d, 4w, 3m or 1y, ' +
        'a period such as 2026, 2026-10, 2026-Q3, 2026-W47 or 2026-11-20, ' +
        `or one of ${[...CALENDAR_PERIODS, WHOLE_JOURNAL].join(', ')}; got "${shown(text)}"`,
});

export const period = periodParameter('or all for the whole journal');
export const cappedPeriod = periodParameter(
  `or all. A period of more than ${MAX_DAYS} days is cut at its start, and capped is true`,
);

export const days: Parameter = {
  name: 'days',
  description:
    'Length of the period in days, up to and including today or end; ' +
    `at most ${MAX_DAYS}. Overrides period (default: ${DEFAULT_DAYS})`,
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

// Conditions on trades in JSON, checked dimension by dimension.

const MAX_CONDITION_LENGTH = 2000;
export const MAX_CLAUSES = 5;

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
  for (const item of list) {
    const clause = clauseOf(item);
    if (typeof clause === 'string') return clause;
    clauses.push(clause);
  }

  return clauses;
}

function clauseOf(sent: unknown): Clause | string {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return (
      'must be an object of dimensions, such as {"weekday":5,"hour":[14,15]}, ' +
      'or a list of such objects'
    );
  }

  const entries = Object.entries(sent);
  if (entries.length === 0)
    return 'must have at least one dimension, such as {"weekday":5}';

  const clause: Partial<Record<Dimension, readonly KeyOrBounds[]>> = {};
  for (const [name, value] of entries) {
    const dimension = dimensionInCondition(name);
    if (!dimension) return unknownDimension(name);
    const keys: unknown[] = [value].flat().map((key) => keyNamed(dimension, key));
    const wrong = keysError(dimension, keys);
    if (wrong !== undefined) return wrong;
    if (clause[dimension]) return `has ${dimension} twice; keep one`;
    clause[dimension] = keys as KeyOrBounds[];
  }

  return clause;
}

/** The key that a name stands for: weekdays have names, too. */
function keyNamed(dimension: Dimension, key: unknown): unknown {
  if (dimension !== 'weekday' || typeof key !== 'string') return key;
  return weekdayNamed(key) ?? key;
}

function unknownDimension(name: string): string {
  if (name.startsWith('field:'))
    return `has no dimension "${shown(name)}": a field ${NAME_RULE}`;

  const meant = nearest(name, ALL_DIMENSIONS);
  const advice = meant ? `; did you mean ${meant}?` : '.';
  return `has no dimension "${shown(name)}"${advice} ${knownDimensions()}`;
}

function knownDimensions(): string {
  return (
    `It takes ${ALL_DIMENSIONS.join(', ')}. ` +
    `It also takes ${ID} for single trades, and ${FIELD_FORM} for a field of the trader's own`
  );
}

/** What is wrong with the keys of a dimension; undefined if nothing is. */
function keysError(dimension: Dimension, sent: readonly unknown[]): string | undefined {
  const { keys, form, fieldValueOf } = factsOfDimension(dimension);
  if (sent.length === 0)
    return `has no key for ${dimension}; add a key or remove the dimension`;
  const bounds = sent.filter(isBounds);
  if (fieldValueOf && bounds.length > 0) {
    if (!bounds.every(areBounds))
      return `has bounds of ${dimension} that are not {"min": number, "max": number}, or one of them`;
    return keysError(
      dimension,
      sent.map((key) => (isBounds(key) ? 0 : key)),
    );
  }
  if (bounds.length > 0) {
    return `has keys of ${dimension} that are not texts, numbers, true, false or null`;
  }

  const names = new Set(keys?.map((key) => nameOfKey(dimension, key)));
  const isKey = (key: Key) => {
    if (key === null) return true;
    if (form) return form.isKey(String(key));
    return keys === undefined || names.has(nameOfKey(dimension, key));
  };

  const wrong = (sent as Key[]).find((key) => !isKey(key));
  if (wrong === undefined) return undefined;

  const choices = form ? `one such as ${form.example},` : (keys ?? []).join(', ');
  return `has no ${dimension} "${shown(String(wrong))}"; it takes ${choices} or null`;
}

function areBounds(bounds: Bounds): boolean {
  const entries = Object.entries(bounds);
  return (
    entries.length > 0 &&
    entries.every(
      ([name, value]) => (name === 'min' || name === 'max') && Number.isFinite(value),
    )
  );
}

/** Kinds of data that keys of these dimensions reveal. */
function revealedBy(dimensions: readonly Dimension[]) {
  return dimensions.flatMap((dimension) => factsOfDimension(dimension).reveals ?? []);
}

const KEYS =
  'a JSON object of group_by dimensions, each with a key or a list of keys as in the rows of ' +
  'groups; of a field also numbers from one to another: {"field:vix":{"min":15,"max":20}}; ' +
  'and of ids of the trades, or positions: {"id":["t1","t2"]}. ' +
  'All must match, labels in any letter case; null selects trades without a key. ' +
  `In a list of up to ${MAX_CLAUSES} such objects, any may match`;

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
    revealedBy(
      (conditionOf(text) ?? []).flatMap((clause) => Object.keys(clause)) as Dimension[],
    ),
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
  'Takes the trades that meet a condition out of every section, and adds what_if: ' +
    'figures with and without them',
  '{"after":"losses"}',
);

/** The clauses of a valid condition; null without one. */
export function conditionOf(text: string | undefined): Clause[] | null {
  return text === undefined ? null : (readCondition(text) as Clause[]);
}
