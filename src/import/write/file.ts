/** One file into the journal: its records, its fills and what is made from them, and a line in the list of imports. */
import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import { trades } from '../../journal/resources/trades.ts';
import { fills as exportedFills } from '../../journal-write/exported-fills.ts';
import { FillTable } from '../../journal-write/fills.ts';
import { type ClosedTrade, type ImportEntry, ImportTable, type NewImport } from '../../journal-write/imports.ts';
import type { Values, WriteSettings } from '../../journal-write/record.ts';
import { importsBeside } from '../files/exported-imports.ts';
import type { Job } from '../files/plan.ts';
import type { Source } from '../files/source.ts';
import { refuseClosedTrades } from '../fills/duplicates.ts';
import { type FillChanges, importFills } from '../fills/import-fills.ts';
import type { GivenMultipliers } from '../fills/multiplier.ts';
import { type Reading, sumOf } from '../fills/reading.ts';
import { restoreFills } from '../fills/restore-fills.ts';
import { FORMATS } from '../formats/index.ts';
import { type FillReport, fillReport, statementOf } from '../report/fill-report.ts';
import type { RateReport } from './rates.ts';
import type { FileRecords, RecordImport } from './records.ts';

export interface FileChanges {
  /** Rows of data that it holds. */
  rows: number;
  /** Of records, and of trades that are made from fills. */
  added: number;
  changed: number;
  unchanged: number;
  /** When the same file was imported before, UTC text; null where it never was, or it brings something new. */
  imported_before: string | null;
  /** What a platform's file made; null of plain records. */
  platform: FillReport | null;
  /** What a file of rates made; null of all others. */
  rates: RateReport | null;
}

interface ReadFile {
  job: Job;
  reading: Reading;
  source: Source;
  /** Whether a file of trades comes after this one in the same import. */
  tradesFollow: boolean;
  /** Whether records of trades came before this one in the same import. */
  withTrades: boolean;
}

type Settings = WriteSettings & {
  multipliers: GivenMultipliers;
  allowDuplicates?: boolean | undefined;
  progress?: ((what: string, done: number, of: number) => void) | undefined;
  /** Called once where so much is written that memory has to be bounded. */
  boundMemory?: () => void;
  saveMemory?: (() => void) | undefined;
};

const PROGRESS_EVERY = 500;

/** What makes an import a large one: records or fills written, or bytes read. Of records that change nothing only their number is kept. */
const LARGE = { records: 50_000, unchanged: 1_000_000, bytes: 24_000_000 };

/** From how many records on garbage is collected rather than left: so far there is little. */
const LONG = 5000;

/**
 * @param settings as the person gave them
 * @returns what changed, and whether there is anything to keep
 * @throws RowError, UserError where the file can't be taken; the transaction is to be rolled back then
 */
export function writeFile(
  db: Database.Database,
  read: ReadFile,
  records: RecordImport,
  settings: Settings,
): { changes: FileChanges; isNew: boolean } {
  const { job, reading, source, tradesFollow } = read;
  const { user } = settings;
  const imports = new ImportTable(db, user.id);
  const { format, resource, file } = job;
  if (resource === exportedFills) return restore(db, read, imports, settings);
  const id = imports.add(entryOf(job, settings));
  const note: FileRecords['note'] = (path, ...change) => imports.addRecord(id, path, ...change);
  const counts = records.write(
    {
      ...{ file, resource, records: reading.records, tradesFollow, note },
      isRepeatable: source.isRepeatable,
    },
    progressOf(file, reading, source, settings),
  );
  // A file of records is read while they are written: what it is as a whole is known now.
  const { sha256 } = source;
  const written = counts.added + counts.changed + counts.unchanged;
  const rows = reading.rows ?? written + sumOf(reading.skipped);
  const earlier = imports.ofFile(sha256).find((own) => own.format === format.name && own.resource === resource.path);
  if (!settings.allowDuplicates && format.platform !== undefined) {
    const added = imports.addedBy(id);
    const trades = [...reading.records]
      .filter(({ values }) => added.has(values['id']))
      .map(({ line, values }) => ({
        ...(values as unknown as ClosedTrade),
        account: accountOf(values, settings),
        line,
      }));
    refuseClosedTrades(trades, format, { fills: new FillTable(db, user.id), imports });
  }
  const statement = statementOf(reading);
  const stated = reading.fills.length;
  const fills = writeFills(db, job, reading, id, earlier, settings);
  const rates = reading.rates ? records.fillRates(reading.rates, note) : null;
  counts.changed += rates?.filled ?? 0;
  const platform = format.holds !== trades.path || rates ? null : fillReport(db, user, id, statement, fills);
  let made = 0;
  if (platform && fills.stated > 0) {
    const { added, changed } = fills.trades;
    made = platform.trades.closed + platform.trades.open - written;
    counts.added += added;
    counts.changed += changed;
    counts.unchanged += Math.max(0, made - added - changed);
  }
  const skipped = Object.fromEntries(reading.skipped);
  imports.complete(id, { sha256, rows, fills: stated, records: written, trades: made, skipped });
  const isSame = counts.added + counts.changed + fills.added + fills.trades.removed === 0;
  return {
    changes: { rows, ...counts, imported_before: earlier && isSame ? earlier.imported_at : null, platform, rates },
    // The same file again is in the list already; plain records that change nothing leave no trace.
    isNew: !isSame || (!earlier && fills.stated > 0),
  };
}

