/**
 * The kinds of fields of a record. Each has a zod schema, and facts from which the
 * program derives its form in SQLite and CSV, its rounding in responses, and its API
 * description.
 */
import * as z from 'zod';
import { nameAt } from '../pictures/kept-pictures.ts';
import { once } from './once.ts';
import {
  fieldProblems,
  LONGEST_NAME,
  LONGEST_VALUE,
  MOST_FIELDS,
  type TraderFields,
} from './trader-fields.ts';

export type Kind =
  | 'text'
  | 'instant'
  | 'date'
  | 'number'
  | 'integer'
  | 'money'
  | 'ratio'
  | 'flag'
  | 'json';

/**
 * The kind of data that a field reveals, which a key may hide: amounts and sizes; the
 * trader's texts; a label; a symbol; a price; an id; or nothing.
 */
export type Reveals = 'money' | 'text' | 'label' | 'symbol' | 'price' | 'id' | 'nothing';

export interface Facts {
  kind: Kind;
  description: string;
  /**
   * Absent for objects and lists with members that have it. A key that hides anything
   * also hides other fields without it.
   */
  reveals?: Reveals;
  /**
   * Computed from other facts: included in responses, never imported, and rejected by
   * import if it differs.
   */
  derived?: boolean;
  /**
   * Value that import writes if a new record omits the field. A field without one is
   * required, unless it may be null.
   */
  fallback?: string | number | boolean | readonly unknown[] | TraderFields;
  /** A text of limited length in schema.sql. */
  isShort?: boolean;
  /** A text in which numbers of accounts are masked before it is written. */
  isMasked?: true;
  /** An identifier or a currency, which q doesn't search. */
  isCode?: true;
  /** The values of an enum. */
  values?: readonly string[];
  /** An enum that q searches, too. */
  isSearched?: true;
  /** An address on the web, or of a kept picture. */
  isAddress?: true;
  /**
   * Written by a person: making trades and groups from fills again leaves it as it is. If
   * imports write it, too, they do until a person has.
   */
  isOfPerson?: true | 'too';
  /** An object whose members the trader names. */
  isNamed?: true;
}

const registry = z.registry<Facts>();

/** Describes a schema that was created for this field only. */
function field<S extends z.ZodType>(schema: S, facts: Facts): S {
  // Its meta() would copy each schema, which is half of the declarations' cost at the
  // start.
  z.globalRegistry.add(schema, { description: facts.description });
  registry.add(schema, facts);
  return schema;
}

/**
 * The field itself with other facts: each is created for one record, and a clone would
 * cost as much as a field.
 */
function changed<S extends z.ZodType>(schema: S, facts: Partial<Facts>): S {
  registry.add(schema, { ...factsOf(schema), ...facts });
  return schema;
}

/** The field with another kind of revealed data. */
export const revealing = <S extends z.ZodType>(reveals: Reveals, schema: S) =>
  changed(schema, { reveals });

/** Facts of a schema, if it was created here. */
export const factsIfAny = (schema: z.core.$ZodType): Facts | undefined =>
  registry.get(schema);

/** Facts of a field that was created here. */
export function factsOf(schema: z.core.$ZodType): Facts {
  const facts = registry.get(schema);
  if (!facts) throw new Error('a record field was not created by fields.ts');
  return facts;
}

export function orNull<S extends z.ZodType>(schema: S): z.ZodNullable<S> {
  return field(schema.nullable(), factsOf(schema));
}

/** A member that only some items have. */
export function optional<S extends z.ZodType>(schema: S): z.ZodOptional<S> {
  return field(schema.optional(), factsOf(schema));
}

/** A field of a trade or group that a person writes, not the platform's file. */
export const byPerson = <S extends z.ZodType>(schema: S) =>
  changed(schema, { isOfPerson: true });

/** A field of a group that imports write, too, until a person does. */
export const byPersonToo = <S extends z.ZodType>(schema: S) =>
  changed(schema, { isOfPerson: 'too' });

export const searched = <S extends z.ZodType>(schema: S) =>
  changed(schema, { isSearched: true });

export const derived = <S extends z.ZodType>(schema: S) =>
  changed(schema, { derived: true });

