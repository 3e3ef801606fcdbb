/** Authorization: what a client asks for, the owner's two pages, and the redirect with the answer. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readRequestBody } from '@modelcontextprotocol/server';
import type { KeyReader } from '../../keys/key-reader.ts';
import type { Secret } from '../../keys/secret.ts';
import { invalidKey, requireActive } from '../authenticate.ts';
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
const LONGEST_STATE = 2000;

/** More than any form or registration needs. */
const MAX_BODY_BYTES = 32_768;

/** A checked request for authorization. */
interface Authorization extends Asking {
  binding: string;
  state: string | null;
}

/** What the second page's form carries in place of the key that was typed into the first. */
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
    const typed = (await ownForm(context, publicUrl))('key');
    const key = await authenticator.authenticateTyped(context, typed.trim()).catch((error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    });
    if (key instanceof Problem) return keyPage(authorization, key);
    context.keyId = key.id;
    const { status, body } = await askAs(key)('/v1/me');
    const { data, code, detail } = body as { data: Me; code: ProblemCode; detail: string };
    if (status !== 200) throw new Problem(code, detail);
    const ticket: Ticket = { ...authorization, key: key.id, until: now() + TICKET_MS };
    return consentPage(authorization, data, seal(secret.sealing('ticket'), ticket));
  };

  const answer: OpenRoute['answer'] = async (context, { authenticator }) => {
    requireMethod(context, 'POST');
    const form = await ownForm(context, publicUrl);
    const ticket = unseal<Ticket>(secret.sealing('ticket'), form('ticket'));
    if (!ticket || ticket.until <= now()) {
      authenticator.countFailure(context); // 429
      throw new Problem('bad_request', 'the page has expired; start again in the client');
    }
    context.keyId = ticket.key;
    if (form('answer') === 'cancel') return redirectTo(ticket, { error: 'access_denied' }, publicUrl);
    if (form('answer') !== 'allow') throw invalidParameter('answer', 'the answer must be allow or cancel');
    const key = await keys.findById(ticket.key, secret);
    if (!key) throw invalidKey('unknown key; create one with "journal-api key create"');
    requireActive(key, now());
    const code = codes.issue({ key: key.id, client: ticket.name, binding: ticket.binding });
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
  const [id, redirect, challenge] = [sent('client_id'), sent('redirect_uri'), sent('code_challenge')];
  const client = clientOf(id, settings.secret);
  if (!client) {
    throw invalidParameter('client_id', 'unknown client; remove this service from the client and add it again');
  }
  if (!mayRedirectTo(client, redirect)) {
    throw invalidParameter('redirect_uri', 'the client asks for an answer to an address that it did not register');
  }
  if (sent('response_type') !== 'code') throw invalidParameter('response_type', 'response_type must be code');
  if ((sent('response_mode') || 'query') !== 'query') {
    throw invalidParameter('response_mode', 'response_mode must be query');
  }
  if (sent('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw invalidParameter('code_challenge', 'the request needs a code_challenge by S256 (PKCE)');
  }
  const resource = resourceOf(settings);
  if ((sent('resource') || resource) !== resource) {
    throw invalidParameter('resource', `tokens are for ${resource} only`);
  }
  if (sent('state').length > LONGEST_STATE) {
    throw invalidParameter('state', `state takes at most ${LONGEST_STATE} characters`);
  }
  return { name: client.name, redirect, binding: bindingOf(id, redirect, challenge), state: sent('state') || null };
}

/** 303, so that the browser sends no form there. `iss` says who answers (RFC 9207). */
function redirectTo({ redirect, state }: Authorization, answer: Record<string, string>, iss: string): Response {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss });
  const location = `${redirect}${redirect.includes('?') ? '&' : '?'}${query}`;
  return new Response(null, { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' } });
}

/** A form that a page of this service sent. */
async function ownForm(context: RequestContext, publicUrl: string): Promise<(name: string) => string> {
  requireOwnPage(context.headers, publicUrl); // 403
  return fieldsOf(await bodyOf(context, 'application/x-www-form-urlencoded'));
}

/** @throws Problem (403) for a form of another site's page */
function requireOwnPage({ origin, referer, 'sec-fetch-site': site }: IncomingHttpHeaders, publicUrl: string): void {
  const from = origin ?? (URL.canParse(referer ?? '') ? new URL(referer as string).origin : undefined);
  if (site === undefined ? from === publicUrl : site === 'same-origin') return;
  throw new Problem('foreign_origin', 'the form was not sent by a page of this service; start again in the client');
}

/** Parameters by name, '' for a missing one, as for one without a value. @throws Problem (400) if one is repeated */
export function fieldsOf(text: string): (name: string) => string {
  const fields = new URLSearchParams(text);
  const names = [...fields.keys()];
  const repeated = names.length > new Set(names).size;
  if (repeated) throw new Problem('bad_request', 'a parameter was sent twice; send each once');
  return (name) => fields.get(name) ?? '';
}

/** @throws Problem (400) */
export async function bodyOf({ c, headers }: RequestContext, type: string): Promise<string> {
  if (headers['content-type']?.toLowerCase().startsWith(type) !== true) {
    throw new Problem('bad_request', `the body must be ${type}`);
  }
  const read = await readRequestBody(c.req.raw, MAX_BODY_BYTES);
  if (read.tooLarge) throw new Problem('bad_request', `the body is longer than ${MAX_BODY_BYTES / 1024} KB`);
  return read.text;
}

/** @throws Problem (405) */
export function requireMethod({ c }: RequestContext, allowed: string): void {
  if (allowed.split(', ').includes(c.req.method)) return;
  throw new Problem('method_not_allowed', `use ${allowed}`, { headers: { Allow: allowed } });
}
