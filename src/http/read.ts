/**
 * Reads the journal for a request: at once if that is short, else on another thread, if
 * there are any.
 */

import { hiddenAs } from '../journal/hidden-fields.ts';
import { overlayOf } from '../journal/lens-views.ts';
import { knownSymbols } from '../journal/pseudonyms.ts';
import { TakesLong } from '../journal/response-size.ts';
import type { FoundKey } from '../keys/key-reader.ts';
import { EXAMPLE_SYMBOL, isSymbolPseudonym, type Lens } from '../keys/lens.ts';
import type { Secret } from '../keys/secret.ts';
import { PictureFolder } from '../pictures/kept-pictures.ts';
import { ReadAbandoned } from '../sqlite/errors.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { type Answer, answer, type Question, requireUser } from './answer.ts';
import type { Query } from './parameter.ts';
import { invalidParameter } from './problem.ts';
import type { ReadThreads } from './read-threads.ts';
import { acceptsGzip, type ResponseBody } from './reply.ts';
import {
  isWaiting,
  type RequestContext,
  searchOf,
  turnOnConnection,
} from './request-context.ts';
import type { ResponseCache } from './response-cache.ts';
import type { KeyRoute, Route, RouteContext } from './route.ts';

/** An authorised request under /v1. */
export interface AuthenticatedRequest
  extends Pick<RouteContext, 'lastUsed' | 'query' | 'after' | 'form' | 'limits'> {
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
  /** For reads that take long; without it, they block this thread. */
  threads?: ReadThreads;
  /** Those underway, by version and cache key. */
  underway: Map<string, Shared>;
  /** Epoch milliseconds. */
  now: () => number;
}

/** @returns the body of the response, cached as its route declares */
export async function read(
  sources: Sources,
  request: AuthenticatedRequest,
): Promise<ResponseBody> {
  const { context } = request;
  await turnOnConnection(context);
  const isWanted = () => isWaiting(context);
  if (!sources.threads) return readHere(sources, request, isWanted, false);
  if (isLong(sources, request))
    return readElsewhere(sources, sources.threads, request, isWanted);

  try {
    return await readHere(sources, request, isWanted, true);
  } catch (error) {
    if (!(error instanceof TakesLong)) throw error;
    return readElsewhere(sources, sources.threads, request, isWanted);
  }
}

/**
 * No index has a part of the accounts, or the groups of a part of the trades, and
 * pseudonyms need all symbols.
 */
function isLong(
  { journal }: Sources,
  { route, query, form, key }: AuthenticatedRequest,
): boolean {
  if (route.isLong(query, form)) return true;
  if (!key.lens) return false;
  const { accounts, since } = key.lens;
  const { fact } = overlayOf(key.lens, key);
  return (
    accounts !== null || since !== null || (fact !== undefined && !journal.knows(fact))
  );
}

function questionOf({ now }: Sources, request: AuthenticatedRequest): Question {
  const { context, key, lastUsed, query, after, form, limits } = request;
  const pathId = context.c.req.param('id') ?? '';

  return {
    key,
    lastUsed,
    query,
    after,
    form,
    limits,
    pathId,
    search: searchOf(context),
    now: now(),
  };
}

async function readHere(
  sources: Sources,
  request: AuthenticatedRequest,
  isWanted: () => boolean,
  isShort: boolean,
): Promise<ResponseBody> {
  const { journal, routes, cache, now, secret } = sources;
  const { route, key, id, version } = request;
  const { signCursor } = secret;
  const pictures = PictureFolder.of(journal.path);
  const overlay = key.lens ? overlayOf(key.lens, key) : undefined;
  const how = isShort ? 'readAsync' : 'readLong';

  return journal[how](
    (reader) => {
      // While it waited for the file, another request may have made the same response.
      const cached = cache.get(id, journal.version(), now());
      if (cached) return cached;

      const question = questionOf(sources, request);
      return kept(
        sources,
        request,
        version,
        answer(reader, route, question, { routes, signCursor, isShort, pictures }),
      );
    },
    { overlay, isWanted },
  );
}

/** Requests for the same response, one of which is waiting or being read. */
interface Shared {
  body: Promise<ResponseBody>;
  /** Whether each of them is still wanted. */
  wanted: (() => boolean)[];
}

