/** Plans the import of a folder's notes, grouped by kind. */
import { dirname } from 'node:path';
import { UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { dayNotes } from '../notes/day/format.ts';
import { unclearDate } from '../notes/day/read-days.ts';
import { days } from '../notes/day/resource.ts';
import { markdown } from '../notes/format.ts';
import { readNote, resourceOf } from '../notes/vault.ts';
import type { Note } from '../table/format.ts';
import type { Job, Plan } from './job.ts';
import { RESOURCE_PATHS, resourceNamed, type Wanted } from './recognise.ts';

/** Whether notes are imported: unless another format is given. A mapping applies to tables and notes. */
export function takesNotes({ format, mappedNotes }: Wanted): boolean {
  return format === undefined || format === markdown || mappedNotes !== undefined;
}

/** @returns the number of notes of a known type */
export function planNotes(folder: string, paths: readonly string[], wanted: Wanted, plan: Plan): number {
  const byResource = Map.groupBy(readable(folder, paths, wanted, plan), ({ resource }) => resource);
  const none = (byResource.get(undefined) ?? []).map(({ note }) => note);
  const unclear = none.filter((note) => unclearDate(note) !== undefined);
  for (const note of unclear) plan.ignored.push({ file: note.file, reason: unclearDate(note) ?? '' });
  const silent = none.filter((note) => !unclear.includes(note));
  const [first] = silent;
  if (first) {
    const reason =
      silent.length === 1
        ? 'a note without the property "type", in no folder named after a resource'
        : `${silent.length} notes without the property "type", in no folder named after a resource`;
    plan.ignored.push({ file: silent.length === 1 ? first.file : folder, reason });
  }
  let found = 0;
  for (const [resource, own] of byResource) {
    if (!resource) continue;
    found += own.length;
    const notes = own.map(({ note }) => note);
    plan.jobs.push(jobOfNotes(folder, resource, notes, wanted));
  }
  return found;
}

/** Reads notes with their resources; an unreadable one is reported and skipped. */
function readable(folder: string, paths: readonly string[], wanted: Wanted, plan: Plan) {
  return paths.flatMap((path) => {
    try {
      const note = readNote({ file: path }, folder);
      return [{ note, resource: resourceOfNote(note, wanted) }];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      plan.ignored.push({ file: path, reason: error.message });
      return [];
    }
  });
}

export function planNote(path: string, wanted: Wanted, plan: Plan): void {
  const note = readNote({ file: path, noLinks: wanted.noLinks }, wanted.folder ?? dirname(path));
  const resource = resourceOfNote(note, wanted);
  if (!resource) {
    const unclear = unclearDate(note);
    if (unclear !== undefined) throw new UserError(`${path}: ${unclear}`);
    throw new UserError(
      `${path}: unknown note type; add the property "type" (session, entry, weekly-review, missed-trade, trade), or pass --as (${RESOURCE_PATHS.join(', ')})`,
    );
  }
  plan.jobs.push(jobOfNotes(path, resource, [note], wanted));
}

function resourceOfNote(note: Note, { mappedNotes, format, resource }: Wanted): ListResource | undefined {
  if (mappedNotes) return resourceNamed(format?.holds as string);
  return resource ?? resourceOf(note);
}

function jobOfNotes(file: string, resource: ListResource, notes: readonly Note[], wanted: Wanted): Job {
  const format = wanted.mappedNotes ?? (resource === days ? dayNotes : markdown);
  return { file, format, resource, notes };
}
