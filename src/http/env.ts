import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';

/** What a request carries through the application; the bindings are there where Node's own server took it. */
export interface Env {
  Variables: { requestId: string; keyId: string | null; status: number };
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse };
}

/** A request header by its lower-case name; sent twice, it is joined by commas. */
export function headerOf(c: Context<Env>, name: string): string | undefined {
  const headers = c.env?.incoming?.headers;
  if (!headers) return c.req.header(name);
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
