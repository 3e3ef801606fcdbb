/**
 * The steps of a request, in order: request id; host, key, rate limit; route, method,
 * scope, parameters; cache, read, reply; log line. Outside of /v1 there is no key, and no
 * step that depends on one.
 */

import type { Context } from 'hono';
import { ResponseTooLarge } from '../journal/response-size.ts';
import type { FoundKey, KeySource } from '../keys/key-reader.ts';
import {
  addressProof,
  CHALLENGE_HEADER,
  PROOF_HEADER,
  type Secret,
} from '../keys/secret.ts';
import { FileUnavailable, ReadAbandoned, TooManyReads } from '../sqlite/errors.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import type { AccessLog } from './access-log.ts';
import type { Tokens } from './authenticate.ts';
import { Authenticator, requireScope } from './authenticate.ts';
import type { Ask } from './client.ts';
import { cursorPosition } from './cursor.ts';
import { HostCheck, optionsReply, requireOwnOrigin } from './host.ts';
import { parseQuery, type Query } from './parameter.ts';
import { Problem, requireRead } from './problem.ts';
import { RateLimiter, type RateLimitResult, rateLimited } from './rate-limit.ts';
import {
  type AuthenticatedRequest,
  read,
  refuse,
  requireShown,
  type Sources,
} from './read.ts';
import type { ReadThreads } from './read-threads.ts';
import {
  jsonBody,
  problemBody,
  type Reply,
  ResponseBody,
  SECURITY_HEADERS,
  send,
  UnsentBodies,
} from './reply.ts';
import {
  type Env,
  type RequestContext,
  requestContext,
  searchOf,
  type Within,
} from './request-context.ts';
import { ALWAYS, ResponseCache } from './response-cache.ts';
import type {
  FileRoute,
  KeyRoute,
  OpenRoute,
  ProtocolRoute,
  PublicRoute,
  Route,
} from './route.ts';
import { type Form, prefersImages, tableFormOf } from './table.ts';
import { unknownParameters, unknownPath } from './unknown.ts';

// Errors as clients see them. Internal details stay here.

/** Status in the log of a request whose client left before its response. */
const ABANDONED = 499;

/** Estimated seconds until one of the key's long reads is done. */
const LONG_READ_S = 2;

function errorReply(problem: Problem, requestId: string): Reply {
  return {
    status: problem.status,
    body: problemBody(problem.toBody(requestId)),
    headers: problem.headers,
  };
}

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FileUnavailable) {
    return new Problem(
      'journal_unavailable',
      `${error.message}; the service recovers by itself when this is fixed`,
      {
        headers: { 'Retry-After': '1' },
      },
    );
  }
  if (error instanceof ResponseTooLarge)
    return new Problem('answer_too_large', error.message);
  if (error instanceof TooManyReads) {
    return rateLimited(LONG_READ_S, 'too many long requests queued for this key');
  }

  return new Problem(
    'internal_error',
    `internal error; the server log has the details under request id ${requestId}`,
  );
}

/** Requests for pictures per minute and key: a page shows many at once. */
const PICTURES_A_MINUTE = 600;

/** A picture that is opened as a page runs nothing, and is of no origin. */
const PICTURE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

export interface AppSettings {
  journal: ReadOnlyFile;
  keys: KeySource;
  secret: Secret;
  /** Requests per minute and key; 0 for no limit. */
  rateLimit: number;
  corsOrigins: readonly string[];
  trustProxy: boolean | readonly string[];
  /** Accepted host names, in addition to localhost and every address. */
  allowedHosts: readonly string[];
  protocols?: readonly ProtocolRoute[];
  /** Its tokens are accepted by protocols, in place of keys. */
  oauth?: { routes: readonly OpenRoute[]; tokens: Tokens };
  /** Gives the dashboard a key in exchange for a ticket. */
  ticket?: OpenRoute;
  log?: AccessLog;
  /** For reads that take long; without it, they block the process. */
  threads?: ReadThreads;
  /** Called with each error of an unreadable file; clients see it without its cause. */
  onUnavailable?: (error: FileUnavailable) => void;
  /** Called with internal errors, which clients don't see. */
  onError?: (error: unknown, requestId: string) => void;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Client of the application for requests that are part of one. */
type AskWithin = (within: Within) => Ask;

type AnyRoute = Route | FileRoute | ProtocolRoute | OpenRoute;

/** A request, checked: allowed and valid. */
type Settled = Pick<AuthenticatedRequest, 'route' | 'query' | 'after' | 'form'>;

export class Pipeline {
  readonly #settings: AppSettings;
  readonly #hostCheck: HostCheck;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter;
  readonly #pictureLimiter: RateLimiter;
  readonly #cache = new ResponseCache();
  readonly #files = new Map<FileRoute, ResponseBody>();
  readonly #sources: Sources;
  readonly #senders: { corsOrigins: readonly string[]; unsent: UnsentBodies };
  readonly #askWithin: AskWithin;

