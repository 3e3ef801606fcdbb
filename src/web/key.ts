/**
 * The key: it arrives in the address's fragment, which no server sees, and stays in memory. The tab stores it only if the user
 * asks for that.
 */
import { decoded } from './router.ts';

const KEPT = 'journal-api key';

/** The key in the address, which is then removed from it and from the history; else the tab's stored key; else null. */
export function takeKey(): string | null {
  const key = /^#key=([^&]*)$/.exec(location.hash)?.[1];
  if (key === undefined) return sessionStorage.getItem(KEPT);
  history.replaceState(null, '', location.pathname);
  // A new key replaces the stored one.
  sessionStorage.removeItem(KEPT);
  return decoded(key);
}

export function isKept(): boolean {
  return sessionStorage.getItem(KEPT) !== null;
}

/** Stores it until the tab is closed, so that a reload doesn't ask for it. */
export function keepForTab(key: string): void {
  sessionStorage.setItem(KEPT, key);
}

export function forgetKept(): void {
  sessionStorage.removeItem(KEPT);
}
