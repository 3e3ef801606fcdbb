/**
 * The notes of a vault of Obsidian or another Markdown editor, in folders of any depth.
 */
import {
  closeSync,
  type Dirent,
  existsSync,
  fstatSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { messageOf, RowError, UserError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import { decode, type FilePlace, openFile } from '../parse/open-file.ts';
import { isDayNote, whyNoDay } from './day-note.ts';
import { type FrontMatter, readFrontMatter, textIn } from './front-matter.ts';
import { isNoteName, type Note } from './note.ts';
import { dateIn } from './reading/written-dates.ts';
import { plainName, resourceNamed } from './record-note.ts';

const MOST_BYTES = 16_000_000;

/**
 * Sorted paths of all notes in a folder, without hidden folders, links, and the vault's
 * templates.
 */
export function notesIn(folder: string): string[] {
  const templates = templatesOf(vaultOf(folder));
  const found: string[] = [];

  const visit = (path: string): void => {
    for (const entry of entriesOf(path)) {
      if (entry.name.startsWith('.')) continue;

      const inside = join(path, entry.name);
      if (entry.isDirectory() && resolve(inside) !== templates) visit(inside);
      else if (entry.isFile() && isNoteName(entry.name)) found.push(inside);
    }
  };

  visit(folder);
  return found;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  } catch (error) {
    throw new UserError(`the folder ${folder} can't be read: ${messageOf(error)}`);
  }
}

/** The enclosing folder with Obsidian's settings; undefined if none. */
export function vaultOf(folder: string): string | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.obsidian'))) return path;
    if (dirname(path) === path) return undefined;
  }
}

function templatesOf(vault: string | undefined): string | undefined {
  if (vault === undefined) return undefined;
  try {
    const { folder } = JSON.parse(
      readFileSync(join(vault, '.obsidian', 'templates.json'), 'utf8'),
    );
    return typeof folder === 'string' && folder !== ''
      ? resolve(vault, folder)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param folder given by the user: paths are relative to it if there is no vault
 * @throws UserError if it can't be read
 */
export function readNote(place: FilePlace, folder: string): Note {
  const { file } = place;
  const root = vaultOf(dirname(file)) ?? resolve(folder);
  return {
    file,
    path: relative(root, resolve(file)).split(sep).join('/'),
    text: textOf(place),
  };
}

function textOf(place: FilePlace): string {
  const text = decode(bytesOf(place));
  if (text === undefined)
    throw new UserError(`${place.file}: not UTF-8 text; save it as UTF-8 and try again`);
  return text;
}

function bytesOf(place: FilePlace): Buffer {
  try {
    const fd = openFile(place);
    try {
      if (fstatSync(fd).size > MOST_BYTES)
        throw new Error(`it has more than ${MOST_BYTES / 1e6} MB`);
      return readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${place.file} can't be read: ${messageOf(error)}`);
  }
}

/**
 * What a note holds, a resource or days: by its property "type", else by the nearest
 * folder named after a resource, else days if anything gives it a day. Types of other
 * programs are ignored. Undefined if unknown.
 * @param date given by the user
 */
export function contentsOf(note: Note, date?: string): ListResource | 'days' | undefined {
  const properties = propertiesOf(note);
  const type = textIn(properties.get('type'));
  if (type !== undefined && ['day', 'week'].includes(plainName(type))) return 'days';

  const typed = type === undefined ? undefined : resourceNamed(type);
  if (typed && !isForeign(typed, properties)) return typed;

  const inFolder = type === undefined ? resourceOfFolder(note, properties) : undefined;
  return inFolder ?? (isDayNote(note, date) ? 'days' : undefined);
}

function propertiesOf({ file, text }: Note): FrontMatter['properties'] {
  try {
    return readFrontMatter(text).properties;
  } catch (error) {
    throw error instanceof RowError ? error.at(file, 1) : error;
  }
}

/**
 * The resource of the nearest folder named after one. A folder "Journal" may hold
 * anything; one named trade-journals doesn't. "Trades" holds trades only if they are
 * complete.
 */
function resourceOfFolder(
  { file, path }: Note,
  properties: FrontMatter['properties'],
): ListResource | undefined {
  const isComplete = ['status', 'executed_at'].every((field) => properties.has(field));
  const folders = [
    basename(dirname(resolve(file))),
    ...path.split('/').slice(0, -1).reverse(),
  ];

  return folders
    .flatMap((name) => {
      const resource = resourceNamed(name);
      return resource && plainName(name) === resource.path ? resource : [];
    })
    .find((resource) => resource !== trades || isComplete);
}

/** Why a note isn't a day note, if its date is ambiguous. */
export function unclearDate({ path }: Note): string | undefined {
  const named = dateIn(basename(path));
  return named && 'unclear' in named ? whyNoDay(named) : undefined;
}

/**
 * Whether it is a note of Journalit, which has trades too, but with an instrument instead
 * of a symbol.
 */
function isForeign(
  { path }: ListResource,
  properties: ReadonlyMap<string, unknown>,
): boolean {
  return (
    ['trades', 'missed-trades'].includes(path) &&
    properties.has('instrument') &&
    !properties.has('symbol')
  );
}
