/** The import: files in, records in the journal out, one transaction a file. */
import { basename } from 'node:path';
import { UserError } from '../errors.ts';
import { trades } from '../journal/resources/trades.ts';
import { explainWriting } from '../journal-write/open.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { RowError } from '../journal-write/row-error.ts';
import { toInstantText } from '../time.ts';
import type { Reading } from './formats/format.ts';
import { type Job, planImport } from './plan.ts';
import { RecordImport } from './records.ts';
import { Target, type TargetOptions } from './target.ts';
import { bytesOf, textOf } from './text.ts';

export interface ImportOptions extends TargetOptions {
  /** Files, folders, and - for standard input. */
  paths: readonly string[];
  as?: string | undefined;
  format?: string | undefined;
  account?: string | undefined;
  timeZone?: string | undefined;
  /** The day of exports that have times only. */
  date?: string | undefined;
  /** Called now and then while records are written. */
  progress?: (file: string, done: number, of: number) => void;
}

interface FileReport {
  file: string;
  format: string;
  resource: string;
  added: number;
  changed: number;
  unchanged: number;
  skipped: { reason: string; count: number }[];
}

export interface ImportReport {
  dry_run: boolean;
  journal: string;
  user: string;
  files: FileReport[];
  ignored: { file: string; reason: string }[];
}

const PROGRESS_EVERY = 500;

/**
 * @throws UserError that names file, line, field and reason; the files before that one stay imported, of it nothing is
 */
export function importPaths(options: ImportOptions): ImportReport {
  const { jobs, ignored } = planImport(options.paths, options.as, options.format);
  const target = new Target(options);
  try {
    const files = importFiles(jobs, target, options);
    return { dry_run: options.dryRun === true, journal: options.journal, user: target.user.id, files, ignored };
  } finally {
    target.close();
  }
}

function importFiles(jobs: readonly Job[], target: Target, options: ImportOptions): FileReport[] {
  const { dryRun, timeZone, account, now, note } = options;
  const settings: WriteSettings = { user: target.user, timeZone, account, now: toInstantText(now) };
  const reports: FileReport[] = [];
  let records: RecordImport | undefined;
  try {
    for (const [index, job] of jobs.entries()) {
      // Read first: where the first file can't be, no journal is made.
      const reading = explaining(job, options, () => read(job, settings, options.date));
      explaining(job, options, () => {
        const db = target.open();
        records ??= new RecordImport(db, settings);
        // A dry run is one transaction, so that later files find the records of earlier ones.
        if (!dryRun || index === 0) db.exec('BEGIN IMMEDIATE');
        const tradesFollow = jobs.slice(index + 1).some(({ resource }) => resource.path === trades.path);
        const counts = records.write(
          { ...job, records: reading.records, tradesFollow },
          progressOf(job, reading, options),
        );
        if (!dryRun) db.exec('COMMIT');
        reports.push(reportOf(job, counts, reading));
      });
      target.filled(index === 0);
      for (const line of reading.notes) note?.(`${job.file}: ${line}`);
    }
    return reports;
  } catch (error) {
    throw dryRun ? error : withFilesBefore(error, reports.length);
  } finally {
    target.rollBack();
  }
}

function read(job: Job, { user, timeZone }: WriteSettings, date: string | undefined): Reading {
  const { file, format, resource, bytes } = job;
  const context = { resource, user, timeZone, fileName: bytes ? '' : basename(file), date };
  return format.binary
    ? format.read(bytesOf(job), { ...context, path: bytes ? null : file })
    : format.read(textOf(job), context);
}

/** Does something with a file; what goes wrong is said with its name, or the journal's. */
function explaining<T>({ file }: Job, { journal }: ImportOptions, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RowError ? error.at(file, undefined) : explainWriting(journal, error);
  }
}

function progressOf({ file }: Job, { records }: Reading, { progress }: ImportOptions): (done: number) => void {
  return (done) => {
    if (done % PROGRESS_EVERY === 0 || done === records.length) progress?.(file, done, records.length);
  };
}

function reportOf(job: Job, counts: Record<Change, number>, { skipped }: Reading): FileReport {
  return {
    file: job.file,
    format: job.format.name,
    resource: job.resource.path,
    ...counts,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
  };
}

function withFilesBefore(error: unknown, count: number): unknown {
  if (!(error instanceof UserError) || count === 0) return error;
  const before = count === 1 ? 'the file before it was imported' : `${count} files before it were imported`;
  return new UserError(`${error.message} (${before})`, { cause: error });
}
