/** What is wrong with a journal's kept pictures: missing, changed or stray files. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../journal/check.ts';
import { openJournal } from '../../journal/journal.ts';
import { shownPictures, statedPictures } from '../../journal/pictures.ts';
import { PictureFolder, pictureNamed } from '../../pictures/kept-pictures.ts';
import { FileUnavailable } from '../../sqlite/errors.ts';

/** Strays are no problem: the next change removes what a killed command left. */
interface CheckedPictures {
  findings: Finding[];
  strays: string[];
}

export function checkedPictures(journal: string): CheckedPictures {
  const pictures = picturesIn(journal);
  // The check of the file itself says why.
  if (!pictures) return { findings: [], strays: [] };

  const { stated, shown } = pictures;
  const folder = PictureFolder.of(journal);
  const about = (problem: string): Finding => ({
    where: 'pictures',
    user: null,
    id: null,
    problem,
  });

  const known = new Set([...stated, ...shown]);
  const broken = [...stated].sort().flatMap((name) => {
    if (folder.read(name)) return [];
    const what = isThere(join(folder.path, name)) ? 'has changed' : 'is missing';
    return about(
      `${name} ${what} in ${folder.path}; copy it from a backup, or import its note again`,
    );
  });
  const unkept = [...shown]
    .filter((name) => !stated.has(name))
    .sort()
    .map((name) =>
      about(`${name} is shown by a record, but no line of "import list" keeps it`),
    );
  const strays = entriesOf(folder.path)
    .filter((name) => !pictureNamed(name) || !known.has(name))
    .sort()
    .map((name) => join(folder.path, name));

  return { findings: [...broken, ...unkept], strays };
}

function picturesIn(
  path: string,
): { stated: Set<string>; shown: Set<string> } | undefined {
  const journal = openJournal(path);
  try {
    return journal.read((reader) => ({
      stated: new Set(statedPictures(reader).keys()),
      shown: shownPictures(reader),
    }));
  } catch (error) {
    if (error instanceof FileUnavailable) return undefined;
    throw error;
  } finally {
    journal.close();
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function entriesOf(folder: string): string[] {
  return isThere(folder) ? readdirSync(folder) : [];
}
