/**
 * Backups that `backup --keep` made: folders named by day and time, each with a file that names its journal. Only those of the same
 * journal are ever removed, and only files that a backup has.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesOf } from '../../config.ts';
import { messageOf, UserError } from '../../errors.ts';
import { openJournal } from '../../journal/journal.ts';
import { openKeys } from '../../keys/store.ts';
import type { ReadOnlyFile } from '../../sqlite/read-only-file.ts';

const NAME = /^journal-\d{4}-\d\d-\d\dT\d{6}Z$/;

/**
 * A new path, such as journal-2026-11-20T150000Z; a second later if it is taken.
 * @param now epoch milliseconds
 */
export function newBackupIn(folder: string, now: number): string {
  const path = join(folder, `journal-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}Z`);
  return existsSync(path) ? newBackupIn(folder, now + 1000) : path;
}

const MARKER = 'backup.json';

/**
 * Finishes a backup, so that it counts as one.
 * @param journal the absolute path of the journal
 * @throws UserError if a database of it is damaged
 */
export function verifyAndMark(folder: string, journal: string): void {
  const copy = filesOf({ home: folder });
  requireSound(openJournal(copy.journal));
  if (existsSync(copy.keys)) requireSound(openKeys(copy.keys));
  writeFileSync(join(folder, MARKER), `${JSON.stringify({ journal })}\n`, { mode: 0o600, flag: 'wx' });
}

function requireSound(file: ReadOnlyFile): void {
  try {
    const row = file.read((reader) => reader.get('PRAGMA integrity_check(1)'));
    if (row?.['integrity_check'] !== 'ok') {
      throw new UserError(`${basename(file.path)} is damaged; "journal-api check" shows details`);
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
export function removeOldest(folder: string, latest: string, journal: string, keep: number): string[] {
  const others = readdirSync(folder, { withFileTypes: true })
    // A link is no directory here.
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name) && entry.name !== basename(latest))
    .map(({ name }) => join(folder, name))
    .filter((path) => journalOf(path) === journal)
    .sort();
  return others.slice(0, Math.max(0, others.length - (keep - 1))).map((path) => {
    try {
      return remove(path) ? `Removed ${path}.` : `Kept ${path}: it has files that are not part of a backup.`;
    } catch (error) {
      throw new UserError(`the backup is complete, but ${path} can't be removed: ${messageOf(error)}`);
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

/** Files of a backup, and those that SQLite puts beside them if it was served. The marker last: until then it is recognised. */
function partsOf(path: string): string[] {
  const { journal, keys, secret } = filesOf({ home: path });
  const databases = [journal, keys].flatMap((file) => [file, ...['-journal', '-wal', '-shm'].map((end) => file + end)]);
  return [...databases, secret, join(path, MARKER)];
}

/** @returns false if it has other files, and stays whole */
function remove(path: string): boolean {
  const parts = partsOf(path);
  if (readdirSync(path).some((name) => !parts.includes(join(path, name)))) return false;
  for (const part of parts) rmSync(part, { force: true });
  rmdirSync(path);
  return true;
}
