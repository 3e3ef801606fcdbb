/**
 * Fees, limits and starting balances of renamed accounts: a rename takes along those that
 * its account has then. They are rows of its line, and follow from the lines before it.
 */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import {
  type MadeTrades,
  makeTrades,
  walkBefore,
} from '../../import/fills/make-trades.ts';
import {
  type BalanceChange,
  balanceChangesOf,
  balancesInForce,
  type RuleChange,
  ruleChangesOf,
  rulesInForce,
} from '../../journal/analytics/account-rules.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { Reader } from '../../sqlite/reader.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import {
  type AccountName,
  AccountNames,
  addBalance,
  addRules,
  type FeeRate,
  feeChangesOf,
  feesInForce,
  isFor,
  namesOf,
} from '../../statements/account-settings.ts';
import { FillTable } from '../../statements/fills.ts';
import type { Edit } from '../edit.ts';
import { builtOnBy } from './undone-records.ts';

/** A rename, with its line. */
type Rename = AccountName & { import: number };

/** What a line sets. */
type OfLine<T> = T & { import: number };

/**
 * Fees and limits of a renamed account become those of the new one.
 * @throws UserError if both have some
 */
export function moveSettings(
  { db, user, settings }: Edit,
  fills: FillTable,
  rename: Rename,
): void {
  const reader = new Reader(db);
  const fees = movedFees(feeChangesOf(reader, user.id), rename);
  if (fees.length > 0) {
    const to = rename.renamed.toLowerCase();
    const feeless = fills
      .feeless()
      .filter(({ account }) => account?.toLowerCase() === to);
    const before = walkBefore(feeless, fills);
    for (const rate of fees) fills.feeRates.add(rename.import, rate);
    makeTrades(db, before, fills, { ...settings, areLegsSame: true });
  }

  for (const rules of movedRules(ruleChangesOf(reader, user.id), rename))
    addRules(db, user.id, rename.import, rules);
  for (const balance of movedBalances(balanceChangesOf(reader, user.id), rename))
    addBalance(db, user.id, rename.import, balance);
}

/** @throws UserError if both accounts have fees */
function movedFees(changes: readonly OfLine<FeeRate>[], rename: Rename): FeeRate[] {
  const { name: from, renamed: to, import: line } = rename;
  if (from === '' || from.toLowerCase() === to.toLowerCase()) return [];

  const inForce = feesInForce(changes.filter((change) => change.import < line));
  const feesOf = (name: string) =>
    inForce.filter(({ account }) => account?.toLowerCase() === name.toLowerCase());
  const moving = feesOf(from);
  if (moving.length > 0 && feesOf(to).length > 0)
    throw new UserError(
      `both ${from} and ${to} have fees of their own; remove those of one first, ` +
        `as in: journal-api fees remove SYMBOL --account ${from}`,
    );

  return moving.flatMap((rate) => [
    { ...rate, account: to },
    { ...rate, per_contract: null, per_order: null, percent: null },
  ]);
}

/** @throws UserError if both accounts have limits */
function movedRules(
  changes: readonly OfLine<RuleChange>[],
  rename: Rename,
): RuleChange[] {
  const { name: from, renamed: to, import: line } = rename;
  const inForce = rulesInForce(changes.filter((change) => change.import < line));
  const moving = inForce.get(foldCase(from));
  if (from === '' || !moving) return [];

  const { rules } = moving;
  if (foldCase(from) === foldCase(to)) return [{ account: to, rules }];
  if (inForce.has(foldCase(to)))
    throw new UserError(
      `both ${from} and ${to} have limits; remove those of one first, ` +
        `as in: journal-api limits remove ${from}`,
    );

  return [
    { account: from, rules: null },
    { account: to, rules },
  ];
}

/** @throws UserError if both accounts have a starting balance */
function movedBalances(
  changes: readonly OfLine<BalanceChange>[],
  rename: Rename,
): BalanceChange[] {
  const { name: from, renamed: to, import: line } = rename;
  const inForce = balancesInForce(changes.filter((change) => change.import < line));
  const moving = inForce.get(foldCase(from));
  if (from === '' || !moving) return [];

  const { starting_balance, currency } = moving;
  if (foldCase(from) === foldCase(to))
    return [{ account: to, starting_balance, currency }];
  if (inForce.has(foldCase(to)))
    throw new UserError(
      `both ${from} and ${to} have a starting balance; remove that of one first, ` +
        `as in: journal-api account set ${from} --starting-balance none`,
    );

  return [
    { account: from, starting_balance: null, currency },
    { account: to, starting_balance, currency },
  ];
}

