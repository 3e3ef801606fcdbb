/** An address with a key in it, shown in the browser of this machine. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { canShowBrowser } from '../config.ts';
import { writePageFile } from './page-file.ts';

/** What opens a file as if it had been clicked. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** An opener that still runs by then has become the browser itself. */
const OPENING_MS = 2000;

/** How long a browser that has to be started first may take to read the file. */
const READING_MS = 10_000;

export interface Shown {
  /** Once the browser has surely read the file. */
  read: Promise<void>;
  /** Removes the file. */
  remove: () => void;
}

/**
 * The browser is handed a file that sends it on to the address, since what a program is started with can be seen by everybody on
 * the machine.
 * @param address characters that mean nothing in HTML
 * @param folder where only its owner can read
 * @returns null where there is no browser
 */
export async function showInBrowser(address: string, folder: string): Promise<Shown | null> {
  if (!canShowBrowser) return null;
  const path = writePageFile(folder, redirectTo(address));
  const remove = () => rmSync(path, { force: true });
  // However it ends, unless it is killed.
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

/** Until it is known, this process goes on. */
async function hasOpened(path: string): Promise<boolean> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, path], { stdio: 'ignore', detached: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  opener.once('error', () => resolve(false));
  opener.once('exit', (code) => resolve(code === 0));
  const timer = setTimeout(() => resolve(true), OPENING_MS);
  const isOpened = await promise;
  clearTimeout(timer);
  opener.unref();
  return isOpened;
}
