/** Browsers: off unless origins are named. A page may send Authorization; x-api-key is for programs, not for pages. */

export function allowedOrigin(origin: string | undefined, allowed: readonly string[]): string | undefined {
  return origin !== undefined && allowed.includes(origin) ? origin : undefined;
}

/** Headers that answer a preflight from an allowed origin. */
export const PREFLIGHT: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '600',
};
