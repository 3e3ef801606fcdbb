/** Reads a row of a table or a note with a mapping: the values of its target's fields, by name. */

import * as z from 'zod';
import { quote, RowError } from '../../errors.ts';
import { factsOf, type Kind } from '../../journal/fields.ts';
import type { Values } from '../../journal-write/record.ts';
import { type Cell, cellError, refuseLong } from '../parse/columns.ts';
import { moneyIn } from '../parse/numbers.ts';
import { parseJson } from '../parse/open-file.ts';
import { type DateFormat, dayIn, timeIn } from '../table/dates.ts';
import { fieldOf, signed } from '../table/declaration.ts';
import { plain } from '../table/skip-rules.ts';
import { type ColumnSource, type Mapping, type MappingTarget, type Source, targetOf } from './schema.ts';
import type { MappedRow } from './table.ts';

// Converts the text of cells to a field's value: a number, a time, the meaning of a word, a list.

interface CellValue {
  value: unknown;
  /** Whether a time was given as a day only. */
  isDayOnly?: boolean;
  /** Whether a time had no offset, so that the zone was needed. */
  isZoned?: boolean;
}

interface CellSettings {
  field: z.ZodType;
  dates: readonly DateFormat[];
  decimal: '.' | ',';
  thousands: ',' | '.' | "'" | ' ';
  zone: string;
}

function settingsOf(from: Pick<ColumnSource, 'dates' | 'decimal'>, mapping: Mapping) {
  const decimal = from.decimal ?? mapping.decimal ?? '.';
  return {
    dates: [from.dates ?? mapping.dates ?? 'ymd'].flat(),
    decimal,
    thousands: mapping.thousands ?? (decimal === '.' ? ',' : '.'),
  };
}

/** Meanings by word: those of the mapping, and the field's own values. */
function wordsOf({ words = {}, match }: Pick<ColumnSource, 'words' | 'match'>, field: z.ZodType): Map<string, unknown> {
  const { kind, values = [] } = factsOf(field);
  if (match === 'start') return new Map(Object.entries(words).map(([word, meaning]) => [plain(word), meaning]));
  const own = kind === 'flag' ? Object.entries(FLAGS) : values.map((value) => [value, value] as const);
  return new Map([...own, ...Object.entries(words)].map(([word, meaning]) => [plain(word), meaning]));
}

const FLAGS = { true: true, false: false, yes: true, no: false, 1: true, 0: false };

