import Database from 'better-sqlite3';
import type * as z from 'zod';
import { nearest, UserError } from '../errors.ts';
import { CURRENCY_PATTERN, factsOf, ID_PATTERN, type Kind } from '../journal/fields.ts';

// Explains errors of zod and SQLite about a record in plain words.

type Issue = z.core.$ZodIssue;

const BY_KIND: Partial<Record<Kind, string>> = {
  instant: 'must be a date and time with its offset, such as 2026-11-20T14:30:00Z',
  date: 'must be a day that exists, such as 2026-11-20',
};

const BY_TYPE: Record<string, string> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

const BY_FORMAT: Record<string, string> = {
  datetime: BY_KIND.instant as string,
  date: BY_KIND.date as string,
  url: 'must be a web address that begins with http:// or https://',
};

/**
 * All issues, one per field; missing fields are one.
 * @param issues zod's issues, at least one
 * @param shape the checked fields, by name
 * @param value the checked value
 */
export function explainIssues(issues: readonly Issue[], shape: z.ZodRawShape, value: unknown): RowError {
  const isGap = (issue: Issue) => isMissing(issue, value);
  const missing = issues.filter(isGap).map(({ path }) => nameOf(path));
  const errors = new RowErrors();
  const seen = new Set<string>();
  for (const issue of issues) {
    const name = isGap(issue) ? '' : nameOf(issue.path);
    if (!seen.has(name)) errors.add(isGap(issue) ? RowError.missing(missing) : explainIssue(issue, shape, value));
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
  if (issue.code === 'custom') return new RowError(field, `${issue.message}; got ${quote(at)}`);
  const own = issue.path.length === 1 ? shape[String(issue.path[0])] : undefined;
  const byKind = own ? BY_KIND[factsOf(own as z.ZodType).kind] : undefined;
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
      return issue.inclusive ? `must be ${issue.minimum} or more` : `must be above ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `must have at most ${issue.maximum} characters`;
      return issue.inclusive ? `must be ${issue.maximum} or less` : `must be below ${issue.maximum}`;
    case 'invalid_format':
      if (issue.pattern === String(ID_PATTERN)) return 'must be 1 to 128 letters, digits and . _ : ~ -';
      if (issue.pattern === String(CURRENCY_PATTERN)) return 'must be 2 to 10 capital letters or digits, such as USD';
      return BY_FORMAT[issue.format] ?? issue.message;
    default:
      return issue.message;
  }
}

/** @param line of the field, if known */
export function unknownField(name: string, known: readonly string[], line?: number): RowError {
  const meant = nearest(name, known);
  return new RowError(name, meant ? `unknown field; did you mean ${meant}?` : 'unknown field', line);
}

/**
 * The last check: an error of the journal's own constraints, explained; any other error unchanged.
 * @param values the values to write
 */
export function explainConstraint(error: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) return error;
  return explainSqlite(error.message, values);
}

/** @param message of a failed constraint */
export function explainSqlite(message: string, values: Readonly<Record<string, unknown>>): RowError {
  const rule = /^CHECK constraint failed: (.*)$/s.exec(message)?.[1];
  if (rule === undefined) return new RowError(null, `the journal rejects it: ${message}`);
  const limited = /(\babs\()?\b([a-z_]+)\)? < (\d+e\d+)/.exec(rule);
  const field = limited?.[2] ?? rule.match(/[a-z_]+/g)?.find((word) => Object.hasOwn(values, word)) ?? null;
  const limit = limited?.[3];
  const range = limited?.[1] ? `between -${limit} and ${limit}` : `below ${limit}`;
  const got = field !== null && Object.hasOwn(values, field) ? `; got ${quote(values[field])}` : '';
  return new RowError(field, limit === undefined ? `can't be stored in the journal${got}` : `must be ${range}${got}`);
}

/** goals[0].met */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, part) =>
      typeof part === 'number' ? `${name}[${part}]` : name === '' ? String(part) : `${name}.${String(part)}`,
    '',
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value as Record<PropertyKey, unknown> | null | undefined;
  for (const part of path) at = at?.[part] as typeof at;
  return at;
}

/** An error of a field or column in an import. Callers add the file and line. */
export class RowError extends Error {
  override name = 'RowError';
  readonly field: string | null;
  readonly reason: string;
  readonly line: number | undefined;
  /** Set if the error is in another file than the one being imported. */
  readonly file: string | undefined;
  /** Further errors to show, and the number of those not shown. */
  readonly others: readonly RowError[] = [];
  readonly more: number = 0;

  constructor(field: string | null, reason: string, line?: number, file?: string, also?: Also) {
    super(field === null ? reason : `${field}: ${reason}`);
    this.field = field;
    this.reason = reason;
    this.line = line;
    this.file = file;
    if (!also) return;
    this.others = also.others;
    this.more = also.more;
  }

  /** @param names of fields or columns, at least one */
  static missing(names: readonly string[], line?: number): RowError {
    return new RowError(names.join(', '), names.length === 1 ? 'is missing' : 'are missing', line);
  }

  at(file: string, line: number | undefined): UserError {
    const errors = new FileErrors();
    errors.add(this, file, line);
    return errors.asOne();
  }
}

type Also = Pick<RowError, 'others' | 'more'>;

/** Maximum number of errors shown per file. */
const SHOWN = 20;

/** Collects the errors of a record, a row or all rows, to throw them together. */
export class RowErrors {
  readonly #errors: RowError[] = [];
  #count = 0;

  add(error: RowError): void {
    for (const one of [error, ...error.others]) if (++this.#count <= SHOWN) this.#errors.push(one);
    this.#count += error.more;
  }

  /** Runs a function; keeps its RowError. */
  try<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.keep(error);
      return undefined;
    }
  }

  /** Adds a RowError; throws any other error. */
  keep(error: unknown): void {
    if (!(error instanceof RowError)) throw error;
    this.add(error);
  }

  refuse(): void {
    if (this.#count > 0) throw this.asOne();
  }

  asOne(): RowError {
    const [first, ...others] = this.#errors as [RowError, ...RowError[]];
    const more = this.#count - this.#errors.length;
    return new RowError(first.field, first.reason, first.line, first.file, { others, more });
  }
}

/** Collects the errors of a file, one per line. */
export class FileErrors {
  readonly #lines: string[] = [];
  #count = 0;

  add(error: RowError, file: string, line: number | undefined): void {
    for (const one of [error, ...error.others]) {
      const where = one.line ?? error.line ?? line;
      if (++this.#count > SHOWN) continue;
      this.#lines.push(`${one.file ?? error.file ?? file}:${where === undefined ? '' : `${where}:`} ${one.message}`);
    }
    this.#count += error.more;
  }

  refuse(): void {
    if (this.#count > 0) throw this.asOne();
  }

  asOne(): UserError {
    const more = this.#count - this.#lines.length;
    return new UserError([...this.#lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

/** Runs a function; adds the line to its RowError. */
export function onLine<T>(line: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RowError ? new RowError(error.field, error.reason, line, undefined, error) : error;
  }
}

/** A part of a file that can't be imported, while the rest can. */
export interface Problem {
  file: string;
  line: number;
  message: string;
}

const LONGEST = 60;

export function quote(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
