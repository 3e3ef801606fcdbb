/** Cleans texts of other programs that import rejects, because not every program could preserve them. */
import type { Row } from '../sqlite/reader.ts';

/** JSON of a text with a NUL or an unpaired surrogate. */
const SUSPECT = /\\u(0000|d[89a-f])/;

/** @returns the record itself if all its texts can be imported; else one without NULs and unpaired surrogates */
export function storable(record: Row): Row {
  return SUSPECT.test(JSON.stringify(record)) ? (clean(record) as Row) : record;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, clean(own)]));
}
