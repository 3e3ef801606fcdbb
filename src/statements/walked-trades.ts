/**
 * The journal's trades made from fills, the user's text on them, and the closes that are
 * no trade's.
 */
import type Database from 'better-sqlite3';
import { emptyJsonOf } from '../journal/fields.ts';
import { PERSON_FIELDS } from '../journal/person-fields.ts';
import { type Trade, trades } from '../journal/resources/trades.ts';
import { type DatedCost, datedCostsJson, datedCostsOf } from '../journal/trade-exits.ts';
import { same, type Values } from '../journal-write/record.ts';
import { type FillLink, NO_FILL } from '../journal-write/record-writer.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { type ClosedLot, type Fill, type Instruments, lotsOf } from './fill-row.ts';

// Trades as legs, and their groups, as imports read and write them.

const COLUMNS = [
  ...([
    'id',
    'account',
    'symbol',
    'market',
    'side',
    'status',
    'executed_at',
    'closed_at',
    'quantity',
    'entry_price',
  ] as const),
  ...([
    'multiplier',
    'currency',
    'underlying',
    'expiration',
    'strike',
    'option_type',
    'group_id',
  ] as const),
];

export interface LegTrade extends Pick<Trade, (typeof COLUMNS)[number]> {
  /**
   * The group that an import found for it; null: none. A different group_id is the user's
   * decision.
   */
  found: string | null;
}

/**
 * The opening of a leg: its order, if a file names it, and its instant, if a file states
 * a time.
 */
export interface Opening {
  platform: string;
  order_id: string | null;
  instant: string | null;
}

export type OpenedLeg = LegTrade & { order_id: string | null };

const LEG = `${COLUMNS.map((name) => `t.${name}`).join(', ')}, g.group_id AS found`;

const FOUND =
  'LEFT JOIN found_groups AS g ON g.user_id = t.user_id AND g.execution_id = t.id';

/** Condition of a fill that opens a leg: a whole trade. */
const OPENS = "f.part IS NULL AND f.kind = 'trade'";

/** Trades with the fills that may have opened them. */
const MADE =
  'trades AS t CROSS JOIN fills AS f ON f.user_id = t.user_id AND f.execution_id = t.id';

const OPENING =
  'f.platform, f.order_id, iif(f.has_time = 1, f.executed_at, NULL) AS instant';

/** References to the id of a group. */
const GROUP_IDS = [
  ['trade_groups', 'id'],
  ['trades', 'group_id'],
  ['group_journals', 'group_id'],
  ['found_groups', 'group_id'],
  ['import_records', 'record_id'],
] as const;

/** Replaces an id wherever it stands. */
function replaceId(
  rows: UserRows,
  columns: readonly (readonly [table: string, column: string, ...unknown[]])[],
  resource: string,
  from: string,
  to: string,
): void {
  for (const [table, column] of columns)
    rows.update(
      table,
      { [column]: from, ...(table === 'import_records' && { resource }) },
      { [column]: to },
    );
}

export class LegGroupTable {
  readonly #db: Database.Database;
  readonly #rows: UserRows;
  readonly #now: string;

  /** @param now as text, for updated_at */
  constructor(db: Database.Database, user: string, now: string) {
    this.#now = now;
    this.#db = db;
    this.#rows = new UserRows(db, user);
  }

