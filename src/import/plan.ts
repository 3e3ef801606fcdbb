/** From paths to files to import: what each is, and in which order they go. */
import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { messageOf, nearest, UsageError, UserError } from '../errors.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { fills } from '../journal-write/exported-fills.ts';
import { RowError } from '../journal-write/row-error.ts';
import { IMPORTS_FILE, readImports } from './exported-imports.ts';
import type { Format } from './formats/format.ts';
import { FORMATS } from './formats/index.ts';
import { metatrader } from './formats/metatrader.ts';
import type { Note } from './notes/read.ts';
import { isNoteName, kindOfNote, notesIn, readNote } from './notes/vault.ts';
import { isZip } from './parse/archive.ts';
import { SEPARATOR_LINE } from './parse/csv-rows.ts';
import { decode } from './parse/encoding.ts';
import { formatOfSheets } from './sheets.ts';
import { bytesOf, STANDARD_INPUT, standardInput } from './text.ts';
import { readUserSettings, USER_FILE } from './user-settings.ts';

export interface Job {
  /** As it is named in messages. */
  file: string;
  format: Format;
  resource: ListResource;
  /** What can be read only once, read. */
  bytes?: Buffer;
  /** Of a folder of notes: those that become records of the resource. */
  notes?: readonly Note[];
}

export interface Plan {
  jobs: Job[];
  /** Files of a folder that are none of ours, and why. */
  ignored: { file: string; reason: string }[];
  /** Settings of the user that a folder brings: an export's. */
  settings?: { file: string; user: User };
}

interface Wanted {
  resource: ListResource | undefined;
  format: Format | undefined;
  /** Whether the format is a mapping. */
  mapped: boolean;
}

const RESOURCE_PATHS = RESOURCES.map((resource) => resource.path);
const LOADED_FIRST = ['trade-groups', 'trades'];

/**
 * @param mapped the format of all files, where a mapping says it
 * @param as path of the resource that all files hold, where the person said so
 * @param formatName name of the format of all files, where the person said so
 */
export function planImport(
  paths: readonly string[],
  as: string | undefined,
  formatName: string | undefined,
  mapped?: Format,
): Plan {
  const wanted: Wanted = {
    resource: as === undefined ? undefined : resourceNamed(as),
    format: mapped ?? (formatName === undefined ? undefined : formatNamed(formatName)),
    mapped: mapped !== undefined,
  };
  const plan: Plan = { jobs: [], ignored: [] };
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === '-') {
      if (!seen.has(path)) plan.jobs.push(jobOfStandardInput(wanted));
      seen.add(path);
    } else if (statOf(path).isDirectory()) planFolder(path, wanted, plan);
    else if (isNoteName(path) && takesNotes(wanted)) planNote(path, wanted, plan);
    else plan.jobs.push(jobOf(path, wanted, false));
  }
  plan.jobs = plan.jobs.filter(
    ({ file, bytes }) => bytes !== undefined || (!seen.has(resolve(file)) && seen.add(resolve(file))),
  );
  // Groups before the trades that name them, trades before what is about them, and before their fills. The sort keeps the order otherwise.
  plan.jobs.sort((a, b) => rank(a.resource) - rank(b.resource));
  return plan;
}

export function resourceNamed(name: string): ListResource {
  const path = name.toLowerCase().replaceAll('_', '-');
  const found = RESOURCES.find((resource) => resource.path === path);
  if (found) return found;
  const meant = nearest(path, RESOURCE_PATHS);
  throw new UsageError(
    `there is no resource "${name}"${meant ? ` (did you mean ${meant}?)` : ''}; they are: ${RESOURCE_PATHS.join(', ')}`,
  );
}

function formatNamed(name: string): Format {
  const found = FORMATS.find((format) => format.name === name);
  if (found) return found;
  throw new UsageError(
    `there is no format "${name}"; the formats are: ${FORMATS.map((format) => format.name).join(', ')}`,
  );
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
    if (name === IMPORTS_FILE && readImports(file)) continue;
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
      `there is nothing to import in ${folder}: no note there says what it holds, and no file that isn't empty is named after a resource (${RESOURCE_PATHS.join(', ')}) or an export of a platform ("journal-api import --formats" lists them)`,
    );
  }
}

