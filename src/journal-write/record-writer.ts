/**
 * Writes the records of one resource: looks each up, completes and checks it, compares it
 * with the journal, and writes it.
 */

import type Database from 'better-sqlite3';
import type * as z from 'zod';
import { quote, RowError, RowErrors, unknownField } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { cashFlows, hasAccount } from '../journal/resources/cash-flows.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { trades } from '../journal/resources/trades.ts';
import { TEXT } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import {
  type Execution,
  explainConstraint,
  explainIssues,
  type GivenRecord,
  identified,
  mergeRecord,
  type StoredField,
  same,
  storedFields,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from './record.ts';
import {
  clearBaseRate,
  completeTrade,
  dropBounds,
  executionsIn,
  SHOWN_OF_OTHERS,
} from './trade.ts';

/**
 * Of an execution made from a fill: the fill, and what it states that an exit realised.
 */
export interface FillLink {
  fill_id: string | null;
  stated_gross_pnl: number | null;
  stated_net_pnl: number | null;
}

export const NO_FILL: FillLink = {
  fill_id: null,
  stated_gross_pnl: null,
  stated_net_pnl: null,
};

type StoredExecution = Omit<Execution, 'has_time'> & { has_time: number };

class ExecutionTable {
  readonly #rows: UserRows;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
  }

  /** In the order they happened. */
  of(tradeId: string): Execution[] {
    const rows = this.#rows.where<StoredExecution>(
      'SELECT executed_at, side, quantity, price, fees, has_time FROM executions',
      { trade_id: tradeId },
      'ORDER BY executed_at, position',
    );
    return rows.map((row) => ({ ...row, has_time: row.has_time === 1 }));
  }

  /**
   * @param before the trade's earlier executions
   * @param links the fill of each execution; empty if not made from fills
   */
  replace(
    tradeId: string,
    executions: readonly Execution[],
    before: readonly Execution[] = [],
    links: readonly FillLink[] = [],
  ): void {
    const stored = before.length > 0 ? this.#stored(tradeId) : [];
    const isInPlace =
      stored.length <= executions.length &&
      stored.every((row, place) => row['position'] === place);
    if (!isInPlace) this.#rows.delete('executions', { trade_id: tradeId });

    for (const [
      position,
      { executed_at, side, quantity, price, fees, has_time },
    ] of executions.entries()) {
      const fact = {
        executed_at,
        side,
        quantity,
        price,
        fees,
        has_time: has_time ? 1 : 0,
      };
      const row = { ...fact, ...(links[position] ?? NO_FILL) };
      const known = isInPlace ? stored[position] : undefined;
      if (known)
        this.#rows.change('executions', { trade_id: tradeId, position }, known, row);
      else this.#rows.insert('executions', { trade_id: tradeId, position, ...row });
    }
  }

  #stored(tradeId: string): Values[] {
    return this.#rows.where(
      'SELECT * FROM executions',
      { trade_id: tradeId },
      'ORDER BY position',
    );
  }
}

export type Change = 'added' | 'changed' | 'unchanged';

/**
 * Receives the record before, if it existed, and after, and what was given of it. An
 * unchanged record is the same before and after, and may have only the given fields.
 */
export type OnChange = (
  stored: WholeRecord | undefined,
  whole: WholeRecord,
  given: GivenRecord,
) => void;

interface WriteHooks {
  /** Called with each record, even if unchanged. */
  onChange?: OnChange;
  /** Decides which values of a stored record change. @throws RowError if they must not */
  settled?: ((given: GivenRecord, stored: WholeRecord) => GivenRecord) | undefined;
}

/** A record of the journal, with its columns as they are there. */
interface StoredRecord extends WholeRecord {
  row: readonly unknown[];
}

export class RecordWriter {
  readonly #rows: UserRows;
  readonly #settings: WriteSettings;
  readonly #table: string;
  readonly #shape: z.ZodRawShape;
  readonly #fields: readonly StoredField[];
  /**
   * The fields that a file may have: those of the record, and for trades further ones.
   */
  readonly #known: ReadonlySet<string>;
  readonly #statements: ReturnType<typeof statementsFor>;
  readonly #references: Reference[];
  readonly #executions: ExecutionTable | undefined;
  readonly #hasAccount: boolean;
  readonly #hasDayRates: boolean;
  readonly #hooks: WriteHooks;

