/** The windows that can be looked at, as the address names them and as the API is asked. */

export const WINDOWS = {
  '30d': '30 days',
  '90d': '90 days',
  last_month: 'Last month',
  this_year: 'This year',
  all: 'All',
} as const;

const DEFAULT_WINDOW = '90d';

type PlaceQuery = Readonly<Record<string, string>>;

/** One of the names above; null where the address has days of its own. */
export function windowName({ period, start, end }: PlaceQuery): string | null {
  if (start || end) return null;
  return period ?? DEFAULT_WINDOW;
}

/** What of a place's query says which window it shows. */
export function windowQuery({ period, start, end }: PlaceQuery): Record<string, string | undefined> {
  return { period, start, end };
}

/** The parameters that the API takes for it. */
export function apiWindow(query: PlaceQuery): Record<string, string | undefined> {
  const name = windowName(query);
  if (name === null) return { start: query['start'], end: query['end'] };
  return name === 'all' ? {} : { period: name };
}
