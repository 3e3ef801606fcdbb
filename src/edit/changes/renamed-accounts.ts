/**
 * After accounts were renamed: fills, trades and cash flows are those of the accounts that
 * names lead to.
 */
import type Database from 'better-sqlite3';
import { inAccount, platformIdOf } from '../../import/fills/identity.ts';
import {
  type MadeTrades,
  type RestatedRow,
  restateFills,
} from '../../import/fills/make-trades.ts';
import { hasUniqueIds, platformOfFormat } from '../../import/formats/platforms.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { cashFlows } from '../../journal/resources/cash-flows.ts';
import { trades } from '../../journal/resources/trades.ts';
import { deleteRecord, type WriteSettings } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import { AccountNames } from '../../statements/account-settings.ts';
import { type Fill, isRecorded, PART } from '../../statements/fill-row.ts';
import type { FillStatement, FillTable } from '../../statements/fills.ts';
import type { StatedRecords } from '../../statements/stated-records.ts';
import type { Edit } from '../edit.ts';

/**
 * Moves each fill to the account that the name in its files leads to now. It keeps its
 * ids, unless that account has the same row, which it becomes, or other files state it in
 * another account, where it stays.
 * @returns undefined if none moves
 */
export function settleAccounts(
  db: Database.Database,
  fills: FillTable,
  settings: WriteSettings,
): MadeTrades | undefined {
  const names = new AccountNames(db, settings.user.id);
  const holders = holdersOf(db, settings.user);
  const statements = [...fills.statements()].filter(
    ({ account, fill }) => account !== null && fill.part !== PART.adopted,
  );
  const accountOf = ({ importId, account }: FillStatement) =>
    account || (holders.get(importId) ?? '');
  const byFill = Map.groupBy(statements, ({ fill }) => fill.id);
  const moves = [...byFill.values()].flatMap((all) => {
    const named = all.filter((statement) => accountOf(statement) !== '');
    const deciding = named.length > 0 ? named : all;
    const going = deciding.flatMap((statement) => {
      const to = names.of(accountOf(statement) || null);
      return to === statement.fill.account ? [] : [{ statement, to }];
    });
    const isWhole =
      going.length === deciding.length && new Set(going.map(({ to }) => to)).size === 1;
    const others = isWhole
      ? all.filter((statement) => !deciding.includes(statement))
      : [];

    return [
      ...going,
      ...others.map((statement) => ({ statement, to: going[0]?.to ?? null })),
    ].map((move) => ({
      ...move,
      isWhole,
    }));
  });
  if (moves.length === 0) return undefined;

  const leaving = new Set(moves.map(({ statement }) => statement.fill.id));
  const staying = new EqualFills(
    statements.flatMap(({ fill }) => (leaving.has(fill.id) ? [] : [fill])),
  );
  const platforms = new TargetPlatforms(fills, moves);
  const moved = new Map<string, Fill>();
  const rows = moves.map(({ statement, to: account, isWhole }): RestatedRow => {
    const { fill: from, importId, place, fees, account: stated, written } = statement;
    const key = JSON.stringify([from.id, account]);
    const to =
      moved.get(key) ?? movedFill(from, account, { isWhole, staying, platforms });
    moved.set(key, to);
    return { importId, place, fees, account: stated, written, from, to };
  });

  return restateFills(db, fills, rows, {
    ...settings,
    platformOf: platformOfFormat,
    areNames: true,
  });
}

/**
 * A fill in another account: that account's equal one, else the same with its ids, or
 * with others if it also stays.
 */
function movedFill(
  fill: Fill,
  account: string | null,
  {
    isWhole,
    staying,
    platforms,
  }: { isWhole: boolean; staying: EqualFills; platforms: TargetPlatforms },
): Fill {
  const equal = staying.take({ ...fill, account });
  if (equal) return equal;
  // A booked expiration is found by the id of its option in an account.
  const keepsIds = isWhole && fill.part !== PART.booked;
  const there = keepsIds
    ? { ...fill, account }
    : inAccount(fill, account, hasUniqueIds(fill.format));
  return { ...there, platform: platforms.of(fill, account) };
}

/**
 * The keys by which fills are walked in the accounts to which they move: one for each
 * account.
 */
class TargetPlatforms {
  readonly #fills: FillTable;
  readonly #ofAccounts = new Map<string, string>();
  /**
   * Of fills that will have no account, by symbol: those that the user recorded are
   * beside them.
   */
  readonly #unnamed: ReadonlyMap<string, string>;

