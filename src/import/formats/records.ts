/** Files of the journal's own records: JSON Lines, JSON and CSV. */
import * as z from 'zod';
import { messageOf, quote, RowError, RowErrors, unknownField } from '../../errors.ts';
import { factsOf, isNamed, type Kind } from '../../journal/fields.ts';
import { unwrapped } from '../../journal/hidden-fields.ts';
import type { ListResource } from '../../journal/resource.ts';
import {
  journalRows,
  NAMES_OF_TRADE,
  tradeJournals,
} from '../../journal/resources/journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { Values } from '../../journal-write/record.ts';
import { executionList, SHOWN_OF_OTHERS } from '../../journal-write/trade.ts';
import { streamCsv } from '../../parse/csv-rows.ts';
import { linesOf, parseJson } from '../../parse/open-file.ts';
import { flagIn, writtenValue } from '../../parse/written.ts';
import { type FileRecord, reading, recordOn, skip, streamed } from '../fills/reading.ts';
import type { Format, StreamFormat } from '../tables/format.ts';
import { KNOWN } from './known.ts';

/** One record per line. */
export const jsonLines: StreamFormat = {
  ...KNOWN.jsonl,
  read: (blocks) => streamed(() => recordsOnLines(blocks())),
};

function* recordsOnLines(blocks: Iterable<string>): Generator<FileRecord> {
  let isEmpty = true;
  for (const { text, line } of linesOf(blocks)) {
    if (text.trim() === '') continue;
    isEmpty = false;
    yield recordOn(line, () => asRecord(parsed(text, line), line));
  }
  if (isEmpty)
    throw new RowError(null, 'the file is empty; it must have a record per line', 1);
}

function parsed(text: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // The parser only sees this line, so its own line number is always 1.
    const reason = messageOf(error).replace(/\(line 1 (column \d+)\)/, '($1)');
    throw new RowError(null, `not valid JSON: ${reason}`, line);
  }
}

/**
 * A list of records, a single one, or a response of the API: a page or one record in its
 * envelope.
 */
export const json: Format = {
  ...KNOWN.json,
  read(text) {
    const root = jsonIn(text);
    const enveloped = isEnvelope(root);
    const content = enveloped ? root['data'] : root;
    if (!Array.isArray(content))
      return reading({
        records: [{ line: firstLine(text), values: asRecord(content, firstLine(text)) }],
      });

    const lines = itemLines(text, enveloped ? 2 : 1);
    const records = content.map((item, index) => {
      const line = lines[index] ?? 1;
      return recordOn(line, () => asRecord(item, line));
    });
    const more =
      enveloped && (root['pagination'] as Values | undefined)?.['has_more'] === true;
    const notes = more ? ['this is one page of several; import the other pages too'] : [];

    return reading({ records, notes });
  },
};

/** @throws RowError if a value isn't an object */
export function asRecord(value: unknown, line: number): Values {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new RowError(
      null,
      `a record must be an object with its fields; got ${quote(value)}`,
      line,
    );
  }
  return value as Values;
}

/** Whether a text begins like a response of the API: one value, not one per line. */
/** @throws RowError if it isn't JSON */
export function jsonIn(text: string): unknown {
  if (text.trim() === '')
    throw new RowError(null, 'the file is empty; write [] for no records', 1);
  try {
    return parseJson(text);
  } catch (error) {
    const reason = messageOf(error);
    const line = /\(line (\d+) column/.exec(reason)?.[1];
    throw new RowError(
      null,
      `not valid JSON: ${reason}`,
      line === undefined ? text.split('\n').length : Number(line),
    );
  }
}

function isEnvelope(root: unknown): root is Values {
  if (root === null || typeof root !== 'object' || Array.isArray(root)) return false;
  return (
    'data' in root &&
    Object.keys(root).every((name) => name === 'data' || name === 'pagination')
  );
}

function firstLine(text: string): number {
  return text.slice(0, text.search(/\S/)).split('\n').length;
}

/**
 * The first lines of a list's items.
 * @param text valid JSON
 * @param depth nesting of the items: 1 in a list, 2 in a list within an object
 */
export function itemLines(text: string, depth: number): number[] {
  const lines: number[] = [];
  // Open brackets, from outside in: other members of an object may precede the list.
  const open: string[] = [];
  let line = 1;
  let expecting = false;

  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\n') line++;
    if (char <= ' ') continue;

    if (expecting && char !== ']') lines.push(line);
    if (char === '"') at = endOfString(text, at);
    follow(char, open);

    const isBeforeItem = char === '[' || char === ',';
    expecting = isBeforeItem && open.length === depth && open.at(-1) === '[';
  }

  return lines;
}

