/** The context of every view: client, key and user, formats. */
import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type Api, Failure, type Query } from './api.ts';
import type { Formats } from './format.ts';
import type { Me } from './types.ts';

export interface Session {
  api: Api;
  me: Me;
  format: Formats;
  /** Grows when all views should refresh. */
  refreshes: number;
  /** True if the views are rendered once, into a file without scripts: open and whole. */
  isReport?: boolean;
}

const REFRESH_MS = 60_000;

/** Counts up once a minute while the dashboard is visible, and when the user returns to it. */
export function useRefreshes(): number {
  const [refreshes, setRefreshes] = useState(0);
  useEffect(() => {
    let last = Date.now();
    const refresh = () => {
      if (document.visibilityState !== 'visible' || Date.now() - last < REFRESH_MS / 10) return;
      last = Date.now();
      setRefreshes((count) => count + 1);
    };
    const timer = setInterval(refresh, REFRESH_MS);
    addEventListener('focus', refresh);
    document.addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', refresh);
      document.removeEventListener('visibilitychange', refresh);
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

/** What the figures of a period count. */
export const UnitContext = createContext<'trade' | 'position'>('trade');

export function useUnit(): 'trade' | 'position' {
  return useContext(UnitContext);
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
  again: () => void;
}

/** Sends the request at first and whenever it changes. @param path null sends none */
export function useResponse<T>(path: string | null, query: Query = {}): ApiResponse<T> {
  const { api, refreshes, isReport = false } = useSession();
  const isWaiting = useContext(WaitContext);
  const [state, setState] = useState<{ id: string; body?: T | undefined; failure?: Failure }>({ id: '' });
  const [attempt, setAttempt] = useState(0);
  const id = `${path} ${JSON.stringify(query)}`;
  // Before the paint: the service computes meanwhile.
  useLayoutEffect(() => {
    if (path === null || isWaiting) return;
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    api.get<T>(path, query, abort.signal).then(
      // Keeps the object if nothing has changed.
      (body) => setState((known) => (known.id === id && known.body === body && !known.failure ? known : { id, body })),
      (failure: unknown) => {
        if (abort.signal.aborted) return;
        if (!(failure instanceof Failure)) throw failure;
        setState({ id, failure });
        if (failure.retryAfter !== null) retry = setTimeout(() => setAttempt(attempt + 1), failure.retryAfter * 1000);
      },
    );
    return () => {
      abort.abort();
      clearTimeout(retry);
    };
  }, [api, id, attempt, refreshes, isWaiting]);
  const isCurrent = state.id === id;
  const known = path === null ? undefined : api.remembered<T>(path, query);
  return {
    // The previous body stays in view while the next one is loading.
    body: isCurrent ? state.body : (known ?? state.body),
    isPrevious: !isCurrent && known === undefined && state.body !== undefined,
    failure: isCurrent ? state.failure : undefined,
    isLoading: path !== null && !isCurrent && !isReport,
    again: () => setAttempt(attempt + 1),
  };
}
