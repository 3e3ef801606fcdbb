/**
 * Rewrites a journal once, for what earlier versions deleted is still in the file's free
 * space.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { isRewriteDue, REWRITE_DUE, spaceToRewrite } from '../journal/rewrite-due.ts';
import { Reader } from '../sqlite/reader.ts';
import { explainWriting } from './open.ts';

/** The version from which on what is deleted is overwritten. */
const OVERWRITTEN_SINCE = 10;

/** How long it waits for other programs: the next upgrade can do it, too. */
const PATIENCE_MS = 2000;

/** Call it in the transaction of an upgrade. */
export function markForRewrite(db: Database.Database, from: number): void {
  if (from < OVERWRITTEN_SINCE) db.exec(`CREATE TABLE ${REWRITE_DUE} (mark INTEGER)`);
}

/**
 * The disk space that an upgrade needs, as text: a backup, the file again, and its former
 * pages.
 */
export function spaceToUpgrade(path: string): string {
  return inMegabytes(3 * statSync(path).size);
}

/**
 * Call it after the upgrade: it may fail without harm.
 * @returns why the old texts are still there; undefined if they aren't
 */
export function rewriteIfDue(db: Database.Database, path: string): string | undefined {
  const reader = new Reader(db);
  if (!isRewriteDue(reader)) return undefined;

  const needed = spaceToRewrite(reader);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed)
    return left(path, `that needs ${inMegabytes(needed)} of free disk space`);

  try {
    db.pragma(`busy_timeout = ${PATIENCE_MS}`);
    db.exec('VACUUM');
    db.exec(`DROP TABLE ${REWRITE_DUE}`);
    return undefined;
  } catch (error) {
    return left(path, messageOf(explainWriting(path, error)));
  }
}

function left(path: string, reason: string): string {
  return `Texts that were deleted before are still in the free space of ${path}, since it could not be rewritten: ${reason}. "journal-api upgrade" tries it again.`;
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
