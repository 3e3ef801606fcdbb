/** The parameters of a list, from its declaration. */
import type * as z from 'zod';
import { nearest } from '../errors.ts';
import { factsOf, ID_PATTERN, isNamed, type Reveals } from '../journal/fields.ts';
import { revealsOf } from '../journal/hidden-fields.ts';
import type { Filter, ListResource } from '../journal/resource.ts';
import { fieldName } from '../journal/trader-fields.ts';
import { namedIn } from '../journal/where.ts';
import { searchTerms } from '../sqlite/functions.ts';
import { whereClosed } from './figure-parameters.ts';
import {
  bounds,
  cursor,
  limit,
  oneOf,
  type Parameter,
  type Query,
  shown,
  updatedSince,
} from './parameter.ts';

export function listParameters(resource: ListResource): Parameter[] {
  const { orderBy, sorts, dateFields = [], searchedDates = [] } = resource;
  const others = [...dateFields, ...searchedDates];
  const dates = others.length > 0 ? [orderBy, ...others] : [];

  return [
    limit,
    cursor,
    ...bounds(dates.length > 0 ? `${orderBy} (or date_field)` : orderBy),
    ...(dates.length > 0
      ? [oneOf('date_field', dates, 'The date that start and end apply to', orderBy)]
      : []),
    ...(sorts
      ? [
          {
            ...oneOf(
              'sort',
              [orderBy, ...sorts],
              'The field to sort by; records without a value are last in both orders',
              orderBy,
            ),
            reveals: (field: string) => revealedBy(resource.record, field),
          },
        ]
      : []),
    updatedSince,
    oneOf(
      'order',
      ['asc', 'desc'],
      'Ascending or descending: oldest, or newest, first',
      'desc',
    ),
    q,
    fields(resource),
    ...(resource.hasFigures ? [whereClosed, text] : []),
    ...filterParameters(resource),
  ];
}

const MAX_QUERY_LENGTH = 200;

const words = (name: string, description: string): Parameter => ({
  name,
  description: `${description}; parts of words match, in any letter case`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_QUERY_LENGTH },
  example: 'FOMO',
  validationError: (text) => {
    if (text.length > MAX_QUERY_LENGTH)
      return `must have at most ${MAX_QUERY_LENGTH} characters`;
    if (text.split('"').length % 2 === 0)
      return 'has an unclosed quotation mark; write "a phrase"';
    return searchTerms(text).length === 0
      ? `must have a word; remove ${name} to get all records`
      : undefined;
  },
  reveals: () => ['text'],
});

const q = words(
  'q',
  'Only records containing all these words, or "a phrase" in quotation marks, in their texts and labels',
);

export const text = words(
  'text',
  'Only trades whose notes have all these words, or "a phrase" in quotation marks, or one of whose journal entries has (entries only with the scope journals:read, else a hint says so); positions also by those of the trade group',
);

/** Begins the name of one of the fields that the trader named. */
const NAMED = 'fields.';

function fields({ record }: ListResource): Parameter {
  const names = Object.keys(record.shape);
  const hasNames = record.shape['fields'] && isNamed(record.shape['fields']);
  const isField = (name: string) =>
    names.includes(name) ||
    (hasNames &&
      name.startsWith(NAMED) &&
      fieldName(name.slice(NAMED.length)) !== undefined);
  const ofTrader = hasNames ? `, ${NAMED}NAME` : '';

  return {
    name: 'fields',
    description: `Only these fields of each record, separated by commas, and always id: of ${names.join(', ')}${ofTrader}. Other fields are absent, even if the record's schema requires them`,
    schema: { type: 'string', minLength: 1 },
    example: names.slice(0, 3).join(','),
    validationError: (text) => {
      const wrong = text.split(',').find((name) => !isField(name));
      if (wrong === undefined) return undefined;
      const meant = nearest(wrong, names);
      const list = `the fields are ${names.join(', ')}${ofTrader}`;
      return wrong === ''
        ? `must be names of fields, separated by commas; ${list}`
        : `has no field "${shown(wrong)}"${meant ? `; did you mean ${meant}?` : ''} (${list})`;
    },
  };
}