  constructor(
    db: Database.Database,
    resource: ListResource,
    settings: WriteSettings,
    hooks: WriteHooks = {},
  ) {
    this.#hooks = hooks;
    this.#rows = new UserRows(db, settings.user.id);
    const { table } = resource;
    if (table === null) throw new Error(`${resource.path} has no table`);

    const isTrades = resource.path === trades.path;
    this.#hasAccount = hasAccount(resource);
    this.#hasDayRates = resource.path === cashFlows.path;
    this.#settings = settings;
    this.#table = table;
    this.#shape = resource.record.shape;
    this.#fields = storedFields(resource);

    const extras = isTrades ? ['executions', ...SHOWN_OF_OTHERS] : [];
    this.#known = new Set([...Object.keys(this.#shape), ...extras]);
    this.#statements = statementsFor(db, table, this.#fields);
    this.#references = referencesOf(db, table);
    this.#executions = isTrades ? new ExecutionTable(db, settings.user.id) : undefined;
  }

  /**
   * Adds a record, or changes the given fields of the stored one.
   * @param row a record of a file
   * @param links the fill of each execution, for a trade made from fills
   * @throws RowError if the record is invalid; nothing is written then
   */
  put(row: Readonly<Values>, links?: readonly FillLink[]): Change {
    const given = this.#given(row);
    const id = given.record.id;
    const stored = this.#findRow(id);
    if (stored && this.#hasDayRates) this.#dropDayRate(given.record);
    if (stored && this.#hasNothingNew(given, stored)) {
      const same = { record: given.record, executions: [] };
      this.#hooks.onChange?.(same, same, given);
      return 'unchanged';
    }

    const whole = stored && this.#recordOf(stored);
    const { settled } = this.#hooks;
    const merged = whole && settled ? settled(given, whole) : given;
    const now = this.#merge(row, merged, whole, links);
    this.#hooks.onChange?.(whole, now, given);
    if (now === whole) return 'unchanged';

    return whole ? 'changed' : 'added';
  }

  /** An export shows the user's rate of the day where the row has none of its own. */
  #dropDayRate(record: WholeRecord['record']): void {
    const { id, fx_rate } = record;
    const isOfDay =
      typeof fx_rate === 'number' &&
      this.#rows.get(
        `SELECT 1 FROM ${this.#table} WHERE user_id = ${USER} AND id = @id
           AND fx_rate IS NULL AND day_rate = @fx_rate`,
        { id, fx_rate },
      ) !== undefined;
    if (isOfDay) delete record['fx_rate'];
  }

  /** @returns the stored record itself if nothing changes */
  #merge(
    row: Readonly<Values>,
    given: GivenRecord,
    stored: StoredRecord | undefined,
    links: readonly FillLink[] | undefined,
  ): WholeRecord {
    const whole = this.#complete(given, stored);
    this.#check(whole.record, given.record, row);
    if (stored && this.#isSame(whole, stored)) return stored;

    if (stored && given.record['updated_at'] === undefined)
      whole.record['updated_at'] = this.#settings.now;
    this.#checkReferences(whole.record);
    this.#write(whole, stored, links);

    return whole;
  }

  /** The values of a row, checked and normalised. @throws RowError if one is invalid */
  normalised(row: Readonly<Values>): GivenRecord {
    return this.#given(row);
  }

  /**
   * The record as it would be stored if it were new.
   * @throws RowError if the row is invalid
   */
  completed(row: Readonly<Values>): WholeRecord {
    return this.#complete(this.#given(row), undefined);
  }

  /**
   * Replaces a record by a row, as if it were new; it keeps its time of creation unless
   * the row has one.
   * @throws RowError if the row is invalid; nothing is written then
   */
  rewrite(row: Readonly<Values>): Change {
    const given = this.#given(row);
    const stored = this.#find(given.record.id);
    const whole = this.#complete(given, undefined);
    if (stored && given.record['created_at'] === undefined)
      whole.record['created_at'] = stored.record['created_at'];
    if (stored) whole.record['updated_at'] = stored.record['updated_at'];
    this.#check(whole.record, given.record, row);
    if (stored && this.#isSame(whole, stored)) return 'unchanged';

    whole.record['updated_at'] = this.#settings.now;
    this.#checkReferences(whole.record);
    this.#write(whole, stored, undefined);

    return stored ? 'changed' : 'added';
  }

  /** The given values of a row, checked and normalised. */
  #given(row: Readonly<Values>): GivenRecord {
    const { timeZone } = this.#settings;
    const record: Values = {};
    const errors = new RowErrors();
    const issues: z.core.$ZodIssue[] = [];

    for (const field of this.#fields) {
      const { name, normalise } = field;
      if (!Object.hasOwn(row, name) || row[name] === undefined) continue;

      try {
        const value = normalise ? normalise(row[name], timeZone, name) : row[name];
        record[name] = value;
        addIssues(field, value, issues);
      } catch (error) {
        errors.keep(error);
      }
    }

    for (const name of Object.keys(row)) {
      if (!this.#known.has(name)) errors.add(unknownField(name, [...this.#known]));
    }

    if (issues.length > 0) errors.add(explainIssues(issues, this.#shape, record));
    const executions = this.#executions && errors.try(() => executionsIn(row, timeZone));
    errors.refuse();
    const known = identified(record);

    if (this.#executions) dropBounds(known);
    return { record: known, executions };
  }

  /** The stored record, normalised. */
  find(id: string): WholeRecord | undefined {
    return this.#find(id);
  }

  #find(id: string): StoredRecord | undefined {
    const stored = this.#findRow(id);
    return stored && this.#recordOf(stored);
  }

  /** The raw row, in the order of the fields. */
  #findRow(id: string): unknown[] | undefined {
    return this.#statements.find.get(this.#settings.user.id, id) as unknown[] | undefined;
  }

  /**
   * Whether all given values are stored already, as in a repeated import. This needs no
   * whole record, which would double the time (bench/questions/imports.ts).
   */
  #hasNothingNew(
    { record, executions }: GivenRecord,
    stored: readonly unknown[],
  ): boolean {
    // A record without an account would get the default account.
    if (this.#hasAccount && this.#settings.account !== undefined) return false;

    const isSame = this.#fields.every(({ name, toSql }, index) => {
      const value = record[name];
      return value === undefined || (toSql ? toSql(value) : value) === stored[index];
    });
    return (
      isSame &&
      (executions === undefined || same(executions, this.#executions?.of(record.id)))
    );
  }

  #recordOf(row: readonly unknown[]): StoredRecord {
    const record: Values = {};
    this.#fields.forEach(({ name, fromSql, normalise }, index) => {
      const value = fromSql ? fromSql(row[index]) : row[index];
      record[name] = normalise ? normalise(value, undefined, name) : value;
    });
    if ('fx_rate' in record) clearBaseRate(record, this.#settings.user.base_currency);
    const known = identified(record);
    const executions = this.#executions?.of(known.id) ?? [];

    return { record: known, executions, row };
  }

  #complete(given: GivenRecord, stored: WholeRecord | undefined): WholeRecord {
    if (this.#executions) return completeTrade(given, stored, this.#settings);

    const { user, account = null } = this.#settings;
    const record = mergeRecord(
      this.#fields,
      given.record,
      stored?.record,
      this.#settings,
    );
    if (this.#hasAccount) record['account'] ??= account;
    if ('fx_rate' in record) clearBaseRate(record, user.base_currency);
    return { record, executions: [] };
  }

  /**
   * @param given values already checked by themselves
   * @param row for messages with the file's values
   */
  #check(record: Values, given: Readonly<Values>, row: Readonly<Values>): void {
    const issues: z.core.$ZodIssue[] = [];
    for (const field of this.#fields) {
      const value = record[field.name];
      if (value === undefined || value !== given[field.name])
        addIssues(field, value, issues);
    }
    if (issues.length > 0) throw explainIssues(issues, this.#shape, record);
    checkRules(this.#table, record, row);
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
        throw new RowError(
          field,
          `there is no ${title} with the id "${id}"; import it first`,
        );
      }
    }
  }

  #write(
    { record, executions }: WholeRecord,
    stored: StoredRecord | undefined,
    links: readonly FillLink[] | undefined,
  ): void {
    const { id } = record;
    const values = this.#fields.map(({ name, toSql }) =>
      toSql ? toSql(record[name]) : record[name],
    );
    try {
      if (stored) this.#update(id, values, stored.row);
      else this.#statements.insert.run(...values, this.#settings.user.id);
      if (!stored || !same(executions, stored.executions))
        this.#executions?.replace(id, executions, stored?.executions, links);
    } catch (error) {
      throw explainConstraint(error, record);
    }
  }

  /**
   * Writes the columns that differ: the others' indexes, checks and references cost most
   * of an update.
   */
  #update(id: string, values: readonly unknown[], row: readonly unknown[]): void {
    const changed: Values = {};
    this.#fields.forEach(({ name }, index) => {
      if (values[index] !== row[index]) changed[name] = values[index];
    });
    if (Object.keys(changed).length === 0) return;

    this.#rows.update(this.#table, { id }, changed);
    // The journal's trigger overwrites updated_at if an update leaves it unchanged.
    const updatedAt = this.#fields.findIndex(({ name }) => name === 'updated_at');
    if (changed['updated_at'] === undefined)
      this.#rows.update(this.#table, { id }, { updated_at: values[updatedAt] });
  }
}

