/** Who calls: the key of a request, checked anew each time, so that revocation and expiry hold for the very next one. */
import { isWellFormed } from '../keys/format.ts';
import type { FoundKey, KeyReader } from '../keys/key-reader.ts';
import type { Secret } from '../keys/secret.ts';
import { stateOf } from '../keys/store.ts';
import { Problem } from './problem.ts';

const REALM = 'Bearer realm="journal-api"';

/**
 * @param authorization the Authorization header
 * @param apiKey the x-api-key header
 * @throws Problem where there is no key that works
 */
export function authenticate(
  keys: KeyReader,
  secret: Secret,
  now: number,
  authorization: string | undefined,
  apiKey: string | undefined,
): FoundKey {
  const sent = keyOf(authorization, apiKey);
  const key = keys.find(sent, () => (isWellFormed(sent) ? secret.hashKey(sent) : null));
  if (!key)
    throw invalidKey(
      'this key is unknown here; check that it was copied whole, or make one with "journal-api key create"',
    );
  const state = stateOf(key, now);
  if (state === 'revoked') throw refuse('revoked_key', 'this key was revoked; ask its owner for a new one');
  if (state === 'expired')
    throw refuse('expired_key', `this key expired at ${key.expires_at}; ask its owner for a new one`);
  return key;
}

export function invalidKey(detail: string): Problem {
  return refuse('invalid_key', detail);
}

export function insufficientScope(scope: string): Problem {
  return new Problem(
    'insufficient_scope',
    `this key lacks the scope ${scope}; a key's scopes are chosen when it is made`,
    {
      headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"` },
    },
  );
}

function keyOf(authorization: string | undefined, apiKey: string | undefined): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined && apiKey === undefined) return bearer;
  // A header that was sent twice arrives joined by commas.
  const plain = (apiKey ?? '').split(',').map((key) => key.trim());
  const sent = new Set([bearer ?? '', ...plain].filter((key) => key !== ''));
  if (sent.size > 1) {
    throw new Problem('conflicting_credentials', 'this request carries different keys; send one of them, once');
  }
  for (const key of sent) return key;
  const bare = isWellFormed(authorization?.trim() ?? '');
  throw new Problem(
    'missing_key',
    bare
      ? 'put "Bearer " before the key: "Authorization: Bearer <key>"'
      : 'send a key as "Authorization: Bearer <key>" (or, not from a browser, as "x-api-key: <key>")',
    { headers: { 'WWW-Authenticate': REALM } },
  );
}

function refuse(code: 'invalid_key' | 'expired_key' | 'revoked_key', detail: string): Problem {
  // The description is a quoted string: no quotes inside.
  const description = detail.replaceAll('"', "'");
  return new Problem(code, detail, {
    headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="${description}"` },
  });
}
