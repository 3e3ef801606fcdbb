/**
 * Reads Markdown notes: of one record, or of a day with its trades; a folder or one file.
 */

import { mistyped, nearest, type Problem, RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { type NotedDays, readDayNote } from '../../notes/day-note.ts';
import { readFrontMatter } from '../../notes/front-matter.ts';
import {
  type Misspelt,
  markOfId,
  type Note,
  type NotedRecord,
} from '../../notes/note.ts';
import { takenPictures, withAddresses } from '../../notes/note-pictures.ts';
import { recordOfNote } from '../../notes/record-note.ts';
import { assumedZone, withoutBrackets } from '../../parse/times.ts';
import { reading, recordOn, skip, type WholeReading } from '../fills/reading.ts';
import type { ReadContext } from '../tables/format.ts';

/** @throws RowError that names the note, if there are several, and the error */
export function readNotes(notes: readonly Note[], context: ReadContext): WholeReading {
  const { resource } = context;
  const { note } = zoneOf(context);
  const unknown = new Map<string, number>();
  const fields = Object.keys(resource.record.shape);
  const records = notes.map((note) =>
    recordOn(1, () => recordIn(note, context, unknown), note.file),
  );

  return reading({
    records,
    notes: [
      note,
      ...unknownIn(unknown, fields),
      ...misspeltIn(misspeltNames(records, fields)),
      ...lostIn(notes),
    ],
  });
}

/** Pictures that stay text and are named, of a file. */
const MOST_NAMED = 20;

/** What the report says of pictures that stay text. */
function lostIn(notes: readonly Note[]): string[] {
  const lost = notes.flatMap(({ file, pictures }) =>
    (pictures?.lost ?? []).map(
      ({ line, text, reason }) => `${file}:${line}: ${text} stays text: ${reason}`,
    ),
  );
  const more = lost.length - MOST_NAMED;
  return more > 0
    ? [...lost.slice(0, MOST_NAMED), `${more} more pictures stay text`]
    : lost;
}

/** The record of a note. @param unknown counts properties without a field */
function recordIn(
  { path, text, pictures }: Note,
  context: ReadContext,
  unknown: Map<string, number>,
): Values {
  const { resource } = context;
  const shown = 'attachments' in resource.record.shape ? pictures?.kept : undefined;
  const written = shown ? withAddresses(text, shown) : text;
  const { zone } = zoneOf(context);
  const record = recordOfNote(readFrontMatter(written), path, resource, zone, (name) =>
    skip(unknown, name),
  );

  const { values, attachments } = takenPictures(record, shown);
  if (attachments.length === 0) return values;

  const others = (values['attachments'] ?? []) as unknown[];
  return { ...values, attachments: [...others, ...attachments] };
}

export function readDays(notes: readonly Note[], context: ReadContext): WholeReading {
  const { date, printed } = context;
  const { zone, note } = zoneOf(context);
  const [unknown, skipped] = [new Map<string, number>(), new Map<string, number>()];
  const read = notes.map((note) =>
    readDayNote(note, { zone, date }, (name) => skip(unknown, name)),
  );
  for (const part of read)
    for (const [reason, count] of part.skipped) skip(skipped, reason, count);
  const records = read.flatMap((day) => day.records);
  const whole = reading({
    records,
    skipped,
    notes: [
      note,
      ...unknownIn(unknown),
      ...misspeltIn(records.flatMap((record) => record.misspelt ?? [])),
    ],
    rows: records.length,
  });
  const problems = read.flatMap((day) => day.problems);
  const [edited] = notes;
  const noted = { ...whole, problems };
  if (!printed || !edited) return noted;

  const before = readDayNote(printed, { zone }).records;
  return {
    ...noted,
    printed: before,
    problems: [...problems, ...unreadIn(edited, read, before)],
  };
}

/**
 * Parts of an edited note that are there, but aren't read as such: they would be taken
 * for deleted.
 * @param printed the note's parts before
 */
function unreadIn(
  { file, text }: Note,
  read: readonly NotedDays[],
  printed: readonly NotedRecord[],
): Problem[] {
  if (read.some(({ skipped }) => skipped.has('template')))
    return [{ file, line: 1, message: TEMPLATE_WORDS }];

  const marks = new Set(read.flatMap(({ records }) => records.map(markOf)));
  const lines = text.split('\n');

  return printed.flatMap((record): Problem[] => {
    const mark = markOf(record);
    const index =
      mark === undefined || marks.has(mark)
        ? -1
        : lines.findIndex((line) => line.includes(mark));
    if (index === -1) return [];

    const { id, isGroup } = record.clues ?? {};
    const what = isGroup ? 'trade group' : 'trade';
    const message = `this is no heading of ${what} ${id}; correct or delete the line, or close a code block above it`;
    return [{ file, line: index + 1, message }];
  });
}

/** What says which trade or group a heading is about; undefined without an id. */
function markOf({ clues: { id, isGroup } = {} }: NotedRecord): string | undefined {
  return id === undefined ? undefined : markOfId(id, isGroup);
}

const TEMPLATE_WORDS =
  'words such as {{date}} or a heading YYYY-MM-DD make the note a template, which is skipped; remove them';

function unknownIn(
  unknown: ReadonlyMap<string, number>,
  known: readonly string[] = [],
): string[] {
  if (unknown.size === 0) return [];

  const names = [...unknown].map(([name, count]) => {
    const meant = nearest(name, known);
    return meant === undefined
      ? `${name} (${count})`
      : `${name} (${count}; did you mean ${meant}?)`;
  });
  return [`properties without a field, with the number of notes: ${names.join(', ')}`];
}

/**
 * The names that the trader gave fields of records, if they are nearly that of a field.
 */
function misspeltNames(
  records: readonly { values: Values }[],
  fields: readonly string[],
): Misspelt[] {
  return records.flatMap(({ values }) =>
    Object.keys(values['fields'] ?? {}).flatMap((name) => {
      const meant = mistyped(name, fields);
      return meant === undefined ? [] : [{ name, meant }];
    }),
  );
}

/** What the report says of them: they are kept, but another field may be meant. */
function misspeltIn(all: readonly Misspelt[]): string[] {
  if (all.length === 0) return [];

  const groups = Map.groupBy(all, ({ name, meant }) => `${name} ${meant}`);
  const names = [...groups.values()].map(
    (same) => `${same[0]?.name} (${same.length}; did you mean ${same[0]?.meant}?)`,
  );
  return [
    `fields of your own with nearly the name of a field, with their number: ${names.join(', ')}`,
  ];
}

/** Reads a note; its errors name the note. */
export function inNote<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RowError
      ? new RowError(error.field, error.reason, error.line ?? 1, file)
      : error;
  }
}

/** Times of notes are read at once. */
function zoneOf(context: ReadContext): { zone: string; note: string } {
  const { zone, note } = assumedZone(context, 'times without an offset');
  return { zone: withoutBrackets(zone), note: withoutBrackets(note) };
}
