/** A journal that an import creates, because there is none, with its user. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import {
  createJournal,
  createJournalInMemory,
  missingFolders,
  removeJournal,
} from '../../journal-write/open.ts';
import {
  addUser,
  DEFAULT_ZONE,
  newUser,
  refuseLiveKeys,
} from '../../journal-write/users.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { type Creation, TargetJournal, type TargetOptions } from './target-journal.ts';

export interface NewJournalOptions extends TargetOptions {
  /** Settings of the user that is created. */
  settings?: User | undefined;
  /** The user's time zone, if the settings lack it. */
  zone?: string | undefined;
}

/**
 * The journal that an import writes to. A missing one is created once a file can be read.
 * @throws UserError if keys of an earlier user would read the records of the new one
 */
export function journalOf(options: NewJournalOptions): TargetJournal {
  const isMissing = !fileExists(options.journal);
  return new TargetJournal(options, isMissing ? new NewJournal(options) : undefined);
}

class NewJournal implements Creation {
  readonly user: User;
  readonly #options: NewJournalOptions;
  /** Without records: its new folders, and SQLite's count of changes by others. */
  #unfilled: { folders: string[]; version: unknown } | undefined;

  constructor(options: NewJournalOptions) {
    const { keys, user, settings, zone, now } = options;
    const { id, ...stated }: Partial<User> = settings ?? {};
    this.#options = options;
    this.user = newUser(user ?? id ?? 'me', {
      ...(zone !== undefined && { timezone: zone }),
      ...stated,
    });
    if (keys !== undefined) refuseLiveKeys(keys, this.user.id, now);
  }

  create(): Database.Database {
    const { journal, dryRun, now } = this.#options;
    if (dryRun) {
      const db = createJournalInMemory();
      addUser(db, this.user, now);
      return db;
    }

    const folders = missingFolders(journal);
    const db = createJournal(journal, (created) => addUser(created, this.user, now));
    this.#unfilled = { folders, version: versionOf(db) };
    return db;
  }

  filled(isFirst: boolean, isAssumed: boolean): void {
    this.#unfilled = undefined;
    if (!isFirst) return;

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

  close(db: Database.Database): void {
    const unfilled = this.#unfilled;
    const untouched = unfilled !== undefined && unfilled.version === versionIfKnown(db);
    db.close();
    if (untouched) removeJournal(this.#options.journal, unfilled.folders);
  }
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