export const withDefault = <S extends z.ZodType>(
  schema: S,
  fallback: NonNullable<Facts['fallback']>,
) => changed(schema, { fallback });

export const ID_PATTERN = /^[A-Za-z0-9._:~-]{1,128}$/;

/** Clients change the addresses /v1/trades/. and /v1/trades/.. */
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

/** The trader's text, of any length. */
export const text = (description: string) =>
  field(z.string(), { kind: 'text', description, reveals: 'text' });

/** A text of limited length, in which numbers of accounts are masked. */
export const maskedText = (most: number, description: string) =>
  field(z.string().max(most), {
    kind: 'text',
    description,
    isShort: true,
    isMasked: true,
    reveals: 'text',
  });

/** Texts of bookings that are longer are refused or cut before this matters. */
const MOST_MASKED = 4000;

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/gi;

/** A text without IBANs and runs of 6 or more digits: numbers of accounts and cards. */
export function maskNumbers(text: string): string {
  if (text.length > MOST_MASKED) return text;

  const withoutIbans = text.replace(IBAN, (found) =>
    found.replace(/\D/g, '').length >= 8 ? MASK : found,
  );
  return withoutIbans.replace(/\d{6,}/g, MASK);
}

const MASK = '****';

/** The trader's name for a setup, an account or a rule. */
export const label = (description: string) => revealing('label', text(description));

/** A text of the program itself. */
export const ours = (description: string) => revealing('nothing', text(description));

export const symbol = (description: string) =>
  field(z.string().min(1).max(64), {
    kind: 'text',
    description,
    isShort: true,
    reveals: 'symbol',
  });

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

export const choice = <const T extends readonly [string, ...string[]]>(
  values: T,
  description: string,
) =>
  field(z.enum(values), {
    kind: 'text',
    description,
    values,
    isShort: true,
    reveals: 'nothing',
  });

/** Years with four digits in every time zone. */
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

/**
 * The day on which a contract expires. Some platforms write 9999-12-31 if it never does.
 */
export const expiration = (description: string) =>
  field(
    z.iso.date().refine((text) => text >= '0001', 'must be in the years 0001 to 9999'),
    {
      kind: 'date',
      reveals: 'price',
      description: `${description} (a day in the user's time zone)`,
    },
  );

export const number = (description: string) =>
  field(z.number(), { kind: 'number', description });

/** A price, or another number that reveals the instrument. */
export const price = (description: string) => revealing('price', number(description));

/** A quantity, which reveals as much as money. */
export const quantity = (description: string) =>
  revealing('money', positive(description));

/** A number that isn't an amount. */
export const plain = (description: string) => revealing('nothing', number(description));

export const positive = (description: string) =>
  field(z.number().positive(), { kind: 'number', description });

export const notNegative = (description: string) =>
  field(z.number().nonnegative(), { kind: 'number', description });

/** Money has 8 decimals. */
export const LEAST_MONEY = 1e-8;

/**
 * Money in the currency that the description names; rounded to 8 decimals in responses.
 */
export const money = (description: string) =>
  field(z.number(), { kind: 'money', description, reveals: 'money' });

/** An amount of money that moves, in either direction. */
export const amount = (description: string) =>
  field(
    z.number().refine((value) => value !== 0, 'must not be 0'),
    { kind: 'money', description, reveals: 'money' },
  );

export const cost = (description: string) =>
  field(z.number().nonnegative(), { kind: 'money', description, reveals: 'money' });

/** The divisor of R: at least the smallest amount of money. */
export const risk = (description: string) =>
  field(z.number().min(LEAST_MONEY), { kind: 'money', description, reveals: 'money' });

/** The factor that converts an amount into another currency. */
export const rate = (description: string) =>
  field(z.number().min(1e-12), { kind: 'number', description, reveals: 'nothing' });

/** An R multiple or a share of 1; rounded to 6 decimals in responses. */
export const ratio = (description: string) =>
  field(z.number(), { kind: 'ratio', description, reveals: 'nothing' });

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

const PICTURE_ADDRESS_RULE =
  'must be a web address that begins with http:// or https://, or that of a kept picture, ' +
  'such as /v1/attachments/<sha256>.png';

