/** The API description (OpenAPI 3.1), derived from the routes and their records. */

import * as z from 'zod';
import { namedRow, numberedRow } from '../journal/analytics/groups.ts';
import { performanceRecord } from '../journal/analytics/performance.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { executionRecord } from '../journal/trade.ts';
import { SCOPES } from '../keys/scopes.ts';
import { PICTURE_MEDIA } from '../pictures/kept-pictures.ts';
import { MAX_LIMIT, MAX_TABLE_LIMIT, type Parameter } from './parameter.ts';
import { PROBLEM_CODES, statusOf } from './problem.ts';
import type { KeyRoute, PublicRoute, Route } from './route.ts';
import { TABLE_TYPES } from './table.ts';

// The schemas of the API description: the records of routes and their envelopes.

type Json = Record<string, unknown>;

const PAGINATION: Json = {
  type: 'object',
  description: 'Position in the list',
  required: ['limit', 'has_more', 'next_cursor'],
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      description: 'Maximum records of this page, as applied',
    },
    has_more: { type: 'boolean', description: 'Whether more records follow' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Value of cursor for the next page; null exactly if has_more is false',
    },
  },
};

const HINT =
  'Why the page is empty, for people and agents: the nearest label, or the dates of the records. Only on an empty first page with filters or bounds, and if text searched no journal entries';

const PROBLEM: Json = {
  type: 'object',
  description: 'An error, RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Kind of error' },
    title: { type: 'string', description: 'Short description of the kind of error' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'The problem and its remedy, for people' },
    code: {
      type: 'string',
      enum: PROBLEM_CODES,
      description: 'The problem, for programs',
    },
    param: { type: 'string', description: 'The parameter at fault, if any' },
    request_id: {
      type: 'string',
      description: 'Identifies this request in the server log',
    },
  },
};

/** A point in time in responses: UTC with milliseconds. */
const INSTANT = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/**
 * Parts of records that generated clients need a type for, by name; the records of routes
 * have their own.
 */
const PARTS: Record<string, z.ZodType> = {
  Execution: executionRecord,
  Performance: performanceRecord,
  BreakdownRow: namedRow,
  NumberedBreakdownRow: numberedRow,
};

function schemas(routes: readonly Route[]): Json {
  const envelopes = Object.assign({}, ...routes.map(envelopeOf));
  return {
    ...recordSchemas(routes),
    ...envelopes,
    Pagination: PAGINATION,
    Problem: PROBLEM,
  };
}

/** The schema of a 200. */
function responseSchema({ gives }: Route): Json {
  if ('list' in gives) return ref(`${gives.list.name}Page`);
  if ('data' in gives) return ref(`${gives.name}Response`);
  return gives.name === undefined ? gives.schema : ref(gives.name);
}

function ref(name: string): Json {
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
  return {
    type: 'object',
    required: Object.keys(properties),
    properties: { ...properties, ...hints },
  };
}

/** The schemas of all records; a nested record is a reference. */
function recordSchemas(routes: readonly Route[]): Json {
  const named = z.registry<{ id: string }>();
  for (const [id, record] of [...routes.flatMap(recordOf), ...Object.entries(PARTS)])
    named.add(record, { id });
  const { schemas } = z.toJSONSchema(named, {
    uri: (id) => ref(id)['$ref'] as string,
    override: ({ jsonSchema }) => {
      // Clients must ignore unknown fields: new ones may be added.
      if (jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
      // In TypeScript, the type of further members covers the declared ones, too.
      else if (
        jsonSchema.properties &&
        typeof jsonSchema.additionalProperties === 'object'
      ) {
        const { description = '' } = jsonSchema.additionalProperties;
        jsonSchema.additionalProperties = { description };
      }
      // The format covers the calendar; as a pattern it was a third of the description.
      if (jsonSchema.format === 'date') delete jsonSchema.pattern;
      if (jsonSchema.format === 'date-time') jsonSchema.pattern = INSTANT;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [
      name,
      schema,
    ]),
  );
}

export function openApi(routes: readonly Route[]): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'journal-api',
      version: 'v1',
      summary: "Read-only access to a trader's own journal",
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this description' }],
    tags: tags(),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths: Object.fromEntries(
      routes.map((route) => [route.path, { get: operation(route) }]),
    ),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Authorization: Bearer <key>',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The same key, for clients other than browsers',
        },
      },
      headers: HEADERS,
      schemas: schemas(routes),
      responses: Object.fromEntries(
        ERROR_STATUSES.map((status) => [`Error${status}`, errorResponse(status)]),
      ),
    },
  };
}

