/** A list that grows page by page, each fetched when it is wanted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, type Query } from '../api.ts';
import { useSession } from '../session.ts';
import type { Page } from '../types.ts';

interface Loaded<T> {
  id: string;
  records: T[];
  /** undefined before the first page, null after the last. */
  next: string | null | undefined;
  hint?: string | undefined;
  failure?: Failure | undefined;
}

export interface Pages<T> {
  records: readonly T[];
  hasMore: boolean;
  /** What the API says to an empty page. */
  hint: string | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  /** Fetches the next page, unless one is on its way. */
  more: () => void;
}

/** @param path null asks nothing */
export function usePages<T>(path: string | null, query: Query): Pages<T> {
  const { api } = useSession();
  const id = `${path} ${JSON.stringify(query)}`;
  const [loaded, setLoaded] = useState<Loaded<T>>({ id: '', records: [], next: null });
  const [isLoading, setLoading] = useState(false);
  const busy = useRef<AbortController | null>(null);
  const current: Loaded<T> = loaded.id === id ? loaded : { id, records: [], next: undefined };

  const load = (from: Loaded<T>) => {
    if (path === null || from.next === null || busy.current) return;
    const abort = new AbortController();
    busy.current = abort;
    setLoading(true);
    const settle = (result: Loaded<T>) => {
      if (abort.signal.aborted) return;
      busy.current = null;
      setLoading(false);
      setLoaded(result);
    };
    api.get<Page<T>>(path, { limit: 100, ...query, cursor: from.next }, abort.signal).then(
      ({ data, pagination, hint }) =>
        settle({ id, records: [...from.records, ...data], next: pagination.next_cursor, hint }),
      (failure: unknown) => failure instanceof Failure && settle({ ...from, next: null, failure }),
    );
  };

  useEffect(() => {
    load({ id, records: [], next: undefined });
    return () => {
      busy.current?.abort();
      busy.current = null;
    };
  }, [api, id]);

  return {
    records: current.records,
    hasMore: current.next !== null,
    hint: current.hint,
    failure: current.failure,
    isLoading: isLoading || current.next === undefined,
    more: () => load(current),
  };
}
