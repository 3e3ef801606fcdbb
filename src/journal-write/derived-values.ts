/** Derived values that a file gives: never taken over, but refused where the journal says otherwise. */
import type Database from 'better-sqlite3';
import type * as z from 'zod';
import { factsOf } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import { shapeOf } from '../journal/list.ts';
import { withMetrics } from '../journal/metrics.ts';
import type { ListResource } from '../journal/resource.ts';
import { Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { toEnd } from '../sqlite/steps.ts';
import type { Values } from './record.ts';
import { quote, RowError } from './row-error.ts';

/** What a file says of one record beside its facts, and where it says so. */
export interface DerivedValues {
  resource: ListResource;
  id: string;
  values: Values;
  file: string;
  line: number;
}

const fieldNames = new Map<ListResource, string[]>();

/** The derived fields of a resource, by name. */
function derivedFields(resource: ListResource): string[] {
  let derived = fieldNames.get(resource);
  if (!derived) {
    const { shape } = resource.record;
    derived = Object.keys(shape).filter((name) => factsOf(shape[name] as z.ZodType).derived);
    fieldNames.set(resource, derived);
  }
  return derived;
}

/** The derived values in a row; undefined if there are none. A null states none: what a value follows from may have come since. */
export function derivedValuesIn(resource: ListResource, row: Readonly<Values>): Values | undefined {
  const given = derivedFields(resource).filter((name) => Object.hasOwn(row, name) && (row[name] ?? null) !== null);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, row[name]]));
}

/** Compares what files say with what the journal says now. */
export class DerivedCheck {
  readonly #reader: Reader;
  readonly #user: User;

  constructor(db: Database.Database, user: User) {
    this.#reader = new Reader(db);
    this.#user = user;
  }

  /** @throws RowError at the first value that disagrees */
  check(given: DerivedValues): void {
    const record = this.#recordOf(given);
    for (const [name, value] of Object.entries(given.values)) {
      if (agree(value, record[name])) continue;
      throw new RowError(
        name,
        `the file says ${quote(value)}, but from the facts follows ${quote(record[name])}: correct one of them, or leave the field out, since it is computed`,
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

/** The same, as far as rounding allows: of an object, in the members that are given. A null is not given. */
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
