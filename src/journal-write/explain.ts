/** Explains errors of zod and SQLite about a record in plain words. */
import Database from 'better-sqlite3';
import type * as z from 'zod';
import { quote, RowError, RowErrors, valueAt } from '../errors.ts';
import { CURRENCY_PATTERN, factsOf, ID_PATTERN, type Kind } from '../journal/fields.ts';

type Issue = z.core.$ZodIssue;

const OF_TIMES = {
  instant: 'must be a date and time with its offset, such as 2026-11-20T14:30:00Z',
  date: 'must be a day that exists, such as 2026-11-20',
};

const BY_KIND: Partial<Record<Kind, string>> = OF_TIMES;

const BY_TYPE: Record<string, string> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

const BY_FORMAT: Record<string, string> = {
  datetime: OF_TIMES.instant,
  date: OF_TIMES.date,
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
  const byKind = schema ? BY_KIND[factsOf(schema).kind] : undefined;
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
