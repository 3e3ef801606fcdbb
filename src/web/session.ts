/** The context of every view: client, key and user, formats. */
import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Api, Failure, Query } from './api.ts';
import type { Formats } from './format.ts';
import { listen } from './router.ts';
import type { Analytics, Me } from './types.ts';

export interface Session {
  api: Api;
  me: Me;
  format: Formats;
  /** Grows when all views should refresh. */
  refreshes: number;
  /** True if the views are rendered once, into a file without scripts: open and whole. */
  isReport?: boolean;
  /** Kept pictures that a report takes along, as data: addresses, by their own. */
  pictures?: Pick<ReadonlyMap<string, string | undefined>, 'get'>;
}

const REFRESH_MS = 60_000;

/**
 * Counts up once a minute while the dashboard is visible, and when the user returns to
 * it.
 */
export function useRefreshes(): number {
  const [refreshes, setRefreshes] = useState(0);
  useEffect(() => {
    let last = Date.now();
    const refresh = () => {
      if (document.visibilityState !== 'visible' || Date.now() - last < REFRESH_MS / 10)
        return;
      last = Date.now();
      setRefreshes((count) => count + 1);
    };

    const timer = setInterval(refresh, REFRESH_MS);
    const stop = listen({ focus: refresh, visibilitychange: refresh });

    return () => {
      clearInterval(timer);
      stop();
    };
  }, []);
  return refreshes;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  return useContext(SessionContext) as Session;
}

/** True if the key shows R, rates and counts only. */
export function hidesMoney({ key }: Me): boolean {
  return key.shows.hides.includes('money');
}

/** What the figures of a period count; null where there are none. */
export const UnitContext = createContext<Me['unit'] | null>(null);

export function useUnit(): Me['unit'] {
  return useContext(UnitContext) ?? 'trade';
}

/**
 * The unit of figures, if it isn't what the owner calls a trade: then each figure names
 * it.
 */
export function useOtherUnit(): Me['unit'] | null {
  const unit = useContext(UnitContext);
  return unit === useSession().me.unit ? null : unit;
}

/** True while requests wait for those of the first figures. */
export const WaitContext = createContext(false);

export interface ApiResponse<T> {
  /** The last body, even while a newer one is loading. */
  body: T | undefined;
  /** True if the body is that of the previous request. */
  isPrevious: boolean;
  failure: Failure | undefined;
  isLoading: boolean;
}

/** Sends the request at first and whenever it changes. @param path null sends none */
export function useResponse<T>(path: string | null, query: Query = {}): ApiResponse<T> {
  const { api, refreshes, isReport = false } = useSession();
  const isWaiting = useContext(WaitContext);
  const [state, setState] = useState<{
    id: string;
    body?: T | undefined;
    failure?: Failure;
  }>({
    id: '',
  });
  const id = `${path} ${JSON.stringify(query)}`;

  // Before the paint: the service computes meanwhile.
  useLayoutEffect(() => {
    if (path === null || isWaiting) return;
    return api.ask<T>(
      path,
      query,
      // Keeps the object if nothing has changed.
      (body) =>
        setState((known) =>
          known.id === id && known.body === body && !known.failure ? known : { id, body },
        ),
      (failure) => setState({ id, failure }),
    );
  }, [api, id, refreshes, isWaiting]);
  const isCurrent = state.id === id;
  const known = path === null ? undefined : api.remembered<T>(path, query);

  return {
    // The previous body stays in view while the next one is loading.
    body: isCurrent ? state.body : (known ?? state.body),
    isPrevious: !isCurrent && known === undefined && state.body !== undefined,
    failure: isCurrent ? state.failure : undefined,
    isLoading: path !== null && !isCurrent && !isReport,
  };
}

/** The summary's sections. @param query null asks for none */
export function useFigures<S extends keyof Analytics>(
  query: Query | null,
  ...sections: S[]
) {
  type Figures = Pick<Analytics, S | 'period' | 'what_if'>;
  return useResponse<{ data: Figures; hint?: string }>(query && 'analytics/summary', {
    ...query,
    sections: sections.join(','),
  });
}
