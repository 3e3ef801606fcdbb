/** The HTTP application: what happens to a request, in order, and every route. */
import { type Context, Hono } from 'hono';
import { lastDays } from '../journal/analytics/window.ts';
import { findUser } from '../journal/journal.ts';
import type { FoundKey, KeyReader } from '../keys/key-reader.ts';
import type { Secret } from '../keys/secret.ts';
import { FileUnavailable, ReadAbandoned, type ReadOnlyFile } from '../sqlite/read-only-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import { isTimeZone, ZoneClock } from '../time.ts';
import type { AccessLog } from './access-log.ts';
import { authenticate, insufficientScope, invalidKey } from './authenticate.ts';
import { ClientAddress } from './client-address.ts';
import { Content } from './content.ts';
import { allowedOrigin, PREFLIGHT } from './cors.ts';
import { type Env, type Exchange, headerOf, searchOf } from './env.ts';
import { openApi } from './openapi.ts';
import { parseQuery } from './parameter.ts';
import { notFound, Problem } from './problem.ts';
import { RateLimiter } from './rate-limit.ts';
import { type Answer, reply } from './reply.ts';
import { requestIdOf } from './request-id.ts';
import { ALWAYS, AnswerMemory } from './response-cache.ts';
import type { Operation } from './route.ts';
import { OPERATIONS } from './routes.ts';

export interface AppSettings {
  journal: ReadOnlyFile;
  keys: KeyReader;
  secret: Secret;
  /** Requests a minute for each key; 0 for no limit. */
  rateLimit: number;
  corsOrigins: readonly string[];
  trustProxy: boolean | readonly string[];
  log?: AccessLog;
  /** Called with what went wrong inside, which the client isn't told. */
  onError?: (error: unknown, requestId: string) => void;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A request for something of the journal, its key found. */
interface Asked {
  c: Context<Env>;
  operation: Operation | undefined;
  key: FoundKey;
  /** Epoch milliseconds of the request before this one with the key; null for the first. */
  lastUsed: number | null;
  /** Requests that the key has left now. */
  remaining: number;
  search: string;
  /** What the answer is remembered by. */
  id: string;
  /** The journal's when it was asked. */
  version: number;
}

/** Wrong keys a minute from one address before it is told to wait. A valid key is never refused for them. */
const FAILED_KEYS_PER_MINUTE = 30;

/** What the log says of a request whose client went away before its answer. */
const ABANDONED = 499;

const ALLOW = 'GET, HEAD, OPTIONS';

const HEALTHY = new Content('{"data":{"status":"ok"}}', 'application/json', true);

export function createApp(settings: AppSettings): Hono<Env> {
  const { journal, keys, secret, now } = settings;
  const calls = new RateLimiter(settings.rateLimit, now);
  const failures = new RateLimiter(FAILED_KEYS_PER_MINUTE, now);
  const clientAddress = new ClientAddress(settings.trustProxy);
  const app = new Hono<Env>();

  const memory = new AnswerMemory();

  const send = (exchange: Exchange, answer: Answer) => reply(exchange, settings.corsOrigins, answer);

  /**
   * What goes around every answer: the request id, errors in words, the log line. What is remembered is answered at once: to wait for
   * a promise takes as long as the rest.
   */
  const route = (respond: (exchange: Exchange) => Response | Promise<Response>) => (c: Context<Env>) => {
    const started = performance.now();
    const exchange: Exchange = { c, requestId: requestIdOf(headerOf(c, 'x-request-id')), keyId: null, status: 0 };
    const failed = (error: unknown) =>
      error instanceof ReadAbandoned
        ? send(exchange, { status: ABANDONED, content: null })
        : send(exchange, answerTo(error, exchange.requestId));
    const logged = (response: Response) => {
      settings.log?.(c.req.method, c.req.path, exchange, performance.now() - started, now());
      return response;
    };
    let response: Response | Promise<Response>;
    try {
      response = c.req.method === 'OPTIONS' ? send(exchange, options(c)) : respond(exchange);
    } catch (error) {
      response = failed(error);
    }
    return response instanceof Promise ? response.catch(failed).then(logged) : logged(response);
  };

  const answerTo = (error: unknown, requestId: string): Answer => {
    const problem = problemOf(error, requestId);
    if (problem.code === 'internal_error') settings.onError?.(error, requestId);
    const body = JSON.stringify(problem.toBody(requestId));
    const content = new Content(body, 'application/problem+json', false);
    return { status: problem.status, content, headers: problem.headers };
  };

  // A preflight carries no key. Whatever the path: an answer that differed would tell which paths exist.
  const options = (c: Context<Env>): Answer => {
    const asked = headerOf(c, 'access-control-request-method') !== undefined;
    const browser = asked && allowedOrigin(headerOf(c, 'origin'), settings.corsOrigins) !== undefined;
    return { status: 204, content: null, headers: { Allow: ALLOW, ...(browser ? PREFLIGHT : {}) } };
  };

  const keyOf = (c: Context<Env>) => {
    try {
      return authenticate(keys, secret, now(), headerOf(c, 'authorization'), headerOf(c, 'x-api-key'));
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401 || error.code === 'missing_key') throw error;
      const peer = c.env?.incoming?.socket.remoteAddress ?? '';
      const taken = failures.take(clientAddress.of(peer, headerOf(c, 'x-forwarded-for')));
      throw taken.allowed ? error : rateLimited(taken.retryAfter, 'too many wrong keys came from this address');
    }
  };

