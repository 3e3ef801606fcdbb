/** Schema of a mapping file. Generates the JSON Schema in docs/. */

import * as z from 'zod';
import { nearest, quote, UserError, valueAt } from '../../errors.ts';
import * as f from '../../journal/fields.ts';
import { factsOf } from '../../journal/fields.ts';
import { type ListResource, market } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { tradeJournals } from '../../journal/resources/journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import { fieldName, NAME_RULE } from '../../journal/trader-fields.ts';
import { isTimeZone } from '../../time.ts';
import { DATE_FORMATS } from '../tables/clock.ts';

// Targets of a mapping (fills or records) with their fields.

/** Fields of a fill. Amounts are in the row's currency. */
const FILL = z.strictObject({
  execution_id: f.orNull(
    f.text(
      "The platform's own id of the fill, unique within account, instrument and day",
    ),
  ),
  account: f.orNull(f.text('The account')),
  symbol: f.symbol("Ticker or contract in the platform's spelling"),
  market: market(),
  executed_at: f.instant('Time of the fill'),
  side: f.choice(
    ['buy', 'sell'],
    'Bought or sold; default: the sign of the quantity (above 0 is bought)',
  ),
  quantity: f.number('Quantity, of either sign'),
  price: f.number('Price per unit'),
  amount: f.orNull(
    f.money(
      'Total cost or proceeds without fees; the price is derived from it if no column has one',
    ),
  ),
  fees: f.money('All costs, as a positive number; several columns are added'),
  currency: f.currency("Currency of price and fees; default: the user's base currency"),
  fee_currency: f.orNull(
    f.currency(
      "Currency or coin of the fees, if it isn't always the price's: the traded coin, or another",
    ),
  ),
  multiplier: f.positive('Contract size: money per point and unit'),
  underlying: f.orNull(f.text('Underlying symbol of a derivative')),
  expiration: f.orNull(f.expiration('Expiration of an option or future')),
  strike: f.orNull(f.number('Strike price of an option')),
  option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
  effect: f.orNull(
    f.choice(['open', 'close'], 'Whether it opens or closes, if the file states it'),
  ),
  may_short: f.flag(
    'Whether an unmatched sell opens a short; default: true except for stock, options and crypto',
  ),
  gross_pnl: f.orNull(
    f.money("P&L before fees in the file; compared with the journal's, never stored"),
  ),
  net_pnl: f.orNull(
    f.money("P&L after fees in the file; compared with the journal's, never stored"),
  ),
});

/** Fields of a target besides those of its records. */
const MORE: Readonly<Record<string, z.ZodRawShape>> = {
  [trades.path]: {
    net_pnl: f.orNull(
      f.money(
        'P&L after fees; gross_pnl is derived from it if it has no column, else compared with it',
      ),
    ),
  },
  [tradeJournals.path]: {
    symbol: f.orNull(f.text("Symbol of the entry's trade, if there is no trade_id")),
    executed_at: f.orNull(f.instant('Entry time of that trade, or the start of its day')),
  },
};

export const FILLS = 'fills';

export interface MappingTarget {
  /** Its name in a mapping. */
  name: string;
  /** The resource of the imported records. */
  resource: ListResource;
  /**
   * By name in a mapping; members of objects have dotted names, such as review.lesson.
   */
  fields: ReadonlyMap<string, z.core.$ZodType>;
}

const ofResources = RESOURCES.filter(({ table }) => table !== null).map((resource) => ({
  name: resource.path,
  resource,
  fields: new Map([
    ...fieldsOf(resource.record.shape),
    ...fieldsOf(MORE[resource.path] ?? {}),
  ]),
}));

/**
 * In a draft: a question in place of a field's source, of `skip`, `dates`, `decimal` or
 * `target`.
 */
export const OPEN = '?';

/**
 * A row is a closed trade with target trades; with target fills, trades are built from
 * rows.
 */
const TARGETS: readonly MappingTarget[] = [
  { name: FILLS, resource: trades, fields: new Map(fieldsOf(FILL.shape)) },
  ...ofResources,
];

/** Begins the names of fields that the trader names: fields.confluence. */
const NAMED = 'fields.';

/** A field that the trader named. */
export const TRADER_FIELD = f.text(
  'A field with a name of the trader, a number or a text',
);
const NULLABLE_TRADER_FIELD = f.orNull(TRADER_FIELD);

