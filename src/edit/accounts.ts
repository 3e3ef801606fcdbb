/** Accounts: lists them, and renames one for its trades, fills, fees and later files. */
import type Database from 'better-sqlite3';
import { nearest, quote, UserError } from '../errors.ts';
import { inAccount, platformIdOf } from '../import/fills/identity.ts';
import {
  type MadeTrades,
  makeTrades,
  type RestatedRow,
  restateFills,
  walkBefore,
} from '../import/fills/make-trades.ts';
import { FORMATS } from '../import/formats/index.ts';
import { type OfUser, readOf, type TargetOptions } from '../import/write/target-journal.ts';
import type { User } from '../journal/journal.ts';
import { trades } from '../journal/resources/trades.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { RecordWriter } from '../journal-write/record-writer.ts';
import { roundMoney } from '../money.ts';
import { Reader } from '../sqlite/reader.ts';
import { type AccountName, AccountNames, addName, namesOf } from '../statements/accounts.ts';
import { type Fill, PART } from '../statements/fill-row.ts';
import { type FillStatement, FillTable } from '../statements/fills.ts';
import type { StatedRecords } from '../statements/stated-records.ts';
import { fromInstantText, ZoneClock } from '../time.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';
import { liveKeys, type ShownByKey } from './effects.ts';
import { moveLimits } from './limits.ts';

/** In place of the name of no account. */
export const NO_ACCOUNT = '(none)';

export interface ListedAccount {
  /** Null: no account. */
  account: string | null;
  /** Names in files that lead to it; null is none. */
  other_names: (string | null)[];
  trades: number;
  /** Days of the first entry and the last one, in the user's zone. */
  first: string;
  last: string;
  /** Of closed trades, in the base currency; those without a rate are left out. */
  net_pnl: number;
}

export function listAccounts(options: OfUser): ListedAccount[] {
  return readOf(options, (reader, user) => {
    const clock = new ZoneClock(user.timezone);
    const names = new AccountNames(reader, user.id);
    const rows = reader.all(
      `SELECT account, count(*) AS trades, min(executed_at) AS first, max(executed_at) AS last,
         total(CASE WHEN status = 'closed' THEN net_pnl * CASE WHEN currency = ? THEN 1 ELSE fx_rate END END) AS net
       FROM trades WHERE user_id = ? GROUP BY account ORDER BY account`,
      user.base_currency,
      user.id,
    ) as { account: string | null; trades: number; first: string; last: string; net: number }[];
    return rows.map(({ account, trades: count, first, last, net }) => ({
      account,
      other_names:
        account === null ? [] : names.othersOf(account).map((name) => (name === '' ? null : name)),
      trades: count,
      first: clock.dateOf(fromInstantText(first)),
      last: clock.dateOf(fromInstantText(last)),
      net_pnl: roundMoney(net),
    }));
  });
}

export interface RenameReport extends LineReport {
  /**
   * Number of trades that moved to the new account, or to the new spelling of its name; 0: nothing
   * changed.
   */
  trades: number;
  keys: ShownByKey[];
  /** Trades whose labels and entries moved, as for imports. */
  moved: MadeTrades['trades']['moved'];
}

/**
 * @param from null: trades without an account
 * @throws UserError if there is no such account, or another has or had the new name and isn't
 * merged
 */
export function renameAccount(
  options: TargetOptions & { merge?: boolean | undefined },
  from: string | null,
  to: string,
  line: string,
): RenameReport {
  return withLine(options, { format: 'account', line }, (own) => {
    const { db, user, importId } = own;
    const before = countsOf(db, user);
    refuseName(to);
    refuseUnknown(before, from);
    if (isSpelled(db, user, from, to))
      return { report: { trades: 0, keys: [], moved: [] }, changed: 0 };

    if (!options.merge) refuseMerge(own, before, from, to);
    const keys = liveKeys(db, user, options.keys, options.now);
    const elsewhere = elsewhereOf(own, from, to);
    const fills = new FillTable(db, user.id);
    fills.fixAccounts();
    keepForeign(own, from);
    addName(db, user.id, importId, { name: from ?? '', renamed: to });
    const made = settleAccounts(db, fills, own.settings);
    moveFees(own, fills, from, to);
    moveLimits(db, user.id, importId, from, to);
    own.stated.forgetNames();
    settleRecords(db, own.settings);
    const after = countsOf(db, user);
    const leaving =
      elsewhere === undefined ? 0 : countIn(before, elsewhere) - countIn(after, elsewhere);
    const moved = countIn(before, from) + leaving;
    const report = { trades: moved, keys: keys([from ?? '', to]), moved: made?.trades.moved ?? [] };
    return { report, changed: 1, trades: moved, changesFills: made !== undefined };
  });
}

