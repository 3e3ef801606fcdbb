/**
 * The pictures of an import's notes: found before they are read, kept before the line commits.
 * Nothing is written before all of them are known to fit.
 */
import { dirname, join, resolve } from 'node:path';
import { UsageError, UserError } from '../../errors.ts';
import { shownPictures, statedPictures } from '../../journal/pictures.ts';
import { listKeys, stateOf } from '../../keys/store.ts';
import type { Note } from '../../notes/note.ts';
import {
  type NotedPicture,
  type NotePictures,
  type PictureSource,
  referencesIn,
} from '../../notes/note-pictures.ts';
import { addressOf, nameAt, pictureName, pictureNamed } from '../../pictures/address.ts';
import { PictureFolder } from '../../pictures/folder.ts';
import { KeptPictures, megabytes } from '../../pictures/keeping.ts';
import { cleanedPicture, type Picture, PictureRefused } from '../../pictures/picture.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { Reader } from '../../sqlite/reader.ts';
import type { ImportTable, StatedPicture } from '../../statements/imports.ts';
import type { StatementRow } from '../../statements/statement-table.ts';
import { isNameless, type Job } from '../files/contents.ts';
import type { FileSettings } from './file-settings.ts';
import type { OpenJournal } from './open-journal.ts';

/** New pictures of an import without --yes. */
const MOST_OF_IMPORT = 2000;

/** A job whose notes have their pictures. @throws UsageError, UserError for too many of them */
export function withPictures(job: Job, { pictures, line }: FileSettings): Job {
  if (!pictures || !job.notes || job.format.name !== 'markdown') return job;

  const isPathless = isNameless(job);
  const notes = job.notes.map((note) => ({
    ...note,
    pictures: pictures.source.in(isPathless ? { text: note.text } : note),
  }));
  const added = addedBy(notes);
  const size = added.reduce((sum, picture) => sum + picture.size, 0);
  if (added.length > MOST_OF_IMPORT && !pictures.mayBeMany)
    throw new UsageError(
      `${job.file} shows ${added.length} new pictures, ${megabytes(size)}; ` +
        'pass --yes to keep them all, or --no-pictures',
    );
  if (pictures.journal !== undefined && line.dryRun !== true)
    KeptPictures.of(pictures.journal).requireRoom(size);

  return { ...job, notes };
}

/** Those that aren't kept yet, each once. */
function addedBy(notes: readonly { pictures: NotePictures }[]): NotedPicture[] {
  const all = notes.flatMap(({ pictures }) => [...pictures.kept.values()]);
  const added = all.filter(({ read }) => read !== undefined);
  return [...new Map(added.map((picture) => [picture.sha256, picture])).values()];
}

/**
 * Keeps the pictures that the import's records show.
 * @param mayShow whether a key may show the first picture of the journal
 * @throws UserError if one can't be written; what mayShow throws
 */
export function keepPictures(
  { job, journal, line }: { job: Job; journal: OpenJournal; line: { id: number } },
  { pictures, reading, line: { dryRun }, write: { user } }: FileSettings,
  mayShow: () => void,
): void {
  const { imports, db } = journal;
  const notes = job.notes?.filter((note) => (note.pictures?.kept.size ?? 0) > 0) ?? [];
  if (!pictures || notes.length === 0 || !imports.find(line.id)) return;

  const isPathless = isNameless(job) || reading.printed !== undefined;
  const pathOf = ({ file }: Note) => (isPathless ? '' : resolve(file));
  const stated = imports.statements.rowsOfLine(line.id);
  // A note that says the same as before is stated by the line of then.
  const paths = new Set(stated.map(({ path }) => path));
  const isShown = reading.printed
    ? statedBy(stated)
    : shownBy(shownPictures(new Reader(db), user.id));
  const shown = notes.flatMap((note) =>
    [...(note.pictures?.kept ?? [])].flatMap(([written, picture]) =>
      paths.has(pathOf(note)) && isShown(picture) ? [{ note, written, picture }] : [],
    ),
  );
  if (shown.length === 0) return;

  if (!imports.pictures.areThere && dryRun !== true) mayShow();
  for (const { note, written, picture } of shown) {
    const { sha256, type, width, height, size: bytes } = picture;
    const path = pathOf(note);
    imports.pictures.state(line.id, {
      path,
      written,
      sha256,
      type,
      width,
      height,
      bytes,
    });
  }

  if (pictures.journal === undefined || dryRun === true) return;
  const folder = KeptPictures.of(pictures.journal);
  for (const { note, picture } of shown) keep(folder, picture, note);
}

/** The folder of an export with the pictures of its records. */
const EXPORTED = 'attachments';

/**
 * Keeps the pictures that records of an export name, from its folder.
 * @throws UserError if one can't be written; what mayShow throws
 */
