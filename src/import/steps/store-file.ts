/**
 * Stores what was read of a file, in order: the import's line in the list, then records
 * or the fills of an export, then fills, then exchange rates. Trades are made of the
 * fills afterwards.
 */
import { basename, resolve } from 'node:path';
import { byPlace, type Problem, UserError } from '../../errors.ts';
import { OnDemand } from '../../journal/once.ts';
import { cashFlows } from '../../journal/resources/cash-flows.ts';
import type { Change } from '../../journal-write/record-writer.ts';
import {
  addRates,
  type DailyRates,
  type RateChange,
} from '../../statements/exchange-rates.ts';
import { fills as exportedFills } from '../../statements/fill-row.ts';
import type { ImportEntry, ImportOptionsKept } from '../../statements/import-entry.ts';
import type { NewImport, StatedTrade } from '../../statements/imports.ts';
import { contentsOf, isNameless, type Job } from '../files/contents.ts';
import { refuseClosedTrades } from '../fills/duplicates.ts';
import type { RestoredFills } from '../fills/exported-fills.ts';
import type { IncomingFill, Statement } from '../fills/incoming.ts';
import { type Reading, sumOf } from '../fills/reading.ts';
import { type StoredFills, storeFills } from '../fills/store-fills.ts';
import type { SettledTimes } from '../fills/written-times.ts';
import { FORMATS } from '../formats/index.ts';
import { type Notice, quoted, unlikelyZone } from '../report/notices.ts';
import type { NotesReadBack } from '../report/report.ts';
import { revisionOf } from '../tables/format.ts';
import {
  type FileSettings,
  LARGE,
  namingFile,
  type OpenJournal,
  progressOf,
} from './file-settings.ts';
import type { ReadJob, ReadSource } from './read-job.ts';
import { storeFlows } from './store-flows.ts';
import { FileRecords, isOfPlatform } from './store-records.ts';

/** Needed for the fills of an export. */
export const exportedFillsStep = new OnDemand('the step of exported fills', async () => {
  const { importsNextTo } = await import('../files/plan.ts');
  const { restoreFills } = await import('../fills/exported-fills.ts');
  return { importsNextTo, restoreFills };
});

/** Result of storing a file, before trades are made. */
export interface StoredFile {
  job: Job;
  journal: OpenJournal;
  source: ReadSource;
  line: StoredLine;
  records: StoredRecords;
  fills: StoredFills;
  /** Numbers of cash flows. */
  flows: Record<Change, number>;
  stated: StatedFacts;
  remarks: Remarks;
}

/** The import's line in the list. */
interface StoredLine {
  id: number;
  sha256: string;
  rows: number;
  skipped: Reading['skipped'];
  /** An import of the same bytes. */
  earlier: ImportEntry | undefined;
}

interface StoredRecords {
  /** Of records, or of an export's fills. */
  counts: Record<Change, number>;
  /** Undefined unless the file holds an export's fills. */
  restored: RestoredFills | undefined;
  /** Number of notes with a new path. */
  movedNotes: number;
  /**
   * Whether an edited note states anything, or notes anything else than their former
   * versions.
   */
  areStated: boolean;
}

/** What the file states besides its rows. */
interface StatedFacts {
  statement: Statement;
  times: SettledTimes;
  hasRates: boolean;
  hasCash: boolean;
}

interface Remarks {
  notes: string[];
  notices: Notice[];
  problems: Problem[];
  /** Changes of an edited note that weren't stored. */
  refused: string[];
  /** Of day notes. */
  readBack: NotesReadBack | undefined;
}