/**
 * Equal requests that come while the first is read get its response: they neither take
 * turns nor count as waiting.
 */
function readElsewhere(
  sources: Sources,
  threads: ReadThreads,
  request: AuthenticatedRequest,
  isWanted: () => boolean,
): Promise<ResponseBody> {
  const { route, id, version } = request;
  if (route.cached === 'never') return readOnThread(sources, threads, request, isWanted);

  const { underway } = sources;
  const name = `${version} ${id}`;
  const known = underway.get(name);
  if (known) {
    known.wanted.push(isWanted);
    return known.body.catch((error) => {
      // All others left, and the read was given up before this one came.
      if (error instanceof ReadAbandoned && isWanted())
        return readElsewhere(sources, threads, request, isWanted);
      throw error;
    });
  }

  const wanted = [isWanted];
  const isAnyWanted = () => wanted.some((one) => one());
  const body = readOnThread(sources, threads, request, isAnyWanted).finally(() =>
    underway.delete(name),
  );
  underway.set(name, { body, wanted });

  return body;
}

async function readOnThread(
  sources: Sources,
  threads: ReadThreads,
  request: AuthenticatedRequest,
  isWanted: () => boolean,
): Promise<ResponseBody> {
  const { journal, cache, now, secret } = sources;
  const { route, key, context, id } = request;
  let version = 0;
  let cached: ResponseBody | undefined;
  const found = await threads.read({ owner: key.user_id, name: key.id, isWanted }, () => {
    version = journal.readable();
    // While it waited for its turn, another request may have made the same response.
    cached = cache.get(id, version, now());
    if (cached) return undefined;

    return {
      ...questionOf(sources, request),
      path: route.path,
      cursorKey: secret.cursorKey,
      version,
      isCompressed: acceptsGzip(context),
    };
  });
  if (!found) return cached as ResponseBody;

  const fact = key.lens && overlayOf(key.lens, key).fact;
  if (fact && found.symbols) journal.learn(version, fact, knownSymbols(found.symbols));
  return kept(sources, request, version, found);
}

/**
 * Caches a response.
 * @param version from before the read: if the journal changed since, the body is newer,
 * and that version never returns
 */
function kept(
  { cache }: Sources,
  request: AuthenticatedRequest,
  version: number,
  { body, validity }: Answer,
) {
  const { route, id } = request;
  if (route.cached === 'today') cache.set(id, body, version, validity);
  if (route.cached === 'unchanged') cache.setIfRepeated(id, body, version, validity);
  return body;
}

/**
 * A problem is reported only to a key whose user is in the journal: any other key is
 * itself invalid.
 * @throws Problem always
 */
export function refuse(
  journal: ReadOnlyFile,
  key: FoundKey,
  problem: unknown,
): Promise<never> {
  return journal.readAsync((reader) => {
    requireUser(reader, key);
    throw problem;
  });
}

/**
 * A key's lens: parameters that would reveal hidden fields are refused.
 * @throws Problem (400) for sorting, filtering or searching by a hidden field, or
 * requesting one
 */
export function requireShown(
  { parameters }: KeyRoute,
  query: Query,
  lens: Lens | null,
): void {
  if (!lens || lens.hides.length === 0) return;

  const hidesSymbols = lens.hides.includes('symbols');
  for (const [name, value] of Object.entries(query)) {
    const parameter = parameters().find((candidate) => candidate.name === name);
    const reveals = parameter?.reveals?.(value) ?? [];
    const hidden = reveals
      .map((one) => hiddenAs(one, lens.hides))
      .find((one) => one !== undefined);
    if (hidden)
      throw invalidParameter(
        name,
        `${name} uses ${hidden}, which this key hides; remove ${name}`,
      );
    // The same for any other word, so that guessing reveals nothing.
    if (
      hidesSymbols &&
      parameter?.symbolsIn?.(value).some((symbol) => !isSymbolPseudonym(symbol))
    )
      throw invalidParameter(
        name,
        `${name} takes symbols as this key shows them, such as ${EXAMPLE_SYMBOL}`,
      );
  }
}
