/**
 * Reads notes again of which a section stayed text for want of its trade, once the trade is there:
 * from the bytes that the journal keeps of them, as statements of the line that brings the trade.
 */
import type Database from 'better-sqlite3';
import { sessions } from '../../journal/resources/sessions.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { readDayNote } from '../../notes/day-note.ts';
import { hasKnownTrade } from '../../notes/find-records.ts';
import type { Note, ReadBack } from '../../notes/note.ts';
import { Reader } from '../../sqlite/reader.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import type { ImportEntry } from '../../statements/exported-imports.ts';
import { ImportTable } from '../../statements/imports.ts';
import { DAY, fromInstantText, toInstantText } from '../../time.ts';
import { FileSource, type Job } from '../files/contents.ts';
import { keptNote } from '../files/kept-bytes.ts';
import { dayNotes } from '../formats/markdown.ts';
import type { NotesAgain } from '../report/report.ts';
import { ALONE, type FileSettings, settingsBy } from './file-settings.ts';
import { keepPictures, picturesOfLine } from './note-pictures.ts';
import { openedJournal } from './open-journal.ts';
import { readJob } from './read-job.ts';
import { FileRecords } from './store-records.ts';

/** A day's text that a note states. */
interface StatedText {
  date: string;
  notes: string;
  path: string;
  import_id: number;
}

/** Of the days on which trades were written: the latest import of each note. */
const TEXTS = `SELECT s.date, s.notes, r.path, max(r.import_id) AS import_id
  FROM sessions AS s JOIN import_records AS r ON r.user_id = s.user_id
    AND r.resource = 'sessions' AND r.record_id = s.id
    JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id AND i.resource = 'days'
  WHERE s.user_id = ${USER} AND s.notes IS NOT NULL AND r.kind = 'stated' AND r.path <> ''
    AND s.date IN (SELECT value FROM json_each(@dates))
  GROUP BY s.id, r.path`;

/** @param importId the line that brings trades, which were written at the present time */
export function readNotesAgain(
  db: Database.Database,
  importId: number,
  { user, now }: Pick<WriteSettings, 'user' | 'now'>,
): NotesAgain {
  const rows = new UserRows(db, user.id);
  const imports = new ImportTable(db, user.id);
  imports.statements.write();

  const again: NotesAgain = { read_again: [], to_import: [] };
  const dates = JSON.stringify(daysOfTrades(rows, now));
  for (const text of rows.all<StatedText>(TEXTS, { dates })) {
    const entry = imports.find(text.import_id);
    if (!entry || !hasTradeNow(db, text, entry, { user, now })) continue;

    const note = keptNote(imports, text.path, entry.id);
    const pictures = { source: picturesOfLine(imports, entry.id) };
    const settings = { ...settingsOf(entry, { user, now }), pictures };
    const read = note && readAgain(db, importId, note, settings);
    if (read) again.read_again = again.read_again.concat(read);
    else again.to_import.push(text.path);
  }

  return again;
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

function settingsOf(
  { options, account }: ImportEntry,
  write: Pick<WriteSettings, 'user' | 'now'>,
): FileSettings {
  const kept = options ?? (account === null ? {} : { account });
  const settings = settingsBy({ options: kept, mapping: null }, write);
  const line = { ...settings.line, folder: kept.folder };
  return { ...settings, line, others: ALONE, host: {} };
}

/** Whether any section in a day's text has a trade now. */
function hasTradeNow(
  db: Database.Database,
  { date, notes }: StatedText,
  entry: ImportEntry,
  write: Pick<WriteSettings, 'user' | 'now'>,
): boolean {
  const zone = settingsOf(entry, write).write.timeZone ?? write.user.timezone;
  const { records } = readDayNote({ file: '', path: `${date}.md`, text: notes }, { zone, date });
  return hasKnownTrade(new Reader(db), write.user.id, zone, records);
}

/** @returns undefined if anything of the note is an error: then nothing is written */
function readAgain(
  db: Database.Database,
  importId: number,
  note: Note,
  settings: FileSettings,
): ReadBack[] | undefined {
  const job: Job = { file: note.file, format: dayNotes, resource: sessions, notes: [note] };
  const journal = openedJournal(db, settings.write);
  const read = readJob(job, new FileSource(job), () => journal, settings);
  const { problems = [] } = read.reading;
  if (problems.length > 0) return undefined;

  const records = new FileRecords(read, importId, settings);
  records.settle(records.write());
  journal.imports.statements.write();
  keepPictures({ job: read.job, journal, line: { id: importId } }, settings, () => {});
  return records.readBack()?.read_back;
}
