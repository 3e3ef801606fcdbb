/** Browsers: off unless origins are named. A page may send Authorization; x-api-key is for programs, not for pages. */
import type { IncomingHttpHeaders } from 'node:http';
import { ALLOW } from './method.ts';
import type { Reply } from './reply.ts';

/** @returns headers that let a page of a named origin read the answer */
export function corsHeaders({ origin }: IncomingHttpHeaders, allowed: readonly string[]): Record<string, string> {
  if (!isAllowed(origin, allowed)) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
  };
}

/** What OPTIONS gets, a browser's preflight included. */
export function optionsReply(headers: IncomingHttpHeaders, allowed: readonly string[]): Reply {
  const isPreflight = headers['access-control-request-method'] !== undefined && isAllowed(headers.origin, allowed);
  return { status: 204, body: null, headers: { Allow: ALLOW, ...(isPreflight ? PREFLIGHT : {}) } };
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '600',
};

function isAllowed(origin: string | undefined, allowed: readonly string[]): origin is string {
  return origin !== undefined && allowed.includes(origin);
}
