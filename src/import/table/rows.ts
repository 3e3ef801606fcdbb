/** The rows of a table that aren't skipped, each read in turn. */
import { RowError } from '../../journal-write/row-error.ts';
import { reading, skip, type WholeReading } from '../fills/reading.ts';
import { type Cell, columnsOf, joined, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type ColumnNames, type CsvRow, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { type MoneyStyle, numberIn } from '../parse/numbers.ts';
import { wordIn } from '../parse/words.ts';
import { clockOf } from './clock.ts';
import {
  type Cells,
  type ColumnSource,
  type Columns,
  NO_FEES,
  type TableDeclaration,
  type TableFile,
} from './declaration.ts';
import { type Format, type FormatBase, movedNote, type ReadContext } from './format.ts';
import { hasMarks } from './header.ts';

/** What the rows of a file became. */
export interface TableRead<C extends Columns, T> {
  rows: number;
  items: T[];
  skipped: Map<string, number>;
  file: TableFile<C>;
  /** What the person is to know, once all is read. */
  notes(): string[];
}

/** What a row has by the names of the declaration. */
type Row = Record<string, Cell | undefined>;

/** A table of which several rows make a fill: at the end comes what all of them make. */
export function rowsTable<const C extends Columns>(
  declaration: TableDeclaration<C> & { end: (rows: Cells<C>[], file: TableFile<C>) => Partial<WholeReading> },
): Format {
  return {
    ...formatOf(declaration),
    read(text, context) {
      const { rows, items, skipped, file, notes } = readRows(
        declaration,
        { text, context },
        ['executed_at'],
        (cells) => cells,
      );
      const { notes: last = [], ...made } = declaration.end(items, file);
      return reading({ rows, skipped, ...made, notes: [...notes(), ...last] });
    },
  };
}

/** What a declaration says of its format. */
export function formatOf<C extends Columns>(declaration: TableDeclaration<C>): FormatBase {
  const { name, description, evidence, platform, hasUniqueIds, mayStateOrders, marks, otherMarks } = declaration;
  return {
    name,
    description,
    ...(evidence && { evidence }),
    ...(platform !== undefined && { platform }),
    ...(hasUniqueIds && { hasUniqueIds }),
    ...(mayStateOrders && { mayStateOrders }),
    holds: 'trades',
    marks,
    looksLike:
      declaration.looksLike ??
      ((start) => hasMarks(start, marks) || (otherMarks !== undefined && hasMarks(start, otherMarks))),
  };
}

/**
 * @param times columns that are times; the name of the first may tell the zone
 * @param read makes what a row is of its cells
 */
export function readRows<C extends Columns, T>(
  declaration: TableDeclaration<C>,
  given: { text: string; context: ReadContext },
  times: readonly string[],
  read: (cells: Cells<C>, row: TableRow<C>) => T,
): TableRead<C, T> {
  const { columns, skip: reasonOf } = declaration;
  const { rows, cellsOf, file, notes } = opened(declaration, given, times);
  const skipped = new Map<string, number>();
  const moved: string[] = [];
  const whole: TableFile<C> = {
    ...file,
    skipped,
    skip: (reason) => skip(skipped, reason),
    moved: ({ text: symbol, line }) => moved.push(`${symbol} on line ${line}`),
  };
  const needed = Object.keys(columns).filter(
    (name) => ![true, 'cells'].includes(sourceOf(columns, name).optional ?? ''),
  );
  const items: T[] = [];
  for (const row of rows) {
    const cells = cellsOf(row) as Row & Cells<C>;
    const reason = isEmpty(row) ? 'empty row' : reasonOf?.(cells, whole);
    if (reason !== undefined) {
      whole.skip(reason);
      continue;
    }
    refuseEmpty(...needed.flatMap((name) => cells[name] ?? []));
    items.push(read(cells, new TableRow(columns, cells, row.line, whole)));
  }
  const last = () => (moved.length > 0 ? [movedNote(moved)] : []);
  return { rows: rows.length, items, skipped, file: whole, notes: () => [...notes(), ...last()] };
}

/** Finds the table, its columns, and how it writes numbers and times. */
function opened<C extends Columns>(
  declaration: TableDeclaration<C>,
  { text, context }: { text: string; context: ReadContext },
  times: readonly string[],
): {
  rows: readonly CsvRow[];
  cellsOf: (row: CsvRow) => Row;
  file: Omit<TableFile<C>, 'skip' | 'skipped' | 'moved'>;
  notes: () => string[];
} {
  const { marks, columns, table = (whole: string) => readCsv(whole, marks), dates, style: stated = {} } = declaration;
  const { header, rows } = table(text, context);
  const { cellsOf, names } = placesOf(header, columns);
  const all = () => rows.filter((row) => !isEmpty(row)).map(cellsOf) as (Row & Cells<C>)[];
  const style = typeof stated === 'function' ? stated(all()) : stated;
  const column = names.get(times[0] as string) ?? '';
  const told = typeof dates === 'function' ? all().flatMap((cells) => times.flatMap((name) => cells[name] ?? [])) : [];
  const clock = clockOf(declaration, told, { column, style, context });
  const costs = costColumns(columns);
  const feeless = costs.length > 0 && !costs.some((name) => names.has(name)) ? [NO_FEES] : [];
  return {
    rows,
    cellsOf,
    file: { context, text, header, style, order: clock.order, rows: all, instantIn: clock.instantIn },
    notes: () => [...clock.notes(), ...feeless, ...(declaration.notes ?? [])],
  };
}

const TIME_OF_DAY = /^\d\d?:\d\d(:\d\d([.,]\d+)?)?( ?[AP]\.?M\.?)?$/i;

/** The values of a row, as the declaration says that they are written. */
export class TableRow<C extends Columns = Columns> {
  readonly line: number;
  readonly file: TableFile<C>;
  readonly #columns: Columns;
  readonly #cells: Row;

  constructor(columns: Columns, cells: Row, line: number, file: TableFile<C>) {
    this.#columns = columns;
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
    const { day } = sourceOf(this.#columns, name);
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
    const cell = this.#cells[name];
    if (!cell) return null;
    const { words, read = usual, optional } = sourceOf(this.#columns, name);
    const meaningOf = (own: Cell) => (words ? wordIn(own, words) : read(own, this.file.style)) as T;
    return optional ? orNothing(cell, meaningOf) : meaningOf(cell);
  }

  /** The amounts of a column and of those that are added to it; 0 where there is none. */
  sum(name: string): number {
    const { plus = [], sign } = sourceOf(this.#columns, name);
    const signed = (value: number) => (sign === 'absolute' ? Math.abs(value) : sign === 'negate' ? 0 - value : value);
    const amounts = [name, ...plus.map((_, index) => addedName(name, index))].map(
      (own) => this.#amount(own, name) ?? 0,
    );
    return amounts.reduce((sum, amount) => sum + signed(amount), 0);
  }

  #amount(name: string, declared: string): number | null {
    const cell = this.#cells[name];
    const { read = numberIn } = sourceOf(this.#columns, declared);
    return cell ? orNothing(cell, (own) => read(own, this.file.style) as number) : null;
  }
}

function sourceOf(columns: Columns, name: string): Partial<ColumnSource> {
  const column = columns[name];
  if (column === undefined) return {};
  return typeof column === 'object' && 'column' in column ? column : { column };
}

function costColumns(columns: Columns): string[] {
  const { plus = [], column } = sourceOf(columns, 'fees');
  return column === undefined ? [] : ['fees', ...plus.map((_, index) => addedName('fees', index))];
}

function addedName(name: string, index: number): string {
  return `${name} + ${index + 1}`;
}

/** Where each column is, and the name that the header has for it. */
function placesOf(
  header: CsvRow,
  columns: Columns,
): { cellsOf: (row: CsvRow) => Row; names: ReadonlyMap<string, string> } {
  const required: Record<string, ColumnNames> = {};
  const optional: Record<string, ColumnNames> = {};
  const changed: [name: string, text: (text: string) => string][] = [];
  for (const name of Object.keys(columns)) {
    const { column: own = '', like, optional: isMissing, plus = [], text } = sourceOf(columns, name);
    const found = like && header.cells.find((cell) => like.test(cell.trim()));
    (isMissing === true || isMissing === 'column' ? optional : required)[name] = found ?? own;
    plus.forEach((added, index) => {
      optional[addedName(name, index)] = added;
    });
    if (text) changed.push([name, text]);
  }
  const located = columnsOf(header, required, optional);
  const names = new Map(Object.entries<Cell>(located(header)).map(([name, { column }]) => [name, column]));
  const cellsOf = (row: CsvRow): Row => {
    const cells: Row = located(row);
    for (const [name, text] of changed) {
      const cell = cells[name];
      if (cell) cells[name] = { ...cell, text: text(cell.text).trim() };
    }
    return cells;
  };
  return { cellsOf, names };
}
