/** Creates folders completely or not at all: filled as a draft next to the path, synced, then renamed. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { fileExists, sync, syncFolder } from './create-file.ts';

/**
 * Creates a folder that only its owner may read, from a draft next to it. Replaces an empty one.
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
    throw new UserError(`the ${what} failed, and ${path} was not made: ${messageOf(error)}`, { cause: error });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function draftOf(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return mkdtempSync(`${path}.new-`);
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
    const { code } = error as NodeJS.ErrnoException;
    // draftOf reports a path that leads through a file.
    if (code === 'ENOENT' || !fileExists(path)) return;
    const article = /^[aeiou]/.test(what) ? 'an' : 'a';
    if (code === 'ENOTDIR') throw new UserError(`${path} is a file; ${article} ${what} goes into a new folder`);
    throw new UserError(`the folder ${path} can't be used: ${messageOf(error)}`);
  }
  if (inside.length > 0) {
    const article = /^[aeiou]/.test(what) ? 'an' : 'a';
    throw new UserError(`the folder ${path} is not empty; ${article} ${what} goes into a new one`);
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
