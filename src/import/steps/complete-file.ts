/**
 * Completes an import once its trades are made: markets of missed trades, exchange rates,
 * the line in the list, the report; then the file's bytes.
 */
import { basename } from 'node:path';
import { UserError } from '../../errors.ts';
import { OnDemand } from '../../journal/once.ts';
import type { Change } from '../../journal-write/record-writer.ts';
import { DEFAULT_ZONE } from '../../journal-write/users.ts';
import { settleMarkets } from '../../notes/missed-markets.ts';
import { UserRows } from '../../sqlite/user-rows.ts';
import { lackingFees } from '../../statements/account-settings.ts';
import { applyRates } from '../../statements/exchange-rates.ts';
import type { FillTable } from '../../statements/fills.ts';
import { ImportTable } from '../../statements/imports.ts';
import { contentsOf, type Job } from '../files/contents.ts';
import { keepFile } from '../files/kept-imports.ts';
import type { MadeTrades } from '../fills/make-trades.ts';
import { NO_FEES, sumOf } from '../fills/reading.ts';
import type { SettledTimes } from '../fills/written-times.ts';
import { keepDiffering } from '../report/compared-totals.ts';
import type { EndingCash } from '../report/ending-cash.ts';
import { type FillReport, fillReport } from '../report/fill-report.ts';
import { assumedZone, type Notice, quoted } from '../report/notices.ts';
import type { FileReport } from '../report/report.ts';
import type { NewJournalOptions } from '../write/new-journal.ts';
import type { TargetJournal } from '../write/target-journal.ts';
import { type FileSettings, LARGE } from './file-settings.ts';
import { type StoredFile, totalOf } from './store-file.ts';
import { isOfPlatform } from './store-records.ts';

/** Needed for files that state cash; the analytics computes what it is compared with. */
export const endingCash = new OnDemand(
  'the comparison of ending cash',
  async () => (await import('../report/ending-cash.ts')).endingCashOf,
);

export interface FileResult {
  report: FileReport;
  /** Whether the transaction has anything to commit. */
  isNew: boolean;
  changesFills: boolean;
  notices: Notice[];
  times: SettledTimes;
}

export function completeFile(
  stored: StoredFile,
  changes: MadeTrades,
  settings: FileSettings,
): FileResult {
  const { journal, line, records, fills } = stored;
  settleMarkets(journal.db, settings.write);
  const rates = ratesFilled(stored, settings);
  const feeRates = journal.fills.feeRates.inForce();
  const fees = lackingFees(journal.fills, feeRates, line.id);
  const platform = platformReport(stored, changes, fees, settings);

  const trades = tradesOfFills(stored, changes, platform);
  const counts = countsOf(
    stored,
    changes,
    rates,
    platform && fills.stated > 0 ? trades : undefined,
  );
  completeLine(stored, trades);
  if (platform) keepTotals(stored, platform, settings);
  const { user } = settings.write;
  const cash = stored.stated.hasCash ? endingCash.value(journal.db, user, line.id) : [];

  const isSame = isUnchanged(stored, changes, counts);
  // Unchanged notes that were moved: their new path is stored, without an entry in the
  // list.
  const areElsewhere = isSame && records.movedNotes > 0 && settings.again === undefined;
  if (areElsewhere) journal.imports.remove(line.id);

  const { notes } = stored.remarks;
  // The fees are then the trader's own, which the report shows.
  const shown =
    fees.byRates.length > 0 ? notes.filter((note) => note !== NO_FEES) : notes;
  const allNotes = [...shown, ...notesOnTwins(changes.twins, journal.fills)];

  return {
    report: reportOf(stored, { counts, isSame, platform, rates, cash, notes: allNotes }),
    isNew: !isSame || areElsewhere || leavesLine(stored),
    changesFills: changesFills(stored, changes),
    notices: stored.remarks.notices,
    times: stored.stated.times,
  };
}

// Exchange rates, and what the fills came to.

function ratesFilled(
  { journal, stated }: StoredFile,
  { write }: FileSettings,
): FileReport['rates'] {
  const { filled, missing } = applyRates(journal.db, write.user);
  return stated.hasRates ? { filled, missing } : null;
}