/**
 * A link that is safe to follow, http and https only, or the address of a kept picture.
 */
export function pictureAddress(description: string): z.ZodString {
  const schema = z.string().refine(isPictureAddress, PICTURE_ADDRESS_RULE);
  field(schema, { kind: 'text', description, reveals: 'text', isAddress: true });
  z.globalRegistry.add(schema, { description, format: 'uri-reference' });
  return schema;
}

const WEB_ADDRESS = once(() => z.url({ protocol: /^https?$/ }));

function isPictureAddress(text: string): boolean {
  return nameAt(text) !== undefined || WEB_ADDRESS().safeParse(text).success;
}

export const flag = (description: string) =>
  field(z.boolean(), { kind: 'flag', description, reveals: 'nothing' });

/** Texts; labels by default. */
export const strings = (description: string, reveals: Reveals = 'label') =>
  withDefault(field(z.array(z.string()), { kind: 'json', description, reveals }), []);

export const list = <S extends z.ZodType>(item: S, description: string) =>
  withDefault(field(z.array(item), { kind: 'json', description }), []);

/** Lower and upper bound of numbers. */
export const interval = (description: string, reveals: Reveals = 'nothing') =>
  field(z.array(z.number()).length(2), { kind: 'json', description, reveals });

const NOTHING = z.never();

/**
 * A record, whose fields are created at the first use of one of them: creating the fields
 * of all records and figures takes as long as Node's own start.
 * @param others the schema of fields with other names; by default, there are none
 */
export function record<S extends z.ZodRawShape>(
  fields: () => S,
  others: z.core.$ZodType = NOTHING,
): z.ZodObject<S, z.core.$strict> {
  const shape = once(fields);
  const def = {
    type: 'object' as const,
    get shape() {
      return shape();
    },
    catchall: others,
  };
  return new z.ZodObject(def) as z.ZodObject<S, z.core.$strict>;
}

/**
 * An object stored as JSON text. Missing members are null, or an empty list if they are
 * lists.
 */
export const object = <S extends z.ZodRawShape>(
  members: S | (() => S),
  description: string,
) =>
  field(typeof members === 'function' ? record(members) : z.strictObject(members), {
    kind: 'json',
    description,
  });

/** A value of such a field. */
export const traderValue = (description: string) =>
  field(z.union([z.number(), z.string()]), {
    kind: 'text',
    description,
    reveals: 'text',
  });

/** Fields that the trader names, by name: see trader-fields.ts. */
export const traderFields = (of: string) => {
  const schema = z.unknown().superRefine((value, context) => {
    for (const { name, message } of fieldProblems(value))
      context.addIssue({
        code: 'custom',
        message,
        path: name === undefined ? [] : [name],
      });
  }) as unknown as z.ZodType<TraderFields>;
  const description =
    `Fields of the trader's own, of ${of}: numbers and texts of at most ${LONGEST_VALUE} ` +
    `characters by name; at most ${MOST_FIELDS} names of ${LONGEST_NAME} letters, digits, _ and -, ` +
    'in small letters';

  field(schema, {
    kind: 'json',
    description,
    reveals: 'text',
    fallback: {},
    isNamed: true,
  });
  z.globalRegistry.add(schema, {
    description,
    type: 'object',
    additionalProperties: { type: ['number', 'string'] },
  });
  return schema;
};

/**
 * The schema of fields with other names than those of a record; undefined if there are
 * none.
 */
export const othersOf = ({ def }: z.ZodObject): z.core.$ZodType | undefined =>
  def.catchall === NOTHING || def.catchall instanceof z.ZodNever
    ? undefined
    : def.catchall;

/** Whether the members of a field are named by the trader. */
export const isNamed = (schema: z.core.$ZodType) =>
  registry.get(schema)?.isNamed === true;

/** How a list, or fields by name, is stored when empty; undefined for any other field. */
export function emptyJsonOf(schema: z.core.$ZodType): '[]' | '{}' | undefined {
  if (isNamed(schema)) return '{}';
  return schema instanceof z.ZodArray ? '[]' : undefined;
}

/** An item of a list. */
export const item = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape);
