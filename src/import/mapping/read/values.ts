/**
 * Reads a row of a table or a note with a mapping: the values of its target's fields, by
 * name.
 */

import * as z from 'zod';
import { quote, RowError } from '../../../errors.ts';
import { factsOf, type Kind } from '../../../journal/fields.ts';
import type { Values } from '../../../journal-write/record.ts';
import {
  type Cell,
  cellError,
  type MoneyStyle,
  moneyIn,
  refuseLong,
} from '../../../parse/cells.ts';
import { parseJson } from '../../../parse/open-file.ts';
import { decimalOf } from '../../../parse/times.ts';
import { type Clock, dayIn, timeIn } from '../../tables/clock.ts';
import {
  fieldOf,
  plain,
  type Row,
  signed,
  type TableFile,
  type ValueSource,
} from '../../tables/declaration.ts';
import type { TableRow } from '../../tables/rows.ts';
import type { LoadedMapping } from '../load.ts';
import {
  type ColumnSource,
  fieldIn,
  type Mapping,
  TRADER_FIELD,
  targetOf,
} from '../schema.ts';

// Converts the text of cells to a field's value: a number, a time, the meaning of a word,
// a list.

/** How the cells of a field are read. */
interface CellReader {
  name: string;
  field: z.core.$ZodType;
  from: Partial<ColumnSource>;
  mapping: Mapping;
  /** Reads a time. */
  instantIn: Clock['instantIn'];
  /** Distinct words of a column, for its first error. */
  wordsOf: (column: string) => string[];
}

/** Maximum number of words in an error. */
const MOST_WORDS = 12;

/** Meanings by word: those of the mapping, and the field's own values. */
function wordsOf(
  { words = {}, match }: Partial<ColumnSource>,
  field: z.core.$ZodType,
): Map<string, unknown> {
  const { kind, values = [] } = factsOf(field);
  if (match === 'start')
    return new Map(
      Object.entries(words).map(([word, meaning]) => [plain(word), meaning]),
    );

  const usual =
    kind === 'flag'
      ? Object.entries(FLAGS)
      : values.map((value) => [value, value] as const);
  return new Map(
    [...usual, ...Object.entries(words)].map(([word, meaning]) => [plain(word), meaning]),
  );
}

const FLAGS = { true: true, false: false, yes: true, no: false, 1: true, 0: false };

/**
 * The value of a field with one or several cells.
 * @throws RowError if they can't be read
 */
function readCells(cells: readonly Cell[], reader: CellReader): unknown {
  const [first] = cells as [Cell];
  const { name, field, from, mapping } = reader;
  const { kind, values } = factsOf(field);
  if (kind === 'json') return listOf(cells.map(parsedItem), field);

  if (kind !== 'text') cells.forEach(refuseLong);
  if (kind === 'instant' || kind === 'date') {
    const dates = [from.dates ?? mapping.dates ?? 'ymd'].flat();
    return kind === 'date'
      ? dayIn(first, dates)
      : reader.instantIn(joinedBy(' ', cells), dates);
  }
  if (NUMBERS.includes(kind)) return sumIn(cells, reader);
  if (kind === 'flag' || values)
    throw unknownWord(first, values ?? Object.keys(FLAGS), reader);

  if (field === TRADER_FIELD) return traderValue(joinedBy('; ', cells), reader);

  const { text } = joinedBy('\n', cells);
  // The currency of a column with amounts.
  return name === 'currency' && /\d/.test(text) ? (currencyBeside(text) ?? text) : text;
}

