/** Writes the records of notes: reports and skips what is invalid. */
import { type Problem, RowError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import type { GivenRecord, Values } from '../journal-write/record.ts';
import type { Change, RecordWriter } from '../journal-write/record-writer.ts';
import type { Said } from '../statements/line.ts';
import type { StatedRecord } from './note.ts';

/**
 * Writes a record; reports and skips invalid fields. @returns undefined if nothing is left of it
 */
export function putNoted(
  writer: RecordWriter,
  resource: ListResource,
  { file = '', line, values, defaults = {}, lines = {} }: StatedRecord,
  problems: Problem[],
  isSaid: (given: GivenRecord, said: Said) => boolean,
): Change | undefined {
  const left = { ...values };
  for (;;) {
    try {
      const stored = writer.find(left['id'] as string)?.record;
      const made = stored ? left : { ...defaults, ...left };
      const row = nested(made, stored);
      const said = { names: Object.keys(left).filter((name) => name !== 'id'), defaults };
      return isSaid(writer.normalised(row), said) ? 'unchanged' : writer.put(row);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      for (const one of [error, ...error.others]) {
        const name = nameIn(left, one.field);
        problems.push({
          file,
          line: name === undefined ? line : (lines[name] ?? line),
          message: one.message,
        });
        if (name === undefined) return undefined;
        delete left[name];
      }
      if (Object.keys(left).length === 1 && resource === trades) return undefined;
    }
  }
}

/**
 * The given name of an error's field: "review.rating" is given as such, "goals[0].text" as goals.
 */
function nameIn(values: Values, field: string | null): string | undefined {
  const names = field === null ? [] : [field, field.split(/[.[]/)[0] as string];
  return names.find((name) => Object.hasOwn(values, name) && name !== 'id');
}

/**
 * A record with fields put into their objects: market_context.bias leaves the object's other
 * members unchanged.
 */
export function nested(flat: Values, stored: Values | undefined): Values {
  const record: Values = {};
  for (const [name, value] of Object.entries(flat)) {
    const [field = '', member] = name.split('.');
    if (member !== undefined)
      record[field] = { ...((record[field] ?? stored?.[field]) as Values), [member]: value };
    else record[name] = name === 'attachments' ? withStored(value, stored?.[name]) : value;
  }
  return record;
}

/** The value of a field, or of a member such as review.lesson. */
export function memberOf(record: Values, name: string): unknown {
  const [field = '', member] = name.split('.');
  return member === undefined
    ? record[field]
    : (record[field] as Values | null | undefined)?.[member];
}

function withStored(given: unknown, stored: unknown): unknown {
  const before = (stored ?? []) as { url: string }[];
  const known = new Set(before.map(({ url }) => url));
  return before.concat((given as { url: string }[]).filter(({ url }) => !known.has(url)));
}
