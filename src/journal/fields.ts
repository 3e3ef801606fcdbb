/**
 * The kinds of field a record is made of. Each carries, beside its zod schema, what the rest of the program derives from
 * it: how SQLite stores it, how CSV writes it, how it is rounded on its way out, and what the API description says.
 */
import * as z from 'zod';

export type Kind = 'text' | 'instant' | 'date' | 'number' | 'integer' | 'money' | 'ratio' | 'flag' | 'json';

/**
 * What a field shows of a journal, which a key may hide: amounts and sizes; what people wrote; a label; what is traded, or a price of it; an id;
 * or nothing of these.
 */
export type Reveals = 'money' | 'text' | 'label' | 'symbol' | 'price' | 'id' | 'nothing';

export interface Facts {
  kind: Kind;
  description: string;
  /** Not there of objects and lists whose members have it; of any other field without it, a key that hides anything shows nothing. */
  reveals?: Reveals;
  /** Follows from other facts: given, never taken from a file, and refused on import where it disagrees. */
  derived?: boolean;
  /** What import writes where a new record leaves the field out; a field without one is required, unless it may be null. */
  fallback?: string | number | readonly unknown[];
  /** A text that schema.sql keeps short. */
  isShort?: boolean;
  /** An identifier or a currency: nothing to look for words in. */
  isCode?: true;
  /** The values of an enum. */
  values?: readonly string[];
}

const registry = z.registry<Facts>();

/** Describes a schema that was made for this field alone. */
function field<S extends z.ZodType>(schema: S, facts: Facts): S {
  // Its meta() would make a copy of each, which is half of what the declarations cost at the start.
  z.globalRegistry.add(schema, { description: facts.description });
  registry.add(schema, facts as never);
  return schema;
}

/** The same field, which shows something else of a journal than such fields do. */
export function revealing<S extends z.ZodType>(reveals: Reveals, schema: S): S {
  return field(schema.clone() as S, { ...factsOf(schema), reveals });
}

/** What a schema says of itself if it was made here. */
export const factsIfAny = (schema: z.ZodType): Facts | undefined => registry.get(schema);

/** What a field made here says of itself. */
export function factsOf(schema: z.ZodType): Facts {
  const facts = registry.get(schema);
  if (!facts) throw new Error('a record field was not made by fields.ts');
  return facts;
}

export function orNull<S extends z.ZodType>(schema: S): z.ZodNullable<S> {
  return field(schema.nullable(), factsOf(schema));
}

export function derived<S extends z.ZodType>(schema: S): S {
  return field(schema.clone() as S, { ...factsOf(schema), derived: true });
}

export function withDefault<S extends z.ZodType>(schema: S, fallback: NonNullable<Facts['fallback']>): S {
  return field(schema.clone() as S, { ...factsOf(schema), fallback });
}

export const ID_PATTERN = /^[A-Za-z0-9._:~-]{1,128}$/;

/** Clients make another address of /v1/trades/. and /v1/trades/.. */
const isNoFolder = (id: string) => id !== '.' && id !== '..';

export const isId = (text: string) => ID_PATTERN.test(text) && isNoFolder(text);

export const CURRENCY_PATTERN = /^[A-Z0-9]{2,10}$/;

export const id = (description: string) =>
  field(z.string().regex(ID_PATTERN).refine(isNoFolder, 'must not be . or ..'), {
    kind: 'text',
    description,
    isShort: true,
    isCode: true,
    reveals: 'id',
  });

/** What people write, at any length. */
export const text = (description: string) => field(z.string(), { kind: 'text', description, reveals: 'text' });

/** What people call something: a setup, an account, a rule. */
export const label = (description: string) => revealing('label', text(description));

/** A text that is the program's own. */
export const ours = (description: string) => revealing('nothing', text(description));

export const symbol = (description: string) =>
  field(z.string().min(1).max(64), { kind: 'text', description, isShort: true, reveals: 'symbol' });

/** A symbol of any length. */
export const underlying = (description: string) => revealing('symbol', text(description));

export const currency = (description: string) =>
  field(z.string().regex(CURRENCY_PATTERN), {
    kind: 'text',
    description,
    isShort: true,
    isCode: true,
    reveals: 'nothing',
  });