/** @throws RowError, UserError if anything can't be stored */
export function storeFile(read: ReadJob, settings: FileSettings): StoredFile {
  const { job, source, journal, reading, incoming, times } = read;
  const importId = addLine(read, settings);
  const records = new FileRecords(read, importId, settings);
  const restored =
    job.resource === exportedFills ? restoredFills(read, importId, settings) : undefined;
  const counts = records.settle(restored?.counts ?? records.write());
  journal.imports.statements.write();

  // A file of records is read while they are written: its hash is known only now.
  const { sha256 } = source;
  const earlier = earlierOf(job, sha256, journal);
  const isRepeated = earlier !== undefined && settings.again === undefined;
  if (isRepeated) counts.added -= records.removeRevived();
  refuseKnownTrades(read, records.added, settings);

  const fills = storedFills(read, importId, settings);
  if (isRepeated && fills.added > 0 && !settings.rows.allowDuplicates)
    throw readDifferently(earlier, settings.line.options.options);

  const flows = storeFlows(read, importId, settings, isRepeated);
  // Flows are all that such a file has.
  if (job.resource === cashFlows) takeCounts(counts, flows.counts);

  if (reading.rates && !earlier) {
    const { user } = settings.write;
    addRates(journal.db, user.id, importId, tableOf(reading.rates, user.base_currency));
  }

  return {
    job,
    journal,
    source,
    line: {
      id: importId,
      sha256,
      rows:
        reading.rows ?? totalOf(counts) + totalOf(flows.counts) + sumOf(reading.skipped),
      skipped: reading.skipped,
      earlier,
    },
    records: {
      counts,
      restored,
      movedNotes: records.movedNotes,
      areStated: records.areStated,
    },
    fills,
    flows: flows.counts,
    stated: {
      statement: read.statement,
      times,
      hasRates: reading.rates !== undefined,
      hasCash: reading.cash.length > 0,
    },
    remarks: {
      notes: [
        ...reading.notes,
        ...fills.notes,
        ...flows.notes,
        ...records.notes,
        ...(isRepeated ? [] : accountNotes(read, importId, settings)),
      ],
      notices: zoneNotice(job, times, incoming, settings, earlier?.id ?? importId),
      problems: (reading.problems ?? []).sort(byPlace),
      refused: records.refused,
      readBack: records.readBack(),
    },
  };
}

/** Moves counts to others. */
function takeCounts(counts: Record<Change, number>, from: Record<Change, number>): void {
  for (const change of ['added', 'changed', 'unchanged'] as const) {
    counts[change] += from[change];
    from[change] = 0;
  }
}

export function totalOf({ added, changed, unchanged }: Record<Change, number>): number {
  return added + changed + unchanged;
}

// The import's line in the list.

/** @returns its id */
function addLine(
  { job, journal, reading, times }: ReadJob,
  settings: FileSettings,
): number {
  const { imports } = journal;
  const id = imports.add(entryOf(job, settings, reading), settings.again?.id);
  imports.setZone(id, times.zone);
  return id;
}

function entryOf(
  job: Job,
  settings: FileSettings,
  { dates }: Pick<Reading, 'dates'>,
): NewImport {
  const { write, line } = settings;
  const { options, mapping } = line.options;
  const hasFolder = job.notes !== undefined && line.folder !== undefined;

  return {
    imported_at: write.now,
    file: basename(job.file),
    format: job.format.name,
    resource: contentsOf(job),
    account: write.account ?? null,
    options: hasFolder ? { ...options, folder: line.folder } : options,
    path: pathOf(job, settings),
    date_order: dates?.order ?? null,
    mapping,
    revision: revisionOf(job.format),
  };
}

/** Null without a file of its own: standard input, or the text of an editor. */
function pathOf(job: Job, { line, reading }: FileSettings): string | null {
  if (line.path !== undefined) return line.path;
  return isNameless(job) || reading.printed ? null : resolve(job.file);
}

function earlierOf(
  job: Job,
  sha256: string,
  { imports }: OpenJournal,
): ImportEntry | undefined {
  const contents = contentsOf(job);
  return imports
    .ofFile(sha256)
    .find(({ format, resource }) => format === job.format.name && resource === contents);
}

/** @param typed the options of the import now */
function readDifferently(
  { id }: ImportEntry,
  { account, timezone }: ImportOptionsKept,
): UserError {
  const typed = [
    ...(timezone === undefined ? [] : [`--timezone ${timezone}`]),
    ...(account === undefined ? [] : [`--account ${quoted(account)}`]),
  ];
  const options = typed.length > 0 ? typed.join(' ') : '--timezone ZONE --account NAME';

  return new UserError(
    `this file is import ${id}, read with other options; ` +
      `to read it so: journal-api import change ${id} ${options}; ` +
      'if these are separate fills, pass --allow-duplicates',
  );
}

