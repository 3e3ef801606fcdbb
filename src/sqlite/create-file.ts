/** Files that come into being whole or not at all: made beside their place, synced, and only then given their name. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Whether there is a file that holds anything. An empty one is what is left where the making of a file was cut short. */
export function fileExists(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.size > 0 || !stats.isFile());
}

/**
 * Makes a file that only its owner may read, and the folders it needs. A process that is killed halfway, or a full disk, leaves
 * the path as it was.
 *
 * @param make writes the content to the path that it is given
 * @throws the system's error; its code is EEXIST where a file that isn't empty is there already, which stays untouched
 */
export function createFile(path: string, make: (draft: string) => void): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeLeftDrafts(path);
  const draft = `${path}.${randomUUID().slice(0, 8)}.new`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    make(draft);
    sync(draft);
    removeIfEmpty(path);
    giveName(draft, path);
    syncFolder(dirname(path));
  } finally {
    for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true });
  }
}

const DRAFT = /^(.*)\.[0-9a-f]{8}\.new(-journal)?$/;

/** Who still makes a draft has written to it within the hour, on whatever machine. */
const ABANDONED_MS = 3_600_000;

/** Drafts that killed processes left: of this file, or of one whose name has another number or time in it. */
function removeLeftDrafts(path: string): void {
  const withoutNumbers = (name: string | undefined) => name?.replaceAll(/\d+/g, '0');
  const own = withoutNumbers(basename(path));
  try {
    for (const name of readdirSync(dirname(path))) {
      if (withoutNumbers(DRAFT.exec(name)?.[1]) !== own) continue;
      const left = join(dirname(path), name);
      if (Date.now() - statSync(left).mtimeMs > ABANDONED_MS) rmSync(left, { force: true });
    }
  } catch {
    // Another process was first, or the folder can't be listed: what is left only takes room.
  }
}

/** A link, unlike a rename, never replaces what another process has put there meanwhile. */
function giveName(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    // Some file systems have no links.
    if (codeOf(error) === 'EEXIST' || fileExists(path)) throw error;
    renameSync(draft, path);
  }
}

function removeIfEmpty(path: string): void {
  if (fileExists(path) || !statSync(path, { throwIfNoEntry: false })) return;
  // Moved aside before it is removed: by now it may be the whole file of another process, which goes back.
  const aside = `${path}.${randomUUID().slice(0, 8)}.old`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (fileExists(aside)) linkSync(aside, path);
  rmSync(aside);
}

/** Until what was written to a file lies on the disk. */
export function sync(path: string): void {
  // Windows syncs only what may be written.
  syncAndClose(openSync(path, 'r+'));
}

/**
 * The same for the names in a folder, as far as that can be had: Windows opens no folders, some file systems sync none, and a name
 * that is given stays, so that to fail now would say what isn't so.
 */
export function syncFolder(path: string): void {
  try {
    syncAndClose(openSync(path, 'r'));
  } catch {
    // SQLite takes no notice either.
  }
}

function syncAndClose(file: number): void {
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
