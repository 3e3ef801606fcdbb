/**
 * Records as what lines of the list of imports state of them: what a record should be by
 * all its statements, what another program wrote beyond them, and writing it again when a
 * statement goes.
 */

import { crc32 } from 'node:zlib';
import type Database from 'better-sqlite3';
import { PERSON_FIELDS } from '../journal/person-fields.ts';
import type { ListResource } from '../journal/resource.ts';
import { hasAccount } from '../journal/resources/cash-flows.ts';
import { tradeGroups } from '../journal/resources/trade-groups.ts';
import { trades } from '../journal/resources/trades.ts';
import {
  same,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from '../journal-write/record.ts';
import { RecordWriter } from '../journal-write/record-writer.ts';
import { UserRows } from '../sqlite/user-rows.ts';
import { AccountNames } from './account-settings.ts';
import { fold, isEmpty, itemKey, type Stated, type Statement } from './fold.ts';
import { factsNames, isCompact, StatementTable } from './statement-table.ts';
import { TradeAnchors } from './trade-anchors.ts';
import { datesOf, LegGroupTable, NAMES_TRADE } from './walked-trades.ts';

/** The tag of trades whose units came or went for a reason that no file states. */
export const UNSURE = 'unsure';

/** Excursions that hold only for the position that candles measured. */
export const MEASURED: readonly string[] = ['mae', 'mfe', 'mae_bound', 'mfe_bound'];

/** Beside excursions: of the position that was measured. */
export const MEASURE_OF = 'measured';

/** A record, with the executions of a trade as a field. */
export type Whole = Values;

export class StatedRecords {
  readonly table: StatementTable;
  readonly anchors: TradeAnchors;
  readonly db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #rows: UserRows;
  readonly #writers = new Map<ListResource, RecordWriter>();
  readonly #legs: LegGroupTable;
  #names: AccountNames | undefined;

  constructor(
    db: Database.Database,
    settings: WriteSettings,
    table = new StatementTable(db, settings.user.id),
  ) {
    this.db = db;
    // What lines state is complete: no default account, no zone.
    this.#settings = { ...settings, account: undefined, timeZone: undefined };
    this.#rows = new UserRows(db, settings.user.id);
    this.table = table;
    this.anchors = new TradeAnchors(db, settings.user.id);
    this.#legs = new LegGroupTable(db, settings.user.id, settings.now);
  }

  /** Renames of accounts have changed. */
  forgetNames(): void {
    this.#names = undefined;
  }

  find(resource: ListResource, id: string): Whole | undefined {
    const whole = this.#writerOf(resource).find(id);
    return whole && wholeOf(resource, whole);
  }

  isMade(resource: ListResource, id: string): boolean {
    return resource === trades && this.anchors.isMade(id);
  }

  /** Statements of a record; of a trade also those about trades that became it. */
  statementsOf(resource: ListResource, id: string, present: Whole = {}): Statement[] {
    const names = resource === trades ? this.anchors.namesOf(id) : [id];
    const all = names.flatMap((name) => {
      const rows = this.table.rowsOf(resource.path, name);
      return rows.map((row): Statement & { place: number | null } => ({
        line: row.import_id,
        kind: row.kind,
        path: row.path,
        record: name,
        place: row.place,
        stated: this.table.statedIn(row, resource, present),
      }));
    });
    if (names.length > 1)
      all.sort((a, b) => a.line - b.line || (a.kind < b.kind ? -1 : 1));
    return all;
  }

  /**
   * What a record is by its statements; undefined if they are of no whole record.
   * @param present as it is in the journal, from which what no line states follows
   */
  expected(
    resource: ListResource,
    id: string,
    statements: readonly Statement[],
    present?: Whole,
  ): Whole | undefined {
    if (present && this.isMade(resource, id))
      return this.#expectedTexts(id, statements, present);

    const { isWhole, values, words } = fold(this.table.kindsOf(resource), statements);
    if (!isWhole) return undefined;

    for (const [name, statements] of words)
      if (present && statements.every(({ verb }) => verb === 'default'))
        values[name] = present[name];
    const stated = this.#present(resource, id, values, present);
    return wholeOf(resource, this.#writerOf(resource).completed({ ...stated, id }));
  }

  /**
   * Values with the present names of accounts and trades, and what is computed from
   * others.
   */
  #present(
    resource: ListResource,
    id: string,
    values: Values,
    present: Whole | undefined,
  ): Values {
    const now = { ...values };
    for (const name of NAMES_TRADE)
      if (typeof now[name] === 'string') now[name] = this.anchors.tradeOf(now[name]);

    if (hasAccount(resource) && 'account' in now)
      now['account'] = this.#namesNow.of(now['account'] as string | null);
    if (resource === trades) return this.#presentTrade(id, now, present);
    if (resource === tradeGroups) return { ...now, ...this.#datesOf(id, present) };
    return now;
  }

  #presentTrade(id: string, values: Values, present: Whole | undefined): Values {
    const { [MEASURE_OF]: measured, ...now } = values;
    if (present && isEmpty(now['fx_rate']) && this.#isRated(id))
      now['fx_rate'] = present['fx_rate'];
    if (isEmpty(measured)) return now;

    const facts = omit(now, MEASURED);
    const whole = wholeOf(trades, this.#writerOf(trades).completed({ ...facts, id }));
    return measured === measureOf(whole) ? now : facts;
  }

  /** Dates of a group that follow from its legs. */
  #datesOf(id: string, present: Whole | undefined): Values {
    const legs = this.#legs.ofGroup(id);
    if (legs.length === 0) return {};
    const dates: Values = datesOf(legs);
    const isFollowing =
      !present || Object.keys(dates).every((name) => same(dates[name], present[name]));
    return isFollowing ? dates : {};
  }

  /** A trade made from fills with what persons wrote: its facts are the walk's. */
  #expectedTexts(id: string, statements: readonly Statement[], present: Whole): Whole {
    const { values } = fold(this.table.kindsOf(trades), statements);
    const texts = this.#textsOf(values, present);
    const byRecord = Map.groupBy(statements, ({ record }) => record);
    if (byRecord.size > 1) texts['notes'] = this.#joinedNotes(texts, byRecord, present);
    texts['group_id'] = 'group_id' in values ? values['group_id'] : this.#foundGroup(id);
    texts['tags'] = tagsNow(
      texts['tags'] as readonly string[],
      present['tags'] as string[],
    );
    return { ...present, ...texts };
  }

  /**
   * Notes of trades that became one, with what else was said of each and doesn't show.
   */
  #joinedNotes(
    texts: Values,
    byRecord: ReadonlyMap<string, readonly Statement[]>,
    present: Whole,
  ): string | null {
    const kinds = this.table.kindsOf(trades);
    const shown = kinds.flat(texts);
    const notes = [texts['notes']];
    for (const [record, statements] of byRecord) {
      const theirs = kinds.flat(this.#textsOf(fold(kinds, statements).values, present));
      for (const [name, value] of Object.entries(theirs)) {
        if (name === 'notes') notes.push(value);
        else if (isPrinted(name, value) && !same(value, shown[name]))
          notes.push(`${name} of ${record}: ${value}`);
      }
    }

    return [...new Set(notes.filter((text) => !isEmpty(text)))].join('\n\n') || null;
  }

  /** All fields that persons write, empty ones too. */
  #textsOf(values: Values, present: Whole): Values {
    const measured = values[MEASURE_OF];
    const isOther = !isEmpty(measured) && measured !== measureOf(present);

    return Object.fromEntries(
      PERSON_FIELDS.map((name) => {
        const value = isOther && MEASURED.includes(name) ? null : (values[name] ?? null);
        return [name, value ?? emptyLike(present[name])];
      }),
    );
  }

  #foundGroup(id: string): string | null {
    const [row] = this.#rows.where<{ group_id: string }>(
      'SELECT group_id FROM found_groups',
      {
        execution_id: id,
      },
    );
    return row && this.#rows.has('trade_groups', { id: row.group_id })
      ? row.group_id
      : null;
  }

  #isRated(id: string): boolean {
    return this.#rows.has('rated_trades', { trade_id: id });
  }

  get #namesNow(): AccountNames {
    this.#names ??= new AccountNames(this.db, this.#settings.user.id);
    return this.#names;
  }

  /** What another program wrote beyond what lines state. @param before what they state */
  foreignIn(
    resource: ListResource,
    id: string,
    present: Whole,
    expected: Whole | undefined,
  ): Stated {
    const isMade = this.isMade(resource, id);
    const kinds = this.table.kindsOf(resource);
    const names = isMade
      ? PERSON_FIELDS
      : [...factsNames(resource), ...(resource === trades ? ['executions'] : [])];
    const pick = (of: Whole) =>
      kinds.flat(Object.fromEntries(names.map((name) => [name, of[name] ?? null])));
    const now = pick(present);
    const before = expected ? pick(expected) : {};
    const foreign: Stated = {};

    for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const [was, is] = [before[name], now[name]];
      if (same(was, is) || (isEmpty(was) && isEmpty(is))) continue;
      if (!kinds.isList(name)) foreign[name] = is ?? null;
      else Object.assign(foreign, itemsIn(name, was, is));
    }

    if (isMade) dropUnsure(foreign);
    return foreign;
  }

  /**
   * Whether another program wrote what a line states, where the statement has no values
   * of its own: since then the record was written at another time than that of any line.
   * Rates fill trades in other currencies, and files may state times of writing: there it
   * can't be known.
   */
  isWrittenSince(
    resource: ListResource,
    id: string,
    lines: readonly number[],
    present: Whole,
  ): boolean {
    const compact = this.table
      .rowsOf(resource.path, id)
      .filter(
        (row) => row.kind === 'stated' && isCompact(row) && lines.includes(row.import_id),
      );
    const [row] = compact;
    if (!row || this.isMade(resource, id)) return false;
    const { base_currency: base } = this.#settings.user;
    if ('fx_rate' in present && present['currency'] !== base) return false;

    const names = this.table.namedBy(row.import_id, resource);
    if (!names || names.includes('created_at')) return false;

    return !this.#isOfLine(present['updated_at']);
  }

  /** Whether a line wrote a record last, rather than another program, or an undo. */
  isWrittenByLine({ table }: ListResource, id: string): boolean {
    const [row] = this.#rows.where<{ at: string }>(
      `SELECT updated_at AS at FROM ${table}`,
      { id },
    );
    return row !== undefined && this.#isOfLine(row.at);
  }

  #isOfLine(writtenAt: unknown): boolean {
    return this.#rows.has('imports', { imported_at: writtenAt });
  }

  /**
   * Names of fields that other programs wrote of a record between its lines, and that
   * aren't empty.
   */
  foreignOf(resource: ListResource, id: string): string[] {
    const names = resource === trades ? this.anchors.namesOf(id) : [id];
    const rows = names.flatMap((name) => this.table.rowsOf(resource.path, name));
    const present = this.table.kindsOf(resource).flat(this.find(resource, id) ?? {});
    const written = rows.flatMap(({ kind, fields }) =>
      kind === 'foreign'
        ? Object.keys((JSON.parse(fields ?? 'null') as Stated | null) ?? {})
        : [],
    );
    return nonEmpty(written, present).filter((name) => name !== 'created_at');
  }

  /**
   * Call it before a record is overwritten or removed: what another program wrote becomes
   * a foreign statement, and its lines state values of their own.
   * @param line the next one
   */
  capture(
    resource: ListResource,
    id: string,
    line: number,
    present = this.find(resource, id),
  ): void {
    if (!present) return;

    const isMade = this.isMade(resource, id);
    for (const name of resource === trades ? this.anchors.namesOf(id) : [id])
      this.table.makeExplicit(resource, name, present);
    const statements = this.statementsOf(resource, id, present).filter(
      ({ line: before }) => before <= line,
    );
    const expected = this.expected(resource, id, statements, present);
    const foreign = this.foreignIn(resource, id, present, expected);
    if (Object.keys(foreign).length === 0) return;

    const name = isMade ? (this.anchors.namesOf(id)[0] ?? id) : id;
    if (isMade) this.holdNew(name);
    this.table.addForeign(resource.path, name, line, foreign);
    for (const named of NAMES_TRADE)
      if (typeof foreign[named] === 'string') this.holdNew(foreign[named]);
  }

  /**
   * Remembers a trade by what it holds now, unless something was said about it before.
   */
  holdNew(trade: string): void {
    if (!this.#rows.has('stated_trades', { id: trade })) this.anchors.hold(trade);
  }

  /**
   * Writes a record as its statements have it now.
   * @param statements by default all of them
   * @throws RowError if it can't be written; UserError if it goes and others refer to it
   */
  refold(resource: ListResource, id: string): 'added' | 'changed' | 'unchanged' | 'gone' {
    const present = this.find(resource, id);
    const statements = this.statementsOf(resource, id, present);
    const expected = this.expected(resource, id, statements, present);
    if (!expected) return 'gone';

    const writer = this.#writerOf(resource);
    if (!present || !this.isMade(resource, id)) {
      return writer.rewrite({
        ...expected,
        ...this.#dated(resource, statements, present),
      });
    }

    return writer.put({
      id,
      ...Object.fromEntries(PERSON_FIELDS.map((name) => [name, expected[name]])),
    });
  }

  /**
   * Times of writing: it was created by the first line that states it whole, unless one
   * states when.
   */
  #dated(
    resource: ListResource,
    statements: readonly Statement[],
    present: Whole | undefined,
  ): Values {
    const since = statements.slice(
      statements.findLastIndex(({ kind }) => kind === 'removed') + 1,
    );
    const dated = (statement: Statement) => !isEmpty(statement.stated?.['created_at']);
    const stated =
      since.findLast((statement) => statement.kind === 'stated' && dated(statement)) ??
      statements.find(dated);
    const kinds = this.table.kindsOf(resource);
    const first = since.find((statement) => kinds.isWhole(statement));
    const isOurs =
      first?.kind === 'stated' && first.stated?.['created_at?'] === undefined;
    const [line] = isOurs
      ? this.#rows.where<{ imported_at: string }>('SELECT imported_at FROM imports', {
          id: first.line,
        })
      : [];

    return {
      created_at:
        (stated?.kind === 'stated' ? stated.stated?.['created_at'] : line?.imported_at) ??
        present?.['created_at'] ??
        stated?.stated?.['created_at'],
      updated_at: present?.['updated_at'],
    };
  }

  #writerOf(resource: ListResource): RecordWriter {
    const writer =
      this.#writers.get(resource) ?? new RecordWriter(this.db, resource, this.#settings);
    this.#writers.set(resource, writer);
    return writer;
  }
}

