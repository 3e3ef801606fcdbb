/** A command that changes more than records: one transaction with a line in the list of imports. */
import type Database from 'better-sqlite3';
import { ImportTable, type NewImport } from '../../import-tables/imports.ts';
import type { User } from '../../journal/journal.ts';
import { toInstantText } from '../../time.ts';
import { inTransaction, type TargetOptions } from '../write/target-journal.ts';

export interface Line {
  db: Database.Database;
  user: User;
  /** UTC text. */
  now: string;
  imports: ImportTable;
  importId: number;
}

/** Every report of such a command. */
export interface LineReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** The line's id for `import undo`; null if nothing changed. */
  import: number | null;
}

interface Outcome<T> {
  report: T;
  /** Number of changed things; 0: nothing changed, and no line is left. */
  changed: number;
  fills?: number;
  trades?: number;
  changesFills?: boolean;
}

/** @param line as "import list" shows it */
export function withLine<T>(
  options: TargetOptions,
  {
    format,
    line,
    account = null,
    of = null,
  }: { format: string; line: string } & Partial<Pick<NewImport, 'account' | 'of'>>,
  act: (own: Line) => Outcome<T>,
): LineReport & T {
  return inTransaction(options, (target) => {
    const { user } = target;
    const db = target.open();
    const now = toInstantText(options.now);
    const imports = new ImportTable(db, user.id);
    const importId = imports.add({ imported_at: now, file: line, format, resource: format, account, of });
    const { report, changed, fills = 0, trades = 0, changesFills = false } = act({ db, user, now, imports, importId });
    imports.complete(importId, { sha256: null, rows: changed, fills, records: 0, trades, skipped: {} });
    const isKept = changed > 0 && !options.dryRun;
    const own = { dry_run: options.dryRun === true, journal: options.journal, user: user.id };
    return {
      result: { ...own, import: isKept ? importId : null, ...report },
      commit: isKept ? { changesFills } : null,
    };
  });
}
