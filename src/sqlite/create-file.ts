/**
 * Creates files completely or not at all: written as a draft next to the path, synced,
 * then renamed.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, messageOf, UserError } from '../errors.ts';

/**
 * Whether a file exists and isn't empty. An empty one is the rest of an interrupted
 * creation.
 */
export function fileExists(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.size > 0 || !stats.isFile());
}

/**
 * Creates a file that only its owner may read, and its folders. A killed process or a
 * full disk leaves the path unchanged.
 *
 * @param make writes the content to the given path
 * @param replaces whether an existing file is replaced
 * @throws the system's error; its code is EEXIST if a non-empty file exists, which stays
 * untouched
 */
export function createFile(
  path: string,
  make: (draft: string) => void,
  { replaces = false } = {},
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeLeftDrafts(path);
  const draft = draftNameOf(path);

  try {
    closeSync(openSync(draft, 'wx', 0o600));
    make(draft);
    sync(draft);
    if (replaces) renameSync(draft, path);
    else {
      removeIfEmpty(path);
      giveName(draft, path);
    }
    syncFolder(dirname(path));
  } finally {
    for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true });
  }
}

const draftNameOf = (path: string) => `${path}.${randomUUID().slice(0, 8)}.new`;

const DRAFT = /^(.*)\.[0-9a-f]{8}\.new(-journal)?$/;

/** A process that is making a draft has written to it within the hour, on any machine. */
const ABANDONED_MS = 3_600_000;

/**
 * Drafts left by killed processes: of this file or folder, or of one whose name differs
 * in a number or time.
 */
function removeLeftDrafts(path: string): void {
  const withoutNumbers = (name: string | undefined) => name?.replaceAll(/\d+/g, '0');
  const pattern = withoutNumbers(basename(path));
  try {
    for (const name of readdirSync(dirname(path))) {
      if (withoutNumbers(DRAFT.exec(name)?.[1]) !== pattern) continue;
      const left = join(dirname(path), name);
      if (Date.now() - statSync(left).mtimeMs < ABANDONED_MS) continue;
      rmSync(left, { recursive: true, force: true });
    }
  } catch {
    // Another process was first, or the folder can't be listed: the rest only takes
    // space.
  }
}

/**
 * A link, unlike a rename, never replaces what another process has put there meanwhile.
 */
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

  // Moved aside before it is removed: by now it may be the complete file of another
  // process, which is moved back.
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

/** Waits until a file's contents are on the disk. */
function sync(path: string): void {
  // Windows syncs only writable files.
  syncAndClose(openSync(path, 'r+'));
}

/**
 * The same for the names in a folder, if possible: Windows can't open folders and some
 * file systems can't sync them. The file has its name by now, so failing would be wrong.
 */
function syncFolder(path: string): void {
  try {
    syncAndClose(openSync(path, 'r'));
  } catch {
    // SQLite ignores this, too.
  }
}

function syncAndClose(file: number): void {
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

// Creates folders completely or not at all: filled as a draft next to the path, synced,
// then renamed.

/**
 * Creates a folder that only its owner may read, from a draft next to it. Replaces an
 * empty one.
 *
 * @param what is made, for messages: "backup"
 * @param fill writes the content into the given folder; may be slow
 * @throws UserError if the folder isn't empty or can't be created; nothing is left behind
 */
export async function createFolder(
  path: string,
  what: string,
  fill: (draft: string) => void | Promise<void>,
): Promise<void> {
  refuseUnlessFree(path, what);
  const draft = draftOf(path);
  try {
    await fill(draft);
    syncAll(draft);
    renameSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw new UserError(
      `the ${what} failed, and ${path} was not made: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function draftOf(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    removeLeftDrafts(path);
    const draft = draftNameOf(path);
    mkdirSync(draft, { mode: 0o700 });
    return draft;
  } catch (error) {
    const { code, path: at } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? `${at} is a file` : messageOf(error);
    throw new UserError(`the folder ${path} can't be created: ${reason}`);
  }
}

function refuseUnlessFree(path: string, what: string): void {
  let inside: string[];
  try {
    inside = readdirSync(path);
    if (inside.length === 0) rmdirSync(path);
  } catch (error) {
    const code = codeOf(error);
    // draftOf reports a path that leads through a file.
    if (code === 'ENOENT' || !fileExists(path)) return;
    const article = /^[aeiou]/.test(what) ? 'an' : 'a';
    if (code === 'ENOTDIR')
      throw new UserError(`${path} is a file; ${article} ${what} goes into a new folder`);
    throw new UserError(`the folder ${path} can't be used: ${messageOf(error)}`);
  }

  if (inside.length > 0) {
    const article = /^[aeiou]/.test(what) ? 'an' : 'a';
    throw new UserError(
      `the folder ${path} is not empty; ${article} ${what} goes into a new one`,
    );
  }
}

function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncAll(path);
    else sync(path);
  }
  syncFolder(folder);
}
