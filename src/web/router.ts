/**
 * The current place, in the address's fragment: it can be bookmarked, and no server sees
 * it. #/trades/t-1?sort=net_pnl
 */
import { useEffect, useState } from 'preact/hooks';

export const VIEWS = {
  overview: 'Overview',
  trades: 'Trades',
  journal: 'Journal',
  agent: "Agent's view",
} as const;
export type View = keyof typeof VIEWS;

export interface Place {
  view: View;
  /** After the view: the id of a trade. */
  id: string | null;
  query: Readonly<Record<string, string>>;
  /** True if the address names no view. */
  isHome: boolean;
}

function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = null] = path.split('/');

  return {
    view: Object.hasOwn(VIEWS, view) ? (view as View) : 'overview',
    id: id === null || id === '' ? null : decoded(id),
    query: Object.fromEntries(new URLSearchParams(search)),
    isHome: !Object.hasOwn(VIEWS, view),
  };
}

/** The views that a key can read; every key can read the agent's view. */
export function viewsFor({
  key: { scopes },
}: {
  key: { scopes: readonly string[] };
}): View[] {
  const needs: Record<View, readonly string[]> = {
    overview: ['analytics:read'],
    trades: ['trades:read'],
    journal: ['journals:read', 'sessions:read', 'reviews:read', 'missed_trades:read'],
    agent: [],
  };
  return (Object.keys(VIEWS) as View[]).filter(
    (view) =>
      needs[view].length === 0 || needs[view].some((scope) => scopes.includes(scope)),
  );
}

/** Unchanged if the encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param query null, undefined and empty values are omitted */
export function hrefOf(
  view: View,
  query: Readonly<Record<string, string | null | undefined>> = {},
  id?: string,
) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const path = id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
  return search.size === 0 ? path : `${path}?${search}`;
}

/**
 * Milliseconds without scrolling before the position is stored: each write waits 3 ms for
 * the browser.
 */
const AT_REST = 100;

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    let hash = location.hash;
    const follow = () => {
      const [before, next] = [placeOf(hash), placeOf(location.hash)];
      const isElsewhere = next.view !== before.view || next.id !== before.id;
      hash = location.hash;
      setPlace(next);
      const { scrolledTo } = (history.state ?? {}) as { scrolledTo?: number };
      if (isElsewhere) scrollWhenLongEnough(scrolledTo ?? 0);
    };

    // Each history entry stores its scroll position: the browser would restore it before
    // the content is there.
    const remember = () => {
      if (location.hash === hash) history.replaceState({ scrolledTo: scrollY }, '');
    };

    let timer: ReturnType<typeof setTimeout>;
    const rememberSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(remember, AT_REST);
    };

    const stop = listen({ hashchange: follow, scrollend: rememberSoon });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return place;
}

/** Milliseconds that restoring a scroll position may take. */
const PATIENCE = 1000;

function scrollWhenLongEnough(top: number): void {
  const started = performance.now();
  const step = () => {
    scrollTo(0, top);
    if (Math.abs(scrollY - top) > 1 && performance.now() - started < PATIENCE)
      requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Goes there; with replace, the current history entry is overwritten. */
export function go(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Listens to events of the window. @returns what stops it */
export function listen(
  handlers: Readonly<Record<string, (event: Event) => void>>,
): () => void {
  const abort = new AbortController();
  for (const [name, handle] of Object.entries(handlers))
    addEventListener(name, handle, { signal: abort.signal });
  return () => abort.abort();
}
