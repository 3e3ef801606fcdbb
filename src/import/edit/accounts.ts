/** Accounts: lists them, and renames one for its trades, fills, fees and later files. */
import type Database from 'better-sqlite3';
import { nearest, quote, UserError } from '../../errors.ts';
import { AccountNames, addName } from '../../import-tables/accounts.ts';
import { PART } from '../../import-tables/fill-row.ts';
import { FillTable } from '../../import-tables/fills.ts';
import { WRITTEN_FIELDS } from '../../import-tables/walked-trades.ts';
import type { User } from '../../journal/journal.ts';
import { tradeJournals } from '../../journal/resources/journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { WholeRecord, WriteSettings } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { roundMoney } from '../../money.ts';
import { fromInstantText, ZoneClock } from '../../time.ts';
import { inAccount } from '../fills/identity.ts';
import { type MadeTrades, makeTrades, type RestatedRow, restateFills, walkBefore } from '../fills/make-trades.ts';
import { FORMATS } from '../formats/index.ts';
import { type OfUser, readOf, type TargetOptions } from '../write/target-journal.ts';
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
      ...[user.base_currency, user.id],
    ) as { account: string | null; trades: number; first: string; last: string; net: number }[];
    return rows.map(({ account, trades: count, first, last, net }) => ({
      account,
      other_names: account === null ? [] : names.othersOf(account).map((name) => (name === '' ? null : name)),
      trades: count,
      first: clock.dateOf(fromInstantText(first)),
      last: clock.dateOf(fromInstantText(last)),
      net_pnl: roundMoney(net),
    }));
  });
}

export interface RenameReport extends LineReport {
  /** Number of trades that are in the new account now. */
  trades: number;
  keys: ShownByKey[];
  /** Trades whose labels and entries moved, as for imports. */
  moved: MadeTrades['trades']['moved'];
}

/**
 * @param from null: trades without an account
 * @throws UserError if there is no such account, or the new one has trades and isn't merged
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
    refuse(before, from, to, options.merge === true);
    const keys = liveKeys(db, user, options.keys, options.now);
    const fills = new FillTable(db, user.id);
    fills.fixAccounts();
    addName(db, user.id, importId, { name: from ?? '', renamed: to });
    const keepTexts = mergedTexts(own, options.merge ? [from, to] : []);
    const made = settleAccounts(db, fills, own.settings);
    keepTexts(made?.trades.moved ?? []);
    moveFees(own, fills, from, to);
    moveLimits(db, user.id, importId, from, to);
    for (const id of recordsOf(db, user, from)) own.put(trades, { id, account: to });
    const moved = before.get(from?.toLowerCase())?.trades ?? 0;
    const report = { trades: moved, keys: keys([from ?? '', to]), moved: made?.trades.moved ?? [] };
    return { report, changed: 1, trades: moved, changesFills: made !== undefined };
  });
}

/**
 * Texts of trades in two accounts that become one trade: undo gives each its own.
 * @returns states them, once the trades have moved
 */
function mergedTexts(edit: Edit, accounts: readonly (string | null)[]): (moved: MadeTrades['trades']['moved']) => void {
  const { db, user, imports, importId } = edit;
  const idsOf = db.prepare('SELECT id FROM trades WHERE user_id = ? AND account IS ?').pluck();
  const entriesOf = db.prepare('SELECT id FROM trade_journals WHERE user_id = ? AND trade_id = ?').pluck();
  const ids = accounts.flatMap((account) => idsOf.all(user.id, account) as string[]);
  const stored = new Map(ids.map((id) => [id, edit.whole(trades, id) as WholeRecord]));
  const entries = ids.flatMap((id) => entriesOf.all(user.id, id) as string[]);
  const before = entries.map((id) => edit.whole(tradeJournals, id) as WholeRecord);
  return (moved) => {
    for (const { from, to } of moved) {
      const [own, target] = [stored.get(from), stored.get(to)];
      if (!own || !target) continue;
      const cleared = WRITTEN_FIELDS.map((name) => [name, Array.isArray(own.record[name]) ? [] : null]);
      const bare = { ...own, record: { ...own.record, ...Object.fromEntries(cleared) } };
      imports.addRecord(importId, trades.path, target, edit.whole(trades, to) as WholeRecord);
      imports.addRecord(importId, trades.path, own, bare);
    }
    for (const entry of before) {
      const now = edit.whole(tradeJournals, entry.record['id'] as string);
      const trade = entry.record['trade_id'];
      if (now && now.record['trade_id'] !== trade && moved.some(({ from }) => from === trade))
        imports.addRecord(importId, tradeJournals.path, entry, now);
    }
  };
}

