/**
 * The pictures of an import's notes: found before they are read, kept before the line
 * commits. Nothing is written before all of them are known to fit.
 */
import { resolve } from 'node:path';
import { UsageError, UserError } from '../../errors.ts';
import { shownPictures } from '../../journal/pictures.ts';
import { PictureFinder } from '../../notes/find-pictures.ts';
import type { Note } from '../../notes/note.ts';
import {
  type NotedPicture,
  type NotePictures,
  type PictureSource,
  referencesIn,
} from '../../notes/note-pictures.ts';
import { KeptPictures, megabytes } from '../../pictures/keeping.ts';
import {
  addressOf,
  nameAt,
  pictureName,
  pictureNamed,
} from '../../pictures/kept-pictures.ts';
import { PictureRefused } from '../../pictures/picture.ts';
import { Reader } from '../../sqlite/reader.ts';
import type { ImportTable, StatedPicture } from '../../statements/imports.ts';
import type { StatementRow } from '../../statements/statement-table.ts';
import { isNameless, type Job } from '../files/contents.ts';
import type { FileSettings, OpenJournal } from './file-settings.ts';

/** New pictures of an import without --yes. */
const MOST_OF_IMPORT = 2000;

/**
 * A job whose notes have their pictures, and its settings with those of a day's note as
 * printed.
 * @throws UsageError, UserError for too many of them
 */
export function withPictures(
  job: Job,
  settings: FileSettings,
): { job: Job; settings: FileSettings } {
  const withPrinted = withPrintedPictures(settings);
  return { job: jobWithPictures(job, settings), settings: withPrinted };
}

function jobWithPictures(job: Job, { pictures, line }: FileSettings): Job {
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

function withPrintedPictures(settings: FileSettings): FileSettings {
  const { pictures, reading } = settings;
  if (!pictures || !reading.printed) return settings;

  const printed = { ...reading.printed, pictures: pictures.source.in(reading.printed) };
  return { ...settings, reading: { ...reading, printed } };
}

/**
 * Finds the pictures of an import's notes: beside them, and in the journal as it is.
 * @param folders that are imported
 * @param from in place of the folder of an edited note
 */
export function pictureSource(
  folders: readonly string[],
  from: string | undefined,
  imports: () => ImportTable,
): PictureSource {
  return new PictureFinder({
    folders,
    from,
    keptAt: (address) => keptAt(imports(), address),
  });
}

/** The picture at an address, if any line states it. */
function keptAt({ pictures }: ImportTable, address: string): NotedPicture | undefined {
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
