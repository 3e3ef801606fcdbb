/**
 * Numbers and amounts in exports. A mark that the style doesn't have is an error, never
 * dropped.
 */

import { quote, RowError } from '../../errors.ts';
import { LARGEST_NUMBER } from './bounds.ts';
import { type Cell, cellError, orNothing } from './columns.ts';

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
