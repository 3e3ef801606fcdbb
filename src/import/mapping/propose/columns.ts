/** Detects the contents of columns in an unknown file by their cells: numbers, days, times, words and their styles. */
import { UserError } from '../../../errors.ts';
import { type CsvRow, isEmpty } from '../../parse/csv-rows.ts';
import { TIME_OF_DAY } from '../../table/clock.ts';
import type { Mapping } from '../schema.ts';
import { columnNames, delimiterBy } from '../table.ts';
import { isKnownName } from './vocabulary.ts';

export interface ColumnSeen {
  name: string;
  /** Non-empty cells, trimmed. */
  cells: readonly string[];
  /** One per row, empty ones too. */
  all: readonly string[];
}

export interface TableSeen {
  /** Line of the header. */
  line: number;
  columns: ColumnSeen[];
  /** Whether lines of text follow the rows. */
  hasNotes: boolean;
  /** Cells that begin a row of totals, with their column. */
  totals: { column: string; word: string }[];
}

/** Maximum rows, and characters of a cell, that are examined. */
const MOST_ROWS = 5000;
const MOST_CHARACTERS = 200;

/**
 * The first table of a file with a header.
 * @throws UserError if another table follows
 */
export function tableSeen(rows: readonly CsvRow[]): TableSeen | undefined {
  const at = headerAt(rows);
  const header = rows[at];
  if (!header) return undefined;
  const below = rows.slice(at + 1, at + 1 + MOST_ROWS).filter((row) => !isEmpty(row));
  const last = below.findLastIndex((row) => !isNote(row, header));
  const data = below.slice(0, last + 1);
  if (/^header$/i.test(header.cells[1]?.trim() ?? '')) {
    throw new UserError(
      'this is a statement with sections, each with a header; put the section with the trades into a separate file',
    );
  }
  const other = data.find((row) => isHeader(row) && row.cells.join() !== header.cells.join());
  if (other) {
    throw new UserError(
      `several tables in this file, with headers on lines ${header.line} and ${other.line}; put the one with the trades into a separate file`,
    );
  }
  const named = columnNames(header.cells);
  const totalOf = ({ cells }: CsvRow) => {
    const at = cells.findIndex((cell) => cell.trim() !== '');
    const word = cells[at]?.trim() ?? '';
    return TOTAL.test(word) ? [{ column: named[at] ?? '', word }] : [];
  };
  const totals = data.flatMap(totalOf);
  const traded = data.filter((row) => totalOf(row).length === 0);
  const columns = named.map((name, index) => {
    const all = traded.map(({ cells }) => (cells[index] ?? '').slice(0, MOST_CHARACTERS).trim());
    return { name, all, cells: all.filter((cell) => !NOTHING.test(cell)) };
  });
  return { line: header.line, columns, hasNotes: data.length < below.length, totals };
}

/** The label of a row of totals, in the languages of exports. */
const TOTAL =
  /^((grand |sub)?totals?|sum|summe|gesamt(summe)?|zwischensumme|totaal|totale|suma|razem|somme|summa|i alt)\b[ :]*$/i;

/** A disclaimer or a date of creation: one text, unlike rows of the table with several cells. */
function isNote({ cells }: CsvRow, header: CsvRow): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return header.cells.length > 3 && filled.length === 1 && cells[0]?.trim() !== '';
}

const NOTHING = /^(-{0,2}|n\/a|nan|none|null)$/i;

/** At least three known names, and no number. */
function isHeader({ cells }: CsvRow): boolean {
  const texts = cells.filter((cell) => cell.trim() !== '');
  return texts.filter(isKnownName).length >= 3 && !texts.some((cell) => /\d/.test(cell));
}

/** The row with the most known names; else the first with the most texts. */
function headerAt(rows: readonly CsvRow[]): number {
  const early = rows.slice(0, 60);
  const known = early.map(({ cells }) => cells.filter((cell) => cell.trim() !== '' && isKnownName(cell)).length);
  const most = Math.max(0, ...known);
  if (most >= 2) return known.indexOf(most);
  const texts = early.map(({ cells }) => cells.filter((cell) => /\p{L}/u.test(cell)).length);
  return texts.indexOf(Math.max(...texts));
}

/** The delimiter that gives the header the most known names, else the most cells. */
export function delimiterSeen(text: string): Mapping['delimiter'] {
  return delimiterBy(text, (cells) => cells.filter(isKnownName).length * 100 + cells.length);
}

