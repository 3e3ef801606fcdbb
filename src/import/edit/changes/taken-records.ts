/**
 * Takes the records that an import states back to where they were before it, so that its file can be imported again, or as before. Then
 * what later lines of the list wrote is put on the records of the same rows.
 */
import type Database from 'better-sqlite3';
import { UserError } from '../../../errors.ts';
import {
  FORMER,
  forgetPresent,
  NAMES_TRADE,
  repoint,
  TradeIds,
  WRITTEN_FIELDS,
} from '../../../import-tables/walked-trades.ts';
import type { ListResource } from '../../../journal/resource.ts';
import { RESOURCES } from '../../../journal/resources/index.ts';
import { tradeGroups } from '../../../journal/resources/trade-groups.ts';
import { trades } from '../../../journal/resources/trades.ts';
import { same, type Values, type WholeRecord, type WriteSettings } from '../../../journal-write/record.ts';
import { RecordWriter } from '../../../journal-write/record-writer.ts';
import { GroupDates } from './group-dates.ts';

/** A row of import_records. */
export interface Statement {
  import_id: number;
  resource: string;
  record_id: string;
  change: 'added' | 'changed' | 'unchanged' | 'removed';
  before: string | null;
  after: string | null;
  path: string | null;
  place: number | null;
  account: string | null;
  /** Missing in changes that an earlier version kept. */
  clock?: string | null;
  digits?: number | null;
}

/** What a change did to a record of an import, for its undo. */
export interface ReplacedRecord {
  resource: string;
  /** Its ids before and after; null: it wasn't in the journal, or isn't any more. */
  from: string | null;
  to: string | null;
  /** By the import, before. */
  statement: Statement | null;
  /** The different fields; all of them if the import's record isn't there after. */
  before: Values;
  after: Values;
}

export interface Taken {
  resource: string;
  id: string;
  statement: Statement | undefined;
  /** As the import left it, without what later lines wrote. Executions are a field. */
  left: Values;
  /** Undefined: it was removed later. */
  present: Values | undefined;
  /** Number of a trade's row, which it keeps. */
  row: number | undefined;
  later: Statement[];
}

/** A taken record, and the id that it has afterwards; undefined: none. */
export type Pair = readonly [Taken, string | undefined];

const COLUMNS = 'import_id, resource, record_id, change, before, after, path, place, account, clock, digits';

