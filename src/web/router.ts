/** Where the reader is: in the address's fragment, so that it can be bookmarked and no server sees it. #/trades/t-1?sort=net_pnl */
import { useEffect, useState } from 'preact/hooks';

export const VIEWS = { overview: 'Overview', trades: 'Trades', journal: 'Journal', agent: "Agent's view" } as const;
export type View = keyof typeof VIEWS;

export interface Place {
  view: View;
  /** What stands behind the view: the id of a trade. */
  id: string | null;
  query: Readonly<Record<string, string>>;
}

function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = null] = path.split('/');
  return {
    view: Object.hasOwn(VIEWS, view) ? (view as View) : 'overview',
    id: id === null || id === '' ? null : decodeURIComponent(id),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** @param query what is null, undefined or empty is left out */
export function hrefOf(view: View, query: Readonly<Record<string, string | null | undefined>> = {}, id?: string) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const path = id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
  return search.size === 0 ? path : `${path}?${search}`;
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const follow = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

/** Goes there; with replace, what is there now is no longer a step back. */
export function go(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}
