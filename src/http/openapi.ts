/** The API description (OpenAPI 3.1), derived from the routes and their records. */
import { RESOURCES } from '../journal/resources/index.ts';
import { SCOPES } from '../keys/scopes.ts';
import { type Json, ref, responseSchema, schemas } from './openapi-schemas.ts';
import type { Parameter } from './parameter.ts';
import { PROBLEM_CODES, statusOf } from './problem.ts';
import type { KeyRoute, PublicRoute, Route } from './route.ts';

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
    paths: Object.fromEntries(routes.map((route) => [route.path, { get: operation(route) }])),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <key>' },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The same key, for clients other than browsers',
        },
      },
      headers: HEADERS,
      schemas: schemas(routes),
      responses: Object.fromEntries(ERROR_STATUSES.map((status) => [`Error${status}`, errorResponse(status)])),
    },
  };
}

const DESCRIPTION = `Temporary, revocable, read-only access to one user's trading journal.

All times are RFC 3339 in UTC with milliseconds; dates are days in the user's time zone (see /v1/me). Money is a number in the
currency that its field names, rounded to 8 decimals; ratios are rounded to 6. What is absent or undefined is null.

Lists are newest first. For the next page, repeat the request with pagination.next_cursor as cursor until has_more is false; keep
all filters unchanged. Every 200 under /v1 has an ETag: send it as If-None-Match, and an unchanged response is a 304.

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

function operation(route: Route): Json {
  const { operationId, tag, summary } = route;
  const common = { operationId, tags: [tag], summary };
  return route.scope === 'public' ? { ...common, ...publicPart(route) } : { ...common, ...keyPart(route) };
}

function publicPart(route: PublicRoute): Json {
  return {
    description: route.description,
    security: [],
    responses: { 200: { description: route.gives.says, content: content(route) }, ...errorRefs(route.errors) },
  };
}

function keyPart(route: KeyRoute): Json {
  const { path, scope, summary, description, parameters } = route;
  const hasId = path.includes('{id}');
  const scopes = scope === 'any key' ? [] : [scope];
  const needed = scope === 'any key' ? 'Any valid key.' : `Scope: ${scope} (${SCOPES[scope]}).`;
  const headers = Object.fromEntries(
    Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  return {
    description: `${description}\n\n${needed}`,
    security: [{ bearer: scopes }, { apiKey: scopes }],
    parameters: [...(hasId ? [PATH_ID] : []), ...parameters().map(parameter)],
    responses: {
      200: { description: summary, headers, content: content(route) },
      304: { description: 'Not modified since the ETag in the request', headers },
      ...errorRefs(hasId ? ERROR_STATUSES : ERROR_STATUSES.filter((status) => status !== 404)),
    },
  };
}

function content(route: Route): Json {
  return { 'application/json': { schema: responseSchema(route) } };
}

function errorRefs(statuses: readonly number[]): Json {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]));
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
  return { name, in: 'query', required: false, description, schema, ...(example === undefined ? {} : { example }) };
}

const HEADERS: Json = {
  ETag: {
    description: 'Identifies this version of the response; send it as If-None-Match',
    schema: { type: 'string' },
  },
  'X-Request-Id': { description: 'Identifies this request in the server log', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'The limit of the key: q requests in w seconds, also all at once; absent without a limit',
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
              properties: { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } },
            },
          ],
        },
      },
    },
  };
}

function errorHeaders(status: number): Json {
  const header = (name: string, description: string) => ({ [name]: { description, schema: { type: 'string' } } });
  if (status === 401 || status === 403) return header('WWW-Authenticate', 'As in RFC 6750');
  if (status === 405) return header('Allow', 'Allowed methods');
  if (status === 429 || status === 503) return header('Retry-After', 'Seconds to wait');
  return {};
}
