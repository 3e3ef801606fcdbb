/** Rate limit: a token bucket, full at first, refilled evenly over the minute. */
import { Problem } from './problem.ts';

export interface RateLimitResult {
  allowed: boolean;
  /** Calls left. */
  remaining: number;
  /** Seconds until the next call is allowed, rounded up; 0 if it is now. */
  retryAfter: number;
  /** Seconds until all calls are available again, rounded up. */
  reset: number;
}

/**
 * Values of RateLimit-Policy and RateLimit, by the draft of the IETF's HTTPAPI group
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export interface RateLimitHeaders {
  policy: string;
  state: string;
}

// More than any service needs; beyond it the least recently used bucket is dropped, which
// only makes it full again.
const MAX_BUCKETS = 10_000;

const UNLIMITED: RateLimitResult = {
  allowed: true,
  remaining: Number.POSITIVE_INFINITY,
  retryAfter: 0,
  reset: 0,
};

export class RateLimiter {
  readonly perMinute: number;
  readonly #name: string;
  readonly #policy: string;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /**
   * @param name the limit's name in headers
   * @param perMinute size of the bucket and refill per minute; 0 for no limit
   * @param now epoch milliseconds
   */
  constructor(name: string, perMinute: number, now: () => number) {
    this.#name = `"${name}"`;
    this.#policy = `${this.#name};q=${perMinute};w=60`;
    this.perMinute = perMinute;
    this.#now = now;
  }

  /** Takes a token if one is left. */
  take(id: string): RateLimitResult {
    if (this.perMinute === 0) return UNLIMITED;

    const now = this.#now();
    const tokens = this.#tokens(id, now);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    // Removed and added again: the map is then in the order of last use.
    this.#buckets.delete(id);
    this.#buckets.set(id, { tokens: left, at: now });
    if (this.#buckets.size > MAX_BUCKETS)
      this.#buckets.delete(this.#buckets.keys().next().value as string);

    return this.#result(allowed, left);
  }

  /** The current state; takes no token. */
  look(id: string): RateLimitResult {
    return this.perMinute === 0
      ? UNLIMITED
      : this.#result(true, this.#tokens(id, this.#now()));
  }

  /** Null without a limit. */
  headers({ remaining, reset }: RateLimitResult): RateLimitHeaders | null {
    if (this.perMinute === 0) return null;
    return { policy: this.#policy, state: `${this.#name};r=${remaining};t=${reset}` };
  }

  #tokens(id: string, now: number): number {
    const bucket = this.#buckets.get(id);
    if (!bucket) return this.perMinute;
    const refilled =
      bucket.tokens + (Math.max(0, now - bucket.at) * this.perMinute) / 60_000;
    return Math.min(this.perMinute, refilled);
  }

  #result(allowed: boolean, tokens: number): RateLimitResult {
    return {
      allowed,
      remaining: Math.floor(tokens),
      retryAfter: allowed
        ? 0
        : Math.max(1, Math.ceil(((1 - tokens) * 60) / this.perMinute)),
      reset: Math.ceil(((this.perMinute - tokens) * 60) / this.perMinute),
    };
  }
}

/** @param retryAfter seconds */
export function rateLimited(retryAfter: number, why: string): Problem {
  return new Problem('rate_limited', `${why}; try again in ${retryAfter} s`, {
    headers: { 'Retry-After': String(retryAfter) },
  });
}
