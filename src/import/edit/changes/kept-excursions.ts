/** Excursions from candles, which trades lose when a change gives them other times: its undo puts them back. */
import type Database from 'better-sqlite3';
import { trades } from '../../../journal/resources/trades.ts';
import type { Values, WriteSettings } from '../../../journal-write/record.ts';
import { RecordWriter } from '../../../journal-write/record-writer.ts';

const MEASURED = `SELECT id, mae, mfe, mae_bound, mfe_bound FROM trades
  WHERE user_id = ? AND (mae_bound IS NOT NULL OR mfe_bound IS NOT NULL)`;

/** Whether a trade has no excursions, and a line of the list states some. */
const IS_LOST = `SELECT 1 FROM trades AS t WHERE t.user_id = @user AND t.id = @id AND coalesce(t.mae, t.mfe) IS NULL
  AND EXISTS (SELECT 1 FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
    WHERE r.user_id = t.user_id AND r.resource = 'trades' AND r.record_id = t.id AND i.format = 'excursions')`;

/**
 * Call it before a change.
 * @returns gives the excursions that trades have lost since, by their ids before
 */
export function keepExcursions(db: Database.Database, user: string): () => Values[] {
  const measured = () => db.prepare(MEASURED).all(user) as Values[];
  const before = measured();
  return () => {
    const left = new Set(measured().map((own) => JSON.stringify(own)));
    return before.filter((own) => !left.has(JSON.stringify(own)));
  };
}

export function restoreExcursions(db: Database.Database, lost: readonly Values[], settings: WriteSettings): void {
  const isLost = db.prepare(IS_LOST);
  const writer = new RecordWriter(db, trades, settings);
  for (const values of lost) if (isLost.get({ user: settings.user.id, id: values['id'] })) writer.put(values);
}
