/**
 * Lists and objects that any program may have written as JSON. The journal checks only that they are lists and objects. Invalid
 * members are omitted, so that one of them doesn't fail a whole page; `check` names them.
 */
import * as z from 'zod';
import { webAddressOf } from './web-address.ts';

/** @returns the valid part of a value; undefined if none */
type Read = (value: unknown) => unknown;

/** @param schema a list or an object, nullable or not */
export function storedJson(schema: z.ZodType): Read {
  if (schema instanceof z.ZodNullable) {
    const read = storedJson(schema.unwrap() as z.ZodType);
    return (value) => read(value) ?? null;
  }
  if (schema instanceof z.ZodArray) {
    const read = storedJson(schema.element as z.ZodType);
    return (value) => (Array.isArray(value) ? value.map(read).filter((item) => item !== undefined) : []);
  }
  if (schema instanceof z.ZodObject) return objectReader(schema);
  if (schema instanceof z.ZodURL) return (value) => (typeof value === 'string' ? webAddressOf(value) : undefined);
  return (value) => (schema.safeParse(value).success ? value : undefined);
}

function objectReader(schema: z.ZodObject): Read {
  const members = Object.entries(schema.shape).map(
    ([name, member]) => [name, storedJson(member as z.ZodType)] as const,
  );
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const record: Record<string, unknown> = {};
    for (const [name, read] of members) {
      const own = read(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
      if (own === undefined) return undefined;
      record[name] = own;
    }
    return record;
  };
}
