/** CORS: off unless origins are named. Pages may send Authorization; x-api-key is for programs only. */
import type { IncomingHttpHeaders } from 'node:http';
import { ALLOW } from './method.ts';
import { Problem } from './problem.ts';
import type { Reply } from './response-body.ts';

/** @returns headers that let a page of a named origin read the response */
export function corsHeaders({ origin }: IncomingHttpHeaders, allowed: readonly string[]): Record<string, string> {
  if (!isAllowed(origin, allowed)) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
  };
}

/** Response to OPTIONS, including a browser's preflight. */
export function optionsReply(headers: IncomingHttpHeaders, allowed: readonly string[]): Reply {
  const isPreflight = headers['access-control-request-method'] !== undefined && isAllowed(headers.origin, allowed);
  return { status: 204, body: null, headers: { Allow: ALLOW, ...(isPreflight ? PREFLIGHT : {}) } };
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '600',
};

/**
 * For requests that do more than read a response, which CORS would guard: pages of other sites are refused first.
 * @throws Problem (403)
 */
export function requireOwnOrigin({ origin, host }: IncomingHttpHeaders, allowed: readonly string[]): void {
  if (origin === undefined || isAllowed(origin, allowed)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new Problem('foreign_origin', 'origin not allowed; start the service with --cors-origin to allow it');
}

function isAllowed(origin: string | undefined, allowed: readonly string[]): origin is string {
  return origin !== undefined && allowed.includes(origin);
}
