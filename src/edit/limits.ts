import { nearest, UserError } from '../errors.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import {
  type AccountRules,
  RULES,
  ruleChangesOf,
  rulesInForce,
} from '../journal/analytics/account-rules.ts';
import { type OfUser, readOf } from '../journal-write/open.ts';
import { foldCase } from '../sqlite/functions.ts';
import { Reader } from '../sqlite/reader.ts';
import { AccountNames, addRules } from '../statements/account-settings.ts';
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
  return withLine(
    options,
    { format: 'limits', line, account: name },
    ({ db, user, importId }) => {
      const account = new AccountNames(db, user.id).of(name);
      const before = rulesInForce(ruleChangesOf(new Reader(db), user.id));
      const present = before.get(foldCase(account));
      if (rules === null && !present) {
        const known = [...before.values()].map((known) => known.account);
        throw new UserError(
          `${account} has no limits; accounts with limits: ${known.join(', ') || 'none'}`,
        );
      }

      const isSame =
        present !== undefined &&
        rules !== null &&
        RULES.every((rule) => rules[rule] === present.rules[rule]);
      if (!isSame) addRules(db, user.id, importId, { account, rules });
      const accounts = db
        .prepare<[string], { account: string; trades: number }>(
          `SELECT account, count(*) AS trades FROM trades WHERE user_id = ? AND account IS NOT NULL
          GROUP BY account`,
        )
        .all(user.id);
      const trades =
        accounts.find((known) => foldCase(known.account) === foldCase(account))?.trades ??
        0;
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
    },
  );
}

export type ListedLimits = { account: string; import: number } & AccountRules;

export function listLimits(options: OfUser): ListedLimits[] {
  const all = readOf(options, (reader, { id }) =>
    rulesInForce(ruleChangesOf(reader, id)),
  );
  return [...all.values()].map(({ account, rules, import: importId }) => ({
    account,
    import: importId,
    ...rules,
  }));
}
