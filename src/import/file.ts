/**
 * The steps of importing one file, in order: read it and add it to the list of imports; find its
 * closed trades in the journal; write its records, or restore the fills of an export; compare
 * closed trades with fills; compare and write fills (steps in fills/store-fills.ts); fill missing
 * exchange rates. Then make trades from the fills, complete the list and report.
 */
import { basename, resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { type Problem, RowError, UserError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import { explainWriting } from '../journal-write/open.ts';
import type { GivenRecord, WriteSettings } from '../journal-write/record.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { NotFinite } from '../money.ts';
import { foundRecords } from '../notes/find-records.ts';
import { settleMarkets } from '../notes/missed-markets.ts';
import { byPlace, NotedChanges } from '../notes/note-changes.ts';
import type { NoteEdit } from '../notes/put-edited.ts';
import { AccountNames } from '../statements/accounts.ts';
import {
  addRates,
  applyRates,
  type DailyRates,
  type RateChange,
} from '../statements/exchange-rates.ts';
import type { ImportEntry, ImportOptionsKept } from '../statements/exported-imports.ts';
import { lackingFees } from '../statements/fee-rates.ts';
import { fills as exportedFills } from '../statements/fill-row.ts';
import { FillTable } from '../statements/fills.ts';
import { ImportTable, type NewImport, type StatedTrade } from '../statements/imports.ts';
import { LineStatements, type Said } from '../statements/line.ts';
import { NoteVersions } from '../statements/note-versions.ts';
import { StatedRecords, type Whole } from '../statements/stated-records.ts';
import type { WrittenTrade } from '../statements/statement-table.ts';
import { keepFile } from './files/bytes.ts';
import { contentsOf, FileSource, isNameless, type Job } from './files/contents.ts';
import { importsNextTo } from './files/exported.ts';
import { type ReadSettings, readFile } from './files/read.ts';
import { refuseClosedTrades } from './fills/duplicates.ts';
import { type RestoredFills, restoreFills } from './fills/exported-fills.ts';
import {
  type IncomingFill,
  incomingFills,
  platformOf,
  type Statement,
  statementOf,
} from './fills/incoming.ts';
import { orderKnownIn, refuseExchanged, type UnknownOrders } from './fills/known-order.ts';
import { knownTrades } from './fills/known-trades.ts';
import { type MadeTrades, makeTrades } from './fills/make-trades.ts';
import type { GivenMultipliers } from './fills/multiplier.ts';
import { type FileRecord, type Reading, sumOf } from './fills/reading.ts';
import { type StoredFills, storeFills } from './fills/store-fills.ts';
import { type SettledTimes, settleTimes, type TimeSettings } from './fills/written-times.ts';
import { FORMATS } from './formats/index.ts';
import { AmbiguousDates, type DayOrder } from './parse/date-order.ts';
import { fillReport } from './report/fill-report.ts';
import { type Notice, quoted, unlikelyZone } from './report/notices.ts';
import type { FileReport } from './report/report.ts';
import { distinctIds, factsHash } from './tables/closed-trade.ts';
import { NO_FEES } from './tables/declaration.ts';
import { revisionOf } from './tables/format.ts';
import { type RecordChanged, RecordImport, WrongStops } from './write/records.ts';

export type FileSettings = WriteSettings &
  ReadSettings & {
    multipliers: GivenMultipliers;
    allowDuplicates: boolean;
    groups?: boolean | undefined;
    progress?: ((what: string, done: number, of: number) => void) | undefined;
    /** Called once if the import is large enough that memory must be bounded. */
    boundMemory: () => void;
    collectGarbage?: (() => void) | undefined;
    /** Options as typed, and the mapping's contents, for the list of imports. */
    kept: ImportOptionsKept;
    folder?: string | undefined;
    /** The id of an import whose file is imported again. */
    again?: number | undefined;
    /** Whether it is read as it was: its fills join what the others state of their accounts. */
    isReread?: boolean | undefined;
    /**
     * Records before their file was imported again, by resource and id: it receives those that
     * change.
     */
    before?: Map<string, Whole | undefined> | undefined;
    /** Of notes that are imported again: ids of the records on their lines. */
    former?: ReadonlyMap<string, string> | undefined;
    /**
     * The zone that times without one follow, if not that of the latest import of the format and
     * account.
     */
    earlierZone?: TimeSettings['earlierZone'] | undefined;
    /**
     * Of an edited note that is imported again: names of the fields that it states, null of a
     * removed record.
     */
    formerly?: ReadonlyMap<string, readonly string[] | null> | undefined;
    /** The path of its file, if the file itself isn't read. */
    path?: string | null | undefined;
    dryRun?: boolean | undefined;
    /** False: the journal doesn't keep the file's bytes. */
    keep?: boolean | undefined;
    mapping: string | null;
    /** Whether a file of trades follows in the same import. */
    tradesFollow: boolean;
    /** Whether the fills of an export follow in the same import. */
    fillsFollow: boolean;
    /** Whether records of trades came before in the same import. */
    withTrades: boolean;
  };

export interface OpenJournal {
  db: Database.Database;
  records: RecordImport;
  fills: FillTable;
  imports: ImportTable;
  names: AccountNames;
  stated: StatedRecords;
}

export function openedJournal(
  db: Database.Database,
  settings: WriteSettings,
  fills = new FillTable(db, settings.user.id),
): OpenJournal {
  const { id } = settings.user;
  const records = new RecordImport(db, fills, settings);
  const imports = new ImportTable(db, id);
  const stated = new StatedRecords(db, settings, imports.statements);
  return { db, records, fills, imports, names: new AccountNames(db, id), stated };
}

export interface FileResult {
  report: FileReport;
  /** Whether the transaction has anything to commit. */
  isNew: boolean;
  changesFills: boolean;
  notices: Notice[];
  times: SettledTimes;
}

/**
 * @param open called once the file is read: if the first file can't be read, no journal is created
 * @throws RowError, UserError if the file can't be imported; the caller rolls the transaction back
 */
export function importFile(job: Job, open: () => OpenJournal, settings: FileSettings): FileResult {
  // The reading is released before trades are made: together they would need too much memory for a
  // long file.
  const stored = readAndStored(job, open, settings);
  const { before, isSettled } = stored.restored ?? { ...stored.fills, isSettled: undefined };
  const { db, fills } = stored.journal;
  const made = makeTrades(db, before, fills, withFileName(job, settings), { isSettled });
  const result = completeFile(stored, made, settings);
  if (result.isNew && isKeeping(settings)) keep(stored, result.report, settings);
  return result;
}

function isKeeping({ keep, dryRun }: FileSettings): boolean {
  return keep !== false && dryRun !== true;
}

/** Keeps the file's bytes, unless the import isn't listed. The report says why they aren't kept. */
function keep(stored: StoredFile, report: FileReport, settings: FileSettings): void {
  const { job, journal, importId, sha256, source } = stored;
  if (!journal.imports.find(importId)) return;

  if (source.done >= LARGE.bytes) settings.boundMemory();
  const { held } = source;
  const file = { job, importId, sha256, held, printed: settings.printed };
  const why = keepFile(journal.db, journal.imports, file);
  if (why !== undefined) report.notes = [...report.notes, why];
}

/** Runs a step; its errors name the file or the journal. */
export function explaining<T>({ file }: Pick<Job, 'file'>, journal: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotFinite) {
      throw new UserError(
        `${file}: quantities or prices are too large or too small to compute with; correct them`,
      );
    }
    throw error instanceof RowError ? error.at(file, undefined) : explainWriting(journal, error);
  }
}

