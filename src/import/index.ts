/**
 * The import: its steps, in order. Files are planned, and the journal is opened for the
 * first that can be read; each file is read, stored, made into trades, completed and
 * kept, in a transaction of its own; then comes what only all files together show.
 */

import { resolve } from 'node:path';
import { UsageError, UserError } from '../errors.ts';
import { once } from '../journal/once.ts';
import { cashFlows } from '../journal/resources/cash-flows.ts';
import { trades } from '../journal/resources/trades.ts';
import { isFaultOfFile } from '../journal-write/open.ts';
import type { Note } from '../notes/note.ts';
import type { DayOrder } from '../parse/times.ts';
import { correctDays, type MovedDays } from '../statements/days.ts';
import { orderOfFormat } from '../statements/earlier-imports.ts';
import { fills } from '../statements/fill-row.ts';
import type { ImportOptionsKept } from '../statements/import-entry.ts';
import { ImportTable } from '../statements/imports.ts';
import { toInstantText } from '../time.ts';
import { FileSource, isFolder, type Job, type KeptOptions } from './files/contents.ts';
import { changedImports, jobsAsChanged, keptOptions } from './files/kept-imports.ts';
import {
  differences,
  type FailedFile,
  mappings,
  type Plan,
  planImport,
} from './files/plan.ts';
import { makeTrades } from './fills/make-trades.ts';
import { GivenMultipliers } from './fills/multiplier.ts';
import type { LoadedMapping } from './mapping/load.ts';
import { exportedPictures, loadFor, loadToPlan } from './on-demand.ts';
import {
  accountsIn,
  counted,
  expiredOpen,
  newAccounts,
  withoutRates,
} from './report/notices.ts';
import type { FileReport, ImportReport, NotesAgain } from './report/report.ts';
import {
  AssumedZone,
  completeFile,
  type FileResult,
  keepBytes,
  keepsBytes,
  refuseUnused,
} from './steps/complete-file.ts';
import {
  explaining,
  type FileSettings,
  type Host,
  namingFile,
  type OpenJournal,
  openedJournal,
  type PictureSettings,
  settingsBy,
} from './steps/file-settings.ts';
import { hasFlows, refuseFirstFlows, requireNoKeyShows } from './steps/first-shown.ts';
import { readNotesAgain } from './steps/notes-again.ts';
import { noteSteps, readJob } from './steps/read-job.ts';
import { type StoredFile, storeFile } from './steps/store-file.ts';
import { journalOf, type NewJournalOptions } from './write/new-journal.ts';
import type { TargetJournal } from './write/target-journal.ts';

export interface ImportOptions extends NewJournalOptions, Omit<Host, 'boundMemory'> {
  /** Files, folders, or - for standard input. */
  paths: readonly string[];
  as?: string | undefined;
  format?: string | undefined;
  /** How to read files in unknown formats. */
  map?: LoadedMapping | undefined;
  account?: string | undefined;
  timeZone?: string | undefined;
  /**
   * Whether other users may write to the paths' folder: then no path may be, or become, a
   * link.
   */
  noLinks?: boolean;
  /** The folder of the paths: notes are identified by their path within it. */
  folder?: string | undefined;
  /** The order of day and month in dates with the year last. */
  dates?: DayOrder | undefined;
  /** The date of exports with times only. */
  date?: string | undefined;
  /** The symbol of exports that name none. */
  symbol?: string | undefined;
  /** The printed version of a day note that was then edited. */
  printed?: Note | undefined;
  /**
   * Contract sizes by symbol or root in capitals, for futures whose size is otherwise
   * unknown.
   */
  multipliers?: ReadonlyMap<string, number> | undefined;
  /**
   * Imports suspected duplicates of fills from another format or account as separate
   * fills.
   */
  allowDuplicates?: boolean | undefined;
  /** False: trades opened by one order aren't grouped. */
  groups?: boolean | undefined;
  /** False: the journal doesn't keep the files' bytes. */
  keep?: boolean | undefined;
  /** How pictures of notes are kept; false: they stay text. */
  pictures?: PictureOptions | false | undefined;
  /** Whether keys may show the first cash flows of a journal. */
  mayShowCash?: boolean | undefined;
}

interface PictureOptions {
  /** Where an edited note's pictures are looked for, which has no folder. */
  from?: string | undefined;
  /** Whether more than usual are kept. */
  mayBeMany?: boolean | undefined;
  /** Whether keys may show the first picture of a journal. */
  mayShow?: boolean | undefined;
}

/** Some files weren't imported; the others stay imported, except in a dry run. */
export class FilesFailed extends UserError {
  readonly report: ImportReport;

