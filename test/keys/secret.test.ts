import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf } from '../../src/config.ts';
import { issueKey } from '../../src/keys/issue.ts';
import { openSecret } from '../../src/keys/secret.ts';
import { listKeys, replaceKey, revokeKey } from '../../src/keys/store.ts';
import { NOW, temporaryFolder } from '../helpers.ts';

const newHome = () => filesOf({ home: join(temporaryFolder(), 'home') });
const NEW_KEY = {
  userId: 'me',
  name: 'k',
  scopes: ['trades:read' as const],
  expires: NOW + 1000,
  now: NOW,
};

test('is created on first need, readable only by its owner, and kept', () => {
  const files = newHome();
  const first = openSecret(files).hashKey('key');
  expect(statSync(files.secret).mode & 0o777).toBe(0o600);
  expect(statSync(files.home).mode & 0o777).toBe(0o700);
  expect(readFileSync(files.secret)).toHaveLength(32);
  expect(openSecret(files).hashKey('key')).toEqual(first);
});

test('hashes keys and signs cursors differently', () => {
  const secret = openSecret(newHome());
  expect(secret.hashKey('same')).not.toEqual(secret.signCursor('same'));
});

test('two homes hash the same key differently', () => {
  expect(openSecret(newHome()).hashKey('same')).not.toEqual(
    openSecret(newHome()).hashKey('same'),
  );
});

test('a new one is never created while keys exist', () => {
  const files = newHome();
  issueKey(files, NEW_KEY);
  rmSync(files.secret);
  expect(() => openSecret(files)).toThrow(/is missing, but .*keys\.db has keys/);
});

test('a short one is refused', () => {
  const files = newHome();
  mkdirSync(files.home, { recursive: true });
  writeFileSync(files.secret, 'password');
  expect(() => openSecret(files)).toThrow(/8 bytes; at least 32 random bytes are needed/);
});

test('keys.db is private and holds no key, only its hash', () => {
  const files = newHome();
  const { key, stored } = issueKey(files, NEW_KEY);
  expect(statSync(files.keys).mode & 0o777).toBe(0o600);
  const bytes = readFileSync(files.keys);
  expect(bytes.includes(key)).toBe(false);
  expect(bytes.includes(key.slice(4, 30))).toBe(false);
  expect(bytes.includes(openSecret(files).hashKey(key))).toBe(true);
  expect(listKeys(files.keys)).toEqual([stored]);
});

test('no command undoes a revocation, not even a rotation that began before it', () => {
  const files = newHome();
  const { stored } = issueKey(files, NEW_KEY);
  revokeKey(files.keys, stored.id, NOW);
  const next = { ...stored, id: 'key_next' };
  expect(() =>
    replaceKey(files.keys, next, Buffer.alloc(32), { ...stored, revoked_at: null }),
  ).toThrow(/revoked meanwhile/);
  expect(listKeys(files.keys)).toEqual([
    { ...stored, revoked_at: '2026-11-20T15:00:00.000Z' },
  ]);
});

test('an error about a damaged key store names it', () => {
  const files = newHome();
  mkdirSync(files.home, { recursive: true });
  writeFileSync(files.keys, 'no database '.repeat(100));
  expect(() => issueKey(files, NEW_KEY)).toThrow(/key store keys\.db cannot be used/);
  expect(() => listKeys(files.keys)).toThrow(/key store keys\.db cannot be used/);
});