  find(id: string): LegTrade | undefined {
    return this.#rows.get(
      `SELECT ${LEG} FROM trades AS t ${FOUND} WHERE t.user_id = ${USER} AND t.id = (@id || '')`,
      {
        id,
      },
    );
  }

  ofGroup(groupId: string): LegTrade[] {
    return this.#rows.all(
      `SELECT ${LEG} FROM trades AS t ${FOUND} WHERE t.user_id = ${USER} AND t.group_id = @groupId
        ORDER BY t.executed_at, t.id`,
      { groupId },
    );
  }

  openedBy(platform: string, orderId: string): OpenedLeg[] {
    return this.#rows.all(
      `SELECT ${LEG}, f.order_id FROM fills AS f CROSS JOIN trades AS t ON t.user_id = f.user_id
        AND t.id = f.execution_id ${FOUND}
       WHERE f.user_id = ${USER} AND f.platform = @platform AND f.order_id = @orderId AND ${OPENS}
         ORDER BY t.id`,
      { platform, orderId },
    );
  }

  openedAt(platform: string, instant: string): OpenedLeg[] {
    return this.#rows.all(
      `SELECT ${LEG}, f.order_id FROM ${MADE} ${FOUND}
       WHERE t.user_id = ${USER} AND t.executed_at = @instant AND f.platform = @platform
         AND f.has_time = 1 AND ${OPENS} ORDER BY t.id`,
      { platform, instant },
    );
  }

  /** The opening of a trade; undefined if it wasn't made from fills. */
  openingOf(id: string): Opening | undefined {
    return this.#rows.get(
      `SELECT ${OPENING} FROM fills AS f WHERE f.user_id = ${USER}
        AND f.execution_id = (@id || '') AND ${OPENS}`,
      { id },
    );
  }

  openingsOfOptions(): Opening[] {
    return this.#rows.all(
      `SELECT DISTINCT ${OPENING} FROM ${MADE} WHERE t.user_id = ${USER} AND t.market = 'option'
        AND ${OPENS}`,
    );
  }

  hasOptions(): boolean {
    return this.#rows.has('trades', { market: 'option' });
  }

  /** Whether any import has found a group. */
  hasFound(): boolean {
    return this.#rows.has('found_groups');
  }

  hasGroups(): boolean {
    return this.#rows.has('trade_groups');
  }

  put(id: string, groupId: string | null): void {
    this.#rows.update('trades', { id }, { group_id: groupId });
    // Separate, since the journal's trigger overwrites updated_at if an update leaves it
    // unchanged.
    this.#rows.update('trades', { id }, { updated_at: this.#now });
  }

  /** Stores the group that an import found for a trade; null: none. */
  setFound(tradeId: string, groupId: string | null): void {
    if (groupId === null) this.#rows.delete('found_groups', { execution_id: tradeId });
    else this.#rows.replace('found_groups', { execution_id: tradeId, group_id: groupId });
  }

  hasJournals(groupId: string): boolean {
    return this.#rows.has('group_journals', { group_id: groupId });
  }

  moveJournals(from: string, to: string): void {
    this.#rows.update(
      'group_journals',
      { group_id: from },
      { group_id: to, updated_at: this.#now },
    );
  }

  /** Gives a group another id, with what refers to it but lines of the list. */
  rename(from: string, to: string): void {
    replaceId(this.#rows, GROUP_IDS, 'trade-groups', from, to);
  }

  /** @param ids of renamed groups, by former id */
  repoint(ids: ReadonlyMap<string, string>): void {
    repoint(this.#db, this.#rows.user, ['group_id'], ids);
  }
}

/** What lines state of a renamed record is of the present one. */
export function repoint(
  db: Database.Database,
  user: string,
  fields: readonly string[],
  ids: ReadonlyMap<string, string>,
): void {
  if (![...ids].some(([from, to]) => from !== to)) return;

  const rows = new UserRows(db, user);
  const named = fields.map((name) => `fields ->> '$.${name}' IS NOT NULL`).join(' OR ');
  const lines = rows.all<Values & { fields: string }>(
    `SELECT import_id, resource, record_id, kind, path, fields FROM import_records
     WHERE user_id = ${USER} AND resource <> 'imports' AND fields GLOB '{*' AND (${named})`,
  );

  for (const { fields: text, ...line } of lines) {
    const stated = JSON.parse(text) as Values;
    const before = fields.filter((name) => ids.has(stated[name] as string));
    if (before.length === 0) continue;

    for (const name of before) stated[name] = ids.get(stated[name] as string);
    rows.update('import_records', line, { fields: JSON.stringify(stated) });
  }
}

/** The opening by a fill; undefined unless it is a trade. */
export function openingBy({
  platform,
  order_id,
  executed_at,
  has_time,
  kind,
}: Fill): Opening | undefined {
  return kind === 'trade'
    ? { platform, order_id, instant: has_time ? executed_at : null }
    : undefined;
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

export interface StoredTrade {
  /** Raw columns, but tags and mistakes as lists. */
  record: Values;
  executions: Values[];
  /** The fills of the executions. */
  links: FillLink[];
  /** Whether it is in the group that an import found for it. */
  isInFoundGroup: boolean;
  /** Whether its fx_rate is from the user's exchange rates, not its own. */
  isRated: boolean;
}

/** Columns of trades that hold JSON. */
const JSON_FIELDS = PERSON_FIELDS.filter(
  (name) => emptyJsonOf(trades.record.shape[name]) !== undefined,
);

export class WalkedTradeTable {
  readonly #rows: UserRows;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
  }

  find(id: string): StoredTrade | undefined {
    const [record] = this.#rows.where<Values>('SELECT * FROM trades', { id });
    if (!record) return undefined;

    for (const name of JSON_FIELDS) record[name] = JSON.parse(record[name] as string);
    record['has_time'] = record['has_time'] === 1;
    const rows = this.#executionsOf(id);
    const group = record['group_id'];

    return {
      record,
      executions: rows.map(
        ({ fill_id: _, stated_gross_pnl: _gross, stated_net_pnl: _net, ...execution }) =>
          execution,
      ),
      links: rows.map(({ fill_id, stated_gross_pnl, stated_net_pnl }) => ({
        fill_id,
        stated_gross_pnl,
        stated_net_pnl,
      })),
      isRated:
        record['fx_rate'] !== null && this.#rows.has('rated_trades', { trade_id: id }),
      isInFoundGroup:
        group !== null &&
        this.#rows.has('found_groups', { execution_id: id, group_id: group }),
    };
  }

  createdAt(id: string): string | undefined {
    return this.#rows.where<Pick<Trade, 'created_at'>>('SELECT created_at FROM trades', {
      id,
    })[0]?.created_at;
  }

  #executionsOf(id: string): (Values & FillLink)[] {
    const columns = `executed_at, side, quantity, price, fees, has_time, fill_id,
      stated_gross_pnl, stated_net_pnl`;
    const rows = this.#rows.where<Values & FillLink>(
      `SELECT ${columns} FROM executions`,
      { trade_id: id },
      'ORDER BY executed_at, position',
    );
    return rows.map((row) => ({ ...row, has_time: row['has_time'] === 1 }));
  }

  linkFills(tradeId: string, links: readonly FillLink[]): void {
    for (const [position, link] of links.entries())
      this.#rows.update('executions', { trade_id: tradeId, position }, { ...link });
  }

  unlinkFills(id: string): void {
    this.linkFills(
      id,
      this.#executionsOf(id).map(() => NO_FILL),
    );
  }

  /** @param stored the trade as it was; undefined: it is new */
  setDatedCosts(
    id: string,
    costs: readonly DatedCost[],
    stored?: StoredTrade,
    isOpen = true,
  ): void {
    const before = (stored?.record['dated_costs'] ?? null) as string | null;
    // Rates of open trades are added later; those of a closed one are the trade's.
    const known = datedCostsOf(before);
    const unrated = isOpen ? known.map((cost) => ({ ...cost, fx_rate: null })) : known;
    if (same(unrated, costs)) return;

    const dated_costs = datedCostsJson(costs);
    const { updated_at } =
      this.#rows.where<Values>('SELECT updated_at FROM trades', { id })[0] ?? {};
    this.#rows.update('trades', { id }, { dated_costs });
    // Separate, since the journal's trigger overwrites updated_at if an update leaves it
    // unchanged.
    this.#rows.update('trades', { id }, { updated_at });
  }

  delete(id: string): void {
    this.#rows.delete('trades', { id });
  }
}