  /** @param report of the imported files */
  constructor(failed: readonly FailedFile[], report: ImportReport) {
    const count = report.files.length;
    const others =
      count === 1
        ? 'the other file was imported'
        : `the other ${count} files were imported`;
    const messages = failed.map(({ error }) => error.message).join('\n');

    super(report.dry_run || count === 0 ? messages : `${messages} (${others})`, {
      cause: failed[0]?.error,
    });
    this.report = report;
  }
}

/**
 * What importPaths takes: the files at the paths, with their readers, which are loaded
 * here.
 */
export async function planFiles(options: ImportOptions): Promise<Plan> {
  await loadToPlan(options.paths);
  const changed = changedBy(options);
  if (changed.some(({ mapping }) => mapping !== null)) await mappings.load();
  const plan = planned(options, changed);
  await loadFor(plan.jobs, options.journal);

  return plan;
}

/**
 * @param plan needed unless the readers of all files are loaded
 * @throws UserError that names file, line, field and reason; FilesFailed if there were
 * other files, which are imported
 */
export function importPaths(
  options: ImportOptions,
  plan = planned(options),
): ImportReport {
  const target = journalOf({ ...options, settings: plan.settings?.user });
  noteDifferences(plan, target, options);

  const { id: user, timezone } = target.user;
  const report: ImportReport = {
    dry_run: options.dryRun === true,
    journal: options.journal,
    user,
    timezone,
    files: [],
    ignored: plan.ignored,
    failed: [],
    notices: [],
  };
  try {
    new FilesImport(target, options, report, plan.failed).run(plan.jobs);
  } finally {
    target.close();
  }

  return withFailed(report, plan.failed);
}

/** @throws UserError if nothing can be imported because of a single file */
function planned(options: ImportOptions, changed = changedBy(options)): Plan {
  const { map } = options;
  const plan = planImport(options.paths, {
    ...options,
    mapped: map && mappings.value.formatsBy(map),
    changed: jobsAsChanged(changed),
  });
  const [first] = plan.failed;
  if (first && plan.failed.length === 1 && plan.jobs.length === 0) throw first.error;

  return plan;
}

/** Without options, the bytes of an import that was changed are read as that was. */
function changedBy(options: ImportOptions): ReturnType<typeof changedImports> {
  const hasOptions = Object.keys(typedOptions(options)).length > 0;
  return hasOptions ? [] : changedImports(options);
}

/** Reports settings in an export that a user has otherwise. */
function noteDifferences(
  { settings }: Plan,
  { user }: TargetJournal,
  options: ImportOptions,
): void {
  if (!settings) return;
  for (const line of differences(user, settings.user)) {
    const command = `"journal-api user set ${user.id}" changes it`;
    options.note?.(`${settings.file}: the user's ${line}; ${command}`);
  }
}

/** @throws UserError if a file failed */
function withFailed(report: ImportReport, failed: readonly FailedFile[]): ImportReport {
  const [only, ...more] = failed;
  if (!only) return report;

  report.failed = failed.map(({ file, error }) => ({ file, message: error.message }));
  if (more.length + report.files.length + report.ignored.length === 0) throw only.error;
  throw new FilesFailed(failed, report);
}

/**
 * Imports files one by one: one with an error stops no other, except if the journal
 * itself can't be written.
 */
class FilesImport {
  readonly #target: TargetJournal;
  readonly #options: ImportOptions;
  readonly #report: Pick<ImportReport, 'files' | 'notices'>;
  readonly #failed: FailedFile[];
  readonly #kept: KeptOptions;
  readonly #multipliers: GivenMultipliers;
  readonly #assumedZone: AssumedZone;
  readonly #pictures: PictureSettings | undefined;
  /** Shared by files with the options typed; undefined until the first is read. */
  #journal: OpenJournal | undefined;
  /** Whether records of trades came before. */
  #hasTrades = false;
  #mayAddAccounts = false;
  /** Accounts before the import, if it may add any. */
  #accounts: ReadonlyMap<string, number> | undefined;
  /** Whether the journal had cash flows, or may get them. */
  #hadFlows: boolean | undefined;
  /** Of the current file's transaction. */
  #corrected: MovedDays = NO_DAYS;

  /**
   * @param report receives that of each imported file
   * @param failed receives the others
   */
  constructor(
    target: TargetJournal,
    options: ImportOptions,
    report: Pick<ImportReport, 'files' | 'notices'>,
    failed: FailedFile[],
  ) {
    this.#target = target;
    this.#options = options;
    this.#report = report;
    this.#failed = failed;
    this.#kept = { options: typedOptions(options), mapping: options.map?.text ?? null };
    this.#multipliers = new GivenMultipliers(options.multipliers);
    this.#assumedZone = new AssumedZone(target, options);
    this.#pictures = this.#picturesBy(options);
  }

