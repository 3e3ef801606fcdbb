/** The import: files in, records in the journal out, one transaction a file. */
import { basename } from 'node:path';
import { UserError } from '../errors.ts';
import { trades } from '../journal/resources/trades.ts';
import { explainWriting } from '../journal-write/open.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { RowError } from '../journal-write/row-error.ts';
import { NotFinite } from '../money.ts';
import { toInstantText } from '../time.ts';
import { type Job, planImport } from './files/plan.ts';
import { sheetFor } from './files/sheets.ts';
import { Source } from './files/source.ts';
import { textOf } from './files/text.ts';
import { differences } from './files/user-settings.ts';
import { GivenMultipliers } from './fills/multiplier.ts';
import type { Reading } from './fills/reading.ts';
import { mappedFormat } from './mapping/format.ts';
import { type LoadedMapping, refuseUnsure } from './mapping/load.ts';
import { readMappedNotes } from './notes/mapped.ts';
import { readNotes } from './notes/read.ts';
import { type FileChanges, writeFile } from './write/file.ts';
import { RecordImport } from './write/records.ts';
import { Target, type TargetOptions } from './write/target.ts';

export interface ImportOptions extends TargetOptions {
  /** Files, folders, and - for standard input. */
  paths: readonly string[];
  as?: string | undefined;
  format?: string | undefined;
  /** How to read files that no format knows. */
  map?: LoadedMapping | undefined;
  account?: string | undefined;
  timeZone?: string | undefined;
  /** The day of exports that have times only. */
  date?: string | undefined;
  /** Money per point and unit, by symbol or root in capitals: for futures whose contract size nothing else tells. */
  multipliers?: ReadonlyMap<string, number> | undefined;
  /** Takes fills that another format or account seems to have stated already for separate ones. */
  allowDuplicates?: boolean | undefined;
  /** Called where memory counts for more than time: before a file is read as a whole, and in a long one. */
  saveMemory?: () => void;
  /** Called before a long file is read as a whole, which takes seconds. */
  readingLong?: (file: string) => void;
  /** Called now and then while records, fills and trades are written. */
  progress?: (what: string, done: number, of: number) => void;
}

export interface FileReport extends FileChanges {
  file: string;
  format: string;
  resource: string;
  skipped: { reason: string; count: number }[];
  /** What the person should know about how it was read: the zone, what the export lacks. */
  notes: string[];
}

export interface ImportReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** The user's. */
  timezone: string;
  files: FileReport[];
  ignored: { file: string; reason: string }[];
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
  const mapped = map && mappedFormat(map);
  const { jobs, ignored, settings } = planImport(options.paths, options.as, options.format, mapped);
  const target = new Target({ ...options, settings: settings?.user });
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

/** @param reports gets that of each file when it is done */
function importFiles(jobs: readonly Job[], target: Target, options: ImportOptions, reports: FileReport[]): void {
  const { dryRun, timeZone, account, now, note, allowDuplicates, progress, saveMemory } = options;
  const multipliers = new GivenMultipliers(options.multipliers);
  const settings: WriteSettings = { user: target.user, timeZone, account, now: toInstantText(now) };
  let records: RecordImport | undefined;
  try {
    for (const [index, job] of jobs.entries()) {
      // Read first: where the first file can't be, no journal is made.
      const source = new Source(job);
      const reading = explaining(job, options, () => read(job, source, settings, options));
      explaining(job, options, () => {
        const db = target.open();
        records ??= new RecordImport(db, settings);
        // A dry run is one transaction, so that later files find the records of earlier ones.
        if (!dryRun || index === 0) target.begin();
        const tradesFollow = jobs.slice(index + 1).some(({ resource }) => resource.path === trades.path);
        const withTrades = jobs.slice(0, index).some(isRecordsOfTrades);
        const file = { job, reading, source, tradesFollow, withTrades };
        const how = {
          ...settings,
          multipliers,
          allowDuplicates,
          progress,
          boundMemory: () => target.boundMemory(),
          saveMemory,
        };
        const { changes, isNew } = writeFile(db, file, records, how);
        if (!dryRun && isNew) target.commit();
        else if (!dryRun) target.rollBack();
        reports.push(reportOf(job, changes, reading));
      });
      target.filled(index === 0);
      for (const line of reading.notes) note?.(`${job.file}: ${line}`);
    }
    for (const name of multipliers.unused) note?.(`--multiplier ${name} was not used: no file has fills of ${name}`);
  } finally {
    target.rollBack();
  }
}

function isRecordsOfTrades({ resource, format }: Job): boolean {
  return resource.path === trades.path && format.holds === undefined;
}

/** Bytes that take a second to read. */
const LONG = 5_000_000;

function read(job: Job, source: Source, { user, timeZone }: WriteSettings, options: ImportOptions): Reading {
  const { date, map, saveMemory, readingLong } = options;
  const { file, format, resource, notes } = job;
  const path = job.bytes ? null : file;
  const context = { resource, user, timeZone, fileName: path === null ? '' : basename(path), date };
  if (format.streamed) return format.read(() => source.blocks(), context);
  saveMemory?.();
  const bytes = source.bytes();
  if (bytes.length >= LONG) readingLong?.(file);
  if (notes) return map ? readMappedNotes(notes, map, context) : readNotes(notes, context);
  if (format.binary) return format.read(bytes, { ...context, path });
  const sheet = map ? undefined : sheetFor(format, bytes, context.fileName);
  return format.read(sheet ?? textOf({ file, bytes }, format.holds !== undefined), context);
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

function reportOf({ file, format, resource }: Job, changes: FileChanges, { skipped, notes }: Reading): FileReport {
  return {
    file,
    format: format.name,
    resource: resource.path,
    ...changes,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    notes,
  };
}
