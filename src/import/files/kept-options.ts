/**
 * Options that an import keeps: how its file is read again. Formats of files and notes by a
 * mapping.
 */
import { RowError } from '../../errors.ts';
import { readJournal, userFor } from '../../journal-write/read.ts';
import { type Property, readFrontMatter, textIn } from '../../notes/front-matter.ts';
import type { Note } from '../../notes/note.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import type { ImportOptionsKept } from '../../statements/exported-imports.ts';
import { inNote } from '../formats/markdown.ts';
import { MAPPED_REVISION, mappedFormat, mappedReading } from '../mapping/format.ts';
import { type LoadedMapping, loadMapping } from '../mapping/load.ts';
import { locatedRow } from '../mapping/table.ts';
import type { FilePlace } from '../parse/open-file.ts';
import type { Format } from '../tables/format.ts';
import { contentsOf, hashOf, type Job, type KeptOptions } from './contents.ts';
import type { KeptContents } from './kept-bytes.ts';
import { planImport, planKept } from './plan.ts';
import { RESOURCE_PATHS, Unrecognised, type Wanted } from './recognise.ts';

const KEPT = [
  'as',
  'account',
  'timezone',
  'dates',
  'format',
  'date',
  'symbol',
  'map',
  'multipliers',
  'allow_duplicates',
  'no_groups',
  'folder',
] as const satisfies readonly (keyof ImportOptionsKept)[];

/** The given options, always in this order: imports with the same ones are compared. */
export function keptOptions(given: ImportOptionsKept): ImportOptionsKept {
  const names = KEPT.filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/**
 * @param contents of the job, if the place is a folder with notes of several kinds
 * @param bytes those that the journal keeps, if they aren't read from the place
 */
export function keptJob(
  place: FilePlace,
  { options, mapping }: KeptOptions,
  contents?: string,
  bytes?: KeptContents,
): Job {
  const { map } = options;
  const loaded =
    map === undefined
      ? undefined
      : loadMapping(map, mapping === null ? undefined : Buffer.from(mapping));

  const planned = (as = options.as) => {
    const { noLinks } = place;
    const how = { ...options, as, mapped: loaded && formatsBy(loaded), noLinks };
    const { jobs, failed } = bytes
      ? { jobs: planKept(bytes, how), failed: [] }
      : planImport([place.file], how);
    if (failed[0]) throw failed[0].error;
    return (jobs.find((job) => contentsOf(job) === contents) ?? jobs[0]) as Job;
  };

  try {
    return planned();
  } catch (error) {
    // The name of a renamed file may no longer be its resource.
    if (!(error instanceof Unrecognised) || !RESOURCE_PATHS.includes(contents ?? ''))
      throw error;
    return planned(contents);
  }
}

/**
 * Jobs of files whose import was changed, by their bytes: they are read as that was.
 * @returns undefined if there are none
 */
export function changedJobs({
  journal,
  user,
}: {
  journal: string;
  user?: string | undefined;
}): Wanted['changed'] {
  if (!fileExists(journal)) return undefined;

  const rows = readJournal(journal, (reader) =>
    reader.all(
      `SELECT sha256, resource, options, mapping FROM imports AS i
       WHERE user_id = ? AND sha256 IS NOT NULL AND EXISTS (
         SELECT 1 FROM import_records AS r WHERE r.user_id = i.user_id
           AND r.resource = 'imports' AND r.record_id = CAST(i.id AS TEXT))`,
      userFor(journal, user).id,
    ),
  ) as { sha256: string; resource: string; options: string; mapping: string | null }[];
  if (rows.length === 0) return undefined;

  const changed = new Map(rows.map((row) => [row.sha256, row]));
  return (of) => {
    const row = changed.get(hashOf(of));
    if (!row) return undefined;
    const kept = { options: JSON.parse(row.options), mapping: row.mapping };
    return { ...keptJob(of, kept, row.resource), kept };
  };
}

export function formatsBy(map: LoadedMapping): { table: Format; notes: Format } {
  const table = mappedFormat(map);
  return { table, notes: mappedNotes(map, table) };
}

/**
 * Notes read with a mapping for tables: each is a row with the columns body, file (the name without
 * .md), path, folder and its properties.
 * @param table the same mapping's format for tables
 */
function mappedNotes(
  loaded: LoadedMapping,
  { name, description, holds = '' }: Format,
): Format {
  return {
    name,
    description,
    holds,
    revision: MAPPED_REVISION,
    notes: true,
    looksLike: () => false,
    read(notes, context) {
      const noteOf = (row: number) => notes[row - 1]?.file ?? '';
      const rows = notes.map((note, index) =>
        locatedRow(
          index + 1,
          inNote(note.file, () => cellsOf(note)),
        ),
      );
      try {
        const mapped = mappedReading(rows, loaded, context);
        return {
          ...mapped,
          records: mapped.records.map((record) => ({
            ...record,
            line: 1,
            file: noteOf(record.line),
          })),
        };
      } catch (error) {
        if (!(error instanceof RowError) || error.line === undefined) throw error;
        throw new RowError(error.field, error.reason, 1, noteOf(error.line));
      }
    },
  };
}

function cellsOf({ path, text }: Note): Map<string, string | string[]> {
  const { properties, body } = readFrontMatter(text);
  const stem = path.replace(/\.md$/i, '');
  const slash = stem.lastIndexOf('/');
  const cells = new Map<string, string | string[]>([
    ['body', body],
    ['file', stem.slice(slash + 1)],
    ['path', stem],
    ['folder', slash === -1 ? '' : stem.slice(0, slash)],
  ]);
  for (const [name, property] of properties) cells.set(name, cellOf(property));

  return cells;
}

/** Nested values become JSON, as in a CSV cell. */
function cellOf(property: Property): string | string[] {
  const text = textIn(property);
  if (text !== undefined) return text;
  if (Array.isArray(property))
    return property.map((item) => textIn(item) ?? JSON.stringify(item));
  return JSON.stringify(property);
}
