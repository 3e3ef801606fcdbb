/** Candles of a file: by the usual names of columns or, without a header, by their places. */

import { RowError } from '../../../errors.ts';
import type { User } from '../../../journal/journal.ts';
import { fromInstantText, ZoneClock } from '../../../time.ts';
import { LONGEST_READ } from '../../parse/bounds.ts';
import { type Cell, cellError, columnsOf, joined, orNothing } from '../../parse/columns.ts';
import { type CsvRow, csvRows, headerIn, isEmpty, readCsv } from '../../parse/csv-rows.ts';
import { moneyIn } from '../../parse/numbers.ts';
import { isZip } from '../../parse/open-file.ts';
import { assumedZone, type DateOrder, dateOrderOf, decimalOf, orderNote } from '../../parse/times.ts';
import { timeIn } from '../../table/clock.ts';
import { Candles } from './candles.ts';

/** As read, in the order of time. Each list has one entry per candle. */
interface Rows {
  times: number[];
  /** Open, high, low and close of each. */
  prices: number[];
  lines: number[];
}

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
const PRICES = ['open', 'high', 'low', 'close'] as const;

/** Times since 1970 first: they need no zone. */
const TIMES = [
  ...['unix', 'unix timestamp', 'timestamp', 'open_time', 'open time', 'opentime', 'time', '<time>', 'datetime'],
  ...['date time', 'date_time', 'date/time', 'gmt time', 'local time', 'time (utc)', 'start', 't', 'date', '<date>'],
];
const DAYS = ['date', '<date>', 'day', 'trade date', 'timestamp', 'time'];
const SYMBOLS = ['symbol', 'ticker', '<ticker>', 'instrument', 'contract', 'pair'];

const TIME_OF_DAY = /^\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?$|^\d{6}$/i;
const DAY_ONLY = /^\d{8}$|^\d{4}[-/.]\d\d?[-/.]\d\d?$|^\d\d?[-/.]\d\d?[-/.]\d{2,4}$/;
/** NinjaTrader's, the only one whose times are the candle's end. */
const NINJATRADER = /^\s*\d{8} \d{6};/;

/** More than any change of a clock. */
const CHANGE = 3 * 3_600_000;

/** Places of a candle's cells. */
interface Places {
  time: number;
  /** Of a second column with the time of day. */
  clock: number | undefined;
  prices: readonly [open: number, high: number, low: number, close: number];
  symbol: number;
  header: readonly string[];
}

/**
 * @param timeZone of times without an offset, if the user states it
 * @throws RowError if it isn't a file of candles, or a candle is impossible
 */
export function readCandles(text: string, user: User, timeZone: string | undefined): ReadCandles {
  if (isZip(text)) throw new RowError(null, 'is an archive or a workbook; unpack it, or save it as CSV');
  const isEnd = NINJATRADER.test(text);
  const { rows, places } = tableIn(text);
  const isUtc = timeZone === undefined && (isEnd || /utc|gmt/i.test(places.header[places.time] ?? ''));
  const times = new Times(rows, places, { user, timeZone: isUtc ? 'UTC' : timeZone });
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  const read = rowsOf(rows, places, times, skip);
  const { zone, notes } = times.stated();
  const clock = new ZoneClock(zone ?? 'UTC');
  const isAmbiguous = (time: number) => clock.offsetAt(time - CHANGE) !== clock.offsetAt(time + CHANGE);
  const inOrder = sorted(read.rows);
  const hasRepeats = inOrder.times.some((time, index) => index > 0 && time === inOrder.times[index - 1]);
  const kept = hasRepeats ? withoutRepeats(inOrder, skip, isAmbiguous) : inOrder;
  if (kept.times.length < 2) throw new RowError(null, 'has fewer than two candles');
  return {
    candles: Candles.of(kept.times, kept.prices, { isEnd, decimals: read.decimals }),
    ...{ zone, skipped, notes: [...(isUtc ? ['times are in UTC'] : notes), ...times.notes] },
  };
}

/** The rows of candles, and the places of their cells. */
function tableIn(text: string): { rows: CsvRow[]; places: Places } {
  const marks = [NAMES.open, NAMES.high, NAMES.low, NAMES.close];
  if (headerIn(text.slice(0, 1 << 16), marks)) {
    const { header, rows } = readCsv(text, marks);
    return { rows, places: placesIn(header, rows.find((row) => !isEmpty(row)) ?? header) };
  }
  const rows = csvRows(text);
  const [first] = rows.filter((row) => !isEmpty(row));
  const [time = '', clock = ''] = first?.cells.map((cell) => cell.trim()) ?? [];
  const isStart = /^\d[\d.,:/ TZ+-]+$/.test(time);
  const at = DAY_ONLY.test(time) && TIME_OF_DAY.test(clock) ? 2 : 1;
  if (!first || !isStart || first.cells.length < at + 4) {
    throw new RowError(null, 'no candles found; the file needs a header with time, open, high, low and close');
  }
  const header = ['time', ...(at === 2 ? ['time of day'] : []), ...PRICES];
  const places: Places = {
    ...{ time: 0, clock: at === 2 ? 1 : undefined, prices: [at, at + 1, at + 2, at + 3], symbol: -1, header },
  };
  return { rows, places };
}

