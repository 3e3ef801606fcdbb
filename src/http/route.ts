/** A route, a request on its way through the pipeline, and what a handler gets of it. */

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type * as z from 'zod';
import type { User } from '../journal/journal.ts';
import type { ListPosition } from '../journal/list-walk.ts';
import type { ListResource } from '../journal/resource.ts';
import { hideKeys } from '../keys/format.ts';
import type { FoundKey } from '../keys/key-reader.ts';
import type { Scope } from '../keys/scopes.ts';
import type { StoredKey } from '../keys/store.ts';
import type { PictureFolder } from '../pictures/kept-pictures.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import type { ZoneClock } from '../time.ts';
import type { Authenticator } from './authenticate.ts';
import type { Ask } from './client.ts';
import type { Parameter, Query } from './parameter.ts';
import type { Problem } from './problem.ts';
import type { RateLimitHeaders, RateLimitResult } from './rate-limit.ts';
import type { MediaType } from './reply.ts';
import type { Form } from './table.ts';

/** Input of a handler: one snapshot of the journal, the key, and the request. */
export interface RouteContext {
  routes: readonly Route[];
  reader: Reader;
  user: User;
  clock: ZoneClock;
  key: StoredKey;
  /**
   * Epoch milliseconds of the request before this one with the key; null for the first.
   */
  lastUsed: number | null;
  /** Signs a cursor. */
  signCursor: (content: string) => Buffer;
  query: Query;
  /** The cursor's position; null without a cursor. */
  after: ListPosition | null;
  /** The form of the response; undefined for JSON. */
  form: Form | undefined;
  /** The {id} of the path; empty if none. */
  pathId: string;
  /** The pictures that the journal keeps. */
  pictures: Pick<PictureFolder, 'read'>;
  /** Epoch milliseconds. */
  now: number;
  /** Ends the caching of the response at a time, in epoch milliseconds. */
  validUntil: (epochMs: number) => void;
  limits: { perMinute: number; remaining: number };
  /** Whether the response has to be short to make: else TakesLong is thrown. */
  isShort: boolean;
}

/** A row of the table in routes.ts: path, scope, caching and handler. */
export type Route = KeyRoute | PublicRoute;

/** A path under /v1, for keys. */
export interface KeyRoute extends Endpoint {
  /** As in the API description: /v1/trades/{id}. */
  path: string;
  scope: Scope | 'any key';
  /** never; while the journal is unchanged; or also no longer than the user's day. */
  cached: 'never' | 'unchanged' | 'today';
}

/** A path outside of /v1: without a key, parameters or journal data. */
export interface PublicRoute extends PublicEndpoint {
  path: string;
  scope: 'public';
  cached: 'never' | 'always';
}

/**
 * A path outside of /v1 with a public file: a page, its assets, a text. Not part of the
 * API description.
 */
export interface FileRoute {
  path: string;
  type: MediaType;
  /** Content-Security-Policy of a page; default: loads nothing. */
  contentSecurityPolicy?: string;
  read: () => string | Buffer;
}

/**
 * A path outside of /v1 with its own protocol, which calls the API with the request's
 * key.
 */
export interface ProtocolRoute {
  path: string;
  respond: (request: Request, ask: Ask) => Promise<Response>;
}

/**
 * A path outside of /v1 that takes no key, and handles methods, bodies and errors in its
 * own way.
 */
export interface OpenRoute {
  path: string;
  /** @param access the check of keys, and the API with a valid one */
  answer: (context: RequestContext, access: OpenAccess) => Promise<Response>;
  /** By default, a problem in JSON. */
  refuse?: (problem: Problem) => Response;
}

interface OpenAccess {
  authenticator: Authenticator;
  /**
   * The API with a key, to which the request is counted.
   * @throws Problem (429) beyond the key's rate limit
   */
  askAs: (key: FoundKey) => Ask;
}

/** Tokens that stand for a key, where a protocol accepts them. */
export interface Tokens {
  /**
   * @returns undefined for a text that is no token, a promise of it for an unknown one
   */
  find: (sent: string) => Promise<FoundKey | undefined> | undefined;
  /** Address of the metadata that tells clients how to get one. */
  metadataUrl: string;
}

interface Described {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
}

export interface Endpoint extends Described {
  parameters: () => readonly Parameter[];
  /**
   * The record of a list, or the shape of `data`, with its name in the description, and
   * the use of its hint.
   */
  gives: { list: ListResource } | { data: z.ZodType; name: string; hint?: string };
  /**
   * Whether a request is for a list or for a single table, which clients may ask for as
   * CSV or JSON Lines.
   */
  isTable?: (query: Query) => boolean;
  /** Whether a response may take long to make: no index serves it. */
  isLong: (query: Query, form: Form | undefined) => boolean;
  /**
   * Whether it is a picture, which clients may ask for as such; with a rate limit of its
   * own.
   */
  isPicture?: true;
  /** The {id} of its path; by default, that of a trade. */
  id?: { description: string; example: string };
  /**
   * @returns the whole body: {data} or {data, pagination}, or a table in the requested
   * form
   */
  handle: (context: RouteContext) => object;
}

export interface PublicEndpoint extends Described {
  /**
   * Description and JSON Schema of a 200; a schema with a name is a component of the
   * description.
   */
  gives: { says: string; schema: Record<string, unknown>; name?: string };
  errors: readonly number[];
  /** @returns the whole body */
  handle: (context: {
    journal: ReadOnlyFile;
    routes: readonly Route[];
  }) => object | Promise<object>;
}

/** Whether a key with these scopes may use a route. */
export function isReachable({ scope }: Route, scopes: readonly Scope[]): boolean {
  return scope === 'any key' || (scope !== 'public' && scopes.includes(scope));
}

// A request.

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
