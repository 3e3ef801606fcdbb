/**
 * Automatic backups of a journal, made before a command writes to it, and the pictures
 * that go with the last line, record or backup that states them.
 */

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { messageOf, UserError } from '../errors.ts';
import { shownPictures, statedPictures } from '../journal/pictures.ts';
import { KeptPictures } from '../pictures/keeping.ts';
import { createFile } from '../sqlite/create-file.ts';
import { Reader } from '../sqlite/reader.ts';
import { DAY, fromInstantText } from '../time.ts';
import { beginWriting, openFile } from './open.ts';

/**
 * Number of latest backups kept. For each of some ages, the newest older one and the
 * oldest younger one are kept too.
 */
const KEPT = 3;
const HOUR = DAY / 24;
const AGES = [HOUR, DAY, 7 * DAY];

const TIME = /^journal-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)/;
const NAME = /^journal-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.db$/;

/**
 * Backs up the last committed state of a journal, and removes old backups. The caller is
 * within a write transaction: no other program can commit, and the backup contains none
 * of its changes.
 * @param now UTC text
 * @returns the path of the backup
 * @throws UserError if it can't be created
 */
export function backUpBeforeImport(journal: string, folder: string, now: string): string {
  const stem = `journal-${now.slice(0, 19).replaceAll(':', '-')}`;
  const latest = copiesIn(folder)
    .filter((name) => name.startsWith(stem))
    .at(-1);
  const number =
    latest === undefined ? 1 : Number(NAME.exec(latest)?.[1]?.slice(1) ?? 1) + 1;
  const path = join(folder, `${stem}${number === 1 ? '' : `-${number}`}.db`);

  try {
    createFile(path, (draft) => copy(journal, draft));
  } catch (error) {
    throw new UserError(
      `can't create the backup ${path}, so nothing was changed: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }

  const copies = copiesIn(folder);
  const ofAge = AGES.flatMap((age) => {
    const isOld = (name: string) => isOlder(name, age, now);
    return [copies.findLast(isOld), copies.find((name) => !isOld(name))];
  });
  const kept = [...copies.slice(-KEPT), ...ofAge];
  for (const name of copies)
    if (!kept.includes(name)) rmSync(join(folder, name), { force: true });
  removeOfBackups(folder, pathsOfBackups(folder), openFile);

  return path;
}

/**
 * Whether there is a backup from the last hour: an import that changes no fills needs no
 * other.
 */
export function hasRecentBackup(folder: string, now: string): boolean {
  const latest = copiesIn(folder).at(-1);
  return latest !== undefined && !isOlder(latest, HOUR, now);
}

/** Judged by the time in the name. */
function isOlder(name: string, age: number, now: string): boolean {
  const [, day, hour, minute, second] = TIME.exec(name) as unknown as [
    string,
    string,
    string,
    string,
    string,
  ];
  return fromInstantText(now) - Date.parse(`${day}T${hour}:${minute}:${second}Z`) > age;
}

function pathsOfBackups(folder: string): string[] {
  return copiesIn(folder).map((name) => join(folder, name));
}

/**
 * Removes pictures that nothing states any more, after a commit. What can't be removed
 * now is named by `check`, and removed after a later commit.
 * @param folder of the automatic backups
 */
export function sweepPictures(
  journal: string,
  db: Database.Database,
  folder: string,
): void {
  try {
    if (!hasUnstated(journal, db)) return;

    beginWriting(db);
    const backups = pathsOfBackups(folder);
    removeUnstated(journal, db, { backups, folder, open: openFile });
  } catch {
    // The change itself is stored.
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

function copiesIn(folder: string): string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  return isFolder
    ? readdirSync(folder)
        .filter((name) => NAME.test(name))
        .sort(byAge)
    : [];
}

/**
 * Copies with SQLite, never as a file: closing a file drops all of this process's locks
 * on it, and another program could write during the import's transaction.
 */
function copy(journal: string, draft: string): void {
  const db = openFile(journal);
  try {
    db.prepare('VACUUM INTO ?').run(draft);
  } finally {
    db.close();
  }
}

/** Sorts by time, then by number: backups of the same second are numbered. */
function byAge(a: string, b: string): number {
  const [timeA, timeB] = [a, b].map((name) =>
    name.slice(0, 'journal-2026-11-20T15-00-00'.length),
  ) as [string, string];
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return a.length - b.length || (a < b ? -1 : 1);
}

// Pictures of a journal that no line or record has any more: they go with the last one,
// and those that an automatic backup states stay in its folder as long as the backup does.

/** Opens a backup for reading. */
type Open = (path: string) => Database.Database;

/** Names of the pictures that lines of a journal state, or its records show. */
function picturesIn(db: Database.Database): Set<string> {
  const reader = new Reader(db);
  const hasTable = reader.get(
    "SELECT 1 FROM sqlite_schema WHERE name = 'import_pictures'",
  );
  // A journal of an older version.
  if (!hasTable) return new Set();
  return new Set([...statedPictures(reader).keys(), ...shownPictures(reader)]);
}

/**
 * Removes the pictures that a journal no longer states. Call it within a write
 * transaction: no other program can be between writing a picture and its line.
 * @param backups paths of the kept automatic backups
 * @param folder of these
 */
function removeUnstated(
  journal: string,
  db: Database.Database,
  { backups, folder, open }: { backups: readonly string[]; folder: string; open: Open },
): void {
  const pictures = KeptPictures.of(journal);
  for (const draft of pictures.drafts()) pictures.remove(draft);
  const unstated = unstatedIn(pictures, db);
  if (unstated.length === 0) return;

  const ofBackups = statedByAny(backups, open);
  const kept = backupPictures(folder);
  const before = new Set(kept.names());
  for (const name of unstated) {
    if (!ofBackups.has(name) || before.has(name)) pictures.remove(name);
    else moveTo(kept, pictures, name);
  }
  pictures.removeIfEmpty();
}

/** Whether there is anything to remove. */
function hasUnstated(journal: string, db: Database.Database): boolean {
  const pictures = KeptPictures.of(journal);
  return pictures.drafts().length + unstatedIn(pictures, db).length > 0;
}

function unstatedIn(pictures: KeptPictures, db: Database.Database): string[] {
  const names = pictures.names();
  if (names.length === 0) return [];

  const stated = picturesIn(db);
  return names.filter((name) => !stated.has(name));
}

function moveTo(kept: KeptPictures, from: KeptPictures, name: string): void {
  mkdirSync(kept.path, { recursive: true, mode: 0o700 });
  renameSync(join(from.path, name), join(kept.path, name));
}

/** Pictures that only automatic backups state. @param folder of the backups */
function backupPictures(folder: string): KeptPictures {
  return new KeptPictures(join(folder, 'attachments'));
}

/**
 * Removes the pictures of automatic backups that are gone.
 * @param backups paths of the others
 */
function removeOfBackups(folder: string, backups: readonly string[], open: Open): void {
  const pictures = backupPictures(folder);
  const names = pictures.names();
  if (names.length === 0) return;

  const stated = statedByAny(backups, open);
  for (const name of names) if (!stated.has(name)) pictures.remove(name);
}

function statedByAny(backups: readonly string[], open: Open): Set<string> {
  return new Set(
    backups.flatMap((path) => {
      const db = open(path);
      try {
        return [...picturesIn(db)];
      } finally {
        db.close();
      }
    }),
  );
}
