/** Writes the records of one resource: each is looked up, completed, checked, compared with what the journal has, and written. */
import type Database from 'better-sqlite3';
import * as z from 'zod';
import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { trades } from '../journal/resources/trades.ts';
import { clearBaseRate, completeTrade } from './complete-trade.ts';
import { ExecutionTable } from './execution-table.ts';
import { explainConstraint, explainIssues, unknownField } from './explain.ts';
import {
  type GivenRecord,
  mergeRecord,
  type StoredField,
  same,
  storedFields,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from './record.ts';
import { RowError } from './row-error.ts';
import { checkRules } from './rules.ts';
import { executionsIn, SHOWN_OF_OTHERS } from './single-trade.ts';

export type Change = 'added' | 'changed' | 'unchanged';

/** Gets a record as it was, if it was, and as it is now. */
export type NoteChange = (stored: WholeRecord | undefined, whole: WholeRecord) => void;

export class RecordWriter {
  readonly #settings: WriteSettings;
  readonly #table: string;
  readonly #shape: z.ZodRawShape;
  readonly #fields: StoredField[];
  /** Fields that a file may have beside the stored ones. */
  readonly #extras: readonly string[];
  readonly #schemas: { given: z.ZodType; whole: z.ZodType };
  readonly #statements: ReturnType<typeof statementsFor>;
  readonly #references: Reference[];
  /** Undefined where the resource is not trades. */
  readonly #executions: ExecutionTable | undefined;

  readonly #note: NoteChange;

  /** @param note is told of each record that was put, also where it was there already */
  constructor(
    db: Database.Database,
    resource: ListResource & { table: string },
    settings: WriteSettings,
    note: NoteChange = () => {},
  ) {
    this.#note = note;
    const isTrades = resource.path === trades.path;
    this.#settings = settings;
    this.#table = resource.table;
    this.#shape = resource.record.shape;
    this.#fields = storedFields(resource);
    this.#extras = isTrades ? ['executions', ...SHOWN_OF_OTHERS] : [];
    const whole = z.strictObject(Object.fromEntries(this.#fields.map(({ name, schema }) => [name, schema])));
    this.#schemas = { given: whole.partial(), whole };
    this.#statements = statementsFor(db, resource.table, this.#fields);
    this.#references = referencesOf(db, resource.table);
    this.#executions = isTrades ? new ExecutionTable(db, settings.user) : undefined;
  }

  /**
   * Adds the record, or changes the fields it has in the record of the same id.
   * @param row a record as a file has it
   * @throws RowError where the record can't be taken; nothing is written then
   */
  put(row: Readonly<Values>): Change {
    const given = this.#given(row);
    const stored = this.find(given.record['id'] as string);
    const whole = this.#complete(given, stored);
    this.#check(whole.record, row);
    if (stored && this.#isSame(whole, stored)) {
      this.#note(stored, stored);
      return 'unchanged';
    }
    if (stored && given.record['updated_at'] === undefined) whole.record['updated_at'] = this.#settings.now;
    this.#checkReferences(whole.record);
    this.#write(whole, stored);
    this.#note(stored, whole);
    return stored ? 'changed' : 'added';
  }

  /** What the row has of the record, each value checked and in its one form. */
  #given(row: Readonly<Values>): GivenRecord {
    const { timeZone } = this.#settings;
    const record: Values = {};
    for (const { name, normalise } of this.#fields) {
      if (!Object.hasOwn(row, name) || row[name] === undefined) continue;
      record[name] = normalise ? normalise(row[name], timeZone, name) : row[name];
    }
    for (const name of Object.keys(row)) {
      if (!Object.hasOwn(this.#shape, name) && !this.#extras.includes(name)) {
        throw unknownField(name, [...Object.keys(this.#shape), ...this.#extras]);
      }
    }
    this.#checkTypes(this.#schemas.given, record);
    if (record['id'] === undefined) throw RowError.missing(['id']);
    return { record, executions: this.#executions && executionsIn(row, timeZone) };
  }

  /** The record as the journal has it, each value in its one form. */
  find(id: string): WholeRecord | undefined {
    const { user } = this.#settings;
    const record = this.#statements.find.get(user.id, id) as Values | undefined;
    if (!record) return undefined;
    for (const { name, fromSql, normalise } of this.#fields) {
      if (fromSql) record[name] = fromSql(record[name] as never);
      if (normalise) record[name] = normalise(record[name], undefined, name);
    }
    if (!this.#executions) return { record, executions: [] };
    clearBaseRate(record, user.base_currency);
    return { record, executions: this.#executions.of(id) };
  }

  #complete(given: GivenRecord, stored: WholeRecord | undefined): WholeRecord {
    if (this.#executions) return completeTrade(given, stored, this.#settings);
    return { record: mergeRecord(this.#fields, given.record, stored?.record, this.#settings), executions: [] };
  }

  /** @param row for messages in the words of the file */
  #check(record: Values, row: Readonly<Values>): void {
    this.#checkTypes(this.#schemas.whole, record);
    checkRules(this.#table, record, row);
  }

  #checkTypes(schema: z.ZodType, values: Values): void {
    const { error } = schema.safeParse(values);
    if (error) throw explainIssues(error.issues, this.#shape, values);
  }

  #isSame(whole: WholeRecord, stored: WholeRecord): boolean {
    return (
      this.#fields.every(({ name }) => same(whole.record[name], stored.record[name])) &&
      same(whole.executions, stored.executions)
    );
  }

  #checkReferences(record: Values): void {
    for (const { field, find, title } of this.#references) {
      const id = record[field];
      if (id !== null && !find.get(this.#settings.user.id, id)) {
        throw new RowError(field, `there is no ${title} with the id "${id}"; import it first`);
      }
    }
  }

  #write({ record, executions }: WholeRecord, stored: WholeRecord | undefined): void {
    const { insert, update, touch } = this.#statements;
    const userId = this.#settings.user.id;
    const id = record['id'] as string;
    const values = this.#fields.map(({ name, toSql }) => (toSql ? toSql(record[name]) : record[name]));
    try {
      if (stored) update.run(...values, userId, id);
      else insert.run(...values, userId);
      // The journal's trigger takes an update that leaves updated_at as it was for one that forgot it.
      if (stored && record['updated_at'] === stored.record['updated_at']) touch.run(record['updated_at'], userId, id);
      if (!stored || !same(executions, stored.executions))
        this.#executions?.replace(id, executions, stored?.executions);
    } catch (error) {
      throw explainConstraint(error, record);
    }
  }
}

function statementsFor(db: Database.Database, table: string, fields: readonly StoredField[]) {
  const names = fields.map(({ name }) => name);
  const byId = 'user_id = ? AND id = ?';
  return {
    find: db.prepare(`SELECT ${names.join(', ')} FROM ${table} WHERE ${byId}`),
    insert: db.prepare(
      `INSERT INTO ${table} (${names.join(', ')}, user_id) VALUES (${names.map(() => '?').join(', ')}, ?)`,
    ),
    update: db.prepare(`UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${byId}`),
    touch: db.prepare(`UPDATE ${table} SET updated_at = ? WHERE ${byId}`),
  };
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