type Counts = ReadonlyMap<string | undefined, { account: string | null; trades: number }>;

/** Accounts with their numbers of trades, by name in lower case; undefined is none. */
function countsOf(db: Database.Database, user: User): Counts {
  const rows = db
    .prepare('SELECT min(account) AS account, count(*) AS trades FROM trades WHERE user_id = ? GROUP BY lower(account)')
    .all(user.id) as { account: string | null; trades: number }[];
  return new Map(rows.map((own) => [own.account?.toLowerCase(), own]));
}

function refuse(counts: Counts, from: string | null, to: string, merge: boolean): void {
  if (/\p{Cc}/u.test(to))
    throw new UserError(`an account's name has one line without control characters; got ${quote(to)}`);
  const known = [...counts.values()].map(({ account }) => account ?? NO_ACCOUNT);
  if (!counts.has(from?.toLowerCase())) {
    const near = nearest(from ?? NO_ACCOUNT, known);
    throw new UserError(
      `no trade is in the account "${from ?? NO_ACCOUNT}"; ${near === undefined ? `accounts: ${known.join(', ') || 'none'}` : `did you mean ${near}?`}`,
    );
  }
  const count = counts.get(to.toLowerCase())?.trades ?? 0;
  if (count > 0 && from?.toLowerCase() !== to.toLowerCase() && !merge) {
    throw new UserError(`account ${to} has ${count} trades; pass --merge to join both accounts`);
  }
}

/** Fees set for the old account become those of the new one. @throws UserError if both have some */
function moveFees({ db, importId, settings }: Edit, fills: FillTable, from: string | null, to: string): void {
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
 * Puts each fill into the account that the name in its files leads to now.
 * @returns undefined if none moves
 */
export function settleAccounts(
  db: Database.Database,
  fills: FillTable,
  settings: WriteSettings,
): MadeTrades | undefined {
  const names = new AccountNames(db, settings.user.id);
  const rows: RestatedRow[] = [];
  const holders = holdersOf(db, settings.user);
  for (const { importId, place, fees, account: stated, written, fill } of fills.statements()) {
    const account = stated === '' ? (holders.get(importId) ?? '') : stated;
    if (account === null || fill.part === PART.adopted) continue;
    const now = names.of(account === '' ? null : account);
    if (now === fill.account) continue;
    const to = inAccount(fill, now, hasUniqueIds(fill.format));
    rows.push({ importId, place, fees, account: stated, written, from: fill, to });
  }
  return rows.length === 0 ? undefined : restateFills(db, fills, rows, { ...settings, areNames: true });
}

/** Accounts of imports' rows without one. */
function holdersOf(db: Database.Database, user: User): Map<number, string> {
  const rows = db.prepare('SELECT id, holder FROM imports WHERE user_id = ? AND holder IS NOT NULL').all(user.id) as {
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
      `SELECT id FROM trades AS t WHERE user_id = ? AND account IS ? COLLATE NOCASE AND NOT EXISTS (
         SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.fill_id IS NOT NULL)`,
    )
    .pluck()
    .all(user.id, account) as string[];
}

/** After a rename was undone: trades of later files that name the old account. @returns their number */
export function settleRecords(db: Database.Database, settings: WriteSettings, from: string | null, to: string): number {
  const names = new AccountNames(db, settings.user.id);
  const writer = new RecordWriter(db, trades, settings);
  const rows = db
    .prepare(
      `SELECT r.record_id FROM import_records AS r WHERE r.user_id = ? AND r.resource = 'trades' AND r.change = 'added'
         AND r.account = ? COLLATE NOCASE`,
    )
    .pluck()
    .all(settings.user.id, from ?? '') as string[];
  const own = new Set(recordsOf(db, settings.user, to));
  const ids = rows.filter((id) => own.has(id));
  for (const id of ids) writer.put({ id, account: names.of(from) });
  return ids.length;
}