const NUMBER =
  /^[-+−(]*\s*(?:[$€£¥₹]\s*)?[-+−(]?\d[\d.,'’\s]*(?:\)\s*)?([$€£¥₹]|[A-Z]{3,4}|(?:lot|share|unit|contract)s?|oz)?\)?$/i;
const DAY =
  /^(?:\d\d?:\d\d(?::\d\d)? )?(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d{4}|\d\d)|\d{8}|\d\d?[-/. ]+\p{L}{3,10}[-/. ]+\d{2,4}|\p{L}{3,10} \d\d?,? \d{4})/u;

/** Whether more than a share of a column's cells pass a test. */
function mostly(test: (cell: string) => boolean, share = 0.9): (column: ColumnSeen) => boolean {
  return ({ cells }) => cells.filter(test).length > cells.length * share;
}

export const isNumeric = mostly((cell) => NUMBER.test(cell));

const isWrittenDay = mostly((cell) => DAY.test(cell));

export const hasClock = mostly((cell) => DAY.test(cell) && /\d\d?:\d\d|[T; ]\d{6}/.test(cell), 0.5);

export const isClock = mostly((cell) => TIME_OF_DAY.test(cell));

/** Seconds or milliseconds since 1970, from 2001 on. */
export const isUnix = mostly((cell) => /^1\d{9}(\d{3})?(\.\d+)?$/.test(cell));

/** Days since 1900, as stored by spreadsheets, for the years 1995 to 2064. */
export const isSerial = mostly(
  (cell) => /^\d{5}(\.\d+)?$/.test(cell) && Number(cell) >= 34_700 && Number(cell) < 60_000,
);

/** Days, with times or without. */
export function isDay(column: ColumnSeen): boolean {
  return isWrittenDay(column) || isUnix(column);
}

/** Days in any form. */
export function isDated(column: ColumnSeen): boolean {
  return isDay(column) || isSerial(column);
}

/** Nearly all cells have letters, as tickers do. */
export const hasLetters = mostly((cell) => /\p{L}/u.test(cell) && cell.length <= 64);

/** Numbers, mostly not 0. */
export function isPriced(column: ColumnSeen): boolean {
  return isNumeric(column) && column.cells.filter((cell) => rough(cell) === 0).length < column.cells.length / 2;
}

/** The distinct words of a column, most frequent first. */
export function wordsOf({ cells }: ColumnSeen): string[] {
  const groups = [...Map.groupBy(cells, (word) => word)];
  return groups.sort(([, a], [, b]) => b.length - a.length).map(([word]) => word);
}

/**
 * The decimal separator.
 * @returns undefined if no cell decides
 */
export function decimalSeen(columns: readonly ColumnSeen[]): '.' | ',' | undefined {
  const marks = columns
    .flatMap(({ cells }) => cells)
    .flatMap((cell) => {
      const [, mark, digits = ''] = /([.,])(\d+)\D*$/.exec(cell) ?? [];
      const other = mark === '.' ? ',' : '.';
      // 1.234 is ambiguous, 1,234.567 isn't.
      const isAmbiguous = digits.length === 3 && !cell.includes(other) && !/^\D*0[.,]/.test(cell);
      return mark === undefined || isAmbiguous ? [] : [mark];
    });
  const points = marks.filter((mark) => mark === '.').length;
  const commas = marks.length - points;
  return points === commas ? undefined : points > commas ? '.' : ',';
}

/** Whether a cell has the other decimal separator, and can't be read with this one: 405,55 among points. */
export function isMixed(columns: readonly ColumnSeen[], decimal: '.' | ','): boolean {
  const other = decimal === '.' ? /^\D*\d+,(\d{1,2}|\d{4,})\D*$/ : /^\D*\d+\.(\d{1,2}|\d{4,})\D*$/;
  return columns.some(({ cells }) => cells.some((cell) => other.test(cell)));
}

/** A space or an apostrophe between thousands; undefined if it is a point or a comma. */
export function thousandsSeen(columns: readonly ColumnSeen[]): ' ' | "'" | undefined {
  const cells = columns.flatMap((column) => column.cells);
  if (cells.some((cell) => /\d\s\d{3}(\D|$)/.test(cell))) return ' ';
  return cells.some((cell) => /\d['’]\d{3}(\D|$)/.test(cell)) ? "'" : undefined;
}

/** Approximate value with any decimal separator; good enough to compare. */
export function rough(cell: string): number {
  const bare = cell.replace(/[^\d.,()+-]/g, '');
  const decimals = /[.,](\d{1,2}|\d{4,})\)?$/.exec(bare)?.[1] ?? '';
  const digits = bare.replace(/\D/g, '');
  const value = Number(digits) / 10 ** decimals.length;
  return /^[-(]|^\D*-/.test(bare) ? -value : value;
}
