/**
 * Trades made from fills that something was said about in an older journal: by what they
 * hold now.
 */
import type Database from 'better-sqlite3';
import { USER, type UserRows } from '../../sqlite/user-rows.ts';

const HELD = `json_group_array(json_object('fill', e.fill_id, 'quantity', e.quantity)
  ORDER BY e.executed_at, e.position)`;

/** @param trades rows of user_id and id */
const holdPresent = (trades: string) => `
  INSERT INTO stated_trades (user_id, id, trade_id, held)
  SELECT e.user_id, e.trade_id, e.trade_id, ${HELD} FROM executions AS e
  WHERE e.fill_id IS NOT NULL AND (e.user_id, e.trade_id) IN (${trades})
    GROUP BY e.user_id, e.trade_id
  ON CONFLICT DO NOTHING`;

/**
 * Of a trade that is gone, what it held is unknown, but for the fill that opened it: the
 * trade that has most of that shows what was said.
 */
const holdFormer = (trades: string) => `
  INSERT INTO stated_trades (user_id, id, trade_id, held)
  SELECT e.user_id, e.fill_id, e.trade_id,
    json_array(json_object('fill', e.fill_id, 'quantity', max(e.quantity)))
  FROM executions AS e
  WHERE (e.user_id, e.fill_id) IN (${trades})
    AND NOT EXISTS (SELECT 1 FROM trades AS t WHERE t.user_id = e.user_id AND t.id = e.fill_id)
  GROUP BY e.user_id, e.fill_id
  ON CONFLICT DO NOTHING`;

const OF_LINES = `SELECT user_id, record_id FROM import_changes
  WHERE resource = 'trades' AND user_id IN (SELECT id FROM users)`;

const MENTIONED = `SELECT user_id, trade_id FROM trade_journals
  UNION SELECT user_id, best_trade_id FROM weekly_reviews
  UNION SELECT user_id, worst_trade_id FROM weekly_reviews`;

/** Remembers trades that lines, journal entries and weekly reviews are about. */
export function holdTrades(db: Database.Database): void {
  db.exec(`${holdPresent(`${OF_LINES} UNION ${MENTIONED}`)}; ${holdFormer(OF_LINES)}`);
}

const NAMED = `SELECT ${USER}, @id || ''`;

/** Remembers a trade that a line names, whether or not it is one still. */
export function holdOlderTrade(rows: UserRows, id: string): void {
  if (rows.has('stated_trades', { id })) return;
  for (const hold of [holdPresent, holdFormer]) rows.run(hold(NAMED), { id });
}
