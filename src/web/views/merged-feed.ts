/** Several lists merged, newest first. */
import type { ComponentChildren } from 'preact';
import type { Failure } from '../api.ts';
import type { Pages } from './use-pages.ts';

interface Source<T> {
  pages: Pages<T>;
  /** Its day: 2026-11-20 */
  dateOf: (record: T) => string;
  draw: (record: T) => ComponentChildren;
}

interface Feed {
  items: { id: string; draw: () => ComponentChildren }[];
  isLoading: boolean;
  failure: Failure | undefined;
  /** Fetches the next page of each exhausted list. */
  more: () => void;
}

// biome-ignore lint/suspicious/noExplicitAny: each source is of its own kind of record
export function mergedFeed(sources: readonly Source<any>[], wanted: number): Feed {
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
    const source = sources[newest];
    if (!source) break;
    const record = source.pages.records[positions[newest] as number];
    positions[newest] = (positions[newest] as number) + 1;
    items.push({ id: `${newest} ${record.type ?? ''} ${record.id}`, draw: () => source.draw(record) });
  }
  return feed(sources, items, positions);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function feed(sources: readonly Source<any>[], items: Feed['items'], positions: readonly number[]): Feed {
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