  /** Pictures are found beside the notes, and in the journal as it is. */
  #picturesBy({
    pictures = {},
    journal,
    folder,
    paths,
  }: ImportOptions): PictureSettings | undefined {
    if (pictures === false) return undefined;

    const { from, mayBeMany } = pictures;
    const folders = folder === undefined ? paths.filter(isFolder) : [folder];
    const imports = () => new ImportTable(this.#target.open(), this.#target.user.id);
    const source = once(() => noteSteps.value.pictureSource(folders, from, imports));
    return {
      source: { in: (note) => source().in(note) },
      journal,
      mayBeMany,
    };
  }

  run(jobs: readonly Job[]): void {
    try {
      this.#mayAddAccounts = jobs.some(
        (job) => holdsTrades(job) || job.resource === fills,
      );
      for (const [place, job] of jobs.entries()) {
        if (!this.#take(job, jobs.slice(place + 1))) break;
      }
      this.#addNotices();
      for (const name of this.#multipliers.unused)
        this.#options.note?.(
          `--multiplier ${name} wasn't used; no file has fills of ${name}`,
        );
    } finally {
      this.#target.rollBack();
    }
  }

  /** @returns whether others may follow */
  #take(job: Job, later: readonly Job[]): boolean {
    const { journal, note } = this.#options;
    try {
      const report = explaining(job, journal, () => this.#import(job, later));
      this.#hasTrades ||= holdsTrades(job) && job.format.holds === undefined;
      this.#report.files.push(report);
      this.#target.filled(this.#report.files.length === 1, this.#assumedZone.isOfLatest);
      for (const line of report.notes) note?.(`${job.file}: ${line}`);
      for (const { file, line, message } of report.problems)
        note?.(`${file}:${line}: ${message}`);
      return true;
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof UsageError) throw error;
      this.#failed.push({ file: job.file, error });
      if (isFaultOfFile(error)) return false;
      this.#target.rollBackFile();
      // It may remember what was taken back.
      this.#journal = undefined;
      return true;
    }
  }

  /** The steps of a file, in order. */
  #import(job: Job, later: readonly Job[]): FileReport {
    const settings = this.#settingsOf(job, later);
    const stored = this.#readAndStore(job, settings);
    const changes = makeFileTrades(stored, settings);
    const result = completeFile(stored, changes, settings);
    if (holdsTrades(job) || job.resource === fills)
      Object.assign(result.report, notesAgain(stored, settings));
    if (result.isNew && keepsBytes(settings)) keepBytes(stored, result.report, settings);
    if (result.isNew) {
      const mayShow = () => this.#requireNoKeyShows();
      if (job.notes) noteSteps.value.keepPictures(stored, settings, mayShow);
      if (exportedPictures.isLoaded) exportedPictures.value(stored, settings, mayShow);
    }

    refuseUnused(job, result.report, this.#options.note);
    this.#refuseFirstFlows(result.report);
    this.#end(result);
    const notices = this.#assumedZone.noticesOf(job, result);
    this.#report.notices = this.#report.notices.concat(notices);

    return result.report;
  }

  /**
   * @throws FirstFlowsShown if keys would show the first cash flows, and the user didn't
   * agree
   */
  #refuseFirstFlows({ file, resource, added, cash_flows }: FileReport): void {
    const { dryRun, mayShowCash, keys, now } = this.#options;
    if (dryRun || mayShowCash || this.#hadFlows !== false) return;
    const flows = resource === cashFlows.path ? added : cash_flows.added;
    if (flows === 0) return;

    refuseFirstFlows(file, this.#target.user, { keys, now });
    this.#hadFlows = true;
  }

  #requireNoKeyShows(): void {
    const { keys, now, pictures } = this.#options;
    if (pictures !== false && pictures?.mayShow) return;
    requireNoKeyShows(this.#target.user, keys, now);
  }

  /**
   * The reading is released before trades are made: together they would need too much
   * memory for a long file.
   */
  #readAndStore(job: Job, settings: FileSettings): StoredFile {
    const source = new FileSource(job, keepsBytes(settings));
    const open = () => this.#begin(job, settings);
    return storeFile(readJob(job, source, open, settings), settings);
  }

  #settingsOf(job: Job, later: readonly Job[]): FileSettings {
    const { now, keep, dryRun, folder, printed } = this.#options;
    const { progress, readingLong, saveMemory, collectGarbage } = this.#options;
    const { user } = this.#target;
    const settings = settingsBy(job.kept ?? this.#kept, {
      user,
      now: toInstantText(now),
    });
    const { account } = settings.write;
    const earlierDates: FileSettings['reading']['earlierDates'] = (of) =>
      this.#target.read((reader) => orderOfFormat(reader, user.id, { ...of, account }));

    return {
      write: settings.write,
      reading: { ...settings.reading, earlierDates, printed },
      rows: job.kept
        ? settings.rows
        : { ...settings.rows, multipliers: this.#multipliers },
      line: { ...settings.line, folder, keep, dryRun },
      pictures: this.#pictures,
      others: {
        tradesFollow: later.some(holdsTrades),
        fillsFollow: later.some(({ resource }) => resource === fills),
        withTrades: this.#hasTrades,
      },
      host: {
        progress,
        readingLong,
        saveMemory,
        collectGarbage,
        boundMemory: () => this.#target.boundMemory(),
      },
    };
  }

  /**
   * Called once the file is read: if the first file can't be read, no journal is created.
   */
  #begin(job: Job, { write }: FileSettings): OpenJournal {
    const target = this.#target;
    const journal = this.#journalFor(job, write);
    if (this.#mayAddAccounts) this.#accounts ??= accountsIn(journal.db, target.user);
    target.begin();
    this.#hadFlows ??= hasFlows(journal.db, target.user);
    this.#corrected = this.#options.dryRun
      ? NO_DAYS
      : correctDays(journal.db, target.user);
    this.#assumedZone.begin();
    return journal;
  }

  /** A file that is read as its import was has other defaults. */
  #journalFor({ kept }: Job, write: FileSettings['write']): OpenJournal {
    if (kept) return openedJournal(this.#target.open(), write);
    this.#journal ??= openedJournal(this.#target.open(), write);
    return this.#journal;
  }

  /** Ends the transaction of a file. */
  #end(result: FileResult): void {
    const target = this.#target;
    const areMoved = Object.values(this.#corrected).some((rows) => rows > 0);

    if (!this.#options.dryRun) {
      if (result.isNew) target.commit(result);
      else target.rollBack();
    }

    // Days are corrected although the file itself changes nothing.
    if (areMoved && !result.isNew) {
      target.begin();
      correctDays(target.open(), target.user);
      target.commit({ changesFills: true });
    }

    if (areMoved)
      this.#options.note?.(correctedText(this.#corrected, target.user.timezone));
  }

  /** What all files together show. */
  #addNotices(): void {
    if (!this.#accounts || this.#report.files.length === 0) return;

    const db = this.#target.open();
    const { user } = this.#target;
    this.#report.notices = this.#report.notices.concat(
      newAccounts(this.#accounts, accountsIn(db, user)),
      expiredOpen(db, user, this.#options.now),
      withoutRates(db, user),
    );
  }
}

