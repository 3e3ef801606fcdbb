/** Markdown notes as a format: a folder or one file. */

import { nearest, RowError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { reading, recordOn, type WholeReading } from '../fills/reading.ts';
import { assumedZone } from '../parse/times.ts';
import type { Format, Note } from '../table/format.ts';
import { readFrontMatter } from './front-matter.ts';
import { recordOfNote } from './note.ts';
import { isNoteName } from './vault.ts';

export const markdown: Format = {
  name: 'markdown',
  description:
    'Markdown: notes with YAML properties at the top, one record each; also whole folders, such as an Obsidian vault',
  notes: true,
  looksLike: (_start, fileName) => isNoteName(fileName),
  read: readNotes,
};

// Reads Markdown notes as records.

interface Context {
  resource: ListResource;
  user: User;
  timeZone: string | undefined;
}

/** @throws RowError that names the note, if there are several, and the error */
function readNotes(notes: readonly Note[], { resource, ...context }: Context): WholeReading {
  const { zone, note } = assumedZone(context, 'times without an offset');
  const unknown = new Map<string, number>();
  const noteUnknown = (name: string) => void unknown.set(name, (unknown.get(name) ?? 0) + 1);
  const records = notes.map(({ file, path, text }) =>
    recordOn(1, () => recordOfNote(readFrontMatter(text), path, resource, zone, noteUnknown), file),
  );
  const left = [...unknown].map(([name, count]) => {
    const meant = nearest(name, Object.keys(resource.record.shape));
    return meant === undefined ? `${name} (${count})` : `${name} (${count}; did you mean ${meant}?)`;
  });
  const notesOfReading = [note];
  if (left.length > 0) notesOfReading.push(`properties without a field, with the number of notes: ${left.join(', ')}`);
  return reading({ records, notes: notesOfReading });
}

/** Reads a note; its errors name the note. */
export function inNote<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RowError ? new RowError(error.field, error.reason, error.line ?? 1, file) : error;
  }
}
