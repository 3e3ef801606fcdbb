/** The journal's feed: several lists in one, newest first, while pages load. */
import { expect, test, vi } from 'vitest';
import { mergedFeed } from '../../src/web/views/use-pages.ts';

interface Entry {
  id: string;
  date: string;
}

function source(dates: readonly string[], hasMore: boolean) {
  const records = dates.map((date) => ({ id: date, date }));
  const more = vi.fn();
  const pages = {
    records,
    hasMore,
    hint: undefined,
    failure: undefined,
    isLoading: false,
    more,
  };
  return { pages, dateOf: ({ date }: Entry) => date, draw: ({ date }: Entry) => date };
}

const shown = (sources: ReturnType<typeof source>[], wanted = 100) =>
  mergedFeed(sources, wanted).items.map(({ draw }) => draw());

test('lists that are complete are merged, newest first', () => {
  const sources = [
    source(['2026-11-20', '2026-11-10'], false),
    source(['2026-11-15', '2026-11-05'], false),
  ];
  expect(shown(sources)).toEqual([
    '2026-11-20',
    '2026-11-15',
    '2026-11-10',
    '2026-11-05',
  ]);
});

test('nothing older is shown than the end of a loaded page, until its next page is there', () => {
  const days = source(['2026-11-20', '2026-11-18'], true);
  const reviews = source(['2026-11-19', '2026-11-01'], false);
  expect(shown([days, reviews])).toEqual(['2026-11-20', '2026-11-19', '2026-11-18']);
  const loaded = source(['2026-11-20', '2026-11-18', '2026-11-10'], false);
  expect(shown([loaded, reviews])).toEqual([
    '2026-11-20',
    '2026-11-19',
    '2026-11-18',
    '2026-11-10',
    '2026-11-01',
  ]);
});

test('only the list that ran out fetches its next page', () => {
  const [out, left] = [source(['2026-11-20'], true), source(['2026-11-01'], true)];
  mergedFeed([out, left], 100).more();
  expect(out.pages.more).toHaveBeenCalledOnce();
  expect(left.pages.more).not.toHaveBeenCalled();
});

test('items of a day keep the order of the lists, and no more are taken than wanted', () => {
  const sources = [
    source(['2026-11-20'], false),
    source(['2026-11-20', '2026-11-19'], false),
  ];
  expect(mergedFeed(sources, 2).items.map(({ id }) => id[0])).toEqual(['0', '1']);
});