function revealedBy({ shape }: z.ZodObject, name: string): Reveals[] {
  const reveals = revealsOf(shape[name]);
  return reveals ? [reveals] : [];
}

/** The fields requested; undefined for all. */
export function fieldsOf(query: Query): ReadonlySet<string> | undefined {
  if (query['fields'] === undefined) return undefined;
  return new Set(['id', ...query['fields'].split(',').map(asStored)]);
}

/** Of one that the trader named, the name as it is stored. */
function asStored(field: string): string {
  return field.startsWith(NAMED) ? NAMED + fieldName(field.slice(NAMED.length)) : field;
}

/** The names of the trader's among fields. */
export function namesIn(fields: ReadonlySet<string> | undefined): string[] {
  const named = [...(fields ?? [])].filter((field) => field.startsWith(NAMED));
  return named.map((field) => field.slice(NAMED.length));
}

/** The filters of a resource, each with the values of its field. */
export function filterParameters(
  resource: Pick<ListResource, 'filters' | 'record'>,
): Parameter[] {
  return Object.entries(resource.filters).map(([name, filter]) =>
    filterParameter(name, filter, resource.record),
  );
}

const MAX_IDS = 100;

const EXAMPLES: Record<string, string> = {
  symbol: 'AAPL',
  account: 'main',
  setup: 'breakout',
  tag: 'news',
  mistake: 'chased entry',
  emotion: 'FOMO',
  underlying: 'SPY',
};

function filterParameter(name: string, filter: Filter, record: z.ZodObject): Parameter {
  const { match, like, description } = filter;
  if (match === 'at_least' || match === 'at_most') {
    return {
      ...amountParameter(name, description),
      reveals: () => revealedBy(record, like ?? filter.column),
    };
  }

  const field = like === undefined ? undefined : record.shape[like];
  const values = field && factsOf(field).values;
  if (values) return oneOf(name, values, description);
  if (field) return idParameter(name, description, match === 'ids');
  if (match === 'flag') return flagParameter(name, description);
  if (match === 'named') return namedParameter(name, description);

  return {
    ...textParameter(name, description),
    ...(filter.isSymbol && { symbolsIn: (text: string) => [text] }),
  };
}

function amountParameter(name: string, description: string): Parameter {
  return {
    name,
    description,
    schema: { type: 'number' },
    example: -100,
    validationError: (text) =>
      /^-?\d{1,15}(\.\d{1,20})?$/.test(text)
        ? undefined
        : `must be a number such as -100 or 12.5; got "${shown(text)}"`,
  };
}

function idParameter(name: string, description: string, isList: boolean): Parameter {
  const kind = isList ? 'ids, separated by commas' : 'an id';

  return {
    name,
    description,
    schema: isList
      ? { type: 'string', minLength: 1 }
      : { type: 'string', pattern: ID_PATTERN.source },
    example: 't-1',
    validationError: (text) => {
      const ids = isList ? text.split(',') : [text];
      if (ids.length > MAX_IDS) return `takes at most ${MAX_IDS} ids; got ${ids.length}`;
      if (ids.every((id) => ID_PATTERN.test(id))) return undefined;
      return `must be ${kind}: at most 128 letters, digits and . _ : ~ -`;
    },
  };
}

function flagParameter(name: string, description: string): Parameter {
  return {
    name,
    description,
    schema: { type: 'boolean' },
    example: true,
    validationError: (text) =>
      /^(true|false)$/i.test(text)
        ? undefined
        : `must be true or false; got "${shown(text)}"`,
  };
}

/** A field of the trader's, with its value. */
function namedParameter(name: string, description: string): Parameter {
  return {
    name,
    description: `${description}, in any letter case`,
    schema: { type: 'string', minLength: 3 },
    example: 'confluence:3',
    validationError: (text) =>
      namedIn(text)
        ? undefined
        : `must be a name and a value, such as confluence:3; got "${shown(text)}"`,
    reveals: () => ['text'],
  };
}

function textParameter(name: string, description: string): Parameter {
  return {
    name,
    description: `${description}, in any letter case`,
    schema: { type: 'string', minLength: 1 },
    example: EXAMPLES[name] ?? name,
    validationError: (text) =>
      text === '' ? 'must not be empty; remove it to get all records' : undefined,
  };
}
