/** Finds out whether the service at an address uses these files. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { request as requestByTls } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Files } from '../../config.ts';
import { type Address, addressProof, CHALLENGE_HEADER, PROOF_HEADER } from '../../keys/address-proof.ts';
import { issueKey } from '../../keys/issue.ts';
import { openSecret } from '../../keys/secret.ts';
import { deleteKey } from '../../keys/store.ts';

const TIMEOUT_MS = 3000;
const MINUTE = 60_000;

/**
 * The service must prove that it has the secret of these files and is at the requested address. An impostor can't,
 * not even by forwarding the challenge. A copy of the files has the same secret, so a new key is tried as well.
 * @param url http://127.0.0.1:4747
 * @returns the proved address, because a name may resolve differently next time. With TLS the certificate proves the name
 */
export async function findService(url: string, files: Files, userId: string): Promise<string | undefined> {
  const challenge = randomBytes(32).toString('base64url');
  const answered = await ask(`${url}/healthz`, { [CHALLENGE_HEADER]: challenge });
  const proof = answered?.headers[PROOF_HEADER];
  if (!answered || typeof proof !== 'string') return undefined;
  const expected = addressProof(openSecret(files), challenge, answered.at) as string;
  if (!isEqual(Buffer.from(proof), Buffer.from(expected))) return undefined;
  const { address, port } = answered.at;
  const proved = url.startsWith('https:') ? url : `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
  return (await hasKeys(proved, files, userId)) ? proved : undefined;
}

/** Whether it reads the keys of these files: tries a new key without scopes, then deletes it. */
async function hasKeys(url: string, files: Files, userId: string): Promise<boolean> {
  const now = Date.now();
  const probe = { userId, name: 'looking for the service', scopes: [], expires: now + MINUTE, now };
  const { key, stored } = issueKey(files, probe);
  try {
    return (await ask(`${url}/v1/me`, { authorization: `Bearer ${key}` }))?.status === 200;
  } finally {
    deleteKey(files.keys, stored.id);
  }
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

interface Answered {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  /** Its end of the connection. */
  at: Address;
}

/** Undefined without a response. */
function ask(url: string, headers: OutgoingHttpHeaders): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestByTls : request;
    const asked = send(url, { headers, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
    asked.once('error', () => resolve(undefined));
    asked.once('response', (response) => {
      const { remoteAddress: address = '', remotePort: port = 0 } = response.socket;
      resolve({ status: response.statusCode, headers: response.headers, at: { address, port } });
      response.destroy();
    });
    asked.end();
  });
}
