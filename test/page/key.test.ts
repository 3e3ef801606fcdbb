/** The key: from the address, else from the tab's storage. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetKept, keepForTab, takeKey } from '../../src/web/router.ts';

const replaceState = vi.fn();

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  });
  replaceState.mockReset();
  vi.stubGlobal('history', { replaceState });
});

afterEach(() => vi.unstubAllGlobals());

const visit = (hash: string) => vi.stubGlobal('location', { hash, pathname: '/' });

test('a new key in the address replaces the stored one', () => {
  keepForTab('old');
  visit('#key=new%20one');
  expect(takeKey()).toBe('new one');
  visit('#/trades');
  expect(takeKey()).toBe('new one');
  forgetKept();
  expect(takeKey()).toBe(null);
});

test('the key leaves the address and the history', () => {
  visit('#key=secret');
  takeKey();
  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, '', '/');
});

test('without a key in the address the stored one is taken, and stays', () => {
  keepForTab('old');
  visit('#/trades?key=other');
  expect(takeKey()).toBe('old');
  expect(replaceState).not.toHaveBeenCalled();
});
