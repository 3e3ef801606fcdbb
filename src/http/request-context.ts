import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { RateLimitHeaders, RateLimitResult } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';

/** A response to a client in this process. */
export interface Taken {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer | null;
}

/** What Node's own server or a client in this process hands to the application; not there where a test calls it directly. */
export interface Env {
  Bindings: {
    incoming?: IncomingMessage;
    outgoing?: ServerResponse;
    /** Of a client in this process, by lower-case name. */
    headers?: IncomingHttpHeaders;
    /** Takes the response to a client in this process. */
    take?: (response: Taken) => void;
    /** What the application returns once a response is sent or taken. */
    sent?: Response;
    /** How the request was counted that this one is asked for: it is counted and logged no more. */
    counted?: RateLimitResult;
  };
}

/** All that the router reads of a request without a body. */
export function GET(url: string): Request {
  return { method: 'GET', url } as Request;
}

/** One request on its way through the pipeline, with what its log line tells. */
export interface RequestContext {
  c: Context<Env>;
  /** By lower-case name; what was sent twice is joined by commas. */
  headers: IncomingHttpHeaders;
  requestId: string;
  /** Of the route that was found, with {id} where it has one; null for a path that is none. */
  route: string | null;
  /** null until a key is found. */
  keyId: string | null;
  /** What the answer says of the limit that the request counts for; null outside of /v1, and where there is none. */
  rateLimit: RateLimitHeaders | null;
  /** 0 until it is answered. */
  status: number;
}

export function requestContext(c: Context<Env>, route: string | null): RequestContext {
  const headers = c.env?.incoming?.headers ?? c.env?.headers ?? Object.fromEntries(c.req.raw.headers);
  return {
    c,
    headers,
    requestId: requestIdOf(headers['x-request-id'] as string | undefined),
    route,
    keyId: null,
    rateLimit: null,
    status: 0,
  };
}

/** What stands behind the ? of the request. */
export function searchOf({ c }: RequestContext): string {
  const { url } = c.req;
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** Whether the client still waits for the answer. One of several requests that came at once has no response of its own to lose. */
export function isWaiting({ c }: RequestContext): boolean {
  return c.env?.outgoing?.destroyed !== true && c.env?.incoming?.socket.destroyed !== true;
}

/**
 * What to wait for before an answer is made: the end of the one before on the same connection, if there is one. Otherwise the
 * answers to many requests that were sent at once would all be kept until the client has read the first.
 */
export function turnOnConnection({ c }: RequestContext): Promise<void> | undefined {
  const { incoming, outgoing } = c.env ?? {};
  if (!incoming || !outgoing || outgoing.socket) return undefined;
  return new Promise((resolve) => {
    outgoing.once('socket', () => resolve());
    // The client went away.
    incoming.once('close', resolve);
  });
}
