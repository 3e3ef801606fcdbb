/**
 * Stored rows that no row of the file is yet, found without looking at taken ones again.
 */
import type { StoredRow } from './row.ts';

/** A row that looks for its stored one. */
export interface Wanted {
  /** In lower case; '' for none. */
  account: string;
  /** The platform's id; null if any row will do. */
  id: string | null;
}

/** Rows in order, of which those at the beginning may be taken. */
interface Queue<S> {
  rows: S[];
  next: number;
}

/** Stored rows that state the same, in their order. */
export class FreeRows<S extends StoredRow> {
  readonly #taken: ReadonlySet<S>;
  readonly #places = new Map<S, number>();
  /** By account, then by id: '' has the rows without one, null all. */
  readonly #accounts = new Map<string, Map<string | null, Queue<S>>>();

  /** @param taken grows while rows are matched */
  constructor(rows: readonly S[], taken: ReadonlySet<S>) {
    this.#taken = taken;
    for (const [place, row] of rows.entries()) {
      this.#places.set(row, place);
      const account = accountOf(row);
      this.#add(account, row);
      if (account !== '' && row.isInferred) this.#add(INFERRED, row);
    }
  }

  /** The first free row of the same account, else of none. */
  first({ account, id }: Wanted): S | undefined {
    const same = this.#in(account, id);
    if (same || account === '') return same;
    return this.#earlier(this.#in('', id), this.#in(INFERRED, id));
  }

  /** The first free row of each account, in their order. */
  ofEach(id: string | null): S[] {
    const names = [...this.#accounts.keys()].filter((name) => name !== INFERRED);
    const rows = names.flatMap((name) => this.#in(name, id) ?? []);
    return rows.sort((a, b) => this.#placeOf(a) - this.#placeOf(b));
  }

  #in(account: string, id: string | null): S | undefined {
    const queues = this.#accounts.get(account);
    if (!queues) return undefined;
    if (id === null) return this.#head(queues.get(null));
    return this.#earlier(this.#head(queues.get('')), this.#head(queues.get(id)));
  }

  #head(queue: Queue<S> | undefined): S | undefined {
    if (!queue) return undefined;
    for (; queue.next < queue.rows.length; queue.next++) {
      const row = queue.rows[queue.next] as S;
      if (!this.#taken.has(row)) return row;
    }
    return undefined;
  }

  #earlier(a: S | undefined, b: S | undefined): S | undefined {
    if (!a || !b) return a ?? b;
    return this.#placeOf(a) <= this.#placeOf(b) ? a : b;
  }

  #placeOf(row: S): number {
    return this.#places.get(row) ?? 0;
  }

  #add(account: string, row: S): void {
    const queues = this.#accounts.get(account) ?? new Map<string | null, Queue<S>>();
    this.#accounts.set(account, queues);
    const ids = idsOf(row);

    for (const id of [null, ...(ids.length > 0 ? ids : [''])]) {
      const queue = queues.get(id);
      if (queue) queue.rows.push(row);
      else queues.set(id, { rows: [row], next: 0 });
    }
  }
}

/** In place of an account: rows whose files name none. */
const INFERRED = '\0';

function accountOf({ account }: StoredRow): string {
  return (account ?? '').toLowerCase();
}

const NO_IDS: readonly string[] = [];

/** The platform's ids of a stored row: its own, and those that files wrote of it. */
export function idsOf({ id, statements }: StoredRow): readonly string[] {
  const [only] = statements;
  if (only && statements.length === 1 && (only.id === null || only.id === id))
    return id === null ? NO_IDS : [id];
  const ids = new Set(statements.flatMap((statement) => statement.id ?? []));
  if (id !== null) ids.add(id);
  return [...ids];
}