/**
 * Texts about trades: their table, the field that names the trade, and their resource.
 */
export const MENTIONS = [
  ['trade_journals', 'trade_id', 'trade-journals'],
  ['weekly_reviews', 'best_trade_id', 'weekly-reviews'],
  ['weekly_reviews', 'worst_trade_id', 'weekly-reviews'],
] as const;

/** References to the id of a trade. */
const TRADE_IDS = [
  ['trades', 'id'],
  ['executions', 'trade_id'],
  ...MENTIONS,
  ['found_groups', 'execution_id'],
  ['rated_trades', 'trade_id'],
  ['former_trades', 'trade_id'],
  ['stated_trades', 'id'],
  ['stated_trades', 'trade_id'],
  ['import_records', 'record_id'],
] as const;

/** Begins ids of trades whose new id isn't free yet. */
export const FORMER = '~former~';

/** Fields that name a trade. */
export const NAMES_TRADE = ['trade_id', 'best_trade_id', 'worst_trade_id'];

/**
 * Moves what refers to trades, and trades themselves, to other ids in two steps: trades
 * may exchange theirs.
 */
class TradeIds {
  readonly #rows: UserRows;

  constructor(db: Database.Database, user: string) {
    db.pragma('defer_foreign_keys = ON');
    this.#rows = new UserRows(db, user);
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
    this.#rows.replace('former_trades', { id, trade_id: to });
  }

