/** What the file itself refuses from whoever writes into it by hand. */
import { describe, expect, test } from 'vitest';
import { tradeRow, World } from '../helpers.ts';

describe('trades', () => {
  test.each([
    ['a day that does not exist', { executed_at: '2026-02-30T10:00:00.000Z' }],
    ['a time without milliseconds', { executed_at: '2026-02-20T10:00:00Z' }],
    ['a time with an offset', { executed_at: '2026-02-20T10:00:00.000+01:00' }],
    ['an unknown market', { market: 'stonks' }],
    ['tags that are no JSON', { tags: 'a,b' }],
    ['tags that are no list', { tags: '{"a":1}' }],
    ['tags that are no words', { tags: '["a",1]' }],
    ['mistakes that are no words', { mistakes: '[null]' }],
    ['fees below 0', { fees: -1 }],
    ['a rating of 6', { rating: 6 }],
    ['text for a number', { gross_pnl: 'much' }],
    ['infinity', { gross_pnl: Number.POSITIVE_INFINITY }],
    ['closed without a close', { closed_at: null }],
    ['closed before it was opened', { closed_at: '2020-01-01T00:00:00.000Z' }],
    ['a small-letter currency', { currency: 'usd' }],
    ['an id with a slash', { id: 'a/b' }],
    ['an id with a NUL', { id: 'a\0b' }],
    ['a group that is not there', { group_id: 'none' }],
    ['an expiration that is no day', { expiration: '20261120' }],
  ])('refuses %s', (_name, wrong) => {
    const world = new World();
    expect(() => world.insert('trades', { ...tradeRow('t'), ...wrong })).toThrow();
    world.insert('trades', tradeRow('t'));
    if ('id' in wrong) return;
    const [[column, value]] = Object.entries(wrong) as [[string, unknown]];
    expect(() => world.db.prepare(`UPDATE trades SET ${column} = ?`).run(value)).toThrow();
  });

  test("refuse another user's group", () => {
    const world = new World();
    world.addUser('you');
    world.insert('trade_groups', {
      user_id: 'you',
      id: 'g',
      name: 'Theirs',
      kind: 'custom',
      market: 'stock',
      status: 'open',
      opened_at: '2026-11-10T14:30:00.000Z',
      currency: 'USD',
    });
    expect(() => world.insert('trades', tradeRow('t', { group_id: 'g' }))).toThrow(/FOREIGN KEY/);
  });
});
