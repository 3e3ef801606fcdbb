/** The journal's trades made from fills, and the user's text on them. */

import type Database from 'better-sqlite3';
import type { Trade } from '../journal/resources/trades.ts';
import type { Values } from '../journal-write/record.ts';
import type { Fill } from './fill-row.ts';

// Trades as legs, and their groups, as imports read and write them.

export interface LegTrade
  extends Pick<
    Trade,
    | 'id'
    | 'account'
    | 'symbol'
    | 'market'
    | 'side'
    | 'status'
    | 'executed_at'
    | 'closed_at'
    | 'quantity'
    | 'entry_price'
    | 'multiplier'
    | 'currency'
    | 'underlying'
    | 'expiration'
    | 'strike'
    | 'option_type'
    | 'group_id'
  > {
  /** The group that an import found for it; null: none. A different group_id is the user's decision. */
  found: string | null;
}

/** The opening of a leg: its order, if a file names it, and its instant, if a file states a time. */
export interface Opening {
  platform: string;
  order_id: string | null;
  instant: string | null;
}

export type OpenedLeg = LegTrade & { order_id: string | null };

const LEG = `t.id, t.account, t.symbol, t.market, t.side, t.status, t.executed_at, t.closed_at, t.quantity, t.entry_price, t.multiplier,
  t.currency, t.underlying, t.expiration, t.strike, t.option_type, t.group_id, g.group_id AS found`;

const FOUND = 'LEFT JOIN found_groups AS g ON g.user_id = t.user_id AND g.execution_id = t.id';

/** Condition of a fill that opens a leg: a whole trade. */
const OPENS = "f.part IS NULL AND f.kind = 'trade'";

const OPENING = 'f.platform, f.order_id, iif(f.has_time = 1, f.executed_at, NULL) AS instant';

/** References to the id of a group. */
const GROUP_IDS = [
  ['trade_groups', 'id'],
  ['trades', 'group_id'],
  ['group_journals', 'group_id'],
  ['found_groups', 'group_id'],
  ['import_records', 'record_id'],
] as const;

/** Statements that replace an id wherever it stands. */
function referring(
  db: Database.Database,
  columns: readonly (readonly [string, string])[],
  resource: string,
): Database.Statement[] {
  return columns.map(([table, column]) => {
    const own = table === 'import_records' ? ` AND resource = '${resource}'` : '';
    return db.prepare(`UPDATE ${table} SET ${column} = @to WHERE user_id = @user AND ${column} = @from${own}`);
  });
}

function legStatements(db: Database.Database) {
  return {
    find: db.prepare(`SELECT ${LEG} FROM trades AS t ${FOUND} WHERE t.user_id = ? AND t.id = ?`),
    ofGroup: db.prepare(
      `SELECT ${LEG} FROM trades AS t ${FOUND} WHERE t.user_id = ? AND t.group_id = ? ORDER BY t.executed_at, t.id`,
    ),
    byOrder: db.prepare(
      `SELECT ${LEG}, f.order_id FROM fills AS f CROSS JOIN trades AS t ON t.user_id = f.user_id AND t.id = f.execution_id ${FOUND}
       WHERE f.user_id = @user AND f.platform = @platform AND f.order_id = @orderId AND ${OPENS} ORDER BY t.id`,
    ),
    atInstant: db.prepare(
      `SELECT ${LEG}, f.order_id FROM trades AS t CROSS JOIN fills AS f ON f.user_id = t.user_id AND f.execution_id = t.id ${FOUND}
       WHERE t.user_id = @user AND t.executed_at = @instant AND f.platform = @platform AND f.has_time = 1 AND ${OPENS} ORDER BY t.id`,
    ),
    opening: db.prepare(`SELECT ${OPENING} FROM fills AS f WHERE f.user_id = ? AND f.execution_id = ? AND ${OPENS}`),
    ofOptions: db.prepare(
      `SELECT DISTINCT ${OPENING} FROM trades AS t CROSS JOIN fills AS f ON f.user_id = t.user_id AND f.execution_id = t.id
       WHERE t.user_id = ? AND t.market = 'option' AND ${OPENS}`,
    ),
    hasOptions: db.prepare("SELECT EXISTS (SELECT 1 FROM trades WHERE user_id = ? AND market = 'option')").pluck(),
    hasFound: db.prepare('SELECT EXISTS (SELECT 1 FROM found_groups WHERE user_id = ?)').pluck(),
    hasGroups: db.prepare('SELECT EXISTS (SELECT 1 FROM trade_groups WHERE user_id = ?)').pluck(),
    setGroup: db.prepare('UPDATE trades SET group_id = ? WHERE user_id = ? AND id = ?'),
    // Separate, since the journal's trigger overwrites updated_at if an update leaves it unchanged.
    touch: db.prepare('UPDATE trades SET updated_at = ? WHERE user_id = ? AND id = ?'),
    setFound: db.prepare('INSERT OR REPLACE INTO found_groups (user_id, execution_id, group_id) VALUES (?, ?, ?)'),
    forget: db.prepare('DELETE FROM found_groups WHERE user_id = ? AND execution_id = ?'),
    journals: db.prepare('SELECT count(*) FROM group_journals WHERE user_id = ? AND group_id = ?').pluck(),
    rename: referring(db, GROUP_IDS, 'trade-groups'),
    moveJournals: db.prepare(
      'UPDATE group_journals SET group_id = @to, updated_at = @now WHERE user_id = @user AND group_id = @from',
    ),
  };
}

