/** Options that an import keeps: how its file is read again. */
import type { ImportOptionsKept } from '../../import-tables/imports.ts';
import { GivenMultipliers } from '../fills/multiplier.ts';
import { mappedFormat } from '../mapping/format.ts';
import { type LoadedMapping, loadMapping } from '../mapping/load.ts';
import type { Format } from '../table/format.ts';
import type { Job } from './job.ts';
import { mappedNotes } from './mapped-notes.ts';
import { planFile } from './plan.ts';
import { RESOURCE_PATHS, Unrecognised } from './recognise.ts';

export interface KeptOptions {
  options: ImportOptionsKept;
  /** Contents of the mapping's file. */
  mapping: string | null;
}

/** The given options, always in this order: imports with the same ones are compared. */
export function keptOptions(given: ImportOptionsKept): ImportOptionsKept {
  const { as, account, timezone, format, date, symbol, map, multipliers, allow_duplicates, no_groups, folder } = given;
  const all = { as, account, timezone, format, date, symbol, map, multipliers, allow_duplicates, no_groups, folder };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** @param contents of the job, if the path is a folder with notes of several kinds */
export function keptJob(path: string, { options, mapping }: KeptOptions, contents?: string): Job {
  const { as, format, map, date, folder } = options;
  const loaded = map === undefined ? undefined : loadMapping(map, mapping === null ? undefined : Buffer.from(mapping));
  const planned = (own = as) => planFile(path, own, format, loaded && formatsBy(loaded), { date, folder, contents });
  try {
    return planned();
  } catch (error) {
    // The name of a renamed file may no longer be its resource.
    if (!(error instanceof Unrecognised) || !RESOURCE_PATHS.includes(contents ?? '')) throw error;
    return planned(contents);
  }
}

export function keptSettings({ options, mapping }: KeptOptions) {
  const { account, timezone: timeZone, date, symbol, multipliers, allow_duplicates, no_groups } = options;
  return {
    ...{ account, timeZone, date, symbol, kept: options, mapping },
    multipliers: new GivenMultipliers(multipliers && new Map(Object.entries(multipliers))),
    ...{ allowDuplicates: allow_duplicates === true, groups: !no_groups },
  };
}

export function formatsBy(map: LoadedMapping): { table: Format; notes: Format } {
  const table = mappedFormat(map);
  return { table, notes: mappedNotes(map, table) };
}