function readAndStored(job: Job, open: () => OpenJournal, settings: FileSettings): StoredFile {
  const source = new FileSource(job, isKeeping(settings));
  return storeFile(readJob(job, source, open, settings), settings);
}

/** Result of storing a file, before trades are made. */
export interface StoredFile {
  job: Job;
  journal: OpenJournal;
  source: ReadSource;
  importId: number;
  sha256: string;
  rows: number;
  /** Of records, or of an export's fills. */
  counts: Record<Change, number>;
  fills: StoredFills;
  /** Undefined unless the file holds an export's fills. */
  restored: RestoredFills | undefined;
  hasRates: boolean;
  /** Number of notes with a new path. */
  movedNotes: number;
  /** Whether an edited note states anything, or notes anything else than their former versions. */
  statesRecords: boolean;
  earlier: ImportEntry | undefined;
  statement: Statement;
  times: SettledTimes;
  /** Whether its times were read in a zone that makes no sense for them. */
  zone: Notice[];
  skipped: Reading['skipped'];
  notes: string[];
  problems: Problem[];
  /** Changes of an edited note that weren't stored. */
  refused: string[];
}

/** What is left of a source once it is read. */
type ReadSource = Pick<FileSource, 'sha256' | 'isRepeatable' | 'done' | 'size' | 'held'>;

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

