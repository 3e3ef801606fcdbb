/** A record on its way into the journal: its fields in their two forms, in SQL and in memory, and defaults for what is left out. */
import * as z from 'zod';
import { factsOf } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { FROM_SQL } from '../journal/row-mapper.ts';
import type { Execution } from './executions.ts';
import { normaliserOf } from './normalise.ts';

/** Fields by name. */
export type Values = Record<string, unknown>;

/** What a file has of a record, each value checked and in its one form. Only trades have executions, which are in order. */
export interface GivenRecord {
  record: Readonly<Values>;
  /** Undefined where they stay as they are. */
  executions: readonly Execution[] | undefined;
}

/** A record as the journal has it, or is to have it. */
export interface WholeRecord {
  record: Values;
  executions: readonly Execution[];
}

export interface WriteSettings {
  user: User;
  /** What times without an offset are read in; undefined where they are refused. */
  timeZone: string | undefined;
  /** For trades that name no account. */
  account: string | undefined;
  /** The time of the import, as text. */
  now: string;
}

export interface StoredField {
  name: string;
  schema: z.ZodType;
  isNullable: boolean;
  toSql: ((value: unknown) => unknown) | undefined;
  fromSql: ((value: never) => unknown) | undefined;
  /** What a new record gets that leaves the field out; undefined where it has to be given. */
  fallback: unknown;
  normalise: ReturnType<typeof normaliserOf>;
}

const TO_SQL: Partial<Record<string, (value: unknown) => unknown>> = {
  json: (value) => (value === null ? null : JSON.stringify(value)),
  flag: (value) => (value === null ? null : value ? 1 : 0),
};

/** The fields of a resource that are facts: all but the derived ones. */
export function storedFields(resource: ListResource): StoredField[] {
  const fields: StoredField[] = [];
  for (const [name, field] of Object.entries(resource.record.shape)) {
    const schema = field as z.ZodType;
    const { kind, fallback, derived } = factsOf(schema);
    if (derived) continue;
    fields.push({
      name,
      schema,
      isNullable: schema instanceof z.ZodNullable,
      toSql: TO_SQL[kind],
      fromSql: FROM_SQL[kind],
      fallback: fallback ?? (schema instanceof z.ZodNullable ? null : undefined),
      normalise: normaliserOf(schema),
    });
  }
  return fields;
}

/**
 * The whole record: the fields that are given, the stored ones that aren't, and defaults for what a new record leaves out.
 * @param given each in its one form
 * @param stored the record as the journal has it; undefined for a new one
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

/** Whether two values in their one form are the same. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
