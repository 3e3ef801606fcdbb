/** The one client of the API. */

/** An error response, or none at all. */
export class Failure extends Error {
  override name = 'Failure';
  /** The code of the problem in the response; `unreachable` without a response. */
  readonly code: string;
  /** Seconds until another try; null if waiting doesn't help. */
  readonly retryAfter: number | null;

  constructor(code: string, detail: string, retryAfter: number | null = null) {
    super(detail);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

interface Remembered {
  etag: string;
  body: unknown;
}

/** Responses in memory, shown again without being sent again. */
const MAX_REMEMBERED = 100;

export class Api {
  readonly key: string;
  /** Lists that are loaded page by page. */
  readonly lists = new Map<string, unknown>();
  readonly #remembered = new Map<string, Remembered>();

  constructor(key: string) {
    this.key = key;
  }

  /** The last response, even if the journal has changed since. */
  remembered<T>(path: string, query: Query = {}): T | undefined {
    return this.#remembered.get(addressOf(path, query))?.body as T | undefined;
  }

  /**
   * @param path below /v1, such as trades/t-1
   * @param query null, undefined and empty values are omitted
   * @returns the whole body
   * @throws Failure
   */
  async get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    const address = addressOf(path, query);
    const known = this.#remembered.get(address);
    const response = await this.#fetch(address, known?.etag, signal);
    if (response.status === 304 && known) return known.body as T;

    const body = await bodyOf(response);
    if (!response.ok) throw failureOf(response, body);

    keep(
      this.#remembered,
      address,
      { etag: response.headers.get('ETag') ?? '', body },
      MAX_REMEMBERED,
    );
    return body as T;
  }

  /**
   * Sends a request, and sends it again after each failure that may pass.
   * @returns what stops it
   */
  ask<T>(
    path: string,
    query: Query,
    onBody: (body: T) => void,
    onFailure: (failure: Failure) => void,
  ): () => void {
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout>;

    const send = () => {
      this.get<T>(path, query, abort.signal).then(onBody, (failure: unknown) => {
        if (abort.signal.aborted) return;
        if (!(failure instanceof Failure)) throw failure;
        onFailure(failure);
        if (failure.retryAfter !== null)
          retry = setTimeout(send, failure.retryAfter * 1000);
      });
    };

    send();
    return () => {
      abort.abort();
      clearTimeout(retry);
    };
  }

  /** A kept picture. @param path such as attachments/0123.png @throws Failure */
  async picture(path: string, signal: AbortSignal): Promise<Blob> {
    const address = addressOf(path, {});
    const response = await this.#fetch(address, undefined, signal, { Accept: 'image/*' });
    if (!response.ok) throw failureOf(response, await bodyOf(response));
    return response.blob();
  }

  async #fetch(
    address: string,
    etag: string | undefined,
    signal: AbortSignal | undefined,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.key}`,
      ...more,
    };
    if (etag) headers['If-None-Match'] = etag;
    try {
      // no-store: journal data doesn't belong in the browser's cache on disk.
      return await fetch(address, {
        headers,
        signal: signal ?? null,
        cache: 'no-store',
        credentials: 'omit',
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Failure('unreachable', 'The service does not respond.', 2);
    }
  }
}

/**
 * The key for a ticket, which is sent once: a second time would end the key.
 * @throws Failure
 */
export async function keyFor(ticket: string): Promise<string> {
  const failed = (detail: string) => new Failure('unused_link', detail);
  const response = await fetch('ticket', {
    method: 'POST',
    headers: { Authorization: `Bearer ${ticket}` },
    cache: 'no-store',
    credentials: 'omit',
  }).catch(() => {
    throw failed('none; the service does not respond.');
  });

  const { data, detail } = (await bodyOf(response)) as {
    data?: { key: string };
    detail?: string;
  };
  if (data) return data.key;
  throw failed(detail ?? response.statusText);
}

/** Keeps a value, and as many of the latest others as allowed. */
export function keep<T>(
  values: Map<string, T>,
  name: string,
  value: T,
  most: number,
): void {
  values.delete(name);
  values.set(name, value);
  if (values.size > most) values.delete(values.keys().next().value as string);
}

export function addressOf(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '')
      search.set(name, String(value));
  }
  const text = search.toString();
  return `v1/${path}${text === '' ? '' : `?${text}`}`;
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Failure('unreachable', 'The response is not from journal-api.');
  }
}

function failureOf(response: Response, body: unknown): Failure {
  const { code, detail } = body as { code?: string; detail?: string };
  const wait = Number(response.headers.get('Retry-After'));
  return new Failure(
    code ?? `http_${response.status}`,
    detail ?? response.statusText,
    wait > 0 ? wait : null,
  );
}
