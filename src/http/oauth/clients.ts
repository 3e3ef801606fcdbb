/**
 * Clients: dynamic registration (RFC 7591) that stores nothing. The client's id is its
 * sealed registration.
 */
import { OAuthError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Secret } from '../../keys/secret.ts';
import { visibleText } from '../visible-text.ts';
import { seal, unseal } from './sealed.ts';

const MOST_URIS = 5;
const LONGEST_URI = 500;
const LONGEST_NAME = 80;

/**
 * https, or http to this computer; no user info, no fragment. Only hosts that a
 * Content-Security-Policy can name, so not [::1], and none that could end its directive.
 */
const REDIRECT_URI =
  /^(?:https:\/\/[A-Za-z0-9.-]+|http:\/\/(?:127\.0\.0\.1|localhost))(?::\d{1,5})?(?:[/?][!$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]*)?$/;

/**
 * Port of a redirect URI to this computer: native clients listen on a new one each time
 * (RFC 8252).
 */
const LOOPBACK_PORT = /(?<=^http:\/\/(?:127\.0\.0\.1|localhost)):\d+/;

export interface Client {
  /** The client's own claim; null if it gave none. */
  name: string | null;
  redirectUris: string[];
}

const metadata = z.object({
  redirect_uris: z.array(z.string()),
  client_name: z.string().nullish(),
});

/**
 * @param body of the request
 * @returns the registration, with the client's id
 * @throws OAuthError
 */
export async function register(body: string, secret: Secret): Promise<object> {
  const { data } = metadata.safeParse(
    await new Response(body).json().catch(() => undefined),
  );
  if (!data)
    throw new OAuthError(
      'invalid_client_metadata',
      'the body must be JSON with redirect_uris, a list of texts',
    );

  const { redirect_uris: redirectUris, client_name } = data;
  if (
    redirectUris.length === 0 ||
    redirectUris.length > MOST_URIS ||
    !redirectUris.every(isRedirectUri)
  ) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris takes 1 to ${MOST_URIS} URIs of at most ${LONGEST_URI} characters: https, or http on 127.0.0.1 or localhost, without user info and fragment`,
    );
  }

  const name = nameOf(client_name ?? '');
  return {
    client_id: seal(secret.sealing('client'), { name, redirectUris } satisfies Client),
    ...(name === null ? {} : { client_name: name }),
    redirect_uris: redirectUris,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** @returns undefined for an id that isn't of this service */
export function clientOf(id: string, secret: Secret): Client | undefined {
  return unseal<Client>(secret.sealing('client'), id);
}

/** Compared exactly, except for the port on this computer. */
export function mayRedirectTo({ redirectUris }: Client, uri: string): boolean {
  const plain = (text: string) => text.replace(LOOPBACK_PORT, '');
  return (
    isRedirectUri(uri) &&
    redirectUris.some((registered) => plain(registered) === plain(uri))
  );
}

function isRedirectUri(text: string): boolean {
  return text.length <= LONGEST_URI && REDIRECT_URI.test(text) && URL.canParse(text);
}

/** A name on one line, without characters that turn, hide or cover the text around it. */
function nameOf(text: string): string | null {
  const plain = visibleText(text.slice(0, 1000))
    .replace(/(?<=\p{M}{3})\p{M}+/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, LONGEST_NAME).join('') || null;
}
