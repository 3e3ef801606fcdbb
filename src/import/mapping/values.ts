/** What a mapping makes of one row: the values of its target's fields, by name. A row is cells by column, of a table or of a note. */
import * as z from 'zod';
import { factsOf, type Kind } from '../../journal/fields.ts';
import type { Values } from '../../journal-write/record.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type Cell, orNothing } from '../parse/columns.ts';
import { parseJson } from '../parse/json-text.ts';
import { moneyIn } from '../parse/numbers.ts';
import { dayIn, timeIn } from './dates.ts';
import type { ColumnSource, DateFormat, Mapping, SkipRule, Source } from './schema.ts';
import { type MappingTarget, targetOf } from './targets.ts';

/** A row of a table, or what a note says of itself. */
export interface MappedRow {
  line: number;
  /** Text by the name of its column, or where the file knows lists, the items of one. A column that is missing is empty. */
  cells: ReadonlyMap<string, string | readonly string[]>;
}

export interface MappingContext {
  /** IANA zone of times without an offset. */
  zone: string;
  /** What the lookups of the mapping hold, by their name: what a cell says, in small letters, and what that stands for. */
  lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** A row that a mapping leaves out. */
export interface SkippedRow {
  skipped: string;
}

export interface ValuesOfRow {
  values: Values;
  /** Whether a field that is a time was given as a day. */
  hasDayOnly: boolean;
  /** Whether a time lacked its offset, so that the zone was needed. */
  isZoned: boolean;
}

type FieldReader = (row: MappedRow) => { value: unknown; isDayOnly?: boolean; isZoned?: boolean };

/**
 * How a mapping reads rows.
 * @returns what gives the values of a row, each as its field has it (times in UTC, money and quantities as numbers, lists
 *   as lists), with objects put together; null where the cell says that there is nothing and the field may be null; without
 *   those that the mapping doesn't have. Throws RowError where a cell can't be read.
 */
export function rowReader(mapping: Mapping, context: MappingContext): (row: MappedRow) => ValuesOfRow | SkippedRow {
  const target = targetOf(mapping);
  const readers = Object.entries(mapping.fields).map(([name, source]) => ({
    path: name.split('.'),
    isNullable: target.fields.get(name) instanceof z.ZodNullable,
    read: fieldReader(name, source, target, mapping, context),
  }));
  const skipOf = skipper(mapping.skip ?? []);
  return (row) => {
    const skipped = skipOf(row);
    if (skipped !== undefined) return { skipped };
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

/** The names of all columns that a mapping reads, in its order. */
export function columnsRead(mapping: Mapping): string[] {
  const columns = Object.values(mapping.fields).flatMap((source) => {
    if (typeof source === 'string') return [source];
    return 'column' in source ? source.column : [];
  });
  return [...new Set([...columns, ...(mapping.skip ?? []).map(({ column }) => column)])];
}

/** Members of an object are null until one is given; an object of which nothing is given is null. */
function put(values: Values, path: readonly string[], value: unknown): void {
  const [name = '', member] = path;
  if (member === undefined) values[name] = value;
  else if (value === null || (Array.isArray(value) && value.length === 0)) values[name] ??= null;
  else values[name] = { ...(values[name] as Values | null | undefined), [member]: value };
}

function skipper(rules: readonly SkipRule[]): (row: MappedRow) => string | undefined {
  const sets = rules.map(({ column, is, not, match, reason }) => ({
    column,
    is: is && hasWord(is, match),
    not: not && hasWord(not, match),
    reason,
  }));
  return (row) => {
    for (const { column, is, not, reason } of sets) {
      const text = plain(textOf(row, column));
      if (!(is?.(text) || (not && !not(text)))) continue;
      return reason ?? (text === '' ? `row without ${column}` : `row with ${column} ${quote(textOf(row, column))}`);
    }
    return undefined;
  };
}

/** Whether a text is one of some words, or begins with one. */
function hasWord(words: readonly string[], match: 'start' | undefined): (text: string) => boolean {
  const known = new Set(words.map(plain));
  return match === 'start' ? (text) => [...known].some((word) => text.startsWith(word)) : (text) => known.has(text);
}

function textOf({ cells }: MappedRow, column: string): string {
  const cell = cells.get(column) ?? '';
  return typeof cell === 'string' ? cell.trim() : cell.join(', ');
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
  const nothing = new Set((from.empty ?? []).map(plain));
  const isList = factsOf(inner).kind === 'json';

  const cellsOf = (row: MappedRow): Cell[] =>
    columns.flatMap((column) => {
      const own = row.cells.get(column) ?? '';
      const texts = typeof own !== 'string' ? own : isList ? itemsOf(own, from.split ?? ',') : [own];
      return texts.map((text) => ({
        text: looked({ text: text.trim(), column, line: row.line }, table, from),
        column,
        line: row.line,
      }));
    });
  return (row) => {
    const cells = cellsOf(row).filter((cell) => orNothing(cell, () => !nothing.has(plain(cell.text))) === true);
    if (cells.length === 0) return { value: from.default ?? (isList ? [] : null) };
    const known = cells.map((cell) => meaningOf(plain(cell.text)));
    if (known.every((meaning) => meaning !== undefined)) {
      return { value: isList ? listOf(known, inner) : signed(known[0], from) };
    }
    return readCells(cells, settings, from);
  };
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

/** A constant is read as a cell is, so that a wrong one is refused before any row. */
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

/** What the words of a field stand for, by word: those of the mapping, and the field's own values. */
function wordsOf({ words = {}, match }: Pick<ColumnSource, 'words' | 'match'>, field: z.ZodType): Map<string, unknown> {
  const { kind, values = [] } = factsOf(field);
  if (match === 'start') return new Map(Object.entries(words).map(([word, meaning]) => [plain(word), meaning]));
  const own = kind === 'flag' ? Object.entries(FLAGS) : values.map((value) => [value, value] as const);
  return new Map([...own, ...Object.entries(words)].map(([word, meaning]) => [plain(word), meaning]));
}

const FLAGS = { true: true, false: false, yes: true, no: false, 1: true, 0: false };

function plain(word: string): string {
  return word.trim().toLowerCase();
}

/** @throws RowError where the second file doesn't have it */
function looked(
  { text, column, line }: Cell,
  table: ReadonlyMap<string, string> | undefined,
  { lookup }: ColumnSource,
) {
  if (!table || text === '') return text;
  const found = table.get(plain(text));
  if (found === undefined) throw new RowError(column, `${quote(text)} is not in the lookup ${lookup}`, line);
  return found;
}

function itemsOf(text: string, split: string): string[] {
  return /^\s*[[{]/.test(text) ? [text] : text.split(split);
}

function readCells(
  cells: readonly Cell[],
  settings: CellSettings,
  from: Pick<ColumnSource, 'sign'>,
): ReturnType<FieldReader> {
  const [first] = cells as [Cell];
  const { field, decimal, thousands } = settings;
  const facts = factsOf(field);
  const { kind } = facts;
  const together = (mark: string): Cell => ({
    text: cells.map(({ text }) => text).join(mark),
    column: cells.map(({ column }) => column).join(', '),
    line: first.line,
  });
  if (kind === 'json') return { value: listOf(cells.map(parsedItem), field) };
  if (kind === 'instant') {
    const { instant, ...known } = timeIn(together(' '), settings.dates, settings.zone);
    return { value: instant, ...known };
  }
  if (kind === 'date') return { value: dayIn(first, settings.dates) };
  if (NUMBERS.includes(kind)) {
    const style = { decimal, thousands, symbols: SYMBOLS };
    const sum = cells.reduce((total, cell) => total + Number(signed(moneyIn(cell, style), from)), 0);
    return { value: cells.length === 1 ? sum : Number(sum.toPrecision(15)) };
  }
  if (kind === 'flag' || facts.values) {
    const known = facts.values ?? Object.keys(FLAGS);
    throw new RowError(
      first.column,
      `must be one of ${known.join(', ')}, or a word that the mapping knows ("words"); got ${quote(first.text)}`,
      first.line,
    );
  }
  return { value: together('\n').text };
}

const NUMBERS: readonly Kind[] = ['number', 'integer', 'money', 'ratio'];

/** What may stand beside an amount: it says nothing that the mapping's currency doesn't. */
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
  ...['Lots', 'lots', 'Lot', 'lot', 'Shares', 'shares', 'Units', 'units', 'Contracts', 'contracts', 'Oz', 'oz'],
];

function signed(value: unknown, { sign }: Pick<ColumnSource, 'sign'>): unknown {
  if (typeof value !== 'number' || sign === undefined) return value;
  return sign === 'absolute' ? Math.abs(value) : 0 - value;
}

/** Text that is JSON, as it is exported; all else is text. */
function parsedItem({ text, column, line }: Cell): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    throw new RowError(column, `begins as JSON does, but is none; got ${quote(text)}`, line);
  }
}

/** A list of the field's items: where these are objects, a text is their first member. */
function listOf(items: readonly unknown[], field: z.ZodType): unknown {
  const [only] = items;
  if (items.length === 1 && typeof only === 'object' && only !== null) return only;
  const given = items.filter((item) => item !== null);
  const element = field instanceof z.ZodArray ? field.element : undefined;
  if (!(element instanceof z.ZodObject)) return given;
  const [member = ''] = Object.keys(element.shape);
  return given.map((item) => (typeof item === 'string' ? { [member]: item } : item));
}
