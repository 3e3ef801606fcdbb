/**
 * The order of day and month in dates with the year last. It is typed, that of earlier
 * imports, or shown by a number above 12; never guessed.
 */
import { RowError } from '../../errors.ts';
import { MONTHS } from '../../time.ts';
import type { Cell } from './columns.ts';
import type { DateOrder } from './times.ts';

export const DAY_ORDERS = ['dmy', 'mdy'] as const;
export type DayOrder = (typeof DAY_ORDERS)[number];

/** How earlier imports of the same format and account were read. */
export interface EarlierDates {
  /** Of the latest one that has an order; undefined if none has. */
  order?: DayOrder;
  /** Ids of the imports with this order, the latest first. */
  imports: readonly number[];
  /** Ids of imports without an order: earlier versions didn't keep it. */
  unknown?: readonly number[];
  /** Whether it is the order of an import of the same file. */
  isOwn?: boolean;
  /** Whether that import is read again, so that --dates may change it. */
  isAgain?: boolean;
}

/** What is known of a file's dates before it is read. */
export interface KnownDates {
  /** By --dates. */
  typed?: DayOrder | undefined;
  /** Looked up only for a file with such dates. */
  earlier?: (() => EarlierDates | undefined) | undefined;
}

/** The order in which a file's dates were read. */
export interface ReadDates {
  order: DayOrder;
  /** Whether a date with a number above 12 shows it. */
  isShown: boolean;
}

export interface DecidedOrder {
  order: DateOrder;
  notes: string[];
  /** Undefined if no date needs it: the year comes first, or day and month are equal. */
  dates?: ReadDates;
}

/** A date that has two meanings, and nothing settles which. */
export class AmbiguousDates extends RowError {
  /** Imports that may hold rows of the file, without an order. */
  readonly unknown: readonly number[];

  constructor(reason: string, line: number, unknown: readonly number[] = []) {
    super(null, reason, line);
    this.unknown = unknown;
  }
}

/** A date with the year last. */
interface WrittenDate {
  /** Without its time. */
  text: string;
  first: number;
  second: number;
  cell: Cell;
}

const YEAR_LAST = /^(\d\d?)[-/.](\d\d?)[-/.](?:\d{4}|\d\d)(?!\d)/;

/**
 * @param cells of dates, with or without times
 * @param isReformatted whether only a spreadsheet writes the year last, and the platform
 * first
 * @throws RowError if the dates contradict each other, --dates or earlier imports;
 * AmbiguousDates
 */
export function dayOrderOf(
  cells: readonly Cell[],
  known: KnownDates = {},
  isReformatted = false,
): DecidedOrder {
  const dates = cells.flatMap((cell) => dateIn(cell) ?? []);
  if (dates.length === 0) return { order: 'ymd', notes: [] };

  const decided = decidedFor(dates, known, isReformatted);
  const note = decided && noteOn(decided);
  const order = decided?.order ?? known.typed ?? 'mdy';
  const read = decided && { dates: { order, isShown: decided.isShown } };
  if (!isReformatted) return { order, notes: note === undefined ? [] : [note], ...read };

  const details = note === undefined ? '' : `: ${note}`;
  const notes = [
    `dates reformatted by a spreadsheet${details}; missing parts of times are 0`,
  ];
  return { order, notes, ...read };
}

/** The order shown by numbers above 12; undefined if there are none, or they differ. */
export function shownOrder(texts: readonly string[]): DayOrder | undefined {
  const dates = texts.flatMap((text) => dateIn({ text, column: '', line: 0 }) ?? []);
  const orders = new Set(dates.flatMap((date) => orderShownBy(date) ?? []));
  const [only] = orders;
  return orders.size === 1 ? only : undefined;
}

function dateIn(cell: Cell): WrittenDate | undefined {
  const { text } = cell;
  // The time of day may come first.
  const found = YEAR_LAST.exec(text) ?? YEAR_LAST.exec(text.slice(text.indexOf(' ') + 1));
  if (!found) return undefined;
  const [date, first, second] = found;
  return { text: date, first: Number(first), second: Number(second), cell };
}

function orderShownBy({ first, second }: WrittenDate): DayOrder | undefined {
  if (first > 12 && second <= 12) return 'dmy';
  return second > 12 && first <= 12 ? 'mdy' : undefined;
}

interface Decision extends ReadDates {
  why: string;
}

function decidedFor(
  dates: readonly WrittenDate[],
  known: KnownDates,
  isReformatted: boolean,
): Decision | undefined {
  const shown = shownBy(dates);
  const first = dates.find((date) => date.first !== date.second);
  if (!first) return undefined;

  const earlier = known.earlier?.();
  if (known.typed !== undefined) return typedOrder(known.typed, shown, earlier);
  if (earlier?.order !== undefined) return orderBefore(earlier, earlier.order, shown);
  if (shown) return { order: shown.order, isShown: true, why: placeOf(shown.date) };

  throw ambiguous(first, isReformatted, earlier?.unknown);
}