function placesIn(header: CsvRow, first: CsvRow): Places {
  const found = columnsOf(header, { time: TIMES, ...NAMES }, { symbol: SYMBOLS })(header);
  const placeOf = (cell: Cell | undefined) => (cell ? header.cells.findIndex((name) => name.trim() === cell.text) : -1);
  const like = (names: readonly string[], form: RegExp) =>
    header.cells.findIndex(
      (name, place) => names.includes(name.trim().toLowerCase()) && form.test(first.cells[place]?.trim() ?? ''),
    );
  // A day beside a time of day, whichever of the two has the usual name.
  const [time, day, clock] = [placeOf(found.time), like(DAYS, DAY_ONLY), like(TIMES, TIME_OF_DAY)];
  const isSplit = day !== -1 && clock !== -1 && (time === day || time === clock);
  const prices = PRICES.map((name) => placeOf(found[name])) as unknown as Places['prices'];
  const where = isSplit ? { time: day, clock } : { time, clock: undefined };
  return { ...where, prices, symbol: placeOf(found.symbol), header: header.cells };
}

function timeCell({ cells, line }: CsvRow, { time, clock, header }: Places): Cell {
  const cell = { text: cells[time]?.trim() ?? '', column: header[time] ?? 'time', line };
  if (clock === undefined) return cell;
  return joined(cell, { text: cells[clock]?.trim() ?? '', column: header[clock] ?? 'time', line });
}