/** Whether notes are looked for: where no format of another kind was named. A mapping is for tables and notes alike. */
function takesNotes({ format, mapped }: Wanted): boolean {
  return format === undefined || format.name === 'markdown' || mapped;
}

/** @returns how many notes there are that say what they hold */
function planNotes(folder: string, paths: readonly string[], wanted: Wanted, plan: Plan): number {
  const byResource = Map.groupBy(
    paths.map((path) => readNote(path, folder)),
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

function planNote(path: string, wanted: Wanted, plan: Plan): void {
  const note = readNote(path, dirname(path));
  const resource = resourceOfNote(note, wanted);
  if (!resource) {
    throw new UserError(
      `${path}: it can't be told what this note holds: give it the property "type" (session, entry, weekly-review, missed-trade, trade), or say so with --as (${RESOURCE_PATHS.join(', ')})`,
    );
  }
  plan.jobs.push(jobOfNotes(path, resource, [note], wanted));
}

function resourceOfNote(note: Note, { mapped, format, resource }: Wanted): ListResource | undefined {
  if (mapped) return resourceNamed(format?.holds as string);
  return resource ?? kindOfNote(note)?.resource;
}

function jobOfNotes(file: string, resource: ListResource, notes: readonly Note[], wanted: Wanted): Job {
  const bytes = Buffer.from(JSON.stringify(notes.map(({ path, text }) => [path, text])));
  return { file, format: wanted.format ?? formatNamed('markdown'), resource, bytes, notes };
}

/** Why what lies in a folder is no file to read, if it isn't: to open a pipe would wait for whoever writes to it. */
function whyNoFile(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return 'a link to nothing';
    if (stats.isDirectory()) return 'a folder in the folder';
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

/** A file that says neither what it holds nor how it is written: wrong where it was named, ignored in a folder. */
class Unrecognised extends UserError {
  readonly short: string;

  constructor(message: string, short: string) {
    super(message);
    this.short = short;
  }
}

function jobOf(file: string, wanted: Wanted, inFolder: boolean): Job {
  // Where nothing hangs on it the file is not opened twice: it may be a pipe.
  if (wanted.format && !inFolder) return recognised(file, basename(file), '', wanted, inFolder);
  if (statOf(file).isFile()) return recognised(file, basename(file), startOf(file), wanted, inFolder);
  const bytes = bytesOf({ file });
  return { ...recognised(file, basename(file), startOfBytes(bytes), wanted, inFolder, bytes), bytes };
}

function jobOfStandardInput(wanted: Wanted): Job {
  const bytes = standardInput();
  return { ...recognised(STANDARD_INPUT, '', startOfBytes(bytes), wanted, false, bytes), bytes };
}

/**
 * @param name what the file is called, without folders; empty for what has no name
 * @param start the beginning of its text
 */
function recognised(file: string, name: string, start: string, wanted: Wanted, inFolder: boolean, bytes?: Buffer): Job {
  // Whoever writes a file for each resource writes empty ones too. A file that was named is refused by its format.
  if (inFolder && start.trim() === '') throw new Unrecognised(`${file} is empty`, 'empty');
  // A folder may hold other files beside those of the platform.
  if (inFolder && wanted.format?.holds !== undefined && !wanted.format.looksLike(start, name)) {
    throw new Unrecognised(`${file} is no ${wanted.format.name} file`, `no ${wanted.format.name} file`);
  }
  const format = wanted.format ?? formatOf(file, name, start, bytes);
  if (!format && !wanted.resource) throw unknownPlatform(file, name, start);
  if (!format) {
    throw new Unrecognised(
      `${file}: it can't be told how this file is written; say so with --format (${FORMATS.map((known) => known.name).join(', ')})`,
      'in no known format',
    );
  }
  const resource =
    format.holds === undefined ? (wanted.resource ?? resourceOfFile(name, start)) : resourceNamed(format.holds);
  if (!resource && !wanted.format) throw unknownPlatform(file, name, start);
  if (!resource) {
    throw new Unrecognised(
      `${file}: it can't be told what this file holds: ${name === '' ? '' : 'name it after a resource, or '}say so with --as (${RESOURCE_PATHS.join(', ')})`,
      'not named after a resource',
    );
  }
  if (wanted.resource && wanted.resource !== resource) {
    throw new UsageError(
      `${file} is a ${format.name} file, which holds ${resource.path}: --as ${wanted.resource.path} can't be`,
    );
  }
  return { file, format, resource };
}

/** A workbook may hold the export of any platform in one of its sheets, and is MetaTrader's own where it holds none. */
function formatOf(file: string, name: string, start: string, bytes: Buffer | undefined): Format | undefined {
  const found = FORMATS.find((candidate) => isCandidate(candidate, start, name));
  if (found !== metatrader || !isZip(start)) return found;
  try {
    return formatOfSheets(bytesOf({ file, ...(bytes && { bytes }) }), FORMATS, name) ?? found;
  } catch (error) {
    // What is wrong with the workbook is said where it is read.
    if (error instanceof RowError) return found;
    throw error;
  }
}

/** A file that is no text may hold the words of a platform's header all the same: an archive does. */
function isCandidate(format: Format, start: string, name: string): boolean {
  const isText = format.holds === undefined || !start.includes('\0');
  return (isText || format.binary === true) && format.looksLike(start, name);
}

/** What people take for an export, by how it begins. */
const MISTAKEN: readonly [begins: RegExp, is: string][] = [
  [/^%PDF/, 'is a PDF, which no format here reads: have the platform export CSV'],
  [/^(PK|\p{Cc})/u, 'is an archive: unpack it, and import what is in it'],
  [/^<(!doctype html|html)/i, 'is a web page (of a login, perhaps), and no export of a platform known here'],
  [/^$/, 'is empty'],
];

const HEADER_SHOWN = 200;

function unknownPlatform(file: string, name: string, start: string): Unrecognised {
  const header = (/\S.*/.exec(start)?.[0] ?? '').trim().slice(0, HEADER_SHOWN);
  // A workbook or a database has no header to show.
  const seen =
    header === '' || /[\p{Cc}\ufffd]/u.test(header.replaceAll('\t', '')) ? '' : `; it begins with: ${header}`;
  const platforms = FORMATS.filter(({ holds }) => holds !== undefined).map((known) => known.name);
  const is = MISTAKEN.find(([begins]) => begins.test(start))?.[1] ?? `is not an export of a platform known here${seen}`;
  return new Unrecognised(
    `${file} ${is}
Known are: ${platforms.join(', ')}. "journal-api import --formats" says what to export where.
If it holds records of your own, ${name === '' ? '' : 'name it after a resource, or '}say so with --as (${RESOURCE_PATHS.join(', ')}).${
      name === ''
        ? ''
        : `\nAny other table, as CSV or xlsx, imports by a mapping: "journal-api import ${file} --map new" proposes one.`
    }`,
    'not an export of a platform known here, and not named after a resource',
  );
}

/** trades.jsonl, trade-journals.csv, Trade_Groups.json; fills.jsonl only where the fills are those of an export. */
function resourceOfFile(name: string, start: string): ListResource | undefined {
  const stem = name
    .toLowerCase()
    .replace(/\.[^.]*$/, '')
    .replaceAll('_', '-');
  if (stem === fills.path) return start.includes('execution_id') && start.includes('stated') ? fills : undefined;
  return RESOURCES.find((resource) => resource.path === stem);
}

function rank(resource: ListResource): number {
  const index = LOADED_FIRST.indexOf(resource.path);
  if (resource === fills) return LOADED_FIRST.length + 1;
  return index === -1 ? LOADED_FIRST.length : index;
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw new UserError(`${path} can't be read: ${messageOf(error)}`);
  }
}

/** How much of a file is looked at to tell what it is. */
const START = 4096;

function startOf(file: string): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(START);
      return startOfBytes(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new UserError(`${file} can't be read: ${messageOf(error)}`);
  }
}

function startOfBytes(bytes: Buffer): string {
  const start = decode(bytes.subarray(0, START), true) ?? '';
  return start.replace(SEPARATOR_LINE, '').trimStart();
}
