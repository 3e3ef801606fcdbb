/** HTTP methods: this service is read-only. */
import { Problem } from './problem.ts';

export const ALLOW = 'GET, HEAD, OPTIONS';

/** @throws Problem (405) for a method that isn't a read */
export function requireRead(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new Problem('method_not_allowed', 'this service is read-only; use GET', { headers: { Allow: ALLOW } });
}
