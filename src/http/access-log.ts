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
    // Put together by hand: JSON.stringify of the whole line takes half a microsecond more, of 20 for an answer from the cache. Only the
    // path needs care; methods, key ids and request ids are letters, digits and a few signs.
    const duration = Math.round(ms * 1000) / 1000;
    const id = keyId === null ? 'null' : `"${keyId}"`;
    write(
      `{"time":"${last.time}","method":"${c.req.method}","path":${shown(c.req.path)},"status":${status},"duration_ms":${duration},"key_id":${id},"request_id":"${requestId}"}\n`,
    );
  };
}

/** A path as JSON: not too long, without keys, nothing unseen in it. */
function shown(path: string): string {
  const hidden = hideKeys(path);
  const text = JSON.stringify(hidden.length > MAX_PATH ? `${hidden.slice(0, MAX_PATH)}…` : hidden);
  return text.replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
