/** What every view works with: the client, whose journal it is, and how things are written. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type Api, Failure, type Query } from './api.ts';
import type { Formats } from './format.ts';
import type { Me } from './types.ts';

export interface Session {
  api: Api;
  me: Me;
  format: Formats;
  /** Grows when everything shown should be asked for again. */
  refreshes: number;
}

const REFRESH_MS = 60_000;

/** Counts up once a minute while the page is in view, and when the reader comes back to it. */
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

/** Whether the key shows R, rates and counts only. */
export function hidesMoney({ key }: Me): boolean {
  return key.shows.hides.includes('money');
}

export interface Answer<T> {
  /** What is known, even while a newer answer is on its way. */
  body: T | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  again: () => void;
}

/** Asks when it is first shown and whenever the question changes. @param path null asks nothing */
export function useAnswer<T>(path: string | null, query: Query = {}): Answer<T> {
  const { api, refreshes } = useSession();
  const [state, setState] = useState<{ id: string; body?: T | undefined; failure?: Failure }>({ id: '' });
  const [attempt, setAttempt] = useState(0);
  const id = `${path} ${JSON.stringify(query)}`;
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    api.get<T>(path, query, abort.signal).then(
      // The same object if nothing has changed since.
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
  }, [api, id, attempt, refreshes]);
  const isCurrent = state.id === id;
  const known = path === null ? undefined : api.remembered<T>(path, query);
  return {
    // What an older question was answered with stays in view while the newer one is answered.
    body: isCurrent && state.failure ? undefined : ((isCurrent ? state.body : known) ?? state.body),
    failure: isCurrent ? state.failure : undefined,
    isLoading: path !== null && !isCurrent,
    again: () => setAttempt(attempt + 1),
  };
}
