/** /openapi.json, in any state of the journal. */
import { openApi } from '../openapi.ts';
import type { PublicEndpoint } from '../route.ts';

export const apiDescription: PublicEndpoint = {
  operationId: 'getDescription',
  tag: 'service',
  summary: 'This description',
  description: 'The API description, OpenAPI 3.1.',
  gives: { says: 'The description', schema: { type: 'object' } },
  errors: [405, 421],
  handle: ({ routes }) => openApi(routes),
};
