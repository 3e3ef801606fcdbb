/**
 * Lists and objects that any program may have written as JSON: the journal's own checks see to it that they are lists and objects,
 * and no more. What a record can't hold is left out, so that one odd member costs no whole page; `check` names it.
 */
import * as z from 'zod';
import { webAddressOf } from './web-address.ts';

/** @returns what the record can hold of a value; undefined where that is nothing */
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
