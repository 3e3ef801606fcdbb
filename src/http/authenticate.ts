/** Who calls: the key of a request, checked anew each time, so that revocation and expiry hold for the very next one. */
import { isWellFormed } from '../keys/format.ts';
import type { FoundKey, KeySource } from '../keys/key-reader.ts';
import type { Secret } from '../keys/secret.ts';
import { stateOf } from '../keys/store.ts';
import { ClientAddress } from './client-address.ts';
import { problemWithForm } from './key-form.ts';
import { Problem } from './problem.ts';
import { RateLimiter, type RateLimitHeaders, rateLimited } from './rate-limit.ts';
import { type RequestContext, searchOf } from './request-context.ts';
import { isReachable, type KeyRoute } from './route.ts';
import { KEY_NAMES, plainName } from './usual-names.ts';

const REALM = 'Bearer realm="journal-api"';

/** Wrong keys a minute from one address before it is told to wait. A valid key is never refused for them. */
const FAILED_KEYS_PER_MINUTE = 30;

/** The same from one trusted proxy, whatever addresses it names: any program on its machine can name some. */
const FAILED_KEYS_PER_MINUTE_OF_PROXY = 300;

interface AuthenticatorSettings {
  keys: KeySource;
  secret: Secret;
  trustProxy: boolean | readonly string[];
  now: () => number;
}

export class Authenticator {
  readonly #settings: AuthenticatorSettings;
  readonly #clientAddress: ClientAddress;
  readonly #failures: RateLimiter;
  readonly #failuresOfProxy: RateLimiter;

  constructor(settings: AuthenticatorSettings) {
    this.#settings = settings;
    this.#clientAddress = new ClientAddress(settings.trustProxy);
    this.#failures = new RateLimiter('failed-keys', FAILED_KEYS_PER_MINUTE, settings.now);
    this.#failuresOfProxy = new RateLimiter('failed-keys', FAILED_KEYS_PER_MINUTE_OF_PROXY, settings.now);
  }

  /**
   * @returns a promise only where the key has to be looked up
   * @throws Problem where there is no key that works, or too many came from there that don't
   */
  authenticate(context: RequestContext): FoundKey | Promise<FoundKey> {
    const { keys, secret, now } = this.#settings;
    const { authorization, 'x-api-key': apiKey } = context.headers;
    requireOneAuthorization(context.c.env?.incoming?.rawHeaders ?? []);
    try {
      const sent = sentKey(authorization, apiKey as string | undefined, searchOf(context));
      const key = authenticate(keys, secret, now(), sent);
      return key instanceof Promise ? key.catch((error) => this.#refuse(context, error)) : key;
    } catch (error) {
      return this.#refuse(context, error);
    }
  }

  /** How many wrong keys may still come from where the request comes from. */
  limitOf(context: RequestContext): RateLimitHeaders | null {
    const { client, proxy } = this.#addressesOf(context);
    const ofClient = this.#failures.look(client);
    const ofProxy = proxy === undefined ? undefined : this.#failuresOfProxy.look(proxy);
    return ofProxy && ofProxy.remaining < ofClient.remaining
      ? this.#failuresOfProxy.headers(ofProxy)
      : this.#failures.headers(ofClient);
  }

  /** Counts wrong keys by where they come from. */
  #refuse(context: RequestContext, error: unknown): never {
    if (!(error instanceof Problem) || error.status !== 401 || error.code === 'missing_key') throw error;
    const { client, proxy } = this.#addressesOf(context);
    const ofClient = this.#failures.take(client);
    const ofProxy = proxy === undefined ? undefined : this.#failuresOfProxy.take(proxy);
    if (!ofClient.allowed) throw rateLimited(ofClient.retryAfter, 'too many invalid keys came from this address');
    if (ofProxy?.allowed === false) throw rateLimited(ofProxy.retryAfter, 'too many invalid keys came by this proxy');
    throw error;
  }

  /** The client, and the peer where that is a proxy which names another. */
  #addressesOf({ c, headers }: RequestContext): { client: string; proxy: string | undefined } {
    const peer = c.env?.incoming?.socket.remoteAddress ?? '';
    const client = this.#clientAddress.of(peer, headers['x-forwarded-for'] as string | undefined);
    return { client, proxy: this.#clientAddress.trusts(peer) ? this.#clientAddress.of(peer, undefined) : undefined };
  }
}

