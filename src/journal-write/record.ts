/**
 * A record to write: its fields in SQL and in memory, defaults for omitted ones, and what
 * is wrong with it in plain words.
 */
import Database from 'better-sqlite3';
import * as z from 'zod';
import { quote, RowError, RowErrors, UserError, valueAt } from '../errors.ts';
import {
  CURRENCY_PATTERN,
  factsIfAny,
  factsOf,
  ID_PATTERN,
  isNamed,
  type Kind,
  maskNumbers,
  YEARS,
} from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import type { execution } from '../journal/resources/trades.ts';
import { addressOf, FROM_SQL } from '../journal/stored-value.ts';
import { normalFields } from '../journal/trader-fields.ts';
import { roundMoney, roundRatio } from '../money.ts';
import { lacksOffset, parseInstant, parseLocal, toInstantText } from '../time.ts';

// Normalises values: instants in UTC with milliseconds, money and ratios rounded as in
// the API, objects with all members in the declared order. Equal values written
// differently are then recognised as equal.

/**
 * @param timeZone for times without an offset; undefined: they are rejected
 * @param path for error messages
 */
type Normalise = (value: unknown, timeZone: string | undefined, path: string) => unknown;

const CANONICAL_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * The function that normalises a field's values; undefined if none is needed. Wrong types
 * pass unchanged.
 */
export function normaliserOf(schema: z.core.$ZodType): Normalise | undefined {
  if (schema instanceof z.ZodNullable) return normaliserOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return listNormaliser(schema.element);
  if (schema instanceof z.ZodObject) return objectNormaliser(schema);
  if (factsIfAny(schema)?.isAddress) return address;
  if (factsIfAny(schema)?.isMasked) return masked;
  if (isNamed(schema)) return namedFields;
  // Members of a list of strings aren't fields.
  return schema instanceof z.ZodString ? storable : BY_KIND[factsOf(schema).kind];
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

const BY_KIND: Partial<Record<Kind, Normalise>> = {
  instant: instantText,
  money: (value) => (isFiniteNumber(value) ? roundMoney(value) : value),
  ratio: (value) => (isFiniteNumber(value) ? roundRatio(value) : value),
  number: withoutNegativeZero,
  integer: withoutNegativeZero,
  text: storable,
};

function instantText(
  value: unknown,
  timeZone: string | undefined,
  path: string,
): unknown {
  if (typeof value !== 'string' || CANONICAL_INSTANT.test(value)) return value;
  if (lacksOffset(value)) {
    if (timeZone === undefined) {
      throw new RowError(
        path,
        `needs an offset, as in ${value}Z or ${value}-05:00; ` +
          "or pass the file's time zone with --timezone",
      );
    }
    return canonical(parseLocal(value, timeZone), value, path);
  }

  return canonical(parseInstant(value), value, path);
}

/** The instant's text; an invalid time passes unchanged, so that the check quotes it. */
function canonical(instant: number | undefined, value: string, path: string): string {
  if (instant === undefined) return value;
  const text = toInstantText(instant);
  if (CANONICAL_INSTANT.test(text)) return text;
  throw new RowError(path, `${YEARS}; got ${quote(value)}`);
}

function withoutNegativeZero(value: unknown): unknown {
  return value === 0 ? 0 : value;
}

/** Text unchanged, unless SQLite couldn't return it as it is. */
export function storable(
  value: unknown,
  _timeZone: string | undefined,
  path: string,
): unknown {
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) {
    throw new RowError(
      path,
      'must be text without NUL characters or halves of characters',
    );
  }
  return value;
}

function masked(value: unknown, timeZone: string | undefined, path: string): unknown {
  const text = storable(value, timeZone, path);
  return typeof text === 'string' ? maskNumbers(text) : text;
}

