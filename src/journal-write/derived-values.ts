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
export interface Claim {
  resource: ListResource;
  id: string;
  values: Values;
  file: string;
  line: number;
}

/** The derived fields of a resource, by name. */
export function derivedFields(resource: ListResource): string[] {
  return Object.entries(resource.record.shape)
    .filter(([, field]) => factsOf(field as z.ZodType).derived)
    .map(([name]) => name);
}

/**
 * Compares claims with what the journal says now.
 * @throws RowError at the first that disagrees
 */
export function checkClaims(db: Database.Database, user: User, claims: readonly Claim[]): void {
  const reader = new Reader(db);
  for (const claim of claims) {
    const record = recordOf(reader, user, claim);
    for (const [name, given] of Object.entries(claim.values)) {
      const actual = record[name];
      if (agree(given, actual)) continue;
      throw new RowError(
        name,
        `the file says ${quote(given)}, but from the facts follows ${quote(actual)}: correct one of them, or leave the field out, since it is computed`,
        claim.line,
        claim.file,
      );
    }
  }
}

function recordOf(reader: Reader, user: User, { resource, id, values }: Claim): Row {
  const { columns, toRecord } = shapeOf(resource);
  const row = reader.get(
    `SELECT ${columns} FROM ${resource.source} WHERE user_id = ${TEXT} AND id = ${TEXT}`,
    user.id,
    id,
  );
  const record = toRecord(row as Row);
  if (!resource.metrics || !Object.hasOwn(values, 'metrics')) return record;
  return toEnd(withMetrics(reader, user, resource.metrics, [record]))[0] as Row;
}

/** The same, as far as rounding allows: of an object, in the members that are given. */
function agree(given: unknown, actual: unknown): boolean {
  if (typeof given === 'number' && typeof actual === 'number') {
    const apart = Math.abs(given - actual);
    return apart <= 1e-6 || apart <= Math.abs(actual) * 1e-9;
  }
  if (given === null || actual === null || typeof given !== 'object' || typeof actual !== 'object')
    return given === actual;
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