  constructor(settings: AppSettings, routes: readonly Route[], askWithin: AskWithin) {
    this.#settings = settings;
    this.#askWithin = askWithin;
    this.#sources = { ...settings, routes, cache: this.#cache, underway: new Map() };
    this.#senders = { corsOrigins: settings.corsOrigins, unsent: new UnsentBodies() };
    this.#hostCheck = new HostCheck(settings);
    this.#authenticator = new Authenticator(settings);
    this.#limiter = new RateLimiter('key', settings.rateLimit, settings.now);
    const pictures = settings.rateLimit === 0 ? 0 : PICTURES_A_MINUTE;
    this.#pictureLimiter = new RateLimiter('pictures', pictures, settings.now);
  }

  /**
   * From the request id to the log line, including errors. Cached responses are sent
   * without waiting for a promise.
   */
  handle(c: Context<Env>, route: AnyRoute | undefined): Response | Promise<Response> {
    const started = performance.now();
    const context = requestContext(c, route?.path ?? null);
    const { log, now } = this.#settings;

    const failed = (error: unknown) => {
      this.#limitWithoutKey(context);
      if (error instanceof ReadAbandoned)
        return this.#send(context, { status: ABANDONED, body: null });
      const problem = this.#problemOf(error, context.requestId);
      if (route && 'refuse' in route && route.refuse)
        return sendOn(context, route.refuse(problem));
      return this.#send(context, errorReply(problem, context.requestId));
    };

    const logged = (response: Response) => {
      this.#countRead(context);
      this.#settings.threads?.start();
      if (!c.env?.within) log?.(context, performance.now() - started, now());
      return response;
    };

    let response: Response | Promise<Response>;
    try {
      response = this.#respond(context, route);
    } catch (error) {
      response = failed(error);
    }

    return response instanceof Promise
      ? response.catch(failed).then(logged)
      : logged(response);
  }

