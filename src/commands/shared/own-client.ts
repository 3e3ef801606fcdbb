/** A client for the owner of the journal's file, who needs no key: none is created or stored. */
import { randomBytes } from 'node:crypto';
import type { Files } from '../../config.ts';
import { createApp } from '../../http/app.ts';
import { askApp, bearer } from '../../http/client.ts';
import { openJournal } from '../../journal/journal.ts';
import { generateKey, generateKeyId } from '../../keys/format.ts';
import type { FoundKey, KeySource } from '../../keys/key-reader.ts';
import { ALL_SCOPES } from '../../keys/scopes.ts';
import { secretOf } from '../../keys/secret.ts';
import { DAY, toInstantText } from '../../time.ts';
import type { Client } from './local-app.ts';

/** @param userId owner of the records */
export function openOwnClient(files: Files, userId: string, now: () => number = Date.now): Client {
  const journal = openJournal(files.journal);
  const app = createApp({
    journal,
    keys: keyOf(userId, now()),
    secret: secretOf(randomBytes(32)),
    rateLimit: 0,
    corsOrigins: [],
    trustProxy: false,
    allowedHosts: [],
    now,
  });
  return { ask: askApp(app, bearer(generateKey())), close: () => journal.close() };
}

/** One key for all records of a user, valid in this process only. */
function keyOf(userId: string, now: number): KeySource {
  const key: FoundKey = {
    id: generateKeyId(),
    user_id: userId,
    name: 'terminal',
    scopes: ALL_SCOPES,
    created_at: toInstantText(now),
    expires_at: toInstantText(now + DAY),
    revoked_at: null,
    last_used_at: null,
    lens: null,
    seed: null,
    audience: userId,
  };
  return { find: () => key, touch: () => null };
}
