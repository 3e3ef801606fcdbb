/** Long requests wait for their turn: users take turns, and each key has a maximum of waiting requests. */
import { expect, test } from 'vitest';
import { tradeRow, World } from '../helpers.ts';

const TRADES = 30_000;

/** A journal in which a search without matches takes long. */
function bigWorld(): World {
  const world = new World();
  world.insert('trades', tradeRow('t'));
  const columns =
    'user_id, symbol, market, side, status, executed_at, closed_at, quantity, entry_price, exit_price, open_quantity';
  world.db.exec(`
    INSERT INTO trades (id, ${columns}, currency, gross_pnl)
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TRADES})
    SELECT 't' || i, ${columns}, currency, gross_pnl FROM n, trades WHERE id = 't'`);
  return world;
}

test('users take turns, and each key has a maximum of waiting requests; one more gets a Retry-After', async () => {
  const world = bigWorld();
  world.addUser('you');
  const [greedy, modest, yours] = [world.key(), world.key(), world.key(undefined, 'you')];
  const answered: string[] = [];
  let searches = 0;
  const search = async (key: string, name: string) => {
    const reply = await world.ask(`/v1/analytics/summary?end=2027-01-${10 + searches++}`, { key });
    if (reply.status === 200) answered.push(name);
    return reply;
  };
  // First requests, which look up keys and users.
  for (const key of [greedy, modest, yours]) expect((await world.ask('/v1/me', { key })).status).toBe(200);
  world.db.exec("UPDATE trades SET user_id = 'you' WHERE id LIKE 't%5'");
  const greedily = Array.from({ length: 20 }, () => search(greedy, 'greedy'));
  const others = [search(modest, 'modest'), search(yours, 'yours')];
  const replies = await Promise.all(greedily);
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  // How many arrive while eight wait depends on the machine; tests of the queue check that the maximum is eight.
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refused) {
    expect([status, body.code, headers.get('Retry-After')]).toEqual([429, 'rate_limited', '2']);
  }
  expect(answered).toHaveLength(22 - refused.length);
  // The other user came last, but isn't served last.
  expect(answered.indexOf('yours')).toBeLessThan(answered.length / 2);
});
