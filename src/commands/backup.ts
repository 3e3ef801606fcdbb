/** `backup`: copies the whole data folder, or nothing, while other programs write. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Files, filesOf, type GlobalOptions } from '../config.ts';
import { messageOf, UsageError, UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { statedPictures } from '../journal/pictures.ts';
import { recoverJournal } from '../journal-write/open.ts';
import { openKeys, recoverKeys } from '../keys/store.ts';
import { KeptPictures } from '../pictures/keeping.ts';
import {
  PictureFolder,
  pictureFolderOf,
  pictureNamed,
} from '../pictures/kept-pictures.ts';
import { createFolder, fileExists } from '../sqlite/create-file.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { counted, type JournalCommand, note } from './shared/command.ts';

export function registerBackup(program: JournalCommand): void {
  program
    .command('backup')
    .description(
      'copy the journal, keys and secret to a new folder, ' +
        'even while the service runs or other programs write',
    )
    .argument(
      '<folder>',
      'a folder that does not exist yet or is empty; with --keep, the folder of all backups',
    )
    .option(
      '--keep <n>',
      "copy to a folder in it, named by day and time, and keep this journal's latest <n> of these",
    )
    .explained(
      `The backup is a complete data folder: serve it with --home, or move its files back to restore. It contains the key store and the secret,
so keep it as private as the data folder.`,
    )
    .examples(
      'journal-api backup ~/backups/journal-2026-11-20',
      'journal-api backup ~/backups --keep 7',
    )
    .runs(backup);
}

async function backup(
  typed: string,
  options: GlobalOptions & { keep?: string },
): Promise<void> {
  const folder = resolve(typed);
  const files = filesOf(options);
  const keep = options.keep === undefined ? undefined : keepOf(options.keep);
  if (!fileExists(files.journal))
    throw new UserError(`no journal at ${files.journal}; pass its folder with --home`);

  const path = keep === undefined ? folder : newBackupIn(folder, Date.now());
  let copied: string[] = [];
  await createFolder(path, 'backup', async (draft) => {
    copied = await copyFiles(files, draft);
    if (keep !== undefined) verifyAndMark(draft, files.journal);
  });
  note(`${copied.join(', ')} copied to ${path}.`);
  if (keep === undefined) return;

  note(
    'It contains the key store and the secret: keep it as private as the data folder.',
  );
  for (const line of removeOldest(folder, path, files.journal, keep)) note(line);
}

function keepOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UsageError(
    `--keep takes a whole number of at least 1, such as 7; got "${text}"`,
  );
}

/** @returns names of the copied files */
async function copyFiles(files: Files, folder: string): Promise<string[]> {
  const copy = filesOf({ home: folder });
  recoverJournal(files.journal);
  const pictures = new PictureCopies(files.journal, copy.journal);
  // Before and after: pictures come and go while other programs write.
  pictures.copy();
  await copyDatabase(openJournal(files.journal), copy.journal);
  pictures.copy();
  pictures.settle();

  if (fileExists(files.keys)) {
    recoverKeys(files.keys);
    await copyDatabase(openKeys(files.keys), copy.keys);
  }

  if (fileExists(files.secret)) copyFileSync(files.secret, copy.secret);
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries)
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);

  return entries.map(({ name }) => name).sort();
}

/** The pictures of a journal that is copied. */
class PictureCopies {
  readonly #from: PictureFolder;
  readonly #journal: string;
  readonly #to: KeptPictures;

  constructor(from: string, to: string) {
    this.#from = PictureFolder.of(from);
    this.#journal = to;
    this.#to = KeptPictures.of(to);
  }

