/** The import: reads files and writes records into the journal, one transaction per file. */
import { resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { UsageError, UserError } from '../errors.ts';
import type { User } from '../journal/journal.ts';
import { trades } from '../journal/resources/trades.ts';
import { isFaultOfFile } from '../journal-write/open.ts';
import { readJournal, userFor } from '../journal-write/read.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { DEFAULT_ZONE } from '../journal-write/users.ts';
import type { Note } from '../notes/note.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { correctDays, type MovedDays } from '../statements/days.ts';
import { orderOfFormat } from '../statements/earlier-imports.ts';
import type { ImportOptionsKept } from '../statements/exported-imports.ts';
import { fills } from '../statements/fill-row.ts';
import { ImportTable } from '../statements/imports.ts';
import { toInstantText } from '../time.ts';
import { explaining, importFile, type OpenJournal, openedJournal } from './file.ts';
import { hashOf, type Job } from './files/contents.ts';
import { differences } from './files/exported.ts';
import { formatsBy, keptJob, keptOptions, keptSettings } from './files/kept.ts';
import { type FailedFile, type PlanOptions, planImport } from './files/plan.ts';
import { GivenMultipliers } from './fills/multiplier.ts';
import type { SettledTimes } from './fills/written-times.ts';
import type { LoadedMapping } from './mapping/load.ts';
import type { DayOrder } from './parse/date-order.ts';
import {
  accountsIn,
  assumedZone,
  expiredOpen,
  type Notice,
  newAccounts,
  quoted,
  withoutRates,
} from './report/notices.ts';
import type { FileReport, ImportReport } from './report/report.ts';
import { TargetJournal, type TargetOptions } from './write/target-journal.ts';

export interface ImportOptions extends TargetOptions {
  /** Files, folders, or - for standard input. */
  paths: readonly string[];
  as?: string | undefined;
  format?: string | undefined;
  /** How to read files in unknown formats. */
  map?: LoadedMapping | undefined;
  account?: string | undefined;
  timeZone?: string | undefined;
  /** Whether other users may write to the paths' folder: then no path may be, or become, a link. */
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
  /** Contract sizes by symbol or root in capitals, for futures whose size is otherwise unknown. */
  multipliers?: ReadonlyMap<string, number> | undefined;
  /** Imports suspected duplicates of fills from another format or account as separate fills. */
  allowDuplicates?: boolean | undefined;
  /** False: trades opened by one order aren't grouped. */
  groups?: boolean | undefined;
  /** False: the journal doesn't keep the files' bytes. */
  keep?: boolean | undefined;
  /**
   * Called when memory matters more than time: before a whole file is read, and within a long one.
   */
  saveMemory?: () => void;
  /** Called once a long file's fills are made, and the rest of its reading is garbage. */
  collectGarbage?: () => void;
  /** Called before a long file is read, which takes seconds. */
  readingLong?: (file: string) => void;
  /** Called regularly while records, fills and trades are written. */
  progress?: (what: string, done: number, of: number) => void;
}

/** Some files weren't imported; the others stay imported, except in a dry run. */
export class FilesFailed extends UserError {
  readonly report: ImportReport;

  /** @param report of the imported files */
  constructor(failed: readonly FailedFile[], report: ImportReport) {
    const count = report.files.length;
    const others =
      count === 1 ? 'the other file was imported' : `the other ${count} files were imported`;
    const messages = failed.map(({ error }) => error.message).join('\n');
    super(report.dry_run || count === 0 ? messages : `${messages} (${others})`, {
      cause: failed[0]?.error,
    });
    this.report = report;
  }
}

/**
 * @throws UserError that names file, line, field and reason; FilesFailed if there were other files,
 * which are imported
 */
export function importPaths(options: ImportOptions): ImportReport {
  const { map } = options;
  const mapped = map && formatsBy(map);
  const { jobs, ignored, failed, settings } = planImport(options.paths, {
    ...options,
    mapped,
    changed: changedJobs(options),
  });
  const [first] = failed;
  if (first && failed.length === 1 && jobs.length === 0) throw first.error;
  const target = new TargetJournal({ ...options, settings: settings?.user });
  for (const line of settings ? differences(target.user, settings.user) : []) {
    options.note?.(
      `${settings?.file}: the user's ${line}; "journal-api user set ${target.user.id}" changes it`,
    );
  }
  const { id: user, timezone } = target.user;
  const report: ImportReport = {
    ...{ dry_run: options.dryRun === true, journal: options.journal, user, timezone },
    ...{ files: [], ignored, failed: [], notices: [] },
  };
  try {
    importFiles(jobs, target, options, report, failed);
  } finally {
    target.close();
  }
  const [only, ...more] = failed;
  if (!only) return report;
  report.failed = failed.map(({ file, error }) => ({ file, message: error.message }));
  if (more.length + report.files.length + ignored.length === 0) throw only.error;
  throw new FilesFailed(failed, report);
}

/**
 * Imports files one by one: one with an error stops no other, except if the journal itself can't be
 * written.
 * @param report receives that of each imported file
 * @param failed receives the others
 */
function importFiles(
  jobs: readonly Job[],
  target: TargetJournal,
  options: ImportOptions,
  report: Pick<ImportReport, 'files' | 'notices'>,
  failed: FailedFile[],
): void {
  const { dryRun, timeZone, account, now, note } = options;
  const { files: reports } = report;
  const multipliers = new GivenMultipliers(options.multipliers);
  const settings: WriteSettings = { user: target.user, timeZone, account, now: toInstantText(now) };
  let journal: OpenJournal | undefined;
  let hasTrades = false;
  let accounts: ReadonlyMap<string, number> | undefined;
  let isUnset: boolean | undefined;
  let isInUserZone = false;
  const holdsTrades = jobs.some(
    ({ resource }) => resource.path === trades.path || resource === fills,
  );
  try {
    for (const [index, planned] of jobs.entries()) {
      const later = jobs.slice(index + 1);
      let corrected: MovedDays = { fills: 0, trades: 0 };
      try {
        const own = explaining(planned, options.journal, () => {
          const as = planned.kept && keptSettings(planned.kept);
          const open = () => {
            journal ??= openedJournal(target.open(), settings);
            if (holdsTrades) accounts ??= accountsIn(journal.db, target.user);
            const its = as ? openedJournal(target.open(), { ...settings, ...as }) : journal;
            target.begin();
            if (!dryRun) corrected = correctDays(target.open(), target.user);
            isUnset ??= hasUnsetZone(target.open(), target.user, options);
            return its;
          };
          const result = importFile(planned, open, {
            ...options,
            ...settings,
            kept: optionsOf(options),
            mapping: options.map?.text ?? null,
            multipliers,
            allowDuplicates: options.allowDuplicates === true,
            ...as,
            earlierDates: (of) =>
              target.read((reader) =>
                orderOfFormat(reader, target.user.id, {
                  ...of,
                  account: as ? as.account : account,
                }),
              ),
            boundMemory: () => target.boundMemory(),
            tradesFollow: later.some(({ resource }) => resource.path === trades.path),
            fillsFollow: later.some(({ resource }) => resource === fills),
            withTrades: hasTrades,
          });
          refuseUnused(planned, result.report, note);
          if (!dryRun && result.isNew) target.commit(result);
          else if (!dryRun) target.rollBack();
          if (corrected.fills + corrected.trades > 0 && !result.isNew) commitDays(target);
          noteDays(corrected, target.user, note);
          const notices = isUnset
            ? noticesOfUnset(planned, result, target, options)
            : result.notices;
          report.notices = report.notices.concat(notices);
          isInUserZone = isInZone(result.times, target.user.timezone);
          return result.report;
        });
        hasTrades ||= planned.resource.path === trades.path && planned.format.holds === undefined;
        reports.push(own);
        target.filled(reports.length === 1, isInUserZone);
        for (const line of own.notes) note?.(`${planned.file}: ${line}`);
        for (const { file, line, message } of own.problems) note?.(`${file}:${line}: ${message}`);
      } catch (error) {
        if (!(error instanceof UserError) || error instanceof UsageError) throw error;
        failed.push({ file: planned.file, error });
        if (isFaultOfFile(error)) break;
        target.rollBackFile();
        // It may remember what was taken back.
        journal = undefined;
      }
    }
    if (accounts && reports.length > 0) {
      const db = target.open();
      report.notices = report.notices.concat(
        newAccounts(accounts, accountsIn(db, target.user)),
        expiredOpen(db, target.user, now),
        withoutRates(db, target.user),
      );
    }
    for (const name of multipliers.unused)
      note?.(`--multiplier ${name} wasn't used; no file has fills of ${name}`);
  } finally {
    target.rollBack();
  }
}

/** Reasons for skipping rows that move cash: a file of them alone is read as it should be. */
const CASH =
  /\b(?:cash|dividends?|interest|deposits?|withdrawals?|transfers?|funding|fees?|tax(?:es)?|balance)\b/i;

/** @throws UserError if no row of a file is used */
function refuseUnused(
  { file, notes }: Job,
  { rows, ...report }: FileReport,
  note: ImportOptions['note'],
): void {
  if (notes !== undefined || rows.read === 0 || rows.used > 0 || report.rates) return;
  if (report.skipped.some(({ reason }) => CASH.test(reason))) return;
  for (const line of report.notes) note?.(`${file}: ${line}`);

  const reasons = report.skipped.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  const read = `${rows.read} ${rows.read === 1 ? 'row' : 'rows'}`;
  throw new UserError(`nothing of ${file} came in: ${read}, because all were skipped: ${reasons}`);
}

/** Whether nobody gave a time zone, neither for the user nor for the files of this first import. */
function hasUnsetZone(
  db: Database.Database,
  user: User,
  { timeZone, zone }: ImportOptions,
): boolean {
  if (timeZone !== undefined || zone !== undefined || user.timezone !== DEFAULT_ZONE) return false;
  return new ImportTable(db, user.id).isEmpty();
}

/** Whether times without a zone were read in this one, which nobody named. */
function isInZone({ zone, isAssumed }: SettledTimes, timezone: string): boolean {
  return isAssumed && zone === timezone;
}

/** The notices of a file whose times without a zone were read in the default one. */
function noticesOfUnset(
  { file }: Job,
  { isNew, notices, times }: ReturnType<typeof importFile>,
  target: TargetJournal,
  { dryRun }: ImportOptions,
): Notice[] {
  const { id, timezone } = target.user;
  const isKnown = notices.some(({ code }) => code === 'unlikely_zone');
  if (!isNew || isKnown || !isInZone(times, timezone)) return notices;
  const latest = dryRun ? undefined : new ImportTable(target.open(), id).latest();
  const command = latest === undefined ? `import ${quoted(file)}` : `import change ${latest}`;
  return [...notices, assumedZone(timezone, `journal-api ${command}`)];
}

/** Corrects days although the file itself changes nothing. */
function commitDays(target: TargetJournal): void {
  target.begin();
  correctDays(target.open(), target.user);
  target.commit({ changesFills: true });
}

/** Reports days that another program left in another time zone. */
function noteDays(
  { fills, trades }: MovedDays,
  { timezone }: User,
  note: ImportOptions['note'],
): void {
  if (fills + trades === 0) return;
  const rows = `${trades} ${trades === 1 ? 'trade' : 'trades'} and ${fills} ${fills === 1 ? 'fill' : 'fills'}`;
  note?.(
    `${rows} with a date but no time weren't at the start of their day in ${timezone}; corrected`,
  );
}

/** Jobs of files whose import was changed: without options, the same bytes are read as that was. */
function changedJobs(options: ImportOptions): PlanOptions['changed'] {
  if (Object.keys(optionsOf(options)).length > 0 || !fileExists(options.journal)) return undefined;
  const rows = readJournal(options.journal, (reader) =>
    reader.all(
      `SELECT sha256, resource, options, mapping FROM imports AS i WHERE user_id = ? AND sha256 IS NOT NULL AND EXISTS (
         SELECT 1 FROM import_records AS r WHERE r.user_id = i.user_id AND r.resource = 'imports' AND r.record_id = CAST(i.id AS TEXT))`,
      userFor(options.journal, options.user).id,
    ),
  ) as { sha256: string; resource: string; options: string; mapping: string | null }[];
  if (rows.length === 0) return undefined;
  const changed = new Map(rows.map((row) => [row.sha256, row]));
  return (of) => {
    const row = changed.get(hashOf(of));
    if (!row) return undefined;
    const kept = { options: JSON.parse(row.options), mapping: row.mapping };
    return { ...keptJob(of, kept, row.resource), kept };
  };
}

/** The options that decide how files are read. */
function optionsOf({
  timeZone,
  multipliers,
  map,
  allowDuplicates,
  groups,
  ...options
}: ImportOptions): ImportOptionsKept {
  const { as, account, dates, format, date, symbol } = options;
  return keptOptions({
    ...{
      as,
      account,
      timezone: timeZone,
      dates,
      format,
      date,
      symbol,
      map: map && resolve(map.file),
    },
    multipliers: multipliers && Object.fromEntries(multipliers),
    ...{ allow_duplicates: allowDuplicates || undefined, no_groups: groups === false || undefined },
  });
}
