/**
 * The key: it arrives in the address's fragment. The tab keeps it until it is closed, so
 * that a reload doesn't ask for it again; over https, the device keeps it if the user
 * wants that.
 */
import { decoded } from './router.ts';

const NAME = 'journal-api key';
const MAX_DAYS = 30;
const DAY = 86_400_000;

/**
 * The key in the address, which is then removed from it and from the history; else the
 * tab's own; else the device's; else null.
 */
export function takeKey(): string | null {
  const key = fromAddress('key');
  if (key !== undefined) return keepForTab(key);
  return storedKey();
}

export function storedKey(): string | null {
  return sessionStorage.getItem(NAME) ?? keptOnDevice()?.key ?? null;
}

/** The ticket in the address, for which the service gives a key; it is removed, too. */
export function takeTicket(): string | undefined {
  return fromAddress('ticket');
}

function fromAddress(name: string): string | undefined {
  if (!location.hash.startsWith(`#${name}=`)) return undefined;
  const text = decoded(location.hash.slice(name.length + 2));
  history.replaceState(null, '', location.pathname);
  return text;
}

export function keepForTab(key: string): string {
  sessionStorage.setItem(NAME, key);
  return key;
}

/**
 * Whether the user may have the device keep the key: only over a connection that others
 * can't read.
 */
export function mayKeepOnDevice(): boolean {
  return location.protocol === 'https:';
}

/** For the key's life, 30 days at most. @param expiresAt of the key */
export function keepOnDevice(key: string, expiresAt: string): void {
  const until = Math.min(Date.parse(expiresAt), Date.now() + MAX_DAYS * DAY);
  localStorage.setItem(NAME, `${new Date(until).toISOString()} ${key}`);
  sessionStorage.removeItem(NAME);
}

/** @returns the key, and until when the device keeps it */
export function keptOnDevice(): { key: string; until: string } | undefined {
  const [until = '', key = ''] = localStorage.getItem(NAME)?.split(' ') ?? [];
  if (Date.parse(until) > Date.now()) return { key, until };
  localStorage.removeItem(NAME);
  return undefined;
}

/** Removes it from the tab and from the device. */
export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
  localStorage.removeItem(NAME);
}
