/** Writes the records of one resource: each is checked, compared with what the journal has, and added or changed. */
import Database from 'better-sqlite3';
import * as z from 'zod';
import { factsOf } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { FROM_SQL } from '../journal/row-mapper.ts';
import { explainIssue, explainSqlite, unknownField } from './explain.ts';
import { normaliserOf } from './normalise.ts';
import { RowError } from './row-error.ts';
import { checkRules } from './rules.ts';

export type Values = Record<string, unknown>;
export type Change = 'added' | 'changed' | 'unchanged';

export interface WriteSettings {
  user: User;
  /** What times without an offset are read in; undefined where they are refused. */
  timeZone: string | undefined;
  /** For trades that name no account. */
  account: string | undefined;
  /** The time of the import, as text. */
  now: string;
}

interface Column {
  name: string;
  toSql: ((value: unknown) => unknown) | undefined;
  fromSql: ((value: never) => unknown) | undefined;
  fallback: unknown;
  normalise: ReturnType<typeof normaliserOf>;
}

const TO_SQL: Partial<Record<string, (value: unknown) => unknown>> = {
  json: (value) => (value === null ? null : JSON.stringify(value)),
  flag: (value) => (value === null ? null : value ? 1 : 0),
};

export class RecordWriter {
  protected readonly db: Database.Database;
  protected readonly settings: WriteSettings;
  protected readonly table: string;
  /** Fields that are accepted beside the stored ones. */
  protected readonly extras: readonly string[] = [];
  readonly #shape: z.ZodRawShape;
  readonly #columns: Column[];
  readonly #given: z.ZodType;
  readonly #whole: z.ZodType;
  readonly #find: Database.Statement;
  readonly #insert: Database.Statement;
  readonly #update: Database.Statement;
  readonly #touch: Database.Statement;
  readonly #references: Reference[];

