/** A request on its way through the pipeline, and where it comes from. */

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { hideKeys } from '../keys/format.ts';
import type { FoundKey } from '../keys/key-reader.ts';
import type { RateLimitHeaders, RateLimitResult } from './rate-limit.ts';

const HEX = /(?:[0-9a-f]{2}){32,}/gi;

/** The client's request id if it is well-formed (and not a key), else a new one. */
function requestIdOf(header: string | undefined): string {
  return header !== undefined &&
    /^[A-Za-z0-9._:-]{1,128}$/.test(header) &&
    !hasKey(header)
    ? header
    : randomUUID();
}

/** Whether it contains a key, also in hexadecimal. */
function hasKey(text: string): boolean {
  const decoded =
    text.match(HEX)?.map((hex) => Buffer.from(hex, 'hex').toString('latin1')) ?? [];
  return [text, ...decoded].some((plain) => hideKeys(plain) !== plain);
}

/** A response to a client in this process. */
export interface Taken {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer | null;
}

/**
 * Environment from Node's server or a client in this process; absent if a test calls the
 * application directly.
 */
export interface Env {
  Bindings: {
    incoming?: IncomingMessage;
    outgoing?: ServerResponse;
    /** Headers of a client in this process, by lower-case name. */
    headers?: IncomingHttpHeaders;
    /** Receives the response to a client in this process. */
    take?: (response: Taken) => void;
    /** Return value of the application after a response is sent. */
    sent?: Response;
    /**
     * The request that this one is part of: it isn't authenticated, counted or logged
     * again.
     */
    within?: Within;
  };
}

/** Key and rate limit state of an authenticated request. */
export interface Within {
  key: FoundKey;
  counted: RateLimitResult;
}

/** The parts of a request without a body that the router reads. */
export function GET(url: string): Request {
  return { method: 'GET', url } as Request;
}

/** Node joins repeated ones, other than cookies of responses. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** One request in the pipeline, with the contents of its log line. */
export interface RequestContext {
  c: Context<Env>;
  /** By lower-case name; repeated headers are joined by commas. */
  headers: RequestHeaders;
  requestId: string;
  /** Path of the route, with {id}; null for an unknown path. */
  route: string | null;
  /** null until the key is valid. */
  keyId: string | null;
  /** The key and the records of the response; null until both are known. */
  read: { key: FoundKey; records: number } | null;
  /** Rate limit headers of the response; null outside of /v1 and without a limit. */
  rateLimit: RateLimitHeaders | null;
  /** 0 until the response. */
  status: number;
}

export function requestContext(c: Context<Env>, route: string | null): RequestContext {
  const headers = (c.env?.incoming?.headers ??
    c.env?.headers ??
    Object.fromEntries(c.req.raw.headers)) as RequestHeaders;
  return {
    c,
    headers,
    requestId: requestIdOf(headers['x-request-id']),
    route,
    keyId: null,
    read: null,
    rateLimit: null,
    status: 0,
  };
}

/** Query of the request's URL, without the ?. */
export function searchOf({ c }: RequestContext): string {
  const { url } = c.req;
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/**
 * Whether the client still waits for the response. Of several pipelined requests, only
 * the first can lose its response.
 */
export function isWaiting({ c }: RequestContext): boolean {
  return (
    c.env?.outgoing?.destroyed !== true && c.env?.incoming?.socket.destroyed !== true
  );
}

/**
 * Waits for the end of the previous response on the same connection. Otherwise the
 * responses to many pipelined requests would all be kept until the client has read the
 * first.
 */
export function turnOnConnection({ c }: RequestContext): Promise<void> | undefined {
  const { incoming, outgoing } = c.env ?? {};
  if (!incoming || !outgoing || outgoing.socket) return undefined;
  return new Promise((resolve) => {
    outgoing.once('socket', () => resolve());
    // The client left.
    incoming.once('close', resolve);
  });
}