/** The report of a platform's file; null for records and rates. */
function platformReport(
  { job, journal, line, fills, stated }: StoredFile,
  changes: MadeTrades,
  fees: ReturnType<typeof lackingFees>,
  { write }: FileSettings,
): FillReport | null {
  if (!isOfPlatform(job) || stated.hasRates) return null;
  const result = { ...fills, ...changes, fees };
  return fillReport(journal.db, write.user, line.id, stated.statement, result);
}

function keepTotals(
  { job, journal, line, stated }: StoredFile,
  platform: FillReport,
  { write }: FileSettings,
): void {
  const rows = new UserRows(journal.db, write.user.id);
  const file = basename(job.file);
  keepDiffering(rows, { id: line.id, file }, stated.statement.totals, platform.stated);
}

/** The number of trades with fills of the file. */
function tradesOfFills(
  { records: { counts, restored }, fills }: StoredFile,
  changes: MadeTrades,
  platform: FillReport | null,
): number {
  if (restored) return changes.trades.added;
  if (!platform || fills.stated === 0) return 0;
  const { closed, open } = platform.trades;
  return closed + open - totalOf(counts);
}

/**
 * Counts of records, with those that got a rate.
 * @param ofFills trades to add to the records
 */
function countsOf(
  { records }: StoredFile,
  { trades }: MadeTrades,
  rates: FileReport['rates'],
  ofFills: number | undefined,
): Record<Change, number> {
  const counts = { ...records.counts };
  counts.changed += rates?.filled ?? 0;
  if (ofFills === undefined) return counts;

  counts.added += trades.added;
  counts.changed += trades.changed;
  counts.unchanged += Math.max(0, ofFills - trades.added - trades.changed);

  return counts;
}

// The import's line in the list.

/** @param trades the number of trades with its fills */
function completeLine(stored: StoredFile, trades: number): void {
  const { journal, line, records, fills, flows } = stored;
  const { restored, counts } = records;
  const { imports } = journal;
  const stated = restored?.statedByExport ?? fills.stated;
  // An export's fills belong to the imports that it lists; its own import is listed only
  // for fills that no other states.
  if (restored && stated === 0) {
    imports.remove(line.id);
    return;
  }

  imports.complete(line.id, {
    sha256: line.sha256,
    rows: line.rows,
    fills: stated,
    records: restored ? 0 : totalOf(counts) + totalOf(flows),
    trades,
    skipped: restored ? {} : Object.fromEntries(line.skipped),
  });
}

/** Whether the journal's records, fills, trades and groups are as before. */
function isUnchanged(
  { records: { restored }, fills, flows }: StoredFile,
  { trades, groups }: MadeTrades,
  { added, changed }: Record<Change, number>,
): boolean {
  const areGrouped = groups.added.length + groups.changed + groups.removed > 0;
  const ofFlows = flows.added + flows.changed;
  const count = added + changed + fills.added + trades.removed + ofFlows;
  return count === 0 && !areGrouped && !restored?.isRestated;
}

/**
 * A repeated file is in the list already; plain records that change nothing leave no
 * trace.
 */
function leavesLine({ line, records, fills, flows, stated }: StoredFile): boolean {
  const hasRows = fills.stated > 0 || totalOf(flows) > 0;
  return !line.earlier && (hasRows || stated.hasRates || records.areStated);
}

function changesFills({ records, fills }: StoredFile, { trades }: MadeTrades): boolean {
  const { added, changed, removed } = trades;
  return fills.added + added + changed + removed > 0 || records.restored !== undefined;
}

// The report.

interface Outcome extends Pick<FileReport, 'platform' | 'rates' | 'notes'> {
  cash: EndingCash[];
  counts: Record<Change, number>;
  /** Whether nothing changed. */
  isSame: boolean;
}

