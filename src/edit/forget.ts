/**
 * Forgets the kept bytes of imported files: trades and records stay, and the list has no
 * line.
 */
import { UserError } from '../errors.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { refuseMissing, userFor, writeJournal } from '../journal-write/open.ts';
import { ImportTable } from '../statements/imports.ts';

export interface ForgetReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** Number of imports whose files are forgotten. */
  imports: number;
  /** Compressed bytes that the journal no longer holds. */
  bytes: number;
}

/**
 * Makes no backup, which would hold the bytes.
 * @param id undefined: of all imports
 * @throws UserError if there is no such import
 */
export function forgetFiles(options: TargetOptions, id?: number): ForgetReport {
  refuseMissing(options.journal);
  const { journal, dryRun = false } = options;
  const user = userFor(journal, options.user).id;

  return writeJournal(journal, (db) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const imports = new ImportTable(db, user);
      if (id !== undefined && !imports.find(id))
        throw new UserError(
          `there is no import ${id}; "journal-api import list" shows all`,
        );
      const forgotten = imports.files.forget(id);
      db.exec(dryRun ? 'ROLLBACK' : 'COMMIT');
      return { dry_run: dryRun, journal, user, ...forgotten };
    } finally {
      if (db.inTransaction) db.exec('ROLLBACK');
    }
  });
}