/**
 * @param sent the key, as it was sent
 * @returns a promise only where the key has to be looked up
 * @throws Problem where there is no key that works
 */
export function authenticate(keys: KeySource, secret: Secret, now: number, sent: string): FoundKey | Promise<FoundKey> {
  const found = keys.find(sent, secret);
  return found instanceof Promise
    ? found.then((key) => requireActive(key, now, sent))
    : requireActive(found, now, sent);
}

function requireActive(key: FoundKey | undefined, now: number, sent: string): FoundKey {
  if (!key)
    throw invalidKey(problemWithForm(sent) ?? 'this key is unknown here; create one with "journal-api key create"');
  const state = stateOf(key, now);
  if (state === 'revoked') throw unauthorized('revoked_key', 'this key was revoked; ask its owner for a new one');
  if (state === 'expired')
    throw unauthorized('expired_key', `this key expired at ${key.expires_at}; ask its owner for a new one`);
  return key;
}

export function invalidKey(detail: string): Problem {
  return unauthorized('invalid_key', detail);
}

/** @throws Problem (403) where the route needs a scope that the key lacks */
export function requireScope(route: KeyRoute, key: FoundKey): void {
  if (isReachable(route, key.scopes)) return;
  const { scope } = route;
  throw new Problem(
    'insufficient_scope',
    `this key lacks the scope ${scope}; scopes are chosen when a key is created`,
    {
      headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"` },
    },
  );
}

/**
 * @param authorization the Authorization header
 * @param apiKey the x-api-key header
 * @param search what stands behind the ? of the request: no key is taken from there
 * @throws Problem where there is none, or two
 */
function sentKey(authorization: string | undefined, apiKey: string | undefined, search: string): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined && apiKey === undefined) return bearer;
  // A header that was sent twice arrives joined by commas.
  const plain = (apiKey ?? '').split(',').map((key) => key.trim());
  const sent = new Set([bearer ?? '', ...plain].filter((key) => key !== ''));
  if (sent.size > 1) throw conflictingCredentials();
  for (const key of sent) return key;
  throw new Problem('missing_key', adviceForNoKey(authorization?.trim() ?? '', search), {
    headers: { 'WWW-Authenticate': REALM },
  });
}

function adviceForNoKey(authorization: string, search: string): string {
  if (isWellFormed(authorization)) return 'put "Bearer " before the key: "Authorization: Bearer <key>"';
  if (/^Bearer$/i.test(authorization))
    return 'there is nothing after "Bearer"; is the variable set that should hold the key?';
  if (/^Bearer +Bearer\b/i.test(authorization)) return 'write "Bearer" once: "Authorization: Bearer <key>"';
  const usual = 'send a key as "Authorization: Bearer <key>" (or, outside browsers, as "x-api-key: <key>")';
  const inUrl = [...new URLSearchParams(search)].some(
    ([name, value]) => KEY_NAMES.map(plainName).includes(plainName(name)) || value.startsWith('jak_'),
  );
  return inUrl ? `a key in the URL is not taken, since URLs are written down in many places; ${usual}` : usual;
}

/**
 * Node keeps the first of several and says nothing.
 * @param rawHeaders names and values by turns
 * @throws Problem (400) where they differ
 */
function requireOneAuthorization(rawHeaders: readonly string[]): void {
  let first: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'authorization') continue;
    first ??= rawHeaders[i + 1];
    if (rawHeaders[i + 1] !== first) throw conflictingCredentials();
  }
}

function conflictingCredentials(): Problem {
  return new Problem('conflicting_credentials', 'this request has two different keys; send only one');
}

function unauthorized(code: 'invalid_key' | 'expired_key' | 'revoked_key', detail: string): Problem {
  // The description is a quoted string of plain characters.
  const description = detail.replaceAll('"', "'").replace(/[^ -~]/g, '?');
  return new Problem(code, detail, {
    headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="${description}"` },
  });
}
