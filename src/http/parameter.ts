/** Query parameters: declared once for parsing and for the API description. A parameter that isn't declared is an error. */

import type { Reveals } from '../journal/fields.ts';
import { invalidParameter, type Problem } from './problem.ts';
import { boundError } from './range.ts';

export interface Parameter {
  name: string;
  description: string;
  /** JSON Schema of the value, for the description. */
  schema: Record<string, unknown>;
  /** None if valid values differ between services. */
  example?: string | number | boolean;
  /** Error of a value, which follows the name; undefined if it is valid. */
  validationError: (text: string) => string | undefined;
  /** Kind of data that a response to it reveals, whatever its fields: refused for a key that hides it. */
  reveals?: (value: string) => readonly Reveals[];
  /** Symbols named by a value: a key that hides symbols takes only its pseudonyms. */
  symbolsIn?: (value: string) => readonly string[];
}

export const NO_PARAMETERS: readonly Parameter[] = [];

/** Valid values by name, as received, each once. */
export type Query = Readonly<Record<string, string>>;

/** Recently parsed queries, by parameters and search: agents repeat their requests. */
const parsed = new WeakMap<readonly Parameter[], Map<string, Query>>();
const MAX_PARSED = 200;
const MAX_PARSED_LENGTH = 200;

/**
 * @param unknown creates the problem of unknown parameters, by their names
 * @throws Problem for unknown, repeated or malformed parameters
 */
export function parseQuery(
  parameters: readonly Parameter[],
  search: string,
  unknown: (names: readonly string[]) => Problem,
): Query {
  let known = parsed.get(parameters);
  if (!known) {
    known = new Map();
    parsed.set(parameters, known);
  }
  let query = known.get(search);
  if (!query) {
    query = parse(parameters, search, unknown);
    if (known.size >= MAX_PARSED) known.clear();
    if (search.length <= MAX_PARSED_LENGTH) known.set(search, query);
  }
  return query;
}

function parse(
  parameters: readonly Parameter[],
  search: string,
  unknown: (names: readonly string[]) => Problem,
): Query {
  const query: Record<string, string> = {};
  const sent = [...new URLSearchParams(search)];
  const parameterOf = (name: string) => parameters.find((parameter) => parameter.name === name);
  const others = sent.map(([name]) => name).filter((name) => !parameterOf(name));
  if (others.length > 0) throw unknown([...new Set(others)]);
  for (const [name, value] of sent) {
    if (Object.hasOwn(query, name)) throw invalidParameter(name, `${name} was sent more than once`);
    const validationError = parameterOf(name)?.validationError(value);
    if (validationError) throw invalidParameter(name, `${name} ${validationError}`);
    query[name] = value;
  }
  return query;
}

export const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;

export const limit: Parameter = {
  name: 'limit',
  description: `Records per page, capped at ${MAX_LIMIT}. A page of large records ends early`,
  schema: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT },
  example: 20,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text) ? undefined : `must be a whole number of at least 1, such as 50; got "${shown(text)}"`,
};

export function limitOf(query: Query): number {
  return query['limit'] === undefined ? DEFAULT_LIMIT : Math.min(Number(query['limit']), MAX_LIMIT);
}

export const cursor: Parameter = {
  name: 'cursor',
  description: 'Start of the page: pagination.next_cursor of the previous page. Repeat all filters unchanged',
  schema: { type: 'string' },
  // Its validity depends on the rest of the request: see cursor.ts.
  validationError: () => undefined,
};

const bound = (name: 'start' | 'end', description: string, example: string): Parameter => ({
  name,
  description: `${description} A date is that whole day in the user's time zone; a timestamp is RFC 3339 with an offset, its + written as %2B`,
  schema: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  example,
  validationError: boundError,
});

export const bounds = (field: string): Parameter[] => [
  bound('start', `Only records with ${field} at or after this.`, '2026-01-01'),
  bound('end', `Only records with ${field} before this timestamp, or up to the end of this date.`, '2026-03-31'),
];

/** A parameter with a fixed set of values. */
export const oneOf = (name: string, values: readonly string[], description: string, usual?: string): Parameter => ({
  name,
  description,
  schema: { type: 'string', enum: values, ...(usual === undefined ? {} : { default: usual }) },
  example: values[0] as string,
  validationError: (text) =>
    values.includes(text) ? undefined : `must be one of ${values.join(', ')}; got "${shown(text)}"`,
});

/** A value as an error repeats it. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
