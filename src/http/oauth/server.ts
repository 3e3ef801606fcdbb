/**
 * OAuth 2.1 for agents that speak nothing else, without a store. The owner types an
 * existing key into a page, and the agent gets a token that stands for that key at /mcp,
 * as long as the key lives. Nothing that a client states about itself is trusted.
 */
import { createHash } from 'node:crypto';
import {
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  oauthMetadataResponse,
} from '@modelcontextprotocol/server';
import type { FoundKey } from '../../keys/key-reader.ts';
import { stateOf } from '../../keys/store.ts';
import type { Tokens } from '../authenticate.ts';
import type { Problem } from '../problem.ts';
import { RateLimiter, rateLimited } from '../rate-limit.ts';
import type { RequestContext } from '../request-context.ts';
import type { OpenRoute } from '../route.ts';
import * as authorize from './authorize.ts';
import { clientOf, register } from './clients.ts';
import { Codes, type Grant, seal, unseal } from './sealed.ts';

const REGISTRATIONS_PER_MINUTE = 20;

/** Prefix of tokens, by which secret scanners find them. */
const TOKEN = 'jat_';

/** Maximum length of a client's name in a token. */
const SHORT_NAME = 40;

/** RFC 7636 */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** For clients that run in a browser. */
const CORS = { 'Access-Control-Allow-Origin': '*' };

/** What a token states, with the id of the key. */
type Token = Record<'key' | 'client' | 'audience', string>;

export function oauthServer(settings: authorize.OAuthSettings): {
  routes: readonly OpenRoute[];
  tokens: Tokens;
} {
  const { secret, publicUrl, now } = settings;
  const resource = authorize.resourceOf(settings);
  const codes = new Codes(now);
  const exchange = new TokenExchange(settings, codes);
  const registrations = new RateLimiter('registrations', REGISTRATIONS_PER_MINUTE, now);

  return {
    routes: [
      ...metadataRoutes(publicUrl, resource),
      ...authorize.authorizationRoutes(settings, codes),
      endpoint('/oauth/token', 200, (context) => exchange.answer(context)),
      endpoint('/oauth/register', 201, async (context, { authenticator }) => {
        const { allowed, retryAfter } = registrations.take(
          authenticator.addressOf(context),
        );
        if (!allowed)
          throw rateLimited(retryAfter, 'too many registrations from this address');
        return register(await authorize.bodyOf(context, 'application/json'), secret);
      }),
    ],
    tokens: {
      metadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)),
      find: (sent) =>
        sent.startsWith(TOKEN) ? exchange.keyOf(sent.slice(TOKEN.length)) : undefined,
    },
  };
}

/** Codes for tokens, and tokens for keys. */
class TokenExchange {
  readonly #settings: authorize.OAuthSettings;
  readonly #codes: Codes;
  /** The only one that tokens are for. */
  readonly #resource: string;

  constructor(settings: authorize.OAuthSettings, codes: Codes) {
    this.#settings = settings;
    this.#codes = codes;
    this.#resource = authorize.resourceOf(settings);
  }

  /** @throws Problem or OAuthError */
  async answer(context: RequestContext): Promise<object> {
    const { keys, secret, now } = this.#settings;
    const body = await authorize.bodyOf(context, 'application/x-www-form-urlencoded');
    const grant = this.#grantFor(authorize.fieldsOf(body));

    context.keyId = grant.key;
    const key = await keys.findById(grant.key, secret);
    if (!key || stateOf(key, now()) !== 'active') {
      throw new OAuthError(
        'invalid_grant',
        'the key was revoked or has expired; ask its owner for a new one',
      );
    }

    const client = [...(grant.client ?? 'unnamed client')].slice(0, SHORT_NAME).join('');
    const token: Token = { key: key.id, client, audience: this.#resource };

    return {
      access_token: TOKEN + seal(secret.sealing('token'), token),
      token_type: 'Bearer',
      // Every key has an expiry.
      expires_in: Math.floor((Date.parse(key.expires_at) - now()) / 1000),
      scope: key.scopes.join(' '),
    };
  }

  /** What the owner allowed, of the code that was sent. */
  #grantFor(sent: (name: string) => string): Grant {
    const [clientId, verifier] = [sent('client_id'), sent('code_verifier')];
    if (sent('grant_type') !== 'authorization_code') {
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code',
      );
    }
    if (!clientOf(clientId, this.#settings.secret))
      throw new OAuthError('invalid_client', 'unknown client_id; register again');
    if ((sent('resource') || this.#resource) !== this.#resource) {
      throw new OAuthError('invalid_target', `tokens are for ${this.#resource} only`);
    }

    const grant = this.#codes.redeem(sent('code'));
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const binding = authorize.bindingOf(clientId, sent('redirect_uri'), challenge);
    if (!grant || !VERIFIER.test(verifier) || grant.binding !== binding) {
      throw new OAuthError(
        'invalid_grant',
        'the code is unknown, late or used, or belongs to another client_id, redirect_uri or code_verifier',
      );
    }

    return grant;
  }

  /** The key that a token stands for, if it is a token for this server. */
  async keyOf(sealed: string): Promise<FoundKey | undefined> {
    const { keys, secret } = this.#settings;
    const token = unseal<Token>(secret.sealing('token'), sealed);
    if (token?.audience !== this.#resource) return undefined;

    const key = await keys.findById(token.key, secret);
    return key && { ...key, client: token.client };
  }
}

/**
 * RFC 8414 and RFC 9728. No scopes: the key decides. No client ids that are URLs: reading
 * them would be an outbound request.
 */
function metadataRoutes(issuer: string, resource: string): OpenRoute[] {
  const resourceServerUrl = new URL(resource);
  const oauthMetadata = {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  const options = { oauthMetadata, resourceServerUrl, resourceName: 'Trading journal' };
  const paths = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ];

  return paths.map((path) => ({
    path,
    answer: async ({ c }) => oauthMetadataResponse(c.req.raw, options) as Response,
    refuse: refusal,
  }));
}

/** An endpoint for clients: a POST, answered in JSON, from any origin. */
function endpoint(
  path: string,
  status: number,
  handle: (...given: Parameters<OpenRoute['answer']>) => Promise<object>,
): OpenRoute {
  const answer: OpenRoute['answer'] = async (context, access) => {
    if (context.c.req.method === 'OPTIONS') {
      const headers = {
        ...CORS,
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': '*',
      };
      return new Response(null, { status: 204, headers });
    }

    authorize.requireMethod(context, 'POST, OPTIONS');
    try {
      return json(await handle(context, access), status);
    } catch (error) {
      if (!OAuthError.isInstance(error)) throw error;
      access.authenticator.countFailure(context); // 429
      return json(error.toResponseObject(), error.code === 'invalid_client' ? 401 : 400);
    }
  };
  return { path, answer, refuse: refusal };
}

function refusal({ code, message, status, headers }: Problem): Response {
  return json(
    { error: status === 400 ? 'invalid_request' : code, error_description: message },
    status,
    headers,
  );
}

function json(
  body: object,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, {
    status,
    headers: { ...headers, ...CORS, 'Cache-Control': 'no-store' },
  });
}
