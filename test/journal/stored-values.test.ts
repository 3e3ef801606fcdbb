/** The service returns all rows that schema.sql accepts, and `check` reads them. */
import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkJournal } from '../../src/journal/check.ts';
import { normalSql } from '../../src/journal/journal.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { freshSchema } from '../../src/journal-write/open.ts';
import { Reader } from '../../src/sqlite/reader.ts';
import { runs } from '../effort.ts';
import { addRecord, ROWS, type Row, tradeRow, World } from '../helpers.ts';
import { type AnyRow, anyRow, REFERENCES, type Stored, TABLES } from './any-row.ts';

const fresh = freshSchema();

const PATHS = [
  'me',
  ...RESOURCES.map((resource) => `${resource.path}?limit=100`),
  'analytics/summary',
  'analytics/summary?sections=leaks,simulation,exits',
  'analytics/summary?start=2026-11-01&end=2026-11-20&outcome=win',
  'summary',
  'summary?days=365',
  'trades?symbol=A&tag=a',
  'trade-groups?symbol=a',
];

/** Replacements of values that the schema rejects; a column without one is omitted. */
const PLAIN: Record<string, Stored> = {
  timezone: 'UTC',
  base_currency: 'USD',
  currency: 'USD',
  symbol: 'A',
  date: '2026-11-20',
  period_start: '2026-11-16',
  period_end: '2026-11-20',
  opened_at: '2026-11-20T12:00:00.000Z',
  executed_at: '2026-11-20T12:00:00.000Z',
  missed_at: '2026-11-20T12:00:00.000Z',
  at: '2026-11-20T12:00:00.000Z',
  amount: 1,
  closed_at: '2026-11-20T12:00:00.000Z',
  quantity: 1,
  open_quantity: 0,
  entry_price: 1,
  price: 1,
  gross_pnl: 1,
  position: 0,
};

/**
 * Inserts a row like any SQLite client; a value that the schema rejects is replaced.
 * @returns whether the schema finally accepted it
 */
function insert(db: Database.Database, { table, row }: AnyRow): boolean {
  const whole: Record<string, Stored> =
    table === 'users' ? { ...row } : { ...row, user_id: 'me' };
  for (;;) {
    try {
      insertAsItIs(db, table, whole);
      return true;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      expect(code).toMatch(/^SQLITE_(CONSTRAINT|ERROR$)/);
      const refused = Object.keys(whole).find(
        (name) => blames(message, table, name) && whole[name] !== plain(db, name),
      );
      if (refused === undefined) return false;
      const value = plain(db, refused);
      if (value === undefined) delete whole[refused];
      else whole[refused] = value;
    }
  }
}

function plain(db: Database.Database, name: string): Stored | undefined {
  const other = REFERENCES[name];
  if (other === undefined) return PLAIN[name];
  return db.prepare(`SELECT id FROM ${other} LIMIT 1`).pluck().get() as
    | Stored
    | undefined;
}

/** Whether an error is about a column: its check, its reference, or the message of a trigger. */
function blames(message: string, table: string, name: string): boolean {
  if (/FOREIGN KEY/.test(message)) return REFERENCES[name] !== undefined;
  const check = /CHECK constraint failed: (.*)$/s.exec(message)?.[1];
  const column = TABLES.get(table)?.find((candidate) => candidate.name === name);
  if (check !== undefined) return column?.sql.includes(normalSql(check)) === true;
  return column?.sql.includes('json_valid(') === true;
}

