/**
 * Query parameters: declared once for parsing and for the API description. A parameter
 * that isn't declared is an error.
 */

import { clamp, type Interval } from '../journal/analytics/period.ts';
import type { Reveals } from '../journal/fields.ts';
import type { ListResource } from '../journal/resource.ts';
import type { Range } from '../journal/where.ts';
import {
  addDays,
  isDate,
  lacksOffset,
  parseInstant,
  toInstantText,
  type ZoneClock,
} from '../time.ts';
import { invalidParameter, type Problem } from './problem.ts';

/**
 * Parameter names of other APIs, by name here: such a parameter suggests the first of
 * these that an endpoint has.
 */
const USUAL_NAMES: readonly (readonly [ours: readonly string[], theirs: string])[] = [
  [
    ['start'],
    'from since after begin start_date start_time date_from from_date min_date date_start day date',
  ],
  [
    ['updated_since'],
    'modified_since updated_after changed_since modified_after if_modified_since last_modified',
  ],
  [['end'], 'to until before end_date end_time date_to to_date max_date date_end till'],
  [['period', 'start'], 'period days window range last lookback'],
  [['symbol'], 'ticker instrument asset pair contract symbols'],
  [['underlying', 'symbol'], 'root underlying_symbol base'],
  [
    ['cursor'],
    'page offset skip next page_token next_cursor after_id starting_after continue',
  ],
  [
    ['limit', 'top'],
    'limit top per_page page_size count size take first max max_results n',
  ],
  [['q'], 'search query text keyword keywords term contains find'],
  [['sort', 'order'], 'sort_by order_by sort_field sort_key'],
  [
    ['order'],
    'direction sort_order sort_direction sort_dir reverse asc desc ascending descending',
  ],
  [['fields'], 'select include columns only field'],
  [['group_by'], 'group_by by dimension breakdown'],
  [['sections'], 'section parts include'],
  [['setup'], 'strategy pattern setups'],
  [['tag'], 'tags label labels'],
  [['mistake'], 'mistakes error errors'],
  [['emotion'], 'emotions mood feeling'],
  [['status'], 'state open closed is_open'],
  [['outcome'], 'result win win_loss'],
  [['market', 'type'], 'asset_class instrument_type asset_type type'],
  [['side'], 'long_short position_side action'],
  [['account'], 'account_id portfolio accounts'],
  [['group_id'], 'group'],
  [['trade_id'], 'trade'],
  [['min_net_pnl'], 'min_pnl min_profit pnl_min pnl_gte'],
  [['max_net_pnl'], 'max_pnl max_profit pnl_max pnl_lte'],
];

/** Names of a key, which belongs in a header. */
export const KEY_NAMES = [
  'api_key',
  'key',
  'token',
  'access_token',
  'x_api_key',
  'authorization',
  'auth',
  'bearer',
];

/** A name without case, hyphens and underscores: sortBy equals sort_by. */
export const plainName = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

const OURS = new Map<string, readonly string[]>();
for (const [ours, theirs] of USUAL_NAMES) {
  for (const name of theirs.split(' ').map(plainName))
    OURS.set(name, [...(OURS.get(name) ?? []), ...ours]);
}

/** Names here for a usual name: several if it depends on the endpoint. */
export function ourNamesFor(name: string): readonly string[] {
  return OURS.get(plainName(name)) ?? [];
}

export interface Parameter {
  name: string;
  description: string;
  /** JSON Schema of the value, for the description. */
  schema: Record<string, unknown>;
  /** None if valid values differ between services. */
  example?: string | number | boolean;
  /** Error of a value, which follows the name; undefined if it is valid. */
  validationError: (text: string) => string | undefined;
  /**
   * Kind of data that a response to it reveals, whatever its fields: refused for a key
   * that hides it.
   */
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
  const parameterOf = (name: string) =>
    parameters.find((parameter) => parameter.name === name);
  const others = sent.map(([name]) => name).filter((name) => !parameterOf(name));
  if (others.length > 0) throw unknown([...new Set(others)]);

  for (const [name, value] of sent) {
    if (Object.hasOwn(query, name))
      throw invalidParameter(name, `${name} was sent more than once`);
    const validationError = parameterOf(name)?.validationError(value);
    if (validationError) throw invalidParameter(name, `${name} ${validationError}`);
    query[name] = value;
  }

  return query;
}

export const MAX_LIMIT = 100;
/** In the forms of a table. */
export const MAX_TABLE_LIMIT = 10_000;
const DEFAULT_LIMIT = 50;

export const limit: Parameter = {
  name: 'limit',
  description: `Records per page, capped at ${MAX_LIMIT}, as CSV or JSON Lines at ${MAX_TABLE_LIMIT}. A page of large records ends early`,
  schema: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT },
  example: 20,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text)
      ? undefined
      : `must be a whole number of at least 1, such as 50; got "${shown(text)}"`,
};

export function limitOf(query: Query, most: number): number {
  return query['limit'] === undefined
    ? DEFAULT_LIMIT
    : Math.min(Number(query['limit']), most);
}

