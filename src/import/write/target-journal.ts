/**
 * The journal that an import writes to, and the owner of its records. A missing journal is created.
 */

import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import {
  backUpBeforeImport,
  beginWriting,
  boundMemory,
  createJournal,
  createJournalInMemory,
  explainWriting,
  hasRecentBackup,
  missingFolders,
  openForWriting,
  removeJournal,
  sweepPictures,
  withLock,
} from '../../journal-write/open.ts';
import { readJournal, userFor } from '../../journal-write/read.ts';
import {
  addUser,
  DEFAULT_ZONE,
  newUser,
  refuseLiveKeys,
} from '../../journal-write/users.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { Reader } from '../../sqlite/reader.ts';
import { importsOf, type ListedImport } from '../../statements/import-list.ts';
import { toInstantText } from '../../time.ts';
import { settleTotals } from '../report/stated-totals.ts';

export interface TargetOptions {
  journal: string;
  /** The key store: keys of an earlier user must not read the records of a new one. */
  keys?: string | undefined;
  user?: string | undefined;
  /** Settings of a user that is created here. */
  settings?: User | undefined;
  /** The new user's time zone, if the settings lack it. */
  zone?: string | undefined;
  dryRun?: boolean | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** Folder of backups made before writing; default: backups/ next to the journal. */
  backups?: string | undefined;
  /** Maximum wait for another program that uses the journal, in milliseconds. */
  patience?: number;
  note?: (line: string) => void;
  /**
   * Called with the result of a command before its commit, while no other program can write.
   * @throws UserError unless the user agreed to it: nothing is written then
   */
  approve?: ((result: unknown) => void) | undefined;
}

export class TargetJournal {
  readonly user: User;
  readonly #options: TargetOptions;
  readonly #isNew: boolean;
  #db: Database.Database | undefined;
  #isBackedUp = false;
  #changesBefore: unknown;
  /**
   * A created journal without records: its new folders, and SQLite's count of changes by others.
   */
  #unfilled: { folders: string[]; version: unknown } | undefined;

  constructor(options: TargetOptions) {
    const { journal, keys, user, settings, zone, now } = options;
    const { id, ...stated }: Partial<User> = settings ?? {};
    this.#options = options;
    this.#isNew = !fileExists(journal);
    this.user = this.#isNew
      ? newUser(user ?? id ?? 'me', {
          ...(zone !== undefined && { timezone: zone }),
          ...stated,
        })
      : userFor(journal, user);
    if (this.#isNew && keys !== undefined) refuseLiveKeys(keys, this.user.id, now);
  }

  /** The open journal. Creates a missing one, in memory for a dry run. */
  open(): Database.Database {
    if (this.#db) return this.#db;

    const { journal, dryRun, now, patience } = this.#options;
    if (!this.#isNew) {
      this.#db = openForWriting(journal, patience);
    } else if (dryRun) {
      this.#db = createJournalInMemory();
      addUser(this.#db, this.user, now);
    } else {
      const folders = missingFolders(journal);
      this.#db = createJournal(journal, (db) => addUser(db, this.user, now));
      this.#unfilled = { folders, version: versionOf(this.#db) };
    }

    return this.#db;
  }

  /** Reads the journal as it is now, without creating it: undefined if it is missing. */
  read<T>(read: (reader: Reader) => T): T | undefined {
    if (this.#db) return read(new Reader(this.#db));
    return this.#isNew ? undefined : readJournal(this.#options.journal, read);
  }

  /** A dry run is one transaction, so that later files find the records of earlier ones. */
  begin(): void {
    const db = this.open();
    if (!db.inTransaction) beginWriting(db);
    else db.exec('RELEASE file');
    if (this.#options.dryRun) db.exec('SAVEPOINT file');
    this.#changesBefore = changesIn(this.open());
  }

  /**
   * Commits, after a backup before the import's first write; if no fill changes, at most one an
   * hour.
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
   * Bounds the memory of a large transaction. The backup is made now, since later it couldn't be.
   */
  boundMemory(): void {
    if (!this.#options.dryRun) this.#backUp();
    boundMemory(this.open());
  }

  #backUp(): void {
    if (this.#isNew || this.#isBackedUp) return;
    const { journal, now } = this.#options;
    backUpBeforeImport(journal, this.#backups, toInstantText(now));
    this.#isBackedUp = true;
  }

  #isBackedUpLately(): boolean {
    return hasRecentBackup(this.#backups, toInstantText(this.#options.now));
  }

  get #backups(): string {
    const { journal, backups = join(dirname(journal), 'backups') } = this.#options;
    return backups;
  }

  /**
   * Called after each imported file: the first makes a new journal permanent.
   * @param isAssumed whether times of the file were read in the user's zone, which a notice names
   */
  filled(isFirst: boolean, isAssumed: boolean): void {
    this.#unfilled = undefined;
    if (!this.#isNew || !isFirst) return;

    const { journal, dryRun, note, zone } = this.#options;
    const { id, timezone, base_currency } = this.user;
    const isUnset = zone === undefined && timezone === DEFAULT_ZONE && !isAssumed;
    const hint = isUnset
      ? ` Days are those of ${timezone}; to change that: journal-api user set ${id} --timezone America/New_York`
      : '';
    const created = dryRun ? 'This would create' : 'Created';

    note?.(
      `${created} the journal ${journal} with the user "${id}" (${timezone}, ${base_currency}).${hint}`,
    );
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
      // On a full disk, for example: the first error is reported, and the next handle rolls back
      // from SQLite's log.
    }
  }

  /**
   * Closes the journal; removes a created one if neither this import nor another program wrote to
   * it.
   */
  close(): void {
    const db = this.#db;
    if (!db) return;
    const unfilled = this.#unfilled;
    const untouched = unfilled !== undefined && unfilled.version === versionIfKnown(db);
    db.close();
    if (untouched) removeJournal(this.#options.journal, unfilled.folders);
  }
}

/** SQLite's count of rows written by this handle. */
function changesIn(db: Database.Database): unknown {
  return db.prepare('SELECT total_changes()').pluck().get();
}

/** Undefined if the file can no longer be read. */
function versionIfKnown(db: Database.Database): unknown {
  try {
    return versionOf(db);
  } catch {
    return undefined;
  }
}

function versionOf(db: Database.Database): unknown {
  return db.pragma('data_version', { simple: true });
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
  refuseMissing(options);
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

// The list of imports.

/** A user's imports, the latest first. Works with a read-only journal. */
export function listImports(options: OfUser): ListedImport[] {
  return readOf(options, (reader, { id }) => importsOf(reader, id));
}

export type OfUser = Pick<TargetOptions, 'journal' | 'user'>;

/** Reads what a user has in a journal. @throws UserError if there is no such journal or user */
export function readOf<T>(options: OfUser, read: (reader: Reader, user: User) => T): T {
  refuseMissing(options);
  const user = userFor(options.journal, options.user);
  return readJournal(options.journal, (reader) => read(reader, user));
}

/** Rejects a missing journal, which an import would create. */
export function refuseMissing({ journal }: Pick<TargetOptions, 'journal'>): void {
  if (!fileExists(journal))
    throw new UserError(`no journal at ${journal}; create one with "journal-api init"`);
}