function namedFields(value: unknown): unknown {
  if (value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? normalFields(value) : value;
}

function address(value: unknown, timeZone: string | undefined, path: string): unknown {
  const text = storable(value, timeZone, path);
  return typeof text === 'string' ? (addressOf(text) ?? text) : text;
}

function listNormaliser(element: z.core.$ZodType): Normalise | undefined {
  const each = normaliserOf(element);
  return (
    each &&
    ((value, timeZone, path) =>
      Array.isArray(value)
        ? value.map((item, index) => each(item, timeZone, `${path}[${index}]`))
        : value)
  );
}

/** A member of an object. */
interface Member {
  name: string;
  normalise: Normalise | undefined;
  /** If it is omitted; undefined: it stays so. */
  fallback: unknown;
}

/** Omitted members become null, or an empty list for lists. */
function objectNormaliser(schema: z.ZodObject): Normalise {
  const members = Object.entries(schema.shape).map(([name, member]): Member => {
    const fallback = member instanceof z.ZodNullable ? null : undefined;
    return {
      name,
      normalise: normaliserOf(member),
      fallback: factsOf(member).fallback ?? fallback,
    };
  });
  return (value, timeZone, path) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;

    const given = value as Values;
    const whole: Values = {};
    for (const member of members) {
      const normal = normalMember(member, given, timeZone, path);
      if (normal !== undefined) whole[member.name] = normal;
    }

    return withUnknown(whole, given);
  };
}

function normalMember(
  { name, normalise, fallback }: Member,
  given: Values,
  timeZone: string | undefined,
  path: string,
): unknown {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (value === undefined) return fallback;
  return normalise ? normalise(value, timeZone, `${path}.${name}`) : value;
}

/** Unknown members are kept for the check. */
function withUnknown(whole: Values, given: Values): Values {
  const unknown = Object.entries(given).filter(([name]) => !Object.hasOwn(whole, name));
  if (unknown.length === 0) return whole;
  // Assigning __proto__ would hide it.
  return Object.fromEntries([...Object.entries(whole), ...unknown]);
}

export type Values = Record<string, unknown>;

export type IdentifiedValues = Values & { id: string };

/**
 * One fill. Times are instants in UTC, money is in the currency of the trade, fees are
 * costs (negative for a rebate).
 */
export type Execution = z.infer<typeof execution>;

/**
 * The values of a record in a file, checked and normalised. Only trades have executions,
 * which are in order.
 */
export interface GivenRecord {
  record: Readonly<IdentifiedValues>;
  /** Undefined: unchanged. */
  executions: readonly Execution[] | undefined;
  /**
   * Whether a stored trade without an account stays so: the default account is only for
   * trades that a file states.
   */
  keepsAccount?: boolean;
}

/** A whole record, stored or to be stored. */
export interface WholeRecord {
  record: IdentifiedValues;
  executions: readonly Execution[];
}

export interface WriteSettings {
  user: User;
  /** For times without an offset; undefined: they are rejected. */
  timeZone: string | undefined;
  /** For trades without an account. */
  account: string | undefined;
  /** The time of the import, as text. */
  now: string;
}

export interface StoredField {
  name: string;
  schema: z.ZodType;
  toSql: ((value: unknown) => unknown) | undefined;
  fromSql: ((value: unknown) => unknown) | undefined;
  /** Default for an omitted field; undefined if it is required. */
  fallback: unknown;
  normalise: ReturnType<typeof normaliserOf>;
}

const TO_SQL: Partial<Record<string, (value: unknown) => unknown>> = {
  json: (value) => (value === null ? null : JSON.stringify(value)),
  flag: (value) => (value === null ? null : Number(Boolean(value))),
};

const fieldsOf = new WeakMap<ListResource, readonly StoredField[]>();

/** The fields of a resource, except derived ones. */
export function storedFields(resource: ListResource): readonly StoredField[] {
  const known = fieldsOf.get(resource);
  if (known) return known;

  const fields: StoredField[] = [];
  fieldsOf.set(resource, fields);
  for (const [name, schema] of Object.entries(resource.record.shape)) {
    const { kind, fallback, derived } = factsOf(schema);
    if (derived) continue;

    fields.push({
      name,
      schema,
      toSql: TO_SQL[kind],
      fromSql: FROM_SQL[kind],
      fallback: fallback ?? (schema instanceof z.ZodNullable ? null : undefined),
      normalise: normaliserOf(schema),
    });
  }

  return fields;
}

/**
 * The whole record: given fields, else stored ones, else the defaults of a new record.
 * @param given normalised values
 * @param stored undefined for a new record
 */
