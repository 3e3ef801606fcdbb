/** The journal that an import writes to, and whose records they become. Where there is no journal one is made. */
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import { backUpBeforeImport, hasRecentBackup } from '../../journal-write/backups.ts';
import { userFor } from '../../journal-write/choose-user.ts';
import {
  boundMemory,
  createJournal,
  createJournalInMemory,
  missingFolders,
  openForWriting,
  removeJournal,
} from '../../journal-write/open.ts';
import { addUser, newUser, refuseLiveKeys, type UserChanges } from '../../journal-write/users.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { toInstantText } from '../../time.ts';

export interface TargetOptions {
  /** The journal file. */
  journal: string;
  /** The file of keys: those of an earlier user must not read the records of a new one. */
  keys?: string | undefined;
  user?: string | undefined;
  /** What a user begins with who is made here. */
  settings?: User | undefined;
  /** Their time zone, if the settings don't have it. */
  zone?: string | undefined;
  dryRun?: boolean | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** Where copies of the journal go before it is written to; else in backups/ beside it. */
  backups?: string | undefined;
  /** How long to wait for another program that uses the journal, in milliseconds. */
  patience?: number;
  /** Gets what the person should know while it happens. */
  note?: (line: string) => void;
}

export class TargetJournal {
  readonly user: User;
  readonly #options: TargetOptions;
  readonly #isNew: boolean;
  #db: Database.Database | undefined;
  #isBackedUp = false;
  #changesBefore: unknown;
  /** What was made and holds no records yet: the folders, and SQLite's count of what others have written. */
  #unfilled: { folders: string[]; version: unknown } | undefined;

  /** Writes nothing yet. */
  constructor(options: TargetOptions) {
    const { journal, keys, user, settings, zone, now } = options;
    this.#options = options;
    this.#isNew = !fileExists(journal);
    this.user = this.#isNew
      ? newUser(user ?? settings?.id ?? 'me', {
          ...(zone !== undefined && { timezone: zone }),
          ...settingsOf(settings),
        })
      : userFor(journal, user);
    if (this.#isNew && keys !== undefined) refuseLiveKeys(keys, this.user.id, now);
  }

  /** For when there is something to write: the journal, made now where there is none, for a dry run in memory. */
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

  begin(): void {
    this.open().exec('BEGIN IMMEDIATE');
    this.#changesBefore = changesIn(this.open());
  }

  /** Before the first write of all, what the journal was is kept beside it; once an hour if no fill changes. */
  commit({ changesFills }: { changesFills: boolean }): void {
    const db = this.open();
    if (changesIn(db) !== this.#changesBefore && (changesFills || !this.#isBackedUpLately())) this.#backUp();
    db.exec('COMMIT');
  }

  /** For a transaction that is large already, and will be committed. Its copy is made now: later it could not be. */
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

  /** Called with each file whose records are in the journal: with the first, a new one is there to stay. */
  filled(isFirst: boolean): void {
    this.#unfilled = undefined;
    if (!this.#isNew || !isFirst) return;
    const { journal, dryRun, note } = this.#options;
    const { id, timezone, base_currency } = this.user;
    note?.(
      `There ${dryRun ? 'is' : 'was'} no journal at ${journal}: ${dryRun ? 'it would be' : 'it was'} made, with the user "${id}" (${timezone}, ${base_currency}); another time zone: journal-api user set ${id} --timezone America/New_York`,
    );
  }

  /** Undoes what no COMMIT has made last. */
  rollBack(): void {
    try {
      if (this.#db?.inTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // On a full disk, say: what went wrong before is told, and the next handle undoes it by the log that stays.
    }
  }

  /** Takes back a journal that nothing was written to, neither by this import nor by anybody else meanwhile. */
  close(): void {
    const db = this.#db;
    if (!db) return;
    const unfilled = this.#unfilled;
    const untouched = unfilled !== undefined && unfilled.version === versionIfKnown(db);
    db.close();
    if (untouched) removeJournal(this.#options.journal, unfilled.folders);
  }
}

function settingsOf({ id: _, ...settings }: Partial<User> = {}): UserChanges {
  return settings;
}

/** SQLite's count of rows that this handle wrote. */
function changesIn(db: Database.Database): unknown {
  return db.prepare('SELECT total_changes()').pluck().get();
}

/** Undefined where the file can't be read any more. */
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