export function keepExportedPictures(
  { job, journal, line }: { job: Job; journal: OpenJournal; line: { id: number } },
  { pictures, line: { dryRun }, write: { user } }: FileSettings,
  mayShow: () => void,
): void {
  const { imports, db } = journal;
  if (pictures?.journal === undefined || isNameless(job) || !imports.find(line.id))
    return;

  const reader = new Reader(db);
  const stated = statedPictures(reader, user.id);
  const lacking = [...shownPictures(reader, user.id)].filter((name) => !stated.has(name));
  const found = lacking.flatMap((name) => exportedPicture(job.file, name) ?? []);
  if (found.length === 0) return;

  if (dryRun !== true) {
    if (stated.size === 0) mayShow();
    const folder = KeptPictures.of(pictures.journal);
    folder.requireRoom(found.reduce((sum, { bytes }) => sum + bytes.length, 0));
    for (const picture of found) folder.keep(picture);
  }
  for (const { bytes, ...picture } of found) {
    const written = pictureName(picture);
    imports.pictures.state(line.id, {
      path: '',
      written,
      ...picture,
      bytes: bytes.length,
    });
  }
}

/** A picture beside an export's file or in its folder; undefined if it is missing, or another. */
function exportedPicture(file: string, name: string): Picture | undefined {
  const places = [join(file, EXPORTED), join(dirname(file), EXPORTED)];
  const bytes = places.map((path) => new PictureFolder(path).read(name)).find(Boolean);
  if (!bytes) return undefined;

  try {
    const picture = cleanedPicture(bytes);
    return pictureName(picture) === name ? picture : undefined;
  } catch (error) {
    if (error instanceof PictureRefused) return undefined;
    throw error;
  }
}

function shownBy(names: ReadonlySet<string>): (picture: NotedPicture) => boolean {
  return (picture) => names.has(pictureName(picture));
}

/** Whether an edit states a picture. */
function statedBy(rows: readonly StatementRow[]): (picture: NotedPicture) => boolean {
  return (picture) => rows.some(({ fields }) => fields?.includes(addressOf(picture)));
}

function keep(
  folder: KeptPictures,
  { read, ...picture }: NotedPicture,
  { file }: Note,
): void {
  if (!read) return;
  try {
    folder.keep({ ...picture, bytes: read() });
  } catch (error) {
    if (error instanceof PictureRefused)
      throw new UserError(`a picture of ${file} can't be kept: ${error.message}`);
    throw error;
  }
}

/** The settings with the pictures of a day's note as printed. */
export function withPrintedPictures(settings: FileSettings): FileSettings {
  const { pictures, reading } = settings;
  if (!pictures || !reading.printed) return settings;

  const printed = { ...reading.printed, pictures: pictures.source.in(reading.printed) };
  return { ...settings, reading: { ...reading, printed } };
}

/** The picture at an address, if any line states it. */
export function keptAt(
  { pictures }: ImportTable,
  address: string,
): NotedPicture | undefined {
  const named = pictureNamed(nameAt(address) ?? '');
  const found = named && pictures.find(named);
  return found && notedPicture(found);
}

function notedPicture({
  sha256,
  type,
  width,
  height,
  bytes,
}: StatedPicture): NotedPicture {
  return { sha256, type, width, height, size: bytes };
}

/** Pictures of an import whose notes are read again, as it has them. */
export function picturesOfLine(imports: ImportTable, importId: number): PictureSource {
  const rows = imports.pictures.ofLine(importId);
  return {
    in: ({ file, text }) => {
      const kept = new Map<string, NotedPicture>();
      for (const { written } of referencesIn(text)) {
        const isOf = (row: StatedPicture) =>
          row.written === written &&
          (row.path === '' || row.path === resolve(file ?? ''));
        const row = rows.find(isOf);
        const picture = row ? notedPicture(row) : keptAt(imports, written);
        if (picture) kept.set(written, picture);
      }
      return { kept, lost: [] };
    },
  };
}

// Keys that show pictures.

/** The first picture of a journal would be shown by keys, which nobody has agreed to. */
export class KeysShowPictures extends UsageError {
  readonly keys: string;

  constructor(keys: string) {
    super(
      `these keys would show pictures: ${keys}; ` +
        'pass --yes, revoke them, or pass --no-pictures',
    );
    this.keys = keys;
  }
}

/**
 * @param keys the key store's path
 * @throws KeysShowPictures if a live key of the user would show one
 */
export function requireNoKeyShows(
  keys: string | undefined,
  user: string,
  now: number,
): void {
  if (keys === undefined || !fileExists(keys)) return;

  const showing = listKeys(keys).filter(
    ({ user_id, lens, ...key }) =>
      user_id === user &&
      (lens?.hides.length ?? 0) === 0 &&
      stateOf(key, now) === 'active' &&
      key.scopes.includes('journals:read'),
  );
  if (showing.length === 0) return;

  throw new KeysShowPictures(showing.map(({ id, name }) => `${id} (${name})`).join(', '));
}