/** Of records that are read while they are written nobody knows how many there are: bytes are counted then. */
function progressOf(
  file: string,
  { records }: Reading,
  source: Source,
  { progress, boundMemory, saveMemory }: Settings,
) {
  let isBound = false;
  return (done: number, changed: number): void => {
    const isLarge = changed >= LARGE.records || done >= LARGE.unchanged || (changed > 0 && source.done >= LARGE.bytes);
    if (isLarge && !isBound) {
      boundMemory?.();
      isBound = true;
    }
    if (done === LONG) saveMemory?.();
    if (done % PROGRESS_EVERY !== 0) return;
    if (Array.isArray(records)) progress?.(file, done, records.length);
    else progress?.(file, source.done, source.size);
  };
}

/**
 * The fills of an export. They are of the imports that it lists; its own is listed for those only that no other import states.
 * @returns as writeFile does
 */
function restore(
  db: Database.Database,
  { job, reading, source, withTrades }: ReadFile,
  imports: ImportTable,
  settings: Settings,
): { changes: FileChanges; isNew: boolean } {
  const { file } = job;
  if (!source.isRepeatable)
    throw new UserError(`${file} is read twice, which a pipe can't be: write it to a file first`);
  const id = imports.add(entryOf(job, settings));
  const records = {
    *[Symbol.iterator]() {
      // Each time from the beginning, so are the rows that are left out.
      reading.skipped.clear();
      yield* reading.records;
    },
  };
  const exported = { records, imports: job.bytes ? [] : importsBeside(file), withTrades };
  const how = {
    ...settingsOfFills(file, settings),
    allowDuplicates: settings.allowDuplicates === true,
    formats: FORMATS,
  };
  const restored = restoreFills(db, exported, id, how, progressOf(file, reading, source, settings));
  const { added, changed, unchanged, ownStated, isRestated, trades: made } = restored;
  const rows = added + changed + unchanged;
  const { sha256 } = source;
  if (ownStated === 0) imports.remove(id);
  else imports.complete(id, { sha256, rows, fills: ownStated, records: 0, trades: made.added, skipped: {} });
  const counts = { rows, added, changed, unchanged };
  return {
    changes: { ...counts, imported_before: null, platform: null, rates: null },
    isNew: added + changed > 0 || isRestated,
  };
}

function accountOf({ account }: Values, settings: Settings): string | null {
  return account === undefined ? (settings.account ?? null) : (account as string | null);
}

/** Progress with fills and trades names the file as well. */
function settingsOfFills(file: string, settings: Settings): Settings {
  const { progress } = settings;
  return { ...settings, progress: (what, done, of) => progress?.(`${file}: ${what}`, done, of) };
}

/** What is known of a file before it is read. */
function entryOf({ file, format, resource }: Job, settings: Settings): NewImport {
  return {
    imported_at: settings.now,
    file: basename(file),
    format: format.name,
    resource: resource.path,
    account: settings.account ?? null,
  };
}

function writeFills(
  db: Database.Database,
  { file, format }: Job,
  reading: Reading,
  importId: number,
  earlier: ImportEntry | undefined,
  settings: Settings,
): FillChanges {
  const { allowDuplicates = false } = settings;
  if (reading.fills.length >= LARGE.records) settings.boundMemory?.();
  const closedTradeFormats = FORMATS.filter(
    ({ platform, name }) => platform === format.platform && name !== format.name,
  );
  const changes = importFills(db, reading.fills, importId, {
    ...settingsOfFills(file, settings),
    format,
    allowDuplicates,
    closedTradeFormats: format.platform === undefined ? [] : closedTradeFormats.map(({ name }) => name),
  });
  if (!earlier || changes.added === 0 || allowDuplicates) return changes;
  throw new UserError(
    `this very file was imported before, and what its fills say was read otherwise then: undo that first ("journal-api import undo ${earlier.id}"), or say --allow-duplicates if these are other fills`,
  );
}
