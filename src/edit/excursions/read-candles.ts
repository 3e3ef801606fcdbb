/**
 * Candles of a file: by the usual names of columns or, without a header, by their places.
 */

import { RowError } from '../../errors.ts';
import { timeIn } from '../../import/tables/clock.ts';
import type { User } from '../../journal/journal.ts';
import {
  type Cell,
  cellError,
  columnsOf,
  joined,
  moneyIn,
  orNothing,
} from '../../parse/cells.ts';
import {
  type CsvRow,
  type CsvTable,
  csvRows,
  headerIn,
  isEmpty,
  readCsv,
} from '../../parse/csv-rows.ts';
import { isZip } from '../../parse/open-file.ts';
import {
  assumedZone,
  type DateOrder,
  type DayOrder,
  dayOrderOf,
  decimalOf,
  withoutBrackets,
} from '../../parse/times.ts';
import { fromInstantText, parseLocal, ZoneClock } from '../../time.ts';
import { Candles, PRICES, type ReadCandle } from './candles.ts';

export interface ReadCandles {
  candles: Candles;
  /** The zone of times without an offset; null if there are none. */
  zone: string | null;
  /** Number of skipped rows, by reason. */
  skipped: Record<string, number>;
  notes: string[];
}

const NAMES = {
  open: ['open', '<open>', 'o', 'open price'],
  high: ['high', '<high>', 'h', 'high price', 'max'],
  low: ['low', '<low>', 'l', 'low price', 'min'],
  close: ['close', '<close>', 'c', 'last', 'close/last', 'close price', 'price'],
};

/** Times since 1970 first: they need no zone. */
const TIMES = [
  'unix',
  'unix timestamp',
  'timestamp',
  'open_time',
  'open time',
  'opentime',
  'time',
  '<time>',
  'datetime',
  'date time',
  'date_time',
  'date/time',
  'gmt time',
  'local time',
  'time (utc)',
  'start',
  't',
  'date',
  '<date>',
];
/** Of a file without a header. */
const SECOND = 'time of day';
const DAYS = ['date', '<date>', 'day', 'trade date', 'timestamp', 'time'];
const SYMBOLS = ['symbol', 'ticker', '<ticker>', 'instrument', 'contract', 'pair'];

const TIME_OF_DAY = /^\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?$|^\d{6}$/i;
const DAY_ONLY = /^\d{8}$|^\d{4}[-/.]\d\d?[-/.]\d\d?$|^\d\d?[-/.]\d\d?[-/.]\d{2,4}$/;
/** NinjaTrader's, the only one whose times are the candle's end. */
const NINJATRADER = /^\s*\d{8} \d{6};/;

/** Dukascopy's, which always has the day first. */
const DUKASCOPY = /^(?:gmt|local) time$/i;
const DUKASCOPY_TIME = /^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d\.\d{3}\b/;

/** More than any change of a clock. */
const CHANGE = 3 * 3_600_000;

type Skip = (reason: string, count?: number) => void;

/** What the user states about times. */
export interface CandleTimes {
  /** Of times without an offset. */
  timeZone: string | undefined;
  /** The order of day and month. */
  dates?: DayOrder | undefined;
}

/**
 * @throws RowError if it isn't a file of candles, or a candle is impossible
 */
export function readCandles(
  text: string,
  user: User,
  { timeZone, dates }: CandleTimes,
): ReadCandles {
  if (isZip(text))
    throw new RowError(null, 'is an archive or a workbook; unpack it, or save it as CSV');

  const isEnd = NINJATRADER.test(text);
  const { header, rows: all } = tableIn(text);
  const rows = all.filter((row) => row.cells.length > 1 || !isEmpty(row));
  const cellsOf = columnsIn(header, rows.find((row) => !isEmpty(row)) ?? header);
  const isUtc =
    timeZone === undefined && (isEnd || /utc|gmt/i.test(cellsOf(header).time.text));
  const times = new Times(rows, cellsOf, {
    user,
    dates,
    timeZone: isUtc ? 'UTC' : timeZone,
  });
  const skipped: Record<string, number> = {};

  const skip: Skip = (reason, count = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };

  const { candles, decimals } = candlesIn(rows, cellsOf, times, skip);
  const { zone, notes } = times.stated();
  const kept = withoutRepeats(candles, new ZoneClock(zone ?? 'UTC'), skip);
  if (kept.length < 2) throw new RowError(null, 'has fewer than two candles');

  return {
    candles: Candles.of(kept, { isEnd, decimals }),
    zone,
    skipped,
    notes: [...(isUtc ? ['times are in UTC'] : notes), ...times.notes],
  };
}

/**
 * The rows of candles below their header. A file without one gets a header by the places
 * of its cells.
 */
