/** Reads a row of a table or a note with a mapping: the values of its target's fields, by name. */
import * as z from 'zod';
import { factsOf } from '../../journal/fields.ts';
import type { Values } from '../../journal-write/record.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { Cell } from '../parse/columns.ts';
import { fieldOf, signed } from '../table/field.ts';
import { plain } from '../table/skip-rules.ts';
import { type CellSettings, type CellValue, listOf, readCells, settingsOf, wordsOf } from './cell-values.ts';
import type { MappedRow } from './row.ts';
import type { ColumnSource, Mapping, Source } from './schema.ts';
import { type MappingTarget, targetOf } from './targets.ts';

export interface MappingContext {
  /** IANA zone of times without an offset. */
  zone: string;
  /** Lookups by name: cell texts in lower case with their replacements. */
  lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface ValuesOfRow {
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