export const choice = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  field(z.enum(values), { kind: 'text', description, values, isShort: true, reveals: 'nothing' });

/** Years that have four digits in every time zone. */
const isUsualYear = (text: string) => text >= '0001' && text < '9999';
export const YEARS = 'must be in the years 0001 to 9998';

/** A point in time: RFC 3339 in UTC with milliseconds. */
export const instant = (description: string) =>
  field(z.iso.datetime({ precision: 3 }).refine(isUsualYear, YEARS), {
    kind: 'instant',
    reveals: 'nothing',
    description: `${description} (UTC, milliseconds)`,
  });

/** A calendar day in the user's time zone. */
export const date = (description: string) =>
  field(z.iso.date().refine(isUsualYear, YEARS), {
    kind: 'date',
    reveals: 'nothing',
    description: `${description} (a day in the user's time zone)`,
  });

/** The day on which a contract ends. 9999-12-31 is what some write where it never does. */
export const expiration = (description: string) =>
  field(
    z.iso.date().refine((text) => text >= '0001', 'must be in the years 0001 to 9999'),
    { kind: 'date', reveals: 'price', description: `${description} (a day in the user's time zone)` },
  );

export const number = (description: string) => field(z.number(), { kind: 'number', description });

/** A price, or another number that names what is traded. */
export const price = (description: string) => revealing('price', number(description));

/** How much is traded: as good as money. */
export const quantity = (description: string) => revealing('money', positive(description));

/** A number that is no amount. */
export const plain = (description: string) => revealing('nothing', number(description));

export const positive = (description: string) => field(z.number().positive(), { kind: 'number', description });

export const notNegative = (description: string) => field(z.number().nonnegative(), { kind: 'number', description });

/** Money has 8 decimals. */
export const LEAST_MONEY = 1e-8;

/** Money in the currency that the description names; rounded to 8 decimals on its way out. */
export const money = (description: string) => field(z.number(), { kind: 'money', description, reveals: 'money' });

export const cost = (description: string) =>
  field(z.number().nonnegative(), { kind: 'money', description, reveals: 'money' });

/** What R divides by: the least amount of money that there is, and up. */
export const risk = (description: string) =>
  field(z.number().min(LEAST_MONEY), { kind: 'money', description, reveals: 'money' });

/** What an amount is multiplied by for another currency. */
export const rate = (description: string) =>
  field(z.number().min(1e-12), { kind: 'number', description, reveals: 'nothing' });

/** An R multiple or a share of 1; rounded to 6 decimals on its way out. */
export const ratio = (description: string) => field(z.number(), { kind: 'ratio', description, reveals: 'nothing' });

export const count = (description: string) =>
  field(z.int().nonnegative(), { kind: 'integer', description, reveals: 'nothing' });

export const signedCount = (description: string) =>
  field(z.int(), { kind: 'integer', description, reveals: 'nothing' });

/** A whole number from 1 to 5. */
export const rating = (description: string) =>
  field(z.int().min(1).max(5), {
    kind: 'integer',
    description: `${description} (1 lowest, 5 highest)`,
    reveals: 'nothing',
  });

export const hours = (description: string) =>
  field(z.number().min(0).max(24), { kind: 'number', description, reveals: 'nothing' });

/** A link that a reader may follow: http and https only. */
export const webAddress = (description: string) =>
  field(z.url({ protocol: /^https?$/ }), { kind: 'text', description, reveals: 'text' });

export const flag = (description: string) => field(z.boolean(), { kind: 'flag', description, reveals: 'nothing' });

/** Texts; labels unless said otherwise. */
export const strings = (description: string, reveals: Reveals = 'label') =>
  withDefault(field(z.array(z.string()), { kind: 'json', description, reveals }), []);

export const list = <S extends z.ZodType>(item: S, description: string) =>
  withDefault(field(z.array(item), { kind: 'json', description }), []);

/** Two numbers that others lie between. */
export const interval = (description: string, reveals: Reveals = 'nothing') =>
  field(z.array(z.number()).length(2), { kind: 'json', description, reveals });

/** An object stored as JSON text. Members it doesn't mention are null, or an empty list where they are lists. */
export const object = <S extends z.ZodRawShape>(shape: S, description: string) =>
  field(z.strictObject(shape), { kind: 'json', description });

/** An item of a list. */
export const item = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape);
