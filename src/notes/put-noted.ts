/** Writes the records of notes: reports and skips what is invalid. */
import { type Problem, RowError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { tradeGroups, trades } from '../journal/resources/trades.ts';
import type { GivenRecord, Values } from '../journal-write/record.ts';
import type { Change, RecordWriter } from '../journal-write/record-writer.ts';
import type { Said } from '../statements/line.ts';
import type { StatedRecord } from './note.ts';

/** Whether the former version of a note states the same of a record. */
type IsSaid = (given: GivenRecord, said: Said) => boolean;

/**
 * Writes a record; reports and skips invalid fields.
 * @returns undefined if nothing is left of it
 */
export function putNoted(
  writer: RecordWriter,
  resource: ListResource,
  record: StatedRecord,
  problems: Problem[],
  isSaid: IsSaid,
): Change | undefined {
  const left = { ...record.values };
  for (;;) {
    try {
      return put(writer, { ...record, values: left }, isSaid);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;

      const isWhole = !withoutInvalid(left, error, record, problems);
      const isEmpty =
        Object.keys(left).length === 1 &&
        (resource === trades || resource === tradeGroups);
      if (isWhole || isEmpty) return undefined;
    }
  }
}

function put(
  writer: RecordWriter,
  { values, defaults = {} }: StatedRecord,
  isSaid: IsSaid,
): Change {
  const stored = writer.find(values['id'] as string)?.record;
  const row = nested(stored ? values : { ...defaults, ...values }, stored);
  const names = Object.keys(values).filter((name) => name !== 'id');
  return isSaid(writer.normalised(row), { names, defaults })
    ? 'unchanged'
    : writer.put(row);
}

/**
 * Reports the errors of fields, and removes these.
 * @returns false if one is an error of the whole record
 */
function withoutInvalid(
  values: Values,
  error: RowError,
  { file = '', line, lines = {} }: StatedRecord,
  problems: Problem[],
): boolean {
  for (const { field, message } of [error, ...error.others]) {
    const name = nameIn(values, field);
    problems.push({
      file,
      line: (name === undefined ? undefined : lines[name]) ?? line,
      message,
    });
    if (name === undefined) return false;
    delete values[name];
  }
  return true;
}

/**
 * The given name of an error's field: "review.rating" is given as such, "goals[0].text"
 * as goals.
 */
function nameIn(values: Values, field: string | null): string | undefined {
  const names = field === null ? [] : [field, field.split(/[.[]/)[0] as string];
  return names.find((name) => Object.hasOwn(values, name) && name !== 'id');
}

/**
 * A record with fields put into their objects: market_context.bias leaves the object's
 * other members unchanged.
 */
export function nested(flat: Values, stored: Values | undefined): Values {
  const record: Values = {};
  for (const [name, value] of Object.entries(flat)) {
    const [field = '', member] = name.split('.');
    if (member !== undefined)
      record[field] = {
        ...((record[field] ?? stored?.[field]) as Values),
        [member]: value,
      };
    else record[name] = value;
  }

  return record;
}

/** The value of a field, or of a member such as review.lesson. */
export function memberOf(record: Values, name: string): unknown {
  const [field = '', member] = name.split('.');
  if (member === undefined) return record[field];

  const object = record[field] as Values | null | undefined;
  return object && Object.hasOwn(object, member) ? object[member] : undefined;
}
