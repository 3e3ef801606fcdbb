/** One JSON line a request: never a key, a query value or a record. */
import type { Exchange } from './env.ts';

/**
 * @param ms from arrival to answer
 * @param now epoch milliseconds of the answer
 */
export type AccessLog = (method: string, path: string, exchange: Exchange, ms: number, now: number) => void;

const MAX_PATH = 500;

/** @param write takes one line, its end included */
export function accessLog(write: (text: string) => void): AccessLog {
  let last = { now: Number.NaN, time: '' };
  // Put together by hand, since JSON.stringify takes longer than an answer that is remembered. Only the path needs care: methods,
  // key ids and request ids are letters, digits and a few signs.
  return (method, path, { status, keyId, requestId }, ms, now) => {
    // To write a time down takes longer than the rest of the line, and many lines are of the same millisecond.
    if (now !== last.now) last = { now, time: new Date(now).toISOString() };
    write(
      `{"time":"${last.time}","method":"${method}","path":${JSON.stringify(withoutKeys(path))},"status":${status},"duration_ms":${ms.toFixed(3)},"key_id":${keyId === null ? 'null' : `"${keyId}"`},"request_id":"${requestId}"}\n`,
    );
  };
}

/** A path, not too long, without keys that somebody pasted into it, their _ encoded or not. */
function withoutKeys(path: string): string {
  return (path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path).replace(
    /jak(_|%(25)*5F)[0-9A-Za-z]+/gi,
    'jak_…',
  );
}
