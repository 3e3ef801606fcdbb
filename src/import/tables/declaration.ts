/**
 * Declaration of a table: marks of its header, columns, number and date styles, skipped
 * rows.
 */

import { quote, RowErrors } from '../../errors.ts';
import { type Cell, type MoneyStyle, orNothing } from '../../parse/cells.ts';
import type { ColumnNames, CsvRow, CsvTable } from '../../parse/csv-rows.ts';
import type { DateOrder } from '../../parse/times.ts';
import {
  type FileFill,
  type FileFlow,
  type FlowMeanings,
  skip,
} from '../fills/reading.ts';
import type { Clock, TableTimes } from './clock.ts';
import type { FormatBase, OtherRows, ReadContext } from './format.ts';

/**
 * A column by its name, or by one for each version and language of the platform; or a
 * value of a row's cells.
 */
type Column = ColumnNames | ColumnSource | ValueSource;

/** Cells by the declaration's names, or by those of given rows. */
export type Row = Readonly<Record<string, Cell | undefined>>;

export interface LocatedRow {
  line: number;
  cells: Row;
}

/** Takes the place of a column's name and settings: null if the row has no value. */
export interface ValueSource {
  /** Called once per file. */
  value: (file: TableFile) => (cells: Row) => unknown;
}

export interface ColumnSource {
  column: ColumnNames;
  /**
   * Matches a name with more in it, such as a zone: Date(UTC+2). The column is then the
   * name for messages.
   */
  like?: RegExp;
  /** column: some headers lack it; cells: cells may be empty; true: both. */
  optional?: true | 'column' | 'cells';
  /** Meanings of the file's words. */
  words?: Readonly<Record<string, unknown>>;
  /** Extracts the part of a cell's text to read. */
  text?: (text: string) => string;
  /** Replaces the column's usual reader. */
  read?: (cell: Cell, style: MoneyStyle) => unknown;
  sign?: Sign;
  /** Further words for an empty cell, besides - and n/a. */
  empty?: readonly string[];
  /** For times without a date: the name here of the column with the date, else --date. */
  day?: string;
  /** Optional columns with amounts to add. */
  plus?: readonly ColumnNames[];
  /**
   * Instead of a name: matches those of any number of columns with amounts, for
   * amountsIn.
   */
  every?: RegExp;
}

/** A column that some headers lack, with cells that may be empty. */
export function optional<const N extends ColumnNames>(column: N) {
  return { column, optional: true } as const;
}

/** A column with cells that may be empty. */
export function mayBeEmpty<const N extends ColumnNames>(column: N) {
  return { column, optional: 'cells' } as const;
}

export type Columns = Readonly<Record<string, Column>>;

export type Cells<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends { optional: true | 'column' }
    ? Cell | undefined
    : Cell;
};

export interface TableDeclaration<C extends Columns>
  extends Omit<FormatBase, 'looksLike' | 'holds' | 'marks'>,
    TableTimes {
  /** Columns that no other header has together; lines before the header are skipped. */
  marks: readonly ColumnNames[];
  /** The marks of another version. */
  otherMarks?: readonly ColumnNames[];
  /** Recognises a file if marks don't suffice. */
  looksLike?: FormatBase['looksLike'];
  /** Finds the table in the text; default: all of a CSV file below the header. */
  table?: (text: string, context: ReadContext) => CsvTable;
  /** Its rows, instead of a table in the text. */
  rows?: readonly LocatedRow[];
  /** By the names of a mapping's fields; further columns have names of their own. */
  columns: C;
  /**
   * Finds columns by their places instead of names, if names are in many languages or
   * missing.
   */
  places?: (header: CsvRow, rows: readonly CsvRow[]) => Places;
  /** Marks of numbers; default: English. */
  style?: MoneyStyle | ((rows: readonly Cells<C>[]) => MoneyStyle);
  /**
   * Skipped rows: rules, or a function that returns the reason; undefined: the row is
   * read.
   */
  skip?:
    | readonly SkipRule[]
    | ((cells: Cells<C>, file: TableFile<C>) => string | undefined);
  /** Cash flows among the skipped rows. */
  flows?: FlowsDeclaration<C>;
  /**
   * False: the export has no fees, so the trader's own apply. The same holds for a file
   * without its declared fee columns.
   */
  hasFees?: false;
  /**
   * True: a column that looks like a cost, but isn't declared, is an error: without it,
   * sums would be wrong.
   */
  allCosts?: true;
  /** Columns of costs that others include. */
  includedCosts?: readonly string[];
  /** Notes for the user on each file. */
  notes?: readonly string[];
}

/** What a row states of its cash flow, beyond its time, account and line. */
export type FlowParts = Pick<FileFlow, 'amount' | 'currency'> & Partial<FileFlow>;

interface FlowsDeclaration<C extends Columns> {
  /** Which skipped rows move cash, by the reason for skipping them. */
  meanings: FlowMeanings;
  /** Those of a row; none if it moves no cash after all. */
  read: (cells: Cells<C>, file: TableFile<C>) => readonly FlowParts[];
}