function addIssues(
  { name, schema }: StoredField,
  value: unknown,
  issues: z.core.$ZodIssue[],
): void {
  for (const issue of schema.safeParse(value).error?.issues ?? [])
    issues.push({ ...issue, path: [name, ...issue.path] });
}

function statementsFor(
  db: Database.Database,
  table: string,
  fields: readonly StoredField[],
) {
  const names = fields.map(({ name }) => name);
  const byId = `user_id = ${TEXT} AND id = ${TEXT}`;

  return {
    find: db.prepare(`SELECT ${names.join(', ')} FROM ${table} WHERE ${byId}`).raw(),
    insert: db.prepare(
      `INSERT INTO ${table} (${names.join(', ')}, user_id)
        VALUES (${names.map(() => '?').join(', ')}, ?)`,
    ),
  };
}

interface Reference {
  field: string;
  find: Database.Statement;
  title: string;
}

/** The fields that refer to another table, by the schema. */
function referencesOf(db: Database.Database, table: string): Reference[] {
  const keys = db.pragma(`foreign_key_list(${table})`) as {
    from: string;
    table: string;
    to: string;
  }[];
  return keys
    .filter(({ from }) => from !== 'user_id')
    .map(({ from, table: other }) => ({
      field: from,
      find: db.prepare(`SELECT 1 FROM ${other} WHERE user_id = ${TEXT} AND id = ${TEXT}`),
      title: (
        RESOURCES.find((resource) => resource.table === other)?.title ?? other
      ).replace(/s$/, ''),
    }));
}

