/** /healthz, for monitors. */
import type { PublicEndpoint } from '../route.ts';

export const health: PublicEndpoint = {
  operationId: 'getHealth',
  tag: 'service',
  summary: 'Whether the journal can be read',
  description:
    'For monitoring: 200 while the journal can be read, 503 while it cannot. Reveals nothing of its content.',
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
            status: { type: 'string', const: 'ok', description: 'Always ok; an unreadable journal is a 503' },
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
