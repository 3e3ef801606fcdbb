/** Reads the journal for a request: the key's user, and the route's handler on one snapshot. */

import { lastDays } from '../journal/analytics/period.ts';
import { expiresAt, lastExpired } from '../journal/expirations.ts';
import { hiddenAs, projectionOf } from '../journal/hidden-fields.ts';
import { findUser, type User } from '../journal/journal.ts';
import { overlayOf } from '../journal/lens-views.ts';
import { MAX_RESPONSE_BYTES, type ResponseTooLarge, responseTooLarge } from '../journal/response-size.ts';
import type { FoundKey } from '../keys/key-reader.ts';
import { EXAMPLE_SYMBOL, type Hidden, isSymbolPseudonym, type Lens } from '../keys/lens.ts';
import type { Secret } from '../keys/secret.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import { addDays, isTimeZone, ZoneClock } from '../time.ts';
import { invalidKey } from './authenticate.ts';
import type { Query } from './parameter.ts';
import { invalidParameter } from './problem.ts';
import { compressionOf } from './reply.ts';
import { isWaiting, type RequestContext, searchOf, turnOnConnection } from './request-context.ts';
import { jsonBodyInSteps, ResponseBody } from './response-body.ts';
import { ALWAYS, type ResponseCache, type Validity } from './response-cache.ts';
import type { Endpoint, KeyRoute, Route, RouteContext } from './route.ts';
import { SENT_TYPES, Table } from './table.ts';

/** An authorised request under /v1. */
export interface AuthenticatedRequest extends Pick<RouteContext, 'lastUsed' | 'query' | 'after' | 'form' | 'limits'> {
  context: RequestContext;
  route: KeyRoute;
  key: FoundKey;
  /** Cache key of its response. */
  id: string;
  /** Version of the journal at the time of the request. */
  version: number;
}

/** Sources of the pipeline. */
export interface Sources {
  journal: ReadOnlyFile;
  secret: Secret;
  cache: ResponseCache;
  routes: readonly Route[];
  /** Epoch milliseconds. */
  now: () => number;
}

/** @returns the body of the response, cached as its route declares */
export async function read(sources: Sources, request: AuthenticatedRequest): Promise<ResponseBody> {
  const { context, key } = request;
  await turnOnConnection(context);
  const overlay = key.lens ? overlayOf(key.lens, key) : undefined;
  const client = { owner: key.user_id, name: key.id, isWanted: () => isWaiting(context), overlay };
  // Compressed before the next long read starts: long bodies would otherwise pile up in memory.
  const compress = (body: ResponseBody) => compressionOf(context, body);
  return sources.journal.readInSteps((reader) => bodyOf(reader, sources, request), client, compress);
}

/**
 * A problem is reported only to a key whose user is in the journal: any other key is itself invalid.
 * @throws Problem always
 */
export function refuse(journal: ReadOnlyFile, key: FoundKey, problem: unknown): Promise<never> {
  return journal.readAsync((reader) => {
    requireUser(reader, key);
    throw problem;
  });
}

function* bodyOf(reader: Reader, sources: Sources, request: AuthenticatedRequest): Generator<void, ResponseBody> {
  const { journal, cache, now } = sources;
  const { context, route, key, query, id, version } = request;
  const pathId = context.c.req.param('id') ?? '';
  // While it waited for its turn, another request may have made the same response.
  const cached = cache.get(id, journal.version(), now());
  if (cached) return cached;

  const user = requireUser(reader, key);
  yield* reader.overlay?.find?.(reader, [pathId, ...Object.values(query)]) ?? [];
  const clock = new ZoneClock(user.timezone);
  const at = now();
  let end = Number.POSITIVE_INFINITY;
  const validUntil = (time: number) => {
    end = Math.min(end, time);
  };
  const result = route.handle({ ...sources, ...request, reader, user, clock, pathId, now: at, validUntil });
  const whole = Symbol.iterator in result ? yield* result : result;
  const body =
    whole instanceof Table
      ? tableBody(whole, searchOf(context))
      : yield* jsonBodyInSteps(key.lens ? withoutHidden(whole, route.gives, key.lens.hides) : whole);
  if (body.bytes.length > MAX_RESPONSE_BYTES) throw tooLarge(body);
  body.records = recordsIn(whole, route);
  // The version is from before the read: if the journal changed since, the body is newer, and that version never returns.
  if (route.cached === 'today') {
    const { from, to } = validAt(clock, at);
    cache.set(id, body, version, { from, to: Math.min(to, end) });
  }
  if (route.cached === 'unchanged') cache.setIfRepeated(id, body, version, ALWAYS);
  return body;
}