const DESCRIPTION = `Temporary, revocable, read-only access to one user's trading journal.

All times are RFC 3339 in UTC with milliseconds; dates are days in the user's time zone (see /v1/me). Money is a number in the
currency that its field names, rounded to 8 decimals; ratios are rounded to 6. What is absent or undefined is null.

Lists are newest first. For the next page, repeat the request with pagination.next_cursor as cursor until has_more is false; keep
all filters unchanged. Every 200 under /v1 has an ETag: send it as If-None-Match, and an unchanged response is a 304.

Lists are also text/csv or application/x-ndjson (JSON Lines), if Accept prefers one to JSON; so is the analytics summary if it asks for
one table (sections=daily, or group_by). Pages then have up to ${MAX_TABLE_LIMIT} records, and a Link to the next one. In CSV null is an
empty cell, a list is "a; b" (or JSON if that would be ambiguous), an object has a column for each member, and texts are unchanged.

Errors are application/problem+json: switch on code, read detail. New fields may be added to any object under /v1; none is
removed or changes its meaning.`;

function tags(): Json[] {
  return [
    { name: 'key', description: 'The key itself' },
    ...RESOURCES.map((resource) => ({
      name: resource.path,
      description: resource.description,
    })),
    { name: 'analytics', description: 'Figures computed from the trades' },
    { name: 'service', description: 'The service itself; no key needed' },
  ];
}

function operation(route: Route): Json {
  const { operationId, tag, summary } = route;
  const common = { operationId, tags: [tag], summary };
  return route.scope === 'public'
    ? { ...common, ...publicPart(route) }
    : { ...common, ...keyPart(route) };
}

function publicPart(route: PublicRoute): Json {
  return {
    description: route.description,
    security: [],
    responses: {
      200: { description: route.gives.says, content: content(route) },
      ...errorRefs(route.errors),
    },
  };
}

function keyPart(route: KeyRoute): Json {
  const { path, scope, summary, description, parameters } = route;
  const hasId = path.includes('{id}');
  const scopes = scope === 'any key' ? [] : [scope];
  const needed =
    scope === 'any key' ? 'Any valid key.' : `Scope: ${scope} (${SCOPES[scope]}).`;
  const headers = Object.fromEntries(
    Object.keys(HEADERS)
      .filter((name) => name !== 'Link' || 'list' in route.gives)
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

  return {
    description: `${description}\n\n${needed}`,
    security: [{ bearer: scopes }, { apiKey: scopes }],
    parameters: [
      ...(hasId ? [{ ...PATH_ID, ...route.id }] : []),
      ...parameters().map(parameter),
    ],
    responses: {
      200: { description: summary, headers, content: content(route), ...tables(route) },
      304: { description: 'Not modified since the ETag in the request', headers },
      ...errorRefs(
        hasId ? ERROR_STATUSES : ERROR_STATUSES.filter((status) => status !== 404),
      ),
    },
  };
}

function content(route: Route): Json {
  return { 'application/json': { schema: responseSchema(route) } };
}

/**
 * Not as contents: generated clients, which get JSON, would have to tell it from text.
 */
function tables({ isTable, isPicture }: KeyRoute): Json {
  if (isPicture) return { 'x-images': Object.values(PICTURE_MEDIA) };
  return isTable ? { 'x-tables': Object.values(TABLE_TYPES) } : {};
}

function errorRefs(statuses: readonly number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}

const PATH_ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Identifier of the trade',
  schema: { type: 'string' },
  example: 't-1',
};

function parameter({ name, description, schema, example }: Parameter): Json {
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

const HEADERS: Json = {
  ETag: {
    description: 'Identifies this version of the response; send it as If-None-Match',
    schema: { type: 'string' },
  },
  Link: {
    description:
      'Of a page as CSV or JSON Lines: the next page, relative to this address, with all parameters; absent on the last',
    schema: { type: 'string' },
    example: '<?limit=10000&cursor=...>; rel="next"',
  },
  'X-Request-Id': {
    description: 'Identifies this request in the server log',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description:
      'The limit of the key: q requests in w seconds, also all at once; absent without a limit',
    schema: { type: 'string' },
    example: '"key";q=120;w=60',
  },
  RateLimit: {
    description: 'State of the limit: r requests left, all available again in t seconds',
    schema: { type: 'string' },
    example: '"key";r=119;t=1',
  },
};

const ERROR_STATUSES = [...new Set(PROBLEM_CODES.map(statusOf))];

function errorResponse(status: number): Json {
  const codes = PROBLEM_CODES.filter((code) => statusOf(code) === status);
  return {
    description: codes.join(', '),
    headers: errorHeaders(status),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            ref('Problem'),
            {
              type: 'object',
              properties: {
                status: { type: 'integer', const: status },
                code: { type: 'string', enum: codes },
              },
            },
          ],
        },
      },
    },
  };
}

function errorHeaders(status: number): Json {
  const header = (name: string, description: string) => ({
    [name]: { description, schema: { type: 'string' } },
  });
  if (status === 401 || status === 403)
    return header('WWW-Authenticate', 'As in RFC 6750');
  if (status === 405) return header('Allow', 'Allowed methods');
  if (status === 429 || status === 503) return header('Retry-After', 'Seconds to wait');
  return {};
}
