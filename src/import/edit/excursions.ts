/** `excursions`: computes how far trades went from candles, which aren't stored. */
import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { RowError, UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import { trades } from '../../journal/resources/trades.ts';
import { userFor } from '../../journal-write/read.ts';
import type { Values } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../../time.ts';
import { textOf } from '../files/text.ts';
import { COMMON_ZONES, inOtherZone } from '../report/notices.ts';
import { refuseMissing, type TargetOptions } from '../write/target-journal.ts';
import { Candles } from './excursions/candles.ts';
import { candlesOf, type Excursions, type MeasuredTrade, measure, REASONS } from './excursions/measure.ts';
import { type ReadCandles, readCandles } from './excursions/read-candles.ts';
import { symbolOf } from './excursions/symbols.ts';
import { type LineReport, withLine } from './line.ts';

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
  /** Closed trades from the first to the last candle, and those whose fills are within their candles. */
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
}

const STATED = 'with mae and mfe stated by a platform';
const OPEN = 'still open';

/** @throws UserError that names the file and its problem; nothing is written then */
export function addExcursions(options: Options): ExcursionsReport {
  refuseMissing(options);
  const user = userFor(options.journal, options.user);
  const read = options.files.map((file) => ({ file, ...candlesIn(file, user, options.timeZone) }));
  const names = options.files.map((file) => basename(file));
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const line = `excursions ${names.slice(0, 3).join(', ')}${more}`;
  return withLine(options, { format: 'excursions', line }, ({ db, now, imports, importId }) => {
    const journal = new StoredTrades(db, user);
    const files = read.map((own) => ({ ...own, ...fitted(own, options, user, journal) }));
    const writer = new RecordWriter(
      db,
      { ...trades, table: 'trades' },
      { ...NO_DEFAULTS, user, now },
      {
        onChange: (stored, whole) => {
          if (stored !== whole) imports.addRecord(importId, trades.path, stored, whole);
        },
      },
    );
    const counts = { trades: 0, uncertain: 0, changed: 0 };
    const without: Record<string, number> = {};
    for (const [trade, own] of candlesByTrade(files, journal)) {
      const result = excursionsOf(trade, own);
      if (typeof result === 'string') {
        without[result] = (without[result] ?? 0) + 1;
        continue;
      }
      counts.trades++;
      if (result.mae !== result.mae_bound || result.mfe !== result.mfe_bound) counts.uncertain++;
      if (writer.put({ id: trade.id, ...unstated(trade, result) }) === 'changed') counts.changed++;
    }
    const report = { files: files.map(({ shown }) => shown), ...counts, without };
    return { report, changed: counts.changed, trades: counts.trades };
  });
}

const NO_DEFAULTS = { timeZone: undefined, account: undefined };

function candlesIn(file: string, user: User, timeZone: string | undefined): ReadCandles {
  try {
    return readCandles(textOf({ file }, true), user, timeZone);
  } catch (error) {
    throw error instanceof RowError ? error.at(file, error.line) : error;
  }
}

// Trades of the journal, and those that candles may measure.

interface StoredTrade extends MeasuredTrade {
  id: string;
  names: readonly string[];
  isOpen: boolean;
  stated: readonly ('mae' | 'mfe')[];
}

type Row = Record<'id' | 'symbol' | 'market' | 'side' | 'status' | 'executed_at', string> &
  Record<'underlying' | 'closed_at', string | null> &
  Record<'quantity' | 'multiplier' | 'entry_price' | 'gross_pnl', number> &
  Record<'exit_price' | 'mae' | 'mfe' | 'mae_bound' | 'mfe_bound', number | null>;

/** All trades but options, by the names that candles may have. */
class StoredTrades {
  readonly #rows: Map<string, Row[]>;
  readonly #executions: Database.Statement;
  readonly #user: string;
  readonly #made = new Map<Row, StoredTrade>();

