/** What a log line must not hold, whatever was asked for. */
import { expect, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { World } from '../helpers.ts';

const encoded = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');

test.each([
  ['as it is', (key: string) => key],
  ['without its prefix', (key: string) => key.slice(4)],
  ['without its prefix and its end', (key: string) => key.slice(4, 44)],
  ['with its _ encoded', (key: string) => key.replace('_', '%5F')],
  ['with its _ encoded twice', (key: string) => key.replace('_', '%255f')],
  ['encoded whole', encoded],
  ['encoded whole, three times', (key: string) => encoded(key).replaceAll('%', '%2525')],
  ['encoded whole, without its prefix', (key: string) => encoded(key.slice(4))],
  ['behind so long a path that it is cut within', (key: string) => `${'x/'.repeat(230)}${key}`],
])('a key in the path, %s', async (_name, written) => {
  const world = new World();
  const key = generateKey();
  await world.ask(`/v1/trades/${written(key)}`);
  await world.ask('/v1/me', { headers: { 'X-Request-Id': key.slice(4) } });
  expect(world.log).toHaveLength(2);
  for (const part of [key.slice(4, 24), encoded(key.slice(10, 20)), key.slice(24, 44)]) {
    expect(world.log.join('')).not.toContain(part);
  }
  for (const line of world.log) JSON.parse(line);
});

test('an id that is long, but no key, is logged', async () => {
  const world = new World();
  const id = `tradovate:${'0a1b2c3d'.repeat(8)}`;
  await world.ask(`/v1/trades/${id}`);
  expect(JSON.parse(world.log[0] as string).path).toBe(`/v1/trades/${id}`);
});

test('what a terminal would obey is escaped', async () => {
  const world = new World();
  await world.ask(`/v1/${encodeURIComponent('a\u009b31m\u202eb\u2066\u200b\u2028\ufeff')}`);
  expect(world.log[0]).toMatch(/^[ -~]*\n$/);
  expect(JSON.parse(world.log[0] as string).path).toBe('/v1/a\u009b31m\u202eb\u2066\u200b\u2028\ufeff');
});
