/**
 * How a service proves to `open` that it has the same secret, and at which address: another program may listen in its place and pass the
 * question on to it, but is at another address.
 */
import type { Secret } from './secret.ts';

/** Of the request, with random characters; of the response, with the proof. */
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
 * @returns undefined for what is no challenge
 */
export function addressProof(secret: Secret, challenge: string, { address, port }: Address): string | undefined {
  if (!CHALLENGE.test(challenge)) return undefined;
  // A server that listens on all addresses writes those of IPv4 as ones of IPv6.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return secret.proveAddress(`${challenge} ${port} ${plain}`).toString('base64url');
}
