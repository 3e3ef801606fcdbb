/** Plans an import's notes: a file, or those of a folder, grouped by what they hold. */

import { dirname } from 'node:path';
import { UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { sessions } from '../../journal/resources/journals.ts';
import type { Note } from '../../notes/note.ts';
import {
  contentsOf as contentsOfText,
  readNote,
  unclearDate,
} from '../../notes/vault.ts';
import { dayNotes, markdown } from '../formats/index.ts';
import type { Job } from './contents.ts';
import { RESOURCE_PATHS, resourceNamed, type Wanted } from './recognise.ts';

/** What a note holds. */
type NoteContents = ListResource | 'days';

interface ReadNote {
  note: Note;
  /** Undefined: it doesn't tell. */
  contents: NoteContents | undefined;
}

/** A file that isn't imported, and why. */
interface Ignored {
  file: string;
  reason: string;
}

// The notes of a folder.

interface PlannedNotes {
  jobs: Job[];
  ignored: Ignored[];
  /** Number of notes of a known type; 1 if all are read as before. */
  found: number;
}

export function planNotes(
  folder: string,
  paths: readonly string[],
  wanted: Wanted,
): PlannedNotes {
  const { read, unreadable } = readNotes(folder, paths, wanted);
  const changed = wanted.changed?.({ file: folder, notes: read.map(({ note }) => note) });
  if (changed) return { jobs: [changed], ignored: unreadable, found: 1 };

  const known = read.flatMap(({ note, contents }) =>
    contents ? [{ note, contents }] : [],
  );
  const unknown = read.flatMap(({ note, contents }) => (contents ? [] : [note]));
  const jobs = [...Map.groupBy(known, ({ contents }) => contents)].map(
    ([contents, alike]) => {
      const notes = alike.map(({ note }) => note);
      return (
        wanted.changed?.({ file: folder, notes }) ??
        jobOfNotes(folder, contents, notes, wanted)
      );
    },
  );

  return {
    jobs,
    ignored: [...unreadable, ...ignoredNotes(folder, unknown)],
    found: known.length,
  };
}

/** Reads notes with their contents; an unreadable one is reported and skipped. */
function readNotes(folder: string, paths: readonly string[], wanted: Wanted) {
  const read: ReadNote[] = [];
  const unreadable: Ignored[] = [];
  for (const path of paths) {
    try {
      const note = readNote({ file: path }, folder);
      read.push({ note, contents: contentsOfNote(note, wanted) });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      unreadable.push({ file: path, reason: error.message });
    }
  }

  return { read, unreadable };
}

/**
 * Notes of an unknown type: those with an unclear date one by one, the others in one
 * line.
 */
function ignoredNotes(folder: string, unknown: readonly Note[]): Ignored[] {
  const unclear = unknown.flatMap((note) => {
    const reason = unclearDate(note);
    return reason === undefined ? [] : [{ file: note.file, reason }];
  });
  const [first, ...more] = unknown.filter((note) => unclearDate(note) === undefined);
  if (!first) return unclear;

  const count = more.length > 0 ? `${more.length + 1} notes` : 'a note';
  const reason = `${count} without the property "type", in no folder named after a resource`;
  return [...unclear, { file: more.length > 0 ? folder : first.file, reason }];
}

// A note named by its path.

/** @throws UserError if its type is unknown */
export function jobOfNote(path: string, wanted: Wanted): Job {
  const note = readNote(
    { file: path, noLinks: wanted.noLinks },
    wanted.folder ?? dirname(path),
  );
  const changed = wanted.changed?.({ file: path, notes: [note] });
  if (changed) return changed;

  const contents = contentsOfNote(note, wanted);
  if (contents) return jobOfNotes(path, contents, [note], wanted);

  const unclear = unclearDate(note);
  throw unclear === undefined ? unknownNote(path) : new UserError(`${path}: ${unclear}`);
}

// Notes that the journal keeps.

/** @throws UserError if none has a known type */
export function jobsOfKeptNotes(
  file: string,
  notes: readonly Note[],
  wanted: Wanted,
): Job[] {
  const byContents = Map.groupBy(notes, (note) => contentsOfNote(note, wanted));
  const jobs = [...byContents].flatMap(([contents, alike]) =>
    contents ? [jobOfNotes(file, contents, alike, wanted)] : [],
  );
  if (jobs.length === 0) throw unknownNote(file);
  return jobs;
}

function unknownNote(path: string): UserError {
  return new UserError(
    `${path}: unknown note type; add the property "type" (session, entry, weekly-review, missed-trade, trade), or pass --as (${RESOURCE_PATHS.join(', ')})`,
  );
}

function contentsOfNote(
  note: Note,
  { mappedNotes, format, resource, date }: Wanted,
): NoteContents | undefined {
  if (mappedNotes) return resourceNamed(format?.holds as string);
  return resource ?? contentsOfText(note, date);
}

function jobOfNotes(
  file: string,
  contents: NoteContents,
  notes: readonly Note[],
  wanted: Wanted,
): Job {
  if (contents === 'days') return { file, format: dayNotes, resource: sessions, notes };
  return { file, format: wanted.mappedNotes ?? markdown, resource: contents, notes };
}
