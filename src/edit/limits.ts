/** Limits of accounts: lists, sets and removes them, and moves those of a renamed account. */
import type Database from 'better-sqlite3';
import { nearest, UserError } from '../errors.ts';
import { type OfUser, readOf, type TargetOptions } from '../import/write/target-journal.ts';
import {
  type AccountRules,
  RULES,
  ruleChangesOf,
  rulesInForce,
} from '../journal/analytics/account-rules.ts';
import { foldCase } from '../sqlite/functions.ts';
import { Reader } from '../sqlite/reader.ts';
import { AccountNames, addRules, namesOf } from '../statements/accounts.ts';
import { type LineReport, withLine } from './edit.ts';

export interface LimitsReport extends LineReport {
  /** Where a renamed account is now. */
  account: string;
  rules: AccountRules | null;
  /** Number of its trades, and the nearest name of another account if it has none. */
  trades: number;
  did_you_mean: string | null;
}

/**
 * @param rules null: removes them
 * @throws UserError if there are none to remove
 */
export function setLimits(
  options: TargetOptions,
  name: string,
  rules: AccountRules | null,
  line: string,
): LimitsReport {
  return withLine(options, { format: 'limits', line, account: name }, ({ db, user, importId }) => {
    const account = new AccountNames(db, user.id).of(name) as string;
    const before = rulesInForce(ruleChangesOf(new Reader(db), user.id));
    const own = before.get(foldCase(account));
    if (rules === null && !own) {
      const known = [...before.values()].map((known) => known.account);
      throw new UserError(
        `${account} has no limits; accounts with limits: ${known.join(', ') || 'none'}`,
      );
    }
    const isSame =
      own !== undefined && rules !== null && RULES.every((rule) => rules[rule] === own.rules[rule]);
    if (!isSame) addRules(db, user.id, importId, { account, rules });
    const accounts = db
      .prepare(
        'SELECT account, count(*) AS trades FROM trades WHERE user_id = ? AND account IS NOT NULL GROUP BY account',
      )
      .all(user.id) as { account: string; trades: number }[];
    const trades =
      accounts.find((known) => foldCase(known.account) === foldCase(account))?.trades ?? 0;
    const near =
      trades > 0
        ? undefined
        : nearest(
            account,
            accounts.map((known) => known.account),
          );
    return {
      report: { account, rules, trades, did_you_mean: near ?? null },
      changed: isSame ? 0 : 1,
    };
  });
}

export type ListedLimits = { account: string; import: number } & AccountRules;

export function listLimits(options: OfUser): ListedLimits[] {
  const all = readOf(options, (reader, { id }) => rulesInForce(ruleChangesOf(reader, id)));
  return [...all.values()].map(({ account, rules, import: own }) => ({
    account,
    import: own,
    ...rules,
  }));
}

/** Limits of a renamed account become those of the new one. @throws UserError if both have some */
export function moveLimits(
  db: Database.Database,
  user: string,
  importId: number,
  from: string | null,
  to: string,
): void {
  if (from === null) return;
  const all = rulesInForce(ruleChangesOf(new Reader(db), user));
  const own = all.get(foldCase(from));
  if (!own) return;
  if (foldCase(from) !== foldCase(to)) {
    if (all.has(foldCase(to)))
      throw new UserError(
        `both ${from} and ${to} have limits; remove those of one first, as in: journal-api limits remove ${from}`,
      );
    addRules(db, user, importId, { account: from, rules: null });
  }
  addRules(db, user, importId, { account: to, rules: own.rules });
}

/**
 * A later rename of an account whose limits an import set or removed, if it took them along, or
 * would have; undefined if none.
 */
export function movedLater(
  db: Database.Database,
  user: string,
  importId: number,
): number | undefined {
  const changes = ruleChangesOf(new Reader(db), user);
  const own = changes.filter((change) => change.import === importId);
  if (own.length === 0) return undefined;

  const accounts = own.map(({ account }) => foldCase(account));
  const removed = own.filter(({ rules }) => rules === null).map(({ account }) => foldCase(account));
  const isMoved = (line: number) =>
    changes.some((change) => change.import === line && accounts.includes(foldCase(change.account)));
  const later = namesOf(new Reader(db), user).filter((rename) => rename.import > importId);
  return later.find((rename) => isMoved(rename.import) || removed.includes(foldCase(rename.name)))
    ?.import;
}

const BY_FORMER_NAME = `SELECT l.import_id AS line, i.account AS name FROM account_limits AS l
  JOIN imports AS i ON i.user_id = l.user_id AND i.id = l.import_id AND i.format = 'limits'
  WHERE l.user_id = ? AND l.import_id > ? AND l.account = ? AND i.account <> l.account COLLATE NOCASE`;

/**
 * After a rename was undone: limits that later lines set by a former name are those of that name.
 */
export function settleLimits(
  db: Database.Database,
  user: string,
  importId: number,
  account: string,
): void {
  const names = new AccountNames(db, user);
  const move = db.prepare(
    'UPDATE account_limits SET account = ? WHERE user_id = ? AND import_id = ? AND account = ?',
  );
  const later = db.prepare(BY_FORMER_NAME).all(user, importId, account) as {
    line: number;
    name: string;
  }[];
  for (const { line, name } of later) move.run(names.of(name), user, line, account);
}
