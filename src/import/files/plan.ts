/** From paths to files to import: what each is, and in which order they go. */
import { readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { messageOf, UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { fills } from '../../journal-write/exported-fills.ts';
import { days } from '../notes/day/resource.ts';
import { isNoteName, notesIn } from '../notes/vault.ts';
import type { Format } from '../table/format.ts';
import { startOf, startOfBytes, statOf } from './beginning.ts';
import { IMPORTS_FILE, readImports } from './exported-imports.ts';
import type { Job, Plan } from './job.ts';
import { planNote, planNotes, takesNotes } from './plan-notes.ts';
import { formatNamed, RESOURCE_PATHS, recognised, resourceNamed, Unrecognised, type Wanted } from './recognise.ts';
import { bytesOf, STANDARD_INPUT, standardInput } from './text.ts';
import { readUserSettings, USER_FILE } from './user-settings.ts';

const LOADED_FIRST = ['trade-groups', 'trades'];

/**
 * @param mapped the formats of all files and of all notes, where a mapping says it
 * @param as path of the resource that all files hold, where the person said so
 * @param formatName name of the format of all files, where the person said so
 * @param noLinks whether a file that became a link or a folder is refused
 * @param folder that they are in, where it was named
 */
export function planImport(
  paths: readonly string[],
  as: string | undefined,
  formatName: string | undefined,
  mapped?: { table: Format; notes: Format },
  noLinks = false,
  folder?: string,
): Plan {
  const wanted: Wanted = {
    noLinks,
    folder,
    resource: as === undefined ? undefined : resourceNamed(as),
    format: mapped?.table ?? (formatName === undefined ? undefined : formatNamed(formatName)),
    mappedNotes: mapped?.notes,
  };
  const plan: Plan = { jobs: [], ignored: [] };
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === '-') {
      if (!seen.has(path)) plan.jobs.push(jobOfStandardInput(wanted));
      seen.add(path);
    } else if (!noLinks && statOf({ file: path }).isDirectory()) planFolder(path, wanted, plan);
    else if (isNoteName(path) && takesNotes(wanted)) planNote(path, wanted, plan);
    else plan.jobs.push(jobOf(path, wanted, false));
  }
  plan.jobs = plan.jobs.filter(
    ({ file, bytes, notes }) => (bytes ?? notes) !== undefined || (!seen.has(resolve(file)) && seen.add(resolve(file))),
  );
  // Groups before the trades that name them, trades before what is about them, and before their fills. The sort keeps the order otherwise.
  plan.jobs.sort((a, b) => rank(a.resource) - rank(b.resource));
  return plan;
}

function planFolder(folder: string, wanted: Wanted, plan: Plan): void {
  const names = namesIn(folder).sort();
  const notes = takesNotes(wanted) ? notesIn(folder) : [];
  const holdNotes = new Set(notes.map((path) => relative(folder, path).split(sep)[0]));
  let found = 0;
  for (const name of names) {
    if (name.startsWith('.') || holdNotes.has(name)) continue;
    const file = join(folder, name);
    const settings = name === USER_FILE ? readUserSettings(file) : undefined;
    if (settings) {
      plan.settings = { file, user: settings };
      continue;
    }
    if (name === IMPORTS_FILE && readImports({ file })) continue;
    const reason = whyNoFile(file);
    if (reason !== undefined) {
      plan.ignored.push({ file, reason });
      continue;
    }
    try {
      plan.jobs.push(jobOf(file, wanted, true));
      found++;
    } catch (error) {
      if (!(error instanceof Unrecognised)) throw error;
      plan.ignored.push({ file, reason: error.short });
    }
  }
  // What lies beside tables that a mapping is for is no row of them.
  if (found === 0 || wanted.format?.holds === undefined) found += planNotes(folder, notes, wanted, plan);
  if (found === 0) {
    throw new UserError(
      `there is nothing to import in ${folder}: no note there says what it holds, and no file that isn't empty is named after a resource (${RESOURCE_PATHS.join(', ')}) or an export of a platform ("journal-api import --formats" lists them)${namesOf(plan.ignored)}`,
    );
  }
}

const NAMED = 5;

function namesOf(ignored: Plan['ignored']): string {
  const named = ignored.slice(0, NAMED).map(({ file, reason }) => `${basename(file)} (${reason})`);
  const more = ignored.length - named.length;
  return named.length === 0 ? '' : `; skipped: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Why what lies in a folder is no file to read, if it isn't: to open a pipe would wait for whoever writes to it. */
function whyNoFile(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return 'a link to nothing';
    if (stats.isDirectory()) return 'a folder within the folder';
    return stats.isFile() ? undefined : 'not a file';
  } catch (error) {
    return messageOf(error);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new UserError(`the folder ${folder} can't be read: ${messageOf(error)}`);
  }
}

function jobOf(file: string, wanted: Wanted, inFolder: boolean): Job {
  // Where nothing hangs on it the file is not opened twice: it may be a pipe.
  const place = { file, noLinks: wanted.noLinks };
  const recognisedBy = (start: string, bytes?: Buffer) => ({
    ...place,
    ...recognised(file, basename(file), start, wanted, inFolder, bytes),
  });
  if (wanted.format && !inFolder) return recognisedBy('');
  if (statOf(place).isFile()) return recognisedBy(startOf(place));
  const bytes = bytesOf(place);
  return { ...recognisedBy(startOfBytes(bytes), bytes), bytes };
}

function jobOfStandardInput(wanted: Wanted): Job {
  const bytes = standardInput();
  return { ...recognised(STANDARD_INPUT, '', startOfBytes(bytes), wanted, false, bytes), bytes };
}

function rank(resource: ListResource): number {
  const index = LOADED_FIRST.indexOf(resource.path);
  if (resource === fills) return LOADED_FIRST.length + 1;
  // Days are about trades, also about those made of fills.
  if (resource === days) return LOADED_FIRST.length + 2;
  return index === -1 ? LOADED_FIRST.length : index;
}
