/**
 * Proof of a service to `open` that it has the same secret, and at which address. Another program may listen in its place and forward the
 * challenge, but from another address.
 */
import type { Secret } from './secret.ts';

/** Headers of the request, with random characters, and of the response, with the proof. */
export const CHALLENGE_HEADER = 'x-journal-api-challenge';
export const PROOF_HEADER = 'x-journal-api-proof';

/** 32 random bytes in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

export interface Address {
  address: string;
  port: number;
}

/**
 * @param at the service's end of the connection, as either side sees it
 * @returns undefined unless the text is a challenge
 */
export function addressProof(secret: Secret, challenge: string, { address, port }: Address): string | undefined {
  if (!CHALLENGE.test(challenge)) return undefined;
  // A server that listens on all addresses reports IPv4 addresses as IPv6.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return secret.proveAddress(`${challenge} ${port} ${plain}`).toString('base64url');
}
