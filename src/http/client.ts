/** A client of the API: over HTTP, or of an application in this very process, with the same answers. */

/** What the application answers with, without a network between. */
type Fetch = (path: string, init: { headers: Record<string, string> }) => Response | Promise<Response>;

export interface Answer {
  status: number;
  /** The body as it was sent. */
  text: string;
  /** The body, parsed; undefined where it is no JSON. */
  body: unknown;
  /** Seconds to wait before the next request, where the answer says so. */
  retryAfter: number | null;
}

/**
 * Asks one path, such as /v1/trades?limit=5.
 * @throws Error where no answer came at all
 */
export type Ask = (path: string) => Promise<Answer>;

const TIMEOUT_MS = 60_000;

/** @param headers that say who asks */
export function askApp(fetch: Fetch, headers: Record<string, string>): Ask {
  return async (path) => answerOf(await fetch(path, { headers }));
}

/**
 * @param url where the service is: http://127.0.0.1:4747, or with a path before /v1
 * @param headers that say who asks
 */
export function askUrl(url: string, headers: Record<string, string>): Ask {
  const base = url.replace(/(?<!\/)\/+$/, '');
  return async (path) => {
    // A redirect could take the key elsewhere.
    const response = await fetch(base + path, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      const cause = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
      throw new Error(`${base} does not answer: ${cause}`);
    });
    return answerOf(response);
  };
}

/** @param key undefined for paths that need none */
export function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
  const retryAfter = response.headers.get('Retry-After');
  return {
    status: response.status,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    retryAfter: retryAfter === null ? null : Number(retryAfter),
  };
}
