/**
 * The cells of a table by column, with the place of each for messages: their words,
 * numbers and amounts.
 */
import { quote, RowError } from '../errors.ts';
import { type ColumnNames, type CsvRow, plainName } from './csv-rows.ts';
import { LARGEST_NUMBER, LONGEST_READ } from './open-file.ts';

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

// Figures typed in notes: 25,660.00, +$348, 0.5 %. Unlike numbers in exports, any common
// style is accepted.

/** A number and its count of written decimals. */
export interface Figure {
  value: number;
  decimals: number;
}

/** No figure in a note is longer. */
const LONGEST = 40;

const FIGURE = /^([-+−–]?)[$€£¥]?([-+−–]?)(\d[\d.,' \u00a0]*)[$€£¥]?$/;

/** @returns undefined if the text isn't a figure */
export function figureIn(text: string): Figure | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return undefined;
  if (/^-?\d+(?:\.\d+)?e[-+]?\d+$/i.test(trimmed))
    return { value: Number(trimmed), decimals: 20 };

  const [, first = '', second = '', digits = ''] = FIGURE.exec(trimmed) ?? [];
  if (digits === '' || (first !== '' && second !== '')) return undefined;

  const plain = withPoint(digits.replaceAll(/[' \u00a0]/g, ''));
  if (plain === undefined) return undefined;

  const isBelow = /[-−–]/.test(first + second);
  return {
    value: (isBelow ? -1 : 1) * Number(plain),
    decimals: plain.split('.')[1]?.length ?? 0,
  };
}

/**
 * The last point or comma is the decimal separator, unless it is a comma before three
 * digits or appears twice.
 */
function withPoint(digits: string): string | undefined {
  const last = /[.,](?=[^.,]*$)/.exec(digits)?.[0];
  if (last === undefined) return digits;

  const isThousands =
    digits.split(last).length > 2 ||
    (last === ',' && /^\d{1,3}(?:[.,]\d{3})*,\d{3}$/.test(digits));
  const decimal = isThousands ? undefined : last;
  const [whole = '', decimals] = decimal === undefined ? [digits] : digits.split(decimal);
  const groups = whole.split(/[.,]/);
  if (groups.length > 1 && groups.slice(1).some((group) => group.length !== 3))
    return undefined;

  return groups.join('') + (decimals === undefined ? '' : `.${decimals}`);
}

/** Whether a figure equals a value, to its written decimals. */
export function agrees({ value, decimals }: Figure, exact: number): boolean {
  const tolerance = 0.5 * 10 ** -decimals;
  return Math.abs(value - exact) <= tolerance + 1e-9 * Math.max(1, Math.abs(exact));
}

type Mark = '.' | ',' | "'" | ' ';

export interface NumberStyle {
  /** Decimal separator; default: a point. */
  decimal?: '.' | ',';
  /**
   * Thousands separator; default: the other of point and comma. A blank matches any white
   * space, and only if set: 110 045 is a Treasury future.
   */
  thousands?: Mark;
  /** A number in this style, for messages. */
  example?: string;
}

export interface MoneyStyle extends NumberStyle {
  /** Allowed before or after an amount; default: $. */
  symbols?: readonly string[];
}

/**
 * -1,234.5 or, with a decimal comma, 1.234,5; thousands are in groups of three. Small
 * numbers may have an exponent. Large numbers with one were shortened by a spreadsheet
 * and are rejected.
 * @throws RowError if the cell isn't a number
 */
export function numberIn(cell: Cell, style: NumberStyle = {}): number {
  const value = signed(cell.text, style);
  if (value !== undefined) return value;
  const shown = style.example ?? (style.decimal === ',' ? '4277,25' : '4277.25');
  throw cellError(cell, `must be a number, such as ${shown}`);
}

/**
 * A price of a platform without thousands separators: only a spreadsheet may have added
 * them.
 * @throws RowError if the cell isn't a number, or is ambiguous
 */
export function plainPriceIn(cell: Cell): number {
  if (!/^[-−]?\d{1,3},\d{3}$/.test(cell.text)) return numberIn(cell);
  const [whole, rest] = cell.text.split(',');
  throw new RowError(
    cell.column,
    `${quote(cell.text)} could be ${whole}.${rest} or ${whole}${rest}; save the file with decimal points and without thousands separators`,
    cell.line,
  );
}

/** The sum of cells; those that are empty, or in a column that the file lacks, are 0. */
export function sumIn(
  cells: readonly (Cell | undefined)[],
  style: NumberStyle = {},
): number {
  return cells.reduce(
    (sum, cell) => sum + (orNothing(cell, (filled) => numberIn(filled, style)) ?? 0),
    0,
  );
}

/** @throws RowError if the cell isn't a number above 0 */
export function positiveIn(cell: Cell, style: NumberStyle = {}): number {
  const value = numberIn(cell, style);
  if (value > 0) return value;
  throw cellError(cell, 'must be above 0');
}

/**
 * $1,234.50, -$5.00, and losses in parentheses: ($31.04), $(41.00).
 * @returns in the currency of the symbol
 * @throws RowError if the cell isn't an amount
 */
export function moneyIn(cell: Cell, style: MoneyStyle = {}): number {
  const value = amountOf(cell.text, style);
  if (value !== undefined) return value;
  const shown =
    style.example ?? (style.decimal === ',' ? '52,50 or -41,00' : '$52.50 or $(41.00)');
  throw cellError(cell, `must be an amount, such as ${shown}`);
}

/**
 * An amount followed by its currency or coin: 0.02427264USDT, 5.00 EUR.
 * @param known possible coins: without a space between, 261INCH is 26 of 1INCH or 261 of
 * INCH
 * @throws RowError if one of the two is missing
 */
export function amountIn(
  cell: Cell,
  style: NumberStyle = {},
  known: readonly string[] = [],
): { amount: number; currency: string } {
  const { text } = cell;
  const symbol = known.find(
    (coin) =>
      text.endsWith(coin) &&
      signed(text.slice(0, -coin.length).trim(), style) !== undefined,
  );
  const parts =
    symbol === undefined
      ? /^(\S+)\s+(\d*[A-Z][A-Z0-9]{1,9})$|^(.*?\d[.,]?)\s*([A-Z][A-Z0-9]{1,9})$/.exec(
          text,
        )
      : [text, text.slice(0, -symbol.length).trim(), symbol];
  const amount = signed(parts?.[1] ?? parts?.[3] ?? '', style);
  const currency = parts?.[2] ?? parts?.[4];
  if (amount !== undefined && currency !== undefined) return { amount, currency };

  throw cellError(cell, 'must be an amount with its currency, such as 1.25 USDT');
}

/** Fraction of a 32nd by the last digit: 2 and 7 mean a quarter and three quarters. */
const PARTS: Record<string, number> = { '': 0, '0': 0, '2': 0.25, '5': 0.5, '7': 0.75 };

/**
 * A price of Treasury futures in 32nds: 110 045, 110'045 and 110-045 are 110 and 4.5
 * 32nds, 123 25 is 123 and 25 of them.
 * @throws RowError if the cell isn't such a price
 */
export function priceIn32nds(cell: Cell): number {
  const [, points, ticks, last] = /^(\d+)[ '’-](\d\d)(\d?)$/.exec(cell.text) ?? [];
  const part = last === undefined ? undefined : PARTS[last];
  if (part !== undefined && Number(ticks) < 32)
    return Number(points) + (Number(ticks) + part) / 32;
  throw cellError(cell, 'must be a price in 32nds, such as 110 045');
}

function amountOf(text: string, style: MoneyStyle): number | undefined {
  const bare = withoutSymbol(text, style.symbols ?? ['$']);
  const lost = /^\(([^-+−]*)\)$/.exec(bare)?.[1];
  const value = signed((lost ?? bare).trim(), style);
  return lost === undefined || value === undefined ? value : 0 - value;
}

/** A symbol between digits stays, so that the text isn't a number. */
function withoutSymbol(text: string, symbols: readonly string[]): string {
  for (const symbol of symbols) {
    const [before = '', after, ...more] = text.split(symbol);
    if (after === undefined || more.length > 0) continue;
    if (!/\d/.test(before) || !/\d/.test(after)) return `${before}${after}`.trim();
  }
  return text;
}

function signed(
  text: string,
  { decimal = '.', thousands = decimal === '.' ? ',' : '.' }: NumberStyle,
) {
  const [, sign, digits, exponent = ''] =
    /^([-+−]?)\s*(\d.*?|[.,]\d.*?)(e-\d{1,3})?$/i.exec(text) ?? [];
  if (digits === undefined || !patternOf(decimal, thousands).test(digits))
    return undefined;
  const [whole = '', decimals = ''] = digits.split(decimal);
  const value = Number(`${whole.replace(/\D/g, '')}.${decimals}0${exponent}`);
  if (value >= LARGEST_NUMBER) return undefined;
  return sign === '-' || sign === '−' ? 0 - value : value;
}

const MARKS: Record<Mark, string> = { '.': '[.]', ',': ',', "'": "['’]", ' ': '\\s' };
const patterns = new Map<string, RegExp>();

function patternOf(decimal: '.' | ',', thousands: Mark): RegExp {
  const key = decimal + thousands;
  let pattern = patterns.get(key);
  if (!pattern) {
    pattern = new RegExp(
      `^(\\d*|\\d{1,3}(${MARKS[thousands]}\\d{3})+)(${MARKS[decimal]}\\d*)?$`,
    );
    patterns.set(key, pattern);
  }
  return pattern;
}
