/** From a request of Node's server to one of the application. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { type Env, GET } from './request-context.ts';
import { FILES, ROUTES } from './routes.ts';

/** Paths outside of /v1 that need no more of a request than its headers. */
const PUBLIC = new Set([...ROUTES, ...FILES].map(({ path }) => path));

/** A path under /v1 and a query that a URL keeps as they are: no percent sign in the path. */
const PLAIN_TARGET = /^\/v1\/[!$&-;=@-Z_a-z~]*(?:\?[!$%&-;=?-[\]_a-z~]*)?$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::[1-9]\d{3,4})?$/;

/**
 * Almost all requests are a GET of a plain path, and need neither Hono's adapter nor Node's fetch under it: `serve` starts 50 ms sooner and
 * stays 20 MB smaller. Any other request goes through the adapter, which is loaded when the first one comes.
 * @param hostname for a request that names no host
 */
export function listenerOf(app: Hono<Env>, hostname: string): RequestListener {
  let adapter: Promise<RequestListener> | undefined;
  return (incoming, outgoing) => {
    if (isPlain(incoming)) return void answer(app, incoming, outgoing);
    adapter ??= import('./adapter.ts').then(({ adapterOf }) => adapterOf(app, hostname));
    void adapter.then((listener) => listener(incoming, outgoing));
  };
}

function isPlain({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || !PLAIN_HOST.test(headers.host ?? '')) return false;
  return PUBLIC.has(url) || (PLAIN_TARGET.test(url) && !DOT_SEGMENT.test(url));
}

async function answer(app: Hono<Env>, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  await app.fetch(GET(`http://localhost${incoming.url}`), { incoming, outgoing });
  // The application answers errors, too: should it ever not, the client doesn't wait.
  if (!outgoing.headersSent) outgoing.destroy();
}
