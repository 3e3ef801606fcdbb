/** The schemas of the API description: the records that routes give, and what stands around them. */
import * as z from 'zod';
import { MAX_LIMIT } from './parameter.ts';
import { PROBLEM_CODES } from './problem.ts';
import type { Route } from './route.ts';

export type Json = Record<string, unknown>;

const PAGINATION: Json = {
  type: 'object',
  description: 'How to read on',
  required: ['limit', 'has_more', 'next_cursor'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Records per page' },
    has_more: { type: 'boolean', description: 'Whether there are more' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Send it as cursor to get the next page; null exactly when has_more is false',
    },
  },
};

const PROBLEM: Json = {
  type: 'object',
  description: 'An error, RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Names the kind of error' },
    title: { type: 'string', description: 'Short, human-readable kind of error' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'What is wrong and what to do, for people' },
    code: { type: 'string', enum: PROBLEM_CODES, description: 'What is wrong, for programs' },
    param: { type: 'string', description: 'The parameter at fault, if any' },
    request_id: { type: 'string', description: 'Identifies this request in the server log' },
  },
};

export function schemas(routes: readonly Route[]): Json {
  return { ...Object.assign({}, ...routes.map(schemasOf)), Pagination: PAGINATION, Problem: PROBLEM };
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

/** What a route adds to the schemas, by name. */
function schemasOf({ gives }: Route): Json {
  if ('list' in gives) {
    const { name, record } = gives.list;
    const page = envelope({ data: { type: 'array', items: ref(name) }, pagination: ref('Pagination') });
    return { [name]: jsonSchema(record), [`${name}Page`]: page };
  }
  if ('data' in gives) {
    return { [gives.name]: jsonSchema(gives.data), [`${gives.name}Response`]: envelope({ data: ref(gives.name) }) };
  }
  return gives.name === undefined ? {} : { [gives.name]: gives.schema };
}

function envelope(properties: Json): Json {
  return { type: 'object', required: Object.keys(properties), properties };
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