/** The schema of a target's field; undefined if it has none with the name. */
export function fieldIn(
  target: MappingTarget,
  name: string,
): z.core.$ZodType | undefined {
  const isNamed = takesNames(target) && name.startsWith(NAMED);
  return target.fields.get(name) ?? (isNamed ? NULLABLE_TRADER_FIELD : undefined);
}

function takesNames({ name, resource }: MappingTarget): boolean {
  const { fields } = resource.record.shape;
  return name !== FILLS && fields !== undefined && f.isNamed(fields);
}

/** What is wrong with the name of a field that is none of the target's. */
function nameProblem(target: MappingTarget, key: string): string | undefined {
  const name = key.slice(NAMED.length);
  if (fieldName(name) === undefined) return NAME_RULE;
  return target.fields.has(name)
    ? `is a field of ${target.name} itself; write ${name}`
    : undefined;
}

export function targetOf({ target }: { target: string }): MappingTarget {
  return TARGETS.find(({ name }) => name === target) as MappingTarget;
}

function fieldsOf(shape: z.ZodRawShape, prefix = ''): [string, z.core.$ZodType][] {
  return Object.entries(shape).flatMap(([name, field]): [string, z.core.$ZodType][] => {
    if (f.factsOf(field).derived || f.isNamed(field)) return [];
    const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
    return inner instanceof z.ZodObject
      ? fieldsOf(inner.shape, `${name}.`)
      : [[`${prefix}${name}`, field]];
  });
}

const constant = z.union([z.string(), z.number(), z.boolean()]);

const oneOrMore = <S extends z.ZodType>(schema: S) =>
  z.union([schema, z.array(schema).min(1)]);

const dateFormat = oneOrMore(z.enum(DATE_FORMATS))
  .refine(
    (formats) => !(formats.includes('mdy') && formats.includes('dmy')),
    'must have mdy or dmy, not both: dates such as 02/11/2026 fit both',
  )
  .describe(
    'Order of year, month and day; or excel (days since 1900), unix (seconds) or unix-ms. Of several, the first that fits is used',
  );

export const DELIMITERS = [',', ';', '\t', '|'] as const;

const decimal = z
  .enum(['.', ',', 'either'])
  .describe(
    'Decimal separator; either: each cell has its own, and 1.234 or 1,234 is an error; default: a point',
  );

const fromColumn = z.strictObject({
  column: oneOrMore(z.string().min(1)).describe(
    'Name of the column, or of several: dates and times are joined, amounts added, texts put on separate lines, lists merged',
  ),
  words: z
    .record(z.string(), z.union([constant, z.null()]))
    .optional()
    .describe('Meanings of the words in the file; case-insensitive'),
  match: z
    .literal('start')
    .optional()
    .describe(
      'start: cells begin with the words, such as Buy in "Buy Acme Inc."; the longest match is used',
    ),
  lookup: z.string().optional().describe('Name of the lookup that replaces the cell'),
  empty: z
    .array(z.string())
    .optional()
    .describe('Further words for an empty cell, besides -, n/a, nan and null'),
  default: constant.optional().describe('Value for an empty cell'),
  sign: z
    .enum(['negate', 'absolute'])
    .optional()
    .describe('negate: costs are written with a minus; absolute: with either sign'),
  ending: z
    .string()
    .min(1)
    .optional()
    .describe('Text at the end of cells to leave out, such as a word after times'),
  split: z
    .string()
    .min(1)
    .optional()
    .describe('Separator between the items of a list; default: a comma'),
  dates: dateFormat.optional(),
  decimal: decimal.optional(),
});

const constantSource = z.strictObject({
  value: constant.describe('Constant for all rows'),
});

const sources = [z.string().min(1), constantSource, fromColumn] as const;

const source = z
  .union(sources)
  .describe(
    'Source of a field: the name of a column, a constant, or a column with its settings; "?" in a draft',
  )
  .meta({ id: 'source' });

const boughtAndSold = z
  .strictObject({ bought: z.string().min(1), sold: z.string().min(1) })
  .describe('Two columns, of which each row has one: units bought, and units sold');

const lookup = z.strictObject({
  file: z
    .string()
    .min(1)
    .describe("A CSV or xlsx file, relative to the mapping's folder"),
  key: z.string().min(1).describe('Its column with the text of the cell'),
  value: z.string().min(1).describe('Its column with the replacement'),
});

const skipRule = z.strictObject({
  column: z.string().min(1),
  is: z
    .array(z.string())
    .optional()
    .describe('Rows with one of these are skipped; an empty text matches an empty cell'),
  not: z.array(z.string()).optional().describe('Rows with any other text are skipped'),
  match: z.literal('start').optional().describe('start: cells begin with these'),
  reason: z.string().optional().describe('Reason for the report'),
});

