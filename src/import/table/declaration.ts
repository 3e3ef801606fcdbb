/** What a table is by its declaration: how its header is recognised, what its columns hold, how it writes values, which rows it skips. */
import type { Cell } from '../parse/columns.ts';
import type { ColumnNames, CsvRow, CsvTable } from '../parse/csv-rows.ts';
import type { MoneyStyle } from '../parse/numbers.ts';
import type { DateOrder } from '../parse/times.ts';
import type { DateFormat } from './dates.ts';
import type { Sign } from './field.ts';
import type { FormatBase, ReadContext } from './format.ts';
import type { SkipRule } from './skip-rules.ts';

/** A column by its name, or by several of versions and languages of the platform, of which the header has one. */
type Column = ColumnNames | ColumnSource;

export interface ColumnSource {
  column: ColumnNames;
  /** Matches the name where that says more, such as a zone: Date(UTC+2). The column is then the name for messages. */
  like?: RegExp;
  /** column: not every header has it; cells: every header has it, and its cells may be empty; true: both. */
  optional?: true | 'column' | 'cells';
  /** What the words of the file stand for. */
  words?: Readonly<Record<string, unknown>>;
  /** What is to be read of a cell's text. */
  text?: (text: string) => string;
  /** How a cell is read, if not as usual for what the column is. */
  read?: (cell: Cell, style: MoneyStyle) => unknown;
  sign?: Sign;
  /** What else stands for nothing, besides an empty cell, - and n/a. */
  empty?: readonly string[];
  /** Of a time that may be one of day: the name here of the column with its date. If no column has that, --date does. */
  day?: string;
  /** Optional columns whose amounts are added. */
  plus?: readonly ColumnNames[];
}

/** A column that not every header has, and whose cells may be empty. */
export function optional<const N extends ColumnNames>(column: N) {
  return { column, optional: true } as const;
}

/** A column whose cells may be empty. */
export function mayBeEmpty<const N extends ColumnNames>(column: N) {
  return { column, optional: 'cells' } as const;
}

export type Columns = Readonly<Record<string, Column>>;

export type Cells<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends { optional: true | 'column' } ? Cell | undefined : Cell;
};

/** The zone of times without an offset. */
export interface Zone {
  zone: string;
  /** Of all times, where the file states one: +02:00. */
  offset?: string;
  /** What the person is to know of it. */
  note?: string;
}

export interface TableDeclaration<C extends Columns> extends Omit<FormatBase, 'looksLike' | 'holds' | 'marks'> {
  /** Columns that no other header has together; lines before the header are skipped. */
  marks: readonly ColumnNames[];
  /** The marks of another version. */
  otherMarks?: readonly ColumnNames[];
  /** How a file is recognised if marks don't suffice. */
  looksLike?: FormatBase['looksLike'];
  /** Finds the table in the text; otherwise it is all of a CSV file below the header. */
  table?: (text: string, context: ReadContext) => CsvTable;
  /** By what they hold, named as the fields of a mapping; others have names of their own. */
  columns: C;
  /** How dates are written, of several ways the first that fits; or what finds their order in the cells of all times. */
  dates:
    | DateFormat
    | readonly DateFormat[]
    | ((times: readonly Cell[], style: MoneyStyle) => DateOrder | { order: DateOrder; notes: string[] });
  /** Whether the file has days without times. */
  daysOnly?: boolean;
  /** An IANA zone, or what finds it by the name of the column of times; --timezone or the user's own where it finds none. */
  zone?: string | ((column: string, context: ReadContext) => Zone | undefined);
  /** Marks of numbers, where they aren't those of English. */
  style?: MoneyStyle | ((rows: readonly Cells<C>[]) => MoneyStyle);
  /** Rows that are skipped: rules, or what gives the reason; undefined: the row is read. */
  skip?: readonly SkipRule[] | ((cells: Cells<C>, file: TableFile<C>) => string | undefined);
  /** False: the export has no fees, so the trader's own count. A declared column that a file lacks does the same for it. */
  hasFees?: false;
  /** What the person is to know of each file. */
  notes?: readonly string[];
}

/** A file that is being read. */
export interface TableFile<C extends Columns = Columns> {
  context: ReadContext;
  text: string;
  header: CsvRow;
  /** Of days, such as expirations, that have no column of their own. */
  order: DateOrder;
  style: MoneyStyle;
  /** All rows but empty ones. */
  rows(): Cells<C>[];
  instantIn(cell: Cell): string;
  /** How many rows were skipped, by reason. */
  skipped: ReadonlyMap<string, number>;
  /** Counts a row that is skipped. */
  skip(reason: string, rows?: number): void;
  /** Units of a symbol that came or went without a trade. */
  moved(symbol: Cell): void;
}

export const NO_FEES = 'fees are 0: this export has none';
export const ORDERS = 'fills of an order are one fill here';
