/** What a mapping file may say. The JSON Schema in docs/ is made from this. */
import * as z from 'zod';
import { nearest, UserError } from '../../errors.ts';
import { factsOf } from '../../journal/fields.ts';
import { quote } from '../../journal-write/row-error.ts';
import { isTimeZone } from '../../time.ts';
import { DATE_FORMATS } from '../table/dates.ts';
import { TARGETS } from './targets.ts';

const constant = z.union([z.string(), z.number(), z.boolean()]);

const oneOrMore = <S extends z.ZodType>(schema: S) => z.union([schema, z.array(schema).min(1)]);

const dateFormat = oneOrMore(z.enum(DATE_FORMATS)).describe(
  'The order of year, month and day; or excel (days since 1900), unix (seconds) or unix-ms. The first of several that fits counts',
);

export const DELIMITERS = [',', ';', '\t', '|'] as const;

const decimal = z.enum(['.', ',']).describe('What decimals come after; a point unless said otherwise');

const fromColumn = z.strictObject({
  column: oneOrMore(z.string().min(1)).describe(
    'Name of the column, or of several: dates and times are joined, amounts added, texts put one below another, lists together',
  ),
  words: z
    .record(z.string(), z.union([constant, z.null()]))
    .optional()
    .describe('What the words of the file stand for; letter case makes no difference'),
  match: z
    .literal('start')
    .optional()
    .describe(
      'start: the words are what cells begin with, as Buy is of "Buy Acme Inc."; of several the longest counts',
    ),
  lookup: z.string().optional().describe('Name of the lookup that replaces what the cell says'),
  empty: z
    .array(z.string())
    .optional()
    .describe('What else stands for nothing, beside an empty cell, -, n/a, nan and null'),
  default: constant.optional().describe('What counts where the cell says nothing'),
  sign: z
    .enum(['negate', 'absolute'])
    .optional()
    .describe('negate: costs are written with a minus; absolute: with either sign'),
  split: z
    .string()
    .min(1)
    .optional()
    .describe('What stands between the items of a list; a comma unless said otherwise'),
  dates: dateFormat.optional(),
  decimal: decimal.optional(),
});

const constantSource = z.strictObject({ value: constant.describe('The same for each row') });

const source = z
  .union([z.string().min(1), constantSource, fromColumn])
  .describe('Where a field comes from: the name of a column, a constant, or a column with how to read it')
  .meta({ id: 'source' });

const lookup = z.strictObject({
  file: z.string().min(1).describe('A CSV or xlsx file, its path from the folder of the mapping'),
  key: z.string().min(1).describe('Its column with what the cell says'),
  value: z.string().min(1).describe('Its column with what that stands for'),
});

const skipRule = z.strictObject({
  column: z.string().min(1),
  is: z.array(z.string()).optional().describe('Rows with one of these are left out; an empty text is an empty cell'),
  not: z.array(z.string()).optional().describe('Rows with anything but these are left out'),
  match: z.literal('start').optional().describe('start: these are what cells begin with'),
  reason: z.string().optional().describe('For the report'),
});

const common = {
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,19}$/)
    .describe(
      'At most 20 small letters, digits and -: stands in ids, so keep it. Files of one name are of one platform',
    ),
  prefix_ids: z
    .boolean()
    .optional()
    .describe('false: ids of records stay as the file has them, without the name and a colon before them'),
  delimiter: z.enum(DELIMITERS).optional().describe('What stands between cells; told from the header otherwise'),
  header: z.boolean().optional().describe('false: the file has none, and columns are called 1, 2, 3'),
  decimal: decimal.optional(),
  thousands: z
    .enum([',', '.', "'", ' '])
    .optional()
    .describe('What sets thousands apart; the other of point and comma'),
  dates: dateFormat.optional(),
  zone: z
    .string()
    .refine(isTimeZone, 'must be an IANA time zone, such as America/New_York')
    .optional()
    .describe("IANA zone that times without an offset were written in; --timezone comes first, the user's last"),
  lookups: z.record(z.string(), lookup).optional().describe('Second files, such as one of symbols, by name'),
  multipliers: z
    .record(z.string(), z.number().positive())
    .optional()
    .describe('Money per point of price and unit, by symbol or by root of a future'),
  skip: z.array(skipRule).optional().describe('Rows to leave out'),
  unsure: z
    .record(z.string(), z.string())
    .optional()
    .describe('What a proposal was not sure of, by field. Nothing is imported until these are gone'),
};

