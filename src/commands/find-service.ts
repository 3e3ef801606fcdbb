/** Whether the service at an address is the one on these files. */
import type { Files } from '../config.ts';
import { issueKey } from '../keys/issue.ts';
import { deleteKey } from '../keys/store.ts';

const TIMEOUT_MS = 3000;
const MINUTE = 60_000;

/**
 * Asks it for the id of a key that was put into the key store a moment ago: whoever can't read that store doesn't know it. The key
 * has no scopes and is deleted at once, so another program that listens there learns nothing that it could use.
 * @param url http://127.0.0.1:4747
 */
export async function servesThese(url: string, files: Files, userId: string): Promise<boolean> {
  if ((await bodyOf(`${url}/healthz`)) === undefined) return false;
  const now = Date.now();
  const probe = { userId, name: 'looking for the service', scopes: [], expires: now + MINUTE, now };
  const { key, stored } = issueKey(files, probe);
  try {
    const me = (await bodyOf(`${url}/v1/me`, key)) as { data?: { key?: { id?: unknown } } } | undefined;
    return me?.data?.key?.id === stored.id;
  } finally {
    deleteKey(files.keys, stored.id);
  }
}

/** Undefined where nothing answers, or not in JSON. */
async function bodyOf(address: string, key?: string): Promise<unknown> {
  try {
    const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const response = await fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return await response.json();
  } catch {
    return undefined;
  }
}
