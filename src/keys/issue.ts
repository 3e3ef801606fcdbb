import { randomBytes } from 'node:crypto';
import type { Files } from '../config.ts';
import { toInstantText } from '../time.ts';
import { generateKey, generateKeyId } from './format.ts';
import type { Lens } from './lens.ts';
import type { Scope } from './scopes.ts';
import { openSecret } from './secret.ts';
import { insertKey, type StoredKey } from './store.ts';

export interface NewKey {
  userId: string;
  name: string;
  scopes: Scope[];
  /** What it shows; everything by default. */
  lens?: Lens | null;
  /** Epoch milliseconds. */
  expires: number;
  now: number;
}

/** Creates a key and stores its hash. Only the result contains the key itself. */
export function issueKey(
  files: Files,
  { userId, name, scopes, lens = null, expires, now }: NewKey,
): { key: string; stored: StoredKey } {
  const secret = openSecret(files);
  const key = generateKey();
  const stored: StoredKey = {
    id: generateKeyId(),
    user_id: userId,
    name,
    scopes,
    created_at: toInstantText(now),
    expires_at: toInstantText(expires),
    revoked_at: null,
    last_used_at: null,
    lens,
    seed: lens && randomBytes(32),
  };
  insertKey(files.keys, stored, secret.hashKey(key));
  return { key, stored };
}
