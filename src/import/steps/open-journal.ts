/**
 * The journal that a file is imported into: its tables, and errors that name the file or
 * it.
 */
import type Database from 'better-sqlite3';
import { RowError, UserError } from '../../errors.ts';
import { explainWriting } from '../../journal-write/open.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { NotFinite } from '../../money.ts';
import { AccountNames } from '../../statements/account-settings.ts';
import { FillTable } from '../../statements/fills.ts';
import { ImportTable } from '../../statements/imports.ts';
import { StatedRecords } from '../../statements/stated-records.ts';
import type { Job } from '../files/contents.ts';
import { RecordImport } from '../write/record-import.ts';

export interface OpenJournal {
  db: Database.Database;
  records: RecordImport;
  fills: FillTable;
  imports: ImportTable;
  names: AccountNames;
  stated: StatedRecords;
}

export function openedJournal(
  db: Database.Database,
  settings: WriteSettings,
  fills = new FillTable(db, settings.user.id),
): OpenJournal {
  const { id } = settings.user;
  const records = new RecordImport(db, fills, settings);
  const imports = new ImportTable(db, id);
  const stated = new StatedRecords(db, settings, imports.statements);
  return { db, records, fills, imports, names: new AccountNames(db, id), stated };
}

/** Runs a step; its errors name the file or the journal. */
export function explaining<T>(
  { file }: Pick<Job, 'file'>,
  journal: string,
  act: () => T,
): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotFinite) {
      throw new UserError(
        `${file}: quantities or prices are too large or too small to compute with; correct them`,
      );
    }
    throw error instanceof RowError
      ? error.at(file, undefined)
      : explainWriting(journal, error);
  }
}