/** Names the account of rows without one, if only a rename gave it to them. */
function accountNotes(
  { incoming, renamed, journal }: ReadJob,
  importId: number,
  { line: { dryRun }, again }: FileSettings,
): string[] {
  const account = journal.names.of(null);
  const hasUnnamed =
    incoming.some((row) => row.account === '') || [...renamed.values()].includes('');
  if (account === null || !hasUnnamed || again !== undefined) return [];

  const remedy = dryRun
    ? 'pass --account NAME'
    : `journal-api import change ${importId} --account NAME`;
  return [
    `no account in this file; using ${account}, to which (none) was renamed; if it is of another account: ${remedy}`,
  ];
}

/**
 * A notice if the file's times were read in a zone that makes no sense for them, typed or
 * assumed.
 */
function zoneNotice(
  { file }: Job,
  { zone, isAssumed }: SettledTimes,
  incoming: readonly IncomingFill[],
  { line: { dryRun }, again }: FileSettings,
  importId: number,
): Notice[] {
  const isOfChange = !isAssumed && again !== undefined;
  if (zone === null || isOfChange) return [];
  const command = dryRun ? `import ${quoted(file)}` : `import change ${importId}`;
  return unlikelyZone(
    incoming.map(({ fill }) => fill),
    zone,
    `journal-api ${command}`,
  );
}

// The fills of an export.

function restoredFills(
  { job, source, journal, reading }: ReadJob,
  importId: number,
  settings: FileSettings,
): RestoredFills {
  if (!source.isRepeatable) {
    throw new UserError(
      `${job.file} is a pipe, but fills are read twice; save them to a file and import that`,
    );
  }

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
  const { importsNextTo, restoreFills } = exportedFillsStep.value;
  const exported = {
    records,
    imports: isNameless(job) ? [] : importsNextTo(job),
    withTrades: settings.others.withTrades,
  };
  const { allowDuplicates } = settings.rows;

  return restoreFills(
    journal.db,
    exported,
    importId,
    journal,
    { ...settings.write, allowDuplicates, formats: FORMATS },
    progressOf(job, reading, source, settings.host),
  );
}

// The fills of a platform, and its closed trades.

/** @throws UserError if closed trades that the file adds are in the journal as fills */
function refuseKnownTrades(
  { job, journal, reading }: ReadJob,
  added: ReadonlySet<unknown>,
  { write, rows }: FileSettings,
): void {
  if (rows.allowDuplicates || !isOfPlatform(job)) return;

  const records = [...reading.records].filter(({ values }) => added.has(values['id']));
  const trades = records.map(({ line, values }) => {
    const { account = write.account ?? null, ...trade } =
      values as unknown as StatedTrade;
    return { ...trade, account, line };
  });
  refuseClosedTrades(trades, job.format, journal);
}

function storedFills(
  { job, journal, incoming, times }: ReadJob,
  importId: number,
  { rows, host, again }: FileSettings,
): StoredFills {
  if (incoming.length >= LARGE.records) {
    host.boundMemory?.();
    host.collectGarbage?.();
  }
  return storeFills(journal, incoming, importId, {
    format: job.format,
    allowDuplicates: rows.allowDuplicates,
    zone: times.zone,
    closedTradeFormats: closedTradeFormats(job),
    isAgain: again !== undefined,
    progress: namingFile(job, host),
  });
}

/** Names of the platform's other formats: those with closed trades have no fills. */
function closedTradeFormats({ format: { platform, name } }: Job): string[] {
  if (platform === undefined) return [];
  const others = FORMATS.filter(
    (other) => other.platform === platform && other.name !== name,
  );
  return others.map((other) => other.name);
}

// Exchange rates.

function tableOf({ byCurrency }: DailyRates, base: string): RateChange[] {
  return [...byCurrency].map(([currency, days]) => ({
    currency,
    base,
    kind: 'table',
    days: Object.fromEntries(days),
  }));
}
