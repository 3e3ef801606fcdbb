/**
 * Keeps the pictures of an export of a journal, which are in a folder beside its records.
 */
import { shownPictures, statedPictures } from '../../journal/pictures.ts';
import { KeptPictures } from '../../pictures/keeping.ts';
import { PictureFolder, pictureName } from '../../pictures/kept-pictures.ts';
import { cleanedPicture, type Picture, PictureRefused } from '../../pictures/picture.ts';
import { Reader } from '../../sqlite/reader.ts';
import { isNameless, type Job } from '../files/contents.ts';
import { pictureFoldersOf } from '../files/plan.ts';
import type { FileSettings, OpenJournal } from './file-settings.ts';

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

/**
 * A picture beside an export's file or in its folder; undefined if it is missing, or
 * another.
 */
function exportedPicture(file: string, name: string): Picture | undefined {
  const folders = pictureFoldersOf(file).map((path) => new PictureFolder(path));
  const bytes = folders.map((folder) => folder.read(name)).find(Boolean);
  if (!bytes) return undefined;

  try {
    const picture = cleanedPicture(bytes);
    return pictureName(picture) === name ? picture : undefined;
  } catch (error) {
    if (error instanceof PictureRefused) return undefined;
    throw error;
  }
}