export function mergeRecord(
  fields: readonly StoredField[],
  given: Readonly<IdentifiedValues>,
  stored: Readonly<Values> | undefined,
  { user, now }: Pick<WriteSettings, 'user' | 'now'>,
): IdentifiedValues {
  const record: Values = {};
  const defaults: Values = {
    created_at: now,
    updated_at: now,
    currency: user.base_currency,
  };
  for (const { name, fallback } of fields) {
    const otherwise = stored ? stored[name] : fallback;
    const known = Object.hasOwn(given, name) ? given[name] : otherwise;
    const value = stored ? known : (known ?? defaults[name] ?? known);
    if (value !== undefined) record[name] = value;
  }

  return identified(record);
}

/** @throws RowError if the record has no id */
export function identified(record: Values): IdentifiedValues {
  if (!hasId(record)) throw RowError.missing(['id']);
  return record;
}

function hasId(record: Values): record is IdentifiedValues {
  return typeof record['id'] === 'string';
}

/** Sorts texts by their characters, whatever the language. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Whether values are equal by a function for what is neither a list nor an object.
 * @param given of an object, perhaps some of the members only
 */
export function sameBy(
  given: unknown,
  actual: unknown,
  isSame: (given: unknown, actual: unknown) => boolean,
): boolean {
  if (
    typeof given !== 'object' ||
    typeof actual !== 'object' ||
    given === null ||
    actual === null
  )
    return isSame(given, actual);
  if (Array.isArray(given) !== Array.isArray(actual)) return false;
  if (Array.isArray(given) && Array.isArray(actual) && given.length !== actual.length)
    return false;

  return Object.entries(given).every(
    ([name, value]) =>
      Object.hasOwn(actual, name) && sameBy(value, (actual as Values)[name], isSame),
  );
}

// Removes a record from the journal, unless others refer to it.

/**
 * Columns that refer to trades and groups: table, column, the table they refer to, and
 * the resource.
 */
const REFERENCES = [
  ['trade_journals', 'trade_id', 'trades', 'trade-journals'],
  ['weekly_reviews', 'best_trade_id', 'trades', 'weekly-reviews'],
  ['weekly_reviews', 'worst_trade_id', 'trades', 'weekly-reviews'],
  ['group_journals', 'group_id', 'trade_groups', 'group-journals'],
  ['trades', 'group_id', 'trade_groups', 'trades'],
] as const;

/** Tables and columns that refer to records of a resource. */
export function referencesTo({
  table: named,
}: ListResource): (typeof REFERENCES)[number][] {
  return REFERENCES.filter(([, , target]) => target === named);
}

/** Records that refer to one, a few of each kind. */
export function mentionsOf(
  db: Database.Database,
  userId: string,
  of: ListResource,
  id: string,
): { resource: string; table: string; id: string }[] {
  return referencesTo(of).flatMap(([table, column, , resource]) => {
    const find = db.prepare<[string, string], string>(
      `SELECT id FROM ${table} WHERE user_id = ? AND ${column} = ? LIMIT ${NAMED}`,
    );
    return find
      .pluck()
      .all(userId, id)
      .map((other) => ({ resource, table, id: other }));
  });
}

/** Number of referring records named in the error. */
const NAMED = 5;

/** @throws UserError that names the referring records */
export function deleteRecord(
  db: Database.Database,
  resource: ListResource,
  userId: string,
  id: string,
): void {
  try {
    db.prepare(`DELETE FROM ${resource.table} WHERE user_id = ? AND id = ?`).run(
      userId,
      id,
    );
  } catch (error) {
    if (
      !(error instanceof Database.SqliteError) ||
      !error.code.startsWith('SQLITE_CONSTRAINT')
    )
      throw error;
    const mentions = mentionsOf(db, userId, resource, id).map(
      (record) => `${record.id} (${record.table.replaceAll('_', ' ')})`,
    );
    throw new UserError(
      `can't remove ${id} (${resource.title}), since other records refer to it: ` +
        `${mentions.slice(0, NAMED).join(', ')}; remove those first`,
    );
  }
}

// Errors of zod and SQLite about a record, in plain words.

type Issue = z.core.$ZodIssue;

