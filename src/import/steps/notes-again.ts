/**
 * Notes of which a section stayed text for want of its trade: those to read again once
 * the trade is there, which only a journal with notes needs (read-notes-again.ts).
 */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import { OnDemand } from '../../journal/once.ts';
import { readJournal } from '../../journal-write/open.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import { DAY, fromInstantText, toInstantText } from '../../time.ts';
import type { NotesAgain } from '../report/report.ts';
import type { StatedText } from './read-notes-again.ts';

/** Needed if the journal has notes. */
export const notesAgain = new OnDemand(
  'reading notes again',
  async () => (await import('./read-notes-again.ts')).readTexts,
);

/** Whether trades may make the journal read notes again. */
export function hasDayNotes(journal: string): boolean {
  if (!fileExists(journal)) return false;
  const found = readJournal(journal, (reader) =>
    reader.get("SELECT 1 FROM imports WHERE resource = 'days' LIMIT 1"),
  );
  return found !== undefined;
}

/** Of the days on which trades were written: the latest import of each note. */
const TEXTS = `SELECT s.date, s.notes, r.path, max(r.import_id) AS import_id
  FROM sessions AS s JOIN import_records AS r ON r.user_id = s.user_id
    AND r.resource = 'sessions' AND r.record_id = s.id
    JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id AND i.resource = 'days'
  WHERE s.user_id = ${USER} AND s.notes IS NOT NULL AND r.kind = 'stated' AND r.path <> ''
    AND s.date IN (SELECT value FROM json_each(@dates))
  GROUP BY s.id, r.path`;

/**
 * @param importId the line that brings trades, which were written at the present time
 * @throws UserError if the reader of notes isn't loaded: the journal has had some only
 * since
 */
export function readNotesAgain(
  db: Database.Database,
  importId: number,
  write: Pick<WriteSettings, 'user' | 'now'>,
): NotesAgain {
  const rows = new UserRows(db, write.user.id);
  const dates = JSON.stringify(daysOfTrades(rows, write.now));
  const texts = rows.all<StatedText>(TEXTS, { dates });
  if (texts.length === 0) return { read_again: [], to_import: [] };

  if (!notesAgain.isLoaded)
    throw new UserError('another program imported notes meanwhile; try again');
  return notesAgain.value(db, importId, texts, write);
}

/** The days, in any zone, of the trades that were written at a time. */
function daysOfTrades(rows: UserRows, now: string): string[] {
  const sql = `SELECT DISTINCT executed_at FROM trades WHERE user_id = ${USER} AND updated_at = @now`;
  const times = rows.all<{ executed_at: string }>(sql, { now });
  const days = times.flatMap(({ executed_at }) => {
    const at = fromInstantText(executed_at);
    return [at - DAY, at, at + DAY].map((near) => toInstantText(near).slice(0, 10));
  });
  return [...new Set(days)];
}