export class TakenRecords {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #ids: TradeIds;
  readonly #writers = new Map<string, RecordWriter>();
  readonly #groups: GroupDates;
  readonly #highest: number;

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#db = db;
    this.#settings = settings;
    this.#ids = new TradeIds(db, settings.user.id);
    this.#groups = new GroupDates(db, settings);
    this.#highest = Number(db.prepare('SELECT max(rowid) FROM trades').pluck().get() ?? 0);
  }

  statementsOf(importId: number): Statement[] {
    return this.#statements('import_id = ? ORDER BY resource, place, record_id', importId);
  }

  /** @param bare records that the import doesn't state: only what later lines wrote is taken from them */
  take(importId: number, statements: readonly Statement[], bare: readonly { resource: string; id: string }[] = []) {
    const taken = [
      ...statements.map((own) => this.#found(importId, own.resource, own.record_id, own)),
      ...bare.map(({ resource, id }) => this.#found(importId, resource, id, undefined)),
    ];
    for (const own of taken) this.#rewind(importId, own);
    return taken;
  }

  #found(importId: number, resource: string, id: string, statement: Statement | undefined): Taken {
    const present = this.find(resource, id);
    const later = this.#statements(
      'resource = ? AND record_id = ? AND import_id > ? ORDER BY import_id',
      resource,
      id,
      importId,
    );
    // Read again after a later line added the record, the import changed what that line had added.
    if (statement?.change !== 'added' && later[0]?.change === 'added') later.shift();
    let left = present;
    for (const own of later.toReversed()) {
      if (own.change === 'added') left = undefined;
      else if (own.change === 'removed') left = parsed(own.before);
      else if (this.#isReplayed(own)) left = { ...left, ...parsed(own.before) };
    }
    const isTrade = resource === trades.path;
    if (isTrade && left && this.#one('SELECT 1 FROM rated_trades WHERE user_id = ? AND trade_id = ?', id))
      left['fx_rate'] = null;
    const row = isTrade
      ? (this.#one('SELECT rowid FROM trades WHERE user_id = ? AND id = ?', id) as number)
      : undefined;
    return { ...{ resource, id, statement, left: { ...left }, present, row, later } };
  }

  #rewind(importId: number, { resource, id, statement, left, present, later }: Taken): void {
    if (resource === trades.path && present) this.#groups.remember(present['group_id'] as string | null);
    const remove = this.#db.prepare(
      'DELETE FROM import_records WHERE user_id = ? AND resource = ? AND record_id = ? AND import_id = ?',
    );
    for (const line of [importId, ...later.map((own) => own.import_id)])
      remove.run(this.#settings.user.id, resource, id, line);
    if (statement?.change !== 'added') {
      if (Object.keys(left).length > 0) this.overwrite(resource, { ...left, ...parsed(statement?.before ?? null) });
      return;
    }
    this.#remove(resource, id);
    if (resource === trades.path) this.#ids.park(id);
  }

  /**
   * @param stated fields that the file states of a record: others that another program wrote stay
   * @throws UserError if something was written about a record that has no row any more
   */
  carry(
    importId: number,
    pairs: readonly Pair[],
    stated?: (own: Taken) => ReadonlySet<string> | undefined,
  ): ReplacedRecord[] {
    const replaced = pairs.flatMap(([own, to]): ReplacedRecord[] => {
      const { resource, id, statement = null, left } = own;
      const isLost = (name: string) => this.#isUnstated(resource, name, stated?.(own)) && !isEmpty(left[name]);
      if (to === undefined) {
        this.#refuseLost(own, isLost);
        return [{ resource, from: id, to: null, statement, before: left, after: {} }];
      }
      const made = { ...this.find(resource, to) };
      // One that this import didn't add, and another program removed.
      if (made['id'] === undefined) return [];
      for (const name of Object.keys(made)) if (isLost(name) && !same(made[name], left[name])) made[name] = left[name];
      this.#put(own, to, { ...made });
      const differing = Object.keys(made).filter((name) => !STAMPS.includes(name) && !same(made[name], left[name]));
      const [now] = this.#statements('import_id = ? AND resource = ? AND record_id = ?', importId, resource, to);
      if (id === to && differing.length === 0 && same({ ...now }, { ...statement })) return [];
      const pick = (values: Values) => Object.fromEntries(differing.map((name) => [name, values[name] ?? null]));
      // A record that another one replaced is gone as a whole.
      const isGone = statement?.change === 'added' && now?.change !== 'added';
      return [{ resource, from: id, to, statement, before: isGone ? left : pick(left), after: pick(made) }];
    });
    this.#keepRows(importId, pairs);
    const ofTrades = pairs.flatMap(([{ resource, id }, to]) =>
      resource === trades.path && to !== undefined ? [[id, to] as const] : [],
    );
    repoint(this.#db, this.#settings.user.id, NAMES_TRADE, new Map(ofTrades));
    forgetPresent(this.#db, this.#settings.user.id);
    const known = new Set(pairs.map(([{ resource }, to]) => `${resource} ${to}`));
    const fresh = this.statementsOf(importId).filter((own) => !known.has(`${own.resource} ${own.record_id}`));
    const others = fresh.map(({ resource, record_id: to, change }) => {
      return { resource, from: change === 'added' ? null : to, to, statement: null, before: {}, after: {} };
    });
    return [...replaced, ...others];
  }

  /** Puts later lines on a record, and their statements. */
  #put({ resource, id, statement, present, later }: Taken, to: string, made: Values): void {
    let state = made;
    for (const own of later) {
      let before = own.before;
      const after = parsed(own.after) ?? {};
      if (own.change === 'added') state = { ...present };
      if (own.change === 'removed') before = JSON.stringify(state);
      if (this.#isReplayed(own)) {
        before = JSON.stringify(Object.fromEntries(Object.keys(after).map((name) => [name, state[name] ?? null])));
        state = { ...state, ...after };
      }
      this.state({ ...own, record_id: to, before });
    }
    if (statement?.change === 'added' && resource === trades.path) this.#ids.give(id, to);
    if (statement?.change === 'added' && resource === tradeGroups.path && id !== to)
      for (const table of ['trades', 'group_journals'])
        this.#db
          .prepare(`UPDATE ${table} SET group_id = ? WHERE user_id = ? AND group_id = ?`)
          .run(to, this.#settings.user.id, id);
    if (!present) return this.#remove(resource, to);
    const isSame = Object.keys(state).every((name) => STAMPS.includes(name) || same(state[name], present[name]));
    const { now } = this.#settings;
    if (isSame || state['created_at'] === now) state['created_at'] = present['created_at'];
    state['updated_at'] = isSame ? present['updated_at'] : now;
    this.overwrite(resource, { ...state, id: to });
  }

  /** Whether a program may have written a field that the file doesn't state. */
  #isUnstated(resource: string, name: string, stated: ReadonlySet<string> | undefined): boolean {
    if (stated === undefined || stated.has(name) || STAMPS.includes(name)) return false;
    return resource !== trades.path || (WRITTEN_FIELDS as readonly string[]).includes(name);
  }

  #refuseLost({ resource, id, later, left }: Taken, isLost: (name: string) => boolean): void {
    const what = `${id} (${resource}) has no row in the file as it would be read`;
    const [line] = later;
    if (line)
      throw new UserError(
        `${what}, but import ${line.import_id} wrote on it; undo that first: journal-api import undo ${line.import_id}`,
      );
    const mentions =
      resource === trades.path
        ? this.#db
            .prepare(MENTIONS)
            .pluck()
            .get({ user: this.#settings.user.id, id: FORMER + id })
        : 0;
    const written = [...Object.keys(left).filter(isLost), ...(mentions ? ['journal entries or weekly reviews'] : [])];
    if (written.length > 0)
      throw new UserError(`${what}, and its ${written.join(', ')} would be lost; remove them first`);
  }

  /** Trades keep the numbers of their rows, by which keys are compared before and after. */
  #keepRows(importId: number, pairs: readonly Pair[]): void {
    const user = this.#settings.user.id;
    const move = this.#db
      .prepare('UPDATE trades SET rowid = ? WHERE user_id = ? AND id = ? RETURNING updated_at')
      .pluck();
    const touch = this.#db.prepare('UPDATE trades SET updated_at = ? WHERE user_id = ? AND id = ?');
    const rows = new Map(pairs.flatMap(([{ row }, to]) => (row === undefined || to === undefined ? [] : [[to, row]])));
    const own = this.statementsOf(importId).filter(
      ({ resource, change }) => resource === trades.path && change === 'added',
    );
    // Rows that are free again may have been taken by others.
    const stamps = own.map(({ record_id: id }, place) => move.get(-1 - place, user, id));
    let free = Math.max(this.#highest, Number(this.#db.prepare('SELECT max(rowid) FROM trades').pluck().get() ?? 0));
    for (const [place, { record_id: id }] of own.entries()) {
      move.get(rows.get(id) ?? ++free, user, id);
      // The journal's trigger stamps each update.
      touch.run(stamps[place], user, id);
    }
  }

  /** Groups get the dates of their legs, unless the user gave them others. Call it at the end. */
  settleGroups(): void {
    this.#groups.settle();
  }

  /** The stored record, with executions as a field. */
  find(resource: string, id: string): Values | undefined {
    const whole = this.#writerOf(resource).find(id);
    return whole && (resource === trades.path ? { ...whole.record, executions: whole.executions } : whole.record);
  }

  overwrite(resource: string, { executions = [], ...record }: Values): void {
    this.#writerOf(resource).overwrite({ record, executions: executions as WholeRecord['executions'] });
  }

  state(own: Statement): void {
    this.#db
      .prepare(`INSERT INTO import_records (user_id, ${COLUMNS}) VALUES (?${', ?'.repeat(COLUMNS.split(',').length)})`)
      .run(this.#settings.user.id, ...COLUMNS.split(', ').map((name) => own[name as keyof Statement] ?? null));
  }

  #remove(resource: string, id: string): void {
    this.#db
      .prepare(`DELETE FROM ${storedNamed(resource).table} WHERE user_id = ? AND id = ?`)
      .run(this.#settings.user.id, id);
  }

  /** Renames of accounts follow from what the file states. */
  #isReplayed({ change, import_id }: Statement): boolean {
    return (
      change === 'changed' &&
      this.#one("SELECT 1 FROM imports WHERE user_id = ? AND id = ? AND format = 'account'", import_id) === undefined
    );
  }

  #writerOf(resource: string): RecordWriter {
    const writer = this.#writers.get(resource) ?? new RecordWriter(this.#db, storedNamed(resource), this.#settings);
    this.#writers.set(resource, writer);
    return writer;
  }

  #statements(condition: string, ...values: unknown[]): Statement[] {
    return this.#db
      .prepare(`SELECT ${COLUMNS} FROM import_records WHERE user_id = ? AND ${condition}`)
      .all(this.#settings.user.id, ...values) as Statement[];
  }

  #one(sql: string, ...values: unknown[]): unknown {
    return this.#db
      .prepare(sql)
      .pluck()
      .get(this.#settings.user.id, ...values);
  }
}

/** Fields that a change may change. */
const STAMPS = ['created_at', 'updated_at'];

const MENTIONS = `SELECT 1 FROM (SELECT trade_id AS id FROM trade_journals WHERE user_id = @user UNION ALL
  SELECT best_trade_id FROM weekly_reviews WHERE user_id = @user UNION ALL SELECT worst_trade_id FROM weekly_reviews WHERE user_id = @user)
  WHERE id = @id`;

function parsed(text: string | null): Values | undefined {
  return text === null ? undefined : JSON.parse(text);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function storedNamed(path: string): ListResource {
  return RESOURCES.find((own) => own.path === path) as ListResource;
}
