/** Converts the text of cells to a field's value: a number, a time, the meaning of a word, a list. */
import * as z from 'zod';
import { factsOf, type Kind } from '../../journal/fields.ts';
import { type Cell, cellError, refuseLong } from '../parse/columns.ts';
import { parseJson } from '../parse/json-text.ts';
import { moneyIn } from '../parse/numbers.ts';
import { type DateFormat, dayIn, timeIn } from '../table/dates.ts';
import { signed } from '../table/field.ts';
import { plain } from '../table/skip-rules.ts';
import type { ColumnSource, Mapping } from './schema.ts';

export interface CellValue {
  value: unknown;
  /** Whether a time was given as a day only. */
  isDayOnly?: boolean;
  /** Whether a time had no offset, so that the zone was needed. */
  isZoned?: boolean;
}

export interface CellSettings {
  field: z.ZodType;
  dates: readonly DateFormat[];
  decimal: '.' | ',';
  thousands: ',' | '.' | "'" | ' ';
  zone: string;
}

export function settingsOf(from: Pick<ColumnSource, 'dates' | 'decimal'>, mapping: Mapping) {
  const decimal = from.decimal ?? mapping.decimal ?? '.';
  return {
    dates: [from.dates ?? mapping.dates ?? 'ymd'].flat(),
    decimal,
    thousands: mapping.thousands ?? (decimal === '.' ? ',' : '.'),
  };
}

/** Meanings by word: those of the mapping, and the field's own values. */
export function wordsOf(
  { words = {}, match }: Pick<ColumnSource, 'words' | 'match'>,
  field: z.ZodType,
): Map<string, unknown> {
  const { kind, values = [] } = factsOf(field);
  if (match === 'start') return new Map(Object.entries(words).map(([word, meaning]) => [plain(word), meaning]));
  const own = kind === 'flag' ? Object.entries(FLAGS) : values.map((value) => [value, value] as const);
  return new Map([...own, ...Object.entries(words)].map(([word, meaning]) => [plain(word), meaning]));
}

const FLAGS = { true: true, false: false, yes: true, no: false, 1: true, 0: false };

/** The value of a field with one or several cells. @throws RowError if they can't be read */
export function readCells(cells: readonly Cell[], settings: CellSettings, from: Pick<ColumnSource, 'sign'>): CellValue {
  const [first] = cells as [Cell];
  const { field, decimal, thousands } = settings;
  const facts = factsOf(field);
  const { kind } = facts;
  const together = (mark: string): Cell => ({
    text: cells.map(({ text }) => text).join(mark),
    column: cells.map(({ column }) => column).join(', '),
    line: first.line,
  });
  if (kind !== 'json' && kind !== 'text') cells.forEach(refuseLong);
  if (kind === 'json') return { value: listOf(cells.map(parsedItem), field) };
  if (kind === 'instant') {
    const { instant, ...known } = timeIn(together(' '), settings.dates, settings.zone);
    return { value: instant, ...known };
  }
  if (kind === 'date') return { value: dayIn(first, settings.dates) };
  if (NUMBERS.includes(kind)) {
    const style = { decimal, thousands, symbols: SYMBOLS };
    const sum = cells.reduce((total, cell) => total + Number(signed(moneyIn(cell, style), from.sign)), 0);
    return { value: cells.length === 1 ? sum : Number(sum.toPrecision(15)) };
  }
  if (kind === 'flag' || facts.values) {
    const known = (facts.values ?? Object.keys(FLAGS)).join(', ');
    throw cellError(first, `must be one of ${known}, or a word under "words" in the mapping`);
  }
  return { value: together('\n').text };
}

const NUMBERS: readonly Kind[] = ['number', 'integer', 'money', 'ratio'];

/** Symbols and units allowed next to an amount; the currency comes from the mapping. */
const SYMBOLS = [
  'US$ $ € £ ¥ ₹ USDT USDC USD EUR GBP CHF INR JPY CAD AUD',
  'Lots lots Lot lot Shares shares Units units Contracts contracts Oz oz',
].flatMap((symbols) => symbols.split(' '));

/** JSON is parsed; any other text stays text. */
function parsedItem(cell: Cell): unknown {
  if (!/^[[{]/.test(cell.text)) return cell.text;
  try {
    return parseJson(cell.text);
  } catch {
    throw cellError(cell, 'begins like JSON, but is not valid JSON');
  }
}

/** A list of the field's items. If these are objects, a text becomes their first field. */
export function listOf(items: readonly unknown[], field: z.ZodType): unknown {
  const [only] = items;
  if (items.length === 1 && typeof only === 'object' && only !== null) return only;
  const given = items.filter((item) => item !== null);
  const element = field instanceof z.ZodArray ? field.element : undefined;
  if (!(element instanceof z.ZodObject)) return given;
  const [member = ''] = Object.keys(element.shape);
  return given.map((item) => (typeof item === 'string' ? { [member]: item } : item));
}
