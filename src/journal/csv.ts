/**
 * Records as CSV (RFC 4180), in the form that import reads: empty for null, lists as "a;
 * b", a column for each member of an object. Texts are unchanged, so a spreadsheet may
 * take one for a formula.
 */
import * as z from 'zod';
import type { Hidden } from '../keys/lens.ts';
import { projectionOf, unwrapped } from './hidden-fields.ts';

/** Names that lead to a value: of the field, then of the members of objects. */
type Path = readonly string[];

export interface CsvColumn {
  /** Joined by points: review.rating. */
  name: string;
  path: Path;
}

/** The columns of a record, except hidden ones. */
export function csvColumns(
  record: z.ZodObject,
  hides: readonly Hidden[] = [],
): CsvColumn[] {
  return pathsOf(record, hides).map((path) => ({ name: path.join('.'), path }));
}

function pathsOf({ shape }: z.ZodObject, hides: readonly Hidden[]): Path[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    if (!projectionOf(field, hides)) return [];
    const inner = unwrapped(field);
    return inner instanceof z.ZodObject
      ? pathsOf(inner, hides).map((path) => [name, ...path])
      : [[name]];
  });
}

export function csvHeader(columns: readonly CsvColumn[]): string {
  return csvLine(columns.map(({ name }) => name));
}

export function csvRow(columns: readonly CsvColumn[], record: object): string {
  return csvLine(columns.map(({ path }) => path.reduce<unknown>(memberOf, record)));
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    return undefined;
  return (value as Record<string, unknown>)[name];
}

export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = textOf(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return listed(value);
  const json = JSON.stringify(value);
  return json === '{}' ? '' : json;
}

/**
 * An empty text becomes two quotation marks, because an empty cell is null; a text of
 * only such pairs gets two more.
 */
function visible(text: string): string {
  return /^(?:"")*$/.test(text) ? `""${text}` : text;
}

/**
 * "a; b", or JSON if import would read other items in that: it takes a lone text with a
 * comma for two labels.
 */
function listed(items: readonly unknown[]): string {
  const [first, ...more] = items;
  if (first === undefined) return '';
  const hasComma = more.length === 0 && typeof first === 'string' && first.includes(',');
  return items.every(isPlain) && !hasComma ? items.join('; ') : JSON.stringify(items);
}

function isPlain(item: unknown): boolean {
  return (
    typeof item === 'string' &&
    item !== '' &&
    item.trim() === item &&
    !/^[[{]|[;\r\n]/.test(item)
  );
}
