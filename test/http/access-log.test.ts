/** The access log: its fields, and data that it never contains. */
import { beforeEach, describe, expect, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

beforeEach(() => {
  world = new World();
  key = world.key();
  world.insert('trades', tradeRow('t-1'));
});

describe('the log', () => {
  const last = () => JSON.parse(world.log.at(-1)!);

  test('is one line of JSON per request, with these fields', async () => {
    const mine = world.key(['trades:read'], 'me', 'key_mine');
    const cases: [
      path: string,
      method: string,
      status: number,
      keyId: string | null,
      logged?: string,
    ][] = [
      ['/v1/trades', 'GET', 200, 'key_mine'],
      ['/v1/trades', 'HEAD', 200, 'key_mine'],
      ['/v1/sessions', 'GET', 403, 'key_mine'],
      ['/v1/trades/t-1', 'GET', 200, 'key_mine'],
      ['/v1/trades/t-2', 'GET', 404, 'key_mine', '/v1/trades/{id}'],
      ['/v1/trades/t-1', 'OPTIONS', 204, null, '/v1/trades/{id}'],
      ['/v1/nothing', 'GET', 404, 'key_mine', 'unknown'],
      ['/v1/trades', 'DELETE', 405, 'key_mine'],
      ['/v1/trades', 'OPTIONS', 204, null],
      ['/nothing', 'GET', 404, null, 'unknown'],
      ['/nothing', 'OPTIONS', 204, null, 'unknown'],
      ['/healthz', 'GET', 200, null],
    ];
    for (const [path, method, status, keyId, logged = path] of cases) {
      await world.ask(path, { key: mine, method, headers: { 'X-Request-Id': 'r-1' } });
      expect(last()).toEqual({
        time: '2026-11-20T15:00:00.000Z',
        method,
        path: logged,
        status,
        duration_ms: expect.any(Number),
        key_id: keyId,
        request_id: 'r-1',
      });
    }
    expect(world.log).toHaveLength(cases.length);
    for (const line of world.log) expect(line).toMatch(/^[^\n]+\n$/);
  });

  test('contains no key, query value or line break of a client', async () => {
    const other = generateKey();
    for (const path of [
      `/v1/trades/${key}`,
      `/v1/${key}/${other}`,
      `/${key}`,
      `/v1/trades/${key.replace('_', '%5F')}`,
      `/v1/trades/%6a${key.slice(1)}`,
      `/v1/trades/${key.replace('_', '%255F')}`,
      `/v1/trades?symbol=SECRETSYMBOL&tag=${key}`,
      `/v1/trades?${key}=1`,
      '/v1/trades/a%0A%7B%22status%22:200%7D',
    ]) {
      await world.ask(path, {
        key,
        headers: { 'X-Request-Id': other, 'X-Api-Key': key },
      });
      await world.ask(path, { headers: { 'X-Api-Key': other } });
    }
    const text = world.log.join('');
    expect(text.split('\n')).toHaveLength(world.log.length + 1);
    expect(text).not.toContain(key.slice(4));
    expect(text).not.toContain(other.slice(4));
    expect(text).not.toContain('SECRETSYMBOL');
    expect(text).not.toContain('symbol');
  });
});

const encoded = (text: string) =>
  [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');

test.each([
  ['unchanged', (key: string) => key],
  ['without its prefix', (key: string) => key.slice(4)],
  ['without its prefix and its end', (key: string) => key.slice(4, 44)],
  ['with its _ encoded', (key: string) => key.replace('_', '%5F')],
  ['with its _ encoded twice', (key: string) => key.replace('_', '%255f')],
  ['completely encoded', encoded],
  [
    'completely encoded, three times',
    (key: string) => encoded(key).replaceAll('%', '%2525'),
  ],
  ['completely encoded, without its prefix', (key: string) => encoded(key.slice(4))],
  ['in hexadecimal', (key: string) => Buffer.from(key).toString('hex')],
  ['in base64', (key: string) => Buffer.from(key).toString('base64url')],
  ['backwards', (key: string) => [...key].reverse().join('')],
  ['in pieces', (key: string) => key.replaceAll(/.{20}/g, '$&~')],
  ['after a long path', (key: string) => `${'x/'.repeat(230)}${key}`],
])('a key in the path, %s', async (_name, written) => {
  const world = new World();
  const key = generateKey();
  await world.ask(`/v1/trades/${written(key)}`);
  await world.ask(`/${written(key)}`, { method: 'OPTIONS' });
  for (const id of [key.slice(4), Buffer.from(key).toString('hex')]) {
    await world.ask('/v1/me', { headers: { 'X-Request-Id': id } });
  }
  expect(world.log).toHaveLength(4);
  const hex = Buffer.from(key).toString('hex').slice(20, 60);
  for (const part of [
    key.slice(4, 24),
    encoded(key.slice(10, 20)),
    key.slice(24, 44),
    hex,
  ]) {
    expect(world.log.join('')).not.toContain(part);
  }
  for (const line of world.log) JSON.parse(line);
});

test('a long id of a record is logged', async () => {
  const world = new World();
  const id = `tradovate:${'0a1b2c3d'.repeat(8)}`;
  world.insert('trades', tradeRow(id));
  await world.ask(`/v1/trades/${id}`, { key: world.key() });
  expect(JSON.parse(world.log[0] as string).path).toBe(`/v1/trades/${id}`);
});

test('control characters of a client never reach a terminal', async () => {
  const world = new World();
  await world.ask(
    `/v1/${encodeURIComponent('a\u009b31m\u202eb\u2066\u200b\u2028\ufeff"')}`,
  );
  expect(world.log[0]).toMatch(/^[ -~]*\n$/);
  expect(JSON.parse(world.log[0] as string).path).toBe('unknown');
});
