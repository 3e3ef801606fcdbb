/** Numbers and money as platforms write them. A mark that is none of the style's is an error, never dropped. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { LARGEST_NUMBER } from './bounds.ts';
import type { Cell } from './columns.ts';

type Mark = '.' | ',' | "'" | ' ';

export interface NumberStyle {
  /** What decimals come after; a point unless said otherwise. */
  decimal?: '.' | ',';
  /**
   * What sets thousands apart: the other of point and comma unless said otherwise. A blank stands for any space, and only
   * where it is asked for: 110 045 is a Treasury future.
   */
  thousands?: Mark;
  /** For messages: a number as the format writes it. */
  example?: string;
}

export interface MoneyStyle extends NumberStyle {
  /** What may stand before or after an amount; $ unless said otherwise. */
  symbols?: readonly string[];
}

/**
 * -1,234.5 or, with a decimal comma, 1.234,5; thousands stand in threes. Small numbers may have an exponent; large ones
 * that have one are what a spreadsheet has left of longer ones, and are refused.
 * @throws RowError where the cell is no number
 */
export function numberIn(cell: Cell, style: NumberStyle = {}): number {
  const value = signed(cell.text, style);
  if (value !== undefined) return value;
  const shown = style.example ?? (style.decimal === ',' ? '4277,25' : '4277.25');
  throw new RowError(cell.column, `must be a number, such as ${shown}; got ${quote(cell.text)}`, cell.line);
}

/**
 * A price of a platform that sets no thousands apart: only a spreadsheet may have.
 * @throws RowError where the cell is no number, or one that may be read two ways
 */
export function plainPriceIn(cell: Cell): number {
  if (!/^[-−]?\d{1,3},\d{3}$/.test(cell.text)) return numberIn(cell);
  const [whole, rest] = cell.text.split(',');
  throw new RowError(
    cell.column,
    `${quote(cell.text)} may be ${whole}.${rest} or ${whole}${rest}: save the file with decimal points, and no thousands set apart`,
    cell.line,
  );
}

/** @throws RowError where the cell is no number above 0 */
export function positiveIn(cell: Cell, style: NumberStyle = {}): number {
  const value = numberIn(cell, style);
  if (value > 0) return value;
  throw new RowError(cell.column, `must be above 0; got ${quote(cell.text)}`, cell.line);
}

/**
 * $1,234.50, -$5.00, and in parentheses what was lost: ($31.04), $(41.00).
 * @returns in the currency that the symbol stands for
 * @throws RowError where the cell is no amount
 */
export function moneyIn(cell: Cell, style: MoneyStyle = {}): number {
  const value = amountOf(cell.text, style);
  if (value !== undefined) return value;
  const shown = style.example ?? (style.decimal === ',' ? '52,50 or -41,00' : '$52.50 or $(41.00)');
  throw new RowError(cell.column, `must be an amount, such as ${shown}; got ${quote(cell.text)}`, cell.line);
}

/**
 * An amount with its currency or coin behind it: 0.02427264USDT, 5.00 EUR.
 * @param known coins that it may be in: where nothing stands between, 261INCH is 26 of 1INCH, or 261 of INCH
 * @throws RowError where one of the two is missing
 */
export function amountIn(
  cell: Cell,
  style: NumberStyle = {},
  known: readonly string[] = [],
): { amount: number; currency: string } {
  const { text } = cell;
  const own = known.find(
    (coin) => text.endsWith(coin) && signed(text.slice(0, -coin.length).trim(), style) !== undefined,
  );
  const parts =
    own === undefined
      ? /^(\S+)\s+(\d*[A-Z][A-Z0-9]{1,9})$|^(.*?\d[.,]?)\s*([A-Z][A-Z0-9]{1,9})$/.exec(text)
      : [text, text.slice(0, -own.length).trim(), own];
  const amount = signed(parts?.[1] ?? parts?.[3] ?? '', style);
  const currency = parts?.[2] ?? parts?.[4];
  if (amount !== undefined && currency !== undefined) return { amount, currency };
  throw new RowError(
    cell.column,
    `must be an amount with its currency, such as 1.25 USDT; got ${quote(text)}`,
    cell.line,
  );
}

/** Parts of a 32nd as the last digit tells them: 2 and 7 stand for a quarter and three quarters. */
const PARTS: Record<string, number> = { '': 0, '0': 0, '2': 0.25, '5': 0.5, '7': 0.75 };

/**
 * A price of Treasury futures in 32nds: 110 045, 110'045 and 110-045 are 110 and 4.5 32nds, 123 25 is 123 and 25 of them.
 * @throws RowError where the cell is no such price
 */
export function priceIn32nds(cell: Cell): number {
  const parts = /^(\d+)[ '’-](\d\d)(\d?)$/.exec(cell.text);
  const part = parts ? PARTS[parts[3] as string] : undefined;
  if (parts && part !== undefined && Number(parts[2]) < 32) return Number(parts[1]) + (Number(parts[2]) + part) / 32;
  throw new RowError(cell.column, `must be a price in 32nds, such as 110 045; got ${quote(cell.text)}`, cell.line);
}

function amountOf(text: string, style: MoneyStyle): number | undefined {
  const bare = withoutSymbol(text, style.symbols ?? ['$']);
  const lost = /^\(([^-+−]*)\)$/.exec(bare)?.[1];
  const value = signed((lost ?? bare).trim(), style);
  return lost === undefined || value === undefined ? value : 0 - value;
}

/** A symbol amid the digits stays, so that what is left is no number. */
function withoutSymbol(text: string, symbols: readonly string[]): string {
  for (const symbol of symbols) {
    const [before, after, ...more] = text.split(symbol);
    if (after === undefined || more.length > 0) continue;
    if (!/\d/.test(before as string) || !/\d/.test(after)) return `${before}${after}`.trim();
  }
  return text;
}

function signed(text: string, { decimal = '.', thousands = decimal === '.' ? ',' : '.' }: NumberStyle) {
  const [, sign, digits, exponent = ''] = /^([-+−]?)\s*(\d.*?|[.,]\d.*?)(e-\d{1,3})?$/i.exec(text) ?? [];
  if (digits === undefined || !patternOf(decimal, thousands).test(digits)) return undefined;
  const [whole, decimals = ''] = digits.split(decimal);
  const value = Number(`${(whole as string).replace(/\D/g, '')}.${decimals}0${exponent}`);
  if (value >= LARGEST_NUMBER) return undefined;
  return sign === '-' || sign === '−' ? 0 - value : value;
}

const MARKS: Record<Mark, string> = { '.': '[.]', ',': ',', "'": "['’]", ' ': '\\s' };
const patterns = new Map<string, RegExp>();

function patternOf(decimal: '.' | ',', thousands: Mark): RegExp {
  const key = decimal + thousands;
  let pattern = patterns.get(key);
  if (!pattern) {
    pattern = new RegExp(`^(\\d*|\\d{1,3}(${MARKS[thousands]}\\d{3})+)(${MARKS[decimal]}\\d*)?$`);
    patterns.set(key, pattern);
  }
  return pattern;
}
