/** Long work pauses so that other requests get their turn, measured in records: their time depends on the machine. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBody, jsonBodyInSteps } from '../../src/http/response-body.ts';
import type { ClosedTrade } from '../../src/journal/analytics/closed-trade.ts';
import { analyticsOf, type Question } from '../../src/journal/analytics/index.ts';
import { KeyColumn } from '../../src/journal/analytics/key-columns.ts';
import { wholeDays } from '../../src/journal/analytics/permutation-test.ts';
import { hintOf } from '../../src/journal/empty-page.ts';
import { mapInSteps, STEP, sortInSteps } from '../../src/journal/in-steps.ts';
import { findUser, openJournal, type User } from '../../src/journal/journal.ts';
import { labelsOf } from '../../src/journal/labels.ts';
import { listPage, type PageRequest } from '../../src/journal/list.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { toEnd } from '../../src/sqlite/read-queue.ts';
import type { Reader } from '../../src/sqlite/reader.ts';
import { ZoneClock } from '../../src/time.ts';
import { setRules } from '../account-limits.ts';
import { addRecord, tradeRow, World } from '../helpers.ts';

const RECORDS = 4000;
/** Maximum records between two pauses. */
const MOST = 1000;

const EVERYTHING = { from: null, to: null };

/** Each trade has its own symbol and tag, a minute after the previous one. */
function bigWorld(): World {
  const world = new World();
  world.insert('trades', tradeRow('t'));
  world.db.exec(`
    INSERT INTO trades (id, user_id, symbol, tags, market, side, status, executed_at, closed_at, quantity, entry_price, exit_price, open_quantity, currency, gross_pnl)
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RECORDS - 1})
    SELECT 't' || i, user_id, 'S' || i, '["tag ' || i || '"]', market, side, status, at, at, quantity, entry_price, exit_price, open_quantity, currency, i % 7 - 3
    FROM (SELECT *, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-11-01', i || ' minutes') AS at FROM n, trades WHERE id = 't');
    UPDATE trades SET account = 'main', mae = -1, mfe = 4;`);
  setRules(world, 'main', { trailing: 'intraday' });
  return world;
}

const page = (more: Partial<PageRequest>): PageRequest => ({
  limit: 50,
  range: EVERYTHING,
  filters: {},
  after: null,
  ...more,
});
const list = (more: Partial<PageRequest>) => (reader: Reader, user: User) => listPage(reader, user, trades, page(more));
const groups =
  (groupBy: Question['groupBy'], more: Partial<Question> = {}) =>
  (reader: Reader, user: User) =>
    analyticsOf(reader, user, {
      asked: { span: { ...EVERYTHING, first: null, last: null, days: null }, previous: null, isCapped: false },
      filters: {},
      unit: 'trade',
      sections: ['groups'],
      groupBy,
      top: null,
      now: 0,
      ...more,
    });

test('no request reads more than a thousand records between two pauses', () => {
  const journal = openJournal(bigWorld().files.journal);
  const year = { from: '2026-01-01', to: '2027-01-01' };
  // How often each reads all records, in SQLite or in memory.
  const cases: [what: string, passes: number, read: (reader: Reader, user: User) => Generator<void, unknown>][] = [
    ['a search for words', 1, list({ q: 'nowhere' })],
    ['a filter without matches', 1, list({ filters: { tag: 'nowhere' } })],
    ['the best trades of a year', 1, list({ sort: 'net_pnl', range: year })],
    [
      'the reason for an empty page',
      2,
      (reader, user) => hintOf(reader, user, trades, page({ filters: { tag: 'x' } })),
    ],
    ['labels', 3, (reader, user) => labelsOf(reader, user, true)],
    ['groups of one trade each', 5, groups(['day', 'symbol'])],
    ['the first of these groups', 4, groups(['symbol'], { top: 5 })],
    ['groups of positions', 5, groups(['symbol'], { unit: 'position' })],
    ['groups with a filter', 5, groups(['symbol'], { filters: { market: 'stock' } })],
    ['breakdowns of one trade each', 4, groups([], { sections: ['breakdowns'] })],
    // Read, sorted by entry, followed close by close.
    ['limits of an account', 3, groups([], { sections: ['limits'] })],
  ];
  for (const [what, passes, read] of cases) {
    const pauses = journal.read((reader) => [...read(reader, findUser(reader, 'me') as User)].length);
    expect(pauses, what).toBeGreaterThanOrEqual((passes * RECORDS) / MOST - 1);
  }
  journal.close();
});

test('nor does a search for leaks in many sets of tags', () => {
  const tags = new KeyColumn('tag');
  const clock = new ZoneClock('UTC');
  for (let i = 0; i < RECORDS; i++) tags.add({ tags: [`tag ${i}`, 'plan'] } as unknown as ClosedTrade, clock);
  expect([...tags.keys()].length).toBeGreaterThanOrEqual((3 * RECORDS) / MOST - 1);
});

test('nor does a test of many rows against chance', () => {
  const nets = Float64Array.from({ length: RECORDS }, (_, i) => (i * 7919) % 97);
  const starts = Int32Array.from({ length: 101 }, (_, i) => (i * RECORDS) / 100);
  const row = Int32Array.from({ length: 100 }, (_, i) => 3 * i);
  const pausesOf = (rows: number) => [...wholeDays({ nets, starts }, Array(rows).fill(row), 1)].length;
  expect(pausesOf(100 + MOST) - pausesOf(100)).toBeGreaterThanOrEqual(MOST);
});

test('nor does a position of thousands of legs', () => {
  const world = bigWorld();
  addRecord(world, 'trade-groups', 'g', '2026-11-01T00:00:00.000Z');
  world.db.exec("UPDATE trades SET group_id = 'g'");
  const journal = openJournal(world.files.journal);
  const read = groups(['side'], { unit: 'position' });
  const pauses = journal.read((reader) => [...read(reader, findUser(reader, 'me') as User)].length);
  expect(pauses).toBeGreaterThanOrEqual((3 * RECORDS) / MOST - 1);
  journal.close();
});

test('rows in memory are created, sorted and written the same as without pauses', () => {
  const row = fc.record({ key: fc.integer({ min: 0, max: 20 }), text: fc.string({ maxLength: 3 }) });
  const rows = fc.array(row, { maxLength: 40, size: 'max' }).map((few) => few.flatMap((one) => Array(97).fill(one)));
  fc.assert(
    fc.property(rows, (given) => {
      const numbered = given.map((one, i) => ({ ...one, i }));
      const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(toEnd(mapInSteps(given, (one, i) => ({ ...one, i })))).toEqual(numbered);
      expect(toEnd(sortInSteps(numbered, byKey))).toEqual(numbered.toSorted(byKey));
      const answer = { data: { groups: given, none: undefined, of: { text: 'ü"\n', rows: given } }, n: null };
      expect(toEnd(jsonBodyInSteps(answer)).bytes).toEqual(jsonBody(answer).bytes);
      const pauses = [...jsonBodyInSteps({ data: given })].length;
      expect(pauses).toBe(given.length > STEP ? Math.ceil(given.length / STEP) : 0);
    }),
    { numRuns: 30 },
  );
});
