import * as z from 'zod';
import { factsOf, type Kind } from '../../journal/fields.ts';
import { quote, RowError } from '../row-error.ts';
import { readCsv } from './csv-rows.ts';
import { type Format, reading } from './format.ts';

/** A header of field names; JSON in a cell for lists and objects. */
export const csv: Format = {
  name: 'csv',
  description: 'CSV: a header of field names, JSON in a cell for lists and objects, empty for null',
  looksLike: (_start, fileName) => /\.csv$/i.test(fileName),
  read(text, { resource }) {
    const { header, rows } = readCsv(text);
    const cells = header.map((name) => cellOf(name, resource.record.shape));
    const result = reading([]);
    for (const { line, cells: texts } of rows) {
      if (texts.every((cell) => cell === '')) {
        result.skipped.set('empty row', (result.skipped.get('empty row') ?? 0) + 1);
        continue;
      }
      const values: Record<string, unknown> = {};
      cells.forEach(({ name, read, empty }, index) => {
        const cell = texts[index] as string;
        const value = cell === '' ? empty : read(cell, name, line);
        if (value !== undefined) values[name] = value;
      });
      result.records.push({ line, values });
    }
    return result;
  },
};

interface Cell {
  name: string;
  read: (text: string, name: string, line: number) => unknown;
  /** What an empty cell says: null, the default, or nothing at all. */
  empty: unknown;
}

function cellOf(name: string, shape: z.ZodRawShape): Cell {
  const field = Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
  if (!field)
    return BESIDE.includes(name) ? { name, read: json, empty: undefined } : { name, read: verbatim, empty: '' };
  const { kind, derived, fallback } = factsOf(field);
  const empty = derived ? undefined : field instanceof z.ZodNullable ? null : fallback;
  return { name, read: READ[kind] ?? verbatim, empty };
}

const verbatim = (text: string) => text;

/** What a single trade has beside the fields of its record. */
const BESIDE = ['executions', 'group', 'journals', 'group_journals', 'withheld'];

const READ: Partial<Record<Kind, Cell['read']>> = {
  instant: (text) => text.trim(),
  date: (text) => text.trim(),
  number,
  integer: number,
  money: number,
  ratio: number,
  flag,
  json,
};

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function number(text: string, name: string, line: number): number {
  if (!NUMBER.test(text.trim())) throw new RowError(name, `must be a number, such as 1234.5; got ${quote(text)}`, line);
  return Number(text);
}

function flag(text: string, name: string, line: number): boolean {
  const lower = text.trim().toLowerCase();
  if (lower !== 'true' && lower !== 'false')
    throw new RowError(name, `must be true or false; got ${quote(text)}`, line);
  return lower === 'true';
}

function json(text: string, name: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RowError(name, `must be JSON, such as ["a", "b"]; got ${quote(text)}`, line);
  }
}