const open = z
  .literal(OPEN)
  .describe('A question of a draft: nothing is imported until it is answered');

const columns = z
  .record(z.string(), z.union([z.array(z.string()), z.record(z.string(), z.number())]))
  .describe(
    "The file's columns with their first values, or their words with counts, as --map new saw them; not read",
  )
  .meta({ id: 'columns' });

const orders = z.union([open, dateFormat]).meta({ id: 'dates' });

const skip = z
  .union([open, z.array(skipRule)])
  .describe('Rows to skip')
  .meta({ id: 'skip' });

const common = {
  $schema: z.string().optional(),
  columns: columns.optional(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,19}$/)
    .describe(
      'A maximum of 20 lower-case letters, digits and -. Part of ids, so keep it. Files with the same name are of one platform',
    ),
  prefix_ids: z
    .boolean()
    .optional()
    .describe(
      'false: ids of records stay as in the file, without the prefix of name and colon',
    ),
  delimiter: z
    .enum(DELIMITERS)
    .optional()
    .describe('Delimiter between cells; default: detected from the header'),
  header: z
    .boolean()
    .optional()
    .describe('false: the file has no header, and columns are named 1, 2, 3'),
  decimal: z.union([open, decimal]).optional(),
  thousands: z
    .enum([',', '.', "'", ' '])
    .optional()
    .describe('Thousands separator; default: the other of point and comma'),
  dates: orders.optional(),
  zone: z
    .string()
    .refine(
      (name) => name === OPEN || isTimeZone(name),
      'must be an IANA time zone, such as America/New_York',
    )
    .optional()
    .describe(
      "IANA zone of times without an offset; --timezone overrides it; default: the user's",
    ),
  lookups: z
    .record(z.string(), lookup)
    .optional()
    .describe('Lookup files by name, such as one of symbols'),
  multipliers: z
    .record(z.string(), z.number().positive())
    .optional()
    .describe(
      'Contract sizes (money per point and unit) by symbol or by root of a future',
    ),
  skip: skip.optional(),
  unsure: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Open questions of a proposal by an earlier version: nothing is imported until they are removed',
    ),
};

/** Fields of a target, and those that the trader names. */
function withNames(target: MappingTarget, parts: z.ZodRawShape): z.core.$ZodType {
  const named = source.describe(TRADER_FIELD.description ?? '');
  return z
    .object(parts)
    .catchall(named)
    .superRefine((fields, context) => {
      for (const key of Object.keys(fields)) {
        if (Object.hasOwn(parts, key)) continue;
        if (!key.startsWith(NAMED)) {
          context.addIssue({ code: 'unrecognized_keys', keys: [key], input: fields });
          continue;
        }

        const message = nameProblem(target, key);
        if (message !== undefined)
          context.addIssue({ code: 'custom', path: [key], message });
      }
    });
}

/** One variant per target, with its own fields; a draft may have no target yet. */
const mapping = z.discriminatedUnion('target', [
  ...TARGETS.map((ofTarget) => {
    const { name, fields } = ofTarget;
    const parts = [...fields].map(([field, schema]) => {
      const isEither = name === FILLS && field === 'quantity';
      const from = isEither ? z.union([...sources, boughtAndSold]) : source;
      return [field, from.optional().describe(factsOf(schema).description)];
    });
    return z.strictObject({
      target: z.literal(name),
      ...common,
      fields: takesNames(ofTarget)
        ? withNames(ofTarget, Object.fromEntries(parts))
        : z.strictObject(Object.fromEntries(parts)),
    });
  }),
  z.strictObject({ target: open, ...common, fields: z.record(z.string(), source) }),
] as unknown as [z.ZodObject<{ target: z.ZodLiteral<string> }>]);

/** Source of a field in a mapping file. */
export type Source = z.infer<typeof source> | BoughtAndSold;
export type ColumnSource = z.infer<typeof fromColumn>;
type BoughtAndSold = z.infer<typeof boughtAndSold>;

/** A mapping that may have open questions. */
export interface Draft extends z.infer<z.ZodObject<typeof common>> {
  target: string;
  fields: Record<string, Source>;
}

type Settled = 'skip' | 'dates' | 'decimal';

/** A mapping without open questions. */
export interface Mapping extends Omit<Draft, Settled> {
  skip?: z.infer<typeof skipRule>[] | undefined;
  dates?: z.infer<typeof dateFormat> | undefined;
  decimal?: z.infer<typeof decimal> | undefined;
}

