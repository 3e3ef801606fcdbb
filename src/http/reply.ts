/** The one way out: every answer, errors included, gets its headers, its ETag and its compression here. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Content } from './content.ts';
import { allowedOrigin } from './cors.ts';
import { type Exchange, headerOf } from './env.ts';

export interface Answer {
  status: number;
  /** null: none, as with 204. */
  content: Content | null;
  headers?: Readonly<Record<string, string>>;
}

const SECURITY = [
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Cache-Control',
  'private, no-cache',
] as const;

const VARY = 'Authorization, X-Api-Key, Accept-Encoding';

/** @param corsOrigins browser origins that may read the answer */
export function reply(
  exchange: Exchange,
  corsOrigins: readonly string[],
  { status, content, headers }: Answer,
): Response {
  const { c, requestId } = exchange;
  const all: string[] = [
    ...SECURITY,
    'X-Request-Id',
    requestId,
    'Vary',
    corsOrigins.length > 0 ? `${VARY}, Origin` : VARY,
  ];
  if (corsOrigins.length > 0) {
    const origin = allowedOrigin(headerOf(c, 'origin'), corsOrigins);
    if (origin !== undefined) {
      all.push('Access-Control-Allow-Origin', origin);
      all.push('Access-Control-Expose-Headers', 'ETag, Retry-After, WWW-Authenticate, X-Request-Id');
    }
  }
  for (const name in headers) all.push(name, headers[name] as string);
  if (!content) return deliver(exchange, status, all, null);

  const compressed = content.compressible && acceptsGzip(headerOf(c, 'accept-encoding'));
  if (content.tag !== null) {
    // A strong tag names the bytes that are sent: the compressed ones have a name of their own.
    all.push('ETag', compressed ? `"${content.tag}-gzip"` : `"${content.tag}"`);
    if (matches(headerOf(c, 'if-none-match'), content.tag)) return deliver(exchange, 304, all, null);
  }
  const body = compressed ? content.gzip : content.bytes;
  if (compressed) all.push('Content-Encoding', 'gzip');
  all.push('Content-Type', content.type, 'Content-Length', String(body.length));
  return deliver(exchange, status, all, body);
}

/** Straight to Node's own response where there is one: a Response object takes many times as long. */
function deliver(exchange: Exchange, status: number, headers: string[], body: Buffer | null): Response {
  exchange.status = status;
  const outgoing = exchange.c.env?.outgoing;
  if (outgoing) {
    outgoing.writeHead(status, headers);
    outgoing.end(body);
    return RESPONSE_ALREADY_SENT;
  }
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] as string, headers[i + 1] as string]);
  return new Response(body && new Uint8Array(body), { status, headers: pairs });
}

/** Whether gzip is welcome: by name, or by * where it isn't named. */
function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  const codings = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      return [name, !parameters.some((text) => /^q=0(\.0*)?$/.test(text))];
    }),
  );
  return codings.get('gzip') ?? codings.get('*') ?? false;
}

/** If-None-Match compares weakly, and either form of the body is as good as the other. */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const known = [`"${tag}"`, `"${tag}-gzip"`];
  return header.split(',').some((part) => known.includes(part.trim().replace(/^W\//, '')));
}