function reportOf(
  { job, line, flows, remarks }: StoredFile,
  { counts, isSame, platform, rates, cash, notes }: Outcome,
): FileReport {
  const { rows, skipped, earlier } = line;
  const { problems, refused, readBack } = remarks;

  return {
    file: job.file,
    format: job.format.name,
    resource: contentsOf(job),
    rows: {
      read: rows,
      used: rows - sumOf(skipped),
      skipped: Object.fromEntries(skipped),
    },
    ...counts,
    cash_flows: flows,
    ending_cash: cash,
    imported_before: earlier && isSame ? earlier.imported_at : null,
    platform,
    rates,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    notes,
    problems,
    ...(refused.length > 0 && { refused }),
    ...readBack,
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

// A file of which nothing is used.

/**
 * Reasons for skipping rows that move cash: a file of them alone is read as it should be.
 */
const CASH =
  /\b(?:cash|dividends?|interest|deposits?|withdrawals?|transfers?|funding|fees?|tax(?:es)?|balance)\b/i;

/** @throws UserError if no row of a file is used */
export function refuseUnused(
  { file, notes }: Job,
  { rows, ...report }: FileReport,
  note: ((line: string) => void) | undefined,
): void {
  if (notes !== undefined || rows.read === 0 || rows.used > 0 || report.rates) return;
  if (report.skipped.some(({ reason }) => CASH.test(reason))) return;
  for (const line of report.notes) note?.(`${file}: ${line}`);

  const reasons = report.skipped
    .map(({ reason, count }) => `${count} ${reason}`)
    .join(', ');
  const read = `${rows.read} ${rows.read === 1 ? 'row' : 'rows'}`;
  throw new UserError(
    `nothing of ${file} came in: ${read}, because all were skipped: ${reasons}`,
  );
}

// The bytes.

export function keepsBytes({ line: { keep, dryRun } }: FileSettings): boolean {
  return keep !== false && dryRun !== true;
}

/**
 * Keeps the file's bytes, unless the import isn't listed. The report says why they aren't
 * kept.
 */
export function keepBytes(
  stored: StoredFile,
  report: FileReport,
  settings: FileSettings,
): void {
  const { job, journal, line, source } = stored;
  if (!journal.imports.find(line.id)) return;

  if (source.done >= LARGE.bytes) settings.host.boundMemory?.();
  const why = keepFile(journal.db, journal.imports, {
    job,
    importId: line.id,
    sha256: line.sha256,
    held: source.held,
    printed: settings.reading.printed,
  });
  if (why !== undefined) report.notes = [...report.notes, why];
}

/**
 * The default time zone of a user who has set none: a file whose times were read in it
 * gets a notice with the command that reads them in another.
 */
export class AssumedZone {
  readonly #target: TargetJournal;
  readonly #options: NewJournalOptions & { timeZone?: string | undefined };
  /** Whether no time zone was named; undefined until the journal is open. */
  #isUnset: boolean | undefined;
  /** Whether the latest file's times without a zone were read in the user's. */
  isOfLatest = false;

  constructor(
    target: TargetJournal,
    options: NewJournalOptions & { timeZone?: string | undefined },
  ) {
    this.#target = target;
    this.#options = options;
  }

  /** Call in the transaction of the first file, before it writes. */
  begin(): void {
    this.#isUnset ??= this.#hasUnsetZone();
  }

  /** Neither for the user nor for the files of this first import. */
  #hasUnsetZone(): boolean {
    const { timeZone, zone } = this.#options;
    const { id, timezone } = this.#target.user;
    if (timeZone !== undefined || zone !== undefined || timezone !== DEFAULT_ZONE)
      return false;
    return new ImportTable(this.#target.open(), id).isEmpty();
  }

  /** The notices of a file, with one of the zone if it was read in the default one. */
  noticesOf({ file }: Job, { isNew, notices, times }: FileResult): Notice[] {
    const { id, timezone } = this.#target.user;
    this.isOfLatest = times.isAssumed && times.zone === timezone;
    const isKnown = notices.some(({ code }) => code === 'unlikely_zone');
    if (!this.#isUnset || !this.isOfLatest || !isNew || isKnown) return notices;

    const latest = this.#options.dryRun
      ? undefined
      : new ImportTable(this.#target.open(), id).latest();
    const command =
      latest === undefined ? `import ${quoted(file)}` : `import change ${latest}`;
    return [...notices, assumedZone(timezone, `journal-api ${command}`)];
  }
}