const TIME_EXPECTED = {
  instant: 'must be a date and time with its offset, such as 2026-11-20T14:30:00Z',
  date: 'must be a day that exists, such as 2026-11-20',
};

const EXPECTED_BY_KIND: Partial<Record<Kind, string>> = TIME_EXPECTED;

const BY_TYPE: Record<string, string> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

const BY_FORMAT: Record<string, string> = {
  datetime: TIME_EXPECTED.instant,
  date: TIME_EXPECTED.date,
};

/**
 * All issues, one per field; missing fields are one.
 * @param issues zod's issues, at least one
 * @param shape the checked fields, by name
 * @param value the checked value
 */
export function explainIssues(
  issues: readonly Issue[],
  shape: z.ZodRawShape,
  value: unknown,
): RowError {
  const isGap = (issue: Issue) => isMissing(issue, value);
  const missing = issues.filter(isGap).map(({ path }) => nameOf(path));
  const errors = new RowErrors();
  const seen = new Set<string>();

  for (const issue of issues) {
    const name = isGap(issue) ? '' : nameOf(issue.path);
    if (!seen.has(name))
      errors.add(
        isGap(issue) ? RowError.missing(missing) : explainIssue(issue, shape, value),
      );
    seen.add(name);
  }

  return errors.asOne();
}

function isMissing(issue: Issue, value: unknown): boolean {
  return issue.code !== 'unrecognized_keys' && valueAt(value, issue.path) === undefined;
}

function explainIssue(issue: Issue, shape: z.ZodRawShape, value: unknown): RowError {
  const at = valueAt(value, issue.path);
  const field = nameOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return new RowError(field, `has no member "${issue.keys[0]}"`);
  }
  if (issue.code === 'custom')
    return new RowError(field, `${issue.message}; got ${quote(at)}`);

  const schema = issue.path.length === 1 ? shape[String(issue.path[0])] : undefined;
  const byKind = schema ? EXPECTED_BY_KIND[factsOf(schema).kind] : undefined;
  return new RowError(field, `${byKind ?? expectation(issue)}; got ${quote(at)}`);
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return BY_TYPE[issue.expected] ?? `must be ${issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      return issue.inclusive
        ? `must be ${issue.minimum} or more`
        : `must be above ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string')
        return `must have at most ${issue.maximum} characters`;
      return issue.inclusive
        ? `must be ${issue.maximum} or less`
        : `must be below ${issue.maximum}`;
    case 'invalid_format':
      if (issue.pattern === String(ID_PATTERN))
        return 'must be 1 to 128 letters, digits and . _ : ~ -';
      if (issue.pattern === String(CURRENCY_PATTERN))
        return 'must be 2 to 10 capital letters or digits, such as USD';
      return BY_FORMAT[issue.format] ?? issue.message;
    default:
      return issue.message;
  }
}

/**
 * The last check: an error of the journal's own constraints, explained; any other error
 * unchanged.
 * @param values the values to write
 */
export function explainConstraint(
  error: unknown,
  values: Readonly<Record<string, unknown>>,
): unknown {
  if (
    !(error instanceof Database.SqliteError) ||
    !error.code.startsWith('SQLITE_CONSTRAINT')
  )
    return error;
  return explainSqlite(error.message, values);
}

/** @param message of a failed constraint */
export function explainSqlite(
  message: string,
  values: Readonly<Record<string, unknown>>,
): RowError {
  const rule = /^CHECK constraint failed: (.*)$/s.exec(message)?.[1];
  if (rule === undefined) return new RowError(null, `the journal rejects it: ${message}`);

  const limited = /(\babs\()?\b([a-z_]+)\)? < (\d+e\d+)/.exec(rule);
  const field =
    limited?.[2] ??
    rule.match(/[a-z_]+/g)?.find((word) => Object.hasOwn(values, word)) ??
    null;
  const limit = limited?.[3];
  const range = limited?.[1] ? `between -${limit} and ${limit}` : `below ${limit}`;
  const got =
    field !== null && Object.hasOwn(values, field) ? `; got ${quote(values[field])}` : '';

  return new RowError(
    field,
    limit === undefined
      ? `can't be stored in the journal${got}`
      : `must be ${range}${got}`,
  );
}

/** goals[0].met */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
}