  constructor(
    fills: FillTable,
    moves: readonly { statement: Pick<FillStatement, 'fill'>; to: string | null }[],
  ) {
    this.#fills = fills;
    const unnamed = moves.flatMap(({ statement: { fill }, to }) =>
      to === null && !isRecorded(fill) ? [fill] : [],
    );
    this.#unnamed = new Map(
      unnamed.map(({ symbol, format }) => [symbol, platformOfFormat(format)]),
    );
  }

  of(fill: Fill, account: string | null): string {
    if (account === null && isRecorded(fill))
      return this.#unnamed.get(fill.symbol) ?? fill.platform;
    if (account === null) return platformOfFormat(fill.format);

    const name = foldCase(account);
    const known = this.#ofAccounts.get(name);
    if (known !== undefined) return known;

    const platform = this.#fills.platformIn(account, platformOfFormat(fill.format));
    this.#ofAccounts.set(name, platform);
    return platform;
  }
}

/** Fills by what they state, each found once. */
class EqualFills {
  readonly #fills: Map<string, Fill[]>;

  constructor(fills: readonly Fill[]) {
    const distinct = new Map(fills.map((fill) => [fill.id, fill]));
    this.#fills = Map.groupBy(distinct.values(), keyOfFill);
  }

  take(fill: Fill): Fill | undefined {
    return this.#fills.get(keyOfFill(fill))?.shift();
  }
}

function keyOfFill(fill: Fill): string {
  const { format, account, symbol, kind, side, quantity, price, executed_at, part, id } =
    fill;
  const stated = [
    symbol,
    kind,
    side,
    quantity,
    price,
    executed_at,
    part,
    platformIdOf(id),
  ];
  return JSON.stringify([format, account?.toLowerCase(), ...stated]);
}

/** Accounts of imports' rows without one. */
function holdersOf(db: Database.Database, user: User): Map<number, string> {
  const rows = db
    .prepare('SELECT id, holder FROM imports WHERE user_id = ? AND holder IS NOT NULL')
    .all(user.id) as {
    id: number;
    holder: string;
  }[];
  return new Map(rows.map(({ id, holder }) => [id, holder]));
}

/** The account of trades that no line states, before it is renamed. */
export function keepForeign(
  { db, user, stated, importId }: Edit,
  account: string | null,
): void {
  for (const resource of WITH_ACCOUNTS) {
    const known = statedAccounts(db, user, resource);
    for (const id of recordsOf(db, user, account, resource))
      if (!known.has(id)) stated.capture(resource, id, importId);
  }
}

/** Resources whose records are in accounts. */
const WITH_ACCOUNTS: readonly ListResource[] = [trades, cashFlows];

/** Records in an account, but for trades that are made from fills. */
function recordsOf(
  db: Database.Database,
  user: User,
  account: string | null,
  resource: ListResource,
): string[] {
  return db
    .prepare(
      `SELECT id FROM ${resource.table} AS t WHERE user_id = ? AND account IS ? COLLATE NOCASE
        AND ${isRecord(resource)}`,
    )
    .pluck()
    .all(user.id, account) as string[];
}

/**
 * After accounts were renamed: gives closed trades and cash flows the present name of the
 * account that the latest line states.
 * @param undone given if a rename was undone
 * @returns the number of records that moved
 */
export function settleRecords(
  db: Database.Database,
  settings: WriteSettings,
  undone?: StatedRecords,
): number {
  return WITH_ACCOUNTS.reduce(
    (moved, resource) => moved + settleRecordsOf(resource, db, settings, undone),
    0,
  );
}

function settleRecordsOf(
  resource: ListResource,
  db: Database.Database,
  settings: WriteSettings,
  undone: StatedRecords | undefined,
): number {
  const { user } = settings;
  const names = new AccountNames(db, user.id);
  const writer = new RecordWriter(db, resource, { ...settings, account: undefined });
  const accounts = statedAccounts(db, user, resource);
  const present = db
    .prepare(
      `SELECT id, account FROM ${resource.table} AS t WHERE user_id = ? AND ${isRecord(resource)}`,
    )
    .all(user.id) as {
    id: string;
    account: string | null;
  }[];
  const moving = present.filter(
    ({ id, account }) =>
      accounts.has(id) && names.of(accounts.get(id) ?? null) !== account,
  );

  for (const { id } of moving) {
    // An undo leaves no line, by whose time the record would be known as written by this
    // program.
    const before = undone?.find(resource, id);
    if (before) undone?.table.makeExplicit(resource, id, before);
    writer.put({ id, account: names.of(accounts.get(id) ?? null) });
  }

  return moving.length;
}

/** The account that the latest line states of each record, before renames. */
function statedAccounts(
  db: Database.Database,
  user: User,
  { path }: ListResource,
): Map<string, string | null> {
  const rows = db
    .prepare(
      `SELECT record_id AS id, CASE WHEN fields GLOB '{*'
        AND json_type(fields, '$.account') IS NOT NULL
         THEN fields ->> '$.account' ELSE account END AS account
       FROM import_records WHERE user_id = ? AND resource = ? AND kind <> 'removed'
         AND (account IS NOT NULL AND (fields IS NULL OR fields GLOB '[[]*') OR json_type(fields,
           '$.account') IS NOT NULL)
       ORDER BY import_id, kind`,
    )
    .all(user.id, path) as { id: string; account: string | null }[];
  return new Map(rows.map(({ id, account }) => [id, account || null]));
}