/** One variant a target: each has fields of its own. */
const mapping = z.discriminatedUnion(
  'target',
  TARGETS.map(({ name, fields }) => {
    const own = [...fields].map(([field, schema]) => [field, source.optional().describe(factsOf(schema).description)]);
    return z.strictObject({ target: z.literal(name), ...common, fields: z.strictObject(Object.fromEntries(own)) });
  }) as unknown as [z.ZodObject<{ target: z.ZodLiteral<string> }>],
);

/** A field as its mapping's file has it. */
export type Source = z.infer<typeof source>;
export type ColumnSource = z.infer<typeof fromColumn>;

export interface Mapping extends z.infer<z.ZodObject<typeof common>> {
  target: string;
  fields: Record<string, Source>;
}

/**
 * @param value what a mapping's file holds
 * @throws UserError that names the place and what would be right
 */
export function mappingOf(value: unknown): Mapping {
  const result = mapping.safeParse(value);
  if (result.success) return result.data as unknown as Mapping;
  throw new UserError(explained(result.error.issues[0] as z.core.$ZodIssue, value));
}

/** What the first issue says, of a union what its closest variant says. */
function explained(issue: z.core.$ZodIssue, whole: unknown, before: readonly PropertyKey[] = []): string {
  const path = [...before, ...issue.path];
  const place = path.map(String).join('.');
  const said = (what: string) => (place === '' ? what : `${place}: ${what}`);
  const value = path.reduce((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], whole);
  switch (issue.code) {
    case 'invalid_union': {
      if (issue.path[0] === 'target') return said(`must be one of ${TARGETS.map(({ name }) => name).join(', ')}`);
      const inner = closest(issue.errors);
      return inner ? explained(inner, whole, path) : said(`can't be ${quote(value)}`);
    }
    case 'unrecognized_keys':
      return said(unknownKey(issue.keys[0] as string, place, whole));
    case 'invalid_type':
      return said(
        value === undefined ? 'is missing' : `must be ${TYPES[issue.expected] ?? issue.expected}; got ${quote(value)}`,
      );
    case 'invalid_value':
      return said(`must be one of ${issue.values.map(quote).join(', ')}; got ${quote(value)}`);
    case 'custom':
      return said(`${issue.message}; got ${quote(value)}`);
    default:
      return said(
        `${place === 'name' ? 'must be 1 to 20 small letters, digits and -' : issue.message}; got ${quote(value)}`,
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

/** The variant that is of the right type and leaves the fewest members unknown. */
function closest(variants: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue | undefined {
  const unknown = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);
  const fitting = variants.filter(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  const [best] = fitting.toReversed().sort((a, b) => unknown(a) - unknown(b));
  return best?.find(({ code }) => code === 'unrecognized_keys') ?? best?.[0] ?? variants[0]?.[0];
}

function unknownKey(key: string, place: string, whole: unknown): string {
  if (place.startsWith('fields.') && key === 'value') return 'a field is either a constant ("value") or of a column';
  const target = TARGETS.find(({ name }) => name === (whole as { target?: unknown }).target);
  const members: Readonly<Record<string, readonly string[]>> = {
    '': [...Object.keys(common), 'target', 'fields'],
    skip: Object.keys(skipRule.shape),
    lookups: Object.keys(lookup.shape),
    fields: [...Object.keys(fromColumn.shape), 'value'],
  };
  const isFields = place === 'fields';
  const known = isFields ? [...(target?.fields.keys() ?? [])] : (members[place.split('.')[0] as string] ?? []);
  const meant = nearest(key, known);
  const choice = meant ? `did you mean ${meant}?` : `there are: ${known.join(', ')}`;
  return `there is no "${key}"${isFields ? ` among the fields of ${target?.name}` : ''}; ${choice}`;
}

/** JSON Schema (2020-12) of a mapping's file. */
export function mappingJsonSchema(): unknown {
  const schema = z.toJSONSchema(mapping);
  return { title: 'A mapping of journal-api', ...schema };
}
