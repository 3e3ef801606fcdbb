/** Changes of limits of accounts. Each is stored with its import, and undo deletes it. */
import type Database from 'better-sqlite3';
import { RULES, type RuleChange } from '../journal/analytics/account-rules.ts';

export function addRules(db: Database.Database, user: string, importId: number, { account, rules }: RuleChange): void {
  db.prepare(
    `INSERT INTO account_limits (user_id, import_id, account, ${RULES.join(', ')})
     VALUES (?, ?, ?, ${RULES.map(() => '?').join(', ')})`,
  ).run(user, importId, account, ...RULES.map((name) => rules?.[name] ?? null));
}
