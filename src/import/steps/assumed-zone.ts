/**
 * The default time zone of a user who has set none: a file whose times were read in it
 * gets a notice with the command that reads them in another.
 */
import { DEFAULT_ZONE } from '../../journal-write/users.ts';
import { ImportTable } from '../../statements/imports.ts';
import type { Job } from '../files/contents.ts';
import { assumedZone, type Notice, quoted } from '../report/notices.ts';
import type { NewJournalOptions } from '../write/new-journal.ts';
import type { TargetJournal } from '../write/target-journal.ts';
import type { FileResult } from './complete-file.ts';

export class AssumedZone {
  readonly #target: TargetJournal;
  readonly #options: NewJournalOptions & { timeZone?: string | undefined };
  /** Whether no time zone was named; undefined until the journal is open. */
  #isUnset: boolean | undefined;
  /** Whether the latest file's times without a zone were read in the user's. */
  isOfLatest = false;

  constructor(
    target: TargetJournal,
    options: NewJournalOptions & { timeZone?: string | undefined },
  ) {
    this.#target = target;
    this.#options = options;
  }

  /** Call in the transaction of the first file, before it writes. */
  begin(): void {
    this.#isUnset ??= this.#hasUnsetZone();
  }

  /** Neither for the user nor for the files of this first import. */
  #hasUnsetZone(): boolean {
    const { timeZone, zone } = this.#options;
    const { id, timezone } = this.#target.user;
    if (timeZone !== undefined || zone !== undefined || timezone !== DEFAULT_ZONE)
      return false;
    return new ImportTable(this.#target.open(), id).isEmpty();
  }

  /** The notices of a file, with one of the zone if it was read in the default one. */
  noticesOf({ file }: Job, { isNew, notices, times }: FileResult): Notice[] {
    const { id, timezone } = this.#target.user;
    this.isOfLatest = times.isAssumed && times.zone === timezone;
    const isKnown = notices.some(({ code }) => code === 'unlikely_zone');
    if (!this.#isUnset || !this.isOfLatest || !isNew || isKnown) return notices;

    const latest = this.#options.dryRun
      ? undefined
      : new ImportTable(this.#target.open(), id).latest();
    const command =
      latest === undefined ? `import ${quoted(file)}` : `import change ${latest}`;
    return [...notices, assumedZone(timezone, `journal-api ${command}`)];
  }
}
