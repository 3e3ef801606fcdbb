/** A row of a table: the values of its columns, read by the declaration. */
import { RowError } from '../../journal-write/row-error.ts';
import { type Cell, joined } from '../parse/columns.ts';
import type { MoneyStyle } from '../parse/numbers.ts';
import { wordIn } from '../parse/words.ts';
import type { ColumnSource, Columns, TableFile } from './declaration.ts';
import { fieldOf, signed } from './field.ts';

/** Cells by the declaration's names. */
export type Row = Record<string, Cell | undefined>;

/** With or without an offset: 9:31, 09:31:05 AM, 09:31:05 EST. */
const TIME_OF_DAY = /^\d\d?:\d\d(:\d\d([.,]\d+)?)?( ?[AP]\.?M\.?)?( ?(Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d))?$/i;

/** Readers of a table's columns. */
export class Fields {
  readonly #columns: Columns;
  readonly #style: MoneyStyle;
  readonly #known = new Map<string, (cells: readonly Cell[]) => unknown>();

  constructor(columns: Columns, style: MoneyStyle) {
    this.#columns = columns;
    this.#style = style;
  }

  source(name: string): Partial<ColumnSource> {
    return sourceOf(this.#columns, name);
  }

  /** @returns a function from cells to their value; undefined if they are empty and may be */
  of<T>(name: string, usual: (cell: Cell, style: MoneyStyle) => T): (cells: readonly Cell[]) => T | undefined {
    const known = this.#known.get(name) ?? this.#field(name, usual);
    this.#known.set(name, known);
    return known as (cells: readonly Cell[]) => T | undefined;
  }

  #field<T>(name: string, usual: (cell: Cell, style: MoneyStyle) => T): (cells: readonly Cell[]) => T | undefined {
    const { words, empty, sign, optional, read = usual } = this.source(name);
    const meaningOf = (cell: Cell) => signed((words ? wordIn(cell, words) : read(cell, this.#style)) as T, sign) as T;
    const field = fieldOf<T>({
      empty,
      read: ([first, ...more]) =>
        more.reduce((sum, cell) => ((sum as number) + (meaningOf(cell) as number)) as T, meaningOf(first as Cell)),
    });
    // In a required column, the reader rejects a word for an empty cell.
    return optional ? field : (cells) => field(cells) ?? meaningOf(cells[0] as Cell);
  }
}

/** The values of a row. */
export class TableRow<C extends Columns = Columns> {
  readonly line: number;
  readonly file: TableFile<C>;
  readonly #fields: Fields;
  readonly #cells: Row;

  constructor(fields: Fields, cells: Row, line: number, file: TableFile<C>) {
    this.#fields = fields;
    this.#cells = cells;
    this.line = line;
    this.file = file;
  }

  /** Null if the table lacks the column, or the cell is empty. */
  text(name: string): string | null {
    return this.#cells[name]?.text || null;
  }

  /** @throws RowError for a time of day if neither the file nor the user states its date */
  instant(name: string): string {
    const time = this.#cells[name] as Cell;
    const { day } = this.#fields.source(name);
    if (day === undefined || !TIME_OF_DAY.test(time.text)) return this.file.instantIn(time);
    const date = this.#cells[day];
    if (date?.text) return this.file.instantIn(joined(date, time));
    const given = this.file.context.date;
    if (given !== undefined) return this.file.instantIn({ ...time, text: `${given} ${time.text}` });
    throw new RowError(time.column, 'has a time without a date; pass the date, such as --date 2026-11-20', time.line);
  }

  /** @param usual the column's reader unless the declaration has one */
  value<T>(name: string, usual: (cell: Cell, style: MoneyStyle) => T): T | null {
    const { plus = [] } = this.#fields.source(name);
    const cells = [name, ...plus.map((_, index) => addedName(name, index))].flatMap((own) => this.#cells[own] ?? []);
    return cells.length === 0 ? null : (this.#fields.of(name, usual)(cells) ?? null);
  }
}

export function sourceOf(columns: Columns, name: string): Partial<ColumnSource> {
  const column = columns[name];
  if (column === undefined) return {};
  return typeof column === 'object' && 'column' in column ? column : { column };
}

/** The columns that add up to the fees. */
export function costColumns(columns: Columns): string[] {
  const { plus = [], column } = sourceOf(columns, 'fees');
  return column === undefined ? [] : ['fees', ...plus.map((_, index) => addedName('fees', index))];
}

/** Name of a column with amounts to add. */
export function addedName(name: string, index: number): string {
  return `${name} + ${index + 1}`;
}