  /** Under /v1: key (401), then path (404), method (405), scope (403), parameters (400). */
  const serve = (exchange: Exchange, operation: Operation | undefined): Response | Promise<Response> => {
    const { c } = exchange;
    const key = keyOf(c);
    exchange.keyId = key.id;
    const taken = calls.take(key.id);
    if (!taken.allowed) throw rateLimited(taken.retryAfter, `this key has ${calls.perMinute} requests a minute`);
    const lastUsed = keys.touch(key, now());

    const search = searchOf(c);
    // Who holds the same scopes of the same user gets the same answer, and has passed the same checks.
    const id = `${key.audience} ${c.req.path}?${search}`;
    const version = journal.version();
    const asked: Asked = { c, operation, key, lastUsed, remaining: taken.remaining, search, id, version };
    const known = recall(asked, version);
    if (known) return send(exchange, { status: 200, content: known });
    const isWanted = () => c.env?.outgoing?.destroyed !== true;
    return journal
      .readInSteps((reader) => contentFor(reader, asked), isWanted)
      .then((content) => send(exchange, { status: 200, content }));
  };

  const recall = ({ c, id }: Asked, version: number) =>
    isRead(c.req.method) ? memory.recall(id, version, now()) : undefined;

  // One for all: a generator function made for each request would get a hidden class each, and hold the request in memory with it.
  function* contentFor(reader: Reader, asked: Asked): Generator<void, Content> {
    const { c, operation, key, search, id, version } = asked;
    // A pass may have waited for its turn, and somebody else have got the same answer.
    const meanwhile = recall(asked, journal.version());
    if (meanwhile) return meanwhile;
    const user = findUser(reader, key.user_id);
    if (!user) throw invalidKey('the user of this key is no longer in the journal');
    if (!isTimeZone(user.timezone)) {
      throw new FileUnavailable('the time zone of this user is none; its owner sets one with "journal-api user set"');
    }
    if (!operation) throw notFound();
    checkMethod(c);
    if (operation.scope !== null && !key.scopes.includes(operation.scope)) throw insufficientScope(operation.scope);
    const clock = new ZoneClock(user.timezone);
    const at = now();
    const answer = operation.handle({
      reader,
      user,
      clock,
      key,
      lastUsed: asked.lastUsed,
      secret,
      query: parseQuery(operation.parameters, search),
      pathId: c.req.param('id') ?? '',
      now: at,
      limits: { perMinute: calls.perMinute, remaining: asked.remaining },
    });
    // Only where nothing has changed from before the read until within its snapshot: then it is the answer of that version.
    const isOfVersion = journal.version() === version;
    const body = Symbol.iterator in answer ? yield* answer : answer;
    const content = new Content(JSON.stringify(body), 'application/json', true);
    if (isOfVersion && operation.holds === 'today') memory.remember(id, content, version, lastDays(clock, 1, at));
    if (isOfVersion && operation.holds === 'unchanged') memory.rememberIfRepeated(id, content, version, ALWAYS);
    return content;
  }

  for (const operation of OPERATIONS) {
    app.all(
      operation.path.replace('{id}', ':id'),
      route((exchange) => serve(exchange, operation)),
    );
  }
  // Outside /v1: no key, and nothing of the journal.
  app.all(
    '/healthz',
    route((exchange) => {
      checkMethod(exchange.c);
      journal.read((reader) => reader.get('SELECT 1 FROM users LIMIT 1'));
      return send(exchange, { status: 200, content: HEALTHY });
    }),
  );
  let description: Content | undefined;
  app.all(
    '/openapi.json',
    route((exchange) => {
      checkMethod(exchange.c);
      description ??= new Content(JSON.stringify(openApi()), 'application/json', true);
      return send(exchange, { status: 200, content: description });
    }),
  );
  // Not a route that matches everything: where two match, Hono goes from one to the next by promises.
  app.notFound(
    route((exchange) => {
      const { path } = exchange.c.req;
      if (path === '/v1' || path.startsWith('/v1/')) return serve(exchange, undefined);
      throw notFound();
    }),
  );
  return app;
}

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FileUnavailable) {
    return new Problem('journal_unavailable', `${error.message}; once that is put right this answers again by itself`, {
      headers: { 'Retry-After': '1' },
    });
  }
  return new Problem(
    'internal_error',
    `this is a fault of the server; its log names it by the request id ${requestId}`,
  );
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function checkMethod(c: Context<Env>): void {
  if (isRead(c.req.method)) return;
  throw new Problem('method_not_allowed', 'this service only reads: use GET', { headers: { Allow: ALLOW } });
}

function rateLimited(retryAfter: number, why: string): Problem {
  return new Problem('rate_limited', `${why}; try again in ${retryAfter} s`, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}
