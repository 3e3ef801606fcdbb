/** The parts of a note as printed, before it was edited. */
import type { ListResource } from '../../journal/resource.ts';
import { missedTrades } from '../../journal/resources/journals.ts';
import { same } from '../../journal-write/record.ts';
import type { NotedRecord } from '../note.ts';

type IsPair = (before: NotedRecord, saved: NotedRecord) => boolean;

/** Equal ones first, then those of one time, symbol and side, then of two of these. */
const PAIRS: readonly IsPair[] = [
  (before, saved) => same(before.values, saved.values),
  (before, saved) => alike(before, saved) === 3,
  (before, saved) => alike(before, saved) === 2,
];

function alike(a: NotedRecord, b: NotedRecord): number {
  return ['missed_at', 'symbol', 'side'].filter(
    (name) => a.values[name] === b.values[name],
  ).length;
}

export class PrintedParts {
  readonly missed: readonly NotedRecord[];
  /** By resource and the record's id; sessions and reviews by their day. */
  readonly #byRecord = new Map<string, NotedRecord>();
  readonly #left = new Map<NotedRecord, string>();

  constructor(parts: readonly NotedRecord[]) {
    this.missed = parts.filter(({ resource }) => resource === missedTrades);
    for (const part of parts)
      if (part.resource !== missedTrades)
        this.found(part.resource, part.clues?.id ?? part.date, part);
  }

  found({ path }: ListResource, id: string, part: NotedRecord): void {
    this.#byRecord.set(`${path} ${id}`, part);
    this.#left.set(part, id);
  }

  /** The part of a record, which is not deleted then. */
  of({ path }: ListResource, id: string): NotedRecord | undefined {
    const part = this.#byRecord.get(`${path} ${id}`);
    if (part) this.#left.delete(part);
    return part;
  }

  /** Parts that the saved note doesn't have. */
  left(): ReadonlyMap<NotedRecord, string> {
    return this.#left;
  }

  /** Sections of missed trades in the saved note by those as printed. */
  pairMissed(saved: readonly NotedRecord[]): Map<NotedRecord, NotedRecord> {
    const pairs = new Map<NotedRecord, NotedRecord>();
    const free = new Set(saved);
    for (const isPair of PAIRS) {
      for (const before of this.missed) {
        const part = pairs.has(before)
          ? undefined
          : [...free].find((own) => isPair(before, own));
        if (!part) continue;

        pairs.set(before, part);
        free.delete(part);
      }
    }

    return pairs;
  }
}
