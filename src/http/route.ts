/** A route, and what a handler gets of a request. */

import type * as z from 'zod';
import type { User } from '../journal/journal.ts';
import type { ListPosition } from '../journal/list-walk.ts';
import type { ListResource } from '../journal/resource.ts';
import type { FoundKey } from '../keys/key-reader.ts';
import { isGranted, type NeededScope, type Scope } from '../keys/scopes.ts';
import type { StoredKey } from '../keys/store.ts';
import type { PictureFolder } from '../pictures/kept-pictures.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import type { ZoneClock } from '../time.ts';
import type { Authenticator } from './authenticate.ts';
import type { Ask } from './client.ts';
import type { Parameter, Query } from './parameter.ts';
import type { Problem } from './problem.ts';
import type { MediaType } from './reply.ts';
import type { RequestContext } from './request-context.ts';
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
  scope: NeededScope;
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
  return scope !== 'public' && isGranted(scope, scopes);
}