export class LegGroupTable {
  readonly #db: Database.Database;
  readonly #user: string;
  readonly #sql: ReturnType<typeof legStatements>;
  readonly #now: string;

  /** @param now as text, for updated_at */
  constructor(db: Database.Database, user: string, now: string) {
    this.#user = user;
    this.#now = now;
    this.#db = db;
    this.#sql = legStatements(db);
  }

  find(tradeId: string): LegTrade | undefined {
    return this.#sql.find.get(this.#user, tradeId) as LegTrade | undefined;
  }

  ofGroup(groupId: string): LegTrade[] {
    return this.#sql.ofGroup.all(this.#user, groupId) as LegTrade[];
  }

  openedBy(platform: string, orderId: string): OpenedLeg[] {
    return this.#sql.byOrder.all({ user: this.#user, platform, orderId }) as OpenedLeg[];
  }

  openedAt(platform: string, instant: string): OpenedLeg[] {
    return this.#sql.atInstant.all({ user: this.#user, platform, instant }) as OpenedLeg[];
  }

  /** The opening of a trade; undefined if it wasn't made from fills. */
  openingOf(tradeId: string): Opening | undefined {
    return this.#sql.opening.get(this.#user, tradeId) as Opening | undefined;
  }

  openingsOfOptions(): Opening[] {
    return this.#sql.ofOptions.all(this.#user) as Opening[];
  }

  hasOptions(): boolean {
    return this.#sql.hasOptions.get(this.#user) === 1;
  }

  /** Whether any import has found a group. */
  hasFound(): boolean {
    return this.#sql.hasFound.get(this.#user) === 1;
  }

  hasGroups(): boolean {
    return this.#sql.hasGroups.get(this.#user) === 1;
  }

  put(tradeId: string, groupId: string | null): void {
    this.#sql.setGroup.run(groupId, this.#user, tradeId);
    this.#sql.touch.run(this.#now, this.#user, tradeId);
  }

  /** Stores the group that an import found for a trade; null: none. */
  setFound(tradeId: string, groupId: string | null): void {
    if (groupId === null) this.#sql.forget.run(this.#user, tradeId);
    else this.#sql.setFound.run(this.#user, tradeId, groupId);
  }