export const cursor: Parameter = {
  name: 'cursor',
  description:
    'Start of the page: pagination.next_cursor of the previous page. Repeat all filters unchanged',
  schema: { type: 'string' },
  // Its validity depends on the rest of the request: see cursor.ts.
  validationError: () => undefined,
};

const bound = (
  name: 'start' | 'end' | 'updated_since',
  description: string,
  example: string,
): Parameter => ({
  name,
  description: `${description} A date is that whole day in the user's time zone; a timestamp is RFC 3339 with an offset, its + written as %2B`,
  schema: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  example,
  validationError: boundError,
});

export const bounds = (field: string): Parameter[] => [
  bound('start', `Only records with ${field} at or after this.`, '2026-01-01'),
  bound(
    'end',
    `Only records with ${field} before this timestamp, or up to the end of this date.`,
    '2026-03-31',
  ),
];

export const updatedSince = bound(
  'updated_since',
  'Only records whose stored part was added or changed at or after this. Removed records are not listed: compare the counts in extent of /v1/me.',
  '2026-11-20T09:30:00Z',
);

/** A parameter with a fixed set of values. */
export const oneOf = (
  name: string,
  values: readonly string[],
  description: string,
  usual?: string,
): Parameter => ({
  name,
  description,
  schema: {
    type: 'string',
    enum: values,
    ...(usual === undefined ? {} : { default: usual }),
  },
  example: values[0] as string,
  validationError: (text) =>
    values.includes(text)
      ? undefined
      : `must be one of ${values.join(', ')}; got "${shown(text)}"`,
});

/** A value as an error repeats it. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

// start and end: dates are whole days of the user's zone, timestamps are instants;
// together a half-open interval.

/**
 * Error of a bound, which follows its name; undefined for a date or a timestamp with an
 * offset.
 */
function boundError(text: string): string | undefined {
  if (isDate(text) || parseInstant(text) !== undefined) return undefined;
  if (
    /\d [\d:]+$/.test(text) &&
    parseInstant(text.replace(/ ([\d:]+)$/, '+$1')) !== undefined
  ) {
    return 'has a space in place of its offset; in a URL + means a space, so write it as %2B';
  }
  if (lacksOffset(text))
    return 'is a timestamp without an offset; add Z or an offset such as %2B02:00, or send only a date';

  return (
    'must be a valid date, such as 2026-11-20, or an RFC 3339 timestamp with an offset, ' +
    `such as 2026-11-20T09:30:00Z; got "${text.slice(0, 60)}"`
  );
}

/**
 * The requested interval in epoch milliseconds, from bounds in a valid form.
 * @throws Problem if start is after end
 */
export function intervalOf(
  query: { readonly start?: string; readonly end?: string },
  clock: ZoneClock,
): Interval {
  const { start, end } = query;
  const interval = {
    from: instantOf('start', start, clock),
    to: instantOf('end', end, clock),
  };
  if (isBackwards(interval, start ?? '', end ?? ''))
    throw backwards(interval, start ?? '', end ?? '');

  return {
    from: interval.from === null ? null : clamp(interval.from),
    to: interval.to === null ? null : clamp(interval.to),
  };
}

/**
 * A timestamp and a date, or two offsets, don't show which is later: so the message has
 * both as instants.
 */
function backwards({ from, to }: Interval, start: string, end: string): Problem {
  const sent = `got start=${start} and end=${end}`;
  if (isDate(start) && isDate(end))
    return invalidParameter('start', `start must not be after end; ${sent}`);

  const [first, last] = [from, to].map((at) => toInstantText(at as number));
  const read = `which starts at ${first} and ends before ${last}`;
  const wrong =
    from === to
      ? 'start and end are the same instant, so the interval is empty'
      : 'start must not be after end';

  return invalidParameter('start', `${wrong}; ${sent}, ${read}`);
}

function isBackwards({ from, to }: Interval, start: string, end: string): boolean {
  if (from === null || to === null) return false;
  // Compared as dates: a day that a zone skipped starts and ends at the same instant.
  if (isDate(start) && isDate(end)) return start > end;
  return from > to || (from === to && isDate(end));
}

/**
 * The same interval as bounds of a resource's ordering column. A date counts as the start
 * of its day.
 */
export function columnRange(
  interval: Interval,
  resource: Pick<ListResource, 'orderKind'>,
  clock: ZoneClock,
): Range {
  const bound = (at: number | null) => {
    if (at === null) return null;
    if (resource.orderKind === 'instant') return toInstantText(at);
    const date = clock.dateOf(at);
    return clock.startOfDay(date) >= at ? date : addDays(date, 1);
  };
  return { from: bound(interval.from), to: bound(interval.to) };
}

function instantOf(
  name: 'start' | 'end',
  text: string | undefined,
  clock: ZoneClock,
): number | null {
  if (text === undefined) return null;
  if (isDate(text)) return clock.startOfDay(name === 'end' ? addDays(text, 1) : text);
  return parseInstant(text) as number;
}
