/** One JSON line per request: never a key, a query value or a record. */
import type { RequestContext } from './request-context.ts';

/**
 * @param ms from arrival to response
 * @param now epoch milliseconds of the response
 */
export type AccessLog = (context: RequestContext, ms: number, now: number) => void;

/** @param write takes one line with its line break */
export function accessLog(write: (text: string) => void): AccessLog {
  return (context, ms, now) => {
    const { c, status, keyId, requestId } = context;
    const line = {
      time: new Date(now).toISOString(),
      method: c.req.method,
      path: pathOf(context),
      status,
      duration_ms: Math.round(ms * 1000) / 1000,
      key_id: keyId,
      request_id: requestId,
    };
    write(`${JSON.stringify(line)}\n`);
  };
}

/**
 * Path for the log. An unknown path may contain anything, even an encoded key, so it
 * isn't logged. {id} is replaced by the id only if its record exists.
 */
function pathOf({ c, route, status }: RequestContext): string {
  if (route === null) return 'unknown';
  return route.includes('{') && (status === 200 || status === 304) ? c.req.path : route;
}