function isRecord(resource: ListResource): string {
  if (resource !== trades) return '1';
  return `NOT EXISTS (SELECT 1 FROM executions AS e
    WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.fill_id IS NOT NULL)`;
}

// Cash flows of files. A row of a file is one flow in each account: renames join those of
// two accounts, and undone ones part them again.

interface FlowStatement {
  record_id: string;
  import_id: number;
  account: string | null;
  currency: string;
  amount: number;
}

const STATEMENTS = `SELECT r.record_id, r.import_id, r.account, c.currency, c.amount
  FROM import_records AS r JOIN cash_flows AS c ON c.user_id = r.user_id AND c.id = r.record_id
  WHERE r.user_id = ${USER} AND r.resource = 'cash-flows' AND r.kind = 'stated' AND c.by_hand = 0
  ORDER BY r.import_id, r.record_id`;

/**
 * Gives flows to the accounts that their names lead to. Call it after renames have
 * changed.
 */
export function settleFlows(stated: StatedRecords, user: string): void {
  const rows = new UserRows(stated.db, user);
  stated.table.write();
  const names = new AccountNames(stated.db, user);
  const all = rows.all<FlowStatement>(STATEMENTS);
  const byRow = Map.groupBy(all, ({ record_id, currency, amount }) =>
    [baseOf(record_id), currency, amount].join(' '),
  );

  for (const group of byRow.values()) {
    if (group.length < 2) continue;
    const byAccount = Map.groupBy(group, (statement) => {
      const named = statement.account || namedOf(statement.record_id, group);
      return (names.of(named) ?? '').toLowerCase();
    });
    const ids = new Set(group.map(({ record_id }) => record_id));
    const isSettled =
      byAccount.size === ids.size &&
      [...byAccount.values()].every(
        (some) => new Set(some.map((own) => own.record_id)).size === 1,
      );
    if (!isSettled) new FlowRow(stated, rows, user).settle([...byAccount.values()]);
  }
}

/** The account of a flow whose file names none, by other files. */
function namedOf(id: string, group: readonly FlowStatement[]): string | null {
  return (
    group.findLast(({ record_id, account }) => record_id === id && account)?.account ??
    null
  );
}

/** The id of a row without the number of the account that has it, too. */
function baseOf(id: string): string {
  return id.replace(/~\d+$/, '');
}

/** One row of a file, which several lines state. */
class FlowRow {
  readonly #stated: StatedRecords;
  readonly #rows: UserRows;
  readonly #user: string;

  constructor(stated: StatedRecords, rows: UserRows, user: string) {
    this.#stated = stated;
    this.#rows = rows;
    this.#user = user;
  }

  /** @param accounts statements by account */
  settle(accounts: readonly (readonly FlowStatement[])[]): void {
    const { table } = this.#stated;
    const before = new Set(accounts.flat().map(({ record_id }) => record_id));
    for (const id of before) {
      const present = this.#stated.find(cashFlows, id);
      if (present) table.makeExplicit(cashFlows, id, present);
    }

    const taken = new Set<string>();
    for (const statements of accounts) {
      const id = this.#idFor(statements, taken);
      taken.add(id);
      for (const statement of statements)
        if (statement.record_id !== id) this.#move(statement, id);
    }

    for (const id of new Set([...before, ...taken])) {
      if (
        this.#stated.refold(cashFlows, id) === 'gone' &&
        this.#stated.find(cashFlows, id)
      )
        deleteRecord(this.#stated.db, cashFlows, this.#user, id);
    }
  }

  /** An id that its statements have, unless another account has it; else a free one. */
  #idFor(statements: readonly FlowStatement[], taken: ReadonlySet<string>): string {
    const known = statements
      .map(({ record_id }) => record_id)
      .find((id) => !taken.has(id));
    if (known !== undefined) return known;

    const base = baseOf((statements[0] as FlowStatement).record_id);
    for (let number = 1; ; number++) {
      const id = number === 1 ? base : `${base}~${number}`;
      if (!taken.has(id) && !this.#rows.has('cash_flows', { id })) return id;
    }
  }

  #move({ record_id, import_id }: FlowStatement, to: string): void {
    const which = { resource: cashFlows.path, import_id, kind: 'stated' };
    if (this.#rows.has('import_records', { ...which, record_id: to }))
      this.#rows.delete('import_records', { ...which, record_id });
    else this.#rows.update('import_records', { ...which, record_id }, { record_id: to });
  }
}
