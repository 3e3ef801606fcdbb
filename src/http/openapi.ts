/** The API description (OpenAPI 3.1), derived from the operations and the records they give. */
import * as z from 'zod';
import { VERSION } from '../embedded.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { SCOPES } from '../keys/scopes.ts';
import { MAX_LIMIT, type Parameter } from './parameter.ts';
import { PROBLEM_CODES, type ProblemCode, statusOf } from './problem.ts';
import type { Operation } from './route.ts';
import { OPERATIONS } from './routes.ts';

type Json = Record<string, unknown>;

export function openApi(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'journal-api',
      version: VERSION,
      summary: "Read-only access to a trader's own journal",
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this description was read from' }],
    tags: tags(),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths: {
      ...Object.fromEntries(OPERATIONS.map((operation) => [operation.path, { get: describe(operation) }])),
      ...OPEN_PATHS,
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <key>' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The same key, for programs that are no browsers',
        },
      },
      headers: HEADERS,
      schemas: schemas(),
      responses: Object.fromEntries(ERROR_STATUSES.map((status) => [`Error${status}`, errorResponse(status)])),
    },
  };
}

const DESCRIPTION = `Temporary, revocable, read-only access to one user's trading journal.

All times are RFC 3339 in UTC with milliseconds; dates are days in the user's time zone (see /v1/me). Money is a number in the
currency that its field names, rounded to 8 decimals; ratios are rounded to 6. What is absent or undefined is null.

Lists are newest first. To read on, repeat the request with pagination.next_cursor as cursor until has_more is false; keep all
filters as they were. Every 200 under /v1 carries an ETag: send it back as If-None-Match, and an unchanged answer is a 304.

Errors are application/problem+json: switch on code, read detail. New fields may be added to any object under /v1; none is
removed or changes its meaning.`;

function tags(): Json[] {
  return [
    { name: 'key', description: 'The key itself' },
    ...RESOURCES.map((resource) => ({ name: resource.path, description: resource.description })),
    { name: 'analytics', description: 'Figures computed from the trades' },
    { name: 'service', description: 'The service itself; no key needed' },
  ];
}

function describe(operation: Operation): Json {
  const statuses = operation.path.includes('{id}') ? ERROR_STATUSES : ERROR_STATUSES.filter((status) => status !== 404);
  const scope = operation.scope === null ? 'Any valid key.' : `Scope: ${operation.scope} (${SCOPES[operation.scope]}).`;
  const scopes = operation.scope === null ? [] : [operation.scope];
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${scope}`,
    security: [{ bearer: scopes }, { apiKey: scopes }],
    parameters: [...(operation.path.includes('{id}') ? [PATH_ID] : []), ...operation.parameters.map(parameter)],
    responses: {
      200: {
        description: operation.summary,
        headers: Object.fromEntries(
          Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
        content: { 'application/json': { schema: ref(responseName(operation)) } },
      },
      304: { description: 'Unchanged since the ETag that was sent' },
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  };
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
  return { name, in: 'query', required: false, description, schema, example };
}

const HEADERS: Json = {
  ETag: { description: 'Names this very answer; send it as If-None-Match', schema: { type: 'string' } },
  'X-Request-Id': { description: 'Names this request in the log of the server', schema: { type: 'string' } },
};

const OPEN_PATHS: Json = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: ['service'],
      summary: 'Whether the journal can be read',
      description:
        'For monitors: 200 while the journal can be read, 503 while it cannot. Says nothing of what is in it.',
      security: [],
      responses: {
        200: {
          description: 'The journal can be read',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Health' } } },
        },
        405: { $ref: '#/components/responses/Error405' },
        500: { $ref: '#/components/responses/Error500' },
        503: { $ref: '#/components/responses/Error503' },
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getDescription',
      tags: ['service'],
      summary: 'This description',
      description: 'The API description, OpenAPI 3.1.',
      security: [],
      responses: {
        200: { description: 'The description', content: { 'application/json': { schema: { type: 'object' } } } },
        405: { $ref: '#/components/responses/Error405' },
      },
    },
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
        schema: { allOf: [ref('Problem'), { properties: { status: { const: status }, code: { enum: codes } } }] },
      },
    },
  };
}

function errorHeaders(status: number): Json {
  const header = (name: string, description: string) => ({ [name]: { description, schema: { type: 'string' } } });
  if (status === 401 || status === 403) return header('WWW-Authenticate', 'As in RFC 6750');
  if (status === 405) return header('Allow', 'What is allowed');
  if (status === 429 || status === 503) return header('Retry-After', 'Seconds to wait');
  return {};
}

function responseName({ gives }: Operation): string {
  return 'list' in gives ? `${gives.list.name}Page` : `${gives.name}Response`;
}

function schemas(): Json {
  const all: Json = {};
  for (const { gives } of OPERATIONS) {
    if ('list' in gives) {
      all[gives.list.name] = jsonSchema(gives.list.record);
      all[`${gives.list.name}Page`] = envelope({
        data: { type: 'array', items: ref(gives.list.name) },
        pagination: ref('Pagination'),
      });
    } else {
      all[gives.name] = jsonSchema(gives.data);
      all[`${gives.name}Response`] = envelope({ data: ref(gives.name) });
    }
  }
  all['Pagination'] = {
    type: 'object',
    description: 'How to read on',
    required: ['limit', 'has_more', 'next_cursor'],
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'How many records a page holds' },
      has_more: { type: 'boolean', description: 'Whether there are more' },
      next_cursor: {
        type: ['string', 'null'],
        description: 'Send it as cursor to read on; null exactly when has_more is false',
      },
    },
  };
  all['Health'] = envelope({
    data: {
      type: 'object',
      required: ['status'],
      properties: { status: { const: 'ok', description: 'Always ok: a journal that cannot be read is a 503' } },
    },
  });
  all['Problem'] = {
    type: 'object',
    description: 'An error, RFC 9457',
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'Names the kind of error' },
      title: { type: 'string', description: 'The kind of error, in words' },
      status: { type: 'integer', description: 'The HTTP status' },
      detail: { type: 'string', description: 'What is wrong and what to do, for a person' },
      code: {
        type: 'string',
        enum: PROBLEM_CODES satisfies ProblemCode[],
        description: 'What is wrong, for a program',
      },
      param: { type: 'string', description: 'The parameter that is to blame, where one is' },
      request_id: { type: 'string', description: 'Names this request in the log of the server' },
    },
  };
  return all;
}

function envelope(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    // Clients must bear with fields they don't know: new ones may come.
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
  return json;
}
