/** Text that other programs wrote, and import refuses, since not every program could give it back as it came. */
import type { Row } from '../sqlite/reader.ts';

/** What JSON writes where a text holds a NUL, or half a character. */
const SUSPECT = /\\u(0000|d[89a-f])/;

/** @returns the record itself where all its texts can be imported; else one without NULs and half characters */
export function storable(record: Row): Row {
  return SUSPECT.test(JSON.stringify(record)) ? (clean(record) as Row) : record;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, clean(own)]));
}