  /** Copies those that aren't copied yet. */
  copy(): void {
    const copied = new Set(this.#to.names());
    for (const name of this.#from.names()) {
      const bytes = copied.has(name) ? undefined : this.#from.read(name);
      const named = pictureNamed(name);
      if (bytes && named) this.#to.keep({ ...named, bytes });
    }
  }

  /**
   * Removes those that the copied journal doesn't state, and names those that it lacks.
   */
  settle(): void {
    const stated = picturesOf(this.#journal);
    const copied = this.#to.names();
    for (const name of copied) if (!stated.has(name)) this.#to.remove(name);

    const missing = [...stated].filter((name) => !copied.includes(name)).length;
    if (missing > 0)
      note(
        `${counted(missing, 'picture')} missing or changed; "journal-api check" names them.`,
      );
  }
}

function picturesOf(journal: string): Set<string> {
  const file = openJournal(journal);
  try {
    return file.read((reader) => new Set(statedPictures(reader).keys()));
  } finally {
    file.close();
  }
}

async function copyDatabase(file: ReadOnlyFile, to: string): Promise<void> {
  try {
    await file.backupTo(to);
  } finally {
    file.close();
  }
}

// Backups that --keep made: folders named by day and time, each with a file that names
// its journal. Only those of the same journal are ever removed, and only files that a
// backup has.

const NAME = /^journal-\d{4}-\d\d-\d\dT\d{6}Z$/;

/**
 * A new path, such as journal-2026-11-20T150000Z; a second later if it is taken.
 * @param now epoch milliseconds
 */
function newBackupIn(folder: string, now: number): string {
  const path = join(
    folder,
    `journal-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}Z`,
  );
  return existsSync(path) ? newBackupIn(folder, now + 1000) : path;
}

const MARKER = 'backup.json';

/**
 * Finishes a backup, so that it counts as one.
 * @param journal the absolute path of the journal
 * @throws UserError if a database of it is damaged
 */
function verifyAndMark(folder: string, journal: string): void {
  const copy = filesOf({ home: folder });
  requireSound(openJournal(copy.journal));
  if (existsSync(copy.keys)) requireSound(openKeys(copy.keys));
  writeFileSync(join(folder, MARKER), `${JSON.stringify({ journal })}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
}

function requireSound(file: ReadOnlyFile): void {
  try {
    const row = file.read((reader) => reader.get('PRAGMA integrity_check(1)'));
    if (row?.['integrity_check'] !== 'ok') {
      throw new UserError(
        `${basename(file.path)} is damaged; "journal-api check" shows details`,
      );
    }
  } finally {
    file.close();
  }
  // A handle that only reads leaves them beside a copy in WAL mode.
  for (const end of ['-wal', '-shm']) rmSync(file.path + end, { force: true });
}

/**
 * Removes the oldest backups of a journal.
 * @param latest the one just made, which stays even if the clock went backwards
 * @returns a line for each that was removed, or skipped because it has other files
 * @throws UserError if one can't be removed
 */
function removeOldest(
  folder: string,
  latest: string,
  journal: string,
  keep: number,
): string[] {
  const others = readdirSync(folder, { withFileTypes: true })
    // A link is no directory here.
    .filter(
      (entry) =>
        entry.isDirectory() && NAME.test(entry.name) && entry.name !== basename(latest),
    )
    .map(({ name }) => join(folder, name))
    .filter((path) => journalOf(path) === journal)
    .sort();
  return others.slice(0, Math.max(0, others.length - (keep - 1))).map((path) => {
    try {
      return remove(path)
        ? `Removed ${path}.`
        : `Kept ${path}: it has files that are not part of a backup.`;
    } catch (error) {
      throw new UserError(
        `the backup is complete, but ${path} can't be removed: ${messageOf(error)}`,
      );
    }
  });
}

/** The journal that a folder states; undefined if none or unreadable. */
function journalOf(path: string): unknown {
  const marker = join(path, MARKER);
  try {
    if (!lstatSync(marker).isFile()) return undefined;
    return JSON.parse(readFileSync(marker, 'utf8'))?.journal;
  } catch {
    return undefined;
  }
}

/**
 * Files of a backup, and those that SQLite puts beside them if it was served. The marker
 * last: until then it is recognised.
 */
function partsOf(path: string): string[] {
  const { journal, keys, secret } = filesOf({ home: path });
  const databases = [journal, keys].flatMap((file) => [
    file,
    ...['-journal', '-wal', '-shm'].map((end) => file + end),
  ]);
  return [...databases, pictureFolderOf(journal), secret, join(path, MARKER)];
}

/** @returns false if it has other files, and stays whole */
function remove(path: string): boolean {
  const parts = partsOf(path);
  if (readdirSync(path).some((name) => !parts.includes(join(path, name)))) return false;
  const pictures = KeptPictures.of(filesOf({ home: path }).journal);
  if (pictures.hasOthers()) return false;

  for (const name of pictures.names()) pictures.remove(name);
  for (const part of parts) rmSync(part, { force: true });
  rmdirSync(path);
  return true;
}
