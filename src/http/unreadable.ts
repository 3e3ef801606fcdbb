/** Problem for a request that never reaches the application. */
import { Problem } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

export const UNREADABLE = new Problem('bad_request', 'the request line or the Host header is not valid HTTP');

export function headersOf(requestId: string): Record<string, string> {
  return { ...SECURITY_HEADERS, 'X-Request-Id': requestId, 'Content-Type': 'application/problem+json' };
}
