/** The order of a list: by one field, ties settled by the tie-breaks, all in one direction; records without a value come last. */
import * as z from 'zod';
import { type Bindable, NUMBER, type Row, TEXT } from '../sqlite/reader.ts';
import type { ListResource } from './resource.ts';
import type { Where } from './where.ts';

/** Position of a record in a list: the ordering field, then its tie-breaks. */
export type ListPosition = readonly (string | number | null)[];

export interface Order {
  field: string;
  tieBreak: readonly string[];
  isDescending: boolean;
  isNullable: boolean;
}

export function orderOf({ record, tieBreak }: ListResource, field: string, isDescending: boolean): Order {
  return { field, tieBreak, isDescending, isNullable: record.shape[field] instanceof z.ZodNullable };
}

/** The columns of a position. */
export function keysetOf({ field, tieBreak }: Order): string[] {
  return [field, ...tieBreak];
}

export function listPositionOf(row: Row, order: Order): ListPosition {
  return keysetOf(order).map((column) => row[column] as string | number | null);
}

/** ORDER BY in the form of an index: columns of the source t, not the expressions that a statement selects. */
export function orderSql(order: Order): string {
  const direction = order.isDescending ? 'DESC' : 'ASC';
  return keysetOf(order)
    .map((column) => `t.${column} ${direction}`)
    .join(', ');
}

/** The same, with records without a value last. */
export function sortSql(order: Order): string {
  return `t.${order.field} IS NULL, ${orderSql(order)}`;
}

/** Only records after a position, in any order. Uses no index. */
export function addAfter(where: Where, { field, tieBreak, isDescending }: Order, [value, ...ties]: ListPosition): void {
  const sign = isDescending ? '<' : '>';
  const beyond = `(${tieBreak.join(', ')}) ${sign} (${tieBreak.map(() => TEXT).join(', ')})`;
  if (value === null || value === undefined) return where.add(`${field} IS NULL AND ${beyond}`, ...ties);
  const bound = typeof value === 'number' ? NUMBER : TEXT;
  const values: Bindable[] = [value, value, ...ties];
  where.add(`(${field} ${sign} ${bound} OR (${field} = ${bound} AND ${beyond}) OR ${field} IS NULL)`, ...values);
}

/** Compares rows like sortSql. */
export function comparison({ field, tieBreak, isDescending }: Order): (a: Row, b: Row) => number {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    for (const column of [field, ...tieBreak]) {
      const [x, y] = [a[column] as string | number | null, b[column] as string | number | null];
      if (x === y) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      return x < y ? -sign : sign;
    }
    return 0;
  };
}

/** Whether an index has the list in the order of a field. */
export function isIndexedOrder({ orderBy, dateFields }: ListResource, field: string): boolean {
  return field === orderBy || dateFields?.includes(field) === true;
}
