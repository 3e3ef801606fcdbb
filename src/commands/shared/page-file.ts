/** The file that hands the browser an address with a key. It is always removed, at the latest by the next `open` or `key`. */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^open-page-(\d+)\.html$/;

/** No browser takes this long to read it; an older file's process number belongs to another process. */
const OLD_MS = 60_000;

/**
 * @param folder readable by its owner only
 * @returns its path
 */
export function writePageFile(folder: string, html: string): string {
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
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
