/** The copies that are made of a journal before an import writes to it. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { DAY, fromInstantText } from '../time.ts';
import { openFile } from './open.ts';

/** How many of the latest are kept; next to them, for each of some ages, the newest that is older and the one that will be. */
const KEPT = 3;
const HOUR = DAY / 24;
const AGES = [HOUR, DAY, 7 * DAY];

const TIME = /^journal-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)/;
const NAME = /^journal-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.db$/;

/**
 * Copies a journal as it was last committed, and removes older copies. The caller is in the middle of a transaction that
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
  const copies = copiesIn(folder);
  const ofAge = AGES.flatMap((age) => {
    const isOld = (name: string) => isOlder(name, age, now);
    return [copies.findLast(isOld), copies.find((name) => !isOld(name))];
  });
  const kept = [...copies.slice(-KEPT), ...ofAge];
  for (const name of copies) if (!kept.includes(name)) rmSync(join(folder, name), { force: true });
  return path;
}

/** Whether there is a copy of the last hour: an import that changes no fill makes no other. */
export function hasRecentBackup(folder: string, now: string): boolean {
  const latest = copiesIn(folder).at(-1);
  return latest !== undefined && !isOlder(latest, HOUR, now);
}

/** By the time in its name. */
function isOlder(name: string, age: number, now: string): boolean {
  const [, day, hour, minute, second] = TIME.exec(name) as unknown as [string, string, string, string, string];
  return fromInstantText(now) - Date.parse(`${day}T${hour}:${minute}:${second}Z`) > age;
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
