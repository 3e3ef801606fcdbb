/** Reads the rows of a table that aren't skipped. */

import { RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import {
  type Cell,
  columnsOf,
  joined,
  type MoneyStyle,
  numberIn,
  positiveIn,
  refuseEmpty,
  refuseLong,
  sideIn,
  wordIn,
} from '../../parse/cells.ts';
import {
  type ColumnNames,
  type CsvRow,
  type CsvTable,
  isEmpty,
  readCsv,
} from '../../parse/csv-rows.ts';
import {
  type FileFill,
  type FileFlow,
  type FileRecord,
  fill,
  flowKindOf,
  NO_FEES,
  reading,
  type WholeReading,
} from '../fills/reading.ts';
import { clockOf, dependsOnCells, TIME_OF_DAY } from './clock.ts';
import { addedName, currencyName, namesCosts } from './costs.ts';
import {
  type Cells,
  type ColumnSource,
  type Columns,
  fieldOf,
  type LocatedRow,
  type Places,
  type Row,
  readEach,
  signed,
  skipper,
  type TableDeclaration,
  type TableFile,
  type ValueSource,
} from './declaration.ts';
import { hasMarks, otherRows, type ReadContext, type TableFormat } from './format.ts';

// A row of a table: the values of its columns, read by the declaration.

type Reader<T> = (cell: Cell, style: MoneyStyle) => T;

/** The values of a file's columns. */
class Fields {
  readonly columns: Columns;
  readonly #file: TableFile;
  readonly #known = new Map<string, (row: Row) => unknown>();

  constructor(columns: Columns, file: TableFile) {
    this.columns = columns;
    this.#file = file;
  }

  /**
   * @param usual the column's reader unless the declaration has one
   * @returns a function from a row to its value; null if the table lacks the column, or
   * cells are empty and may be
   */
  of<T>(name: string, usual: Reader<T>): (row: Row) => T | null {
    const known = this.#known.get(name) ?? this.#field(name, usual);
    this.#known.set(name, known);
    return known as (row: Row) => T | null;
  }

  #field<T>(name: string, usual: Reader<T>): (row: Row) => T | null {
    const column = this.columns[name];
    if (isValue(column)) return column.value(this.#file) as (row: Row) => T | null;

    const {
      words,
      empty,
      sign,
      optional,
      read = usual,
      plus = [],
    } = sourceOf(this.columns, name);
    const names = [name, ...plus.map((_, index) => addedName(name, index))];
    const meaningOf = (cell: Cell) =>
      signed(
        (words ? wordIn(cell, words) : read(cell, this.#file.style)) as T,
        sign,
      ) as T;
    const field = fieldOf<T>({
      empty,
      read: ([first, ...more]) =>
        more.reduce(
          (sum, cell) => ((sum as number) + (meaningOf(cell) as number)) as T,
          meaningOf(first as Cell),
        ),
    });

    return (row) => {
      const cells = names.flatMap((column) => row[column] ?? []);
      const [first] = cells;
      if (!first) return null;
      // In a required column, the reader rejects a word for an empty cell.
      return field(cells) ?? (optional ? null : meaningOf(first));
    };
  }
}

/** The values of a row. */
export class TableRow<C extends Columns = Columns> {
  readonly line: number;
  readonly file: TableFile<C>;
  readonly #fields: Fields;
  readonly #cells: Row;
  /** Values without a column are read once. */
  readonly #values = new Map<string, unknown>();

  constructor(fields: Fields, cells: Row, line: number, file: TableFile<C>) {
    this.#fields = fields;
    this.#cells = cells;
    this.line = line;
    this.file = file;
  }

  /** Null if the table lacks the column, or the cell is empty. */
  text(name: string): string | null {
    return isValue(this.#fields.columns[name])
      ? this.value<string>(name)
      : this.#cells[name]?.text || null;
  }

  /**
   * @throws RowError for a time of day if neither the file nor the user states its date
   */
  instant(name: string): string {
    if (isValue(this.#fields.columns[name])) return this.value<string>(name) as string;

    const time = this.#cells[name] as Cell;
    const { day } = sourceOf(this.#fields.columns, name);
    if (day === undefined || !TIME_OF_DAY.test(time.text))
      return this.file.instantIn(time);

    const date = this.#cells[day];
    if (date?.text) return this.file.instantIn(joined(date, time));

    const stated = this.file.context.date;
    if (stated !== undefined)
      return this.file.instantIn({ ...time, text: `${stated} ${time.text}` });

    throw new RowError(
      time.column,
      'has a time without a date; pass the date, such as --date 2026-11-20',
      time.line,
    );
  }

  /** @param usual the column's reader unless the declaration has one */
  value<T>(name: string, usual: Reader<T> = ({ text }) => text as T): T | null {
    const read = this.#fields.of(name, usual);
    if (!isValue(this.#fields.columns[name])) return read(this.#cells);
    if (!this.#values.has(name)) this.#values.set(name, read(this.#cells) ?? null);
    return this.#values.get(name) as T | null;
  }
}

/** Words of the side may mean several parts of a fill. */
export function sideOf(row: TableRow): FileFill['side'] {
  return row.value<FileFill['side']>('side', (cell) => sideIn(cell));
}

/** The parts of a fill that a row's usual columns state. */
const STATED: { readonly [K in keyof FileFill]?: (row: TableRow) => FileFill[K] } = {
  side: sideOf,
  stated(row) {
    const gross = row.value('gross_pnl', numberIn);
    return gross === null ? null : { gross };
  },
  executionId: (row) => row.value('execution_id'),
  account: (row) => row.text('account'),
  orderId: (row) => row.text('order_id'),
  executedAt: (row) => row.instant('executed_at'),
  quantity: (row) => row.value('quantity', positiveIn),
  price: (row) => row.value('price', numberIn) ?? 0,
  fees: (row) => row.value('fees', numberIn) ?? 0,
};

/** @param stated the instrument, and parts that replace those of the columns */
export function statedFill(
  row: TableRow,
  stated: Partial<FileFill> & Pick<FileFill, 'instrument'>,
): FileFill {
  const usual: Record<string, unknown> = { line: row.line };
  for (const [part, read] of Object.entries(STATED)) {
    if (!(part in stated)) usual[part] = read(row);
  }

  const { side, ...rest } = { ...usual, ...stated };
  const parts =
    typeof side === 'object' && side !== null
      ? { side: null, ...(side as object) }
      : { side };
  return fill({ ...rest, ...parts } as FileFill);
}

function lineOf(cells: Row): number {
  return Object.values(cells).find((cell) => cell !== undefined)?.line ?? 0;
}

function isValue(column: Columns[string] | undefined): column is ValueSource {
  return typeof column === 'object' && 'value' in column;
}

function sourceOf(columns: Columns, name: string): Partial<ColumnSource> {
  const column = columns[name];
  if (column === undefined || isValue(column)) return {};
  return typeof column === 'object' && 'column' in column ? column : { column };
}

/** The columns that add up to the fees. */
function costColumns(columns: Columns): string[] {
  const { plus = [], column } = sourceOf(columns, 'fees');
  return column === undefined
    ? []
    : ['fees', ...plus.map((_, index) => addedName('fees', index))];
}

/**
 * A table with several rows per fill: end combines all rows.
 * @param declaration row: what end needs of a row, if not its cells
 */
export function rowsTable<const C extends Columns, T = Cells<C>>(
  declaration: TableDeclaration<C> & {
    row?: (cells: Cells<C>, file: TableFile<C>) => T;
    end: (rows: T[], file: TableFile<C>) => Partial<WholeReading>;
  },
): TableFormat {
  const { row: read = (cells: Cells<C>) => cells as T, end } = declaration;
  return tableOf(
    declaration,
    ['executed_at'],
    (cells, row) => read(cells, row.file),
    end,
  );
}

/** A table of records: the values of its columns by field; end makes the records. */
export function recordsTable<const C extends Columns>(
  declaration: TableDeclaration<C> & {
    record: (row: TableRow<C>) => Values;
    end: (records: FileRecord[]) => Partial<WholeReading>;
  },
): TableFormat {
  const recordOf = (_: Cells<C>, row: TableRow<C>): FileRecord => ({
    line: row.line,
    values: declaration.record(row),
  });
  return tableOf(declaration, [], recordOf, declaration.end);
}

/**
 * The format of a declaration.
 * @param times columns with times; the name of the first may state the zone
 * @param read converts a row
 * @param end combines all rows; its notes follow the table's own
 */
export function tableOf<C extends Columns, T>(
  declaration: TableDeclaration<C>,
  times: readonly string[],
  read: (cells: Cells<C>, row: TableRow<C>) => T,
  end: (items: T[], file: TableFile<C>) => Partial<WholeReading>,
): TableFormat {
  const { notes: _, marks, otherMarks, columns, skip = [], ...traits } = declaration;
  const hasAll = (start: string) =>
    hasMarks(start, marks) || (otherMarks !== undefined && hasMarks(start, otherMarks));
  const needed = Object.keys(columns).filter(
    (name) =>
      !isValue(columns[name]) &&
      ![true, 'cells'].includes(sourceOf(columns, name).optional ?? ''),
  );

  return {
    looksLike: hasAll,
    ...traits,
    marks,
    holds: 'trades',
    read(text, context) {
      const table = opened(declaration, text, context, times);
      const { count, rows, file, rowOf, hasFees, notes, dates } = table;
      const ruled =
        typeof skip === 'function'
          ? (cells: Row) => skip(cells as Cells<C>, file)
          : skipper<Row>(skip, (cells, column) => cells[column]?.text ?? '');
      const flows: FileFlow[] = [];
      const items = readEach(
        rows,
        file.skipped,
        ({ cells }) => (cells ? ruled(cells) : 'empty row'),
        ({ line, cells = {} }) => {
          refuseEmpty(...needed.flatMap((name) => cells[name] ?? []));
          return read(cells as Row & Cells<C>, rowOf(cells, line));
        },
        ({ line, cells }, reason) => {
          if (!declaration.flows || !cells) return false;
          const found = flowsIn(
            declaration,
            cells as Cells<C>,
            rowOf(cells, line),
            reason,
          );
          for (const flow of found) flows.push(flow);
          return found.length > 0;
        },
      );
      const { notes: last = [], fills = [], ...parts } = end(items, file);
      // Marked if the file states no fees.
      const marked = hasFees
        ? fills
        : fills.map((fill) => ({ ...fill, feesStated: false }));
      const all = {
        rows: count,
        skipped: file.skipped,
        ...parts,
        flows: [...flows, ...(parts.flows ?? [])],
        fills: marked,
        notes: [...notes(), ...last],
      };

      return reading({ ...all, dates });
    },
  };
}

/**
 * The cash flows of a row that would be skipped for a reason; none if it moves no cash.
 */
function flowsIn<C extends Columns>(
  { flows, daysOnly = false }: TableDeclaration<C>,
  cells: Cells<C>,
  row: TableRow<C>,
  reason: string,
): FileFlow[] {
  if (!flows?.meanings.some(([pattern]) => pattern.test(reason))) return [];

  const moving = flows.read(cells, row.file).filter(({ amount }) => amount !== 0);
  return moving.flatMap((parts) => {
    const kind = parts.kind ?? flowKindOf(reason, flows.meanings, parts.amount);
    if (!kind) return [];

    return {
      line: row.line,
      id: null,
      account: row.text('account'),
      executedAt: parts.executedAt ?? row.instant('executed_at'),
      hasTime: daysOnly !== true,
      symbol: null,
      description: null,
      ...parts,
      kind,
    };
  });
}

/** A row of a file; an empty one has no cells. */
type FileRow = Partial<LocatedRow> & { line: number };

/** A table in a file, with its columns by the declaration's names. */
interface FoundTable<C extends Columns> {
  header: CsvRow;
  lines: readonly CsvRow[];
  /** Names in the header. */
  names: ReadonlyMap<string, string>;
  count: number;
  rows: Iterable<FileRow>;
  /** The cells of all rows except empty ones. */
  cells: () => (Row & Cells<C>)[];
}

function foundIn<C extends Columns>(
  { marks, columns, places, rows: ready, table }: TableDeclaration<C>,
  text: string,
  context: ReadContext,
): FoundTable<C> {
  const { header, rows: lines } = ready
    ? NO_TABLE
    : (table?.(text, context) ?? readCsv(text, marks));
  const { cellsOf, names } = placesOf(header, columns, places?.(header, lines));

  function* located(): Generator<FileRow> {
    for (const row of lines) {
      refuseHeader(row, header);
      yield isEmpty(row) ? { line: row.line } : { line: row.line, cells: cellsOf(row) };
    }
  }

  const cells = () =>
    ready?.map((row) => row.cells) ?? lines.filter((row) => !isEmpty(row)).map(cellsOf);

  return {
    header,
    lines,
    names,
    count: (ready ?? lines).length,
    rows: ready ?? located(),
    cells: cells as FoundTable<C>['cells'],
  };
}

const NO_TABLE: CsvTable = { header: { line: 1, cells: [] }, rows: [] };

/** Finds the table and the styles of its numbers and times. */
function opened<C extends Columns>(
  declaration: TableDeclaration<C>,
  text: string,
  context: ReadContext,
  times: readonly string[],
) {
  const table = foundIn(declaration, text, context);
  const { header, names, count, rows } = table;
  if (declaration.allCosts) refuseOtherCosts(header, new Set(names.values()));

  const { dates, dated = [], style: stated = {} } = declaration;
  const style = typeof stated === 'function' ? stated(table.cells()) : stated;
  const named = dependsOnCells(dates) ? [...times, ...dated] : [];
  const timeCells =
    named.length === 0
      ? []
      : table.cells().flatMap((cells) => named.flatMap((name) => cells[name] ?? []));
  const column = names.get(times[0] as string) ?? '';
  const clock = clockOf(declaration, timeCells, { column, context, text });

  const costs = costsIn(declaration, table);
  const others = otherRows();
  const known = new Map<unknown, unknown>();
  const file: TableFile<C> = {
    context,
    text,
    header,
    style,
    order: clock.order,
    rows: table.cells,
    instantIn: clock.instantIn,
    ...others,
    once<T>(make: (file: TableFile<C>) => T): T {
      if (!known.has(make)) known.set(make, make(file));
      return known.get(make) as T;
    },
    fill: (cells, parts) => statedFill(rowOf(cells, lineOf(cells)), parts),
  };
  const fields = new Fields(declaration.columns, file);
  const rowOf = (cells: Row, line: number) => new TableRow(fields, cells, line, file);

  return {
    count,
    rows,
    file,
    rowOf,
    hasFees: costs.isStated,
    dates: clock.dates,
    notes: () => [...clock.notes(), ...costs.notes, ...others.movedNotes()],
  };
}

/** Whether the file states costs, and the declaration's notes with those on costs. */
function costsIn<C extends Columns>(
  { columns, hasFees, allCosts, includedCosts = [], notes = [] }: TableDeclaration<C>,
  { header, lines, names }: FoundTable<C>,
): { isStated: boolean; notes: string[] } {
  const costs = costColumns(columns);
  const isStated =
    hasFees ?? (costs.length === 0 || costs.some((name) => names.has(name)));
  const isRead = new Set([...names.values(), ...includedCosts]);
  const unread = allCosts ? [] : otherCosts(header, lines, isRead);
  const absent = isStated
    ? absentCosts(columns, names, () => hasOtherAmounts(header, lines, isRead))
    : [];

  return {
    isStated,
    notes: [...(isStated ? [] : [NO_FEES]), ...notes, ...unread, ...absent],
  };
}

/** @throws RowError for a second header: the rows below may be those above again */
function refuseHeader({ cells, line }: CsvRow, header: CsvRow): void {
  const isSame =
    header.cells.length > 1 &&
    header.cells.every((name, index) => name === (cells[index] ?? '').trim());
  if (!isSame) return;

  throw new RowError(
    null,
    `repeats the header of line ${header.line}: these are two exports; import each by itself`,
    line,
  );
}

/** @throws RowError for a column of costs that isn't read */
function refuseOtherCosts({ cells, line }: CsvRow, known: ReadonlySet<string>): void {
  const unread = cells
    .map((cell) => cell.trim())
    .find((name) => !known.has(name) && namesCosts(name));
  if (unread === undefined) return;
  const remedy = 'import this file with --map new, which asks what it holds';
  throw new RowError(unread, `unknown column of costs; ${remedy}`, line);
}

/** Notes on columns of costs that aren't read, but have amounts. */
function otherCosts(
  header: CsvRow,
  rows: readonly CsvRow[],
  known: ReadonlySet<string>,
): string[] {
  return header.cells.flatMap((cell, index) => {
    const name = cell.trim();
    if (known.has(name) || !namesCosts(name)) return [];
    const isEmptyColumn = !rows.some(({ cells }) => /[1-9]/.test(cells[index] ?? ''));
    return isEmptyColumn
      ? []
      : [
          `the column ${name} isn't read; if it has costs of these trades, they are missing`,
        ];
  });
}

/**
 * Notes on columns of costs that the file lacks, if others have some: those whose names
 * name a cost, and those that the format adds up, whatever their names.
 * @param mayBeRenamed whether another column may have them
 */
function absentCosts(
  columns: Columns,
  names: ReadonlyMap<string, string>,
  mayBeRenamed: () => boolean,
): string[] {
  const declared = Object.keys(columns).flatMap((name): [string, ColumnNames][] => {
    const { column = '', plus = [] } = sourceOf(columns, name);
    return [
      [name, column],
      ...plus.map((added, index): [string, ColumnNames] => [
        addedName(name, index),
        added,
      ]),
    ];
  });
  const added = new Set(costColumns(columns));
  const called = declared.flatMap(([name, column]) => {
    const [first] = [column].flat();
    if (first === undefined || names.has(name)) return [];
    return added.has(name) || namesCosts(first) ? [first] : [];
  });
  if (called.length === 0 || !mayBeRenamed()) return [];

  return called.map(
    (name) =>
      `the file has no column ${name}; if another one has these costs, they are missing`,
  );
}

/** Whether a column that isn't read has amounts. */
function hasOtherAmounts(
  { cells: names }: CsvRow,
  rows: readonly CsvRow[],
  known: ReadonlySet<string>,
): boolean {
  return names.some(
    (name, index) =>
      !known.has(name.trim()) &&
      rows.some(({ cells }) =>
        /^[-(]?[$€£]?\d*[.,]\d+\)?$/.test((cells[index] ?? '').trim()),
      ),
  );
}

/** The place of each column, and its name in the header. */
function placesOf(
  header: CsvRow,
  columns: Columns,
  places: Places | undefined,
): { cellsOf: (row: CsvRow) => Row; names: ReadonlyMap<string, string> } {
  const required: Record<string, ColumnNames> = {};
  const optional: Record<string, ColumnNames> = {};
  const changed: [name: string, text: (text: string) => string][] = [];

  for (const name of Object.keys(columns)) {
    if (isValue(columns[name])) continue;

    const {
      column = '',
      like,
      optional: isMissing,
      plus = [],
      every,
      text,
    } = sourceOf(columns, name);
    const matching = (pattern: RegExp) =>
      header.cells.filter((cell) => pattern.test(cell.trim()));
    if (text) changed.push([name, text]);
    if (every) {
      matching(every).forEach((added, index) => {
        optional[addedName(name, index)] = added;
        optional[currencyName(name, index)] = `Currency (${added})`;
      });
      continue;
    }

    const places = isMissing === true || isMissing === 'column' ? optional : required;
    places[name] = (like && matching(like)[0]) ?? column;
    plus.forEach((added, index) => {
      optional[addedName(name, index)] = added;
    });
  }

  const located = places
    ? cellsAt(header, places)
    : columnsOf(header, required, optional);
  const names = new Map(
    Object.entries<Cell>(located(header)).map(([name, { column }]) => [name, column]),
  );

  const cellsOf = (row: CsvRow): Row => {
    const cells: Record<string, Cell | undefined> = located(row);
    for (const [name, text] of changed) {
      const cell = cells[name];
      if (cell) cells[name] = { ...cell, text: text(cell.text).trim() };
    }
    return cells;
  };

  return { cellsOf, names };
}

function cellsAt(header: CsvRow, places: Places): (row: CsvRow) => Record<string, Cell> {
  const found = Object.entries(places).flatMap(([name, place]) =>
    place === undefined ? [] : [{ name, place }],
  );
  return ({ cells, line }) => {
    const located = found.map(({ name, place }) => {
      const column =
        typeof place === 'string'
          ? name
          : header.cells[place]?.trim() || `column ${place + 1}`;
      const text = typeof place === 'string' ? place : (cells[place] ?? '').trim();
      return [name, refuseLong({ text, column, line })] as const;
    });
    return Object.fromEntries(located);
  };
}
