/**
 * Authentication: the key is checked on each request, so that revocation and expiry apply
 * to the next one.
 */

import { isWellFormed, KEY_LENGTH } from '../keys/format.ts';
import type { FoundKey, KeySource } from '../keys/key-reader.ts';
import { isGranted, type NeededScope } from '../keys/scopes.ts';
import type { Secret } from '../keys/secret.ts';
import { stateOf } from '../keys/store.ts';
import { ClientAddress } from './host.ts';
import { KEY_NAMES, plainName } from './parameter.ts';
import { Problem } from './problem.ts';
import { RateLimiter, type RateLimitHeaders, rateLimited } from './rate-limit.ts';
import { type RequestContext, searchOf } from './request-context.ts';

/** Tokens that stand for a key, where a protocol accepts them. */
export interface Tokens {
  /**
   * @returns undefined for a text that is no token, a promise of it for an unknown one
   */
  find: (sent: string) => Promise<FoundKey | undefined> | undefined;
  /** Address of the metadata that tells clients how to get one. */
  metadataUrl: string;
}

// Errors in the form of a key. Messages never repeat its text.

const ADVICE: readonly (readonly [form: RegExp, advice: string])[] = [
  [/^["'`“”‘’].*|["'`“”‘’]$/, 'the key is in quotation marks; remove them'],
  [
    /^bearer\b/i,
    '"Bearer" is only for the Authorization header; send the key alone in x-api-key',
  ],
  [
    /^\$|^%.*%$|^\{\{?.*\}$|^<.*>$|^\[.*\]$/,
    'this is the name of a key, or a placeholder; replace it with the key',
  ],
  [
    /^(your|my|the|insert|paste|api|xxx|\*\*\*|\.\.\.|…|changeme|placeholder|token|key$|secret)/i,
    'this is a placeholder; replace it with the key',
  ],
  [
    /^jat_/,
    'this is a token, which only /mcp accepts; send a key, which starts with jak_',
  ],
  [
    /^key_/,
    'this is the id of a key from "journal-api key list"; the key itself was shown once, when it was created',
  ],
  [
    /^jak_.*(\.\.\.|…)/,
    'this key was shortened for display; the whole key was shown once, when it was created',
  ],
];

/** @returns undefined for a well-formed key */
function problemWithForm(sent: string): string | undefined {
  if (isWellFormed(sent)) return undefined;

  const [, advice] = ADVICE.find(([form]) => form.test(sent)) ?? [];
  if (advice !== undefined) return advice;
  if (!sent.startsWith('jak_'))
    return `this is not a key of this service; its keys start with jak_ and have ${KEY_LENGTH} characters`;

  return sent.length === KEY_LENGTH
    ? 'a character of this key is wrong; copy it again'
    : `this key has ${sent.length} characters, and a key has ${KEY_LENGTH}; check that it was copied completely`;
}

const REALM = 'Bearer realm="journal-api"';

/**
 * Wrong keys per minute and address before the address has to wait. A valid key is never
 * refused for them.
 */
const FAILED_KEYS_PER_MINUTE = 30;

/**
 * The same per trusted proxy, whatever addresses it names: any program on its machine can
 * invent some.
 */
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
    this.#failuresOfProxy = new RateLimiter(
      'failed-keys',
      FAILED_KEYS_PER_MINUTE_OF_PROXY,
      settings.now,
    );
  }

  /**
   * @param tokens where tokens are accepted, too
   * @returns a promise only if the key has to be looked up
   * @throws Problem without a valid key, or after too many wrong keys from this address
   */
  authenticate(context: RequestContext, tokens?: Tokens): FoundKey | Promise<FoundKey> {
    const { authorization, 'x-api-key': apiKey } = context.headers;
    requireOneAuthorization(context.c.env?.incoming?.rawHeaders ?? []);
    try {
      const sent = sentKey(authorization, apiKey, searchOf(context));
      const token = tokens?.find(sent);
      const advice = 'unknown token; connect the client again';
      const key = token
        ? token.then((found) => this.requireActive(found, advice))
        : this.find(sent);
      return key instanceof Promise
        ? key.catch((error) => this.#refuse(context, error, tokens))
        : key;
    } catch (error) {
      return this.#refuse(context, error, tokens);
    }
  }

  /** The same for a key typed into a page. */
  async authenticateTyped(context: RequestContext, typed: string): Promise<FoundKey> {
    try {
      return await this.find(typed);
    } catch (error) {
      return this.#refuse(context, error);
    }
  }

  /** @throws Problem (401) if the key isn't valid */
  find(sent: string): FoundKey | Promise<FoundKey> {
    const found = this.#settings.keys.find(sent, this.#settings.secret);
    if (found instanceof Promise)
      return found.then((key) => this.requireActive(key, problemWithForm(sent)));
    return this.requireActive(found, found ? undefined : problemWithForm(sent));
  }

  /** @throws Problem (401) for a key that is unknown, was revoked or has expired */
  requireActive(
    key: FoundKey | undefined,
    advice = 'unknown key; create one with "journal-api key create"',
  ): FoundKey {
    if (!key) throw invalidKey(advice);

    const state = stateOf(key, this.#settings.now());
    if (state === 'revoked')
      throw unauthorized(
        'revoked_key',
        'this key was revoked; ask its owner for a new one',
      );
    if (state === 'expired')
      throw unauthorized(
        'expired_key',
        `this key expired at ${key.expires_at}; ask its owner for a new one`,
      );

    return key;
  }

  /** Number of wrong keys that the request's address may still send. */
  limitOf(context: RequestContext): RateLimitHeaders | null {
    const { client, proxy } = this.#addressesOf(context);
    const ofClient = this.#failures.look(client);
    const ofProxy = proxy === undefined ? undefined : this.#failuresOfProxy.look(proxy);
    return ofProxy && ofProxy.remaining < ofClient.remaining
      ? this.#failuresOfProxy.headers(ofProxy)
      : this.#failures.headers(ofClient);
  }

  #refuse(context: RequestContext, error: unknown, tokens?: Tokens): never {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    if (error.code !== 'missing_key') this.countFailure(context);
    if (!tokens) throw error;
    // Tells clients how to get a token (RFC 9728).
    const challenge = `${error.headers['WWW-Authenticate']}, resource_metadata="${tokens.metadataUrl}"`;
    throw new Problem(error.code, error.message, {
      headers: { 'WWW-Authenticate': challenge },
    });
  }

  /**
   * Counts a wrong key, or what else is wrong like one, by address.
   * @throws Problem (429) after too many
   */
  countFailure(context: RequestContext): void {
    const { client, proxy } = this.#addressesOf(context);
    const ofClient = this.#failures.take(client);
    const ofProxy = proxy === undefined ? undefined : this.#failuresOfProxy.take(proxy);
    if (!ofClient.allowed)
      throw rateLimited(ofClient.retryAfter, 'too many invalid keys from this address');
    if (ofProxy?.allowed === false)
      throw rateLimited(ofProxy.retryAfter, 'too many invalid keys from this proxy');
  }

  /** Address or network that a request's limits count by. */
  addressOf(context: RequestContext): string {
    return this.#addressesOf(context).client;
  }

  /** The client's address, and the peer's if it is a proxy that names another client. */
  #addressesOf({ c, headers }: RequestContext): {
    client: string;
    proxy: string | undefined;
  } {
    const peer = c.env?.incoming?.socket.remoteAddress ?? '';
    const client = this.#clientAddress.of(peer, headers['x-forwarded-for']);
    return {
      client,
      proxy: this.#clientAddress.trusts(peer)
        ? this.#clientAddress.of(peer, undefined)
        : undefined,
    };
  }
}

