/**
 * Answers that were given, for as long as the journal says the same: by user, scopes and request. Bounded in bytes; the ones
 * that were not asked for longest go first.
 */
import type { Content } from './content.ts';

/** When an answer holds, in epoch milliseconds, the end excluded: where it depends on the day, on that day. */
export interface Span {
  from: number;
  to: number;
}

export const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

interface Entry {
  content: Content;
  /** Version of the journal it was read from. */
  version: number;
  holds: Span;
  bytes: number;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** One answer may take this much of it. */
const MAX_ENTRY_BYTES = MAX_BYTES / 16;
/** What an entry takes beside its body. */
const OVERHEAD = 1024;
const MAX_ASKED_ONCE = 1000;

export class AnswerMemory {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #askedOnce = new Set<string>();

  /** The answer, if it still holds at this version of the journal and this time. */
  recall(id: string, version: number, now: number): Content | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    this.#entries.delete(id);
    if (entry.version !== version || now < entry.holds.from || now >= entry.holds.to) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    // Put back at the end: the map stands in the order of last use.
    this.#entries.set(id, entry);
    return entry.content;
  }

  remember(id: string, content: Content, version: number, holds: Span): void {
    // Twice the body: its compressed form may come to be remembered with it.
    const bytes = content.bytes.length * 2 + id.length * 2 + OVERHEAD;
    if (bytes > MAX_ENTRY_BYTES) return;
    this.#bytes += bytes - (this.#entries.get(id)?.bytes ?? 0);
    this.#entries.delete(id);
    this.#entries.set(id, { content, version, holds, bytes });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  /** The same for an answer that is made as soon as it is remembered: only where it was asked for before, lately. */
  rememberIfRepeated(id: string, content: Content, version: number, holds: Span): void {
    const asked = `${version} ${id}`;
    if (this.#askedOnce.delete(asked)) return this.remember(id, content, version, holds);
    if (this.#askedOnce.size >= MAX_ASKED_ONCE) this.#askedOnce.clear();
    this.#askedOnce.add(asked);
  }
}