  #respond(
    context: RequestContext,
    route: AnyRoute | undefined,
  ): Response | Promise<Response> {
    const { method, path } = context.c.req;
    this.#hostCheck.require(context); // 421
    if (route && 'answer' in route) return this.#respondOpenly(context, route);
    // A preflight has no key. The same for any path: a different response would reveal
    // which paths exist.
    if (method === 'OPTIONS') {
      this.#limitWithoutKey(context);
      return this.#send(
        context,
        optionsReply(context.headers, this.#settings.corsOrigins),
      );
    }
    if (route && 'respond' in route) return this.#respondInProtocol(context, route);
    if (route && 'read' in route) return this.#respondWithFile(context, route);
    if (route?.scope === 'public') return this.#respondPublicly(context, route);
    if (!isUnderV1(path)) throw unknownPath(path, this.#sources.routes);

    const key = context.c.env?.within?.key ?? this.#authenticator.authenticate(context); // 401
    if (key instanceof Promise)
      return key.then((found) => this.#respondWithKey(context, route, found));

    return this.#respondWithKey(context, route, key);
  }

  /** Outside of /v1: method, cache, read, reply. */
  async #respondPublicly(context: RequestContext, route: PublicRoute): Promise<Response> {
    requireRead(context.c.req.method); // 405
    const cached = this.#cache.get(route.path, 0, this.#settings.now());
    const body = cached ?? jsonBody(await route.handle(this.#sources));
    if (route.cached === 'always') this.#cache.set(route.path, body, 0, ALWAYS);
    return this.#send(context, { status: 200, body, headers: this.#proof(context) });
  }

  /** A file, cached after the first request. */
  #respondWithFile(
    context: RequestContext,
    route: FileRoute,
  ): Response | Promise<Response> {
    requireRead(context.c.req.method); // 405
    let body = this.#files.get(route);
    if (!body) {
      body = new ResponseBody(route.read(), route.type, true);
      this.#files.set(route, body);
    }

    const policy = route.contentSecurityPolicy;
    const headers = policy === undefined ? {} : { 'Content-Security-Policy': policy };
    return this.#send(context, { status: 200, body, headers });
  }

  /** Origin, key, rate limit; then the protocol's own work, counted as one request. */
  async #respondInProtocol(
    context: RequestContext,
    route: ProtocolRoute,
  ): Promise<Response> {
    requireOwnOrigin(context.headers, this.#settings.corsOrigins); // 403
    const key = await this.#authenticator.authenticate(
      context,
      this.#settings.oauth?.tokens,
    ); // 401
    const counted = this.#count(context, key); // 429
    return sendOn(
      context,
      await route.respond(context.c.req.raw, this.#askWithin({ key, counted })),
    );
  }

  /** Without a key. */
  async #respondOpenly(context: RequestContext, route: OpenRoute): Promise<Response> {
    const askAs = (key: FoundKey) =>
      this.#askWithin({ key, counted: this.#count(context, key) });
    return sendOn(
      context,
      await route.answer(context, { authenticator: this.#authenticator, askAs }),
    );
  }

  /** For clients that check whether this is the service they expect. */
  #proof({ c, headers }: RequestContext): Record<string, string> {
    const challenge = headers[CHALLENGE_HEADER];
    const { localAddress: address, localPort: port } = c.env?.incoming?.socket ?? {};
    if (typeof challenge !== 'string' || address === undefined || port === undefined)
      return {};
    const proof = addressProof(this.#settings.secret, challenge, { address, port });
    return proof === undefined ? {} : { [PROOF_HEADER]: proof };
  }

  #count(context: RequestContext, key: FoundKey, isPicture = false): RateLimitResult {
    context.keyId = key.id;
    const limiter = isPicture ? this.#pictureLimiter : this.#limiter;
    const counted = limiter.take(key.id);
    context.rateLimit = limiter.headers(counted);
    if (counted.allowed) return counted;

    const what = isPicture ? 'requests for pictures' : 'requests';
    throw rateLimited(
      counted.retryAfter,
      `this key has ${limiter.perMinute} ${what} a minute`,
    );
  }

  /**
   * Under /v1 with a valid key: rate limit; route, method, scope, parameters; cache,
   * read, reply.
   */
  #respondWithKey(
    context: RequestContext,
    route: KeyRoute | undefined,
    key: FoundKey,
  ): Response | Promise<Response> {
    const { journal, keys, now } = this.#settings;
    const { remaining } =
      context.c.env?.within?.counted ?? this.#count(context, key, route?.isPicture); // 429
    const lastUsed = keys.touch(key, now());

    const search = searchOf(context);
    let settled: Settled;
    try {
      settled = this.#settle(context, route, key, search);
    } catch (problem) {
      return refuse(journal, key, problem);
    }

    // Keys with the same user, scopes and lens get the same response.
    const id = `${settled.form ?? 'json'} ${key.audience} ${context.c.req.path}?${search}`;
    const version = journal.version();
    const cached = this.#cache.get(id, version, now());
    if (cached) return this.#sendRead(context, key, cached);

    const limits = { perMinute: this.#limiter.perMinute, remaining };
    const request = { context, key, lastUsed, limits, ...settled, id, version };
    return read(this.#sources, request).then((body) =>
      this.#sendRead(context, key, body),
    );
  }

  #sendRead(
    context: RequestContext,
    key: FoundKey,
    body: ResponseBody,
  ): Response | Promise<Response> {
    context.read = { key, records: body.records };
    const headers = body.isPicture ? { 'Content-Security-Policy': PICTURE_POLICY } : {};
    return this.#send(context, { status: 200, body, headers });
  }

  /**
   * Adds a response to the activity of its key. A 304, or one to HEAD, has no records.
   */
  #countRead({ c, read, route, status }: RequestContext): void {
    if (read === null || route === null || (status !== 200 && status !== 304)) return;

    const records = status === 304 || c.req.method === 'HEAD' ? 0 : read.records;
    this.#settings.keys.countRead(
      read.key,
      read.key.client ?? read.key.name,
      route,
      records,
      this.#settings.now(),
    );
  }

  /** Checks what a key asks for, without reading the journal. */
  #settle(
    { c, headers }: RequestContext,
    route: KeyRoute | undefined,
    key: FoundKey,
    search: string,
  ): Settled {
    const { routes } = this.#sources;
    if (!route) throw unknownPath(c.req.path, routes); // 404

    requireRead(c.req.method); // 405
    requireScope(route.scope, key); // 403
    const query = parseQuery(route.parameters(), search, (names) =>
      unknownParameters(names, route, routes),
    ); // 400
    requireShown(route, query, key.lens); // 400

    const after = cursorPosition(route, query, key, this.#settings.secret.signCursor); // 400
    const form = formOf(route, query, headers.accept);
    return { route, query, after, form };
  }

  /** The rate limit of a request under /v1 without a valid key. */
  #limitWithoutKey(context: RequestContext): void {
    if (context.keyId === null && isUnderV1(context.c.req.path))
      context.rateLimit = this.#authenticator.limitOf(context);
  }

  #problemOf(error: unknown, requestId: string): Problem {
    if (error instanceof FileUnavailable) this.#settings.onUnavailable?.(error);
    const problem = problemOf(error, requestId);
    if (problem.status === 500) this.#settings.onError?.(error, requestId);
    return problem;
  }

  #send(context: RequestContext, reply: Reply): Response | Promise<Response> {
    return send(context, this.#senders, reply);
  }
}

/** A response of another room, with the usual headers. */
function sendOn(context: RequestContext, { status, headers, body }: Response): Response {
  context.status = status;
  const all = new Headers({ ...SECURITY_HEADERS, 'X-Request-Id': context.requestId });
  for (const [name, value] of headers) all.set(name, value);
  return new Response(body, { status, headers: all });
}

function formOf(
  route: KeyRoute,
  query: Query,
  accept: string | undefined,
): Form | undefined {
  if (route.isPicture) return prefersImages(accept) ? 'image' : undefined;
  return route.isTable?.(query) ? tableFormOf(accept) : undefined;
}

function isUnderV1(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
