/** `key create`: the scopes of a key. `key rotate`: how long the old one works. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { temporaryFolder } from '../helpers.ts';
import { runHere } from '../program.ts';

test('scopes are given in one list, one by one, or both', async () => {
  const home = join(temporaryFolder(), 'home');
  await runHere(['init', '--home', home]);
  const cases: [given: string[], expected: readonly string[]][] = [
    [['trades:read, journals:read'], ['trades:read', 'journals:read']],
    [
      ['trades:read', 'journals:read'],
      ['trades:read', 'journals:read'],
    ],
    [
      ['trades:read,analytics:read', 'journals:read', 'trades:read'],
      ['trades:read', 'analytics:read', 'journals:read'],
    ],
    [['trades:read', 'all'], ALL_SCOPES],
  ];
  for (const [i, [given, expected]] of cases.entries()) {
    const scopes = given.flatMap((one) => ['--scopes', one]);
    const { code } = await runHere([
      'key',
      'create',
      '--home',
      home,
      '--name',
      `${i}`,
      ...scopes,
      '--expires',
      '1h',
    ]);
    expect(code).toBe(0);
    const { stdout } = await runHere(['key', 'list', '--json', '--home', home]);
    const made = JSON.parse(stdout).find(({ name }: { name: string }) => name === `${i}`);
    expect(made.scopes).toEqual(expected);
  }
  const wrong = ['--scopes', 'trades:read', '--scopes', 'journal:read'];
  const { code, stderr } = await runHere([
    'key',
    'create',
    '--home',
    home,
    '--name',
    'n',
    ...wrong,
    '--expires',
    '1h',
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean journals:read?');
});

describe('rotate --grace', () => {
  const HOUR = 3_600_000;

  async function rotated(expires: string, ...grace: string[]) {
    const home = join(temporaryFolder(), 'home');
    await runHere(['init', '--home', home]);
    const made = ['--name', 'agent', '--scopes', 'all', '--expires', expires];
    const before = (
      await runHere(['key', 'create', '--home', home, ...made])
    ).stdout.trim();
    const list = async () =>
      JSON.parse((await runHere(['key', 'list', '--json', '--home', home])).stdout);
    const [old] = await list();
    const since = Date.now();
    const { code, stdout } = await runHere([
      'key',
      'rotate',
      old.id,
      ...grace,
      '--home',
      home,
    ]);
    expect(code).toBe(0);
    const after = (await list()).find(({ id }: { id: string }) => id === old.id);
    const asks = (key: string) =>
      runHere(['get', 'me', '--home', home], { env: { JOURNAL_API_KEY: key } });
    const codes = [(await asks(before)).code, (await asks(stdout.trim())).code];
    return { old, after, since, codes };
  }

  test('the old key works until the grace ends, and the new one at once', async () => {
    const { after, since, codes } = await rotated('7d', '--grace', '24h');
    expect(codes).toEqual([0, 0]);
    const end = Date.parse(after.expires_at);
    expect(end).toBeGreaterThanOrEqual(since + 24 * HOUR);
    expect(end).toBeLessThan(since + 25 * HOUR);
  });

  test('the grace never outlives the expiry of the old key', async () => {
    const { old, after, codes } = await rotated('2h', '--grace', '24h');
    expect(codes).toEqual([0, 0]);
    expect(after.expires_at).toBe(old.expires_at);
  });

  test('without it the old key ends at once', async () => {
    const { old, after, codes } = await rotated('7d');
    expect(codes).toEqual([4, 0]);
    expect(after.revoked_at).not.toBeNull();
    expect(after.expires_at).toBe(old.expires_at);
  });
});
