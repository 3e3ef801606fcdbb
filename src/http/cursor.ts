/**
 * Cursors: a position in one list, signed, and good only for the endpoint, user and filters it was issued for. The content
 * is not secret (it is the last record the client saw); the signature keeps it from being made up.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { ListPosition } from '../journal/list-order.ts';
import type { Query } from './parameter.ts';
import { Problem } from './problem.ts';
import type { KeyRoute } from './route.ts';

type Sign = (content: string) => Buffer;

/** What a cursor is bound to. */
export interface CursorContext {
  path: string;
  userId: string;
  query: Query;
}

const SIGNATURE_BYTES = 16;

export function encodeCursor(sign: Sign, context: CursorContext, position: ListPosition): string {
  const content = [context.path, context.userId, filtersOf(context.query), ...position];
  const encoded = Buffer.from(JSON.stringify(content)).toString('base64url');
  // Joined, not concatenated: a text that V8 keeps in parts makes JSON.stringify take 58 µs for a page of 50 trades, not 22.
  return [encoded, signature(sign, encoded)].join('.');
}

/** @throws Problem saying which of the four is wrong: not one of ours, another endpoint, another user, other filters */
function decodeCursor(sign: Sign, context: CursorContext, cursor: string): ListPosition {
  const invalid = (detail: string) => new Problem('invalid_cursor', detail, { param: 'cursor' });
  const [encoded = '', signed = '', ...rest] = cursor.split('.');
  // The text is signed, not what it decodes to: many texts decode to the same bytes.
  const expected = Buffer.from(signature(sign, encoded));
  const given = Buffer.from(signed);
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalid('this cursor was not issued here; use pagination.next_cursor unchanged, or start without a cursor');
  }
  const [path, userId, filters, ...position] = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as string[];
  if (path !== context.path) throw invalid(`this cursor was issued for another endpoint, /v1/${path}`);
  if (userId !== context.userId) throw invalid('this cursor was issued for another user');
  if (filters !== filtersOf(context.query)) {
    throw invalid(
      'this cursor was issued for other filters; repeat them unchanged with every cursor, or start without one',
    );
  }
  return position;
}

/**
 * Where a request for a list goes on; null where it carries no cursor.
 * @throws Problem where its cursor is none for it
 */
export function cursorPosition({ gives }: KeyRoute, query: Query, userId: string, sign: Sign): ListPosition | null {
  if (!('list' in gives) || query['cursor'] === undefined) return null;
  return decodeCursor(sign, { path: gives.list.path, userId, query }, query['cursor']);
}

function signature(sign: Sign, encoded: string): string {
  return sign(encoded).subarray(0, SIGNATURE_BYTES).toString('base64url');
}

/** A short name for the filters of a request: all but limit, which may change, and the cursor itself. */
function filtersOf(query: Query): string {
  const filters = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return filters.length === 0 ? '' : hash('sha256', JSON.stringify(filters), 'base64url').slice(0, 22);
}
