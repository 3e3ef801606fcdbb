/** A row of a table: the values of its columns, read as the declaration says. */
import { RowError } from '../../journal-write/row-error.ts';
import { type Cell, joined } from '../parse/columns.ts';
import type { MoneyStyle } from '../parse/numbers.ts';
import { wordIn } from '../parse/words.ts';
import type { ColumnSource, Columns, TableFile } from './declaration.ts';
import { fieldOf, signed } from './field.ts';

/** By the names of the declaration. */
export type Row = Record<string, Cell | undefined>;

/** With an offset or without: 9:31, 09:31:05 AM, 09:31:05 EST. */
const TIME_OF_DAY = /^\d\d?:\d\d(:\d\d([.,]\d+)?)?( ?[AP]\.?M\.?)?( ?(Z|UTC|GMT|[ECMP][SD]T|[-+]\d\d:?\d\d))?$/i;

/** How the columns of a table are read. */
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

  /** @returns what gives the value of cells; undefined if they say nothing, where they may */
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
    // Where a cell must say something, what stands for nothing is refused as what it isn't.
    return optional ? field : (cells) => field(cells) ?? meaningOf(cells[0] as Cell);
  }
}

/** The values of a row, as the declaration says that they are written. */
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

  /** Null: the table has no such column, or the cell is empty. */
  text(name: string): string | null {
    return this.#cells[name]?.text || null;
  }

  /** @throws RowError if it is a time of day whose date neither the file nor the user gives */
  instant(name: string): string {
    const time = this.#cells[name] as Cell;
    const { day } = this.#fields.source(name);
    if (day === undefined || !TIME_OF_DAY.test(time.text)) return this.file.instantIn(time);
    const date = this.#cells[day];
    if (date?.text) return this.file.instantIn(joined(date, time));
    const given = this.file.context.date;
    if (given !== undefined) return this.file.instantIn({ ...time, text: `${given} ${time.text}` });
    throw new RowError(
      time.column,
      'has no date, and neither has the file: say which day it is of, as in --date 2026-11-20',
      time.line,
    );
  }

  /** @param usual how the column's cells are read unless the declaration says otherwise */
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

/** The columns whose amounts are the fees. */
export function costColumns(columns: Columns): string[] {
  const { plus = [], column } = sourceOf(columns, 'fees');
  return column === undefined ? [] : ['fees', ...plus.map((_, index) => addedName('fees', index))];
}

/** The name of a column whose amounts are added. */
export function addedName(name: string, index: number): string {
  return `${name} + ${index + 1}`;
}