export function readJob(
  job: Job,
  source: FileSource,
  open: () => OpenJournal,
  settings: FileSettings,
): ReadJob {
  let opened: OpenJournal | undefined;
  const openOnce = () => {
    opened ??= open();
    return opened;
  };
  const { fills, ...reading } = readInKnownOrder(job, source, openOnce, settings);
  const journal = openOnce();
  const { records, notes } = reading;
  const written = { fills, records, notes };
  const times = settleTimes(written, {
    userZone: settings.user.timezone,
    areTrades: job.resource === trades,
    account: settings.account ?? null,
    earlierZone:
      settings.earlierZone ?? ((account) => journal.imports.latestZone(job.format.name, account)),
  });
  reading.notes = written.notes;
  const renamed = new Map<unknown, string>();
  if (!holdsClosedTrades(job, reading)) {
    if (Array.isArray(reading.records)) keepFormerIds(job, reading.records, journal, settings);
    reading.records = renamedAccounts(job, reading.records, journal, settings, renamed);
  }
  if (reading.problems) reading.records = foundRecords(journal.db, settings, reading);
  const incoming = incomingFills(
    fills,
    {
      ...settings,
      format: job.format,
      names: journal.names,
      earlierSizes: journal.imports.latestSizes(job.format.name, settings.account ?? null),
      platformIn: platformsOf(job, journal, settings),
      notes: reading.notes,
    },
    journal.fills,
  );
  const { dates } = reading;
  if (dates && !settings.allowDuplicates)
    refuseExchanged(written, dates.order, unknownOrders(job, journal));
  const statement = statementOf(reading.stated, fills);
  return { job, source, journal, reading, incoming, renamed, statement, times };
}

/**
 * The keys by which the file's fills are walked together, by account: those of an account that has
 * a name join across formats.
 */
export function platformsOf(
  { format }: Pick<Job, 'format'>,
  { fills }: Pick<OpenJournal, 'fills'>,
  { again, isReread }: Pick<FileSettings, 'again' | 'isReread'>,
): (account: string | null) => string {
  const known = new Map<string | null, string>();
  return (account) => {
    let platform = known.get(account);
    if (platform === undefined) {
      platform = fills.platformIn(account, platformOf(format), isReread ? again : undefined);
      known.set(account, platform);
    }
    return platform;
  };
}