/** Names of statements as fields, without those that are empty in a record. */
export function nonEmpty(names: readonly string[], present: Whole): string[] {
  const fields = new Set(names.map((name) => name.replace(/[+?-]$/, '')));
  return [...fields].filter((name) => !isEmpty(present[name]));
}

/** The empty value of a list, of fields by name, or of any other field. */
function emptyLike(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
}

/** Whether another trade's value is printed in the notes of the one that it became. */
function isPrinted(name: string, value: unknown): boolean {
  return (
    !Array.isArray(value) &&
    !isEmpty(value) &&
    name !== 'group_id' &&
    !MEASURED.includes(name)
  );
}

/** Tags by what is stated; whether a trade is unsure follows from its files. */
function tagsNow(
  stated: readonly string[],
  present: readonly string[],
): readonly string[] {
  const others = stated.filter((tag) => tag !== UNSURE);
  const now = present.includes(UNSURE) ? [...others, UNSURE] : others;
  return same(present.toSorted(), now.toSorted()) ? present : now;
}

function omit(values: Readonly<Values>, names: readonly string[]): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !names.includes(name)),
  );
}

export function wholeOf(
  resource: ListResource,
  { record, executions }: WholeRecord,
): Whole {
  return resource === trades ? { ...record, executions } : record;
}

