/** The key: from the address, else from the tab's storage, else from the device's. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  forgetKey,
  keepForTab,
  keepOnDevice,
  keptOnDevice,
  mayKeepOnDevice,
  takeKey,
  takeTicket,
} from '../../src/web/kept-key.ts';

const NOW = Date.parse('2026-11-20T15:00:00.000Z');
const replaceState = vi.fn();
let ofDevice: Map<string, string>;
let ofTab: Map<string, string>;

beforeEach(() => {
  [ofDevice, ofTab] = [new Map(), new Map()];
  vi.stubGlobal('sessionStorage', storage(ofTab));
  vi.stubGlobal('localStorage', storage(ofDevice));
  replaceState.mockReset();
  vi.stubGlobal('history', { replaceState });
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function storage(stored: Map<string, string>) {
  return {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  };
}

const visit = (hash: string, protocol = 'http:') =>
  vi.stubGlobal('location', { hash, pathname: '/', protocol });

test('a new key in the address replaces the stored one', () => {
  keepForTab('old');
  visit('#key=new%20one');
  expect(takeKey()).toBe('new one');
  visit('#/trades');
  expect(takeKey()).toBe('new one');
  forgetKey();
  expect(takeKey()).toBe(null);
});

test.each([
  ['key', takeKey],
  ['ticket', takeTicket],
])('the %s leaves the address and the history', (name, take) => {
  visit(`#${name}=secret`);
  expect(take()).toBe('secret');
  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, '', '/');
});

test('without a key in the address the stored one is taken, and stays', () => {
  keepForTab('old');
  visit('#/trades?key=other');
  expect([takeKey(), takeTicket()]).toEqual(['old', undefined]);
  expect(replaceState).not.toHaveBeenCalled();
});

test('only a page over https offers to keep the key on the device', () => {
  visit('');
  expect(mayKeepOnDevice()).toBe(false);
  visit('', 'https:');
  expect(mayKeepOnDevice()).toBe(true);
});

test.each([
  [
    'for the life of a key of a day',
    '2026-11-21T15:00:00.000Z',
    '2026-11-21T15:00:00.000Z',
  ],
  ['for 30 days of a year', '2027-11-20T15:00:00.000Z', '2026-12-20T15:00:00.000Z'],
])('the device keeps it %s, in place of the tab', (_what, expiresAt, until) => {
  visit('');
  keepForTab('jak_1');
  keepOnDevice('jak_1', expiresAt);
  expect([ofTab.size, keptOnDevice()]).toEqual([0, { key: 'jak_1', until }]);
  vi.setSystemTime(Date.parse(until) - 1);
  expect(takeKey()).toBe('jak_1');
  vi.setSystemTime(Date.parse(until));
  expect([takeKey(), ofDevice.size]).toEqual([null, 0]);
});

test('signing out removes it from tab and device', () => {
  visit('');
  keepOnDevice('jak_1', '2026-11-21T15:00:00.000Z');
  keepForTab('jak_2');
  forgetKey();
  expect([takeKey(), ofTab.size, ofDevice.size]).toEqual([null, 0, 0]);
});

test.each(['jak_1', '', 'soon jak_1'])('"%s" in the device is no kept key', (text) => {
  visit('');
  ofDevice.set('journal-api key', text);
  expect([takeKey(), ofDevice.size]).toEqual([null, 0]);
});