// Rules between the fields of a record, as data: those of schema.sql, with plain
// messages.

interface Rules {
  /** The second must not be before the first. */
  order?: readonly [string, string];
  closes?: true;
}

const RULES: Record<string, Rules> = {
  trades: { order: ['executed_at', 'closed_at'], closes: true },
  trade_groups: { order: ['opened_at', 'closed_at'], closes: true },
  sessions: { order: ['started_at', 'ended_at'] },
  weekly_reviews: { order: ['period_start', 'period_end'] },
};

/**
 * @param record to be written
 * @param row for messages with the file's values
 * @throws RowError
 */
function checkRules(
  table: string,
  record: Readonly<Values>,
  row: Readonly<Values>,
): void {
  const asGiven = (name: string) => row[name] ?? record[name];
  const { order, closes } = RULES[table] ?? {};
  if (closes) {
    const { status, closed_at: closedAt } = record;
    if (status === 'closed' && closedAt === null)
      throw new RowError('closed_at', 'is missing although status is closed');
    if (status === 'open' && closedAt !== null) {
      throw new RowError(
        'closed_at',
        `must be null while status is open; got ${quote(asGiven('closed_at'))}`,
      );
    }
  }

  if (order) {
    const [first, second] = order;
    const [from, to] = order.map((name) => record[name] as string | null);
    if (from != null && to != null && to < from) {
      throw new RowError(
        second,
        `must not be before ${first}: ${asGiven(second)} is before ${asGiven(first)}`,
      );
    }
  }

  if (record['status'] === 'closed' && Number(record['open_quantity']) > 0) {
    throw new RowError(
      'open_quantity',
      `must be 0 once status is closed; got ${record['open_quantity']}`,
    );
  }
}
