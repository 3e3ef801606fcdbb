/** The matches of each filter. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Row, tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

beforeEach(() => {
  world = new World();
  key = world.key();
});

const GROUP: Row = {
  name: 'Spread',
  kind: 'multi_leg',
  market: 'option',
  status: 'open',
  opened_at: '2026-11-09T15:00:00.000Z',
  currency: 'USD',
};

const ids = async (list: string, query: string): Promise<string> => {
  const { status, body } = await world.ask(`/v1/${list}?${query}`, { key });
  expect([query, status]).toEqual([query, 200]);
  return body.data
    .map(({ id }: { id: string }) => id)
    .sort()
    .join('');
};

const counted = async (query: string): Promise<number> => {
  const { status, body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
  expect([query, status]).toEqual([query, 200]);
  return body.data.performance.trades;
};

/** A filter of trades selects the same trades in the list and in the figures. */
const expectTrades = async (query: string, expected: string) => {
  expect([query, await ids('trades', query)]).toEqual([query, expected]);
  expect([query, await counted(query)]).toEqual([query, expected.length]);
};

test('updated_since: records added or changed at or after an instant, in every list, with the other filters', async () => {
  world.insert(
    'trades',
    tradeRow('a'),
    tradeRow('b', { account: 'main' }),
    tradeRow('c'),
  );
  world.insert('trade_groups', { ...GROUP, id: 'g' });
  world.insert('trade_journals', { id: 'j', trade_id: 'a', phase: 'review' });
  world.insert('group_journals', { id: 'k', group_id: 'g', phase: 'review' });
  world.insert('sessions', { id: 's', date: '2026-11-09' });
  world.insert('weekly_reviews', {
    id: 'w',
    period_start: '2026-11-02',
    period_end: '2026-11-08',
  });
  world.insert('missed_trades', {
    ...{
      id: 'm',
      missed_at: '2026-11-09T15:00:00.000Z',
      symbol: 'ES',
      market: 'future',
      side: 'long',
    },
    ...{ miss_type: 'away', currency: 'USD' },
  });
  const [before, at] = ['2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z'];
  for (const table of [
    'trades',
    'trade_groups',
    'trade_journals',
    'group_journals',
    'sessions',
    'weekly_reviews',
    'missed_trades',
  ])
    world.db.exec(
      `UPDATE ${table} SET updated_at = '${table === 'trades' ? before : at}'`,
    );
  world.db.exec(`UPDATE trades SET updated_at = '${at}' WHERE id IN ('a', 'b')`);
  const since = 'updated_since=2026-11-20T01:00:00%2B01:00';
  expect(await ids('trades', since)).toBe('ab');
  expect(await ids('trades', 'updated_since=2026-11-20')).toBe('ab');
  expect(await ids('trades', `${since}&account=main`)).toBe('b');
  expect(await ids('trades', `${since}&sort=net_pnl`)).toBe('ab');
  expect(await ids('trades', 'updated_since=2026-11-19T23:59:59.999Z')).toBe('abc');
  for (const [list, id] of Object.entries({
    'trade-groups': 'g',
    'journal-rows': 'jk',
    'trade-journals': 'j',
    'group-journals': 'k',
    sessions: 's',
    'weekly-reviews': 'w',
    'missed-trades': 'm',
  })) {
    expect([list, await ids(list, since)]).toEqual([list, id]);
    expect([list, await ids(list, 'updated_since=2026-11-20T00:00:00.001Z')]).toEqual([
      list,
      '',
    ]);
  }
  const { body } = await world.ask('/v1/trades?updated_since=2026-11-21', { key });
  expect(body.hint).toBe(
    'No trades were added or changed since 2026-11-21T00:00:00.000Z.',
  );
  const page = await world.ask(`/v1/trades?${since}&limit=1`, { key });
  const next = `cursor=${page.body.pagination.next_cursor}&limit=1`;
  expect(await ids('trades', `${since}&${next}`)).toBe('a');
  expect((await world.ask(`/v1/trades?${next}`, { key })).body.code).toBe(
    'invalid_cursor',
  );
  expect((await world.ask('/v1/trades?limit=1000', { key })).body.pagination.limit).toBe(
    100,
  );
  expect(
    (await world.ask('/v1/trades?modified_since=2026-11-21', { key })).body.detail,
  ).toContain('updated_since');
});