  constructor(db: Database.Database, { id }: User) {
    this.#user = id;
    this.#executions = db.prepare(
      'SELECT executed_at, side, quantity, price FROM executions WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position',
    );
    const rows = db
      .prepare(
        `SELECT id, symbol, underlying, market, side, status, executed_at, closed_at, quantity, multiplier, entry_price, exit_price, gross_pnl,
           mae, mfe, mae_bound, mfe_bound
         FROM trades WHERE user_id = ? AND market <> 'option' ORDER BY executed_at, id`,
      )
      .all(id) as Row[];
    this.#rows = new Map();
    for (const row of rows) {
      for (const name of namesOf(row)) {
        const own = this.#rows.get(name.toUpperCase());
        if (own) own.push(row);
        else this.#rows.set(name.toUpperCase(), [row]);
      }
    }
  }

  /** Symbols and underlyings, as trades write them. */
  names(): string[] {
    return [...this.#rows].map(
      ([name, [row]]) => namesOf(row as Row).find((own) => own.toUpperCase() === name) ?? name,
    );
  }

  /** Trades that were open at some moment between the ends of the candles. */
  during(name: string, { first, last }: Candles): StoredTrade[] {
    const [from, to] = [toInstantText(first), toInstantText(last)];
    const rows = this.#rows.get(name.toUpperCase()) ?? [];
    return rows.filter((row) => row.executed_at < to && (row.closed_at ?? to) >= from).map((row) => this.#tradeOf(row));
  }

  #tradeOf(row: Row): StoredTrade {
    const known = this.#made.get(row);
    if (known) return known;
    const { id, status, multiplier, gross_pnl: gross } = row;
    const stated = (['mae', 'mfe'] as const).filter((name) => row[name] !== null && row[`${name}_bound`] === null);
    const isOpen = status === 'open';
    const made = {
      id,
      names: namesOf(row),
      isOpen,
      stated,
      multiplier,
      gross,
      fills: isOpen ? [] : this.#fillsOf(row),
    };
    this.#made.set(row, made);
    return made;
  }

  /** Its executions; those of a trade without are its entry and its exit. */
  #fillsOf({ id, side, quantity, entry_price, exit_price, executed_at, closed_at }: Row): MeasuredTrade['fills'] {
    const rows = this.#executions.all(this.#user, id) as (Pick<Row, 'executed_at' | 'side' | 'quantity'> & {
      price: number;
    })[];
    if (rows.length > 0) {
      return rows.map((own) => ({
        ...{ at: fromInstantText(own.executed_at), price: own.price },
        quantity: own.side === 'buy' ? own.quantity : -own.quantity,
      }));
    }
    const signed = side === 'long' ? quantity : -quantity;
    return [
      { at: fromInstantText(executed_at), quantity: signed, price: entry_price },
      // Without a price, no candle holds it.
      { at: fromInstantText(closed_at as string), quantity: -signed, price: exit_price ?? Number.NaN },
    ];
  }
}

function namesOf({ symbol, market, underlying }: Row): string[] {
  const isOther = market === 'future' && underlying !== null && underlying.toUpperCase() !== symbol.toUpperCase();
  return isOther ? [symbol, underlying] : [symbol];
}

/** Figures of a trade, but for stated ones. */
function unstated({ stated }: StoredTrade, { mae, mfe, mae_bound, mfe_bound }: Excursions): Values {
  return {
    ...(stated.includes('mae') ? {} : { mae, mae_bound }),
    ...(stated.includes('mfe') ? {} : { mfe, mfe_bound }),
  };
}

