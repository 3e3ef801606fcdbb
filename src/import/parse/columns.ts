/** The cells of a table by column, with the place of each for messages. */

import { quote, RowError } from '../../errors.ts';
import { LONGEST_READ } from './bounds.ts';
import { type ColumnNames, type CsvRow, plainName } from './csv-rows.ts';

// Words with a meaning in a format: sides, actions, order types. An unknown word is an
// error, never a guess.

/**
 * Meaning of a word, regardless of case and of spaces, _ or - between words.
 * @param words meanings by word, as shown in messages
 * @throws RowError that lists the known words
 */
export function wordIn<T>(cell: Cell, words: Readonly<Record<string, T>>): T {
  const meaning = knownWord(cell, words);
  if (meaning !== undefined) return meaning;
  throw cellError(cell, `must be one of ${Object.keys(words).join(', ')}`);
}

/** The same; undefined for an unknown word. */
export function knownWord<T>(
  cell: Cell,
  words: Readonly<Record<string, T>>,
): T | undefined {
  const wanted = plain(cell.text);
  return Object.entries(words).find(([word]) => plain(word) === wanted)?.[1];
}

/** Inverts words listed by meaning: comma-separated, in one text or several. */
export function byMeaning<M extends string>(
  words: Readonly<Record<M, string | readonly string[]>>,
): Readonly<Record<string, M>> {
  const pairs = (Object.entries(words) as [M, string | readonly string[]][]).flatMap(
    ([meaning, texts]) =>
      [texts]
        .flat()
        .flatMap((text) => text.split(', ').map((word) => [word, meaning] as const)),
  );
  return Object.fromEntries(pairs);
}

const SIDES = {
  Buy: 'buy',
  Sell: 'sell',
  Bought: 'buy',
  Sold: 'sell',
  B: 'buy',
  S: 'sell',
  BOT: 'buy',
  SLD: 'sell',
} as const;

/**
 * The side of a fill.
 * @param more words of the format, such as BC and SS
 * @throws RowError for an unknown word
 */
export function sideIn(
  cell: Cell,
  more: Readonly<Record<string, 'buy' | 'sell'>> = {},
): 'buy' | 'sell' {
  return wordIn(cell, { ...SIDES, ...more });
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
}

/** A cell without the spaces around it. */
export interface Cell {
  text: string;
  /** The name of its column, as in the file. */
  column: string;
  line: number;
  /** Of a list, whose text joins them. */
  items?: readonly string[];
}

/**
 * Finds columns in a header, in any order and case. Other columns are skipped.
 * @param required column names by the program's own name for each
 * @param optional the same for columns that some files lack
 * @returns a function from a row to its cells; a cell beyond the end of a short row is
 * empty
 * @throws RowError that names all missing required columns, or one that appears twice
 */
export function columnsOf<R extends string, O extends string = never>(
  header: CsvRow,
  required: Readonly<Record<R, ColumnNames>>,
  optional = {} as Readonly<Record<O, ColumnNames>>,
): (row: CsvRow) => Record<R, Cell> & Partial<Record<O, Cell>> {
  const names = header.cells.map((name) => name.trim());
  const places: { key: string; column: string; index: number }[] = [];
  const missing = new Set<string>();

  for (const [key, column] of Object.entries<ColumnNames>({ ...optional, ...required })) {
    const index = indexOf(names, column);
    const name = names[index];
    if (name !== undefined && names.lastIndexOf(name) !== index) {
      throw new RowError(name, 'appears twice in the header', header.line);
    }
    if (index !== -1) places.push({ key, column: names[index] as string, index });
    else if (Object.hasOwn(required, key)) missing.add([column].flat().join(' or '));
  }

  if (missing.size > 0) {
    const verb = missing.size === 1 ? 'is' : 'are';
    throw new RowError(
      [...missing].join(', '),
      `${verb} missing from the header`,
      header.line,
    );
  }

  return ({ cells, line }) => {
    const row: Record<string, Cell> = {};
    for (const { key, column, index } of places) {
      row[key] = refuseLong({ text: (cells[index] ?? '').trim(), column, line });
    }
    return row as Record<R, Cell> & Partial<Record<O, Cell>>;
  };
}

/**
 * The same cell, checked before any pattern reads it.
 * @throws RowError if it is longer than any real value
 */
export function refuseLong(cell: Cell): Cell {
  if (cell.text.length <= LONGEST_READ) return cell;
  throw cellError(cell, `is longer than ${LONGEST_READ} characters`);
}

/** Error for the value of a cell, which the message quotes. */
export function cellError({ text, column, line }: Cell, problem: string): RowError {
  return new RowError(column, `${problem}; got ${quote(text)}`, line);
}

/** Two cells as one: a date and a time of day from separate columns. */
export function joined(first: Cell, second: Cell): Cell {
  return {
    text: `${first.text} ${second.text}`,
    column: `${first.column}, ${second.column}`,
    line: first.line,
  };
}

/** A part of a cell's text, to be read as a cell. */
export function partOf(cell: Cell, text = ''): Cell {
  return { ...cell, text };
}

/** @throws RowError that names all empty ones of these cells */
export function refuseEmpty(...cells: readonly Cell[]): void {
  const empty = cells.filter(({ text }) => text === '');
  const names = [...new Set(empty.map(({ column }) => column))];
  if (names.length > 0) throw RowError.missing(names, empty[0]?.line);
}

/**
 * The id of a fill or a trade: text, even if it looks like a number.
 * @throws RowError if a spreadsheet has rounded it
 */
export function idIn({ text, column, line }: Cell): string {
  if (!/^\d[.,]\d+E\+\d+$/i.test(text)) return text;
  throw new RowError(
    column,
    `a spreadsheet rounded it to ${quote(text)}; import the original file`,
    line,
  );
}

/**
 * A currency code of three letters: USD.
 * @throws RowError for any other text
 */
export function currencyIn(cell: Cell): string {
  if (/^[A-Z]{3}$/.test(cell.text)) return cell.text;
  throw cellError(cell, 'must be a currency, such as USD');
}

const NOTHING = ['', '-', '--', 'n/a', 'nan', 'none', 'null'];

/**
 * Value of a cell; null if the file has no such column, or the cell is empty or marked as
 * empty.
 */
export function orNothing<T>(cell: Cell | undefined, read: (cell: Cell) => T): T | null {
  return !cell || NOTHING.includes(cell.text.toLowerCase()) ? null : read(cell);
}

function indexOf(header: readonly string[], names: ColumnNames): number {
  const plain = header.map(plainName);
  for (const name of typeof names === 'string' ? [names] : names) {
    const index = plain.indexOf(plainName(name));
    if (index !== -1) return index;
  }
  return -1;
}