/** The value of a field with one or several cells. @throws RowError if they can't be read */
function readCells(cells: readonly Cell[], settings: CellSettings, from: Pick<ColumnSource, 'sign'>): CellValue {
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
function listOf(items: readonly unknown[], field: z.ZodType): unknown {
  const [only] = items;
  if (items.length === 1 && typeof only === 'object' && only !== null) return only;
  const given = items.filter((item) => item !== null);
  const element = field instanceof z.ZodArray ? field.element : undefined;
  if (!(element instanceof z.ZodObject)) return given;
  const [member = ''] = Object.keys(element.shape);
  return given.map((item) => (typeof item === 'string' ? { [member]: item } : item));
}

interface MappingContext {
  /** IANA zone of times without an offset. */
  zone: string;
  /** Lookups by name: cell texts in lower case with their replacements. */
  lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

interface ValuesOfRow {
  values: Values;
  /** Whether a time was given as a day only. */
  hasDayOnly: boolean;
  /** Whether a time had no offset, so that the zone was needed. */
  isZoned: boolean;
}

type FieldReader = (row: MappedRow) => CellValue;

/**
 * The row reader of a mapping.
 * @returns a function from a row to the values of the mapping's fields (times in UTC, money and quantities as numbers,
 *   lists as lists), with objects assembled; null if the cell is empty and the field is nullable. It throws RowError if a
 *   cell can't be read.
 */
export function rowReader(mapping: Mapping, context: MappingContext): (row: MappedRow) => ValuesOfRow {
  const target = targetOf(mapping);
  const readers = Object.entries(mapping.fields).map(([name, source]) => ({
    path: name.split('.'),
    isNullable: target.fields.get(name) instanceof z.ZodNullable,
    read: fieldReader(name, source, target, mapping, context),
  }));
  return (row) => {
    const values: Values = {};
    const known = { hasDayOnly: false, isZoned: false };
    for (const { path, isNullable, read } of readers) {
      const { value, isDayOnly, isZoned } = read(row);
      if (value !== null || isNullable) put(values, path, value);
      known.hasDayOnly ||= isDayOnly === true;
      known.isZoned ||= isZoned === true;
    }
    return { values, ...known };
  };
}

/** The names of all columns that a mapping reads, in the mapping's order. */
export function columnsRead(mapping: Mapping): string[] {
  const columns = Object.values(mapping.fields).flatMap((source) => {
    if (typeof source === 'string') return [source];
    return 'column' in source ? source.column : [];
  });
  return [...new Set([...columns, ...(mapping.skip ?? []).map(({ column }) => column)])];
}

/** An object without values is null. */
function put(values: Values, path: readonly string[], value: unknown): void {
  const [name = '', member] = path;
  if (member === undefined) values[name] = value;
  else if (value === null || (Array.isArray(value) && value.length === 0)) values[name] ??= null;
  else values[name] = { ...(values[name] as Values | null | undefined), [member]: value };
}

function fieldReader(
  name: string,
  source: Source,
  target: MappingTarget,
  mapping: Mapping,
  context: MappingContext,
): FieldReader {
  const field = target.fields.get(name) as z.ZodType;
  if (typeof source === 'object' && 'value' in source) {
    const value = constantOf(name, source.value, field, mapping, context);
    return () => ({ value });
  }
  const from: ColumnSource = typeof source === 'string' ? { column: source } : source;
  const columns = [from.column].flat();
  const inner = field instanceof z.ZodNullable ? (field.unwrap() as z.ZodType) : field;
  const settings: CellSettings = { ...settingsOf(from, mapping), zone: context.zone, field: inner };
  const meanings = wordsOf(from, inner);
  const longestFirst = [...meanings.keys()].sort((a, b) => b.length - a.length);
  const meaningOf = (text: string) =>
    meanings.get(from.match === 'start' ? (longestFirst.find((word) => text.startsWith(word)) ?? text) : text);
  const table = from.lookup === undefined ? undefined : context.lookups.get(from.lookup);
  const isList = factsOf(inner).kind === 'json';

  const cellsOf = (row: MappedRow): Cell[] =>
    columns.flatMap((column) => {
      const own = row.cells.get(column) ?? '';
      const texts = typeof own !== 'string' ? own : isList ? itemsOf(own, from.split ?? ',') : [own];
      return texts.map((text) => lookedUp({ text: text.trim(), column, line: row.line }, table, from));
    });
  const cellValueOf = fieldOf<CellValue>({
    empty: from.empty,
    meaningOf({ text }) {
      const meaning = meaningOf(plain(text));
      return meaning === undefined ? undefined : { value: meaning };
    },
    read: (cells) => readCells(cells, settings, from),
    join: (known) => ({
      value: isList
        ? listOf(
            known.map(({ value }) => value),
            inner,
          )
        : signed(known[0]?.value, from.sign),
    }),
  });
  return (row) => cellValueOf(cellsOf(row)) ?? { value: from.default ?? (isList ? [] : null) };
}

/** Reads a constant like a cell, so that an invalid one is rejected before any row. */
function constantOf(
  name: string,
  value: string | number | boolean,
  field: z.ZodType,
  mapping: Mapping,
  { zone }: MappingContext,
): unknown {
  if (typeof value !== 'string') return value;
  const inner = field instanceof z.ZodNullable ? (field.unwrap() as z.ZodType) : field;
  const meaning = wordsOf({}, inner).get(plain(value));
  if (meaning !== undefined) return meaning;
  try {
    const cell = { text: value, column: name, line: 0 };
    return readCells([cell], { ...settingsOf({}, mapping), zone, field: inner }, {}).value;
  } catch (error) {
    throw error instanceof RowError ? new RowError(`fields.${name} of the mapping`, error.reason) : error;
  }
}

/** @throws RowError if the lookup file doesn't have it */
function lookedUp(cell: Cell, table: ReadonlyMap<string, string> | undefined, { lookup }: ColumnSource): Cell {
  const { text, column, line } = cell;
  if (!table || text === '') return cell;
  const found = table.get(plain(text));
  if (found === undefined) throw new RowError(column, `${quote(text)} is not in the lookup ${lookup}`, line);
  return { text: found, column, line };
}

function itemsOf(text: string, split: string): string[] {
  return /^\s*[[{]/.test(text) ? [text] : text.split(split);
}
