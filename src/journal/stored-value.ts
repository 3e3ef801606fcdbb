/** Reads stored values, with one error for invalid ones, for example if a disk has changed bytes of the file. */

import * as z from 'zod';
import { FileUnavailable } from '../sqlite/errors.ts';
import { fromInstantText } from '../time.ts';

// Links by RFC 3986: the address that a browser opens for a text such as https://example.com/ä b.

const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
const HOST = '[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]';
const VALID = new RegExp(
  `^https?://(?:(?:${CHARACTER})*@)?(?:${HOST})(?::\\d*)?(?:/(?:${CHARACTER}|/)*)?(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?$`,
);

/** The text if it is a valid http or https address, else the address that a browser makes of it; undefined if none. */
export function webAddressOf(text: string): string | undefined {
  if (VALID.test(text)) return URL.canParse(text) ? text : undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash } = new URL(text);
  // Characters that a browser keeps, although they aren't allowed there.
  const escaped = (part: string) => part.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/g, encodeURIComponent);
  const address = `${origin}${escaped(pathname)}${escaped(search)}${hash && `#${escaped(hash.slice(1))}`}`;
  return VALID.test(address) ? address : undefined;
}

export class DamagedRecord extends FileUnavailable {
  override name = 'DamagedRecord';

  constructor(cause?: unknown) {
    super('the journal is damaged; run "journal-api check" for details, and restore a backup', { cause });
  }
}

/** @throws DamagedRecord if it isn't a list or object in JSON */
export function parseStored(text: unknown): unknown {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw new DamagedRecord();
  return value;
}

/** @throws DamagedRecord if it isn't a list in JSON */
export function storedList(text: unknown): unknown[] {
  const value = parsed(text);
  if (!Array.isArray(value)) throw new DamagedRecord();
  return value;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch (error) {
    throw new DamagedRecord(error);
  }
}

/** @throws DamagedRecord if it isn't a finite number */
export function storedNumber(value: unknown): number {
  if (!Number.isFinite(value)) throw new DamagedRecord();
  return value as number;
}

/** @throws DamagedRecord if it isn't a text */
export function storedText(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedRecord();
  return value;
}

/** Epoch milliseconds. @throws DamagedRecord if it isn't an instant */
export function storedInstant(text: unknown): number {
  return storedNumber(fromInstantText(storedText(text)));
}

// Lists and objects that any program may have written as JSON. The journal checks only that they are lists and objects. Invalid
// members are omitted, so that one of them doesn't fail a whole page; `check` names them.

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