function follow(char: string, open: string[]): void {
  if (char === '[' || char === '{') open.push(char);
  else if (char === ']' || char === '}') open.pop();
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

// CSV.

/**
 * A header of field names; in a cell a list is JSON or plain text with semicolons or
 * commas, an object JSON. Or an object has a column for each of its members, such as
 * review.rating.
 */
export const csv: StreamFormat = {
  ...KNOWN.csv,
  read(blocks, { resource }) {
    const skipped = new Map<string, number>();
    return streamed(() => rowsOf(blocks(), resource, skipped), skipped);
  },
};

function* rowsOf(
  blocks: Iterable<string>,
  resource: ListResource,
  skipped: Map<string, number>,
): Generator<FileRecord> {
  const { header, rows } = streamCsv(blocks);
  const known = cellsFor(resource);
  // Before any rows: the header is checked even without rows below it.
  const errors = new RowErrors();
  const cells = header.cells.map((name, index) => {
    const cell = known.get(name) ?? namedCell(name, resource);
    errors.try(() => {
      if (name === '') {
        throw new RowError(
          null,
          `column ${index + 1} has no name; add the name of a field`,
          header.line,
        );
      }
      if (!cell) throw unknownField(name, [...known.keys()], header.line);
      if (header.cells.indexOf(name) !== index)
        throw new RowError(name, 'appears twice in the header', header.line);
    });
    return { name, ...(cell as Cell) };
  });
  errors.refuse();
  requireWholeObjects(header.cells, resource, header.line);

  for (const { line, cells: texts } of rows) {
    if (texts.every((cell) => cell === '')) skip(skipped, 'empty row');
    else yield recordOn(line, () => valuesOf(texts, cells, line));
  }
}

/** @throws RowError with all cells that can't be read */
function valuesOf(
  texts: readonly string[],
  cells: readonly (Cell & { name: string })[],
  line: number,
): Values {
  const values: Values = {};
  const objects: Record<string, Values> = {};
  const errors = new RowErrors();

  cells.forEach(({ name, read, empty, member }, index) => {
    const cell = texts[index] as string;
    const value = cell === '' ? empty : errors.try(() => read(cell, name, line));
    if (member) {
      // Without a prototype: __proto__ is a name like others.
      objects[member.of] ??= Object.create(null) as Values;
      if (value !== undefined) (objects[member.of] as Values)[member.name] = value;
      // An object is given if one of its cells is.
      if (cell !== '') values[member.of] = objects[member.of];
    } else if (value !== undefined) values[name] = value;
  });
  errors.refuse();

  return values;
}

/**
 * @throws RowError for an object with only some of its columns: import replaces objects,
 * so the others would be lost
 */
function requireWholeObjects(
  names: readonly string[],
  { record: { shape } }: ListResource,
  line: number,
): void {
  for (const [name, field] of Object.entries(shape)) {
    const named = names.find((column) => column.startsWith(`${name}.`));
    if (isNamed(field) && named !== undefined && names.includes(name))
      throw new RowError(name, `is given twice, also as ${named}; remove one`, line);

    const columns = membersOf(name, field).map(([column]) => column);
    const missing = columns.filter((column) => !names.includes(column));
    if (missing.length === columns.length) continue;
    if (names.includes(name))
      throw new RowError(name, `is given twice, also as ${columns[0]}; remove one`, line);
    if (missing.length > 0 && !factsOf(field).derived)
      throw RowError.missing(missing, line);
  }
}

/**
 * The columns of an object, each with the member's name and schema; none of other fields.
 */
function membersOf(
  name: string,
  field: z.core.$ZodType,
): [column: string, member: string, schema: z.core.$ZodType][] {
  const inner = unwrapped(field);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).map(([member, schema]) => [
    `${name}.${member}`,
    member,
    schema,
  ]);
}

interface Cell {
  read: (text: string, name: string, line: number) => unknown;
  /** Value of an empty cell: null, the empty list, or undefined. */
  empty: unknown;
  /** Of a column such as review.rating. */
  member?: { of: string; name: string };
}