function tableIn(text: string): CsvTable {
  const marks = Object.values(NAMES);
  if (headerIn(text.slice(0, 1 << 16), marks)) return readCsv(text, marks);

  const rows = csvRows(text);
  const first = rows.find((row) => !isEmpty(row));
  const [time = '', clock = ''] = first?.cells.map((cell) => cell.trim()) ?? [];
  const isSplit = DAY_ONLY.test(time) && TIME_OF_DAY.test(clock);
  const names = ['time', ...(isSplit ? [SECOND] : []), ...PRICES];
  if (!first || !/^\d[\d.,:/ TZ+-]+$/.test(time) || first.cells.length < names.length) {
    throw new RowError(
      null,
      'no candles found; the file needs a header with time, open, high, low and close',
    );
  }

  return { header: { line: 1, cells: names }, rows };
}

/** The cells of a row; `clock` is a second column with the time of day. */
function columnsIn(header: CsvRow, first: CsvRow) {
  const names = header.cells.map((name) => name.trim());
  const like = (known: readonly string[], form: RegExp) =>
    names.find(
      (name, place) =>
        known.includes(name.toLowerCase()) && form.test(first.cells[place]?.trim() ?? ''),
    );

  // A day beside a time of day, whichever of the two has the usual name.
  const [day, clock] = [like(DAYS, DAY_ONLY), like([...TIMES, SECOND], TIME_OF_DAY)];
  const { time } = columnsOf(header, { time: TIMES, ...NAMES })(header);
  const isSplit =
    day !== undefined && clock !== undefined && [day, clock].includes(time.text);

  return columnsOf(
    header,
    { ...NAMES, time: isSplit ? day : TIMES },
    { symbol: SYMBOLS, clock: isSplit ? clock : [] },
  );
}

type CellsOf = ReturnType<typeof columnsIn>;

function timeCell({ time, clock }: ReturnType<CellsOf>): Cell {
  return clock ? joined(time, clock) : time;
}

/**
 * A time whose minutes and seconds follow from those of the hour: 2026-01-05 09:31,
 * 20260105 093100, 2026-01-05T09:31:00-05:00.
 */
const WITHIN_HOUR =
  /^([\d./-]{8,10}[ T]\d\d):?([0-5]\d)(?::?([0-5]\d)(?:\.0{1,6})?)?( ?(?:Z|UTC|[-+]\d\d:?\d\d))?$/;