describe('trades', () => {
  test('underlying: the underlying, or the symbol of a trade without one; symbol: exactly this instrument', async () => {
    world.insert(
      'trades',
      tradeRow('a', { symbol: 'SPY' }),
      tradeRow('b', {
        symbol: 'SPY 2026-06-19 C450',
        market: 'option',
        underlying: 'SPY',
      }),
      tradeRow('c', { symbol: 'SPY', underlying: 'SPX' }),
      tradeRow('d', { symbol: 'SPYX' }),
    );
    await expectTrades('underlying=spy', 'ab');
    await expectTrades('underlying=SPX', 'c');
    await expectTrades('symbol=SPY', 'ac');
    await expectTrades('symbol=spy&underlying=spy', 'a');
  });

  test("an older name of Kraken's finds the pair under its present name, too", async () => {
    world.insert(
      'trades',
      tradeRow('a', { symbol: 'XBT/EUR' }),
      tradeRow('b', { symbol: 'XXBTZEUR' }),
      tradeRow('c', { symbol: 'XBTEUR' }),
      tradeRow('d', { symbol: 'ETH/EUR' }),
      tradeRow('e', { symbol: 'XETHZEUR', underlying: 'XBT/EUR' }),
    );
    await expectTrades('symbol=xxbtzeur', 'ab');
    await expectTrades('symbol=XBT/EUR', 'a');
    await expectTrades('symbol=XBTEUR', 'c');
    await expectTrades('symbol=XETHZEUR', 'de');
    await expectTrades('symbol=XXRPZEUR', '');
    await expectTrades('underlying=XXBTZEUR', 'abe');
    expect(await ids('positions', 'symbol=XXBTZEUR')).toBe('ab');
    expect(await counted('symbol=XXBTZEUR&unit=position')).toBe(2);

    const pages = ['', '&account=none'].map(async (more) => {
      const path = `/v1/trades?symbol=XXBTZEUR&limit=1${more}`;
      return (await world.ask(path, { key })).body;
    });
    const [first, none] = await Promise.all(pages);
    const cursor = first.pagination.next_cursor;
    const second = await ids('trades', `symbol=XXBTZEUR&limit=1&cursor=${cursor}`);
    expect([first.data[0].id, second].sort()).toEqual(['a', 'b']);
    expect(none.hint).not.toContain('XXBTZEUR');
  });

  test('a mistake may be of the trade or of one of its journal entries', async () => {
    world.insert(
      'trades',
      tradeRow('a', { mistakes: '["chased"]' }),
      tradeRow('b'),
      tradeRow('c', { mistakes: '["late"]' }),
      tradeRow('d'),
      tradeRow('e', { mistakes: '["Chased"]' }),
    );
    world.insert(
      'trade_journals',
      { id: 'j1', trade_id: 'b', phase: 'review', mistakes: '["x","Chased"]' },
      { id: 'j2', trade_id: 'b', phase: 'review', mistakes: '["chased"]' },
      { id: 'j3', trade_id: 'd', phase: 'review' },
      { id: 'j4', trade_id: 'e', phase: 'review', mistakes: '["chased"]' },
    );
    // An entry of another user with the same ids.
    world.addUser('you');
    world.insert('trades', { ...tradeRow('d'), user_id: 'you' });
    world.insert('trade_journals', {
      user_id: 'you',
      id: 'j3',
      trade_id: 'd',
      phase: 'review',
      mistakes: '["chased"]',
    });
    await expectTrades('mistake=chased', 'abe');
    await expectTrades('mistake=x', 'b');
    await expectTrades('has_mistake=true', 'abce');
    await expectTrades('has_mistake=false', 'd');
    await expectTrades('has_journal=true', 'bde');
    await expectTrades('has_journal=false', 'ac');
    const { body } = await world.ask('/v1/trades?mistake=x', { key });
    expect(body.data[0].mistakes).toEqual([]);
  });

  test("a stop, and net P&L in the trade's currency, bounds included", async () => {
    world.insert(
      'trades',
      tradeRow('a', { stop_loss: 0, gross_pnl: -100 }),
      tradeRow('b', { gross_pnl: -99.99999999 }),
      tradeRow('c', { gross_pnl: 0 }),
      tradeRow('d', { stop_loss: 99, gross_pnl: 12.5, fees: 2.5 }),
    );
    await expectTrades('has_stop=true', 'ad');
    await expectTrades('has_stop=false', 'bc');
    await expectTrades('has_stop=False', 'bc');
    await expectTrades('has_stop=True&min_net_pnl=0', 'd');
    await expectTrades('max_net_pnl=-100', 'a');
    await expectTrades('max_net_pnl=-99.99999999', 'ab');
    await expectTrades('min_net_pnl=10', 'd');
    await expectTrades('min_net_pnl=-0&max_net_pnl=9.99', 'c');
    await expectTrades('min_net_pnl=10.00000001', '');
    await expectTrades('has_stop=true&min_net_pnl=0', 'd');
  });

  test('the quantity between two bounds, in figures too', async () => {
    world.insert(
      'trades',
      tradeRow('a', { quantity: 0.5 }),
      tradeRow('b', { quantity: 2 }),
      tradeRow('c', { quantity: 3 }),
    );
    await expectTrades('min_quantity=2', 'bc');
    await expectTrades('max_quantity=2', 'ab');
    await expectTrades('min_quantity=0.6&max_quantity=2.9', 'b');
    const path = '/v1/analytics/summary?sections=performance&min_quantity=2';
    expect(
      (await world.ask(path, { key: world.key() })).body.data.performance.trades,
    ).toBe(2);
  });

  test('the trades of a row of figures, by a condition', async () => {
    const friday = {
      executed_at: '2026-11-13T15:00:00.000Z',
      closed_at: '2026-11-13T16:00:00.000Z',
    };
    const monday = {
      executed_at: '2026-11-16T15:00:00.000Z',
      closed_at: '2026-11-16T16:00:00.000Z',
    };
    world.insert(
      'trades',
      tradeRow('a', { ...friday, setup: 'ORB' }),
      tradeRow('b', { ...friday, currency: 'EUR', fx_rate: 1.1 }),
      tradeRow('c', { ...monday, setup: 'orb' }),
      tradeRow('d', { ...friday, status: 'open', closed_at: null, exit_price: null }),
      tradeRow('e', { ...monday, side: 'short' }),
    );
    const where = (condition: object) =>
      `where=${encodeURIComponent(JSON.stringify(condition))}`;
    const ids = async (query: string) =>
      (await world.ask(`/v1/trades?${query}`, { key })).body.data
        .map(({ id }: any) => id)
        .join('');
    expect(await ids(`${where({ weekday: 5 })}&order=asc`)).toBe('ab');
    for (const name of ['Fri', 'friday', 'FRI'])
      expect(await ids(`${where({ weekday: [name] })}&order=asc`)).toBe('ab');
    const unknown = await world.ask(`/v1/trades?${where({ weekday: 'Fr' })}`, { key });
    expect([unknown.status, unknown.body.detail]).toEqual([
      400,
      expect.stringContaining('has no weekday "Fr"; it takes 1, 2, 3'),
    ]);
    expect(await ids(`${where({ setup: 'orb' })}&order=asc`)).toBe('ac');
    expect(await ids(`${where({ setup: 'orb' })}&side=short`)).toBe('');
    expect(await ids(`${where({ setup: null })}&sort=net_pnl&order=asc`)).toBe('be');
    expect(
      await ids(`${where([{ setup: 'orb', weekday: 1 }, { side: 'short' }])}&order=asc`),
    ).toBe('ce');
    const empty = await world.ask(`/v1/trades?${where({ weekday: 6 })}`, { key });
    expect(empty.body.hint).toBe(
      'No trades meet the condition in where; it finds closed trades.',
    );
    const wrong = await world.ask(`/v1/trades?${where({ weekdays: 6 })}`, { key });
    expect([wrong.status, wrong.body.param]).toEqual([400, 'where']);
  });

  test('up to 100 ids, of this user only', async () => {
    world.insert('trades', tradeRow('a'), tradeRow('b'), tradeRow('c'));
    world.insert(
      'trade_journals',
      { id: 'j1', trade_id: 'a', phase: 'review' },
      { id: 'j2', trade_id: 'b', phase: 'review' },
      { id: 'j3', trade_id: 'a', phase: 'during' },
    );
    world.addUser('you');
    world.insert('trades', { ...tradeRow('z'), user_id: 'you' });
    const ids = async (path: string) =>
      (await world.ask(path, { key })).body.data.map(({ id }: any) => id).sort();
    expect(await ids('/v1/trades?id=a,c,z,nothing')).toEqual(['a', 'c']);
    expect(await ids('/v1/trades?id=c')).toEqual(['c']);
    expect(await ids('/v1/trades?id=b,a&limit=1&order=asc')).toEqual(['a']);
    expect(await ids('/v1/trade-journals?trade_id=a')).toEqual(['j1', 'j3']);
    expect(await ids('/v1/trade-journals?trade_id=a,b&phase=review')).toEqual([
      'j1',
      'j2',
    ]);
    const many = Array.from({ length: 101 }, (_, i) => `t${i}`).join();
    for (const wrong of [many, 'a,,b', 'a, b', ','])
      expect((await world.ask(`/v1/trades?id=${wrong}`, { key })).body.param).toBe('id');
  });
});

