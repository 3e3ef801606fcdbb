/**
 * Normalises values: instants in UTC with milliseconds, money and ratios rounded as in the API, objects with all members in the
 * declared order. Equal values written differently are then recognised as equal.
 */
import * as z from 'zod';
import { factsOf, type Kind, YEARS } from '../journal/fields.ts';
import { webAddressOf } from '../journal/web-address.ts';
import { roundMoney, roundRatio } from '../money.ts';
import { lacksOffset, parseInstant, parseLocal, toInstantText } from '../time.ts';
import { quote, RowError } from './row-error.ts';

/**
 * @param timeZone for times without an offset; undefined: they are rejected
 * @param path for error messages
 */
type Normalise = (value: unknown, timeZone: string | undefined, path: string) => unknown;

const CANONICAL_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The function that normalises a field's values; undefined if none is needed. Wrong types pass unchanged. */
export function normaliserOf(schema: z.ZodType): Normalise | undefined {
  if (schema instanceof z.ZodNullable) return normaliserOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return listNormaliser(schema.element as z.ZodType);
  if (schema instanceof z.ZodObject) return objectNormaliser(schema);
  if (schema instanceof z.ZodURL) return webAddress;
  // Members of a list of strings aren't fields.
  return schema instanceof z.ZodString ? storable : BY_KIND[factsOf(schema).kind];
}

const BY_KIND: Partial<Record<Kind, Normalise>> = {
  instant: instantText,
  money: (value) => (Number.isFinite(value) ? roundMoney(value as number) : value),
  ratio: (value) => (Number.isFinite(value) ? roundRatio(value as number) : value),
  number: withoutNegativeZero,
  integer: withoutNegativeZero,
  text: storable,
};

function instantText(value: unknown, timeZone: string | undefined, path: string): unknown {
  if (typeof value !== 'string' || CANONICAL_INSTANT.test(value)) return value;
  if (lacksOffset(value)) {
    if (timeZone === undefined) {
      throw new RowError(
        path,
        `needs an offset, as in ${value}Z or ${value}-05:00; or pass the file's time zone with --timezone`,
      );
    }
    return canonical(parseLocal(value, timeZone), value, path);
  }
  return canonical(parseInstant(value), value, path);
}

/** The instant's text; an invalid time passes unchanged, so that the check quotes it. */
function canonical(instant: number | undefined, value: string, path: string): string {
  if (instant === undefined) return value;
  const text = toInstantText(instant);
  if (CANONICAL_INSTANT.test(text)) return text;
  throw new RowError(path, `${YEARS}; got ${quote(value)}`);
}

function withoutNegativeZero(value: unknown): unknown {
  return value === 0 ? 0 : value;
}

/** Text unchanged, unless SQLite couldn't return it as it is. */
export function storable(value: unknown, _timeZone: string | undefined, path: string): unknown {
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) {
    throw new RowError(path, 'must be text without NUL characters or halves of characters');
  }
  return value;
}

function webAddress(value: unknown, timeZone: string | undefined, path: string): unknown {
  const text = storable(value, timeZone, path);
  return typeof text === 'string' ? (webAddressOf(text) ?? text) : text;
}

function listNormaliser(element: z.ZodType): Normalise | undefined {
  const each = normaliserOf(element);
  return (
    each &&
    ((value, timeZone, path) =>
      Array.isArray(value) ? value.map((item, index) => each(item, timeZone, `${path}[${index}]`)) : value)
  );
}

/** Omitted members become null, or an empty list for lists. */
function objectNormaliser(schema: z.ZodObject): Normalise {
  const members = Object.entries(schema.shape).map(([name, member]) => ({
    name,
    nullable: member instanceof z.ZodNullable,
    fallback: factsOf(member as z.ZodType).fallback,
    normalise: normaliserOf(member as z.ZodType),
  }));
  return (value, timeZone, path) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const given = value as Record<string, unknown>;
    const whole: Record<string, unknown> = {};
    for (const { name, nullable, fallback, normalise } of members) {
      const own = Object.hasOwn(given, name) ? given[name] : undefined;
      if (own === undefined) {
        if (fallback !== undefined) whole[name] = fallback;
        else if (nullable) whole[name] = null;
      } else {
        whole[name] = normalise ? normalise(own, timeZone, `${path}.${name}`) : own;
      }
    }
    // Unknown members are kept for the check. Object.fromEntries, since assigning __proto__ would hide it.
    const unknown = Object.entries(given).filter(([name]) => !Object.hasOwn(whole, name));
    return unknown.length === 0 ? whole : Object.fromEntries([...Object.entries(whole), ...unknown]);
  };
}