/** The link to the next page repeats all parameters; without a path, because a proxy may have shortened it. */
function tableBody({ form, text, next }: Table, search: string): ResponseBody {
  const query = new URLSearchParams(search);
  if (next !== null) query.set('cursor', next);
  return new ResponseBody(text, SENT_TYPES[form], true, next === null ? null : `<?${query}>; rel="next"`);
}

/** Figures have no records. */
function recordsIn(whole: object, { gives, path }: KeyRoute): number {
  if ('list' in gives) return whole instanceof Table ? whole.records : (whole as { data: unknown[] }).data.length;
  return path.includes('{id}') ? 1 : 0;
}

/** The day of an instant, up to or from the moment at which options expire. */
function validAt(clock: ZoneClock, at: number): Validity {
  const [day, last] = [lastDays(clock, 1, at), lastExpired(at)];
  return { from: Math.max(day.from, expiresAt(last)), to: Math.min(day.to, expiresAt(addDays(last, 1))) };
}

function tooLarge({ bytes }: ResponseBody): ResponseTooLarge {
  return responseTooLarge('the response', bytes.length, 'request a shorter period or add filters');
}

/** @throws Problem or FileUnavailable if the key's user is not in the journal, or has an invalid time zone */
function requireUser(reader: Reader, key: FoundKey): User {
  const user = findUser(reader, key.user_id);
  if (!user) throw invalidKey('the user of this key is not in the journal');
  if (!isTimeZone(user.timezone)) {
    throw new FileUnavailable(
      'the time zone of this user is not a valid IANA time zone; set one with "journal-api user set"',
    );
  }
  return user;
}

// A key's lens: parameters that would reveal hidden fields are refused, and the fields are removed from responses.

/** @throws Problem (400) for sorting, filtering or searching by a hidden field, or requesting one */
export function requireShown({ parameters }: KeyRoute, query: Query, lens: Lens | null): void {
  if (!lens || lens.hides.length === 0) return;
  const hidesSymbols = lens.hides.includes('symbols');
  for (const [name, value] of Object.entries(query)) {
    const parameter = parameters().find((candidate) => candidate.name === name);
    const reveals = parameter?.reveals?.(value) ?? [];
    const hidden = reveals.map((one) => hiddenAs(one, lens.hides)).find((one) => one !== undefined);
    if (hidden) throw invalidParameter(name, `${name} uses ${hidden}, which this key hides; remove ${name}`);
    // The same for any other word, so that guessing reveals nothing.
    if (hidesSymbols && parameter?.symbolsIn?.(value).some((symbol) => !isSymbolPseudonym(symbol)))
      throw invalidParameter(name, `${name} takes symbols as this key shows them, such as ${EXAMPLE_SYMBOL}`);
  }
}

/** A response with only the fields that the key shows. */
function withoutHidden(result: object, gives: Endpoint['gives'], hides: readonly Hidden[]): object {
  if (hides.length === 0) return result;
  const { data, ...rest } = result as { data: unknown };
  if ('list' in gives) {
    const project = projectionOf(gives.list.record, hides) as (record: unknown) => unknown;
    return { data: (data as unknown[]).map((record) => project(record)), ...rest };
  }
  const project = projectionOf(gives.data, hides) as (value: unknown) => unknown;
  return { data: project(data), ...rest };
}