function holdsTrades({ resource }: Job): boolean {
  return resource.path === trades.path;
}

function makeFileTrades(
  { job, journal, records, fills: stored }: StoredFile,
  settings: FileSettings,
) {
  const { write, rows, host } = settings;
  const { before, isSettled } = records.restored ?? { ...stored, isSettled: undefined };

  return makeTrades(
    journal.db,
    before,
    journal.fills,
    { ...write, groups: rows.groups, progress: namingFile(job, host) },
    { isSettled },
  );
}

/** Nothing if no note is concerned. */
function notesAgain(
  { journal, line }: StoredFile,
  { write }: FileSettings,
): Partial<NotesAgain> {
  const again = readNotesAgain(journal.db, line.id, write);
  return again.read_again.length + again.to_import.length > 0 ? again : {};
}

const NO_DAYS: MovedDays = { fills: 0, trades: 0, cash_flows: 0 };

/** Days that another program left in another time zone. */
function correctedText(
  { fills, trades, cash_flows }: MovedDays,
  timezone: string,
): string {
  const rows =
    cash_flows === 0
      ? `${counted(trades, 'trade')} and ${counted(fills, 'fill')}`
      : `${counted(trades, 'trade')}, ${counted(fills, 'fill')} and ${counted(cash_flows, 'cash flow')}`;
  return (
    `${rows} with a date but no time weren't at the start of their day in ${timezone}; ` +
    'corrected'
  );
}

/** The options that decide how files are read, as an import keeps them. */
function typedOptions(options: ImportOptions): ImportOptionsKept {
  const { as, account, timeZone, dates, format, date, symbol, map, multipliers } =
    options;
  return keptOptions({
    as,
    account,
    timezone: timeZone,
    dates,
    format,
    date,
    symbol,
    map: map && resolve(map.file),
    multipliers: multipliers && Object.fromEntries(multipliers),
    allow_duplicates: options.allowDuplicates || undefined,
    no_groups: options.groups === false || undefined,
  });
}
