/** Markdown notes as formats: a note of one record, or of a day with its trades; a folder or one file. */

import { nearest, RowError } from '../../errors.ts';
import { sessions } from '../../journal/resources/sessions.ts';
import { trades } from '../../journal/resources/trades.ts';
import { weeklyReviews } from '../../journal/resources/weekly-reviews.ts';
import { same } from '../../journal-write/record.ts';
import { type NotedRecord, reading, recordOn, skip, type WholeReading } from '../fills/reading.ts';
import { assumedZone, withoutBrackets } from '../parse/times.ts';
import type { Format, Note, ReadContext } from '../table/format.ts';
import { readDayNote } from './day/read-days.ts';
import { readFrontMatter } from './front-matter.ts';
import { recordOfNote } from './record/note.ts';
import { isNoteName } from './vault.ts';

export const markdown: Format = {
  name: 'markdown',
  description:
    'Markdown: notes with YAML properties at the top, one record each; also whole folders, such as an Obsidian vault',
  notes: true,
  looksLike: (_start, fileName) => isNoteName(fileName),
  read: readNotes,
};

export const dayNotes: Format = {
  ...markdown,
  notes: true,
  holds: 'days',
  looksLike: () => false,
  read: readDays,
};

/** @throws RowError that names the note, if there are several, and the error */
function readNotes(notes: readonly Note[], context: ReadContext): WholeReading {
  const { resource } = context;
  const { zone, note } = zoneOf(context);
  const unknown = new Map<string, number>();
  const records = notes.map(({ file, path, text }) =>
    recordOn(1, () => recordOfNote(readFrontMatter(text), path, resource, zone, (name) => skip(unknown, name)), file),
  );
  return reading({ records, notes: [note, ...unknownIn(unknown, Object.keys(resource.record.shape))] });
}

function readDays(notes: readonly Note[], context: ReadContext): WholeReading {
  const { date, printed } = context;
  const { zone, note } = zoneOf(context);
  const [unknown, skipped] = [new Map<string, number>(), new Map<string, number>()];
  const read = notes.map((own) => readDayNote(own, { zone, date }, (name) => skip(unknown, name)));
  for (const own of read) for (const [reason, count] of own.skipped) skip(skipped, reason, count);
  const records = read.flatMap((own) => own.records);
  return {
    ...reading({ skipped, notes: [note, ...unknownIn(unknown)], rows: records.length }),
    records: printed ? withoutPrinted(records, readDayNote(printed, { zone }).records) : records,
    problems: read.flatMap(({ problems }) => problems),
  };
}

function unknownIn(unknown: ReadonlyMap<string, number>, known: readonly string[] = []): string[] {
  if (unknown.size === 0) return [];
  const names = [...unknown].map(([name, count]) => {
    const meant = nearest(name, known);
    return meant === undefined ? `${name} (${count})` : `${name} (${count}; did you mean ${meant}?)`;
  });
  return [`properties without a field, with the number of notes: ${names.join(', ')}`];
}

/** The changes between a printed day note and its edited version. */
function withoutPrinted(saved: readonly NotedRecord[], printed: readonly NotedRecord[]): NotedRecord[] {
  const before = new Map(printed.map((own) => [nameOf(own), own.values]));
  return saved.map((own) => {
    const name = nameOf(own);
    const known = name === undefined ? undefined : before.get(name);
    if (!known) return own;
    const changed = Object.entries(own.values).filter(
      ([name, value]) => KEYS.includes(name) || !same(value, known[name]),
    );
    return { ...own, values: Object.fromEntries(changed) };
  });
}

const KEYS = ['missed_at', 'symbol', 'side'];

/** The session's day, the trade's id or the missed trade's time, symbol and side. */
function nameOf({ resource, date, clues, values }: NotedRecord): string | undefined {
  if (resource === sessions || resource === weeklyReviews) return `${resource.path} ${date}`;
  return resource === trades ? clues?.id : KEYS.map((key) => values[key]).join(' ');
}

/** Reads a note; its errors name the note. */
export function inNote<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RowError ? new RowError(error.field, error.reason, error.line ?? 1, file) : error;
  }
}

/** Times of notes are read at once. */
function zoneOf(context: ReadContext): { zone: string; note: string } {
  const { zone, note } = assumedZone(context, 'times without an offset');
  return { zone: withoutBrackets(zone), note: withoutBrackets(note) };
}
