/** Accounts: lists them, and renames one for its trades, fills, fees and later files. */
import type Database from 'better-sqlite3';
import { nearest, UserError } from '../errors.ts';
import type { MadeTrades } from '../import/fills/make-trades.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { balanceChangesOf, balancesInForce } from '../journal/analytics/account-rules.ts';
import type { User } from '../journal/journal.ts';
import { type OfUser, readOf } from '../journal-write/open.ts';
import { roundMoney } from '../money.ts';
import { foldCase } from '../sqlite/functions.ts';
import { Reader } from '../sqlite/reader.ts';
import {
  type AccountName,
  AccountNames,
  addBalance,
  addName,
  namesOf,
  settleCash,
} from '../statements/account-settings.ts';
import { FillTable } from '../statements/fills.ts';
import { fromInstantText, ZoneClock } from '../time.ts';
import { moveSettings } from './changes/moved-settings.ts';
import {
  keepForeign,
  settleAccounts,
  settleFlows,
  settleRecords,
} from './changes/renamed-accounts.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';
import { liveKeys, type ShownByKey } from './effects.ts';

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
  /** Closed trades in other currencies without a rate. */
  without_rate: number;
}

export function listAccounts(options: OfUser): ListedAccount[] {
  return readOf(options, (reader, user) => {
    const clock = new ZoneClock(user.timezone);
    const names = new AccountNames(reader, user.id);
    const rows = reader.all<{
      account: string | null;
      trades: number;
      first: string;
      last: string;
      net: number;
      closed: number;
      rated: number;
    }>(
      `SELECT account, count(market) AS trades, min(at) AS first, max(at) AS last,
         total(net) AS net, count(closed_at) AS closed, count(net) AS rated
       FROM (SELECT account, market, executed_at AS at, closed_at, CASE WHEN status = 'closed'
           THEN net_pnl * CASE WHEN currency = ? THEN 1 ELSE fx_rate END END AS net
         FROM trades WHERE user_id = ?
         UNION ALL SELECT account, NULL, at, NULL, NULL FROM cash_flows WHERE user_id = ?)
       GROUP BY account COLLATE NOCASE ORDER BY account`,
      user.base_currency,
      user.id,
      user.id,
    );

    return rows.map(({ account, trades: count, first, last, net, closed, rated }) => ({
      account,
      other_names:
        account === null
          ? []
          : names.othersOf(account).map((name) => (name === '' ? null : name)),
      trades: count,
      first: clock.dateOf(fromInstantText(first)),
      last: clock.dateOf(fromInstantText(last)),
      net_pnl: roundMoney(net),
      without_rate: closed - rated,
    }));
  });
}

export interface BalanceReport extends LineReport {
  /** Where a renamed account is now. */
  account: string;
  /** Null: it has none any more. */
  starting_balance: number | null;
  currency: string;
  /** The balance in another currency that it had: an account has one. Null: none. */
  replaced: { starting_balance: number; currency: string } | null;
  /**
   * Whether a trade or a cash flow is in it, and the nearest name of another if none is.
   */
  is_known: boolean;
  did_you_mean: string | null;
}

/** @param balance null: removes it. @throws UserError if there is none to remove */
export function setStartingBalance(
  options: TargetOptions & { currency?: string | undefined },
  name: string,
  balance: number | null,
  line: string,
): BalanceReport {
  const entry = { format: 'account-set', line, account: name };
  return withLine(options, entry, ({ db, user, importId }) => {
    const account = new AccountNames(db, user.id).of(name);
    const present = balancesInForce(balanceChangesOf(new Reader(db), user.id)).get(
      foldCase(account),
    );
    if (balance === null && !present)
      throw new UserError(`${account} has no starting balance of its own`);

    const currency = options.currency ?? present?.currency ?? user.base_currency;
    const isSame = present?.starting_balance === balance && present.currency === currency;
    const change = { account, starting_balance: balance, currency };
    if (!isSame) addBalance(db, user.id, importId, change);

    const counts = countsOf(db, user);
    const is_known = counts.has(account.toLowerCase());
    const others = [...counts.values()].flatMap((known) => known.account ?? []);
    const did_you_mean = is_known ? null : (nearest(account, others) ?? null);
    const replaced = replacedBy(change, present);
    return {
      report: { ...change, replaced, is_known, did_you_mean },
      changed: isSame ? 0 : 1,
    };
  });
}

type Balance = Pick<BalanceReport, 'starting_balance' | 'currency'>;

/** A balance in another currency that a new one replaces; null if none. */
function replacedBy(
  { starting_balance, currency }: Balance,
  present: Balance | undefined,
): BalanceReport['replaced'] {
  const former = present?.starting_balance ?? null;
  if (
    !present ||
    former === null ||
    starting_balance === null ||
    present.currency === currency
  )
    return null;
  return { starting_balance: former, currency: present.currency };
}

export interface RenameReport extends LineReport {
  /**
   * Number of trades that moved to the new account, or to the new spelling of its name;
   * 0: nothing changed.
   */
  trades: number;
  /** The same of cash flows. */
  cash_flows: number;
  keys: ShownByKey[];
  /** Trades whose labels and entries moved, as for imports. */
  moved: MadeTrades['trades']['moved'];
}

/**
 * @param from null: trades without an account
 * @throws UserError if there is no such account, or another has or had the new name and
 * isn't merged
 */