interface Shown {
  order: DayOrder;
  date: WrittenDate;
}

/** @throws RowError if dates show both orders */
function shownBy(dates: readonly WrittenDate[]): Shown | undefined {
  let found: Shown | undefined;
  for (const date of dates) {
    const order = orderShownBy(date);
    if (order === undefined) continue;

    found ??= { order, date };
    if (found.order === order) continue;

    const before = `${placeOf(found.date)} has the ${firstIn(found.order)} first`;
    const problem = `${before}, but ${placeOf(date)} the ${firstIn(order)}`;
    throw new RowError(
      date.cell.column,
      `${problem}; export the file again`,
      date.cell.line,
    );
  }

  return found;
}

function typedOrder(
  order: DayOrder,
  shown: Shown | undefined,
  earlier: EarlierDates | undefined,
): Decision {
  if (shown && shown.order !== order) {
    const { text, cell } = shown.date;
    const problem = `${text} has the ${firstIn(shown.order)} first, not as --dates ${order} states`;
    throw new RowError(cell.column, `${problem}; pass --dates ${shown.order}`, cell.line);
  }

  const isOther =
    earlier?.order !== undefined && earlier.order !== order && !earlier.isAgain;
  if (isOther && earlier.isOwn) {
    const [id] = earlier.imports;
    const remedy = `to correct it: journal-api import change ${id} --dates ${order}`;
    throw new RowError(
      null,
      `this file was imported before: ${readBefore(earlier)}; ${remedy}`,
    );
  }

  const before = isOther ? `; ${readBefore(earlier)}` : '';
  return { order, isShown: shown !== undefined, why: `--dates ${order}${before}` };
}

function orderBefore(
  earlier: EarlierDates,
  order: DayOrder,
  shown: Shown | undefined,
): Decision {
  if (!shown || shown.order === order) {
    const why = earlier.isOwn ? 'as before' : sourceOf(earlier);
    return { order, isShown: shown !== undefined, why };
  }

  const { date, order: stated } = shown;
  const where = placeOf(date);
  if (earlier.isOwn) return { order: stated, isShown: true, why: where };

  const [latest, ...others] = earlier.imports;
  if (latest === undefined) {
    const known = `the journal has rows of this file with the ${firstIn(order)} first`;
    const problem = `${known}, but ${where} has the ${firstIn(stated)}`;
    throw new RowError(null, `${problem}; import the original file`, date.cell.line);
  }

  const change = `journal-api import change ${latest} --dates ${stated}`;
  const also = others.length === 0 ? '' : `, and likewise ${others.join(', ')}`;
  const remedy = `if import ${latest} is wrong: ${change}${also}`;
  const problem = `${readBefore(earlier)}, but line ${date.cell.line} has ${date.text}`;
  const other = `if this file differs: --dates ${stated}`;
  throw new RowError(null, `${problem}; ${remedy}; ${other}`, date.cell.line);
}

/** import 3 was read with the month first */
function readBefore({ imports, order }: EarlierDates): string {
  const [latest] = imports;
  return `import ${latest} was read with the ${firstIn(order as DayOrder)} first`;
}

function sourceOf({ imports: [latest] }: EarlierDates): string {
  return latest === undefined ? 'as its rows in the journal' : `as in import ${latest}`;
}

function ambiguous(
  { text, first, second, cell }: WrittenDate,
  isReformatted: boolean,
  unknown: readonly number[] | undefined,
): AmbiguousDates {
  const by = isReformatted ? ', reformatted by a spreadsheet,' : '';
  const dayFirst = `${first} ${nameOfMonth(second)}`;
  const monthFirst = `${nameOfMonth(first)} ${second}`;
  const problem = `${text} in column ${cell.column}${by} may be ${dayFirst} or ${monthFirst}`;
  const flags = 'pass --dates dmy if the day comes first, or --dates mdy';
  const remedy = isReformatted ? `import the original file, or ${flags}` : flags;
  return new AmbiguousDates(`${problem}; ${remedy}`, cell.line, unknown);
}

function noteOn({ order, why }: Decision): string {
  return `dates are read with the ${firstIn(order)} first (${why})`;
}

/** 17/11/2026 on line 7 */
function placeOf({ text, cell }: WrittenDate): string {
  return `${text} on line ${cell.line}`;
}

/** The part that comes first. */
export function firstIn(order: DayOrder): 'day' | 'month' {
  return order === 'dmy' ? 'day' : 'month';
}

/** A number that is no month stays a number: the row is refused once it is read. */
function nameOfMonth(number: number): string {
  return MONTHS[number - 1] ?? String(number);
}