/**
 * After a line was undone that set fees or limits, or renamed an account: what the
 * renames that are left take along, and where limits are that were set by other names.
 * @returns undefined if no trade has other fees
 * @throws UserError if a rename would join two accounts that both have some
 */
export function settleMoved(
  db: Database.Database,
  settings: WriteSettings,
): MadeTrades | undefined {
  const renames = namesOf(new Reader(db), settings.user.id);
  const user = settings.user.id;
  settleNamed(db, user, renames, {
    table: 'account_limits',
    format: 'limits',
    move(line) {
      const changes = ruleChangesOf(new Reader(db), user);
      for (const rules of unlessBoth(line, () => movedRules(changes, line)))
        addRules(db, user, line.import, rules);
    },
  });
  settleNamed(db, user, renames, {
    table: 'account_balances',
    format: 'account-set',
    move(line) {
      const changes = balanceChangesOf(new Reader(db), user);
      for (const balance of unlessBoth(line, () => movedBalances(changes, line)))
        addBalance(db, user, line.import, balance);
    },
  });
  return settleFees(db, settings, renames);
}

/** Settings of accounts by lines of one format, and how a rename takes them along. */
interface NamedSettings {
  table: string;
  format: string;
  move: (line: Rename) => void;
}

function settleNamed(
  db: Database.Database,
  user: string,
  renames: readonly Rename[],
  { table, format, move }: NamedSettings,
): void {
  const rows = new UserRows(db, user);
  const typed = rows.all<{ import: number; account: string }>(TYPED, { format });
  for (const { import: line } of renames) rows.delete(table, { import_id: line });

  const lines = [...renames, ...typed].sort((a, b) => a.import - b.import);
  for (const line of lines) {
    if ('account' in line) {
      const account = new AccountNames(db, user, line.import).of(line.account) as string;
      rows.update(table, { import_id: line.import }, { account });
    } else move(line);
  }
}

/** Lines that set or removed settings, with the account as it was typed. */
const TYPED = `SELECT id AS import, account FROM imports
  WHERE user_id = ${USER} AND format = @format AND account IS NOT NULL`;

function settleFees(
  db: Database.Database,
  settings: WriteSettings,
  renames: readonly Rename[],
): MadeTrades | undefined {
  const all = feeChangesOf(new Reader(db), settings.user.id);
  const isOfRename = (change: OfLine<FeeRate>) =>
    renames.some((rename) => rename.import === change.import);
  const before = all.filter(isOfRename);
  const changes = all.filter((change) => !isOfRename(change));
  const after: OfLine<FeeRate>[] = [];

  for (const rename of renames) {
    const moved = unlessBoth(rename, () => movedFees([...changes, ...after], rename));
    for (const rate of moved) after.push({ ...rate, import: rename.import });
  }

  const differing = [...without(before, after), ...without(after, before)];
  if (differing.length === 0) return undefined;

  const fills = new FillTable(db, settings.user.id);
  const feeless = fills
    .feeless()
    .filter((fill) => differing.some((rate) => isFor(rate, fill)));
  const walked = walkBefore(feeless, fills);
  for (const rename of renames) fills.feeRates.remove(rename.import);
  for (const rate of after) fills.feeRates.add(rate.import, rate);

  return makeTrades(db, walked, fills, { ...settings, areLegsSame: true });
}

function without(
  changes: readonly OfLine<FeeRate>[],
  others: readonly OfLine<FeeRate>[],
): OfLine<FeeRate>[] {
  const keys = others.map(keyOf);
  return changes.filter((change) => !keys.includes(keyOf(change)));
}

function keyOf({ import: line, symbol, account, ...rate }: OfLine<FeeRate>): string {
  const { per_contract, per_order, percent } = rate;
  return JSON.stringify([line, symbol, account, per_contract, per_order, percent]);
}

/**
 * A rename of an account with settings to one that has some, too, would have been
 * refused.
 */
function unlessBoth<T>({ import: line }: Rename, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof UserError ? builtOnBy(line) : error;
  }
}
