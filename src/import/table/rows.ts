/** Reads the rows of a table that aren't skipped. */
import { type FileFill, reading, skip, type WholeReading } from '../fills/reading.ts';
import { type Cell, columnsOf, refuseEmpty } from '../parse/columns.ts';
import { type ColumnNames, type CsvRow, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { clockOf } from './clock.ts';
import { type Cells, type Columns, NO_FEES, type TableDeclaration, type TableFile } from './declaration.ts';
import { type Format, type FormatBase, movedNote, type ReadContext } from './format.ts';
import { hasMarks } from './header.ts';
import { addedName, costColumns, Fields, type Row, sourceOf, TableRow } from './row.ts';
import { readEach, skipper } from './skip-rules.ts';

/** Result of reading a file's rows. */
export interface TableRead<C extends Columns, T> {
  rows: number;
  items: T[];
  skipped: Map<string, number>;
  file: TableFile<C>;
  /** Whether the file states fees. */
  hasFees: boolean;
  /** Notes for the user, once all rows are read. */
  notes(): string[];
}

/** A table with several rows per fill: end combines all rows. */
export function rowsTable<const C extends Columns>(
  declaration: TableDeclaration<C> & { end: (rows: Cells<C>[], file: TableFile<C>) => Partial<WholeReading> },
): Format {
  return {
    ...formatOf(declaration),
    read(text, context) {
      const { rows, items, skipped, file, hasFees, notes } = readRows(
        declaration,
        { text, context },
        ['executed_at'],
        (cells) => cells,
      );
      const { notes: last = [], fills = [], ...made } = declaration.end(items, file);
      return reading({ rows, skipped, ...made, fills: withFees(fills, hasFees), notes: [...notes(), ...last] });
    },
  };
}

/** The same fills, marked if their file states no fees. */
export function withFees(fills: readonly FileFill[], hasFees: boolean): FileFill[] {
  return fills.map((own) => (hasFees ? own : { ...own, feesStated: false }));
}

/** The format of a declaration. */
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
 * @param times columns with times; the name of the first may state the zone
 * @param read converts a row
 */
export function readRows<C extends Columns, T>(
  declaration: TableDeclaration<C>,
  given: { text: string; context: ReadContext },
  times: readonly string[],
  read: (cells: Cells<C>, row: TableRow<C>) => T,
): TableRead<C, T> {
  const { columns, skip: declared = [] } = declaration;
  const { rows, cellsOf, file, hasFees, notes } = opened(declaration, given, times);
  const skipped = new Map<string, number>();
  const moved: string[] = [];
  const whole: TableFile<C> = {
    ...file,
    skipped,
    skip: (reason, rows) => skip(skipped, reason, rows),
    moved: ({ text: symbol, line }) => moved.push(`${symbol} on line ${line}`),
  };
  const needed = Object.keys(columns).filter(
    (name) => ![true, 'cells'].includes(sourceOf(columns, name).optional ?? ''),
  );
  const ruled =
    typeof declared === 'function'
      ? (cells: Row) => declared(cells as Cells<C>, whole)
      : skipper<Row>(declared, (cells, column) => cells[column]?.text ?? '');
  const fields = new Fields(columns, file.style);
  function* cellRows(): Generator<{ line: number; cells: Row | undefined }> {
    for (const row of rows) yield { line: row.line, cells: isEmpty(row) ? undefined : cellsOf(row) };
  }
  const items = readEach(
    cellRows(),
    skipped,
    ({ cells }) => (cells ? ruled(cells) : 'empty row'),
    ({ line, cells = {} }) => {
      refuseEmpty(...needed.flatMap((name) => cells[name] ?? []));
      return read(cells as Row & Cells<C>, new TableRow(fields, cells, line, whole));
    },
  );
  const last = () => (moved.length > 0 ? [movedNote(moved)] : []);
  return { rows: rows.length, items, skipped, file: whole, hasFees, notes: () => [...notes(), ...last()] };
}

/** Finds the table, its columns, and the styles of its numbers and times. */
function opened<C extends Columns>(
  declaration: TableDeclaration<C>,
  { text, context }: { text: string; context: ReadContext },
  times: readonly string[],
): {
  rows: readonly CsvRow[];
  cellsOf: (row: CsvRow) => Row;
  file: Omit<TableFile<C>, 'skip' | 'skipped' | 'moved'>;
  hasFees: boolean;
  notes: () => string[];
} {
  const { marks, columns, table = (whole: string) => readCsv(whole, marks), dates, style: stated = {} } = declaration;
  const { header, rows } = table(text, context);
  const { cellsOf, names } = placesOf(header, columns);
  const all = () => rows.filter((row) => !isEmpty(row)).map(cellsOf) as (Row & Cells<C>)[];
  const style = typeof stated === 'function' ? stated(all()) : stated;
  const column = names.get(times[0] as string) ?? '';
  const timeCells =
    typeof dates === 'function' ? all().flatMap((cells) => times.flatMap((name) => cells[name] ?? [])) : [];
  const clock = clockOf(declaration, timeCells, { column, style, context });
  const costs = costColumns(columns);
  const hasFees = declaration.hasFees ?? (costs.length === 0 || costs.some((name) => names.has(name)));
  return {
    rows,
    cellsOf,
    file: { context, text, header, style, order: clock.order, rows: all, instantIn: clock.instantIn },
    hasFees,
    notes: () => [...clock.notes(), ...(hasFees ? [] : [NO_FEES]), ...(declaration.notes ?? [])],
  };
}

/** The place of each column, and its name in the header. */
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
