/** A cursor can't be forged: its signature is long enough, and every bit of it is checked. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { tradeRow, World } from '../helpers.ts';

test('the signature of a cursor has at least 128 bits, and one changed bit is rejected', async () => {
  const world = new World();
  const key = world.key();
  for (const id of ['t-1', 't-2', 't-3']) world.insert('trades', tradeRow(id));
  const page = (cursor: string) =>
    world.ask(`/v1/trades?limit=1&cursor=${cursor}`, { key });
  const cursor = (await world.ask('/v1/trades?limit=1', { key })).body.pagination
    .next_cursor as string;
  expect((await page(cursor)).status).toBe(200);

  const [content = '', signed = ''] = cursor.split('.');
  const signature = Buffer.from(signed, 'base64url');
  expect(signature.length).toBeGreaterThanOrEqual(16);
  const forgeries = [
    signature.subarray(0, 2),
    signature.subarray(0, -1),
    Buffer.concat([signature, signature]),
  ];
  for (let bit = 0; bit < signature.length * 8; bit++) {
    const forged = Buffer.from(signature);
    forged[bit >> 3]! ^= 1 << (bit & 7);
    forgeries.push(forged);
  }
  for (const forged of forgeries) {
    const { status, body } = await page(`${content}.${forged.toString('base64url')}`);
    expect([forged, status, body.code]).toEqual([forged, 400, 'invalid_cursor']);
  }
});

test('a cursor costs an agent few tokens, also after a long id', async () => {
  const world = new World();
  const key = world.key();
  for (const id of ['t-1', 'tradovate:MNQZ5:347210954112:37a8eec1'])
    world.insert('trades', tradeRow(id));
  const [short = '', long = ''] = await Promise.all(
    ['asc', 'desc'].map(
      async (order) =>
        (await world.ask(`/v1/trades?limit=1&order=${order}&side=long`, { key })).body
          .pagination.next_cursor as string,
    ),
  );
  expect(long.length).toBeGreaterThan(short.length);
  expect([encode(short).length < 45, encode(long).length < 80]).toEqual([true, true]);
});