/** A time whose minutes and seconds follow from those of the hour: 2026-01-05 09:31, 20260105 093100, 2026-01-05T09:31:00-05:00. */
const WITHIN_HOUR = /^([\d./-]{8,10}[ T]\d\d):?([0-5]\d)(?::?([0-5]\d)(?:\.0{1,6})?)?( ?(?:Z|UTC|[-+]\d\d:?\d\d))?$/;
const COMPACT = /^((?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))((?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)$/;
const EPOCH = /^\d{9,19}(?:\.\d{1,9})?$/;

/** Times of candles in epoch milliseconds. */
class Times {
  readonly notes: readonly string[];
  readonly #order: DateOrder;
  readonly #assumed: { zone: string; note: string };
  #hasZoned = false;
  /** Thousands of candles share an hour, and reading a time takes twenty times as long as adding minutes. */
  readonly #hours = new Map<string, number>();

  constructor(rows: readonly CsvRow[], places: Places, context: { user: User; timeZone: string | undefined }) {
    this.#assumed = assumedZone(context, 'times have no zone');
    const first = rows.find((row) => !isEmpty(row));
    const isYearFirst = !first || /^\d{4}/.test(timeCell(first, places).text);
    this.#order = isYearFirst ? 'ymd' : dateOrderOf(rows.map((row) => timeCell(row, places).text));
    this.notes = isYearFirst ? [] : [orderNote(this.#order)];
  }

  /** The zone, if it was needed. */
  stated(): { zone: string | null; notes: string[] } {
    return this.#hasZoned ? { zone: this.#assumed.zone, notes: [this.#assumed.note] } : { zone: null, notes: [] };
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
    let start = this.#hours.get(key);
    if (start === undefined) {
      start = this.#read({ ...cell, text: `${hour}:00:00${offset}` });
      this.#hours.set(key, start);
    }
    return start + Number(minute) * 60_000 + Number(second) * 1000;
  }

  #read(cell: Cell): number {
    if (cell.text.length > LONGEST_READ) throw cellError({ ...cell, text: cell.text.slice(0, 40) }, 'is too long');
    const { instant, isZoned } = timeIn(cell, [this.#order, 'excel'], this.#assumed.zone);
    this.#hasZoned ||= isZoned;
    return fromInstantText(instant);
  }
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, by their number of digits. */
function sinceEpoch(number: number): number {
  const unit = number < 1e11 ? 1000 : number < 1e14 ? 1 : number < 1e17 ? 1e-3 : 1e-6;
  return Math.floor(number * unit);
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const MOST_DECIMALS = 8;

/** Prices in the cells of a file. */
class Prices {
  readonly #header: readonly string[];
  readonly #style: { decimal: '.' | ',' };
  /** Most decimals written. */
  decimals = 0;

  constructor(rows: readonly CsvRow[], { prices, header }: Places) {
    this.#header = header;
    const sample = rows.slice(0, 1000);
    this.#style = {
      decimal: decimalOf(sample.flatMap(({ cells }) => prices.map((place) => cells[place]?.trim() ?? ''))),
    };
  }

  /** @returns null for an empty cell @throws RowError */
  at({ cells, line }: CsvRow, place: number): number | null {
    const text = cells[place] ?? '';
    const cell = () => ({ text: text.trim(), column: this.#header[place] ?? 'price', line });
    // Most cells are plain numbers, and the style needn't be tried.
    const price = NUMBER.test(text) ? Number(text) : orNothing(cell(), (own) => moneyIn(own, this.#style));
    if (price !== null && !(Math.abs(price) < 1e15)) throw cellError(cell(), 'must be a price below 1e15');
    const point = text.indexOf(this.#style.decimal);
    if (point !== -1) this.decimals = Math.max(this.decimals, Math.min(text.length - point - 1, MOST_DECIMALS));
    return price;
  }
}

function rowsOf(rows: readonly CsvRow[], places: Places, times: Times, skip: (reason: string) => void) {
  const read: Rows = { times: [], prices: [], lines: [] };
  const cells = new Prices(rows, places);
  const [atOpen, atHigh, atLow, atClose] = places.prices;
  let symbol: string | undefined;
  for (const row of rows) {
    if (row.cells.length === 1 && isEmpty(row)) continue;
    const { line } = row;
    const [open, high] = [cells.at(row, atOpen), cells.at(row, atHigh)];
    const [low, close] = [cells.at(row, atLow), cells.at(row, atClose)];
    if (open === null || high === null || low === null || close === null) {
      skip('without a price');
      continue;
    }
    const own = row.cells[places.symbol]?.trim();
    symbol ??= own;
    if (own !== symbol)
      throw new RowError(null, `holds several symbols: ${symbol} and ${own}; split it by symbol`, line);
    if (high < low || open > high || open < low || close > high || close < low) {
      const problem = impossible(open, high, low, close);
      throw new RowError(null, `${problem}; remove the candle, or export the file again`, line);
    }
    read.times.push(times.at(timeCell(row, places)));
    read.prices.push(open, high, low, close);
    read.lines.push(line);
  }
  return { rows: read, decimals: cells.decimals };
}

function impossible(open: number, high: number, low: number, close: number): string {
  if (high < low) return `high ${high} is below low ${low}`;
  const isOpen = open > high || open < low;
  return `${isOpen ? `open ${open}` : `close ${close}`} is outside low ${low} to high ${high}`;
}

function sorted(rows: Rows): Rows {
  const { times, prices, lines } = rows;
  if (times.every((time, index) => index === 0 || time >= (times[index - 1] as number))) return rows;
  const order = [...times.keys()].sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
  return {
    times: order.map((index) => times[index] as number),
    prices: order.flatMap((index) => prices.slice(index * 4, index * 4 + 4)),
    lines: order.map((index) => lines[index] as number),
  };
}

/**
 * @param isAmbiguous whether a clock change is so near that a local time may be two instants, or none
 * @throws RowError for any other time with two different candles
 */
function withoutRepeats(
  { times, prices, lines }: Rows,
  skip: (reason: string, count?: number) => void,
  isAmbiguous: (time: number) => boolean,
): Rows {
  const kept: Rows = { times: [], prices: [], lines: [] };
  let dropped: number | undefined;
  for (const [index, time] of times.entries()) {
    const own = prices.slice(index * 4, index * 4 + 4);
    const isRepeat = time === kept.times.at(-1);
    if (isRepeat && own.every((price, at) => price === kept.prices.at(at - 4))) skip('twice the same');
    else if (time === dropped) skip(AMBIGUOUS);
    else if (isRepeat && isAmbiguous(time)) {
      for (const list of [kept.times, kept.lines]) list.pop();
      kept.prices.splice(-4);
      dropped = time;
      skip(AMBIGUOUS, 2);
    } else if (isRepeat) {
      const text = new Date(time).toISOString();
      const reason = `${text} appears twice with different prices, first on line ${kept.lines.at(-1)}; keep one`;
      throw new RowError(null, reason, lines[index]);
    } else {
      kept.times.push(time);
      for (const price of own) kept.prices.push(price);
      kept.lines.push(lines[index] as number);
    }
  }
  return kept;
}

const AMBIGUOUS = 'twice, because the clock changes';
