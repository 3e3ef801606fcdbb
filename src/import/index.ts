/** The import: files in, records in the journal out, one transaction a file. */
import { existsSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf, UserError } from '../errors.ts';
import { userFor } from '../journal/choose-user.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import { toInstantText } from '../time.ts';
import { type Claim, checkClaims, derivedFields } from './claims.ts';
import { routeRow } from './feed.ts';
import type { FileRecord, Reading } from './formats/format.ts';
import { type Job, planImport } from './jobs.ts';
import { RecordWriter, type Values, type WriteSettings } from './record-writer.ts';
import { RowError } from './row-error.ts';
import { TradeWriter } from './trade-writer.ts';
import { addUser, newUser } from './users.ts';
import { createJournal, createJournalInMemory, openForWriting } from './writer.ts';

export interface ImportOptions {
  paths: readonly string[];
  /** The journal file; made where there is none. */
  journal: string;
  as?: string | undefined;
  format?: string | undefined;
  user?: string | undefined;
  account?: string | undefined;
  timeZone?: string | undefined;
  dryRun?: boolean | undefined;
  /** Epoch milliseconds: created_at and updated_at of what has none. */
  now: number;
  /** How long to wait for another program that uses the journal, in milliseconds. */
  patience?: number;
  /** Gets what the person should know while it happens. */
  note?: (line: string) => void;
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
  const { db, user } = openTarget(options);
  try {
    const run = new Run(db, user, jobs, options);
    const files = run.all();
    return { dry_run: options.dryRun === true, journal: options.journal, user: user.id, files, ignored };
  } finally {
    db.close();
  }
}

/** The journal to write to, and whose records they become. Where there is no journal one is made, for a dry run in memory. */
function openTarget(options: ImportOptions): { db: Database.Database; user: User } {
  const { journal, dryRun, now, note } = options;
  if (existsSync(journal))
    return { user: userFor(journal, options.user), db: openForWriting(journal, options.patience) };
  const user = newUser(options.user ?? 'me', {});
  const db = dryRun ? createJournalInMemory() : createJournal(journal);
  addUser(db, user, now);
  note?.(
    `There ${dryRun ? 'is' : 'was'} no journal at ${journal}: ${dryRun ? 'it would be' : 'it was'} made, with the user "${user.id}" (${user.timezone}, ${user.base_currency}; "journal-api user set" changes that)`,
  );
  return { db, user };
}

/** One import of one or more files. */
class Run {
  readonly #db: Database.Database;
  readonly #jobs: readonly Job[];
  readonly #options: ImportOptions;
  readonly #settings: WriteSettings;
  readonly #writers = new Map<ListResource, RecordWriter>();
  /** What group files say of sums that only their trades, in a later file, can bear out. */
  #awaitingTrades: Claim[] = [];

  constructor(db: Database.Database, user: User, jobs: readonly Job[], options: ImportOptions) {
    this.#db = db;
    this.#jobs = jobs;
    this.#options = options;
    const { timeZone, account, now } = options;
    this.#settings = { user, timeZone, account, now: toInstantText(now) };
  }

  all(): FileReport[] {
    const { dryRun } = this.#options;
    const reports: FileReport[] = [];
    if (dryRun) this.#begin(this.#jobs[0]);
    try {
      for (const [index, job] of this.#jobs.entries()) {
        const { records, skipped, notes } = this.#read(job);
        if (!dryRun) this.#begin(job);
        try {
          const written = this.#write(job, records, index);
          if (!dryRun) this.#db.exec('COMMIT');
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
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    }
  }

  #begin(job: Job | undefined): void {
    try {
      this.#db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      throw this.#explained(error, job);
    }
  }

  #read(job: Job): Reading {
    const { user, timeZone } = this.#settings;
    try {
      return job.format.read(textOf(job.file), { resource: job.resource, user, timeZone });
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
      const Writer = resource.path === trades.path ? TradeWriter : RecordWriter;
      writer = new Writer(this.#db, { ...resource, table: resource.table }, this.#settings);
      this.#writers.set(resource, writer);
    }
    return writer;
  }

  #explained(error: unknown, job: Job | undefined): unknown {
    const file = job?.file ?? '';
    if (error instanceof RowError) return error.at(file, undefined);
    if (!(error instanceof Database.SqliteError)) return error;
    const reason = error.code.startsWith('SQLITE_BUSY')
      ? 'another program is using the journal; try again when it is done'
      : `the journal can't be written: ${error.message}`;
    return new UserError(`${file}: ${reason}`, { cause: error });
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

function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UserError(`${file} can't be read: ${messageOf(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(`${file}: not UTF-8 text; save it as UTF-8 and try again`);
  }
}
