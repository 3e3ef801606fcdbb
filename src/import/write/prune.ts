/** Removes the records of notes that were deleted from a folder. */
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { UsageError } from '../../errors.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { COMMAND_FORMATS, ImportTable } from '../../journal-write/imports.ts';
import type { Edit } from './edit.ts';

/** Share of a folder's notes that may be missing without --yes. */
const MOST_GONE = 1 / 5;

/**
 * @param folder its absolute path
 * @param mayBeMany whether more than a fifth of its notes may be missing
 * @throws UsageError if too many are missing; UserError if other records refer to one
 */
export function pruneNotes(edit: Edit, folder: string, mayBeMany: boolean): void {
  const events = new ImportTable(edit.db, edit.user.id).ofNotesIn(folder);
  const records = Map.groupBy(events, ({ resource, id }) => `${resource} ${id}`);
  const known = new Set<string>();
  const gone = new Set<string>();
  const going: { resource: string; id: string }[] = [];
  for (const all of records.values()) {
    const [{ resource, id }] = all as [(typeof events)[number]];
    // Only events since the last removal concern the current record.
    const since = all.slice(all.findLastIndex(({ change }) => change === 'removed') + 1);
    const paths = since.flatMap(({ path }) => path ?? []);
    const isThere = paths.some(isFile);
    for (const path of paths.filter((own) => own.startsWith(`${folder}${sep}`))) {
      known.add(path);
      if (!isThere) gone.add(path);
    }
    const isOfNote = since.some(({ change, path }) => change === 'added' && path !== null);
    const isElsewhere = since.some(({ path, format }) => path === null && !COMMAND_FORMATS.includes(format));
    if (isOfNote && !isThere && !isElsewhere) going.push({ resource, id });
  }
  if (gone.size > known.size * MOST_GONE && !mayBeMany) {
    throw new UsageError(
      `${gone.size} of ${known.size} notes are missing from ${folder}; pass --yes to remove their records too`,
    );
  }
  // Records that refer to a trade are removed before it.
  for (const resource of RESOURCES.toReversed()) {
    for (const own of going) {
      if (own.resource === resource.path && edit.find(resource, own.id)) edit.remove(resource, own.id);
    }
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
