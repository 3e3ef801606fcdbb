/**
 * Authorization: what a client asks for, the owner's two pages, and the redirect with the
 * answer.
 */
import { createHash } from 'node:crypto';
import { readRequestBody } from '@modelcontextprotocol/server';
import type { KeyReader } from '../../keys/key-reader.ts';
import type { Secret } from '../../keys/secret.ts';
import { invalidParameter, Problem, type ProblemCode } from '../problem.ts';
import { type RequestContext, searchOf } from '../request-context.ts';
import type { OpenRoute } from '../route.ts';
import { clientOf, mayRedirectTo } from './clients.ts';
import { type Asking, consentPage, errorPage, keyPage, type Me } from './pages.ts';
import { type Codes, seal, unseal } from './sealed.ts';

export interface OAuthSettings {
  keys: Pick<KeyReader, 'findById'>;
  secret: Secret;
  /** Origin under which clients and browsers reach the service. */
  publicUrl: string;
  /** Epoch milliseconds. */
  now: () => number;
}

const TICKET_MS = 300_000;

/** More than any form or registration needs. */
const MAX_BODY_BYTES = 32_768;

/** A checked request for authorization. */
interface Authorization extends Asking {
  binding: string;
  state: string | null;
}

/**
 * What the second page's form carries in place of the key that was typed into the first.
 */
interface Ticket extends Authorization {
  /** Id of the key. */
  key: string;
  until: number;
}

/** The only resource that tokens are for. */
export const resourceOf = ({ publicUrl }: OAuthSettings) => `${publicUrl}/mcp`;

/** What a code is bound to, besides its key. */
export function bindingOf(clientId: string, redirect: string, challenge: string): string {
  return createHash('sha256')
    .update(JSON.stringify([clientId, redirect, challenge]))
    .digest('base64url');
}

export function authorizationRoutes(settings: OAuthSettings, codes: Codes): OpenRoute[] {
  const { keys, secret, publicUrl, now } = settings;

  const authorize: OpenRoute['answer'] = async (context, { authenticator, askAs }) => {
    requireMethod(context, 'GET, HEAD, POST');
    const authorization = authorizationIn(searchOf(context), settings);
    if (context.c.req.method !== 'POST') return keyPage(authorization);

    const typed = (await verifiedForm(context, publicUrl))('key');
    const key = await authenticator
      .authenticateTyped(context, typed.trim())
      .catch((error: unknown) => {
        if (error instanceof Problem) return error;
        throw error;
      });
    if (key instanceof Problem) return keyPage(authorization, key);

    const { status, body } = await askAs(key)('/v1/me'); // 429
    const { data, code, detail } = body as {
      data: Me;
      code: ProblemCode;
      detail: string;
    };
    if (status !== 200) throw new Problem(code, detail);

    const ticket: Ticket = { ...authorization, key: key.id, until: now() + TICKET_MS };
    return consentPage(authorization, data, seal(secret.sealing('ticket'), ticket));
  };

  const answer: OpenRoute['answer'] = async (context, { authenticator }) => {
    requireMethod(context, 'POST');
    const form = await verifiedForm(context, publicUrl);
    const ticket = unseal<Ticket>(secret.sealing('ticket'), form('ticket'));
    if (!ticket || ticket.until <= now()) {
      authenticator.countFailure(context); // 429
      throw new Problem('bad_request', 'the page has expired; start again in the client');
    }

    context.keyId = ticket.key;
    if (form('answer') === 'cancel')
      return redirectTo(ticket, { error: 'access_denied' }, publicUrl);
    if (form('answer') !== 'allow')
      throw invalidParameter('answer', 'the answer must be allow or cancel');

    const key = authenticator.requireActive(await keys.findById(ticket.key, secret));
    const code = codes.issue({
      key: key.id,
      client: ticket.name,
      binding: ticket.binding,
    });
    return redirectTo(ticket, { code }, publicUrl);
  };

  return [
    { path: '/oauth/authorize', answer: authorize, refuse: errorPage },
    { path: '/oauth/answer', answer, refuse: errorPage },
  ];
}

