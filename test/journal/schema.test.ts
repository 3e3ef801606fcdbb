/** Values that the file itself rejects if edited by hand. */
import { describe, expect, test } from 'vitest';
import { addRecord, ROWS, tradeRow, World } from '../helpers.ts';

describe('trades', () => {
  test.each([
    ['a day that does not exist', { executed_at: '2026-02-30T10:00:00.000Z' }],
    ['a time without milliseconds', { executed_at: '2026-02-20T10:00:00Z' }],
    ['a time with an offset', { executed_at: '2026-02-20T10:00:00.000+01:00' }],
    ['an unknown market', { market: 'stonks' }],
    ['tags that are not JSON', { tags: 'a,b' }],
    ['tags that are not a list', { tags: '{"a":1}' }],
    ['tags that are not texts', { tags: '["a",1]' }],
    ['mistakes that are not texts', { mistakes: '[null]' }],
    ['fees below 0', { fees: -1 }],
    ['a rating of 6', { rating: 6 }],
    ['text for a number', { gross_pnl: 'much' }],
    ['infinity', { gross_pnl: Number.POSITIVE_INFINITY }],
    ['closed without a close', { closed_at: null }],
    ['closed before it was opened', { closed_at: '2020-01-01T00:00:00.000Z' }],
    ['a lower-case currency', { currency: 'usd' }],
    ['an id with a slash', { id: 'a/b' }],
    ['an id with a NUL', { id: 'a\0b' }],
    ['a missing group', { group_id: 'none' }],
    ['an expiration that is not a day', { expiration: '20261120' }],
  ])('rejects %s', (_name, wrong) => {
    const world = new World();
    expect(() => world.insert('trades', { ...tradeRow('t'), ...wrong })).toThrow();
    world.insert('trades', tradeRow('t'));
    if ('id' in wrong) return;
    const [[column, value]] = Object.entries(wrong) as [[string, unknown]];
    expect(() =>
      world.db.prepare(`UPDATE trades SET ${column} = ?`).run(value),
    ).toThrow();
  });

  test("reject another user's group", () => {
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
    expect(() => world.insert('trades', tradeRow('t', { group_id: 'g' }))).toThrow(
      /FOREIGN KEY/,
    );
  });
});

/** Values that the service couldn't return, or JSON and texts with a NUL before their end. */
describe('invalid values are rejected in', () => {
  const times = [
    '0000-12-31T23:59:59.999Z',
    '9999-01-01T00:00:00.000Z',
    '-1000-01-01T00:00:00.000Z',
  ];
  const dates = ['0000-12-31', '9999-01-01', '-0001-01-01'];
  const cut = ['[]\0', '["a"]\0[]'];
  const each = (names: string[], values: unknown[]) =>
    names.flatMap((name) => values.map((value) => [name, value] as [string, unknown]));
  const stamps = each(['created_at', 'updated_at'], times);
  const journal = each(['emotions', 'rules', 'mistakes', 'tags', 'attachments'], cut);
  const refused: Record<string, [string, unknown][]> = {
    trades: [
      ...each(['executed_at', 'closed_at'], times),
      ...each(['tags', 'mistakes'], cut),
      ...each(['initial_risk'], [5e-324, 1e-300, 9.99e-9]),
      ...each(['fx_rate'], [5e-324, 1e-300, 9.99e-13]),
      ...each(['symbol'], ['A\0', 'A\0'.repeat(100)]),
      ['currency', 'US\0d'],
      ...each(['expiration'], ['-0001-01-01', '0000-12-31']),
    ],
    'trade-groups': [
      ...each(['opened_at'], times),
      ['initial_risk', 5e-324],
      ['currency', 'US\0d'],
      ...each(['tags'], cut),
    ],
    'trade-journals': journal,
    'group-journals': journal,
    sessions: [
      ...each(['date'], dates),
      ...each(['started_at', 'ended_at'], times),
      ...each(['goals', 'tags'], cut),
      ['market_context', '{"key_levels":[],"news":[]}\0'],
      ['review', '{"mistakes":[]}\0'],
    ],
    'weekly-reviews': [
      ...each(['period_start', 'period_end'], dates),
      ...each(['reviewed_at'], times),
      ...each(['goals', 'next_goals', 'mistakes'], cut),
    ],
    'missed-trades': [
      ...each(['missed_at'], times),
      ...each(['emotions', 'tags'], cut),
      ['currency', 'US\0d'],
      ['symbol', 'A\0'],
    ],
  };

  test.each(Object.entries(refused))('%s', (path, wrong) => {
    const world = new World();
    addRecord(world, path, 'r', '2026-11-10T14:30:00.000Z');
    const { table, row } = ROWS[path]!('s', '2026-11-10T14:30:00.000Z');
    for (const [name, value] of [...wrong, ...stamps]) {
      const as = `${name} ${JSON.stringify(value)}`;
      const update = world.db.prepare(`UPDATE ${table} SET ${name} = ? WHERE id = 'r'`);
      expect(() => update.run(value), as).toThrow(
        new RegExp(`CHECK constraint failed: .*\\b${name}\\b`, 's'),
      );
      expect(() => world.insert(table, { ...row, [name]: value as string }), as).toThrow(
        /CHECK constraint failed/,
      );
    }
  });

  test('users', () => {
    const world = new World();
    const amounts = each(['starting_balance'], [5e-324, 9.99e-9]);
    for (const [name, value] of [
      ...amounts,
      ['base_currency', 'US\0d'] as const,
      ...stamps,
    ]) {
      expect(() => world.db.prepare(`UPDATE users SET ${name} = ?`).run(value)).toThrow(
        /CHECK constraint failed/,
      );
    }
  });

  test('executions', () => {
    const world = new World();
    world.insert('trades', tradeRow('t'));
    const fill = { trade_id: 't', position: 0, side: 'buy', quantity: 1, price: 1 };
    for (const executed_at of times) {
      expect(() => world.insert('executions', { ...fill, executed_at })).toThrow(
        /CHECK constraint failed/,
      );
    }
  });
});

test('a contract that never expires can have 9999-12-31', () => {
  const world = new World();
  world.insert('trades', tradeRow('t', { expiration: '9999-12-31' }));
  expect(world.db.prepare('SELECT expiration FROM trade_records').pluck().get()).toBe(
    '9999-12-31',
  );
});