/**
 * A number for the position that a trade is: excursions are those of exactly this one.
 */
export function measureOf(trade: Whole): number {
  const { side, multiplier, executed_at, closed_at, quantity, entry_price, exit_price } =
    trade;
  const executions = (trade['executions'] ?? []) as readonly Values[];
  const fills = executions.map((execution) => [
    execution['executed_at'],
    execution['side'],
    execution['quantity'],
    execution['price'],
  ]);

  return crc32(
    JSON.stringify([
      side,
      multiplier,
      executed_at,
      closed_at,
      quantity,
      entry_price,
      exit_price,
      fills,
    ]),
  );
}

/** Items that a list got and lost. */
export function itemsIn(name: string, was: unknown, is: unknown): Stated {
  const [before, now] = [was, is].map((list) => (list ?? []) as readonly unknown[]) as [
    unknown[],
    unknown[],
  ];
  const added = now.filter((item) => !before.some((other) => same(other, item)));
  const keys = new Set(now.map(itemKey));
  const taken = before.filter((item) => !keys.has(itemKey(item)));

  return {
    ...(added.length > 0 && { [`${name}+`]: added }),
    ...(taken.length > 0 && { [`${name}-`]: taken }),
  };
}

function dropUnsure(foreign: Stated): void {
  for (const name of ['tags+', 'tags-']) {
    const left = ((foreign[name] ?? []) as string[]).filter((tag) => tag !== UNSURE);
    if (left.length > 0) foreign[name] = left;
    else delete foreign[name];
  }
}