/** Records keep the ids that earlier versions hashed of their times in UTC. */
function keepFormerIds(
  { resource: { table } }: Job,
  records: readonly FileRecord[],
  { db }: OpenJournal,
  { user }: FileSettings,
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

/** Whether the records of a file are trades that are found in the journal by what files wrote. */
function holdsClosedTrades({ format, notes }: Job, { records }: Pick<Reading, 'records'>): boolean {
  return format.holds === trades.path && notes === undefined && Array.isArray(records);
}

/**
 * Gives closed trades the ids and accounts that they have in the journal.
 * @returns what the file wrote of each, by id
 */
function foundTrades(
  { job, reading, journal, times, renamed }: ReadJob,
  settings: FileSettings,
): Map<unknown, WrittenTrade> {
  const written = new Map<unknown, WrittenTrade>();
  if (!holdsClosedTrades(job, reading)) return written;
  const { user, account = null, mapping, allowDuplicates } = settings;
  const { records, notes } = knownTrades(reading.records as FileRecord[], {
    format: job.format,
    imports: journal.imports,
    names: journal.names,
    account,
    userZone: user.timezone,
    zone: times.zone,
    mapping,
    allowDuplicates,
  });
  reading.records = records;
  reading.notes = [...reading.notes, ...notes];
  for (const { values, clock = null, digits = null, formerAccount } of records) {
    written.set(values['id'], { clock, digits });
    if (formerAccount !== undefined) renamed.set(values['id'], formerAccount);
  }
  return written;
}

/** Reads a file whose dates fit two orders in the one under which the journal has its rows. */
function readInKnownOrder(
  job: Job,
  source: FileSource,
  open: () => OpenJournal,
  settings: FileSettings,
): Reading {
  try {
    return readFile(job, source, settings);
  } catch (error) {
    if (!(error instanceof AmbiguousDates) || error.unknown.length === 0) throw error;
    const reading = (order: DayOrder) =>
      readFile(job, source, { ...settings, earlierDates: () => ({ order, imports: [] }) });
    const known = orderKnownIn(unknownOrders(job, open(), error.unknown), reading);
    if (known === undefined) throw error;
    return reading(known);
  }
}

/** Imports of a file's format whose order of dates is unknown. @param ids all by default */
function unknownOrders(
  { format }: Job,
  { fills, imports }: OpenJournal,
  ids?: readonly number[],
): UnknownOrders {
  const unknown = imports.withoutOrder(format.name).filter(({ id }) => ids?.includes(id) !== false);
  return { unknown, fills, imports, format };
}

/** Records of trades with the present names of their accounts. */
function renamedAccounts(
  { resource }: Job,
  records: Reading['records'],
  { db, names }: OpenJournal,
  { user, account }: FileSettings,
  renamed: Map<unknown, string>,
): Reading['records'] {
  if (resource !== trades || names.isEmpty) return records;
  const stored = db.prepare('SELECT 1 FROM trades WHERE user_id = ? AND id = ?');
  const present = (record: FileRecord): FileRecord => {
    const { id, account: own = account } = record.values;
    // A known trade without an account in the file keeps its own.
    if (own === undefined && stored.get(user.id, id)) return record;
    const now = names.of((own as string | null | undefined) ?? null);
    if (now === (own ?? null)) return record;
    renamed.set(id, String(own ?? ''));
    return { ...record, values: { ...record.values, account: now } };
  };
  if (Array.isArray(records)) return records.map(present);
  return {
    *[Symbol.iterator]() {
      for (const record of records) yield present(record);
    },
  };
}

export function storeFile(read: ReadJob, settings: FileSettings): StoredFile {
  const { job, source, journal, reading, incoming, renamed, statement, times } = read;
  const { file, format, resource } = job;
  const { tradesFollow, fillsFollow, allowDuplicates } = settings;
  const { records, imports } = journal;
  const importId = imports.add(entryOf(job, settings, reading), settings.again);
  imports.setZone(importId, times.zone);
  const clocks = foundTrades(read, settings);
  const [stops, noted] = [new WrongStops(), new NotedChanges()];
  const { problems } = reading;
  const refused: string[] = [];
  const { stated } = journal;
  const line = new LineStatements(stated, importId, settings.before);
  // What an editor saved is no version of a note that lies somewhere.
  const isNote = !isNameless(job) && !settings.printed;
  const paths = isNote ? (job.notes ?? []).map(({ file: own }) => resolve(own)) : [];
  const versions = new NoteVersions(line, paths);
  const added = new Set<unknown>();
  const changed: RecordChanged = (of, { path, ...said }, ...change) => {
    const [stored, whole] = change;
    stops.look(of, ...change);
    if (stored && stored !== whole && job.notes) noted.seen(of, stored.record);
    const { id } = whole.record;
    if (!stored && format.holds === trades.path) added.add(id);
    const account = renamed.get(id);
    return line.note(of, ...change, {
      ...said,
      ...(path !== undefined && isNote && { path }),
      ...(account !== undefined && { account }),
      ...clocks.get(id),
    });
  };
  const progress = progressOf(file, reading, source, settings);
  const restored =
    resource === exportedFills
      ? restore(job, reading, source, { journal, importId }, settings)
      : undefined;
  const given = {
    ...{
      file,
      resource,
      records: reading.records,
      tradesFollow,
      fillsFollow,
      isRepeatable: source.isRepeatable,
    },
    areNotes: job.notes !== undefined,
    changed,
    isSaid: (of: ListResource, values: GivenRecord, { path = '', ...said }: Said) =>
      versions.isSaid(of, values, { ...said, path: isNote ? path : '' }),
    edit: settings.printed && noteEdit(settings, line, noted, refused),
    problems,
    notes: reading.notes,
  };
  const written = restored?.counts ?? records.write(given, progress);
  const unread = new Set((problems ?? []).map((problem) => resolve(problem.file)));
  versions.settle(settings.user.id, (of, before) => noted.seen(of, before), unread);
  const counts = job.notes
    ? countsOf(
        written,
        noted.compare((of, id) => stated.find(of, id)),
      )
    : written;
  imports.statements.write();
  // A file of records is read while they are written: its hash is known only now.
  const { sha256 } = source;
  const earlier = imports
    .ofFile(sha256)
    .find((own) => own.format === format.name && own.resource === contentsOf(job));
  if (earlier && settings.again === undefined) counts.added -= line.removeRevived(settings.user.id);
  if (!allowDuplicates && format.holds === trades.path) {
    refuseClosedTrades(newTrades(reading, added, settings), format, journal);
  }
  if (incoming.length >= LARGE.records) {
    settings.boundMemory();
    settings.collectGarbage?.();
  }
  const how = {
    ...withFileName(job, settings),
    format,
    zone: times.zone,
    closedTradeFormats: closedTradeFormats(job),
  };
  const fills = storeFills(journal, incoming, importId, how);
  const isNew = settings.again === undefined;
  if (earlier && isNew && fills.added > 0 && !allowDuplicates)
    throw readDifferently(earlier, settings.kept);
  if (reading.rates && !earlier)
    addRates(journal.db, settings.user.id, importId, tableOf(reading.rates, settings));
  return {
    ...{
      job,
      journal,
      source,
      importId,
      sha256,
      fills,
      restored,
      earlier,
      hasRates: reading.rates !== undefined,
    },
    counts,
    // What a new note states is there already: it leaves no line.
    statesRecords: settings.printed ? line.hasStated : versions.isOther,
    movedNotes: versions.moved,
    rows: reading.rows ?? totalOf(counts) + sumOf(reading.skipped),
    statement,
    times,
    zone: zoneNotice(job, times, incoming, settings, earlier?.id ?? importId),
    skipped: reading.skipped,
    notes: [
      ...reading.notes,
      ...fills.notes,
      ...noted.notes(problems !== undefined),
      ...stops.notes,
    ],
    refused,
    problems: (problems ?? []).sort(byPlace),
  };
}

/** @param refused receives what an edited note can't change */
function noteEdit(
  { user, formerly }: FileSettings,
  line: LineStatements,
  noted: NotedChanges,
  refused: string[],
): Omit<NoteEdit, 'problems' | 'state'> {
  return {
    refused,
    formerly,
    remove(of, own, id, place) {
      if (own) noted.seen(of, own.record);
      line.remove(of, own, { user: user.id, id, place });
    },
  };
}

/**
 * Counts of records once former versions of their notes are settled. @param changed or removed by
 * then
 */
function countsOf(
  { added, ...others }: Record<Change, number>,
  changed: number,
): Record<Change, number> {
  return { added, changed, unchanged: Math.max(0, others.changed + others.unchanged - changed) };
}

export function completeFile(
  stored: StoredFile,
  made: MadeTrades,
  settings: FileSettings,
): FileResult {
  const { user, again } = settings;
  const { job, journal } = stored;
  const { db, imports } = journal;
  const { importId, sha256, rows, fills, restored, earlier, hasRates } = stored;
  const { file, format } = job;
  settleMarkets(db, settings);
  const { filled, missing } = applyRates(db, user);
  const rates = hasRates ? { filled, missing } : null;
  const counts = { ...stored.counts, changed: stored.counts.changed + (rates?.filled ?? 0) };
  const written = restored ? 0 : totalOf(stored.counts);
  const isOfPlatform = format.holds === trades.path && !hasRates;
  const fees = lackingFees(journal.fills, importId);
  const platform = isOfPlatform
    ? fillReport(db, user, importId, stored.statement, { ...fills, ...made, fees })
    : null;
  let ofFills = restored ? made.trades.added : 0;
  if (platform && fills.stated > 0) {
    const { added, changed } = made.trades;
    ofFills = platform.trades.closed + platform.trades.open - written;
    counts.added += added;
    counts.changed += changed;
    counts.unchanged += Math.max(0, ofFills - added - changed);
  }
  const stated = restored?.ownStated ?? fills.stated;
  const skipped = restored ? {} : Object.fromEntries(stored.skipped);
  // An export's fills belong to the imports that it lists; its own import is listed only for fills
  // that no other states.
  if (restored && stated === 0) imports.remove(importId);
  else
    imports.complete(importId, {
      sha256,
      rows,
      fills: stated,
      records: written,
      trades: ofFills,
      skipped,
    });
  const { groups } = made;
  const isGrouped = groups.added.length + groups.changed + groups.removed > 0;
  const isSame =
    counts.added + counts.changed + fills.added + made.trades.removed === 0 &&
    !isGrouped &&
    !restored?.isRestated;
  const accountOfRows = {
    read: rows,
    used: rows - sumOf(stored.skipped),
    skipped: Object.fromEntries(stored.skipped),
  };
  const report: FileReport = {
    ...{ file, format: format.name, resource: contentsOf(job), rows: accountOfRows, ...counts },
    imported_before: earlier && isSame ? earlier.imported_at : null,
    ...{ platform, rates },
    skipped: [...stored.skipped].map(([reason, count]) => ({ reason, count })),
    notes: [
      // The fees are then the trader's own, which the report shows.
      ...stored.notes.filter((note) => fees.own.length === 0 || note !== NO_FEES),
      ...notesOnTwins(made.twins, journal.fills),
    ],
    problems: stored.problems,
    ...(stored.refused.length > 0 && { refused: stored.refused }),
  };
  // Unchanged notes that were moved: their new path is stored, without an entry in the list.
  const areElsewhere = isSame && stored.movedNotes > 0 && again === undefined;
  if (areElsewhere) imports.remove(importId);
  // A repeated file is in the list already; plain records that change nothing leave no trace.
  const { added, changed, removed } = made.trades;
  const changesFills = fills.added + added + changed + removed > 0 || restored !== undefined;
  const isKept = !earlier && (fills.stated > 0 || hasRates || stored.statesRecords);
  return {
    report,
    isNew: !isSame || areElsewhere || isKept,
    changesFills,
    notices: stored.zone,
    times: stored.times,
  };
}

/** Notes on fills of a file that were recorded by hand, too. */
function notesOnTwins(twins: MadeTrades['twins'], fills: FillTable): string[] {
  const byLine = Map.groupBy(twins, ({ byHand }) => fills.firstImport(byHand.fill.id));
  return [...byLine].map(([line, { length: count }]) =>
    count === 1
      ? `1 fill was recorded by hand, too (import ${line}); it counts once`
      : `${count} fills were recorded by hand, too (import ${line}); each counts once`,
  );
}

function zoneNotice(
  { file }: Job,
  { zone, isAssumed }: SettledTimes,
  incoming: readonly IncomingFill[],
  { dryRun }: FileSettings,
  importId: number,
): Notice[] {
  if (zone === null || !isAssumed) return [];
  const command = dryRun ? `import ${quoted(file)}` : `import change ${importId}`;
  return unlikelyZone(
    incoming.map(({ fill }) => fill),
    zone,
    `journal-api ${command}`,
  );
}

const PROGRESS_EVERY = 500;

/**
 * Bounds of a large import: records or fills written, or bytes read. For unchanged records only
 * their count is kept.
 */
const LARGE = { records: 50_000, unchanged: 1_000_000, bytes: 24_000_000 };

/** Number of records after which garbage is collected: before that there is little. */
const LONG = 5000;

/**
 * Counts records, or bytes if records are read while they are written and their number is unknown.
 */
function progressOf(
  file: string,
  { records }: Pick<Reading, 'records'>,
  source: ReadSource,
  { progress, boundMemory, saveMemory }: FileSettings,
) {
  let isBound = false;
  return (done: number, changed: number): void => {
    const isLarge =
      changed >= LARGE.records ||
      done >= LARGE.unchanged ||
      (changed > 0 && source.done >= LARGE.bytes);
    if (isLarge && !isBound) {
      boundMemory();
      isBound = true;
    }
    if (done === LONG) saveMemory?.();
    if (done % PROGRESS_EVERY !== 0) return;
    if (Array.isArray(records)) progress?.(file, done, records.length);
    else progress?.(file, source.done, source.size);
  };
}

function restore(
  job: Job,
  reading: Pick<Reading, 'records' | 'skipped'>,
  source: ReadSource,
  { journal, importId }: { journal: OpenJournal; importId: number },
  settings: FileSettings,
): RestoredFills {
  const { file } = job;
  if (!source.isRepeatable)
    throw new UserError(
      `${file} is a pipe, but fills are read twice; save them to a file and import that`,
    );
  const records = {
    *[Symbol.iterator]() {
      // Each pass starts from the beginning, and so does the count of skipped rows.
      reading.skipped.clear();
      for (const record of reading.records) {
        if (record.error) throw record.error;
        yield record;
      }
    },
  };
  const exported = {
    records,
    imports: isNameless(job) ? [] : importsNextTo(job),
    withTrades: settings.withTrades,
  };
  const progress = progressOf(file, reading, source, settings);
  return restoreFills(
    journal.db,
    exported,
    importId,
    journal,
    { ...settings, formats: FORMATS },
    progress,
  );
}

/** The records that an import added, as closed trades. */
function newTrades(
  { records }: Pick<Reading, 'records'>,
  added: ReadonlySet<unknown>,
  { account }: FileSettings,
): (StatedTrade & { line: number })[] {
  return [...records]
    .filter(({ values }) => added.has(values['id']))
    .map(({ line, values }) => {
      const { account: own = account ?? null, ...trade } = values as unknown as StatedTrade;
      return { ...trade, account: own, line };
    });
}

/** Names of the platform's other formats: those with closed trades have no fills. */
function closedTradeFormats({ format }: Job): string[] {
  const { platform, name: own } = format;
  if (platform === undefined) return [];
  return FORMATS.filter((other) => other.platform === platform && other.name !== own).map(
    ({ name }) => name,
  );
}

/** Settings whose progress also names the file. */
function withFileName({ file }: Job, settings: FileSettings): FileSettings {
  const { progress } = settings;
  return { ...settings, progress: (what, done, of) => progress?.(`${file}: ${what}`, done, of) };
}

function entryOf(job: Job, settings: FileSettings, { dates }: Pick<Reading, 'dates'>): NewImport {
  return {
    imported_at: settings.now,
    file: basename(job.file),
    format: job.format.name,
    resource: contentsOf(job),
    account: settings.account ?? null,
    options:
      job.notes && settings.folder !== undefined
        ? { ...settings.kept, folder: settings.folder }
        : settings.kept,
    path: pathOf(job, settings),
    date_order: dates?.order ?? null,
    mapping: settings.mapping,
    revision: revisionOf(job.format),
  };
}

function pathOf(job: Job, { path, printed }: FileSettings): string | null {
  if (path !== undefined) return path;
  return isNameless(job) || printed ? null : resolve(job.file);
}

function tableOf({ byCurrency }: DailyRates, { user }: WriteSettings): RateChange[] {
  return [...byCurrency].map(([currency, days]) => ({
    ...{ currency, base: user.base_currency, kind: 'table' },
    days: Object.fromEntries(days),
  }));
}

function totalOf({ added, changed, unchanged }: Record<Change, number>): number {
  return added + changed + unchanged;
}

/** @param typed the options of the import now */
function readDifferently({ id }: ImportEntry, { account, timezone }: ImportOptionsKept): UserError {
  const typed = [
    ...(timezone === undefined ? [] : [`--timezone ${timezone}`]),
    ...(account === undefined ? [] : [`--account ${quoted(account)}`]),
  ];
  const options = typed.length > 0 ? typed.join(' ') : '--timezone ZONE --account NAME';
  return new UserError(
    `this file is import ${id}, read with other options; to read it so: journal-api import change ${id} ${options}; if these are separate fills, pass --allow-duplicates`,
  );
}