/**
 * The place of each column in the header, from 0, or the text of all its cells; undefined
 * if the file lacks it.
 */
export type Places = Readonly<Record<string, number | string | undefined>>;

/** The file being read. */
export interface TableFile<C extends Columns = Columns> extends OtherRows {
  context: ReadContext;
  text: string;
  header: CsvRow;
  /** For days without a column of their own, such as expirations. */
  order: DateOrder;
  style: MoneyStyle;
  /** All rows except empty ones. */
  rows(): Cells<C>[];
  instantIn: Clock['instantIn'];
  /**
   * @param stated the instrument, and parts that replace those of the row's usual columns
   */
  fill(cells: Row, stated: Partial<FileFill> & Pick<FileFill, 'instrument'>): FileFill;
  /** A value of the whole file, computed once. */
  once<T>(make: (file: TableFile<C>) => T): T;
}

export const ORDERS = 'this export combines the fills of an order into one';

// Value of a field by its cells: nothing, the meaning of a word, or the value read.

interface FieldSource<T> {
  /** Further words for an empty cell, besides - and n/a. */
  empty?: readonly string[] | undefined;
  /** Meaning of a cell's word; undefined for any other text. */
  meaningOf?: ((cell: Cell) => T | undefined) | undefined;
  /** @throws RowError if the cells can't be read */
  read: (cells: readonly Cell[]) => T;
  /** Combines the meanings of several cells. */
  join?: (meanings: T[]) => T;
}

/** @returns a function from a row's cells to their value; undefined if they are empty */
export function fieldOf<T>(
  source: FieldSource<T>,
): (cells: readonly Cell[]) => T | undefined {
  const { empty = [], meaningOf, read, join = ([first]) => first as T } = source;
  const nothing = new Set(empty.map(plain));

  return (all) => {
    const cells = all.filter(
      (cell) => orNothing(cell, ({ text }) => !nothing.has(plain(text))) === true,
    );
    if (cells.length === 0) return undefined;
    const meanings = meaningOf ? cells.map(meaningOf) : [];
    const isKnown =
      meanings.length > 0 && meanings.every((meaning) => meaning !== undefined);
    return isKnown ? join(meanings as T[]) : read(cells);
  };
}

/** negate: costs are written with a minus; absolute: with either sign. */
type Sign = 'negate' | 'absolute';

export function signed<T>(value: T, sign: Sign | undefined): T | number {
  if (typeof value !== 'number' || sign === undefined) return value;
  return sign === 'absolute' ? Math.abs(value) : 0 - value;
}

// Rules for skipping rows, with reasons.

/** Rows with one of these words in a column, or with any other word. */
export interface SkipRule {
  column: string;
  is?: readonly string[] | undefined;
  not?: readonly string[] | undefined;
  /** start: cells begin with these. */
  match?: 'start' | undefined;
  reason?: string | undefined;
}

/**
 * @param textOf returns the text of a column's cell
 * @returns a function from a row to the reason for skipping it; undefined if it stays
 */
export function skipper<R>(
  rules: readonly SkipRule[],
  textOf: (row: R, column: string) => string,
): (row: R) => string | undefined {
  const sets = rules.map(({ column, is, not, match, reason }) => ({
    column,
    is: is && hasWord(is, match),
    not: not && hasWord(not, match),
    reason,
  }));
  return (row) => {
    for (const { column, is, not, reason } of sets) {
      const text = textOf(row, column);
      const word = plain(text);
      if (!(is?.(word) || (not && !not(word)))) continue;
      return (
        reason ??
        (word === '' ? `row without ${column}` : `row with ${column} ${quote(text)}`)
      );
    }
    return undefined;
  };
}

/** Whether a text is one of the words, or begins with one. */
function hasWord(
  words: readonly string[],
  match: 'start' | undefined,
): (text: string) => boolean {
  const known = new Set(words.map(plain));
  return match === 'start'
    ? (text) => [...known].some((word) => text.startsWith(word))
    : (text) => known.has(text);
}

export function plain(word: string): string {
  return word.trim().toLowerCase();
}

/**
 * Reads each row that isn't skipped, and counts skipped rows by reason.
 * @param take takes a row for another use, with the reason to skip it; returns whether it
 * does
 * @throws RowError with the errors of all rows
 */
export function readEach<R, T>(
  rows: Iterable<R>,
  skipped: Map<string, number>,
  reasonOf: (row: R) => string | undefined,
  read: (row: R) => T,
  take: (row: R, reason: string) => boolean | undefined = () => false,
): T[] {
  const items: T[] = [];
  const errors = new RowErrors();
  for (const row of rows) {
    const reason = reasonOf(row);
    if (reason === undefined) errors.try(() => items.push(read(row)));
    else if (errors.try(() => take(row, reason)) === false) skip(skipped, reason);
  }

  errors.refuse();
  return items;
}
