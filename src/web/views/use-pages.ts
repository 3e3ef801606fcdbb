/**
 * Lists that load page by page, alone and merged. They are kept, so that a user who
 * returns finds the pages already loaded.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, keep, type Query } from '../api.ts';
import { useSession } from '../session.ts';
import type { Page } from '../types.ts';

/** Maximum lists kept. */
const MOST_LISTS = 8;

interface Loaded<T> {
  id: string;
  records: T[];
  /** undefined before the first page, null after the last. */
  next: string | null | undefined;
  /** The same object if nothing has changed. */
  firstPage?: Page<T>;
  hint?: string | undefined;
  failure?: Failure | undefined;
}

export interface Pages<T> {
  records: readonly T[];
  hasMore: boolean;
  /** The API's hint on an empty page. */
  hint: string | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  /** Fetches the next page, unless one is loading. */
  more: () => void;
}

/**
 * @param path null loads nothing
 * @param refreshes when it grows, the list reloads if its first page has changed
 */
export function usePages<T>(path: string | null, query: Query, refreshes = 0): Pages<T> {
  const { api } = useSession();
  const id = `${path} ${JSON.stringify(query)}`;
  const empty: Loaded<T> = { id, records: [], next: path === null ? null : undefined };
  const [loaded, setLoaded] = useState(empty);
  /** The list that a request under way extends. */
  const [extended, setExtended] = useState<Loaded<T>>();
  const stop = useRef<(() => void) | null>(null);
  const lists = api.lists as Map<string, Loaded<T>>;
  const current =
    loaded.id === id && (loaded.next !== undefined || loaded.failure)
      ? loaded
      : (lists.get(id) ?? empty);

  const load = (from: Loaded<T>) => {
    if (path === null || from.next === null || stop.current) return;

    setExtended(from);
    const settle = (result: Loaded<T>) => {
      setExtended(undefined);
      setLoaded(result);
    };

    stop.current = api.ask<Page<T>>(
      path,
      { limit: 100, ...query, cursor: from.next },
      (page) => {
        stop.current = null;
        const grown = grownBy(page, from, lists.get(id));
        settle(grown);
        keep(lists, id, grown, MOST_LISTS);
      },
      (failure) => settle({ ...(lists.get(id) ?? from), failure }),
    );
  };

  useEffect(() => {
    load(empty);
    return () => {
      stop.current?.();
      stop.current = null;
    };
  }, [api, id, refreshes]);

  return {
    records: current.records,
    hasMore: current.next !== null && !current.failure,
    hint: current.hint,
    failure: current.failure,
    // A refresh doesn't count: the known list stays in view.
    isLoading:
      Boolean(extended?.next) || (current.next === undefined && !current.failure),
    more: () => load(current),
  };
}

/**
 * The records of a list, page by page, no more than `most`; in a report all of them at
 * once.
 * @param path null loads nothing
 */
export function useRecords<T>(
  path: string | null,
  query: Query,
  most: number,
): { records: readonly T[]; isCut: boolean } {
  const { api, refreshes, isReport } = useSession();
  const { records, hasMore, isLoading, more } = usePages<T>(path, query, refreshes);
  const isCut = hasMore && records.length >= most;

  useEffect(() => {
    if (hasMore && !isCut && !isLoading) more();
  });
  if (!isReport || path === null) return { records, isCut };

  let found: T[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Page<T> | undefined = api.remembered<Page<T>>(path, {
      limit: 100,
      ...query,
      cursor,
    });
    found = found.concat(page?.data ?? []);
    cursor = page?.pagination.next_cursor ?? null;
  } while (cursor !== null && found.length < most);

  return { records: found, isCut: cursor !== null };
}

/** A list with one more page; the known list if its first page hasn't changed. */
function grownBy<T>(
  page: Page<T>,
  from: Loaded<T>,
  known: Loaded<T> | undefined,
): Loaded<T> {
  if (from.next === undefined && known?.firstPage === page) return known;
  return {
    id: from.id,
    records: [...from.records, ...page.data],
    next: page.pagination.next_cursor,
    firstPage: from.firstPage ?? page,
    hint: page.hint,
  };
}

interface Identified {
  id: string;
  type?: unknown;
}

/** A list of any kind of record: each takes its records only. */
interface Source<T extends Identified = Identified> {
  pages: Pages<T>;
  /** Its day: 2026-11-20 */
  dateOf(record: T): string;
  draw(record: T): ComponentChildren;
}

/** Ties what takes a source's records to their type. */
export function source<T extends Identified>(declared: Source<T>): Source {
  return declared;
}

interface Feed {
  items: { id: string; draw: () => ComponentChildren }[];
  isLoading: boolean;
  failure: Failure | undefined;
  /** Fetches the next page of each exhausted list. */
  more: () => void;
}

export function mergedFeed(sources: readonly Source[], wanted: number): Feed {
  const positions = sources.map(() => 0);
  const items: Feed['items'] = [];
  while (items.length < wanted) {
    let newest = -1;
    let date = '';
    for (const [index, { pages, dateOf }] of sources.entries()) {
      const record = pages.records[positions[index] as number];
      // The next item may be on a page that isn't loaded yet.
      if (record === undefined && pages.hasMore) return feed(sources, items, positions);
      if (record !== undefined && dateOf(record) > date) {
        newest = index;
        date = dateOf(record);
      }
    }

    const chosen = sources[newest];
    if (!chosen) break;

    const record = chosen.pages.records[positions[newest] as number] as Identified;
    positions[newest] = (positions[newest] as number) + 1;
    items.push({
      id: `${newest} ${record.type ?? ''} ${record.id}`,
      draw: () => chosen.draw(record),
    });
  }

  return feed(sources, items, positions);
}

function feed(
  sources: readonly Source[],
  items: Feed['items'],
  positions: readonly number[],
): Feed {
  return {
    items,
    isLoading: sources.some(({ pages }) => pages.isLoading),
    failure: sources.find(({ pages }) => pages.failure)?.pages.failure,
    more: () => {
      for (const [index, { pages }] of sources.entries()) {
        if (pages.hasMore && positions[index] === pages.records.length) pages.more();
      }
    },
  };
}
