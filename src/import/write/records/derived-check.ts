/** Derived values in a file: never stored, but rejected if the journal computes others. */
import type Database from 'better-sqlite3';
import type * as z from 'zod';
import { quote, RowError } from '../../../errors.ts';
import { factsOf } from '../../../journal/fields.ts';
import type { User } from '../../../journal/journal.ts';
import { shapeOf } from '../../../journal/list.ts';
import { withMetrics } from '../../../journal/metrics.ts';
import type { ListResource } from '../../../journal/resource.ts';
import type { Values } from '../../../journal-write/record.ts';
import { toEnd } from '../../../sqlite/read-queue.ts';
import { Reader, type Row, TEXT } from '../../../sqlite/reader.ts';

/** The derived values of one record in a file, and their place. */
export interface DerivedValues {
  resource: ListResource;
  id: string;
  values: Values;
  file: string;
  line: number;
}

const fieldNames = new Map<ListResource, string[]>();

function derivedFields(resource: ListResource): string[] {
  let derived = fieldNames.get(resource);
  if (!derived) {
    const { shape } = resource.record;
    derived = Object.keys(shape).filter((name) => factsOf(shape[name] as z.ZodType).derived);
    fieldNames.set(resource, derived);
  }
  return derived;
}

/** The derived values in a row; undefined if none. Null states no value: its inputs may have been imported since. */
export function derivedValuesIn(resource: ListResource, row: Readonly<Values>): Values | undefined {
  const given = derivedFields(resource).filter((name) => Object.hasOwn(row, name) && (row[name] ?? null) !== null);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, row[name]]));
}

/** Compares the values of files with those that the journal computes now. */
export class DerivedCheck {
  readonly #reader: Reader;
  readonly #user: User;

  constructor(db: Database.Database, user: User) {
    this.#reader = new Reader(db);
    this.#user = user;
  }

  /** @throws RowError for the first different value */
  check(given: DerivedValues): void {
    const record = this.#recordOf(given);
    for (const [name, value] of Object.entries(given.values)) {
      if (agree(value, record[name])) continue;
      throw new RowError(
        name,
        `the file states ${quote(value)}, but it computes to ${quote(record[name])}; correct one of them, or omit the field`,
        given.line,
        given.file,
      );
    }
  }

  #recordOf({ resource, id, values }: DerivedValues): Row {
    const { columns, toRecord } = shapeOf(resource);
    const row = this.#reader.get(
      `SELECT ${columns} FROM ${resource.source} WHERE user_id = ${TEXT} AND id = ${TEXT}`,
      this.#user.id,
      id,
    );
    const record = toRecord(row as Row);
    if (!resource.metrics || !Object.hasOwn(values, 'metrics')) return record;
    return toEnd(withMetrics(this.#reader, this.#user, resource.metrics, [record]))[0] as Row;
  }
}

/** Equal except for rounding; in objects, only given members count. Null isn't given. */
function agree(given: unknown, actual: unknown): boolean {
  if (given === null) return true;
  if (typeof given === 'number' && typeof actual === 'number') {
    const apart = Math.abs(given - actual);
    return apart <= 1e-6 || apart <= Math.abs(actual) * 1e-9;
  }
  if (actual === null || typeof given !== 'object' || typeof actual !== 'object') return given === actual;
  if (Array.isArray(given) || Array.isArray(actual)) {
    return (
      Array.isArray(given) &&
      Array.isArray(actual) &&
      given.length === actual.length &&
      given.every((item, index) => agree(item, actual[index]))
    );
  }
  return Object.entries(given).every(
    ([name, value]) => Object.hasOwn(actual as object, name) && agree(value, (actual as Values)[name]),
  );
}
