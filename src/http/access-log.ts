/** One JSON line per request: never a key, a query value or a record. */
import type { RequestContext } from './request-context.ts';

/**
 * @param ms from arrival to response
 * @param now epoch milliseconds of the response
 */
export type AccessLog = (context: RequestContext, ms: number, now: number) => void;

/** @param write takes one line with its line break */
export function accessLog(write: (text: string) => void): AccessLog {
  // Many lines share a millisecond; formatting its time again takes as long as the rest of the line, half a microsecond.
  let last = { now: Number.NaN, time: '' };
  return (context, ms, now) => {
    const { c, status, keyId, requestId } = context;
    if (now !== last.now) last = { now, time: new Date(now).toISOString() };
    // Built by hand: JSON.stringify of the whole line takes half a microsecond more, of 20 for a cached response. Paths,
    // methods, key ids and request ids have only letters, digits and a few signs.
    const duration = Math.round(ms * 1000) / 1000;
    const id = keyId === null ? 'null' : `"${keyId}"`;
    write(
      `{"time":"${last.time}","method":"${c.req.method}","path":"${pathOf(context)}","status":${status},"duration_ms":${duration},"key_id":${id},"request_id":"${requestId}"}\n`,
    );
  };
}

/**
 * Path for the log. An unknown path may contain anything, even an encoded key, so it isn't logged. {id} is replaced by the id only
 * if its record exists.
 */
function pathOf({ c, route, status }: RequestContext): string {
  if (route === null) return 'unknown';
  return route.includes('{') && (status === 200 || status === 304) ? c.req.path : route;
}
