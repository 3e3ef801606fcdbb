/** How often somebody may call: a bucket of tokens, full at first, refilled evenly over the minute. */
import { Problem } from './problem.ts';

export interface RateLimitResult {
  allowed: boolean;
  /** Whole calls left now. */
  remaining: number;
  /** Seconds until the next call will be allowed, rounded up; 0 where it is now. */
  retryAfter: number;
  /** Seconds until all calls are there again, rounded up. */
  reset: number;
}

/** What RateLimit-Policy and RateLimit say, as the draft of the IETF's HTTPAPI group has them (draft-ietf-httpapi-ratelimit-headers). */
export interface RateLimitHeaders {
  policy: string;
  state: string;
}

// More than anybody needs at once; past it the longest unused bucket is forgotten, which only makes it full again.
const MAX_BUCKETS = 10_000;

const UNLIMITED: RateLimitResult = { allowed: true, remaining: Number.POSITIVE_INFINITY, retryAfter: 0, reset: 0 };

export class RateLimiter {
  readonly perMinute: number;
  readonly #name: string;
  readonly #policy: string;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /**
   * @param name what clients are told that it is called
   * @param perMinute size of the bucket and refill a minute; 0 for no limit
   * @param now epoch milliseconds
   */
  constructor(name: string, perMinute: number, now: () => number) {
    this.#name = `"${name}"`;
    this.#policy = `${this.#name};q=${perMinute};w=60`;
    this.perMinute = perMinute;
    this.#now = now;
  }

  /** Takes a token where there is one. */
  take(id: string): RateLimitResult {
    if (this.perMinute === 0) return UNLIMITED;
    const now = this.#now();
    const tokens = this.#tokens(id, now);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    // Taken out and put back: the map then stands in the order of last use.
    this.#buckets.delete(id);
    this.#buckets.set(id, { tokens: left, at: now });
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return this.#result(allowed, left);
  }

  /** How it stands, with no token taken. */
  look(id: string): RateLimitResult {
    return this.perMinute === 0 ? UNLIMITED : this.#result(true, this.#tokens(id, this.#now()));
  }

  /** Null where there is no limit to tell of. */
  headers({ remaining, reset }: RateLimitResult): RateLimitHeaders | null {
    if (this.perMinute === 0) return null;
    return { policy: this.#policy, state: `${this.#name};r=${remaining};t=${reset}` };
  }

  #tokens(id: string, now: number): number {
    const bucket = this.#buckets.get(id);
    if (!bucket) return this.perMinute;
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) * this.perMinute) / 60_000;
    return Math.min(this.perMinute, refilled);
  }

  #result(allowed: boolean, tokens: number): RateLimitResult {
    return {
      allowed,
      remaining: Math.floor(tokens),
      retryAfter: allowed ? 0 : Math.max(1, Math.ceil(((1 - tokens) * 60) / this.perMinute)),
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
