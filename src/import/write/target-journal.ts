/**
 * The journal that a command writes to, and the owner of its records. Only an import
 * creates a missing one (new-journal.ts).
 */
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import {
  backUpBeforeImport,
  hasRecentBackup,
  sweepPictures,
} from '../../journal-write/backups.ts';
import {
  beginWriting,
  boundMemory,
  explainWriting,
  openForWriting,
  readJournal,
  refuseMissing,
  userFor,
  withLock,
} from '../../journal-write/open.ts';
import { Reader } from '../../sqlite/reader.ts';
import { toInstantText } from '../../time.ts';
import { settleTotals } from '../report/compared-totals.ts';

export interface TargetOptions {
  journal: string;
  /** The key store: keys may show what a command adds. */
  keys?: string | undefined;
  user?: string | undefined;
  dryRun?: boolean | undefined;
  /** Epoch milliseconds. */
  now: number;
  /**
   * Folder of backups made before writing; default: backups/ next to the journal; false:
   * none.
   */
  backups?: string | false | undefined;
  /** Maximum wait for another program that uses the journal, in milliseconds. */
  patience?: number;
  note?: (line: string) => void;
  /**
   * Called with the result of a command before its commit, while no other program can
   * write.
   * @throws UserError unless the user agreed to it: nothing is written then
   */
  approve?: ((result: unknown) => void) | undefined;
}

/** The creation of a missing journal. */
export interface Creation {
  /** The owner of its records. */
  readonly user: User;
  /** In memory for a dry run. */
  create(): Database.Database;
  /** As TargetJournal.filled. */
  filled(isFirst: boolean, isAssumed: boolean): void;
  /**
   * Closes the journal; removes it if neither this import nor another program wrote to
   * it.
   */
  close(db: Database.Database): void;
}

export class TargetJournal {
  readonly user: User;
  readonly #options: TargetOptions;
  readonly #creation: Creation | undefined;
  #db: Database.Database | undefined;
  #isBackedUp = false;
  #changesBefore: unknown;

  /** @param creation if there is no such journal */
  constructor(options: TargetOptions, creation?: Creation) {
    this.#options = options;
    this.#creation = creation;
    this.user = creation?.user ?? userFor(options.journal, options.user);
  }

  /** The open journal. Creates a missing one. */
  open(): Database.Database {
    const { journal, patience } = this.#options;
    this.#db ??= this.#creation?.create() ?? openForWriting(journal, patience);
    return this.#db;
  }

  /** Reads the journal as it is now, without creating it: undefined if it is missing. */
  read<T>(read: (reader: Reader) => T): T | undefined {
    if (this.#db) return read(new Reader(this.#db));
    return this.#creation ? undefined : readJournal(this.#options.journal, read);
  }

  /**
   * A dry run is one transaction, so that later files find the records of earlier ones.
   */
  begin(): void {
    const db = this.open();
    if (!db.inTransaction) beginWriting(db);
    else db.exec('RELEASE file');
    if (this.#options.dryRun) db.exec('SAVEPOINT file');
    this.#changesBefore = changesIn(this.open());
  }

  /**
   * Commits, after a backup before the import's first write; if no fill changes, at most
   * one an hour.
   */
  commit({ changesFills }: { changesFills: boolean }): void {
    const db = this.open();
    if (changesFills) settleTotals(db, this.user.id);
    if (
      changesIn(db) !== this.#changesBefore &&
      (changesFills || !this.#isBackedUpLately())
    )
      this.#backUp();
    withLock(db, () => db.exec('COMMIT'));
    sweepPictures(this.#options.journal, db, this.#backups);
  }

  /**
   * Bounds the memory of a large transaction. The backup is made now, since later it
   * couldn't be.
   */
  boundMemory(): void {
    if (!this.#options.dryRun) this.#backUp();
    boundMemory(this.open());
  }

  #backUp(): void {
    const { journal, now, backups } = this.#options;
    if (this.#creation || this.#isBackedUp || backups === false) return;
    backUpBeforeImport(journal, this.#backups, toInstantText(now));
    this.#isBackedUp = true;
  }

  #isBackedUpLately(): boolean {
    return hasRecentBackup(this.#backups, toInstantText(this.#options.now));
  }

  get #backups(): string {
    const { journal, backups } = this.#options;
    return backups || join(dirname(journal), 'backups');
  }

  /**
   * Called after each imported file: the first makes a new journal permanent.
   * @param isAssumed whether times of the file were read in the user's zone, which a
   * notice names
   */
  filled(isFirst: boolean, isAssumed: boolean): void {
    this.#creation?.filled(isFirst, isAssumed);
  }

  /** Takes back a file that failed. */
  rollBackFile(): void {
    if (this.#options.dryRun && this.#db?.inTransaction)
      this.#db.exec('ROLLBACK TO file');
    else this.rollBack();
  }

  rollBack(): void {
    try {
      if (this.#db?.inTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // On a full disk, for example: the first error is reported, and the next handle
      // rolls back from SQLite's log.
    }
  }

  close(): void {
    if (!this.#db) return;
    if (this.#creation) this.#creation.close(this.#db);
    else this.#db.close();
  }
}

/** SQLite's count of rows written by this handle. */
function changesIn(db: Database.Database): unknown {
  return db.prepare('SELECT total_changes()').pluck().get();
}

// One transaction on an existing journal.

/**
 * @param act returns its result; with `commit` null, or in a dry run, nothing is written
 * @throws UserError if there is no journal, or it can't be written
 */
export function inTransaction<T>(
  options: TargetOptions,
  act: (target: TargetJournal) => { result: T; commit: { changesFills: boolean } | null },
): T {
  refuseMissing(options.journal);
  const target = new TargetJournal(options);
  try {
    target.begin();
    const { result, commit } = act(target);
    if (commit && !options.dryRun) {
      options.approve?.(result);
      target.commit(commit);
    }
    return result;
  } catch (error) {
    throw explainWriting(options.journal, error);
  } finally {
    target.rollBack();
    target.close();
  }
}
