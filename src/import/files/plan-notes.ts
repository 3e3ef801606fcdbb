/** The notes of a folder as files to import: those of a kind together. */
import { dirname } from 'node:path';
import { UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { markdown } from '../notes/format.ts';
import { kindOfNote, readNote } from '../notes/vault.ts';
import type { Note } from '../table/format.ts';
import type { Job, Plan } from './job.ts';
import { RESOURCE_PATHS, resourceNamed, type Wanted } from './recognise.ts';

/** Whether notes are looked for: where no format of another kind was named. A mapping is for tables and notes alike. */
export function takesNotes({ format, mappedNotes }: Wanted): boolean {
  return format === undefined || format === markdown || mappedNotes !== undefined;
}

/** @returns how many notes there are that say what they hold */
export function planNotes(folder: string, paths: readonly string[], wanted: Wanted, plan: Plan): number {
  const byResource = Map.groupBy(
    paths.map((path) => readNote({ file: path }, folder)),
    (note) => resourceOfNote(note, wanted),
  );
  const silent = byResource.get(undefined) ?? [];
  const [first] = silent;
  if (first) {
    const reason =
      silent.length === 1
        ? 'a note that says neither by the property "type" nor by a folder what it is'
        : `${silent.length} notes say neither by the property "type" nor by a folder what they are`;
    plan.ignored.push({ file: silent.length === 1 ? first.file : folder, reason });
  }
  for (const [resource, notes] of byResource) {
    if (resource) plan.jobs.push(jobOfNotes(folder, resource, notes, wanted));
  }
  return paths.length - silent.length;
}

export function planNote(path: string, wanted: Wanted, plan: Plan): void {
  const note = readNote({ file: path, noLinks: wanted.noLinks }, dirname(path));
  const resource = resourceOfNote(note, wanted);
  if (!resource) {
    throw new UserError(
      `${path}: it can't be told what this note holds: give it the property "type" (session, entry, weekly-review, missed-trade, trade), or say so with --as (${RESOURCE_PATHS.join(', ')})`,
    );
  }
  plan.jobs.push(jobOfNotes(path, resource, [note], wanted));
}

function resourceOfNote(note: Note, { mappedNotes, format, resource }: Wanted): ListResource | undefined {
  if (mappedNotes) return resourceNamed(format?.holds as string);
  return resource ?? kindOfNote(note)?.resource;
}

function jobOfNotes(file: string, resource: ListResource, notes: readonly Note[], wanted: Wanted): Job {
  return { file, format: wanted.mappedNotes ?? markdown, resource, notes };
}
