import type * as z from 'zod';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import type { Scope } from '../keys/scopes.ts';
import type { Secret } from '../keys/secret.ts';
import type { StoredKey } from '../keys/store.ts';
import type { Reader } from '../sqlite/reader.ts';
import type { ZoneClock } from '../time.ts';
import type { Parameter, Query } from './parameter.ts';

/** What a handler works with: one snapshot of the journal, and whose records it may read. */
export interface Call {
  reader: Reader;
  user: User;
  clock: ZoneClock;
  key: StoredKey;
  /** Epoch milliseconds of the request before this one with the key; null for the first. */
  lastUsed: number | null;
  secret: Secret;
  query: Query;
  /** The {id} of the path; empty where it has none. */
  pathId: string;
  /** Epoch milliseconds. */
  now: number;
  limits: { perMinute: number; remaining: number };
}

/** An endpoint under /v1, declared once: the route, the checks and its part of the API description come from it. */
export interface Operation {
  /** As in the description: /v1/trades/{id}. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** null: any valid key. */
  scope: Scope | null;
  parameters: readonly Parameter[];
  /** The record of a list, or the shape of `data`, with its name in the description. */
  gives: { list: ListResource } | { data: z.ZodType; name: string };
  /** How long an answer holds: until the journal changes, until then but no longer than today, or for nobody else at all. */
  holds: 'unchanged' | 'today' | 'never';
  /** @returns the whole body: {data} or {data, pagination}; a generator where it may take long, and pauses */
  handle: (call: Call) => object | Generator<void, object>;
}
