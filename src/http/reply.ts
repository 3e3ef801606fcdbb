/**
 * Responses: status, headers and body, with its tag and compressed form made once. Every
 * one, errors included, is sent with its headers, ETag and compression.
 */

import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import fresh from 'fresh';
import Negotiator from 'negotiator';
import { PICTURE_MEDIA, type PictureMedia } from '../pictures/kept-pictures.ts';
import { corsHeaders } from './host.ts';
import { Problem } from './problem.ts';
import type { RequestContext } from './request-context.ts';

export type MediaType =
  | 'application/json'
  | 'application/problem+json'
  | 'text/html; charset=utf-8'
  | 'text/css; charset=utf-8'
  | 'text/javascript; charset=utf-8'
  | 'text/plain; charset=utf-8'
  | 'text/csv; charset=utf-8'
  | 'application/x-ndjson'
  | 'image/svg+xml'
  | PictureMedia;

const COMPRESS_FROM = 1024;

/**
 * Bytes that are compressed within a millisecond or two, which is less than another
 * thread costs.
 */
const SHORT = 256_000;

const LEVEL = { level: 1 };

const gzipElsewhere = (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes, LEVEL);

export interface Reply {
  status: number;
  /** null for no body, as with 204. */
  body: ResponseBody | null;
  headers?: Readonly<Record<string, string>>;
}

export class ResponseBody {
  readonly bytes: Buffer;
  readonly type: MediaType;
  /** Identifies the bytes and the link; null if the response can't be revalidated. */
  readonly tag: string | null;
  /** Link header with the address of the next page; null if none. */
  readonly link: string | null;
  /** Records of a list, or 1 for a single record. */
  records = 0;
  #gzip: Buffer | undefined;
  #compressing: Promise<void> | undefined;

  /** @param tag true to compute one; null for none; or one computed before */
  constructor(
    content: string | Buffer,
    type: MediaType,
    tag: string | true | null,
    link: string | null = null,
    gzip?: Buffer,
  ) {
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.type = type;
    this.link = link;
    this.tag = tag === true ? tagOf(this.bytes, link) : tag;
    this.#gzip = gzip;
  }

  get compressible(): boolean {
    return this.bytes.length > COMPRESS_FROM && !this.isPicture;
  }

  /** Whether it is a kept picture, whose bytes come from a file of the user. */
  get isPicture(): boolean {
    return Object.values(PICTURE_MEDIA).some((type) => type === this.type);
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.bytes, LEVEL);
    return this.#gzip;
  }

  /** Whether compressing at once would delay other requests. */
  get compressesLong(): boolean {
    return this.bytes.length > SHORT && this.#gzip === undefined;
  }

  /** Compresses in the background. */
  compress(): Promise<void> {
    this.#compressing ??= gzipElsewhere(this.bytes).then((bytes) => {
      this.#gzip = bytes;
    });
    return this.#compressing;
  }
}

function tagOf(bytes: Buffer, link: string | null): string {
  const hashed = link === null ? bytes : Buffer.concat([bytes, Buffer.from(link)]);
  return hash('sha256', hashed, 'base64url').slice(0, 27);
}

export function jsonBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/json', true);
}

export function problemBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/problem+json', null);
}

// Sending.

/**
 * Headers of every response, including those that Node sends before the application sees
 * a request.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-cache',
};

const VARY = 'Authorization, X-Api-Key, Accept, Accept-Encoding';

/** Return value that the router requires. */
const SENT = {} as Response;

interface Senders {
  /** Browser origins that may read the response. */
  corsOrigins: readonly string[];
  unsent: UnsentBodies;
}

/**
 * Writes to Node's own response if there is one. That doubles the speed: 52,413 requests
 * a second, against 25,605 for Hono's own Response with constant bytes (bench/README.md).
 */
export function send(
  context: RequestContext,
  senders: Senders,
  reply: Reply,
): Response | Promise<Response> {
  const { body } = reply;
  if (!body?.compressesLong || !isSentAsGzip(context, body))
    return sendNow(context, senders, reply);
  return body.compress().then(() => sendNow(context, senders, reply));
}

function sendNow(
  context: RequestContext,
  { corsOrigins, unsent }: Senders,
  reply: Reply,
): Response {
  const { status, headers, bytes } = prepare(context, corsOrigins, reply);
  context.status = status;
  const { outgoing, take, sent = SENT } = context.c.env ?? {};

  if (outgoing) {
    outgoing.writeHead(status, headers);
    unsent.send(outgoing, bytes);
  } else if (take) take({ status, headers, bytes });
  else return new Response(bytes && new Uint8Array(bytes), { status, headers });

  return sent;
}

