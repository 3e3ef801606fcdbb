/** From a row of SQLite to a record of the API: JSON text to lists and objects, 0 and 1 to booleans, money rounded. */
import type * as z from 'zod';
import { moneyOrNull, ratioOrNull } from '../money.ts';
import type { Row } from '../sqlite/reader.ts';
import { factsOf } from './fields.ts';

type Convert = (value: never) => unknown;

/** What a stored value stands for, by the kind of its field; kinds that aren't here are stored as they are. */
export const FROM_SQL: Partial<Record<string, Convert>> = {
  json: (value: string | null) => (value === null ? null : JSON.parse(value)),
  flag: (value: number | null) => (value === null ? null : value === 1),
};

const CONVERT: typeof FROM_SQL = {
  ...FROM_SQL,
  money: moneyOrNull,
  ratio: ratioOrNull,
};

/** A reader of rows for one kind of record: the columns to select, and what turns a row into the record. */
export interface RecordShape {
  columns: string;
  toRecord: (row: Row) => Row;
}

/** @param without fields that are no columns: the caller adds them. */
export function recordShape(record: z.ZodObject, without: readonly string[] = []): RecordShape {
  const names = Object.keys(record.shape).filter((name) => !without.includes(name));
  const conversions: [string, Convert][] = [];
  for (const name of names) {
    const convert = CONVERT[factsOf(record.shape[name] as z.ZodType).kind];
    if (convert) conversions.push([name, convert]);
  }
  return {
    columns: names.join(', '),
    toRecord(row) {
      for (const [name, convert] of conversions) row[name] = convert(row[name] as never);
      return row;
    },
  };
}
