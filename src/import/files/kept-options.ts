/** Options that an import keeps: how its file is read again. */
import { readJournal, userIn } from '../../journal-write/open.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import type { ImportOptionsKept } from '../../statements/exported-imports.ts';
import { mappings } from '../mapping/loaded-mapping.ts';
import type { FilePlace } from '../parse/open-file.ts';
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
      : mappings.value.loadMapping(
          map,
          mapping === null ? undefined : Buffer.from(mapping),
        );

  const planned = (as = options.as) => {
    const { noLinks } = place;
    const how = {
      ...options,
      as,
      mapped: loaded && mappings.value.formatsBy(loaded),
      noLinks,
    };
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

/** An import that was changed. */
interface ChangedImport {
  sha256: string;
  resource: string;
  options: string;
  mapping: string | null;
}

/** The imports of files that were changed; none if there is no journal. */
export function changedImports({
  journal,
  user,
}: {
  journal: string;
  user?: string | undefined;
}): ChangedImport[] {
  if (!fileExists(journal)) return [];

  return readJournal(journal, (reader) =>
    reader.all(
      `SELECT sha256, resource, options, mapping FROM imports AS i
       WHERE user_id = ? AND sha256 IS NOT NULL AND EXISTS (
         SELECT 1 FROM import_records AS r WHERE r.user_id = i.user_id
           AND r.resource = 'imports' AND r.record_id = CAST(i.id AS TEXT))`,
      userIn(reader, user).id,
    ),
  ) as unknown as ChangedImport[];
}

/** Jobs of files whose import was changed, by their bytes: they are read as that was. */
export function jobsAsChanged(imports: readonly ChangedImport[]): Wanted['changed'] {
  if (imports.length === 0) return undefined;

  const changed = new Map(imports.map((row) => [row.sha256, row]));
  return (of) => {
    const row = changed.get(hashOf(of));
    if (!row) return undefined;
    const kept = { options: JSON.parse(row.options), mapping: row.mapping };
    return { ...keptJob(of, kept, row.resource), kept };
  };
}
