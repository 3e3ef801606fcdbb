/** `excursions`: computes how far trades went from candles, which aren't stored. */
import { basename } from 'node:path';
import { RowError } from '../errors.ts';
import { textOf } from '../import/files/contents.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import type { User } from '../journal/journal.ts';
import { trades } from '../journal/resources/trades.ts';
import { refuseMissing, userFor } from '../journal-write/open.ts';
import type { Values } from '../journal-write/record.ts';
import { type OnChange, RecordWriter } from '../journal-write/record-writer.ts';
import { LineStatements } from '../statements/line.ts';
import { MEASURE_OF, measureOf, StatedRecords } from '../statements/stated-records.ts';
import { toInstantText } from '../time.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';
import { Candles } from './excursions/candles.ts';
import { type Excursions, measure, REASONS } from './excursions/measure.ts';
import {
  type CandleTimes,
  type ReadCandles,
  readCandles,
} from './excursions/read-candles.ts';
import { fitting, type StoredTrade, StoredTrades } from './excursions/trades.ts';

export interface CandleFile {
  file: string;
  /** A symbol of trades, or the underlying of futures. */
  symbol: string;
  candles: number;
  /** Length of a candle. */
  seconds: number;
  /** Start of the first candle and end of the last one: UTC text. */
  first: string;
  last: string;
  /** Zone of times without an offset; null if there are none. */
  timezone: string | null;
  skipped: Record<string, number>;
  notes: string[];
  /**
   * Closed trades from the first to the last candle, and those whose fills are within
   * their candles.
   */
  trades: number;
  covered: number;
}

export interface ExcursionsReport extends LineReport {
  files: CandleFile[];
  /** Trades with figures from these candles, and those of them whose bounds differ. */
  trades: number;
  uncertain: number;
  /** Trades whose figures are new or others than before. */
  changed: number;
  /** Number of trades without, by reason. */
  without: Record<string, number>;
}

interface Options extends TargetOptions {
  files: readonly string[];
  symbol?: string | undefined;
  timeZone?: string | undefined;
  /** The order of day and month in dates with the year last. */
  dates?: CandleTimes['dates'];
}

const STATED = 'with mae and mfe stated by a platform';
const OPEN = 'still open';

/** @throws UserError that names the file and its problem; nothing is written then */
export function addExcursions(options: Options): ExcursionsReport {
  refuseMissing(options.journal);
  const user = userFor(options.journal, options.user);
  const read = options.files.map((file) => ({ file, ...candlesIn(file, user, options) }));
  const line = lineOf(options.files);

  return withLine(options, { format: 'excursions', line }, (edit) => {
    const journal = new StoredTrades(edit.db, user);
    const files = read.map((file) => ({
      ...file,
      ...fitting(file, journal, options.symbol, user),
    }));
    const { counts, without } = writeExcursions(edit, candlesByTrade(files, journal));

    // The same files again; equal figures of others hold if those go.
    const { importId } = edit;
    const isAgain = edit.imports
      .list()
      .some(({ id, file }) => id !== importId && file === line);

    return {
      report: { files: files.map(shown), ...counts, without },
      changed: isAgain && counts.changed === 0 ? 0 : counts.trades,
      trades: counts.trades,
    };
  });
}

function lineOf(files: readonly string[]): string {
  const names = files.map((file) => basename(file));
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `excursions ${names.slice(0, 3).join(', ')}${more}`;
}

/** Gives trades their figures, and counts those that get none by the reason. */
function writeExcursions(
  edit: Edit,
  series: ReadonlyMap<StoredTrade, readonly Candles[]>,
): {
  counts: Pick<ExcursionsReport, 'trades' | 'uncertain' | 'changed'>;
  without: Record<string, number>;
} {
  const writer = excursionWriter(edit);
  const counts = { trades: 0, uncertain: 0, changed: 0 };
  const without: Record<string, number> = {};

  for (const [trade, candles] of series) {
    const result = excursionsOf(trade, candles);
    if (typeof result === 'string') {
      without[result] = (without[result] ?? 0) + 1;
      continue;
    }

    counts.trades++;
    if (result.mae !== result.mae_bound || result.mfe !== result.mfe_bound)
      counts.uncertain++;
    const change = writer.put({ id: trade.id, ...unstated(trade, result) });
    if (change === 'changed') counts.changed++;
  }

  return { counts, without };
}

/**
 * A writer whose line states all given figures, even equal ones: an undo of the run
 * before must not remove those that this run gives, too.
 */
function excursionWriter({ db, settings, imports, importId }: Edit): RecordWriter {
  const stated = new StatedRecords(db, settings, imports.statements);
  const line = new LineStatements(stated, importId);

  const onChange: OnChange = (before, whole, given) => {
    const { id: _, ...figures } = given.record;
    const present = stated.find(trades, whole.record.id) ?? whole.record;
    const instead = { ...figures, [MEASURE_OF]: measureOf(present) };
    line.note(trades, before, whole, given, { instead });
  };

  return new RecordWriter(db, trades, settings, { onChange });
}

function shown({
  candles,
  zone,
  ...described
}: ReadCandles & Pick<CandleFile, 'file' | 'symbol' | 'trades' | 'covered'>) {
  const [first, last] = [toInstantText(candles.first), toInstantText(candles.last)];
  return {
    ...described,
    candles: candles.all.length,
    seconds: candles.step / 1000,
    first,
    last,
    timezone: zone,
  };
}

function candlesIn(file: string, user: User, { timeZone, dates }: Options): ReadCandles {
  try {
    return readCandles(textOf({ file }, true), user, { timeZone, dates });
  } catch (error) {
    throw error instanceof RowError ? error.at(file, error.line) : error;
  }
}

/** Figures of a trade, but for stated ones. */
function unstated(
  { stated }: StoredTrade,
  { mae, mfe, mae_bound, mfe_bound }: Excursions,
): Values {
  return {
    ...(stated.includes('mae') ? {} : { mae, mae_bound }),
    ...(stated.includes('mfe') ? {} : { mfe, mfe_bound }),
  };
}

/** Each trade with the candles of its symbol, the shortest first. */
function candlesByTrade(
  files: readonly { symbol: string; candles: Candles }[],
  journal: StoredTrades,
): Map<StoredTrade, Candles[]> {
  const found = new Map<StoredTrade, Candles[]>();
  const shortestFirst = files.toSorted((a, b) => a.candles.step - b.candles.step);
  for (const ofSymbol of Map.groupBy(
    shortestFirst,
    ({ symbol, candles }) => `${candles.step} ${symbol}`,
  ).values()) {
    const [{ symbol }] = ofSymbol;
    const candles = Candles.joined(
      ofSymbol.map((file) => file.candles) as [Candles, ...Candles[]],
    );
    for (const trade of journal.during(symbol, candles))
      found.set(trade, [...(found.get(trade) ?? []), candles]);
  }

  return found;
}

/** By the first candles that measure it; else the reason why the last ones don't. */
function excursionsOf(
  trade: StoredTrade,
  series: readonly Candles[],
): Excursions | string {
  if (trade.isOpen) return OPEN;
  if (trade.stated.length === 2) return STATED;

  let reason: string = REASONS.outside;
  for (const candles of series) {
    const result = measure(trade, candles);
    if (typeof result !== 'string') return result;
    if (result !== REASONS.outside) reason = result;
  }

  return reason;
}
