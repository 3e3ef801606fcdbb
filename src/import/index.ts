/** The import: files in, records in the journal out, one transaction a file. */
import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import { type Claim, checkClaims, derivedFields } from '../journal-write/derived-values.ts';
import { explainWriting } from '../journal-write/open.ts';
import type { Values, WriteSettings } from '../journal-write/record.ts';
import { RecordWriter } from '../journal-write/record-writer.ts';
import { RowError } from '../journal-write/row-error.ts';
import { toInstantText } from '../time.ts';
import type { FileRecord, Reading } from './formats/format.ts';
import { routeRow } from './journal-rows.ts';
import { type Job, planImport } from './plan.ts';
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
    const files = new Run(target, jobs, options).all();
    return { dry_run: options.dryRun === true, journal: options.journal, user: target.user.id, files, ignored };
  } finally {
    target.close();
  }
}

/** One import of one or more files. */
class Run {
  readonly #target: Target;
  readonly #jobs: readonly Job[];
  readonly #options: ImportOptions;
  readonly #settings: WriteSettings;
  readonly #writers = new Map<ListResource, RecordWriter>();
  /** What group files say of sums that only their trades, in a later file, can bear out. */
  #awaitingTrades: Claim[] = [];

  constructor(target: Target, jobs: readonly Job[], options: ImportOptions) {
    this.#target = target;
    this.#jobs = jobs;
    this.#options = options;
    const { timeZone, account, now } = options;
    this.#settings = { user: target.user, timeZone, account, now: toInstantText(now) };
  }

  all(): FileReport[] {
    const { dryRun } = this.#options;
    const reports: FileReport[] = [];
    try {
      for (const [index, job] of this.#jobs.entries()) {
        const { records, skipped, notes } = this.#read(job);
        try {
          // A dry run is one transaction, so that later files find the records of earlier ones.
          if (!dryRun || index === 0) this.#db.exec('BEGIN IMMEDIATE');
          const written = this.#write(job, records, index);
          if (!dryRun) this.#db.exec('COMMIT');
          this.#target.filled(index === 0);
          reports.push({ ...written, skipped: [...skipped].map(([reason, count]) => ({ reason, count })) });
        } catch (error) {
          throw this.#explained(error, job);
        }
        for (const line of notes) this.#options.note?.(`${job.file}: ${line}`);
      }
      return reports;
    } catch (error) {
      if (error instanceof UserError && !dryRun && reports.length > 0) {
        const before =
          reports.length === 1 ? 'the file before it was imported' : `${reports.length} files before it were imported`;
        throw new UserError(`${error.message} (${before})`, { cause: error });
      }
      throw error;
    } finally {
      this.#target.rollBack();
    }
  }

  get #db(): Database.Database {
    return this.#target.open();
  }

  #read(job: Job): Reading {
    const { user, timeZone } = this.#settings;
    try {
      const { file, format, resource, bytes } = job;
      const fileName = bytes ? '' : basename(file);
      const context = { resource, user, timeZone, fileName, date: this.#options.date };
      return format.binary
        ? format.read(bytesOf(job), { ...context, path: bytes ? null : file })
        : format.read(textOf(job), context);
    } catch (error) {
      throw this.#explained(error, job);
    }
  }

  #write(job: Job, records: readonly FileRecord[], index: number): Omit<FileReport, 'skipped'> {
    const counts = { added: 0, changed: 0, unchanged: 0 };
    const claims: Claim[] = [];
    const lines = new Map<string, number>();
    records.forEach(({ line, values: row }, done) => {
      if (done % PROGRESS_EVERY === 0) this.#options.progress?.(job.file, done, records.length);
      try {
        const { resource, values } =
          job.resource.table === null ? routeRow(row) : { resource: job.resource, values: row };
        const { id } = values;
        const key = `${resource.path} ${id}`;
        const earlier = typeof id === 'string' ? lines.get(key) : undefined;
        if (earlier !== undefined)
          throw new RowError('id', `"${id}" is on line ${earlier} already: which of the two is right?`);
        lines.set(key, line);
        counts[this.#writerOf(resource).put(values)]++;
        const claimed = claimsIn(resource, values);
        if (claimed) claims.push({ resource, id: id as string, values: claimed, file: job.file, line });
      } catch (error) {
        throw error instanceof RowError ? error.at(job.file, line) : error;
      }
    });
    this.#options.progress?.(job.file, records.length, records.length);
    this.#settle(claims, index);
    return { file: job.file, format: job.format.name, resource: job.resource.path, ...counts };
  }

  /** Checks what can be checked by now, and keeps what waits for a trades file of this import. */
  #settle(claims: Claim[], index: number): void {
    const tradesFollow = this.#jobs.slice(index + 1).some(({ resource }) => resource.path === trades.path);
    const isGroup = ({ resource }: Claim) => resource.source === 'trade_group_records';
    const due = tradesFollow ? claims.filter((claim) => !isGroup(claim)) : [...this.#awaitingTrades, ...claims];
    this.#awaitingTrades = tradesFollow ? [...this.#awaitingTrades, ...claims.filter(isGroup)] : [];
    checkClaims(this.#db, this.#settings.user, due);
  }

  #writerOf(resource: ListResource): RecordWriter {
    let writer = this.#writers.get(resource);
    if (!writer) {
      if (resource.table === null) throw new Error(`${resource.path} is no table`);
      writer = new RecordWriter(this.#db, { ...resource, table: resource.table }, this.#settings);
      this.#writers.set(resource, writer);
    }
    return writer;
  }

  #explained(error: unknown, { file }: Job): unknown {
    return error instanceof RowError ? error.at(file, undefined) : explainWriting(this.#options.journal, error);
  }
}

const claimable = new Map<ListResource, string[]>();

/** The derived values in a row; undefined where there are none. */
function claimsIn(resource: ListResource, values: Values): Values | undefined {
  let names = claimable.get(resource);
  if (!names) {
    names = derivedFields(resource);
    claimable.set(resource, names);
  }
  const given = names.filter((name) => Object.hasOwn(values, name) && values[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, values[name]]));
}
