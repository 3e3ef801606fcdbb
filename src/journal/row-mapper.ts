/** Converts a row of SQLite to a record of the API: JSON text to lists and objects, 0 and 1 to booleans, money rounded. */
import * as z from 'zod';
import { roundMoney, roundRatio } from '../money.ts';
import type { Row } from '../sqlite/reader.ts';
import { factsOf } from './fields.ts';
import { parseStored, storedJson, storedNumber } from './stored-value.ts';

type Convert = (value: never) => unknown;

/** Converts a stored value by the kind of its field; other kinds are stored unchanged. */
export const FROM_SQL: Partial<Record<string, Convert>> = {
  // Most lists are empty.
  json: (value: string | null) => (value === null ? null : value === '[]' ? [] : parseStored(value)),
  flag: (value: number | null) => (value === null ? null : value === 1),
};

const CONVERT: typeof FROM_SQL = {
  ...FROM_SQL,
  money: (value: number | null) => (value === null ? null : roundMoney(storedNumber(value))),
  ratio: (value: number | null) => (value === null ? null : roundRatio(storedNumber(value))),
};

function convertOf(field: z.ZodType): Convert | undefined {
  const convert = CONVERT[factsOf(field).kind];
  // The journal checks that lists of strings contain only strings.
  if (convert !== FROM_SQL.json || isListOfStrings(field)) return convert;
  const read = storedJson(field);
  return (value: string | null) => (value === null ? null : value === '[]' ? [] : read(parseStored(value)));
}

function isListOfStrings(field: z.ZodType): boolean {
  return field instanceof z.ZodArray && field.element instanceof z.ZodString;
}

/** Reads one kind of record: the columns to select, and a function that converts a row. */
export interface RecordShape {
  columns: string;
  /** An SQL expression for the octets of texts that may be long. */
  octets: string;
  toRecord: (row: Row) => Row;
}

/** An SQL expression for the octets of a column. */
export function octetsOf(column: string, field: z.ZodType): string {
  const octets = `octet_length(${column})`;
  return field instanceof z.ZodNullable ? `coalesce(${octets}, 0)` : octets;
}

/**
 * @param without fields that aren't columns; the caller adds them
 * @param empty fields read as NULL; the caller fills them in place
 */
export function recordShape(
  record: z.ZodObject,
  without: readonly string[] = [],
  empty: readonly string[] = [],
): RecordShape {
  const names = Object.keys(record.shape).filter((name) => !without.includes(name));
  const conversions: [string, Convert][] = [];
  const numbers: string[] = [];
  const octets: string[] = [];
  for (const name of names) {
    const field = record.shape[name] as z.ZodType;
    const { kind, isShort } = factsOf(field);
    const convert = convertOf(field);
    if (convert) conversions.push([name, convert]);
    if (kind === 'number' || kind === 'integer') numbers.push(name);
    if (kind === 'json' || (kind === 'text' && !isShort)) octets.push(octetsOf(name, field));
  }
  return {
    columns: names.map((name) => (empty.includes(name) ? `NULL AS ${name}` : name)).join(', '),
    octets: octets.join(' + ') || '0',
    toRecord: mapperOf(conversions, numbers),
  };
}

function mapperOf(conversions: readonly [string, Convert][], numbers: readonly string[]): RecordShape['toRecord'] {
  return (row) => {
    for (const name of numbers) if (row[name] !== null) storedNumber(row[name]);
    for (const [name, convert] of conversions) row[name] = convert(row[name] as never);
    return row;
  };
}
