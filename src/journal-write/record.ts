/** A record to write: its fields in SQL and in memory, and defaults for omitted ones. */
import * as z from 'zod';
import { factsOf } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { FROM_SQL } from '../journal/row-mapper.ts';
import type { Execution } from './executions.ts';
import { normaliserOf } from './normalise.ts';

export type Values = Record<string, unknown>;

/** The values of a record in a file, checked and normalised. Only trades have executions, which are in order. */
export interface GivenRecord {
  record: Readonly<Values>;
  /** Undefined: unchanged. */
  executions: readonly Execution[] | undefined;
}

/** A whole record, stored or to be stored. */
export interface WholeRecord {
  record: Values;
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
  isPlainlyValid: ReturnType<typeof plainCheck>;
  toSql: ((value: unknown) => unknown) | undefined;
  fromSql: ((value: never) => unknown) | undefined;
  /** Default for an omitted field; undefined if it is required. */
  fallback: unknown;
  normalise: ReturnType<typeof normaliserOf>;
}

const TO_SQL: Partial<Record<string, (value: unknown) => unknown>> = {
  json: (value) => (value === null ? null : JSON.stringify(value)),
  flag: (value) => (value === null ? null : value ? 1 : 0),
};

/** The fields of a resource, except derived ones. */
export function storedFields(resource: ListResource): StoredField[] {
  const fields: StoredField[] = [];
  for (const [name, field] of Object.entries(resource.record.shape)) {
    const schema = field as z.ZodType;
    const { kind, fallback, derived } = factsOf(schema);
    if (derived) continue;
    fields.push({
      name,
      schema,
      isPlainlyValid: plainCheck(schema),
      toSql: TO_SQL[kind],
      fromSql: FROM_SQL[kind],
      fallback: fallback ?? (schema instanceof z.ZodNullable ? null : undefined),
      normalise: normaliserOf(schema),
    });
  }
  return fields;
}

/**
 * Whether a value is valid by its type and range alone; if not, the schema decides. Zod alone takes 8 % of an import of trades, and after
 * this check 4 % (bench/import-records.ts).
 */
export function plainCheck(schema: z.ZodType): (value: unknown) => boolean {
  if (schema instanceof z.ZodNullable) {
    const inner = plainCheck(schema.unwrap() as z.ZodType);
    return (value) => value === null || inner(value);
  }
  if (schema instanceof z.ZodEnum) {
    const options = new Set<unknown>(schema.options);
    return (value) => options.has(value);
  }
  if (schema instanceof z.ZodNumber) {
    const { isInt, minValue, maxValue } = schema;
    const [low, high] = [minValue ?? -Infinity, maxValue ?? Infinity];
    return (value) =>
      typeof value === 'number' && value > low && value < high && (!isInt || Number.isSafeInteger(value));
  }
  if (schema instanceof z.ZodString && !schema.def.checks?.length) return (value) => typeof value === 'string';
  if (!(schema instanceof z.ZodArray) || schema.def.checks?.length) return () => false;
  const each = plainCheck(schema.element as z.ZodType);
  return (value) => Array.isArray(value) && value.every(each);
}

/**
 * The whole record: given fields, else stored ones, else the defaults of a new record.
 * @param given normalised values
 * @param stored undefined for a new record
 */
export function mergeRecord(
  fields: readonly StoredField[],
  given: Readonly<Values>,
  stored: Readonly<Values> | undefined,
  { user, now }: Pick<WriteSettings, 'user' | 'now'>,
): Values {
  const record: Values = {};
  const defaults: Values = { created_at: now, updated_at: now, currency: user.base_currency };
  for (const { name, fallback } of fields) {
    const own = Object.hasOwn(given, name) ? given[name] : stored ? stored[name] : fallback;
    const value = stored ? own : (own ?? defaults[name] ?? own);
    if (value !== undefined) record[name] = value;
  }
  return record;
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
