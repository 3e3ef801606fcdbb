/** The copies that are made of a journal before an import writes to it. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { openFile } from './open.ts';

/** How many are kept. */
const KEPT = 3;

const NAME = /^journal-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.db$/;

/**
 * Copies a journal as it was last committed, and removes the oldest copies. The caller is in the middle of a transaction that
 * writes: so no one else commits, and nothing of its own is in the copy.
 * @param now UTC text
 * @returns the path of the copy
 * @throws UserError where it can't be made
 */
export function backUpBeforeImport(journal: string, folder: string, now: string): string {
  const stem = `journal-${now.slice(0, 19).replaceAll(':', '-')}`;
  const latest = copiesIn(folder)
    .filter((name) => name.startsWith(stem))
    .at(-1);
  const number = latest === undefined ? 1 : Number(NAME.exec(latest)?.[1]?.slice(1) ?? 1) + 1;
  const path = join(folder, `${stem}${number === 1 ? '' : `-${number}`}.db`);
  try {
    createFile(path, (draft) => copy(journal, draft));
  } catch (error) {
    throw new UserError(`the backup ${path} can't be made, so nothing was changed: ${messageOf(error)}`, {
      cause: error,
    });
  }
  for (const name of copiesIn(folder).slice(0, -KEPT)) rmSync(join(folder, name), { force: true });
  return path;
}

/** The oldest first. */
function copiesIn(folder: string): string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  return isFolder
    ? readdirSync(folder)
        .filter((name) => NAME.test(name))
        .sort(byAge)
    : [];
}

/**
 * By SQLite, never as a file: to close a file drops all locks that this process has on it, and another program would write in the
 * middle of the import's transaction.
 */
function copy(journal: string, draft: string): void {
  const db = openFile(journal);
  try {
    db.prepare('VACUUM INTO ?').run(draft);
  } finally {
    db.close();
  }
}

/** The second copy of a second, and the tenth, are later than the first. */
function byAge(a: string, b: string): number {
  const [timeA, timeB] = [a, b].map((name) => name.slice(0, 'journal-2026-11-20T15-00-00'.length)) as [string, string];
  return timeA < timeB ? -1 : timeA > timeB ? 1 : a.length - b.length || (a < b ? -1 : 1);
}
