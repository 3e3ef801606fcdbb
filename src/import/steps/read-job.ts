/**
 * Reads a file for the journal as it is: in the order of dates and the zone of earlier
 * imports, with the present names of accounts, its fills as journal rows. Writes nothing.
 */
import { OnDemand } from '../../journal/once.ts';
import { hasAccount } from '../../journal/resources/cash-flows.ts';
import { trades } from '../../journal/resources/trades.ts';
import { AmbiguousDates, type DayOrder } from '../../parse/times.ts';
import { UserRows } from '../../sqlite/user-rows.ts';
import { sizesOfFormat, zoneOfFormat } from '../../statements/earlier-imports.ts';
import type { FileSource, Job } from '../files/contents.ts';
import { type ReadSettings, readFile } from '../files/read.ts';
import {
  type IncomingFill,
  incomingFills,
  platformOf,
  type Statement,
  statementOf,
} from '../fills/incoming.ts';
import {
  distinctIds,
  type FileRecord,
  factsHash,
  type Reading,
} from '../fills/reading.ts';
import {
  orderKnownIn,
  refuseExchanged,
  type SettledTimes,
  settleTimes,
  type UnknownOrders,
} from '../fills/written-times.ts';
import type { FileSettings, OpenJournal } from './file-settings.ts';

/** The steps of notes, which only some files need. */
export const noteSteps = new OnDemand('the steps of notes', async () => {
  const { foundRecords } = await import('../../notes/find-records.ts');
  const { NotedChanges } = await import('../../notes/note-changes.ts');
  const { NoteVersions } = await import('../../statements/note-versions.ts');
  const { keepPictures, pictureSource, withPictures } = await import(
    './note-pictures.ts'
  );
  return {
    foundRecords,
    keepPictures,
    NotedChanges,
    NoteVersions,
    pictureSource,
    withPictures,
  };
});

/** What is left of a source once it is read. */
export type ReadSource = Pick<
  FileSource,
  'sha256' | 'isRepeatable' | 'done' | 'size' | 'held'
>;

/** A reading, with its fills as journal rows. */
export interface ReadJob {
  job: Job;
  source: ReadSource;
  journal: OpenJournal;
  reading: Omit<Reading, 'fills'>;
  incoming: IncomingFill[];
  /** Accounts of records as the file states them, by id, if they were renamed. */
  renamed: Map<unknown, string>;
  statement: Statement;
  times: SettledTimes;
}

/**
 * @param open called once the file is read, or if only the journal tells how to read it
 */
export function readJob(
  given: Job,
  source: FileSource,
  open: () => OpenJournal,
  typed: FileSettings,
): ReadJob {
  const { job, settings } = given.notes
    ? noteSteps.value.withPictures(given, typed)
    : { job: given, settings: typed };
  let opened: OpenJournal | undefined;
  const openOnce = () => {
    opened ??= open();
    return opened;
  };

  const { fills, ...reading } = readInKnownOrder(job, source, openOnce, settings);
  const journal = openOnce();
  const { flows, records, notes } = reading;
  const asRead = { fills, flows, records, notes };
  const times = settledTimes(job, asRead, journal, settings);
  reading.notes = asRead.notes;

  const renamed = new Map<unknown, string>();
  if (!holdsClosedTrades(job, reading)) {
    if (Array.isArray(reading.records))
      keepFormerIds(job, reading.records, journal, settings);
    reading.records = withPresentAccounts(
      job,
      reading.records,
      journal,
      settings,
      renamed,
    );
  }

  if (reading.problems) {
    const { foundRecords } = noteSteps.value;
    const { id: again, former } = settings.again ?? {};
    reading.records = foundRecords(
      journal.db,
      { ...settings.write, again, former },
      reading,
    );
  }

  const { account, user } = settings.write;
  const { multipliers, allowDuplicates } = settings.rows;
  const rows = new UserRows(journal.db, user.id);
  const incoming = incomingFills(
    fills,
    {
      format: job.format,
      account,
      names: journal.names,
      platformIn: platformsOf(job, journal, settings),
      multipliers,
      earlierSizes: sizesOfFormat(rows, job.format.name, account ?? null),
      notes: reading.notes,
    },
    journal.fills,
  );
  if (reading.dates && !allowDuplicates) {
    refuseExchanged(asRead, reading.dates.order, unknownOrders(job, journal));
  }

  const statement = statementOf(reading.stated, fills);
  return { job, source, journal, reading, incoming, renamed, statement, times };
}

/**
 * The keys by which the file's fills are walked together, by account: those of an account
 * that has a name join across formats.
 */