const COMPACT =
  /^((?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))((?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)$/;
const EPOCH = /^\d{9,19}(?:\.\d{1,9})?$/;

/** Times of candles in epoch milliseconds. */
class Times {
  readonly notes: readonly string[];
  readonly #order: DateOrder;
  readonly #assumed: { zone: string; note: string };
  #hasZoned = false;
  /**
   * Thousands of candles share an hour, and reading a time takes twenty times as long as
   * adding minutes.
   */
  readonly #hours = new Map<string, number>();

  constructor(
    rows: readonly CsvRow[],
    cellsOf: CellsOf,
    context: CandleTimes & { user: User },
  ) {
    const { zone, note } = assumedZone(context, 'times have no zone');
    this.#assumed = { zone: withoutBrackets(zone), note: withoutBrackets(note) };
    const first = rows.find((row) => !isEmpty(row));
    const isYearFirst = !first || /^\d{4}/.test(timeCell(cellsOf(first)).text);
    const cells = isYearFirst ? [] : rows.map((row) => timeCell(cellsOf(row)));
    const isDukascopy = cells.some(
      ({ text, column }) => DUKASCOPY.test(column) && DUKASCOPY_TIME.test(text),
    );
    const found = dayOrderOf(isDukascopy ? [] : cells, { typed: context.dates });
    this.#order = isDukascopy ? 'dmy' : found.order;
    this.notes = found.notes;
  }

  /** The zone, if it was needed. */
  stated(): { zone: string | null; notes: string[] } {
    return this.#hasZoned
      ? { zone: this.#assumed.zone, notes: [this.#assumed.note] }
      : { zone: null, notes: [] };
  }

  /** @throws RowError */
  at(cell: Cell): number {
    const { text } = cell;
    const [, day, clock] = COMPACT.exec(text) ?? [];
    if (day !== undefined) return this.#read({ ...cell, text: `${day} ${clock}` });
    if (EPOCH.test(text)) return sinceEpoch(Number(text));

    const [, hour, minute, second = '0', offset = ''] = WITHIN_HOUR.exec(text) ?? [];
    if (hour === undefined) return this.#read(cell);

    const key = hour + offset;
    const start =
      this.#hours.get(key) ?? this.#read({ ...cell, text: `${hour}:00:00${offset}` });
    this.#hours.set(key, start);

    return start + Number(minute) * 60_000 + Number(second) * 1000;
  }

  #read(cell: Cell): number {
    const { instant, isZoned } = timeIn(cell, [this.#order, 'excel'], this.#assumed.zone);
    const isDay = instant.endsWith(']');
    this.#hasZoned ||= isZoned || isDay;
    if (isDay) return parseLocal(instant.slice(0, 23), this.#assumed.zone) as number;
    return fromInstantText(instant);
  }
}

/**
 * Seconds, milliseconds, microseconds or nanoseconds since 1970, by their number of
 * digits.
 */
function sinceEpoch(number: number): number {
  if (number < 1e11) return Math.floor(number * 1000);
  if (number < 1e14) return Math.floor(number);
  return Math.floor(number * (number < 1e17 ? 1e-3 : 1e-6));
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const MOST_DECIMALS = 8;

/** @returns the candles, and the most decimals of a price */
function candlesIn(
  rows: readonly CsvRow[],
  cellsOf: CellsOf,
  times: Times,
  skip: Skip,
): { candles: ReadCandle[]; decimals: number } {
  const sample = rows.slice(0, 1000).map(cellsOf);
  const decimal = decimalOf(
    sample.flatMap((cells) => PRICES.map((name) => cells[name].text)),
  );
  let decimals = 0;

  const priceIn = (cell: Cell): number | null => {
    // Most cells are plain numbers, and the style needn't be tried.
    const price = NUMBER.test(cell.text)
      ? Number(cell.text)
      : orNothing(cell, (filled) => moneyIn(filled, { decimal }));
    if (price !== null && !(Math.abs(price) < 1e15))
      throw cellError(cell, 'must be a price below 1e15');

    const point = cell.text.indexOf(decimal);
    if (point !== -1)
      decimals = Math.max(
        decimals,
        Math.min(cell.text.length - point - 1, MOST_DECIMALS),
      );
    return price;
  };

  const candles: ReadCandle[] = [];
  let symbol: string | undefined;
  for (const row of rows) {
    const { line } = row;
    const cells = cellsOf(row);
    const [open, high] = [priceIn(cells.open), priceIn(cells.high)];
    const [low, close] = [priceIn(cells.low), priceIn(cells.close)];
    if (open === null || high === null || low === null || close === null) {
      skip('without a price');
      continue;
    }

    symbol ??= cells.symbol?.text;
    if (cells.symbol?.text !== symbol) {
      const problem = `holds several symbols: ${symbol} and ${cells.symbol?.text}; split it by symbol`;
      throw new RowError(null, problem, line);
    }

    const prices = { open, high, low, close, line };
    refuseImpossible(prices);
    if (isWrongTick(prices)) {
      skip('whose low is below half, or high above double, of its open and close');
      continue;
    }

    candles.push({ time: times.at(timeCell(cells)), ...prices });
  }

  return { candles, decimals };
}

function refuseImpossible({
  open,
  high,
  low,
  close,
  line,
}: Omit<ReadCandle, 'time'>): void {
  const isOpen = open > high || open < low;
  if (high >= low && !isOpen && close <= high && close >= low) return;

  const what = isOpen ? `open ${open}` : `close ${close}`;
  const problem =
    high < low
      ? `high ${high} is below low ${low}`
      : `${what} is outside low ${low} to high ${high}`;
  throw new RowError(
    null,
    `${problem}; remove the candle, or export the file again`,
    line,
  );
}

/**
 * A single wrong price would be the excursion of every trade at its time. Without the
 * candle, those trades are not covered.
 */
function isWrongTick({ open, high, low, close }: Omit<ReadCandle, 'time'>): boolean {
  const [least, most] = [Math.min(open, close), Math.max(open, close)];
  return least > 0 && (low < least / 2 || high > most * 2);
}

const AMBIGUOUS = 'twice, because the clock changes';

/**
 * The candles in order, each time once.
 * @param clock of the zone: near its changes, a local time may be two instants, or none
 * @throws RowError for any other time with two different candles
 */
function withoutRepeats(
  candles: ReadCandle[],
  clock: ZoneClock,
  skip: Skip,
): ReadCandle[] {
  const kept: ReadCandle[] = [];
  let dropped: number | undefined;
  for (const candle of candles.sort((a, b) => a.time - b.time)) {
    const { time, line } = candle;
    const before = kept.at(-1);
    if (time === dropped) skip(AMBIGUOUS);
    else if (time !== before?.time) kept.push(candle);
    else if (PRICES.every((name) => candle[name] === before[name]))
      skip('twice the same');
    else if (clock.offsetAt(time - CHANGE) !== clock.offsetAt(time + CHANGE)) {
      kept.pop();
      dropped = time;
      skip(AMBIGUOUS, 2);
    } else {
      const text = new Date(time).toISOString();
      const reason = `${text} appears twice with different prices, first on line ${before.line}; keep one`;
      throw new RowError(null, reason, line);
    }
  }

  return kept;
}
