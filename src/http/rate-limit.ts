/** How often somebody may call: a bucket of tokens, full at first, refilled evenly over the minute. */
import { Problem } from './problem.ts';

export interface RateLimitResult {
  allowed: boolean;
  /** Whole calls left now. */
  remaining: number;
  /** Seconds until the next call will be allowed, rounded up; 0 where it is now. */
  retryAfter: number;
}

// More than anybody needs at once; past it the longest unused bucket is forgotten, which only makes it full again.
const MAX_BUCKETS = 10_000;

export class RateLimiter {
  readonly perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /**
   * @param perMinute size of the bucket and refill a minute; 0 for no limit
   * @param now epoch milliseconds
   */
  constructor(perMinute: number, now: () => number) {
    this.perMinute = perMinute;
    this.#now = now;
  }

  /** Takes a token where there is one. */
  take(id: string): RateLimitResult {
    if (this.perMinute === 0) return { allowed: true, remaining: Number.POSITIVE_INFINITY, retryAfter: 0 };
    const now = this.#now();
    const bucket = this.#buckets.get(id) ?? { tokens: this.perMinute, at: now };
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) * this.perMinute) / 60_000;
    const tokens = Math.min(this.perMinute, refilled);
    const allowed = tokens >= 1;
    // Taken out and put back: the map then stands in the order of last use.
    this.#buckets.delete(id);
    this.#buckets.set(id, { tokens: allowed ? tokens - 1 : tokens, at: now });
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return {
      allowed,
      remaining: Math.floor(allowed ? tokens - 1 : tokens),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil(((1 - tokens) * 60) / this.perMinute)),
    };
  }
}

/** @param retryAfter seconds */
export function rateLimited(retryAfter: number, why: string): Problem {
  return new Problem('rate_limited', `${why}; try again in ${retryAfter} s`, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}
