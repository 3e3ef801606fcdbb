/**
 * Pictures of a journal that no line or record has any more: they go with the last one,
 * and those that an automatic backup states stay in its folder as long as the backup
 * does.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { shownPictures, statedPictures } from '../../journal/pictures.ts';
import { KeptPictures } from '../../pictures/keeping.ts';
import { Reader } from '../../sqlite/reader.ts';

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
export function removeUnstated(
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
export function hasUnstated(journal: string, db: Database.Database): boolean {
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
export function removeOfBackups(
  folder: string,
  backups: readonly string[],
  open: Open,
): void {
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