describe('labels that differ only in letter case are one label', () => {
  test.each([
    ['FOMO', 'fomo', 'FoMo'],
    ['ÜBEREILT', 'übereilt', 'Übereilt'],
    ['ΣΧΕΔΙΟΣ', 'σχεδιος', 'Σχεδιος'],
    ['ПРОБОЙ', 'пробой', 'Пробой'],
    ['ԲԵԿՈՒՄ', 'բեկում', 'Բեկում'],
    ['突破', '突破', '突破'],
    ['Straẞe', 'straße', 'STRAẞE'],
    ['résumé', 'RÉSUMÉ', 'RE\u0301SUME\u0301'],
    ['\u01f0eden', 'J\u030cEDEN', 'j\u030ceden'],
    ['İzmir', 'i\u0307ZMIR', 'I\u0307zmir'],
  ])('%s', async (asked, ...spellings) => {
    for (const [i, label] of [...spellings, asked, 'other', 'überall'].entries()) {
      world.insert(
        'trades',
        tradeRow(`t${i}`, {
          setup: label,
          account: label,
          symbol: label,
          underlying: label,
          tags: JSON.stringify(['x', label]),
          mistakes: JSON.stringify([label]),
        }),
      );
      world.insert('trade_journals', {
        id: `j${i}`,
        trade_id: `t${i}`,
        phase: 'review',
        emotions: JSON.stringify([label]),
      });
    }
    for (const name of ['setup', 'account', 'symbol', 'underlying', 'tag', 'mistake']) {
      const query = `${name}=${encodeURIComponent(asked)}`;
      expect([name, await ids('trades', query)]).toEqual([name, 't0t1t2']);
      expect([name, await counted(query)]).toEqual([name, 3]);
    }
    expect(await ids('trade-journals', `emotion=${encodeURIComponent(asked)}`)).toBe(
      'j0j1j2',
    );
  });
});

