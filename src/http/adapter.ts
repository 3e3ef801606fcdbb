/**
 * Hono's adapter to Node's server: for requests that the listener doesn't read by itself.
 */
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';
import { headersOf, UNREADABLE } from './reply.ts';
import type { Env } from './request-context.ts';

/** @param hostname for a request without a host */
export function adapterOf(app: Hono<Env>, hostname: string): RequestListener {
  const fetch = (request: Request, env: object) =>
    app.fetch(request, { ...env, sent: RESPONSE_ALREADY_SENT });
  return getRequestListener(fetch, {
    hostname,
    overrideGlobalObjects: false,
    errorHandler: unreadable,
  });
}

/** Response to a request that never reaches the application. */
function unreadable(error: unknown): Response {
  if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
  const requestId = randomUUID();
  const body = JSON.stringify(UNREADABLE.toBody(requestId));
  return new Response(body, { status: UNREADABLE.status, headers: headersOf(requestId) });
}
