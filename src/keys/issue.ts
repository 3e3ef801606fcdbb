import { randomBytes } from 'node:crypto';
import type { Files } from '../config.ts';
import { UsageError } from '../errors.ts';
import { addDays, isDate, toInstantText, ZoneClock } from '../time.ts';
import { generateKey, generateKeyId } from './format.ts';
import type { Lens } from './lens.ts';
import type { Scope } from './scopes.ts';
import { openSecret } from './secret.ts';
import { insertKey, type StoredKey } from './store.ts';

const HOUR = 3_600_000;
const UNITS: Record<string, number> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
const LONGEST = 365 * 24 * HOUR;

/**
 * When a key created now expires: after 1h, 24h, 7d, 12w, or at the end of a day in the
 * user's zone. A maximum of 365 days away.
 * @returns epoch milliseconds
 * @throws UsageError with a valid example
 */
export function expiryOf(text: string, now: number, timeZone: string): number {
  const end = isDate(text)
    ? new ZoneClock(timeZone).startOfDay(addDays(text, 1))
    : now + durationOf(text, '--expires');
  if (end <= now) throw new UsageError(`--expires ${text} has already passed`);
  if (end - now > LONGEST)
    throw new UsageError(
      `--expires ${text} is too far away: a key lives at most 365 days`,
    );
  return end;
}

/** Milliseconds of 1h, 24h, 7d, 2w. */
export function durationOf(text: string, option: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  const length = Number(count ?? 0) * (UNITS[unit] ?? 0);
  if (length === 0) {
    throw new UsageError(
      `${option} takes a time such as 1h, 24h, 7d, 30d or 12w${option === '--expires' ? ', or a date such as 2026-12-31' : ''}; got "${text}"`,
    );
  }

  return length;
}

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
