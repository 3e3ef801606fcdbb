/** The cells of a table by the names of its columns, and where each stands, for messages. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { LONGEST_READ } from './bounds.ts';
import { type ColumnNames, type CsvRow, plainName } from './csv-rows.ts';

/** A cell without the spaces around it. */
export interface Cell {
  text: string;
  /** The name of its column, as the file has it. */
  column: string;
  line: number;
}

/**
 * Finds columns in a header, whatever their order and case; what else the header has is left alone.
 * @param header the row of names
 * @param required by the name that the program has for each
 * @param optional the same for those that not every file has
 * @returns what gives the cells of a row; a cell that the row is too short for is empty
 * @throws RowError that names all required columns which are missing, or one that is there twice
 */
export function columnsOf<R extends string, O extends string = never>(
  header: CsvRow,
  required: Readonly<Record<R, ColumnNames>>,
  optional = {} as Readonly<Record<O, ColumnNames>>,
): (row: CsvRow) => Record<R, Cell> & Partial<Record<O, Cell>> {
  const names = header.cells.map((name) => name.trim());
  const places: { key: string; column: string; index: number }[] = [];
  const missing: string[] = [];
  for (const [key, own] of Object.entries<ColumnNames>({ ...optional, ...required })) {
    const index = indexOf(names, own);
    const name = names[index];
    if (name !== undefined && names.lastIndexOf(name) !== index) {
      throw new RowError(name, 'is in the header twice', header.line);
    }
    if (index !== -1) places.push({ key, column: names[index] as string, index });
    else if (Object.hasOwn(required, key)) missing.push(typeof own === 'string' ? own : own.join(' or '));
  }
  if (missing.length > 0) {
    const verb = missing.length === 1 ? 'is' : 'are';
    throw new RowError(missing.join(', '), `${verb} missing in the header`, header.line);
  }
  return ({ cells, line }) =>
    Object.fromEntries(
      places.map(({ key, column, index }) => {
        return [key, refuseLong({ text: (cells[index] ?? '').trim(), column, line })];
      }),
    ) as Record<R, Cell> & Partial<Record<O, Cell>>;
}

/**
 * The same cell, before any pattern reads it.
 * @throws RowError where it is longer than what platforms write
 */
export function refuseLong(cell: Cell): Cell {
  if (cell.text.length <= LONGEST_READ) return cell;
  throw new RowError(cell.column, `is longer than ${LONGEST_READ} characters; got ${quote(cell.text)}`, cell.line);
}

/** Two cells as one: a date and a time of day that stand in columns of their own. */
export function joined(first: Cell, second: Cell): Cell {
  return { text: `${first.text} ${second.text}`, column: `${first.column}, ${second.column}`, line: first.line };
}

/** @throws RowError that names all of these cells which are empty */
export function refuseEmpty(...cells: readonly Cell[]): void {
  const empty = cells.filter(({ text }) => text === '');
  if (empty.length > 0)
    throw RowError.missing(
      empty.map(({ column }) => column),
      empty[0]?.line,
    );
}

/**
 * The id of a fill or a trade, which is text even where it looks like a number.
 * @throws RowError where a spreadsheet has rounded it
 */
export function idIn({ text, column, line }: Cell): string {
  if (!/^\d[.,]\d+E\+\d+$/i.test(text)) return text;
  throw new RowError(
    column,
    `${quote(text)} is what a spreadsheet has left of a longer number: take the file as the platform gave it`,
    line,
  );
}

/**
 * A currency by its three letters: USD.
 * @throws RowError where the cell is none
 */
export function currencyIn({ text, column, line }: Cell): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new RowError(column, `must be a currency; got ${quote(text)}`, line);
}

const NOTHING = ['', '-', '--', 'n/a', 'nan', 'none', 'null'];

/** What a reader makes of a cell; null where the cell says that there is nothing. */
export function orNothing<T>(cell: Cell, read: (cell: Cell) => T): T | null {
  return NOTHING.includes(cell.text.toLowerCase()) ? null : read(cell);
}

function indexOf(header: readonly string[], names: ColumnNames): number {
  const plain = header.map(plainName);
  for (const name of typeof names === 'string' ? [names] : names) {
    const index = plain.indexOf(plainName(name));
    if (index !== -1) return index;
  }
  return -1;
}