/** The names of all columns that a mapping reads, in the mapping's order. */
export function columnsRead({
  fields,
  skip = [],
}: Pick<Draft, 'fields' | 'skip'>): string[] {
  const columns = Object.values(fields).flatMap(columnsOf);
  const skipped = skip === OPEN ? [] : skip.map(({ column }) => column);
  return [...new Set([...columns, ...skipped])];
}

function columnsOf(source: Source): string[] {
  if (typeof source === 'string') return source === OPEN ? [] : [source];
  if ('bought' in source) return [source.bought, source.sold];
  return 'column' in source ? [source.column].flat() : [];
}

/**
 * @param value contents of a mapping file
 * @throws UserError that names the place and the valid values
 */
export function draftIn(value: unknown): Draft {
  const result = mapping.safeParse(value);
  if (result.success) return result.data as unknown as Draft;
  throw new UserError(explained(result.error.issues[0] as z.core.$ZodIssue, value));
}

/** Message for an issue; for a union, that of its closest variant. */
function explained(
  issue: z.core.$ZodIssue,
  whole: unknown,
  before: readonly PropertyKey[] = [],
): string {
  const path = [...before, ...issue.path];
  const place = path.map(String).join('.');
  const message = (problem: string) => (place === '' ? problem : `${place}: ${problem}`);
  const value = valueAt(whole, path);

  switch (issue.code) {
    case 'invalid_union': {
      if (issue.path[0] === 'target')
        return message(`must be one of ${TARGETS.map(({ name }) => name).join(', ')}`);
      const inner = closest(issue.errors);
      return inner ? explained(inner, whole, path) : message(`can't be ${quote(value)}`);
    }
    case 'unrecognized_keys':
      return message(unknownKey(issue.keys[0] as string, place, whole));
    case 'invalid_type':
      return message(
        value === undefined
          ? 'is missing'
          : `must be ${TYPES[issue.expected] ?? issue.expected}; got ${quote(value)}`,
      );
    case 'invalid_value':
      return message(
        `must be one of ${issue.values.map(quote).join(', ')}; got ${quote(value)}`,
      );
    case 'custom':
      return message(`${issue.message}; got ${quote(value)}`);
    default:
      return message(
        `${place === 'name' ? 'must be 1 to 20 lower-case letters, digits and -' : issue.message}; got ${quote(value)}`,
      );
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The variant of the right type with the fewest unknown members. */
function closest(variants: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue | undefined {
  const unknown = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce(
      (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0),
      0,
    );

  const fitting = variants.filter(
    ([first]) => first?.code !== 'invalid_type' || first.path.length > 0,
  );
  const [best] = fitting.toReversed().sort((a, b) => unknown(a) - unknown(b));
  return (
    best?.find(({ code }) => code === 'unrecognized_keys') ??
    best?.[0] ??
    variants[0]?.[0]
  );
}

function unknownKey(key: string, place: string, whole: unknown): string {
  if (place.startsWith('fields.') && key === 'value')
    return 'a field is either a constant ("value") or a column; remove one';

  const target = TARGETS.find(
    ({ name }) => name === (whole as { target?: unknown }).target,
  );
  const members: Readonly<Record<string, readonly string[]>> = {
    '': [...Object.keys(common), 'target', 'fields'],
    skip: Object.keys(skipRule.shape),
    lookups: Object.keys(lookup.shape),
    fields: [...Object.keys(fromColumn.shape), 'value'],
  };
  const isFields = place === 'fields';
  const [member = ''] = place.split('.');
  const known = isFields ? [...(target?.fields.keys() ?? [])] : (members[member] ?? []);
  const meant = nearest(key, known);
  const choice = meant ? `did you mean ${meant}?` : `use one of ${known.join(', ')}`;

  return `unknown ${isFields ? `field of ${target?.name}` : 'member'} "${key}"; ${choice}`;
}

/** JSON Schema (2020-12) of a mapping file. */
export function mappingJsonSchema(): unknown {
  const schema = z.toJSONSchema(mapping, {
    override: ({ jsonSchema }) => {
      const { properties, additionalProperties } = jsonSchema;
      // Only fields that the trader names may be added to those of a target.
      if (!properties || typeof additionalProperties !== 'object') return;
      jsonSchema.patternProperties = { '^fields\\..': additionalProperties };
      jsonSchema.additionalProperties = false;
    },
  });
  return { title: 'journal-api mapping', ...schema };
}