/**
 * A third account, which an earlier rename gave the trades of files that name the new one: they
 * come back.
 */
function elsewhereOf({ db, user }: Edit, from: string | null, to: string): string | undefined {
  const present = new AccountNames(db, user.id).of(to);
  const names = [from?.toLowerCase(), to.toLowerCase()];
  return present === null || names.includes(present.toLowerCase()) ? undefined : present;
}

type Counts = ReadonlyMap<string | undefined, { account: string | null; trades: number }>;

/** Accounts with their numbers of trades, by name in lower case; undefined is none. */
function countsOf(db: Database.Database, user: User): Counts {
  const rows = db
    .prepare(
      'SELECT min(account) AS account, count(*) AS trades FROM trades WHERE user_id = ? GROUP BY lower(account)',
    )
    .all(user.id) as { account: string | null; trades: number }[];
  return new Map(rows.map((own) => [own.account?.toLowerCase(), own]));
}

function countIn(counts: Counts, account: string | null): number {
  return counts.get(account?.toLowerCase())?.trades ?? 0;
}

function refuseName(to: string): void {
  if (/\p{Cc}/u.test(to))
    throw new UserError(
      `an account's name has one line without control characters; got ${quote(to)}`,
    );
}

function refuseUnknown(counts: Counts, from: string | null): void {
  if (counts.has(from?.toLowerCase())) return;

  const known = [...counts.values()].map(({ account }) => account ?? NO_ACCOUNT);
  const near = nearest(from ?? NO_ACCOUNT, known);
  throw new UserError(
    `no trade is in the account "${from ?? NO_ACCOUNT}"; ${near === undefined ? `accounts: ${known.join(', ') || 'none'}` : `did you mean ${near}?`}`,
  );
}

/** Whether all trades of an account are in one of exactly this name. */
function isSpelled(db: Database.Database, user: User, from: string | null, to: string): boolean {
  if (from?.toLowerCase() !== to.toLowerCase()) return false;

  const other =
    'SELECT 1 FROM trades WHERE user_id = ? AND account = ? AND account <> ? COLLATE BINARY LIMIT 1';
  return db.prepare(other).get(user.id, to, to) === undefined;
}

/**
 * @throws UserError if the new name has trades, or a line renamed it before, so that two accounts
 * would become one
 */
function refuseMerge({ db, user }: Edit, counts: Counts, from: string | null, to: string): void {
  const name = to.toLowerCase();
  if (from?.toLowerCase() === name) return;

  const count = countIn(counts, to);
  if (count > 0)
    throw new UserError(
      `account ${to} has ${count} ${count === 1 ? 'trade' : 'trades'}; pass --merge to join both accounts`,
    );

  const isLeft = (own: AccountName) =>
    own.name.toLowerCase() === name && own.renamed.toLowerCase() !== name;
  const left = namesOf(new Reader(db), user.id).findLast(isLeft);
  if (!left) return;

  const names = new AccountNames(db, user.id);
  const source = from ?? NO_ACCOUNT;
  const leading = names.othersOf(to).map((other) => other || NO_ACCOUNT);
  if (leading.length > 0)
    throw new UserError(
      `files that name ${leading.join(' or ')} lead to ${to}; pass --merge to join their account with ${source}`,
    );

  const present = names.of(to);
  // Back to where it came from.
  if (present?.toLowerCase() === (from ?? '').toLowerCase()) return;

  throw new UserError(
    `import ${left.import} renamed ${to} to ${left.renamed}, and its trades would leave ${present} to join those of ${source}; choose another name, or pass --merge to do that`,
  );
}

/** Fees set for the old account become those of the new one. @throws UserError if both have some */
function moveFees(
  { db, importId, settings }: Edit,
  fills: FillTable,
  from: string | null,
  to: string,
): void {
  const { feeRates } = fills;
  if (from === null || from.toLowerCase() === to.toLowerCase()) return;
  const ofAccount = (name: string) =>
    feeRates.inForce().filter(({ account }) => account?.toLowerCase() === name.toLowerCase());
  const own = ofAccount(from);
  if (own.length > 0 && ofAccount(to).length > 0) {
    throw new UserError(
      `both ${from} and ${to} have fees of their own; remove those of one first, as in: journal-api fees remove SYMBOL --account ${from}`,
    );
  }
  if (own.length === 0) return;
  const before = walkBefore(
    fills.feeless().filter(({ account }) => account?.toLowerCase() === to.toLowerCase()),
    fills,
  );
  for (const rate of own) {
    feeRates.add(importId, { ...rate, account: to });
    feeRates.add(importId, { ...rate, per_contract: null, per_order: null, percent: null });
  }
  makeTrades(db, before, fills, { ...settings, areLegsSame: true });
}

