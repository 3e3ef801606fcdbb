/**
 * The key: it comes in the address's fragment, which no server sees, and lives in memory. It is kept for the tab only where the
 * reader asks for it, and nowhere else.
 */
import { decoded } from './router.ts';

const KEPT = 'journal-api key';

/** The key of the address, which is then cleaned, its history entry included; else the one that the tab keeps; else null. */
export function takeKey(): string | null {
  const key = /^#key=([^&]*)$/.exec(location.hash)?.[1];
  if (key === undefined) return sessionStorage.getItem(KEPT);
  history.replaceState(null, '', location.pathname);
  // A kept key that another one replaces is no longer wanted.
  sessionStorage.removeItem(KEPT);
  return decoded(key);
}

export function isKept(): boolean {
  return sessionStorage.getItem(KEPT) !== null;
}

/** Keeps it until the tab is closed, so that a reload doesn't ask for it. */
export function keepForTab(key: string): void {
  sessionStorage.setItem(KEPT, key);
}

export function forgetKept(): void {
  sessionStorage.removeItem(KEPT);
}
