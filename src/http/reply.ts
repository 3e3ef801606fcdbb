/** The one way out: every answer, errors included, gets its headers, its ETag and its compression here. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';
import { allowedOrigin } from './cors.ts';

export interface Answer {
  status: number;
  body: string;
  type: 'application/json' | 'application/problem+json' | 'text/plain';
  headers?: Readonly<Record<string, string>>;
  /** Whether a 200 carries an ETag and may be answered with 304. */
  tagged?: boolean;
}

export interface ReplySettings {
  corsOrigins: readonly string[];
}

const COMPRESS_FROM = 1024;

const SECURITY: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export function reply(c: Context, requestId: string, settings: ReplySettings, answer: Answer): Response {
  const origin = allowedOrigin(c.req.header('Origin'), settings.corsOrigins);
  const headers: Record<string, string> = {
    ...SECURITY,
    'X-Request-Id': requestId,
    'Cache-Control': 'private, no-cache',
    Vary: `Authorization, X-Api-Key, Accept-Encoding${settings.corsOrigins.length > 0 ? ', Origin' : ''}`,
    ...(origin === undefined
      ? {}
      : {
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Expose-Headers': 'ETag, Retry-After, WWW-Authenticate, X-Request-Id',
        }),
    ...answer.headers,
  };
  if (answer.status === 204) return new Response(null, { status: 204, headers });

  const bytes = Buffer.from(answer.body);
  const compressed = bytes.length > COMPRESS_FROM && acceptsGzip(c.req.header('Accept-Encoding'));
  if (answer.tagged) {
    // A strong tag names the bytes that are sent: the compressed ones have a name of their own.
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    headers['ETag'] = compressed ? `"${tag}-gzip"` : `"${tag}"`;
    if (matches(c.req.header('If-None-Match'), tag)) return new Response(null, { status: 304, headers });
  }
  const body = compressed ? gzipSync(bytes, { level: 1 }) : bytes;
  if (compressed) headers['Content-Encoding'] = 'gzip';
  headers['Content-Type'] = answer.type === 'text/plain' ? 'text/plain; charset=utf-8' : answer.type;
  headers['Content-Length'] = String(body.length);
  return new Response(body, { status: answer.status, headers });
}

/** Whether gzip is welcome: by name, or by * where it isn't named. */
function acceptsGzip(header: string | undefined): boolean {
  const codings = new Map(
    (header ?? '').split(',').map((part) => {
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