/** Each trade with the candles of its symbol, the shortest first. */
function candlesByTrade(files: readonly FittedFile[], journal: StoredTrades): Map<StoredTrade, Candles[]> {
  const found = new Map<StoredTrade, Candles[]>();
  const bySeries = Map.groupBy(files, ({ shown, candles }) => `${candles.step} ${shown.symbol}`);
  const series = [...bySeries.values()].map((own) => ({
    symbol: (own[0] as FittedFile).shown.symbol,
    candles: Candles.joined(own.map(({ candles }) => candles) as [Candles, ...Candles[]]),
  }));
  for (const { symbol, candles } of series.sort((a, b) => a.candles.step - b.candles.step)) {
    for (const trade of journal.during(symbol, candles)) found.set(trade, [...(found.get(trade) ?? []), candles]);
  }
  return found;
}

/** By the first candles that measure it; else the reason why the last ones don't. */
function excursionsOf(trade: StoredTrade, series: readonly Candles[]): Excursions | string {
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

// Whether candles are those of their symbol and zone.

type FittedFile = ReadCandles & { shown: CandleFile };

/** @throws UserError if under half of the trades between the first and the last candle are covered */
function fitted(
  { file, candles, zone, skipped, notes }: ReadCandles & { file: string },
  { symbol: given }: Options,
  user: User,
  journal: StoredTrades,
): { shown: CandleFile } {
  const names = journal.names();
  const symbol = symbolOf(file, given, names);
  const own = coverage(journal.during(symbol, candles), candles);
  if (own.covered * 2 < own.trades) throw new UserError(`${file}: ${misfit(symbol, own)}; ${advice()}`);
  return {
    shown: {
      ...{ file, symbol, candles: candles.count, seconds: candles.step / 1000 },
      ...{ first: toInstantText(candles.first), last: toInstantText(candles.last), timezone: zone },
      ...{ skipped, notes, ...own },
    },
  };

  function advice(): string {
    const zones = [...COMMON_ZONES, user.timezone].map((other) => {
      const clock = new ZoneClock(zone === null ? user.timezone : other);
      // The candles' times are in another zone; or, if they state theirs, those of the trades.
      const moved = (at: number) => inOtherZone(at, clock, zone ?? other);
      return { other, ...coverage(journal.during(symbol, candles), candles, moved) };
    });
    const symbols = names
      .filter((other) => other !== symbol)
      .map((other) => ({ other, ...coverage(journal.during(other, candles), candles) }));
    const [byZone, bySymbol] = [best(zones), best(symbols)];
    if (bySymbol && bySymbol.covered >= (byZone?.covered ?? 0)) {
      return `pass --symbol ${bySymbol.other}, of which they cover ${bySymbol.covered} of ${bySymbol.trades}`;
    }
    if (!byZone)
      return 'no other symbol and no common zone fits, so they may be of something else; pass --symbol or --timezone';
    const fit = `which covers ${byZone.covered} of ${byZone.trades}`;
    return zone === null
      ? `the file states its zone, so the trades were read in another one: journal-api import change ID --timezone ${byZone.other}, ${fit}`
      : `pass --timezone ${byZone.other}, ${fit}`;
  }
}

function misfit(symbol: string, { trades, covered }: Coverage): string {
  return `its candles cover ${covered} of ${trades} trades in ${symbol} at that time`;
}

interface Coverage {
  trades: number;
  covered: number;
}

/** Closed trades from the first to the last candle, and those whose fills are within their candles. */
function coverage(all: readonly StoredTrade[], candles: Candles, moved = (at: number) => at): Coverage {
  const closed = all
    .filter(({ isOpen }) => !isOpen)
    .map(({ fills }) => fills.map((own) => ({ ...own, at: moved(own.at) })));
  const within = closed.filter((fills) => fills.every(({ at }) => at >= candles.first && at < candles.last));
  const covered = within.filter((fills) => typeof candlesOf({ fills }, candles) !== 'string');
  return { trades: within.length, covered: covered.length };
}

/** The one that covers most trades, if at least half of its own. */
function best<T extends Coverage>(all: readonly T[]): T | undefined {
  const [most] = all
    .filter(({ trades, covered }) => covered > 0 && covered * 2 >= trades)
    .sort((a, b) => b.covered - a.covered);
  return most;
}
