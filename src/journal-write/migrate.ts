/** Older journals brought to this version's schema. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { messageOf, UserError } from '../errors.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '../journal/schema.ts';
import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { explainWriting, openFile } from './open.ts';

/** What takes a journal from each version to the next: the first entry from 1 to 2. */
const MIGRATIONS: readonly string[] = [
  // The views of version 1 go on computing the same by themselves.
  `ALTER TABLE trades ADD COLUMN net_pnl REAL AS (round(gross_pnl - fees, 8));
   ALTER TABLE trades ADD COLUMN r_multiple REAL AS (CASE WHEN status = 'closed' THEN net_pnl / initial_risk END);
   ALTER TABLE trades ADD COLUMN holding_seconds REAL AS (round((julianday(closed_at) - julianday(executed_at)) * 86400, 3));`,
];

export interface Upgrade {
  from: number;
  to: number;
  /** The copy of the journal as it was; null where there was nothing to do. */
  backup: string | null;
}

/**
 * @param migrations what to run, if not the program's own
 * @throws UserError where the file is no journal, or newer than this program
 */
export async function upgradeJournal(path: string, migrations: readonly string[] = MIGRATIONS): Promise<Upgrade> {
  const to = migrations.length + 1;
  const from = versionOf(path);
  if (from > to)
    throw new UserError(
      `the journal ${path} is of version ${from}, newer than this program knows (${to}); use a newer journal-api`,
    );
  if (from === to) return { from, to, backup: null };
  const backup = await backUp(path, `${path}.version-${from}`);
  const db = openFile(path);
  try {
    db.transaction(() => {
      for (const sql of migrations.slice(from - 1)) db.exec(sql);
      db.pragma(`user_version = ${to}`);
    }).immediate();
  } catch (error) {
    throw explainWriting(path, error);
  } finally {
    db.close();
  }
  return { from, to, backup };
}

/** @returns the name of the copy: the one wanted, or the next that is free */
async function backUp(path: string, wanted: string): Promise<string> {
  const backup = makeFile(wanted);
  const file = new ReadOnlyFile(path, () => undefined);
  try {
    await file.backupTo(backup);
    return backup;
  } catch (error) {
    rmSync(backup, { force: true });
    throw new UserError(`the backup ${backup} can't be made, so nothing was changed: ${messageOf(error)}`);
  } finally {
    file.close();
  }
}

/** An empty file that only its owner may read, made before anything is in it. What is there already stays. */
function makeFile(wanted: string): string {
  for (let n = 1; ; n++) {
    const path = n === 1 ? wanted : `${wanted}-${n}`;
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new UserError(`the backup ${path} can't be made, so nothing was changed: ${messageOf(error)}`);
    }
  }
}

function versionOf(path: string): number {
  const db = openFile(path);
  try {
    const version = db.pragma('user_version', { simple: true }) as number;
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) {
      throw new UserError(`${path} is not a journal-api journal; name the right file with --db`);
    }
    return version;
  } finally {
    db.close();
  }
}

if (MIGRATIONS.length + 1 !== SCHEMA_VERSION)
  throw new Error('schema.sql and the migrations are of different versions');