export function platformsOf(
  { format }: Pick<Job, 'format'>,
  { fills }: Pick<OpenJournal, 'fills'>,
  { again }: Pick<FileSettings, 'again'>,
): (account: string | null) => string {
  const known = new Map<string | null, string>();
  return (account) => {
    let platform = known.get(account);
    if (platform === undefined) {
      const without = again?.isReread ? again.id : undefined;
      platform = fills.platformIn(account, platformOf(format), without);
      known.set(account, platform);
    }
    return platform;
  };
}

/**
 * Reads a file whose dates fit two orders in the one under which the journal has its
 * rows.
 */
function readInKnownOrder(
  job: Job,
  source: FileSource,
  open: () => OpenJournal,
  { write, reading, host }: FileSettings,
): Reading {
  const { user, timeZone } = write;
  const read = (other?: Pick<ReadSettings, 'earlierDates'>) =>
    readFile(job, source, { user, timeZone, ...reading, ...other }, host);
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AmbiguousDates) || error.unknown.length === 0) throw error;

    const readIn = (order: DayOrder) =>
      read({ earlierDates: () => ({ order, imports: [] }) });
    const known = orderKnownIn(unknownOrders(job, open(), error.unknown), readIn);
    if (known === undefined) throw error;
    return readIn(known);
  }
}

/**
 * Imports of a file's format whose order of dates is unknown.
 * @param ids all by default
 */
function unknownOrders(
  { format }: Job,
  { fills, imports }: OpenJournal,
  ids?: readonly number[],
): UnknownOrders {
  const unknown = imports
    .withoutOrder(format.name)
    .filter(({ id }) => ids?.includes(id) !== false);
  return { unknown, fills, imports, format };
}

/**
 * Turns times without a zone into instants. The notes of the reading then say in which
 * zone.
 */
function settledTimes(
  { format, resource }: Job,
  reading: Pick<Reading, 'fills' | 'flows' | 'records' | 'notes'>,
  { db }: OpenJournal,
  { write, rows }: FileSettings,
): SettledTimes {
  const userRows = new UserRows(db, write.user.id);
  const ofLatest = (account: string | null) =>
    zoneOfFormat(userRows, format.name, account);
  return settleTimes(reading, {
    userZone: write.user.timezone,
    areTrades: resource === trades,
    account: write.account ?? null,
    earlierZone: rows.earlierZone ?? ofLatest,
  });
}

/**
 * Whether the records of a file are trades that are found in the journal by what files
 * wrote.
 */
export function holdsClosedTrades(
  { format, notes }: Job,
  { records }: Pick<Reading, 'records'>,
): boolean {
  return format.holds === trades.path && notes === undefined && Array.isArray(records);
}

/** Records keep the ids that earlier versions hashed of their times in UTC. */
function keepFormerIds(
  { resource: { table } }: Job,
  records: readonly FileRecord[],
  { db }: OpenJournal,
  { write: { user } }: FileSettings,
): void {
  if (table === null || !records.some(({ hashed }) => hashed)) return;

  const find = db.prepare(`SELECT 1 FROM ${table} WHERE user_id = ? AND id = ?`);
  const distinct = distinctIds();

  for (const { hashed, values } of records) {
    if (!hashed) continue;
    const former = distinct(hashed.prefix + factsHash(hashed.facts));
    if (find.get(user.id, former)) values['id'] = former;
  }
}

/**
 * Records with the present names of their accounts.
 * @param renamed receives the accounts that the file states, by id
 */
function withPresentAccounts(
  { resource }: Job,
  records: Reading['records'],
  { db, names }: OpenJournal,
  { write: { user, account } }: FileSettings,
  renamed: Map<unknown, string>,
): Reading['records'] {
  if (!hasAccount(resource) || names.isEmpty) return records;

  const stored = db.prepare(
    `SELECT 1 FROM ${resource.table} WHERE user_id = ? AND id = ?`,
  );
  const present = (record: FileRecord): FileRecord => {
    const { id, account: stated = account } = record.values;
    // A known record without an account in the file keeps its own.
    if (stated === undefined && stored.get(user.id, id)) return record;
    const now = names.of((stated as string | null | undefined) ?? null);
    if (now === (stated ?? null)) return record;
    renamed.set(id, String(stated ?? ''));
    return { ...record, values: { ...record.values, account: now } };
  };

  if (Array.isArray(records)) return records.map(present);
  return {
    *[Symbol.iterator]() {
      for (const record of records) yield present(record);
    },
  };
}
