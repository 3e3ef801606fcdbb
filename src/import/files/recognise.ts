/** What a file is: its format and the resource that it holds, by its name and its beginning. */
import { nearest, UsageError, UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { tradeJournals } from '../../journal/resources/trade-journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import { fills } from '../../journal-write/exported-fills.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { csv } from '../formats/csv.ts';
import { metatrader } from '../formats/metatrader.ts';
import { isZip } from '../parse/archive.ts';
import type { FilePlace } from '../parse/open-file.ts';
import type { Format } from '../table/format.ts';
import { lackingMarks } from '../table/header.ts';
import { NAMES_OF_TRADE } from '../write/find-trade.ts';
import { KNOWN_FORMATS } from './known-formats.ts';
import { formatOfSheets } from './sheets.ts';
import { bytesOf } from './text.ts';

/** What the person said of all files. */
export interface Wanted {
  resource: ListResource | undefined;
  format: Format | undefined;
  /** Whether files that became links are refused. */
  noLinks: boolean;
  /** The folder that the person named. */
  folder: string | undefined;
  /** The mapping as a format of notes, where there is one: the format is that of tables. */
  mappedNotes: Format | undefined;
}

export const RESOURCE_PATHS = RESOURCES.map((resource) => resource.path);

export function resourceNamed(name: string): ListResource {
  const path = name.toLowerCase().replaceAll('_', '-');
  const found = RESOURCES.find((resource) => resource.path === path);
  if (found) return found;
  const meant = nearest(path, RESOURCE_PATHS);
  throw new UsageError(
    `there is no resource "${name}"${meant ? ` (did you mean ${meant}?)` : ''}; they are: ${RESOURCE_PATHS.join(', ')}`,
  );
}

export function formatNamed(name: string): Format {
  const found = KNOWN_FORMATS.find((format) => format.name === name);
  if (found) return found;
  throw new UsageError(
    `there is no format "${name}"; the formats are: ${KNOWN_FORMATS.map((format) => format.name).join(', ')}`,
  );
}

/** A file that says neither what it holds nor how it is written: wrong where it was named, ignored in a folder. */
export class Unrecognised extends UserError {
  readonly short: string;

  constructor(message: string, short: string) {
    super(message);
    this.short = short;
  }
}

/**
 * @param name what the file is called, without folders; empty for what has no name
 * @param start the beginning of its text
 */
export function recognised(
  file: string,
  name: string,
  start: string,
  wanted: Wanted,
  inFolder: boolean,
  bytes?: Buffer,
): { file: string; format: Format; resource: ListResource } {
  // Whoever writes a file for each resource writes empty ones too. A file that was named is refused by its format.
  if (inFolder && start.trim() === '') throw new Unrecognised(`${file} is empty`, 'empty');
  // A folder may hold other files beside those of the platform.
  if (inFolder && wanted.format?.holds !== undefined && !wanted.format.looksLike(start, name)) {
    throw new Unrecognised(`${file} is not a ${wanted.format.name} file`, `not a ${wanted.format.name} file`);
  }
  const format = wanted.format ?? formatOf({ file, noLinks: wanted.noLinks }, name, start, bytes);
  if (!format && !wanted.resource) throw unknownPlatform(file, name, start);
  if (!format) {
    throw new Unrecognised(
      `${file}: it can't be told how this file is written; say so with --format (${KNOWN_FORMATS.map((known) => known.name).join(', ')})`,
      'in no known format',
    );
  }
  const resource =
    format.holds === undefined ? (wanted.resource ?? resourceOfFile(name, start)) : resourceNamed(format.holds);
  const isNamedOnly = resource !== undefined && format === csv && !wanted.format && !wanted.resource;
  const isForeign = isNamedOnly && !hasFieldsOf(resource, start);
  if (isForeign || (!resource && !wanted.format)) throw unknownPlatform(file, name, start);
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

/** Whether a table with the name of a resource is one of ours: half of the names in its header are fields of it. */
function hasFieldsOf({ path, record }: ListResource, start: string): boolean {
  // A header that goes on beyond the beginning is read whole before it is judged.
  const text = start.trimStart();
  const end = text.search(/[\r\n]/);
  if (end === -1) return true;
  const header = text.slice(0, end);
  const names = header.split(/[,;\t]/).map((name) => name.trim().replaceAll('"', ''));
  const more = path === trades.path ? ['executions'] : path === tradeJournals.path ? NAMES_OF_TRADE : [];
  const fields = new Set([...Object.keys(record.shape), ...more]);
  return names.filter((name) => name === '' || fields.has(name)).length * 2 >= names.length;
}

/** A workbook may hold the export of any platform in one of its sheets, and is MetaTrader's own where it holds none. */
function formatOf(place: FilePlace, name: string, start: string, bytes: Buffer | undefined): Format | undefined {
  const found = KNOWN_FORMATS.find((candidate) => isCandidate(candidate, start, name));
  if (found !== metatrader || !isZip(start)) return found;
  try {
    return formatOfSheets(bytesOf({ ...place, ...(bytes && { bytes }) }), KNOWN_FORMATS, name) ?? found;
  } catch (error) {
    // What is wrong with the workbook is said where it is read.
    if (error instanceof RowError) return found;
    throw error;
  }
}

/**
 * What is no text may hold the words of a platform's header all the same: an archive does. Only what comes before the first NUL is looked
 * at: the reader of an export that has one further down names its line.
 */
function isCandidate(format: Format, start: string, name: string): boolean {
  const isText = format.holds !== undefined && format.binary !== true;
  return format.looksLike(isText ? (start.split('\0', 1)[0] as string) : start, name);
}

/** What people take for an export, by how it begins. */
const MISTAKEN: readonly [begins: RegExp, is: string][] = [
  [/^%PDF/, 'is a PDF, which no format here reads: have the platform export CSV'],
  [/^(PK|\p{Cc})/u, 'is an archive: unpack it, and import what is in it'],
  [/^<(!doctype html|html)/i, 'is a web page (of a login, perhaps), and no export of a platform known here'],
  [
    /^(?:[^,;\r\n]{0,40}[,;]){4}[^,;\r\n]{0,20}ISIN[^,;\r\n]{0,20}[,;](?:[^,;\r\n]{0,40}[,;]){3}[,;][^,;\r\n]{0,40}[,;]{2}[^,;\r\n]{0,40}[\r\n]/,
    "is DEGIRO's account statement, which has no trades: export Inbox > Transactions",
  ],
  [/^$/, 'is empty'],
];

const HEADER_SHOWN = 200;

function unknownPlatform(file: string, name: string, start: string): Unrecognised {
  const header = (/\S.*/.exec(start)?.[0] ?? '').trim().slice(0, HEADER_SHOWN);
  // A workbook or a database has no header to show.
  const seen =
    header === '' || /[\p{Cc}\ufffd]/u.test(header.replaceAll('\t', '')) ? '' : `; it begins with: ${header}`;
  const platforms = KNOWN_FORMATS.filter(({ holds }) => holds !== undefined).map((known) => known.name);
  const is = MISTAKEN.find(([begins]) => begins.test(start))?.[1] ?? `is not an export of a platform known here${seen}`;
  return new Unrecognised(
    `${file} ${is}${nearestOf(start)}
Known are: ${platforms.join(', ')}. "journal-api import --formats" says what to export where.
If it holds records of your own, ${name === '' ? '' : 'name it after a resource, or '}say so with --as (${RESOURCE_PATHS.join(', ')}).${
      name === ''
        ? ''
        : `\nAny other table, as CSV or xlsx, imports by a mapping: "journal-api import ${file} --map new" proposes one.`
    }`,
    'not an export of a platform known here, and not named after a resource',
  );
}

/** The format that most of a header is like, and what the header lacks of it. */
function nearestOf(start: string): string {
  const near = KNOWN_FORMATS.flatMap(({ name, marks = [] }) => {
    const lacking = lackingMarks(start, marks);
    return lacking ? [{ name, lacking }] : [];
  });
  const [best] = near.sort((a, b) => a.lacking.length - b.lacking.length);
  return best ? `\nThe header is most like that of ${best.name}, but has no column ${best.lacking.join(', ')}.` : '';
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