function insertAsItIs(
  db: Database.Database,
  table: string,
  row: Record<string, Stored>,
): void {
  const isBytes = (value: Stored) => typeof value === 'object' && value !== null;
  const places = Object.values(row).map((value) =>
    isBytes(value) ? 'CAST(? AS TEXT)' : '?',
  );
  db.prepare(
    `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
  ).run(
    ...Object.values(row).map((value) =>
      isBytes(value) ? (value as { bytes: Buffer }).bytes : value,
    ),
  );
}

/** @param hiding a key that hides texts and symbols */
async function holds(world: World, key: string, hiding?: string): Promise<void> {
  const ids = world.db
    .prepare("SELECT id FROM trades WHERE user_id = 'me'")
    .pluck()
    .all() as string[];
  for (const path of [...PATHS, ...ids.map((id) => `trades/${encodeURIComponent(id)}`)]) {
    const { status, text } = await world.ask(`/v1/${path}`, { key });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  }
  for (const path of hiding === undefined
    ? []
    : PATHS.filter((path) => !path.includes('symbol='))) {
    const { status, text } = await world.ask(`/v1/${path}`, {
      key: hiding as string,
      lens: true,
    });
    if (status !== 200)
      throw new Error(`${path} answered ${status} to a key that hides symbols: ${text}`);
  }
  // It never throws, but may have findings.
  for (const finding of checkJournal(new Reader(world.db), fresh))
    expect(finding.problem).not.toBe('');
}

function empty(world: World): void {
  world.db.pragma('foreign_keys = OFF');
  for (const table of TABLES.keys()) world.db.exec(`DELETE FROM ${table}`);
  world.db.pragma('foreign_keys = ON');
}

test('no row that the schema accepts causes a 5xx, an undescribed body, or an error in check', {
  timeout: 300_000,
}, async () => {
  const world = new World();
  // What balances refer to; it stays when the others go.
  world.insert('imports', {
    id: 1,
    imported_at: '2026-11-20T12:00:00.000Z',
    file: 'a.csv',
    format: 'csv',
    resource: 'trades',
    rows: 0,
    fills: 0,
    records: 0,
    trades: 0,
  });
  const key = world.key();
  const hiding = world.key(undefined, 'me', 'key_hiding', {
    accounts: null,
    since: null,
    hides: ['texts', 'symbols'],
  });
  const counts = new Map(
    [...TABLES.keys()].map((table) => [table, { taken: 0, tried: 0 }]),
  );
  const rows = fc.tuple(
    anyRow('users'),
    ...[...TABLES.keys()]
      .filter((table) => table !== 'users')
      .map((table) => fc.array(anyRow(table), { minLength: 1, maxLength: 6 })),
  );
  await fc.assert(
    fc.asyncProperty(rows, async ([user, ...others]) => {
      empty(world);
      for (const row of [{ ...user, row: { ...user.row, id: 'me' } }, ...others.flat()]) {
        const count = counts.get(row.table)!;
        count.tried++;
        if (insert(world.db, row)) count.taken++;
        else if (row.table === 'users') world.addUser('me');
      }
      await holds(world, key, hiding);
    }),
    // Shrinking a journal takes minutes, and shows little more.
    { numRuns: runs(25), endOnFailure: true },
  );
  // If all rows were rejected, the test would prove nothing.
  for (const [table, { taken, tried }] of counts)
    expect([table, taken > tried / 5]).toEqual([table, true]);
});

describe('invalid values are omitted from records, and reported by check', () => {
  const journal = (row: Row) => {
    const world = new World();
    addRecord(world, 'trade-journals', 'r', '2026-11-18T10:00:00.000Z');
    const sets = Object.keys(row).map((name) => `${name} = @${name}`);
    world.db.prepare(`UPDATE trade_journals SET ${sets.join(', ')}`).run(row);
    return world;
  };
  const problemsOf = (world: World) =>
    [...checkJournal(new Reader(world.db), fresh)].map(
      ({ where, id, problem }) => `${where} ${id}: ${problem}`,
    );

  test.each([
    ['[{"followed": 5}]', [], 'rules.0.rule'],
    [
      '[{"rule": "r", "followed": 5}]',
      [{ rule: 'r', followed: null }],
      'rules.0.followed',
    ],
    ['[{"rule": "r"}]', [{ rule: 'r', followed: null }], 'rules.0.followed'],
    [
      '[{"rule": "r", "followed": true, "why": 1}]',
      [{ rule: 'r', followed: true }],
      'rules.0: Unrecognized key',
    ],
    ['[{"rule": "r", "rule": 5, "followed": true}]', [], 'rules.0.rule'],
    [
      '[null, [], 5, "r", {"rule": "r", "followed": false}]',
      [{ rule: 'r', followed: false }],
      'rules.0',
    ],
    ['[{"__proto__": {"rule": "r"}, "followed": true}]', [], 'rules.0'],
  ])('rules %s', async (rules, given, named) => {
    const world = journal({ rules });
    const key = world.key();
    const { body } = await world.ask('/v1/trade-journals', { key });
    expect(body.data[0].rules).toEqual(given);
    expect(problemsOf(world)).toContainEqual(
      expect.stringContaining(`trade-journals r: ${named}`),
    );
    // Omitted values are excluded from figures.
    const followed = given.map((rule) => rule.followed);
    const analytics = await world.ask('/v1/analytics/summary', { key });
    expect(analytics.body.data.rules).toMatchObject({
      followed: followed.filter((answer) => answer === true).length,
      broken: followed.filter((answer) => answer === false).length,
    });
  });

  test.each([
    ['https://example.com/a.png?x=%20#f', 'https://example.com/a.png?x=%20#f'],
    ['http://[::1]:80/', 'http://[::1]:80/'],
    ['https://example.com/ä b|c#d#e', 'https://example.com/%C3%A4%20b%7Cc#d%23e'],
    ['https://example.com/%zz?q=[1]', 'https://example.com/%25zz?q=%5B1%5D'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['HTTPS://Example.com', 'https://example.com/'],
    ['http://example.com:99999/', undefined],
    ['http://256.1.1.1/', undefined],
    ['javascript:alert(1)', undefined],
    ['https:example.com', undefined],
    ['https://', undefined],
    ['ftp://example.com/', undefined],
    ['http://a b/', undefined],
    ['https://example.com/\ud800', 'https://example.com/%EF%BF%BD'],
  ])('attachment %s', async (url, given) => {
    const world = journal({ attachments: JSON.stringify([{ url, caption: null }]) });
    const { body } = await world.ask('/v1/trade-journals', { key: world.key() });
    expect(body.data[0].attachments).toEqual(
      given === undefined ? [] : [{ url: given, caption: null }],
    );
    if (given === undefined) {
      expect(problemsOf(world)).toEqual([
        expect.stringContaining('trade-journals r: attachments.0.url'),
      ]);
    }
  });

  test('members of a market context and a review', async () => {
    const world = new World();
    addRecord(world, 'sessions', 'r', '2026-11-18T10:00:00.000Z');
    const market_context =
      '{"bias":5,"key_levels":[{"symbol":null,"price":1e999,"kind":null,"note":null},{"price":1}],"news":["a",5,null],"extra":1}';
    const review =
      '{"rating":9,"followed_plan":"yes","mistakes":[1,"m"],"reviewed_at":"yesterday","went_well":"w"}';
    world.db
      .prepare('UPDATE sessions SET market_context = ?, review = ?')
      .run(market_context, review);
    const { body } = await world.ask('/v1/sessions', { key: world.key() });
    expect(body.data[0].market_context).toEqual({
      bias: null,
      condition: null,
      key_levels: [{ symbol: null, price: 1, kind: null, note: null }],
      news: ['a'],
      notes: null,
    });
    expect(body.data[0].review).toEqual({
      went_well: 'w',
      went_wrong: null,
      lesson: null,
      followed_plan: null,
      rating: null,
      mistakes: ['m'],
      reviewed_at: null,
    });
    const problems = problemsOf(world);
    for (const member of [
      'market_context.bias',
      'market_context.key_levels.0.price',
      'market_context.news.1',
      'review.rating',
    ]) {
      expect(problems).toContainEqual(expect.stringContaining(`sessions r: ${member}: `));
    }
  });
});

test('the largest amounts give finite figures', async () => {
  const world = new World({ starting_balance: 1e-8 });
  const most = 999_999_999_999_999;
  const abroad = { currency: 'EUR', initial_risk: 1e-8 };
  const rows: Row[] = [
    { ...abroad, gross_pnl: most, fx_rate: 999_999_999_999 },
    { ...abroad, gross_pnl: -1e-8, fx_rate: 1e-12 },
    { ...abroad, gross_pnl: -most, fees: most, fx_rate: 999_999_999_999 },
    {
      gross_pnl: 1e-8,
      initial_risk: most,
      quantity: 5e-324,
      multiplier: 5e-324,
      entry_price: 5e-324,
      mae: -0,
    },
  ];
  rows.forEach((row, i) => {
    world.insert(
      'trades',
      tradeRow(`t${i}`, { ...row, executed_at: `2026-11-1${i}T10:00:00.000Z` }),
    );
  });
  const key = world.key();
  const { body } = await world.ask('/v1/trades', { key });
  expect(body.data.map((trade: any) => Number.isFinite(trade.r_multiple))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  for (const path of ['analytics/summary', 'summary', 'trades/t1', 'me']) {
    expect((await world.ask(`/v1/${path}`, { key })).status).toBe(200);
  }
  // The only findings are that the P&L differs from the prices.
  const problems = [...checkJournal(new Reader(world.db), fresh)].map(
    ({ problem }) => problem,
  );
  expect(problems.filter((problem) => !problem.startsWith('gross_pnl is'))).toEqual([]);
});

test('an infinite P&L that a fill states states nothing', async () => {
  const world = new World();
  world.insert('trades', tradeRow('t', { quantity: 1, gross_pnl: 10, fees: 0 }));
  const insert = world.db.prepare(
    `INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price, fees, stated_gross_pnl)
     SELECT user_id, id, @position, iif(@side = 'buy', executed_at, closed_at), @side, 1, @price, 0, @stated FROM trades`,
  );
  insert.run({ position: 0, side: 'buy', price: 100, stated: null });
  insert.run({ position: 1, side: 'sell', price: 110, stated: Infinity });
  const { status, body } = await world.ask('/v1/trades/t', { key: world.key() });
  expect(status).toBe(200);
  expect(body.data.executions[1].realised_pnl).toBe(10);
});

test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
  'the first and the last instant that the schema accepts, in %s',
  async (timezone) => {
    const world = new World({ timezone });
    for (const at of ['0001-01-01T00:00:00.000Z', '9998-12-31T23:59:59.999Z']) {
      for (const path of [
        'trades',
        'trade-groups',
        'sessions',
        'weekly-reviews',
        'missed-trades',
      ]) {
        addRecord(world, path, `${path}-${at.slice(0, 4)}`, at);
      }
      world.insert('trade_journals', {
        ...ROWS['trade-journals']!(at.slice(0, 4), at).row,
        trade_id: `trades-${at.slice(0, 4)}`,
      });
    }
    const key = world.key();
    for (const path of PATHS)
      expect((await world.ask(`/v1/${path}`, { key })).status).toBe(200);
    expect([...checkJournal(new Reader(world.db), fresh)]).toEqual([]);
  },
);

test('the schema cannot check time zones: with an invalid one the response is 503, and check continues', async () => {
  const world = new World();
  const key = world.key();
  for (const timezone of ['', 'Mars/Olympus', '+02:00', 'UTC\0', 'x'.repeat(10_000)]) {
    world.db.prepare('UPDATE users SET timezone = ?').run(timezone);
    for (const path of PATHS) {
      const { status, body } = await world.ask(`/v1/${path}`, { key });
      expect([status, body.code]).toEqual([503, 'journal_unavailable']);
    }
    expect([...checkJournal(new Reader(world.db), fresh)]).toHaveLength(1);
  }
});