/**
 * Moves each fill to the account that the name in its files leads to now. It keeps its ids, unless
 * that account has the same row, which it becomes, or other files state it in another account,
 * where it stays.
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
    const others = isWhole ? all.filter((statement) => !deciding.includes(statement)) : [];
    return [...going, ...others.map((statement) => ({ statement, to: going[0]?.to ?? null }))].map(
      (move) => ({
        ...move,
        isWhole,
      }),
    );
  });
  if (moves.length === 0) return undefined;

  const leaving = new Set(moves.map(({ statement }) => statement.fill.id));
  const staying = new EqualFills(
    statements.flatMap(({ fill }) => (leaving.has(fill.id) ? [] : [fill])),
  );
  const moved = new Map<string, Fill>();
  const rows = moves.map(({ statement, to: account, isWhole }): RestatedRow => {
    const { fill: from, importId, place, fees, account: stated, written } = statement;
    const key = JSON.stringify([from.id, account]);
    const to = moved.get(key) ?? movedFill(from, account, { isWhole, staying });
    moved.set(key, to);
    return { importId, place, fees, account: stated, written, from, to };
  });
  return restateFills(db, fills, rows, { ...settings, areNames: true });
}

/**
 * A fill in another account: that account's equal one, else the same with its ids, or with others
 * if it also stays.
 */
function movedFill(
  fill: Fill,
  account: string | null,
  { isWhole, staying }: { isWhole: boolean; staying: EqualFills },
): Fill {
  const equal = staying.take({ ...fill, account });
  if (equal) return equal;
  // A booked expiration is found by the id of its option in an account.
  const keepsIds = isWhole && fill.part !== PART.booked;
  return keepsIds ? { ...fill, account } : inAccount(fill, account, hasUniqueIds(fill.format));
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
  const { format, account, symbol, kind, side, quantity, price, executed_at, part, id } = fill;
  const stated = [symbol, kind, side, quantity, price, executed_at, part, platformIdOf(id)];
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

export function hasUniqueIds(format: string): boolean {
  return FORMATS.find(({ name }) => name === format)?.hasUniqueIds === true;
}

/** Trades in an account that aren't made from fills. */
function recordsOf(db: Database.Database, user: User, account: string | null): string[] {
  return db
    .prepare(
      `SELECT id FROM trades AS t WHERE user_id = ? AND account IS ? COLLATE NOCASE AND ${IS_RECORD}`,
    )
    .pluck()
    .all(user.id, account) as string[];
}

/** The account of trades that no line states, before it is renamed. */
function keepForeign({ db, user, stated, importId }: Edit, account: string | null): void {
  const known = statedAccounts(db, user);
  for (const id of recordsOf(db, user, account))
    if (!known.has(id)) stated.capture(trades, id, importId);
}

/**
 * After accounts were renamed: gives closed trades the present name of the account that the latest
 * line states.
 * @param undone given if a rename was undone
 * @returns the number of trades that moved
 */
export function settleRecords(
  db: Database.Database,
  settings: WriteSettings,
  undone?: StatedRecords,
): number {
  const { user } = settings;
  const names = new AccountNames(db, user.id);
  const writer = new RecordWriter(db, trades, { ...settings, account: undefined });
  const accounts = statedAccounts(db, user);
  const present = db
    .prepare(`SELECT id, account FROM trades AS t WHERE user_id = ? AND ${IS_RECORD}`)
    .all(user.id) as {
    id: string;
    account: string | null;
  }[];
  const moving = present.filter(
    ({ id, account }) => accounts.has(id) && names.of(accounts.get(id) ?? null) !== account,
  );
  for (const { id } of moving) {
    // An undo leaves no line, by whose time the record would be known as written by this program.
    const before = undone?.find(trades, id);
    if (before) undone?.table.makeExplicit(trades, id, before);
    writer.put({ id, account: names.of(accounts.get(id) ?? null) });
  }
  return moving.length;
}

/** The account that the latest line states of each closed trade, before renames. */
function statedAccounts(db: Database.Database, user: User): Map<string, string | null> {
  const rows = db
    .prepare(
      `SELECT record_id AS id, CASE WHEN fields GLOB '{*' AND json_type(fields, '$.account') IS NOT NULL
         THEN fields ->> '$.account' ELSE account END AS account
       FROM import_records WHERE user_id = ? AND resource = 'trades' AND kind <> 'removed'
         AND (account IS NOT NULL AND (fields IS NULL OR fields GLOB '[[]*') OR json_type(fields, '$.account') IS NOT NULL)
       ORDER BY import_id, kind`,
    )
    .all(user.id) as { id: string; account: string | null }[];
  return new Map(rows.map(({ id, account }) => [id, account || null]));
}

const IS_RECORD = `NOT EXISTS (
  SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.fill_id IS NOT NULL)`;
