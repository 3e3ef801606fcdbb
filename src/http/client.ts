/** A client of the API, over HTTP or within this process, with the same responses. */
import type { Hono } from 'hono';
import { type Env, GET, type Taken, type Within } from './request-context.ts';

export interface ApiResponse {
  status: number;
  /** The body as received. */
  bytes: Buffer;
  /** The same, as text. */
  text: string;
  /** The parsed body; undefined if it isn't JSON. */
  body: unknown;
  /** Query of the next page, from the Link header; null if none. */
  next: string | null;
  /** Seconds to wait before the next request, if the response has Retry-After. */
  retryAfter: number | null;
}

/** The problem that a response states; members are undefined if it states none. */
export function problemIn({ body }: Pick<ApiResponse, 'body'>) {
  const { code, detail }: { code?: unknown; detail?: unknown } =
    typeof body === 'object' && body !== null ? body : {};

  return {
    code: typeof code === 'string' ? code : undefined,
    detail: typeof detail === 'string' ? detail : undefined,
  };
}

/**
 * Requests one path, such as /v1/trades?limit=5.
 * @param accept the media type that is asked for, if not JSON
 * @throws Error without a response
 */
export type Ask = (path: string, accept?: string) => Promise<ApiResponse>;

const TIMEOUT_MS = 60_000;

/**
 * Client of an application in this process. Without Request and Response: their first use
 * loads Node's fetch, 40 ms and 20 MB.
 * @param headers headers that identify the client
 * @param within the request that its requests are part of
 */
export function askApp(
  app: Hono<Env>,
  headers: Record<string, string>,
  within?: Within,
): Ask {
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return async (path, accept) => {
    let taken: Taken | undefined;
    const take = (response: Taken) => {
      taken = response;
    };

    const asked = accept === undefined ? sent : { ...sent, accept };
    const env = { headers: asked, take, ...(within ? { within } : {}) };
    await app.fetch(GET(new URL(`http://localhost${path}`).href), env);
    if (!taken) throw new Error(`no response to ${path}`);

    const { status, headers: got, bytes } = taken;
    return apiResponseOf(status, bytes ?? Buffer.alloc(0), (name) => got[name] ?? null);
  };
}

/**
 * @param url base URL of the service: http://127.0.0.1:4747, or with a path before /v1
 * @param headers headers that identify the client
 */
export function askUrl(url: string, headers: Record<string, string>): Ask {
  const base = url.replace(/(?<!\/)\/+$/, '');
  return async (path, accept) => {
    // A redirect could send the key elsewhere.
    const response = await fetch(base + path, {
      headers: accept === undefined ? headers : { ...headers, Accept: accept },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      const cause =
        error.cause instanceof Error && error.cause.message !== ''
          ? error.cause.message
          : error.message;
      throw new Error(`${base} does not answer: ${cause}`);
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return apiResponseOf(response.status, bytes, (name) => response.headers.get(name));
  };
}

/** @param key undefined for paths without authentication */
export function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

function apiResponseOf(
  status: number,
  bytes: Buffer,
  header: (name: string) => string | null,
): ApiResponse {
  const text = bytes.toString();
  const isJson = /\bjson\b/.test(header('Content-Type') ?? '');
  const retryAfter = header('Retry-After');

  return {
    status,
    bytes,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    next: /^<(\?[^>]*)>; rel="next"$/.exec(header('Link') ?? '')?.[1] ?? null,
    retryAfter: retryAfter === null ? null : Number(retryAfter),
  };
}