  constructor(db: Database.Database, resource: ListResource & { table: string }, settings: WriteSettings) {
    this.db = db;
    this.settings = settings;
    this.table = resource.table;
    this.#shape = resource.record.shape;
    const stored = Object.entries(resource.record.shape).filter(([, field]) => !factsOf(field as z.ZodType).derived);
    this.#columns = stored.map(([name, field]) => columnOf(name, field as z.ZodType));
    const record = z.strictObject(Object.fromEntries(stored) as Record<string, z.ZodType>);
    this.#whole = record;
    this.#given = record.partial();

    const names = stored.map(([name]) => name);
    this.#find = db.prepare(`SELECT ${names.join(', ')} FROM ${this.table} WHERE user_id = ? AND id = ?`);
    this.#insert = db.prepare(
      `INSERT INTO ${this.table} (${names.join(', ')}, user_id) VALUES (${names.map(() => '?').join(', ')}, ?)`,
    );
    this.#update = db.prepare(
      `UPDATE ${this.table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE user_id = ? AND id = ?`,
    );
    this.#touch = db.prepare(`UPDATE ${this.table} SET updated_at = ? WHERE user_id = ? AND id = ?`);
    this.#references = referencesOf(db, this.table);
  }

  /**
   * Adds the record, or changes the fields it has in the record of the same id.
   * @throws RowError where the record can't be taken; nothing is written then
   */
  put(row: Values): Change {
    const given = this.#factsOf(row);
    this.#check(this.#given, given);
    const id = given['id'] as string | undefined;
    if (id === undefined) throw new RowError('id', 'is missing');

    const before = this.#existing(id);
    const whole = this.#merged(given, before);
    const restChanged = this.complete(whole, given, before, row);
    this.#check(this.#whole, whole);
    checkRules(this.table, whole, row);

    const changed = before && this.#columns.some(({ name }) => !same(whole[name], before[name]));
    if (before && !changed && !restChanged) return 'unchanged';
    if (before && given['updated_at'] === undefined) whole['updated_at'] = this.settings.now;
    this.#checkReferences(whole);
    try {
      this.#write(id, whole, before);
      this.writeRest(id);
    } catch (error) {
      if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) throw error;
      throw explainSqlite(error.message, whole);
    }
    return before ? 'changed' : 'added';
  }

  /**
   * For resources that hold more than their columns: fills in what follows from the rest of the row.
   * @param whole the merged record, to be completed
   * @param given the facts that the row itself has
   * @returns whether anything outside of the columns changes
   */
  protected complete(_whole: Values, _given: Values, _before: Values | undefined, _row: Values): boolean {
    return false;
  }

  /** Writes what lies outside of the columns. */
  protected writeRest(_id: string): void {}

  /** The stored fields of a row, each in its one form. */
  #factsOf(row: Values): Values {
    const given: Values = {};
    for (const { name, normalise } of this.#columns) {
      if (!Object.hasOwn(row, name) || row[name] === undefined) continue;
      given[name] = normalise ? normalise(row[name], this.settings.timeZone, name) : row[name];
    }
    for (const name of Object.keys(row)) {
      if (!Object.hasOwn(this.#shape, name) && !this.extras.includes(name)) {
        throw unknownField(name, [...Object.keys(this.#shape), ...this.extras]);
      }
    }
    return given;
  }

  #check(schema: z.ZodType, values: Values): void {
    const issue = schema.safeParse(values).error?.issues[0];
    if (issue) throw explainIssue(issue, this.#shape, values);
  }

  #existing(id: string): Values | undefined {
    const row = this.#find.get(this.settings.user.id, id) as Values | undefined;
    if (!row) return undefined;
    for (const { name, fromSql, normalise } of this.#columns) {
      if (fromSql) row[name] = fromSql(row[name] as never);
      if (normalise) row[name] = normalise(row[name], undefined, name);
    }
    return row;
  }

  #merged(given: Values, before: Values | undefined): Values {
    const whole: Values = {};
    for (const { name, fallback } of this.#columns) {
      const value = given[name] ?? (Object.hasOwn(given, name) ? null : before ? before[name] : fallback);
      if (value !== undefined) whole[name] = value;
    }
    if (!before) {
      whole['created_at'] ??= this.settings.now;
      whole['updated_at'] ??= this.settings.now;
      if (Object.hasOwn(this.#shape, 'currency')) whole['currency'] ??= this.settings.user.base_currency;
    }
    return whole;
  }

  #write(id: string, whole: Values, before: Values | undefined): void {
    const { user } = this.settings;
    const values = this.#columns.map(({ name, toSql }) => (toSql ? toSql(whole[name]) : whole[name]));
    if (!before) {
      this.#insert.run(...values, user.id);
      return;
    }
    this.#update.run(...values, user.id, id);
    // The journal's trigger takes an update that leaves updated_at as it was for one that forgot it.
    if (whole['updated_at'] === before['updated_at']) this.#touch.run(whole['updated_at'], user.id, id);
  }

  #checkReferences(whole: Values): void {
    for (const { field, find, title } of this.#references) {
      const id = whole[field];
      if (id !== null && !find.get(this.settings.user.id, id)) {
        throw new RowError(field, `there is no ${title} with the id "${id}"; import it first`);
      }
    }
  }
}

interface Reference {
  field: string;
  find: Database.Statement;
  title: string;
}

/** Which fields name a record of another table: the schema knows. */
function referencesOf(db: Database.Database, table: string): Reference[] {
  const keys = db.pragma(`foreign_key_list(${table})`) as { from: string; table: string; to: string }[];
  return keys
    .filter(({ from }) => from !== 'user_id')
    .map(({ from, table: other }) => ({
      field: from,
      find: db.prepare(`SELECT 1 FROM ${other} WHERE user_id = ? AND id = ?`),
      title: (RESOURCES.find((resource) => resource.table === other)?.title ?? other).replace(/s$/, ''),
    }));
}

function columnOf(name: string, field: z.ZodType): Column {
  const { kind, fallback } = factsOf(field);
  return {
    name,
    toSql: TO_SQL[kind],
    fromSql: FROM_SQL[kind],
    fallback: fallback ?? (field instanceof z.ZodNullable ? null : undefined),
    normalise: normaliserOf(field),
  };
}

/** Whether two values in their one form are the same. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}