/**
 * Errors are pages, never redirects: whoever sends a browser here chose the address.
 * @throws Problem (400)
 */
function authorizationIn(search: string, settings: OAuthSettings): Authorization {
  const sent = fieldsOf(search);
  const [id, redirect, challenge] = [
    sent('client_id'),
    sent('redirect_uri'),
    sent('code_challenge'),
  ];
  const client = clientOf(id, settings.secret);
  if (!client)
    throw invalidParameter(
      'client_id',
      'unknown client; remove this service there and add it again',
    );

  const resource = resourceOf(settings);
  const faults: [param: string, is: boolean, detail: string][] = [
    [
      'redirect_uri',
      !mayRedirectTo(client, redirect),
      'the client did not register this redirect_uri',
    ],
    ['response_type', sent('response_type') !== 'code', 'response_type must be code'],
    [
      'response_mode',
      (sent('response_mode') || 'query') !== 'query',
      'response_mode must be query',
    ],
    [
      'code_challenge_method',
      sent('code_challenge_method') !== 'S256',
      'code_challenge_method must be S256 (PKCE)',
    ],
    [
      'code_challenge',
      !/^[\w-]{43}$/.test(challenge),
      'code_challenge must have 43 characters (PKCE)',
    ],
    [
      'resource',
      (sent('resource') || resource) !== resource,
      `tokens are for ${resource} only`,
    ],
  ];
  for (const [param, is, detail] of faults) if (is) throw invalidParameter(param, detail);

  return {
    name: client?.name ?? null,
    redirect,
    binding: bindingOf(id, redirect, challenge),
    state: sent('state') || null,
  };
}

/** 303, so that the browser sends no form there. `iss` says who answers (RFC 9207). */
function redirectTo(
  { redirect, state }: Authorization,
  answer: Record<string, string>,
  iss: string,
): Response {
  const query = new URLSearchParams({
    ...answer,
    ...(state === null ? {} : { state }),
    iss,
  });
  const location = `${redirect}${redirect.includes('?') ? '&' : '?'}${query}`;
  return new Response(null, {
    status: 303,
    headers: { Location: location, 'Cache-Control': 'no-store' },
  });
}

/** @throws Problem (403) for a form that no page of this service sent */
async function verifiedForm(
  context: RequestContext,
  publicUrl: string,
): Promise<(name: string) => string> {
  const { origin, referer = '', 'sec-fetch-site': site } = context.headers;
  const from = origin ?? (URL.canParse(referer) ? new URL(referer).origin : undefined);
  if (site === undefined ? from !== publicUrl : site !== 'same-origin')
    throw new Problem(
      'foreign_origin',
      'the form was not sent by a page of this service; start again in the client',
    );

  return fieldsOf(await bodyOf(context, 'application/x-www-form-urlencoded'));
}

/**
 * Parameters by name, '' for a missing one, as for one without a value.
 * @throws Problem (400) if one is repeated
 */
export function fieldsOf(text: string): (name: string) => string {
  const fields = new URLSearchParams(text);
  const names = [...fields.keys()];
  const repeated = names.length > new Set(names).size;
  if (repeated)
    throw new Problem('bad_request', 'a parameter was sent twice; send each once');
  return (name) => fields.get(name) ?? '';
}

/** @throws Problem (400) */
export async function bodyOf(
  { c, headers }: RequestContext,
  type: string,
): Promise<string> {
  if (headers['content-type']?.toLowerCase().startsWith(type) !== true) {
    throw new Problem('bad_request', `the body must be ${type}`);
  }
  const read = await readRequestBody(c.req.raw, MAX_BODY_BYTES);
  if (read.tooLarge)
    throw new Problem(
      'bad_request',
      `the body is longer than ${MAX_BODY_BYTES / 1024} KB`,
    );
  return read.text;
}

/** @throws Problem (405) */
export function requireMethod({ c }: RequestContext, allowed: string): void {
  if (allowed.split(', ').includes(c.req.method)) return;
  throw new Problem('method_not_allowed', `use ${allowed}`, {
    headers: { Allow: allowed },
  });
}
