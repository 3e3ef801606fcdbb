/**
 * Reads stored values, with one error for invalid ones, for example if a disk has changed
 * bytes of the file.
 */
import * as z from 'zod';
import { roundMoney, roundRatio } from '../money.ts';
import { nameAt } from '../pictures/kept-pictures.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { Row } from '../sqlite/reader.ts';
import { fromInstantText } from '../time.ts';
import { factsIfAny, factsOf, isNamed } from './fields.ts';
import { validFields } from './trader-fields.ts';

// Links by RFC 3986: the address that a browser opens for a text such as
// https://example.com/ä b.

const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
const HOST = '[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]';
const VALID = new RegExp(
  `^https?://(?:(?:${CHARACTER})*@)?(?:${HOST})(?::\\d*)?(?:/(?:${CHARACTER}|/)*)?(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?$`,
);

/**
 * The text if it is a valid http or https address, else the address that a browser makes
 * of it; undefined if none.
 */
function webAddressOf(text: string): string | undefined {
  if (VALID.test(text)) return URL.canParse(text) ? text : undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;

  const { origin, pathname, search, hash } = new URL(text);
  // Characters that a browser keeps, although they aren't allowed there.
  const escaped = (part: string) =>
    part.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/g, encodeURIComponent);
  const address = `${origin}${escaped(pathname)}${escaped(search)}${hash && `#${escaped(hash.slice(1))}`}`;

  return VALID.test(address) ? address : undefined;
}

/** The address of a kept picture as it is, any other as webAddressOf() has it. */
export function addressOf(text: string): string | undefined {
  return nameAt(text) === undefined ? webAddressOf(text) : text;
}

export class DamagedRecord extends FileUnavailable {
  override name = 'DamagedRecord';

  constructor(cause?: unknown) {
    super(
      'the journal is damaged; run "journal-api check" for details, and restore a backup',
      {
        cause,
      },
    );
  }
}

/** @throws DamagedRecord if it isn't a list or object in JSON */
export function parseStored(text: unknown): unknown {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw new DamagedRecord();
  return value;
}

/** @throws DamagedRecord if it isn't a list in JSON */
export function storedList(text: unknown): unknown[] {
  const value = parsed(text);
  if (!Array.isArray(value)) throw new DamagedRecord();
  return value;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch (error) {
    throw new DamagedRecord(error);
  }
}

/** @throws DamagedRecord if it isn't a finite number */
export function storedNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new DamagedRecord();
  return value;
}

/** @throws DamagedRecord if it isn't a text */
export function storedText(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedRecord();
  return value;
}

/** Epoch milliseconds. @throws DamagedRecord if it isn't an instant */
export function storedInstant(text: unknown): number {
  return storedNumber(fromInstantText(storedText(text)));
}

// Lists and objects that any program may have written as JSON. The journal checks only
// that they are lists and objects. Invalid members are omitted, so that one of them
// doesn't fail a whole page; `check` names them.

/** @returns the valid part of a value; undefined if none */
type Read = (value: unknown) => unknown;

/** @param schema a list or an object, nullable or not */
export function storedJson(schema: z.core.$ZodType): Read {
  if (schema instanceof z.ZodNullable) {
    const read = storedJson(schema.unwrap());
    return (value) => read(value) ?? null;
  }
  if (schema instanceof z.ZodArray) {
    const read = storedJson(schema.element);
    return (value) =>
      Array.isArray(value) ? value.map(read).filter((item) => item !== undefined) : [];
  }
  if (schema instanceof z.ZodObject) return objectReader(schema);
  if (isNamed(schema)) return validFields;
  if (factsIfAny(schema)?.isAddress)
    return (value) => (typeof value === 'string' ? addressOf(value) : undefined);

  return (value) => (z.safeParse(schema, value).success ? value : undefined);
}

function objectReader(schema: z.ZodObject): Read {
  const members = Object.entries(schema.shape).map(([name, member]) => ({
    name,
    read: storedJson(member),
    isOptional: member instanceof z.ZodOptional,
  }));
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;

    const record: Record<string, unknown> = {};
    for (const { name, read, isOptional } of members) {
      const stored = read(
        Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined,
      );
      if (stored !== undefined) record[name] = stored;
      else if (!isOptional) return undefined;
    }

    return record;
  };
}

// Rows of SQLite to records of the API: JSON text to lists and objects, 0 and 1 to
// booleans, money rounded.

type Convert = (value: unknown) => unknown;

/** Converts a stored value by the kind of its field; other kinds are stored unchanged. */
export const FROM_SQL: Partial<Record<string, Convert>> = {
  json: jsonBy((value) => value),
  flag: (value) => (value === null ? null : value === 1),
};

const CONVERT: typeof FROM_SQL = {
  ...FROM_SQL,
  money: (value) => (value === null ? null : roundMoney(storedNumber(value))),
  ratio: (value) => (value === null ? null : roundRatio(storedNumber(value))),
};

function convertOf(field: z.core.$ZodType): Convert | undefined {
  const convert = CONVERT[factsOf(field).kind];
  // The journal checks that lists of strings contain only strings.
  if (convert !== FROM_SQL.json || isListOfStrings(field)) return convert;
  return jsonBy(storedJson(field));
}

/** Reads a column with JSON. */
function jsonBy(read: (value: unknown) => unknown): Convert {
  return (value) => {
    if (value === null) return null;
    // Most lists are empty.
    return value === '[]' ? [] : read(parseStored(value));
  };
}

function isListOfStrings(field: z.core.$ZodType): boolean {
  return field instanceof z.ZodArray && field.element instanceof z.ZodString;
}

/**
 * Reads one kind of record: the columns to select, and a function that converts a row.
 */
export interface RecordShape {
  columns: string;
  /** An SQL expression for the octets of texts that may be long. */
  octets: string;
  toRecord: (row: Row) => Row;
}

/** An SQL expression for the octets of a column. */
export function octetsOf(column: string, field: z.core.$ZodType): string {
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
    const field = record.shape[name];
    const { kind, isShort } = factsOf(field);
    const convert = convertOf(field);
    if (convert) conversions.push([name, convert]);
    if (kind === 'number' || kind === 'integer') numbers.push(name);
    if (kind === 'json' || (kind === 'text' && !isShort))
      octets.push(octetsOf(name, field));
  }

  return {
    columns: names
      .map((name) => (empty.includes(name) ? `NULL AS ${name}` : name))
      .join(', '),
    octets: octets.join(' + ') || '0',
    toRecord: mapperOf(conversions, numbers),
  };
}

function mapperOf(
  conversions: readonly [string, Convert][],
  numbers: readonly string[],
): RecordShape['toRecord'] {
  return (row) => {
    for (const name of numbers) if (row[name] !== null) storedNumber(row[name]);
    for (const [name, convert] of conversions) row[name] = convert(row[name]);
    return row;
  };
}