describe('trade groups', () => {
  test('underlying: their own, else those of their trades', async () => {
    world.insert(
      'trade_groups',
      { ...GROUP, id: 'a', underlying: 'SPY' },
      { ...GROUP, id: 'b' },
      { ...GROUP, id: 'c' },
    );
    world.insert(
      'trades',
      tradeRow('1', { group_id: 'a', symbol: 'QQQ' }),
      tradeRow('2', { group_id: 'b', symbol: 'SPY 2026-06-19 C450', underlying: 'SPY' }),
      tradeRow('3', { group_id: 'b', symbol: 'IWM' }),
    );
    expect(await ids('trade-groups', 'underlying=spy')).toBe('ab');
    expect(await ids('trade-groups', 'underlying=iwm')).toBe('b');
    expect(await ids('trade-groups', 'underlying=qqq')).toBe('');
    expect(await ids('trade-groups', 'symbol=qqq')).toBe('a');
  });
});

describe('journal entries and reviews', () => {
  test('journal entries of trades and groups, and both in one feed', async () => {
    world.insert('trade_groups', { ...GROUP, id: 'g' });
    world.insert('trades', tradeRow('t'));
    const entries: Row[] = [
      { id: 'a', phase: 'review', tags: '["Plan"]', followed_plan: 1 },
      { id: 'b', phase: 'pre_trade', mistakes: '["late"]', followed_plan: 0 },
      { id: 'c', phase: 'review', emotions: '["calm","FOMO"]' },
    ];
    for (const entry of entries) {
      world.insert('trade_journals', { ...entry, trade_id: 't' });
      world.insert('group_journals', { ...entry, group_id: 'g' });
    }
    const cases = {
      'tag=plan': 'a',
      'mistake=LATE': 'b',
      'emotion=fomo': 'c',
      'phase=review': 'ac',
    };
    const plans = {
      'followed_plan=true': 'a',
      'followed_plan=false': 'b',
      'phase=review&followed_plan=true': 'a',
    };
    for (const [query, expected] of Object.entries({ ...cases, ...plans })) {
      expect([query, await ids('trade-journals', query)]).toEqual([query, expected]);
      expect([query, await ids('group-journals', query)]).toEqual([query, expected]);
      expect([query, await ids('journal-rows', query)]).toEqual([
        query,
        expected.replace(/./g, '$&$&'),
      ]);
    }
  });

  test('missed trades and sessions', async () => {
    const missed = {
      missed_at: '2026-11-10T14:30:00.000Z',
      market: 'stock',
      side: 'long',
      currency: 'USD',
    };
    world.insert(
      'missed_trades',
      { ...missed, id: 'a', symbol: 'AAPL', miss_type: 'away', setup: 'Gap' },
      { ...missed, id: 'b', symbol: 'SPY', miss_type: 'hesitated', tags: '["News"]' },
    );
    world.insert(
      'sessions',
      { id: 's', date: '2026-11-10', tags: '["CPI"]' },
      { id: 'r', date: '2026-11-11' },
    );
    expect(await ids('missed-trades', 'setup=gap')).toBe('a');
    expect(await ids('missed-trades', 'tag=news')).toBe('b');
    expect(await ids('missed-trades', 'miss_type=away')).toBe('a');
    expect(await ids('sessions', 'tag=cpi')).toBe('s');
    const missedOf = async (query: string) =>
      (await world.ask(`/v1/analytics/summary?${query}`, { key })).body.data.missed.count;
    expect([
      await missedOf('underlying=spy'),
      await missedOf('setup=GAP'),
      await missedOf(''),
    ]).toEqual([1, 1, 2]);
  });
});
