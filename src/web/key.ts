/**
 * The key: it arrives in the address's fragment, which no server sees. The tab keeps it until it is closed, so that a reload
 * doesn't ask for it again.
 */
import { decoded } from './router.ts';

const KEPT = 'journal-api key';

/** The key in the address, which is then removed from it and from the history; else the tab's own; else null. */
export function takeKey(): string | null {
  const key = /^#key=([^&]*)$/.exec(location.hash)?.[1];
  if (key === undefined) return sessionStorage.getItem(KEPT);
  history.replaceState(null, '', location.pathname);
  return keepForTab(decoded(key));
}

export function keepForTab(key: string): string {
  sessionStorage.setItem(KEPT, key);
  return key;
}

export function forgetKept(): void {
  sessionStorage.removeItem(KEPT);
}
