/** Removes a record from the journal, unless others refer to it. */
import Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';

/** Columns that refer to trades and groups. */
const REFERENCES = [
  ['trade_journals', 'trade_id', 'trades'],
  ['weekly_reviews', 'best_trade_id', 'trades'],
  ['weekly_reviews', 'worst_trade_id', 'trades'],
  ['group_journals', 'group_id', 'trade_groups'],
  ['trades', 'group_id', 'trade_groups'],
] as const;

/** Number of referring records named in the error. */
const NAMED = 5;

/** @throws UserError that names the referring records */
export function deleteRecord(db: Database.Database, { table, title }: ListResource, userId: string, id: string): void {
  try {
    db.prepare(`DELETE FROM ${table} WHERE user_id = ? AND id = ?`).run(userId, id);
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) throw error;
    const mentions = REFERENCES.filter(([, , named]) => named === table).flatMap(([other, column]) => {
      const ids = db.prepare(`SELECT id FROM ${other} WHERE user_id = ? AND ${column} = ? LIMIT ${NAMED}`);
      return (ids.pluck().all(userId, id) as string[]).map((own) => `${own} (${other.replaceAll('_', ' ')})`);
    });
    throw new UserError(
      `can't remove ${id} (${title}), since other records refer to it: ${mentions.slice(0, NAMED).join(', ')}; remove those first`,
    );
  }
}