  #put(from: string, to: string): void {
    replaceId(this.#rows, TRADE_IDS, 'trades', from, to);
  }
}

/** A present id leads to its trade. */
function forgetPresent(db: Database.Database, user: string): void {
  new UserRows(db, user).run(
    `DELETE FROM former_trades WHERE user_id = ${USER} AND id IN (SELECT id FROM trades
      WHERE user_id = ${USER})`,
  );
}

/**
 * Gives trades other ids, with everything that refers to them. An id that another trade
 * keeps isn't free: then the trade has its own id after FORMER.
 * @param ids by present id
 * @returns the id of each trade afterwards
 */
export function renameTrades(
  db: Database.Database,
  user: string,
  ids: ReadonlyMap<string, string>,
): Map<string, string> {
  const rows = new UserRows(db, user);
  const exists = (id: string) => rows.has('trades', { id });
  const names = new TradeIds(db, user);
  const moving = [...ids].filter(([from, to]) => from !== to && exists(from));
  for (const [from] of moving) names.park(from);
  const renamed = new Map<string, string>();

  for (const [from, to] of moving) {
    const isFree = !exists(to);
    if (isFree) names.give(from, to);
    else names.remember(from, to);
    renamed.set(from, isFree ? to : FORMER + from);
  }

  forgetPresent(db, user);
  repoint(db, user, NAMES_TRADE, renamed);
  return renamed;
}

// Closes whose opening no file states: the only place that writes them. They belong to no
// trade, but their rows may state what they realised.

/** A close, or the part of one, without an opening. */
export interface UnmatchedClose {
  fill: Fill;
  /** Null: all that was open. */
  quantity: number | null;
  /** Of this quantity. */
  fees: number;
  /** Null: its row states none. */
  netPnl: number | null;
}

const OF_INSTRUMENT = `DELETE FROM unmatched_closes WHERE user_id = ${USER} AND fill_id IN (
  SELECT f.id FROM fills AS f
  WHERE f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol
    AND f.market = @market AND f.currency = @currency
    AND (@all = 1 OR f.account IS @account) AND f.executed_at >= @from)`;

const MOVE = `UPDATE unmatched_closes AS u SET closed_at = f.executed_at FROM fills AS f
  WHERE f.user_id = u.user_id AND f.id = u.fill_id AND u.user_id = ${USER} AND u.has_time = 0`;

export class UnmatchedCloseTable {
  readonly #rows: UserRows;
  #isEmpty: boolean;

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
    this.#isEmpty = !this.#rows.has('unmatched_closes');
  }

  /** Forgets those of some instruments from an instant on. */
  clear({ symbols, account, ...instrument }: Instruments, from: string): void {
    if (this.#isEmpty) return;

    const all = Number(account === undefined);
    for (const symbol of symbols)
      this.#rows.run(OF_INSTRUMENT, {
        ...instrument,
        symbol,
        account: account ?? null,
        all,
        from,
      });
  }

  add({ fill, quantity, fees, netPnl }: UnmatchedClose, baseCurrency: string): void {
    const { id, account, symbol, market, underlying, currency, executed_at, has_time } =
      fill;
    this.#isEmpty = false;
    this.#rows.replace('unmatched_closes', {
      fill_id: id,
      account,
      symbol,
      market,
      underlying,
      currency,
      closed_at: executed_at,
      has_time: Number(has_time),
      quantity,
      fees,
      net_pnl: netPnl,
      fx_rate: fill.rate_base === baseCurrency ? fill.rate : null,
      opened_on: lotsOf(fill).reduce<string | null>(earliest, null),
    });
  }
}

function earliest(day: string | null, [other]: ClosedLot): string {
  return day === null || other < day ? other : day;
}

/** Days without times are where their fills are. */
export function moveUnmatched(rows: UserRows): void {
  rows.run(MOVE);
}