/**
 * The response to send: a 304 if the client has it, compressed if the client accepts
 * that.
 */
function prepare(
  context: RequestContext,
  corsOrigins: readonly string[],
  { status, body, headers: more }: Reply,
) {
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    'X-Request-Id': context.requestId,
    Vary: corsOrigins.length > 0 ? `${VARY}, Origin` : VARY,
    ...(corsOrigins.length > 0 ? corsHeaders(context.headers, corsOrigins) : undefined),
    ...more,
  };
  if (context.rateLimit) {
    headers['RateLimit-Policy'] = context.rateLimit.policy;
    headers['RateLimit'] = context.rateLimit.state;
  }

  if (!body) return { status, headers, bytes: null };

  if (body.link !== null) headers['Link'] = body.link;

  const gzipped = isSentAsGzip(context, body);
  if (body.tag !== null) {
    // A strong tag identifies bytes: the compressed form has its own.
    headers['ETag'] = etagOf(body.tag, gzipped);
    if (isUnchanged(context, body.tag, gzipped))
      return { status: 304, headers, bytes: null };
  }

  const bytes = gzipped ? body.gzip : body.bytes;
  if (gzipped) headers['Content-Encoding'] = 'gzip';
  headers['Content-Type'] = body.type;
  headers['Content-Length'] = String(bytes.length);

  return { status, headers, bytes };
}

function isSentAsGzip(context: RequestContext, { compressible }: ResponseBody): boolean {
  return compressible && acceptsGzip(context);
}

export function acceptsGzip({ headers }: RequestContext): boolean {
  if (headers['accept-encoding'] === undefined) return false;
  return new Negotiator({ headers }).encoding(['gzip']) === 'gzip';
}

function etagOf(tag: string, gzipped: boolean): string {
  return gzipped ? `"${tag}-gzip"` : `"${tag}"`;
}

/**
 * Whether the client has either form of the body. By If-None-Match alone: with
 * Cache-Control: no-cache a client revalidates, too.
 */
function isUnchanged(
  { headers }: RequestContext,
  tag: string,
  gzipped: boolean,
): boolean {
  if (headers['if-none-match'] === undefined) return false;
  const sent = { 'if-none-match': headers['if-none-match'] };
  return (
    fresh(sent, { etag: etagOf(tag, gzipped) }) ||
    fresh(sent, { etag: etagOf(tag, !gzipped) })
  );
}

/** For a request that never reaches the application. */
export const UNREADABLE = new Problem(
  'bad_request',
  'the request line or the Host header is not valid HTTP',
);

export function headersOf(requestId: string): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    'X-Request-Id': requestId,
    'Content-Type': 'application/problem+json',
  };
}

// Long bodies are sent in slices, which shows which clients read; the memory of all of
// them together is bounded.

/**
 * Bytes of a slice. Shorter bodies are passed to the system at once, which mostly has
 * room for them.
 */
const SLICE_BYTES = 64 * 1024;

const MAX_BYTES = 16 * 1024 * 1024;

export class UnsentBodies {
  /** Bytes of each body, longest unread first. */
  readonly #bodies = new Map<ServerResponse, number>();
  #bytes = 0;

  /** Sends a body after its headers, and ends the response. */
  send(response: ServerResponse, bytes: Buffer | null): void {
    if (bytes === null || bytes.length <= SLICE_BYTES || response.req.method === 'HEAD')
      return void response.end(bytes);

    this.#bodies.set(response, bytes.length);
    this.#bytes += bytes.length;
    response.once('close', () => this.#forget(response));
    this.#dropStalled();

    let at = 0;
    const sendOn = () => {
      // Last among those that have taken nothing for long.
      if (this.#bodies.delete(response)) this.#bodies.set(response, bytes.length);
      while (at < bytes.length && !response.destroyed) {
        const slice = bytes.subarray(at, at + SLICE_BYTES);
        at += SLICE_BYTES;
        if (!response.write(slice)) break;
      }

      if (at >= bytes.length) {
        response.off('drain', sendOn);
        response.end();
      }
    };

    response.on('drain', sendOn);
    sendOn();
  }

  #dropStalled(): void {
    for (const [response] of this.#bodies) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#forget(response);
      response.destroy();
    }
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#bodies.get(response) ?? 0;
    this.#bodies.delete(response);
  }
}