/** Allowed columns for a resource, by name. */
function cellsFor(resource: ListResource): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [name, field] of Object.entries(resource.record.shape)) {
    cells.set(name, cellOf(field));
    for (const [column, member, schema] of membersOf(name, field)) {
      cells.set(column, { ...cellOf(schema), member: { of: name, name: member } });
    }
  }

  if (resource.path === trades.path) {
    cells.set('executions', { read: strictJson(executionList), empty: undefined });
    for (const name of SHOWN_OF_OTHERS)
      cells.set(name, { read: () => undefined, empty: undefined });
  }

  if (resource === tradeJournals || resource === journalRows) {
    for (const name of NAMES_OF_TRADE)
      cells.set(name, { read: writtenText, empty: undefined });
  }

  return cells;
}

/** The column of a field that the trader named, such as fields.confluence. */
function namedCell(
  column: string,
  { record: { shape } }: ListResource,
): Cell | undefined {
  const [of = '', ...name] = column.split('.');
  const field = Object.hasOwn(shape, of) ? shape[of] : undefined;
  if (!field || !isNamed(field) || name.length === 0) return undefined;
  return { read: writtenText, empty: undefined, member: { of, name: name.join('.') } };
}

function cellOf(field: z.core.$ZodType): Cell {
  const { kind, derived, fallback, values } = factsOf(field);
  const written: Cell['read'] = values
    ? (text) => writtenValue(field, text)
    : (READ[kind] ?? writtenText);
  const read = kind === 'json' ? jsonLike(field) : written;
  if (derived) return { read, empty: undefined };
  if (field instanceof z.ZodNullable) return { read, empty: null };

  // A required number or text keeps its value if the cell is empty, or is derived from
  // the rest of the row.
  return { read, empty: kind === 'json' ? fallback : undefined };
}

/**
 * An empty cell is null, so two quotation marks are an empty text. A text of only such
 * pairs has one extra pair.
 */
const writtenText = (text: string) => (/^(?:"")+$/.test(text) ? text.slice(2) : text);

const READ: Partial<Record<Kind, Cell['read']>> = {
  instant: (text) => text.trim(),
  date: (text) => text.trim(),
  number,
  integer: number,
  money: number,
  ratio: number,
  flag,
};

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function number(text: string, name: string, line: number): number {
  if (!NUMBER.test(text.trim()))
    throw new RowError(
      name,
      `must be a number, such as 1234.5; got ${quote(text)}`,
      line,
    );
  return Number(text);
}

function flag(text: string, name: string, line: number): boolean {
  const value = flagIn(text);
  if (value === undefined)
    throw new RowError(
      name,
      `must be true or false, yes or no; got ${quote(text)}`,
      line,
    );
  return value;
}

/** The beginning of JSON, but not of a checkbox. */
const JSON_START = /^\s*(?:\{|\[(?![ xX]\] ))/;

/** A plain list, or JSON. */
function jsonLike(field: z.core.$ZodType): Cell['read'] {
  const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
  const strict = strictJson(field);
  return (text, name, line) =>
    inner instanceof z.ZodArray && !JSON_START.test(text)
      ? writtenValue(inner, text)
      : strict(text, name, line);
}

function strictJson(field: z.core.$ZodType): Cell['read'] {
  return (text, name, line) => {
    try {
      return parseJson(text);
    } catch {
      throw new RowError(
        name,
        `must be JSON, such as ${exampleFor(field)}; got ${quote(text)}`,
        line,
      );
    }
  };
}

/** ["a", "b"], [{"text": "..."}] or {"bias": "..."} */
function exampleFor(field: z.core.$ZodType): string {
  if (field instanceof z.ZodNullable) return exampleFor(field.unwrap());
  if (field instanceof z.ZodArray)
    return field.element instanceof z.ZodObject
      ? `[${exampleFor(field.element)}]`
      : '["a", "b"]';

  if (isNamed(field)) return '{"confluence": 3}';

  const [member] = field instanceof z.ZodObject ? Object.entries(field.shape) : [];
  if (!member) return '{}';

  const [name, schema] = member;
  const isText = ['text', 'instant', 'date'].includes(factsOf(schema).kind);
  return `{"${name}": ${isText ? '"..."' : 1}}`;
}
