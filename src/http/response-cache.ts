/**
 * Cache of response bodies by user, scopes and request, valid while the journal is
 * unchanged: those of an earlier version are dropped with the first of a later one.
 * Bounded in bytes; the least recently used are evicted first.
 */
import type { ResponseBody } from './reply.ts';

/**
 * Period in which a body is valid, in epoch milliseconds, the end excluded: the part of
 * its day between moments it depends on.
 */
export interface Validity {
  from: number;
  to: number;
}

export const ALWAYS: Validity = {
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
};

interface Entry {
  body: ResponseBody;
  /** Version of the journal it was read from; 0 if it doesn't depend on it. */
  version: number;
  validity: Validity;
  bytes: number;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum bytes of one body. */
const MAX_ENTRY_BYTES = MAX_BYTES / 16;
/** Bytes of an entry without its body. */
const OVERHEAD = 1024;
const MAX_ASKED_ONCE = 1000;

export class ResponseCache {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** The latest version of a body. */
  #version = 0;
  readonly #askedOnce = new Set<string>();

  /** The body, if it is valid at this version of the journal and this time. */
  get(id: string, version: number, now: number): ResponseBody | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;

    this.#entries.delete(id);
    if (
      entry.version !== version ||
      now < entry.validity.from ||
      now >= entry.validity.to
    ) {
      this.#bytes -= entry.bytes;
      return undefined;
    }

    // Moved to the end: the map is in the order of last use.
    this.#entries.set(id, entry);
    return entry.body;
  }

  set(id: string, body: ResponseBody, version: number, validity: Validity): void {
    // Twice the body: its compressed form may be kept with it.
    const bytes = body.bytes.length * 2 + id.length * 2 + OVERHEAD;
    if (bytes > MAX_ENTRY_BYTES) return;

    if (version > this.#version) this.#dropEarlier(version);
    this.#bytes += bytes - (this.#entries.get(id)?.bytes ?? 0);
    this.#entries.delete(id);
    this.#entries.set(id, { body, version, validity, bytes });

    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  #dropEarlier(version: number): void {
    this.#version = version;
    for (const [id, entry] of this.#entries) {
      if (entry.version === 0) continue;
      this.#entries.delete(id);
      this.#bytes -= entry.bytes;
    }
  }

  /**
   * The same for a body that is cheap to make: cached only at the second recent request.
   */
  setIfRepeated(
    id: string,
    body: ResponseBody,
    version: number,
    validity: Validity,
  ): void {
    const asked = `${version} ${id}`;
    if (this.#askedOnce.delete(asked)) return this.set(id, body, version, validity);
    if (this.#askedOnce.size >= MAX_ASKED_ONCE) this.#askedOnce.clear();
    this.#askedOnce.add(asked);
  }
}
