/** The schemas of the API description: the records of routes and their envelopes. */
import * as z from 'zod';
import { namedRow, numberedRow } from '../journal/analytics/breakdowns.ts';
import { performanceRecord } from '../journal/analytics/performance-record.ts';
import { execution } from '../journal/resources/trades.ts';
import { MAX_LIMIT } from './parameter.ts';
import { PROBLEM_CODES } from './problem.ts';
import type { Route } from './route.ts';

export type Json = Record<string, unknown>;

const PAGINATION: Json = {
  type: 'object',
  description: 'Position in the list',
  required: ['limit', 'has_more', 'next_cursor'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Records per page' },
    has_more: { type: 'boolean', description: 'Whether more records follow' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Value of cursor for the next page; null exactly if has_more is false',
    },
  },
};

const HINT =
  'Why the page is empty, for people and agents: the nearest label, or the dates of the records. Only on an empty first page with filters or bounds';

const PROBLEM: Json = {
  type: 'object',
  description: 'An error, RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Kind of error' },
    title: { type: 'string', description: 'Short description of the kind of error' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'The problem and its remedy, for people' },
    code: { type: 'string', enum: PROBLEM_CODES, description: 'The problem, for programs' },
    param: { type: 'string', description: 'The parameter at fault, if any' },
    request_id: { type: 'string', description: 'Identifies this request in the server log' },
  },
};

/** A point in time in responses: UTC with milliseconds. */
const INSTANT = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/** Parts of records that generated clients need a type for, by name; the records of routes have their own. */
const PARTS: Record<string, z.ZodType> = {
  Execution: execution,
  Performance: performanceRecord,
  BreakdownRow: namedRow,
  NumberedBreakdownRow: numberedRow,
};

export function schemas(routes: readonly Route[]): Json {
  const envelopes = Object.assign({}, ...routes.map(envelopeOf));
  return { ...recordSchemas(routes), ...envelopes, Pagination: PAGINATION, Problem: PROBLEM };
}

/** The schema of a 200. */
export function responseSchema({ gives }: Route): Json {
  if ('list' in gives) return ref(`${gives.list.name}Page`);
  if ('data' in gives) return ref(`${gives.name}Response`);
  return gives.name === undefined ? gives.schema : ref(gives.name);
}

export function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** The record of a route, with its name. */
function recordOf({ gives }: Route): [string, z.ZodType][] {
  if ('list' in gives) return [[gives.list.name, gives.list.record]];
  return 'data' in gives ? [[gives.name, gives.data]] : [];
}

/** The envelope of a route's record, by name. */
function envelopeOf({ gives }: Route): Json {
  if ('list' in gives) {
    const { name } = gives.list;
    const data = { type: 'array', items: ref(name) };
    return { [`${name}Page`]: envelope({ data, pagination: ref('Pagination') }, HINT) };
  }
  if ('data' in gives) {
    return { [`${gives.name}Response`]: envelope({ data: ref(gives.name) }, gives.hint) };
  }
  return gives.name === undefined ? {} : { [gives.name]: gives.schema };
}

/** @param hint description of the hint, if the route has one */
function envelope(properties: Json, hint?: string): Json {
  const hints = hint === undefined ? {} : { hint: { type: 'string', description: hint } };
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...hints } };
}

/** The schemas of all records; a nested record is a reference. */
function recordSchemas(routes: readonly Route[]): Json {
  const named = z.registry<{ id: string }>();
  for (const [id, record] of [...routes.flatMap(recordOf), ...Object.entries(PARTS)]) named.add(record, { id });
  const { schemas } = z.toJSONSchema(named, {
    uri: (id) => ref(id)['$ref'] as string,
    override: ({ jsonSchema }) => {
      // Clients must ignore unknown fields: new ones may be added.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The format covers the calendar; as a pattern it was a third of the description.
      if (jsonSchema.format === 'date') delete jsonSchema.pattern;
      if (jsonSchema.format === 'date-time') jsonSchema.pattern = INSTANT;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
}
