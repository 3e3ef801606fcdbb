/** Opens an address that contains a key in this machine's browser. */

import { spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { canShowBrowser } from '../../config.ts';
import { codeOf } from '../../errors.ts';

/** Commands that open a file as a click would. */
const OPENERS: Partial<
  Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>
> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** An opener that runs longer than this has become the browser itself. */
const OPENING_MS = 2000;

/** Time for a browser to start and read the file. */
const READING_MS = 10_000;

export interface Shown {
  /** Resolves once the browser must have read the file. */
  read: Promise<void>;
  /** Removes the file. */
  remove: () => void;
}

/**
 * Hands the browser a file that redirects to the address, because every user of the
 * machine can see a program's arguments.
 * @param address without characters that are special in HTML
 * @param folder readable by its owner only
 * @returns null if there is no browser
 */
export async function showInBrowser(
  address: string,
  folder: string,
): Promise<Shown | null> {
  if (!canShowBrowser) return null;

  const path = writePageFile(folder, redirectTo(address));
  const remove = () => rmSync(path, { force: true });
  // On any exit except a kill.
  process.once('exit', remove);
  if (!(await hasOpened(path))) {
    remove();
    return null;
  }

  const { promise: read, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, READING_MS);

  return {
    read,
    remove() {
      clearTimeout(timer);
      remove();
    },
  };
}

function redirectTo(address: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Trading journal</title>
<a href="${address}">Go on to the journal</a>
`;
}

/** The process stays alive until the result is known. */
async function hasOpened(path: string): Promise<boolean> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  // Windows' opener may take a path with spaces for several.
  const target = process.platform === 'win32' ? pathToFileURL(path).href : path;
  const opener = spawn(command, [...args, target], { stdio: 'ignore', detached: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  opener.once('error', () => resolve(false));
  opener.once('exit', (code) => resolve(code === 0));

  const timer = setTimeout(() => resolve(true), OPENING_MS);
  const isOpened = await promise;
  clearTimeout(timer);
  opener.unref();

  return isOpened;
}

// The file that hands the browser the address. It is always removed, at the latest by the
// next `open` or `key`.

const NAME = /^open-page-(\d+)\.html$/;

/**
 * No browser takes this long to read it; an older file's process number belongs to
 * another process.
 */
const OLD_MS = 60_000;

/** @returns its path */
function writePageFile(folder: string, html: string): string {
  const path = join(folder, `open-page-${process.pid}.html`);
  rmSync(path, { force: true });
  writeFileSync(path, html, { flag: 'wx', mode: 0o600 });
  return path;
}

/** Removes files that killed processes left behind. */
export function removeLeftPages(folder: string): void {
  for (const name of namesIn(folder)) {
    const pid = NAME.exec(name)?.[1];
    const path = join(folder, name);
    if (pid !== undefined && !isInUse(path, Number(pid))) rmSync(path, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isInUse(path: string, pid: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < OLD_MS && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process.
    return codeOf(error) === 'EPERM';
  }
}
