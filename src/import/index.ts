/** The import: files in, records in the journal out, one transaction a file. */
import { UserError } from '../errors.ts';
import { trades } from '../journal/resources/trades.ts';
import { fills } from '../journal-write/exported-fills.ts';
import { FillTable } from '../journal-write/fills.ts';
import { ImportTable } from '../journal-write/imports.ts';
import { explainWriting } from '../journal-write/open.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { RowError } from '../journal-write/row-error.ts';
import { NotFinite } from '../money.ts';
import { toInstantText } from '../time.ts';
import { importFile, type OpenJournal } from './file.ts';
import type { Job } from './files/job.ts';
import { mappedNotes } from './files/mapped-notes.ts';
import { planImport } from './files/plan.ts';
import { differences } from './files/user-settings.ts';
import { GivenMultipliers } from './fills/multiplier.ts';
import { mappedFormat } from './mapping/format.ts';
import { type LoadedMapping, refuseUnsure } from './mapping/load.ts';
import type { FileReport, ImportReport } from './report/import-report.ts';
import type { Format, Note } from './table/format.ts';
import { RecordImport } from './write/records.ts';
import { TargetJournal, type TargetOptions } from './write/target-journal.ts';

export interface ImportOptions extends TargetOptions {
  /** Files, folders, and - for standard input. */
  paths: readonly string[];
  as?: string | undefined;
  format?: string | undefined;
  /** How to read files that no format knows. */
  map?: LoadedMapping | undefined;
  account?: string | undefined;
  timeZone?: string | undefined;
  /** Whether the paths are files of a folder into which others may write: none may be a link, or become one. */
  noLinks?: boolean;
  /** The folder that the paths are in: notes are known by their path within it. */
  folder?: string | undefined;
  /** The day of exports that have times only. */
  date?: string | undefined;
  /** Of the note of a day that was edited: as it was printed. */
  printed?: Note | undefined;
  /** Money per point and unit, by symbol or root in capitals: for futures whose contract size nothing else tells. */
  multipliers?: ReadonlyMap<string, number> | undefined;
  /** Takes fills that another format or account seems to have stated already for separate ones. */
  allowDuplicates?: boolean | undefined;
  /** False: trades that one order opened aren't grouped. */
  groups?: boolean | undefined;
  /** Called where memory counts for more than time: before a file is read as a whole, and in a long one. */
  saveMemory?: () => void;
  /** Called before a long file is read as a whole, which takes seconds. */
  readingLong?: (file: string) => void;
  /** Called now and then while records, fills and trades are written. */
  progress?: (what: string, done: number, of: number) => void;
}

/** A file could not be imported, after others were: those stay imported, but for a dry run. */
export class ImportStopped extends UserError {
  readonly report: ImportReport;

  /** @param report of the files before */
  constructor(cause: UserError, report: ImportReport) {
    const count = report.files.length;
    const before = count === 1 ? 'the file before it was imported' : `${count} files before it were imported`;
    super(report.dry_run ? cause.message : `${cause.message} (${before})`, { cause });
    this.report = report;
  }
}

/**
 * @throws UserError that names file, line, field and reason; ImportStopped where files were imported before that one
 */
export function importPaths(options: ImportOptions): ImportReport {
  const { map, dryRun } = options;
  if (map && !dryRun) refuseUnsure(map);
  const mapped = map && formatsBy(map);
  const { jobs, ignored, settings } = planImport(
    options.paths,
    options.as,
    options.format,
    mapped,
    options.noLinks,
    options.folder,
  );
  const target = new TargetJournal({ ...options, settings: settings?.user });
  for (const line of settings ? differences(target.user, settings.user) : []) {
    options.note?.(`${settings?.file}: the user's ${line}; "journal-api user set ${target.user.id}" changes it`);
  }
  const { id: user, timezone } = target.user;
  const report: ImportReport = {
    dry_run: options.dryRun === true,
    journal: options.journal,
    user,
    timezone,
    files: [],
    ignored,
  };
  try {
    importFiles(jobs, target, options, report.files);
    return report;
  } catch (error) {
    throw error instanceof UserError && report.files.length > 0 ? new ImportStopped(error, report) : error;
  } finally {
    target.close();
  }
}

function formatsBy(map: LoadedMapping): { table: Format; notes: Format } {
  const table = mappedFormat(map);
  return { table, notes: mappedNotes(map, table) };
}

/** @param reports gets that of each file when it is done */
function importFiles(jobs: readonly Job[], target: TargetJournal, options: ImportOptions, reports: FileReport[]): void {
  const { dryRun, timeZone, account, now, note } = options;
  const multipliers = new GivenMultipliers(options.multipliers);
  const settings: WriteSettings = { user: target.user, timeZone, account, now: toInstantText(now) };
  let journal: OpenJournal | undefined;
  try {
    for (const [index, job] of jobs.entries()) {
      const open = () => {
        journal ??= openJournal(target, settings);
        // A dry run is one transaction, so that later files find the records of earlier ones.
        if (!dryRun || index === 0) target.begin();
        return journal;
      };
      const report = explaining(job, options, () => {
        const { report, isNew, changesFills } = importFile(job, open, {
          ...options,
          ...settings,
          multipliers,
          allowDuplicates: options.allowDuplicates === true,
          boundMemory: () => target.boundMemory(),
          tradesFollow: jobs.slice(index + 1).some(({ resource }) => resource.path === trades.path),
          fillsFollow: jobs.slice(index + 1).some(({ resource }) => resource === fills),
          withTrades: jobs.slice(0, index).some(isRecordsOfTrades),
        });
        if (!dryRun && isNew) target.commit({ changesFills });
        else if (!dryRun) target.rollBack();
        return report;
      });
      reports.push(report);
      target.filled(index === 0);
      for (const line of report.notes) note?.(`${job.file}: ${line}`);
      for (const { file, line, message } of report.problems) note?.(`${file}:${line}: ${message}`);
    }
    for (const name of multipliers.unused) note?.(`--multiplier ${name} was not used: no file has fills of ${name}`);
  } finally {
    target.rollBack();
  }
}

function openJournal(target: TargetJournal, settings: WriteSettings): OpenJournal {
  const db = target.open();
  const { id } = settings.user;
  return {
    db,
    records: new RecordImport(db, settings),
    fills: new FillTable(db, id),
    imports: new ImportTable(db, id),
  };
}

function isRecordsOfTrades({ resource, format }: Job): boolean {
  return resource.path === trades.path && format.holds === undefined;
}

/** Does something with a file; what goes wrong is said with its name, or the journal's. */
function explaining<T>({ file }: Job, { journal }: ImportOptions, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotFinite) {
      throw new UserError(
        `${file}: its quantities and prices are too large or too small to compute with; correct them`,
      );
    }
    throw error instanceof RowError ? error.at(file, undefined) : explainWriting(journal, error);
  }
}