/** A number in the style of its column, or text. */
function traderValue(cell: Cell, reader: CellReader): unknown {
  const isNumber = /^[-+]?(?!0\d)\d[\d.,' ]{0,30}$/.test(cell.text);
  if (!isNumber) return cell.text;
  try {
    return Number(moneyIn(cell, styleOf(cell, reader)));
  } catch (error) {
    if (error instanceof RowError) return cell.text;
    throw error;
  }
}

function joinedBy(mark: string, cells: readonly Cell[]): Cell {
  const [{ line }] = cells as [Cell];
  return {
    text: cells.map(({ text }) => text).join(mark),
    column: cells.map(({ column }) => column).join(', '),
    line,
  };
}

function sumIn(cells: readonly Cell[], reader: CellReader): number {
  const amounts = cells.map((cell) =>
    Number(signed(moneyIn(cell, styleOf(cell, reader)), reader.from.sign)),
  );
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  return cells.length === 1 ? sum : Number(sum.toPrecision(15));
}

function unknownWord(
  cell: Cell,
  known: readonly string[],
  { wordsOf }: CellReader,
): RowError {
  const problem = `must be one of ${known.join(', ')}, or a word under "words" in the mapping`;
  const { reason } = cellError(cell, problem);
  const words = wordsOf(cell.column).map(quote);
  const others = words.length > 1 ? `; the column has ${words.join(', ')}` : '';
  return new RowError(cell.column, reason + others, cell.line);
}

/**
 * @throws RowError if the cell has its own decimal separator, and it could be another's
 * thousands
 */
function styleOf(cell: Cell, { from, mapping }: CellReader): MoneyStyle {
  const stated = from.decimal ?? mapping.decimal ?? '.';
  const code = currencyBeside(cell.text);
  const symbols =
    code === undefined || SYMBOLS.includes(code) ? SYMBOLS : [...SYMBOLS, code];
  if (
    stated === 'either' &&
    /^\D*\d{1,3}[.,]\d{3}\D*$/.test(cell.text) &&
    !/^\D*0[.,]/.test(cell.text)
  ) {
    throw cellError(
      cell,
      'has a mark that may stand before decimals or after thousands; write it without the mark',
    );
  }

  const decimal = stated === 'either' ? decimalOf([cell.text]) : stated;

  return {
    decimal,
    thousands: mapping.thousands ?? (decimal === '.' ? ',' : '.'),
    symbols,
  };
}

/** The currency's code or symbol next to an amount: 89,162.28 SEK, €5. */
function currencyBeside(text: string): string | undefined {
  const code = /^([A-Z]{3}|USD[TC])(?=[\s\d.-])|[\d.)\s]([A-Z]{3}|USD[TC])$/.exec(text);
  return (
    code?.[1] ??
    code?.[2] ??
    Object.entries(SIGNS).find(([sign]) => text.includes(sign))?.[1]
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '¥': 'JPY',
  $: 'USD',
};

const NUMBERS: readonly Kind[] = ['number', 'integer', 'money', 'ratio'];

/** Symbols and units allowed next to an amount; the currency comes from the mapping. */
const SYMBOLS = [
  'US$',
  '$',
  '€',
  '£',
  '¥',
  '₹',
  'USDT',
  'USDC',
  'USD',
  'EUR',
  'GBP',
  'CHF',
  'INR',
  'JPY',
  'CAD',
  'AUD',
  'Lots',
  'lots',
  'Lot',
  'lot',
  'Shares',
  'shares',
  'Units',
  'units',
  'Contracts',
  'contracts',
  'Oz',
  'oz',
];

/** JSON is parsed; any other text stays text. */
function parsedItem(cell: Cell): unknown {
  if (!/^[[{]/.test(cell.text)) return cell.text;
  try {
    return parseJson(cell.text);
  } catch {
    throw cellError(cell, 'begins like JSON, but is not valid JSON');
  }
}

/**
 * A list of the field's items. If these are objects, a text becomes their first field.
 */
function listOf(items: readonly unknown[], field: z.core.$ZodType): unknown {
  const [only] = items;
  if (items.length === 1 && typeof only === 'object' && only !== null) return only;
  const stated = items.filter((item) => item !== null);
  const element = field instanceof z.ZodArray ? field.element : undefined;
  if (!(element instanceof z.ZodObject)) return stated;
  const [member = ''] = Object.keys(element.shape);
  return stated.map((item) => (typeof item === 'string' ? { [member]: item } : item));
}

/**
 * The columns of a mapping as a declaration has them, by field.
 * @param zone of constants without an offset
 * @param lookups by name: cell texts in lower case with their replacements
 * @returns readers of a row's cells: times in UTC, money and quantities as numbers, lists
 * as lists; null if the cells are empty. They throw RowError if a cell can't be read.
 */
export function valueSources(
  { mapping, lookups }: Pick<LoadedMapping, 'mapping' | 'lookups'>,
  zone: string,
) {
  const target = targetOf(mapping);
  const sources = Object.entries(mapping.fields).map(
    ([name, source]): [string, ValueSource] => {
      const field = fieldIn(target, name) as z.core.$ZodType;
      const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
      if (typeof source === 'object' && 'value' in source) {
        const value = constantOf(name, source.value, inner, mapping, zone);
        return [name, { value: () => () => value }];
      }

      const readerOf = (file: TableFile, from: ColumnSource) =>
        fieldReader(name, from, inner, mapping, { lookups, file });
      if (typeof source === 'object' && 'bought' in source) {
        const value = (file: TableFile) => {
          const [bought, sold] = [source.bought, source.sold].map((column) =>
            readerOf(file, { column }),
          );
          return (row: Row) => difference(bought?.(row), sold?.(row), row[source.sold]);
        };
        return [name, { value }];
      }

      const from = typeof source === 'string' ? { column: source } : source;
      return [name, { value: (file) => readerOf(file, from) }];
    },
  );

  return Object.fromEntries(sources);
}

/** Units bought above 0, units sold below. @throws RowError if a row has both */
function difference(
  bought: unknown,
  sold: unknown,
  cell: Cell | undefined,
): number | null {
  const [more, less] = [Number(bought ?? 0), Math.abs(Number(sold ?? 0))];
  if (more !== 0 && less !== 0)
    throw new RowError(
      cell?.column ?? null,
      'a row has units bought and sold',
      cell?.line,
    );
  return bought === null && sold === null ? null : more - less;
}

/**
 * The values of a row by field, with objects assembled; without those that are empty and
 * must not be null.
 */
export function valuesOf(row: TableRow, mapping: Mapping): Values {
  const target = targetOf(mapping);
  const values: Values = {};
  for (const name of Object.keys(mapping.fields)) {
    const value = row.value(name);
    if (value !== null || fieldIn(target, name) instanceof z.ZodNullable)
      put(values, name.split('.'), value);
  }

  return values;
}

/** An object without values is null. */
function put(values: Values, path: readonly string[], value: unknown): void {
  const [name = '', member] = path;
  if (member === undefined) values[name] = value;
  else if (value === null || (Array.isArray(value) && value.length === 0))
    values[name] ??= null;
  else values[name] = { ...(values[name] as Values | null | undefined), [member]: value };
}

function fieldReader(
  name: string,
  from: ColumnSource,
  field: z.core.$ZodType,
  mapping: Mapping,
  { lookups, file }: Pick<LoadedMapping, 'lookups'> & { file: TableFile },
): (cells: Row) => unknown {
  let isTold = false;
  const firstWordsOf = (column: string) => {
    const words = isTold ? [] : file.rows().map((row) => row[column]?.text ?? '');
    isTold = true;
    return [...new Set(words)].filter((word) => word !== '').slice(0, MOST_WORDS);
  };

  const reader = {
    name,
    field,
    from,
    mapping,
    instantIn: file.instantIn,
    wordsOf: firstWordsOf,
  };
  const meanings = wordsOf(from, field);
  const longestFirst = [...meanings.keys()].sort((a, b) => b.length - a.length);
  const startOf = (text: string) =>
    longestFirst.find((word) => text.startsWith(word)) ?? text;
  const table = from.lookup === undefined ? undefined : lookups.get(from.lookup);
  const isList = factsOf(field).kind === 'json';

  const cellsOf = (row: Row): Cell[] =>
    [from.column].flat().flatMap((column) => {
      const cell = Object.hasOwn(row, column) ? row[column] : undefined;
      if (!cell) return [];

      const { text, line } = cell;
      const isSplit = isList && !/^\s*[[{]/.test(text);
      const texts = cell.items ?? (isSplit ? text.split(from.split ?? ',') : [text]);

      return texts.map((part) =>
        lookedUp(
          { text: withoutEnding(part.trim(), from.ending), column, line },
          table,
          from,
        ),
      );
    });

  const read = fieldOf<unknown>({
    empty: from.empty,
    meaningOf: ({ text }) =>
      meanings.get(from.match === 'start' ? startOf(plain(text)) : plain(text)),
    read: (cells) => readCells(cells, reader),
    join: (known) => (isList ? listOf(known, field) : signed(known[0], from.sign)),
  });
  return (row) => {
    const value = read(cellsOf(row));
    return value === undefined ? (from.default ?? (isList ? [] : null)) : value;
  };
}

/** Reads a constant like a cell, so that an invalid one is rejected before any row. */
function constantOf(
  name: string,
  value: string | number | boolean,
  field: z.core.$ZodType,
  mapping: Mapping,
  zone: string,
): unknown {
  if (typeof value !== 'string') return value;

  const meaning = wordsOf({}, field).get(plain(value));
  if (meaning !== undefined) return meaning;

  const cell = { text: value, column: name, line: 0 };
  const instantIn: Clock['instantIn'] = (cell, formats = []) =>
    timeIn(cell, formats, zone).instant;
  try {
    return readCells([cell], {
      name,
      field,
      from: {},
      mapping,
      instantIn,
      wordsOf: () => [],
    });
  } catch (error) {
    throw error instanceof RowError
      ? new RowError(`fields.${name} of the mapping`, error.reason)
      : error;
  }
}

/** @throws RowError if the lookup file doesn't have it */
function lookedUp(
  cell: Cell,
  table: ReadonlyMap<string, string> | undefined,
  { lookup }: ColumnSource,
): Cell {
  const { text, column, line } = cell;
  if (!table || text === '') return cell;
  const found = table.get(plain(text));
  if (found === undefined)
    throw new RowError(column, `${quote(text)} is not in the lookup ${lookup}`, line);
  return { text: found, column, line };
}

function withoutEnding(text: string, ending = ''): string {
  return ending !== '' && text.endsWith(ending)
    ? text.slice(0, -ending.length).trim()
    : text;
}
