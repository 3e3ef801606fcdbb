/** Endpoints about the service itself, without a key. */
import { openApi } from '../openapi.ts';
import type { PublicEndpoint } from '../route.ts';

/** For monitors. */
export const health: PublicEndpoint = {
  operationId: 'getHealth',
  tag: 'service',
  summary: 'Whether the journal can be read',
  description:
    "For monitoring: 200 if the journal can be read, 503 if it can't. Reveals no contents.",
  gives: {
    says: 'The journal can be read',
    name: 'Health',
    schema: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          type: 'object',
          required: ['status'],
          properties: {
            status: {
              type: 'string',
              const: 'ok',
              description: 'Always ok; an unreadable journal gives a 503',
            },
          },
        },
      },
    },
  },
  errors: [405, 421, 500, 503],
  handle: async ({ journal }) => {
    await journal.readAsync((reader) => reader.get('SELECT 1 FROM users LIMIT 1'));
    return { data: { status: 'ok' } };
  },
};

/** In any state of the journal. */
export const apiDescription: PublicEndpoint = {
  operationId: 'getDescription',
  tag: 'service',
  summary: 'This description',
  description: 'The API description, OpenAPI 3.1.',
  gives: { says: 'The description', schema: { type: 'object' } },
  errors: [405, 421],
  handle: ({ routes }) => openApi(routes),
};
