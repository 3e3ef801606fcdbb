/**
 * Reads notes again, from the bytes that the journal keeps of them, as statements of the
 * line that brings their trades.
 */
import type Database from 'better-sqlite3';
import { sessions } from '../../journal/resources/sessions.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { readDayNote } from '../../notes/day-note.ts';
import { hasKnownTrade } from '../../notes/find-records.ts';
import type { Note, ReadBack } from '../../notes/note.ts';
import { Reader } from '../../sqlite/reader.ts';
import type { ImportEntry } from '../../statements/import-entry.ts';
import { ImportTable } from '../../statements/imports.ts';
import { FileSource, type Job } from '../files/contents.ts';
import { keptNote } from '../files/kept-imports.ts';
import { dayNotes } from '../formats/index.ts';
import type { NotesAgain } from '../report/report.ts';
import { ALONE, type FileSettings, openedJournal, settingsBy } from './file-settings.ts';
import { keepPictures, picturesOfLine } from './note-pictures.ts';
import { readJob } from './read-job.ts';
import { FileRecords } from './store-records.ts';

/** A day's text that a note states. */
export interface StatedText {
  date: string;
  notes: string;
  path: string;
  import_id: number;
}

/** @param texts of the days of these trades, with the notes that state them */
export function readTexts(
  db: Database.Database,
  importId: number,
  texts: readonly StatedText[],
  { user, now }: Pick<WriteSettings, 'user' | 'now'>,
): NotesAgain {
  const imports = new ImportTable(db, user.id);
  const again: NotesAgain = { read_again: [], to_import: [] };
  for (const [id, ofImport] of Map.groupBy(texts, ({ import_id }) => import_id)) {
    const pictures = { source: picturesOfLine(imports, id) };
    const settings = { ...settingsOf(imports.find(id), { user, now }), pictures };
    const paths = pathsWithTrades(db, ofImport, settings);
    const notes = paths.flatMap((path) => keptNote(imports, path, id) ?? []);
    const { read, files } = readAgain(db, importId, notes, settings);

    again.read_again = again.read_again.concat(read);
    again.to_import = again.to_import.concat(paths.filter((path) => !files.has(path)));
  }

  return again;
}

/** How an import of notes was read. */
function settingsOf(
  entry: ImportEntry | undefined,
  write: Pick<WriteSettings, 'user' | 'now'>,
): FileSettings {
  const { options = null, account = null } = entry ?? {};
  const kept = options ?? (account === null ? {} : { account });
  const settings = settingsBy({ options: kept, mapping: null }, write);
  const line = { ...settings.line, folder: kept.folder };
  return { ...settings, line, others: ALONE, host: {} };
}

/** The notes of which any section in the day's text has a trade now. */
function pathsWithTrades(
  db: Database.Database,
  texts: readonly StatedText[],
  { write: { user, timeZone } }: FileSettings,
): string[] {
  const zone = timeZone ?? user.timezone;
  const reader = new Reader(db);
  const hasTrade = ({ date, notes: text }: StatedText) => {
    const { records } = readDayNote(
      { file: '', path: `${date}.md`, text },
      { zone, date },
    );
    return hasKnownTrade(reader, user.id, zone, records);
  };

  return [...new Set(texts.filter(hasTrade).map(({ path }) => path))];
}

/** Notes that can't be read are left as they are. @returns the files without an error */
function readAgain(
  db: Database.Database,
  importId: number,
  notes: readonly Note[],
  settings: FileSettings,
): { read: ReadBack[]; files: ReadonlySet<string> } {
  const files = new Set(notes.map(({ file }) => file));
  const [first] = notes;
  if (!first) return { read: [], files };

  const job: Job = { file: first.file, format: dayNotes, resource: sessions, notes };
  const journal = openedJournal(db, settings.write);
  const read = readJob(job, new FileSource(job), () => journal, settings);
  const wrong = new Set((read.reading.problems ?? []).map(({ file }) => file));
  if (wrong.size > 0) {
    const right = notes.filter(({ file }) => !wrong.has(file));
    return readAgain(db, importId, right, settings);
  }

  const records = new FileRecords(read, importId, settings);
  records.settle(records.write());
  journal.imports.statements.write();
  keepPictures({ job: read.job, journal, line: { id: importId } }, settings, () => {});
  // The next import of a note reports what of it wasn't written.
  for (const { file } of read.reading.problems ?? []) files.delete(file);
  return { read: records.readBack()?.read_back ?? [], files };
}