export function renameAccount(
  options: TargetOptions & { merge?: boolean | undefined },
  from: string | null,
  to: string,
  line: string,
): RenameReport {
  return withLine(options, { format: 'account', line }, (edit) => {
    const { db, user, importId } = edit;
    const before = countsOf(db, user);
    refuseUnknown(before, from);
    if (isSpelled(db, user, from, to))
      return { report: { trades: 0, cash_flows: 0, keys: [], moved: [] }, changed: 0 };

    if (!options.merge) refuseMerge(edit, before, from, to);
    const keys = liveKeys(db, user, options.keys, options.now);
    const elsewhere = elsewhereOf(edit, from, to);
    const fills = new FillTable(db, user.id);
    fills.fixAccounts();
    keepForeign(edit, from);
    addName(db, user.id, importId, { name: from ?? '', renamed: to });

    const made = settleAccounts(db, fills, edit.settings);
    moveSettings(edit, fills, { import: importId, name: from ?? '', renamed: to });
    edit.stated.forgetNames();
    const flows = new AccountFlows(db, user);
    settleRecords(db, edit.settings);
    settleFlows(edit.stated, user.id);
    settleCash(db, user.id);

    const after = countsOf(db, user);
    const leaving =
      elsewhere === undefined
        ? 0
        : countIn(before, elsewhere) - countIn(after, elsewhere);
    const moved = countIn(before, from) + leaving;
    const report = {
      trades: moved,
      cash_flows: flows.moved(),
      keys: keys([from ?? '', to]),
      moved: made?.trades.moved ?? [],
    };

    return { report, changed: 1, trades: moved, changesFills: made !== undefined };
  });
}

interface FlowAccount {
  id: string;
  account: string | null;
}

/** Accounts of cash flows before a change. */
class AccountFlows {
  readonly #rows: () => FlowAccount[];
  readonly #before: ReadonlyMap<string, string | null>;

  constructor(db: Database.Database, { id }: User) {
    const find = db.prepare<[string], FlowAccount>(
      'SELECT id, account FROM cash_flows WHERE user_id = ?',
    );
    this.#rows = () => find.all(id);
    this.#before = new Map(this.#rows().map((flow) => [flow.id, flow.account]));
  }

  /** Number of those that have moved since. */
  moved(): number {
    return this.#rows().filter(({ id, account }) => this.#before.get(id) !== account)
      .length;
  }
}

/**
 * A third account, which an earlier rename gave the trades of files that name the new
 * one: they come back.
 */
function elsewhereOf(
  { db, user }: Edit,
  from: string | null,
  to: string,
): string | undefined {
  const present = new AccountNames(db, user.id).of(to);
  const names = [from?.toLowerCase(), to.toLowerCase()];
  return present === null || names.includes(present.toLowerCase()) ? undefined : present;
}

type Counts = ReadonlyMap<string | undefined, { account: string | null; trades: number }>;

/** Accounts with their numbers of trades, by name in lower case; undefined is none. */
function countsOf(db: Database.Database, user: User): Counts {
  const rows = db
    .prepare<[{ user: string }], { account: string | null; trades: number }>(
      `SELECT min(account) AS account, count(market) AS trades
       FROM (SELECT account, market FROM trades WHERE user_id = @user
         UNION ALL SELECT account, NULL FROM cash_flows WHERE user_id = @user)
       GROUP BY lower(account)`,
    )
    .all({ user: user.id });
  return new Map(rows.map((row) => [row.account?.toLowerCase(), row]));
}

function countIn(counts: Counts, account: string | null): number {
  return counts.get(account?.toLowerCase())?.trades ?? 0;
}

function refuseUnknown(counts: Counts, from: string | null): void {
  if (counts.has(from?.toLowerCase())) return;

  const known = [...counts.values()].map(({ account }) => account ?? NO_ACCOUNT);
  const near = nearest(from ?? NO_ACCOUNT, known);
  const accounts = `accounts: ${known.join(', ') || 'none'}`;
  throw new UserError(
    `no trade is in the account "${from ?? NO_ACCOUNT}"; ` +
      `${near === undefined ? accounts : `did you mean ${near}?`}`,
  );
}

/** Whether all trades and cash flows of an account are in one of exactly this name. */
function isSpelled(
  db: Database.Database,
  user: User,
  from: string | null,
  to: string,
): boolean {
  if (from?.toLowerCase() !== to.toLowerCase()) return false;

  return ['trades', 'cash_flows'].every((table) => {
    const other = `SELECT 1 FROM ${table}
      WHERE user_id = ? AND account = ? AND account <> ? COLLATE BINARY LIMIT 1`;
    return db.prepare(other).get(user.id, to, to) === undefined;
  });
}

/**
 * @throws UserError if the new name has trades, or a line renamed it before, so that two
 * accounts would become one
 */
function refuseMerge(
  { db, user }: Edit,
  counts: Counts,
  from: string | null,
  to: string,
): void {
  const name = to.toLowerCase();
  if (from?.toLowerCase() === name) return;

  const count = countIn(counts, to);
  if (count > 0)
    throw new UserError(
      `account ${to} has ${count} ${count === 1 ? 'trade' : 'trades'}; ` +
        'pass --merge to join both accounts',
    );

  const isLeft = (rename: AccountName) =>
    rename.name.toLowerCase() === name && rename.renamed.toLowerCase() !== name;
  const left = namesOf(new Reader(db), user.id).findLast(isLeft);
  if (!left) return;

  const names = new AccountNames(db, user.id);
  const source = from ?? NO_ACCOUNT;
  const leading = names.othersOf(to).map((other) => other || NO_ACCOUNT);
  if (leading.length > 0)
    throw new UserError(
      `files that name ${leading.join(' or ')} lead to ${to}; ` +
        `pass --merge to join their account with ${source}`,
    );

  const present = names.of(to);
  // Back to where it came from.
  if (present?.toLowerCase() === (from ?? '').toLowerCase()) return;

  throw new UserError(
    `import ${left.import} renamed ${to} to ${left.renamed}, ` +
      `and its trades would leave ${present} to join those of ${source}; ` +
      'choose another name, or pass --merge to do that',
  );
}
