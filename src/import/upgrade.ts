/** Older journals brought to this version's schema. */
import { UserError } from '../errors.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '../journal/schema.ts';
import { ReadOnlyFile } from '../read-only-file.ts';
import { openFile } from './writer.ts';

/** What takes a journal from each version to the next: the first entry from 1 to 2. Empty while there is only one version. */
const MIGRATIONS: readonly string[] = [];

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
    throw new UserError(`the journal ${path} is of version ${from}, newer than this program knows (${to})`);
  if (from === to) return { from, to, backup: null };
  const backup = `${path}.version-${from}`;
  const file = new ReadOnlyFile(path, () => undefined);
  try {
    await file.backupTo(backup);
  } finally {
    file.close();
  }
  const db = openFile(path);
  try {
    db.transaction(() => {
      for (const sql of migrations.slice(from - 1)) db.exec(sql);
      db.pragma(`user_version = ${to}`);
    }).immediate();
  } finally {
    db.close();
  }
  return { from, to, backup };
}

function versionOf(path: string): number {
  const db = openFile(path);
  try {
    const version = db.pragma('user_version', { simple: true }) as number;
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) {
      throw new UserError(`${path} is not a journal-api journal`);
    }
    return version;
  } finally {
    db.close();
  }
}

if (MIGRATIONS.length + 1 !== SCHEMA_VERSION)
  throw new Error('schema.sql and the migrations are of different versions');
