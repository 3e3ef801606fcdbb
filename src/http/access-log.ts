/** One JSON line a request: never a key, a query value or a record. */
import { hideKeys } from '../keys/format.ts';
import type { RequestContext } from './request-context.ts';

/**
 * @param ms from arrival to answer
 * @param now epoch milliseconds of the answer
 */
export type AccessLog = (context: RequestContext, ms: number, now: number) => void;

const MAX_PATH = 500;

/** What a terminal obeys rather than shows, beyond what JSON escapes: C1 controls, turns of the writing direction, and what has no width. */
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** @param write takes one line, its end included */
export function accessLog(write: (text: string) => void): AccessLog {
  // Many lines are of the same millisecond; to write its time anew takes as long as the rest of the line, half a microsecond.
  let last = { now: Number.NaN, time: '' };
  return ({ c, status, keyId, requestId }, ms, now) => {
    if (now !== last.now) last = { now, time: new Date(now).toISOString() };
    const line = {
      time: last.time,
      method: c.req.method,
      path: shortened(hideKeys(c.req.path)),
      status,
      duration_ms: Math.round(ms * 1000) / 1000,
      key_id: keyId,
      request_id: requestId,
    };
    const text = JSON.stringify(line);
    // Of what a client sends, only the path may hold more than ASCII.
    write(`${/^[ -~]*$/.test(line.path) ? text : text.replace(UNSEEN, escaped)}\n`);
  };
}

function shortened(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
