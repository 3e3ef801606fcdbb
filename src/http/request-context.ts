import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';

/** What Node's own server hands to the application; not there where a test calls it directly. */
export interface Env {
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse };
}

/** One request on its way through the application, with what its log line tells. */
export interface Exchange {
  c: Context<Env>;
  requestId: string;
  keyId: string | null;
  status: number;
}

/** A request header by its lower-case name; sent twice, it is joined by commas. */
export function headerOf(c: Context<Env>, name: string): string | undefined {
  const headers = c.env?.incoming?.headers;
  if (!headers) return c.req.header(name);
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** What stands behind the ? of the request. */
export function searchOf(c: Context<Env>): string {
  const url = c.env?.incoming?.url ?? c.req.url;
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}
