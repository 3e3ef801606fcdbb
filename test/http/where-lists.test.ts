/** Lists by a condition on dimensions, in a journal of any size. */
import { expect, test } from 'vitest';
import { matchingIds } from '../../src/journal/analytics/closed-trades.ts';
import { findUser, type User } from '../../src/journal/journal.ts';
import { listPage } from '../../src/journal/list.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { addFunctions } from '../../src/sqlite/functions.ts';
import { type Bindable, Reader } from '../../src/sqlite/reader.ts';
import { tradeRow, World } from '../helpers.ts';

class Measured extends Reader {
  /** Octets of the longest text bound to a statement. */
  longest = 0;

  override all<T>(sql: string, ...values: Bindable[]): T[] {
    for (const value of values)
      this.longest = Math.max(this.longest, String(value).length);
    return super.all<T>(sql, ...values);
  }
}

test('no statement gets more ids than it reads records, however many trades match', () => {
  const world = new World();
  const COUNT = 1600;
  world.db.transaction(() => {
    for (let i = 0; i < COUNT; i++)
      world.insert(
        'trades',
        tradeRow(`t${String(i).padStart(4, '0')}`, {
          side: i % 4 === 0 ? 'short' : 'long',
          gross_pnl: i % 7,
          setup: i % 40 === 1 ? 'orb' : null,
        }),
      );
  })();
  addFunctions(world.db);
  const reader = new Measured(world.db);
  const user = findUser(reader, 'me') as User;
  const ids = matchingIds(reader, user, 'trade', [{ side: ['long'] }]);
  const found = (more: object) => {
    const request = {
      limit: 2000,
      range: { from: null, to: null },
      filters: {},
      after: null,
      ids,
      ...more,
    };
    return listPage(reader, user, trades, request).rows.length;
  };
  expect([found({}), found({ sort: 'net_pnl' })]).toEqual([COUNT * 0.75, COUNT * 0.75]);
  reader.longest = 0;
  expect([
    found({ filters: { setup: 'ORB' } }),
    found({ q: 'none', sort: 'net_pnl' }),
  ]).toEqual([COUNT / 40, 0]);
  expect(reader.longest).toBeLessThan(500 * '"t0000",'.length + 10);
});