  hasJournals(groupId: string): boolean {
    return Number(this.#sql.journals.get(this.#user, groupId)) > 0;
  }

  moveJournals(from: string, to: string): void {
    this.#sql.moveJournals.run({ from, to, user: this.#user, now: this.#now });
  }

  /** Gives a group another id, with what refers to it but lines of the list. */
  rename(from: string, to: string): void {
    for (const statement of this.#sql.rename) statement.run({ from, to, user: this.#user });
  }

  /** @param ids of renamed groups, by former id */
  repoint(ids: ReadonlyMap<string, string>): void {
    repoint(this.#db, this.#user, ['group_id'], ids);
  }
}

/** Lines of the list of imports that restore a reference to a renamed record restore the present one. */
export function repoint(
  db: Database.Database,
  user: string,
  fields: readonly string[],
  ids: ReadonlyMap<string, string>,
): void {
  if (![...ids].some(([from, to]) => from !== to)) return;
  const rows = db
    .prepare(
      `SELECT import_id, resource, record_id, before, after FROM import_records WHERE user_id = ? AND resource <> 'imports'
         AND change IN ('changed', 'removed') AND (${fields.map((name) => `before ->> '${name}' IS NOT NULL OR after ->> '${name}' IS NOT NULL`).join(' OR ')})`,
    )
    .all(user) as Record<'import_id' | 'resource' | 'record_id' | 'before' | 'after', string | null>[];
  const set = db.prepare(
    'UPDATE import_records SET before = @before, after = @after WHERE user_id = @user AND import_id = @import_id AND resource = @resource AND record_id = @record_id',
  );
  const present = (text: string | null) => {
    const values = text === null ? null : (JSON.parse(text) as Values | null);
    if (values)
      for (const name of fields) if (ids.has(values[name] as string)) values[name] = ids.get(values[name] as string);
    return values && JSON.stringify(values);
  };
  for (const row of rows) set.run({ ...row, user, before: present(row.before), after: present(row.after) });
}

/** The opening by a fill; undefined unless it is a trade. */
export function openingBy({ platform, order_id, executed_at, has_time, kind }: Fill): Opening | undefined {
  return kind === 'trade' ? { platform, order_id, instant: has_time ? executed_at : null } : undefined;
}

/**
 * The dates of a group by its legs.
 * @param legs at least one
 */
export function datesOf(legs: readonly LegTrade[]): {
  status: string;
  opened_at: string;
  closed_at: string | null;
} {
  const isOpen = legs.some(({ status }) => status === 'open');
  const times = legs.map(({ executed_at }) => executed_at).sort();
  const closes = legs.flatMap(({ closed_at }) => closed_at ?? []).sort();
  return {
    status: isOpen ? 'open' : 'closed',
    opened_at: times[0] as string,
    closed_at: isOpen ? null : (closes.at(-1) as string),
  };
}

/** Fields that only the user writes. */
export const WRITTEN_FIELDS = [
  'setup',
  'timeframe',
  'tags',
  'mistakes',
  'rating',
  'notes',
  'group_id',
  'initial_risk',
  'stop_loss',
  'take_profit',
  'mae',
  'mfe',
  'mae_bound',
  'mfe_bound',
] as const;

export interface StoredTrade {
  /** Raw columns, but tags and mistakes as lists. */
  record: Values;
  executions: Values[];
  /** The fills of the executions; null for those not made from fills. */
  fillIds: (string | null)[];
  /** Whether it is in the group that an import found for it. */
  isInFoundGroup: boolean;
  /** Whether its fx_rate is from the user's exchange rates, not its own. */
  isRated: boolean;
  mentions: number;
}

function tradeStatements(db: Database.Database) {
  return {
    find: db.prepare('SELECT * FROM trades WHERE user_id = ? AND id = ?'),
    rated: db.prepare('SELECT 1 FROM rated_trades WHERE user_id = ? AND trade_id = ?'),
    found: db.prepare('SELECT 1 FROM found_groups WHERE user_id = ? AND execution_id = ? AND group_id = ?'),
    executions: db.prepare(
      'SELECT executed_at, side, quantity, price, fees, fill_id FROM executions WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position',
    ),
    mentions: db
      .prepare(
        `SELECT (SELECT count(*) FROM trade_journals WHERE user_id = @user AND trade_id = @id)
              + (SELECT count(*) FROM weekly_reviews WHERE user_id = @user AND (best_trade_id = @id OR worst_trade_id = @id))`,
      )
      .pluck(),
    setFill: db.prepare('UPDATE executions SET fill_id = ? WHERE user_id = ? AND trade_id = ? AND position = ?'),
    delete: db.prepare('DELETE FROM trades WHERE user_id = ? AND id = ?'),
  };
}

export class WalkedTradeTable {
  readonly #user: string;
  readonly #sql: ReturnType<typeof tradeStatements>;
  readonly #now: string;
  readonly #move: Database.Statement[];

  /** @param now as text, for updated_at */
  constructor(db: Database.Database, user: string, now: string) {
    this.#user = user;
    this.#now = now;
    this.#move = [
      ['trade_journals', 'trade_id'],
      ['weekly_reviews', 'best_trade_id'],
      ['weekly_reviews', 'worst_trade_id'],
    ].map(([table, column]) =>
      db.prepare(`UPDATE ${table} SET ${column} = @to, updated_at = @now WHERE user_id = @user AND ${column} = @from`),
    );
    this.#sql = tradeStatements(db);
  }

  find(id: string): StoredTrade | undefined {
    const record = this.#sql.find.get(this.#user, id) as Values | undefined;
    if (!record) return undefined;
    for (const name of ['tags', 'mistakes']) record[name] = JSON.parse(record[name] as string);
    const rows = this.#sql.executions.all(this.#user, id) as (Values & { fill_id: string | null })[];
    return {
      record,
      executions: rows.map(({ fill_id: _, ...execution }) => execution),
      fillIds: rows.map(({ fill_id }) => fill_id),
      isRated: record['fx_rate'] !== null && this.#sql.rated.get(this.#user, id) !== undefined,
      isInFoundGroup:
        record['group_id'] !== null && this.#sql.found.get(this.#user, id, record['group_id']) !== undefined,
      mentions: this.#sql.mentions.get({ user: this.#user, id }) as number,
    };
  }

  linkFills(id: string, fillIds: readonly string[]): void {
    fillIds.forEach((fillId, position) => void this.#sql.setFill.run(fillId, this.#user, id, position));
  }

  unlinkFills(id: string): void {
    for (const position of this.#sql.executions.all(this.#user, id).keys()) {
      this.#sql.setFill.run(null, this.#user, id, position);
    }
  }

  /** Moves journal entries and mentions in weekly reviews to another trade. */
  moveMentions(from: string, to: string): void {
    for (const statement of this.#move) statement.run({ from, to, user: this.#user, now: this.#now });
  }

  delete(id: string): void {
    this.#sql.delete.run(this.#user, id);
  }
}

/** References to the id of a trade. */
const TRADE_IDS = [
  ['trades', 'id'],
  ['executions', 'trade_id'],
  ['trade_journals', 'trade_id'],
  ['weekly_reviews', 'best_trade_id'],
  ['weekly_reviews', 'worst_trade_id'],
  ['found_groups', 'execution_id'],
  ['rated_trades', 'trade_id'],
  ['former_trades', 'trade_id'],
  ['import_records', 'record_id'],
] as const;

/** Begins ids of trades whose new id isn't free yet. */
export const FORMER = '~former~';

/** Fields that name a trade. */
export const NAMES_TRADE = ['trade_id', 'best_trade_id', 'worst_trade_id'];

/** Moves what refers to trades, and trades themselves, to other ids in two steps: trades may exchange theirs. */
export class TradeIds {
  readonly #user: string;
  readonly #statements: Database.Statement[];
  readonly #remember: Database.Statement;

  constructor(db: Database.Database, user: string) {
    this.#user = user;
    db.pragma('defer_foreign_keys = ON');
    this.#statements = referring(db, TRADE_IDS, 'trades');
    this.#remember = db.prepare('INSERT OR REPLACE INTO former_trades (user_id, id, trade_id) VALUES (?, ?, ?)');
  }

  park(id: string): void {
    this.#put(id, FORMER + id);
  }

  /** @param id as it was before it was parked */
  give(id: string, to: string): void {
    this.#put(FORMER + id, to);
    if (id !== to) this.remember(id, to);
  }

  remember(id: string, to: string): void {
    this.#remember.run(this.#user, id, to);
  }

  #put(from: string, to: string): void {
    for (const statement of this.#statements) statement.run({ user: this.#user, from, to });
  }
}

/** A present id leads to its trade. */
export function forgetPresent(db: Database.Database, user: string): void {
  db.prepare(
    'DELETE FROM former_trades WHERE user_id = @user AND id IN (SELECT id FROM trades WHERE user_id = @user)',
  ).run({ user });
}

/**
 * Gives trades other ids, with everything that refers to them. An id that another trade keeps isn't free: then the trade has its own id
 * after FORMER.
 * @param ids by present id
 * @returns the id of each trade afterwards
 */
export function renameTrades(
  db: Database.Database,
  user: string,
  ids: ReadonlyMap<string, string>,
): Map<string, string> {
  const exists = db.prepare('SELECT 1 FROM trades WHERE user_id = ? AND id = ?');
  const names = new TradeIds(db, user);
  const own = [...ids].filter(([from, to]) => from !== to && exists.get(user, from) !== undefined);
  for (const [from] of own) names.park(from);
  const renamed = new Map<string, string>();
  for (const [from, to] of own) {
    const isFree = exists.get(user, to) === undefined;
    if (isFree) names.give(from, to);
    else names.remember(from, to);
    renamed.set(from, isFree ? to : FORMER + from);
  }
  forgetPresent(db, user);
  repoint(db, user, NAMES_TRADE, renamed);
  return renamed;
}