export function invalidKey(detail: string): Problem {
  return unauthorized('invalid_key', detail);
}

/** @throws Problem (403) if the key lacks a route's scope */
export function requireScope(scope: NeededScope, key: FoundKey): void {
  if (isGranted(scope, key.scopes)) return;

  throw new Problem(
    'insufficient_scope',
    `this key lacks the scope ${scope}; scopes are chosen when a key is created`,
    {
      headers: {
        'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"`,
      },
    },
  );
}

/**
 * @param authorization the Authorization header
 * @param apiKey the x-api-key header
 * @param search query of the request's URL: no key is accepted there
 * @throws Problem without a key, or with two
 */
function sentKey(
  authorization: string | undefined,
  apiKey: string | undefined,
  search: string,
): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined && apiKey === undefined) return bearer;

  // Node joins repeated headers by commas.
  const plain = (apiKey ?? '').split(',').map((key) => key.trim());
  const sent = new Set([bearer ?? '', ...plain].filter((key) => key !== ''));
  if (sent.size > 1) throw conflictingCredentials();

  for (const key of sent) return key;
  throw new Problem('missing_key', adviceForNoKey(authorization?.trim() ?? '', search), {
    headers: { 'WWW-Authenticate': REALM },
  });
}

function adviceForNoKey(authorization: string, search: string): string {
  if (isWellFormed(authorization))
    return 'put "Bearer " before the key: "Authorization: Bearer <key>"';
  if (/^Bearer$/i.test(authorization))
    return 'no key after "Bearer"; check that the variable with the key is set';
  if (/^Bearer +Bearer\b/i.test(authorization))
    return 'write "Bearer" once: "Authorization: Bearer <key>"';

  const usual =
    'send a key as "Authorization: Bearer <key>" (or, outside browsers, as "x-api-key: <key>")';
  const inUrl = [...new URLSearchParams(search)].some(
    ([name, value]) =>
      KEY_NAMES.map(plainName).includes(plainName(name)) || value.startsWith('jak_'),
  );
  return inUrl ? `keys in URLs are refused because URLs are logged; ${usual}` : usual;
}

/**
 * Node silently keeps the first of several.
 * @param rawHeaders alternating names and values
 * @throws Problem (400) if they differ
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
  return new Problem(
    'conflicting_credentials',
    'the request has two different keys; send only one',
  );
}

export function unauthorized(
  code: 'invalid_key' | 'expired_key' | 'revoked_key',
  detail: string,
): Problem {
  // error_description is a quoted string of plain characters.
  const description = detail.replaceAll('"', "'").replace(/[^ -~]/g, '?');
  return new Problem(code, detail, {
    headers: {
      'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="${description}"`,
    },
  });
}
