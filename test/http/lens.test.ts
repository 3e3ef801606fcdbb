/** What a key with a lens shows: what a journal would that holds nothing else, byte for byte. */
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { askApp } from '../../src/http/client.ts';
import { ALL_DIMENSIONS } from '../../src/journal/analytics/dimensions.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { Api } from '../../src/mcp/api.ts';
import { readArguments } from '../../src/mcp/arguments.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { TOOLS } from '../../src/mcp/tools/index.ts';
import { type Row, tradeRow, World } from '../helpers.ts';
import { filler } from '../journal/analytics/fill.ts';
import { question } from '../journal/analytics/journals.ts';
import { runs } from '../runs.ts';

const COMPUTED = ['net_pnl', 'r_multiple', 'holding_seconds', 'risk'];
const TABLES = [
  'trade_groups',
  'trades',
  'executions',
  'trade_journals',
  'group_journals',
  'sessions',
  'weekly_reviews',
  'missed_trades',
];

/** Puts into a world the rows of another that a lens shows, chosen by plain comparisons. */
function copyShown(from: World, to: World, { accounts, since }: Lens): void {
  const all = new Map(TABLES.map((table) => [table, from.db.prepare(`SELECT * FROM ${table}`).all() as Row[]]));
  const rows = (table: string) => all.get(table) as Row[];
  const { timezone } = from.db.prepare('SELECT timezone FROM users').get() as { timezone: string };
  const startOf = (day: string) =>
    new Date(Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds).toISOString();
  const first = since === null ? '' : startOf(since);
  const names = accounts?.map((name) => name.toLowerCase());
  const isShown = ({ account, executed_at }: Row) =>
    (executed_at as string) >= first && (!names || names.includes(String(account ?? '\0').toLowerCase()));
  const trades = new Set(
    rows('trades')
      .filter(isShown)
      .map(({ id }) => id),
  );
  const legs = (group: Row) => rows('trades').filter(({ group_id }) => group_id === group['id']);
  const shownLegs = (group: Row) => legs(group).filter(({ id }) => trades.has(id as string));
  const groups = rows('trade_groups').filter((group) => shownLegs(group).length > 0);
  /** Of some legs without the others: their dates, and no risk, which is that of all. */
  const ofLegs = (group: Row): Row => {
    const some = shownLegs(group);
    if (some.length === legs(group).length) return {};
    const isOpen = some.some(({ closed_at }) => closed_at === null);
    const [opened_at = null] = some.map(({ executed_at }) => executed_at as string).sort();
    const closed_at = isOpen
      ? null
      : (some
          .map((leg) => leg['closed_at'] as string)
          .sort()
          .at(-1) as string);
    return { status: isOpen ? 'open' : 'closed', opened_at, closed_at, initial_risk: null };
  };
  const ofShown = ({ trade_id }: Row) => trades.has(trade_id as string);
  const shown: Record<string, Row[]> = {
    trade_groups: groups.map((group) => ({ ...group, ...ofLegs(group) })),
    trades: rows('trades').filter(isShown),
    executions: rows('executions').filter(ofShown),
    trade_journals: rows('trade_journals').filter(ofShown),
    group_journals: rows('group_journals').filter(({ group_id }) => groups.some(({ id }) => id === group_id)),
    sessions: rows('sessions').filter(({ date }) => (date as string) >= (since ?? '')),
    weekly_reviews: rows('weekly_reviews')
      .filter(({ period_start }) => (period_start as string) >= (since ?? ''))
      .map((review) => ({
        ...review,
        best_trade_id: trades.has(review['best_trade_id'] as string) ? (review['best_trade_id'] as string) : null,
        worst_trade_id: trades.has(review['worst_trade_id'] as string) ? (review['worst_trade_id'] as string) : null,
      })),
    missed_trades: rows('missed_trades').filter(({ missed_at }) => (missed_at as string) >= first),
  };
  for (const table of [...TABLES].reverse()) to.db.exec(`DELETE FROM ${table}`);
  to.db.exec('DELETE FROM users');
  insertAll(to, 'users', from.db.prepare('SELECT * FROM users').all() as Row[]);
  for (const [table, records] of Object.entries(shown)) {
    insertAll(
      to,
      table,
      records.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !(table === 'trades' && COMPUTED.includes(name)))),
      ),
    );
  }
}

function insertAll(world: World, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    world.db.prepare(`INSERT INTO ${table} (${names}) VALUES (${values})`).run(row);
  }
}

/** Entries with words, reviews, fills: what random journals have not. */
function addNotes(world: World, say = (what: string) => what): void {
  const trades = world.db.prepare('SELECT id, executed_at FROM trades ORDER BY executed_at, id').all() as Row[];
  const groups = world.db.prepare('SELECT id FROM trade_groups').all() as Row[];
  for (const [i, { id, executed_at }] of trades.entries()) {
    const day = (executed_at as string).slice(0, 10);
    world.insert('executions', {
      trade_id: id as string,
      position: 0,
      executed_at: executed_at as string,
      side: 'buy',
      quantity: 1,
      price: i,
    });
    world.insert('trade_journals', {
      ...{
        id: `n${i}`,
        trade_id: id as string,
        phase: 'during',
        body: say(`words on ${id}`),
        emotions: '["fear"]',
        tags: '["x"]',
      },
      created_at: executed_at as string,
    });
    if (i % 3 > 0) continue;
    const other = trades[(i * 7) % trades.length]?.['id'] as string;
    world.insert('weekly_reviews', {
      id: `w${i}`,
      period_start: day,
      period_end: day,
      best_trade_id: id as string,
      worst_trade_id: other,
    });
    world.insert('sessions', { id: `day${i}`, date: day, plan: say(`plan ${i}`), mood: 'calm' });
  }
  for (const [i, { id }] of groups.entries()) {
    world.insert('group_journals', {
      id: `gn${i}`,
      group_id: id as string,
      phase: 'review',
      body: say(`group ${id}`),
      created_at: '2026-01-01T00:00:00.000Z',
    });
  }
}

const LISTS = [
  'trades',
  'trade-groups',
  'journal-rows',
  'trade-journals',
  'group-journals',
  'sessions',
  'weekly-reviews',
  'missed-trades',
];
const SECTIONS = 'performance,daily,breakdowns,previous,open,mistakes,rules,missed,data_quality,leaks,simulation,exits';

/** Of every kind of question one or more. */
const PATHS = [
  ...LISTS.flatMap((list) => [`/v1/${list}?limit=2`, `/v1/${list}?limit=3&order=asc`, `/v1/${list}?q=words`]),
  ...['closed_at', 'net_pnl', 'net_pnl_base', 'r_multiple', 'holding_seconds'].map(
    (sort) => `/v1/trades?limit=2&sort=${sort}`,
  ),
  ...[
    'account=main',
    'account=other',
    'symbol=aapl',
    'setup=nothing',
    'has_mistake=true',
    'mistake=chased',
    'group_id=g',
    'underlying=es',
  ].map((filter) => `/v1/trades?${filter}`),
  ...['symbol=AAPL', 'underlying=es', 'status=open'].map((filter) => `/v1/trade-groups?${filter}`),
  '/v1/journal-rows?symbol=es',
  '/v1/trades?start=2001-01-01&end=2001-02-01',
  '/v1/labels',
  '/v1/summary?period=365d',
  '/v1/summary?period=30d&unit=position',
  `/v1/analytics/summary?sections=${SECTIONS}`,
  `/v1/analytics/summary?sections=${SECTIONS}&unit=position`,
  '/v1/analytics/summary?account=nobody&top=2',
  '/v1/analytics/summary?period=1y&where={"account":"main"}&best=2',
  ...ALL_DIMENSIONS.flatMap((by) =>
    ['trade', 'position'].map((unit) => `/v1/analytics/summary?sections=groups&group_by=${by}&unit=${unit}`),
  ),
];

/** The body without what differs from request to request; cursors of a key with a lens are encrypted, and followed by pages below. */
async function answer(world: World, path: string, key: string): Promise<unknown> {
  const { status, body } = await world.ask(path, { key });
  const { request_id: _, ...rest } = body;
  if (rest.pagination) rest.pagination.next_cursor = rest.pagination.next_cursor !== null;
  return [status, rest];
}

/** All pages from the first on. */
async function pages(world: World, path: string, key: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor = ''; found.length < 60; ) {
    const { status, body } = await world.ask(`${path}${cursor}`, { key });
    found.push([status, body.data, body.hint, body.pagination?.has_more]);
    if (!body.pagination?.has_more) break;
    cursor = `&cursor=${body.pagination.next_cursor}`;
  }
  return found;
}

const lens: fc.Arbitrary<Lens & { sinceTrade: number | null }> = fc.record({
  accounts: fc.constantFrom(null, ['main'], ['MAIN', 'other'], ['nobody']),
  since: fc.constant(null),
  hides: fc.constant([]),
  sinceTrade: fc.constantFrom(null, 0, 0.3, 0.6, 0.9),
});

test('accounts and since: every answer is that of a journal that holds nothing else', async () => {
  const world = new World();
  const other = new World();
  const whole = other.key();
  const fill = filler(world);
  let n = 0;
  await fc.assert(
    fc.asyncProperty(question, lens, async ({ journal, now }, { accounts, sinceTrade }) => {
      fill(journal);
      addNotes(world);
      const times = journal.trades.map(({ executed_at }) => executed_at).sort();
      const at = sinceTrade === null ? undefined : times[Math.floor(sinceTrade * times.length)];
      const shown = { accounts, since: at?.slice(0, 10) ?? null, hides: [] };
      if (accounts === null && shown.since === null) return;
      copyShown(world, other, shown);
      world.now = now;
      other.now = now;
      const key = world.key(undefined, 'me', `key_${n++}`, shown);
      for (const path of PATHS) {
        expect([path, await answer(world, path, key)]).toEqual([path, await answer(other, path, whole)]);
      }
      for (const list of LISTS) {
        const path = `/v1/${list}?limit=1`;
        expect(await pages(world, path, key)).toEqual(await pages(other, path, whole));
      }
      const extentOf = async (of: World, key: string) => (await of.ask('/v1/me', { key })).body.data.extent;
      expect(await extentOf(world, key)).toEqual(await extentOf(other, whole));
      for (const { id } of journal.trades) {
        const path = `/v1/trades/${id}`;
        expect([path, await answer(world, path, key)]).toEqual([path, await answer(other, path, whole)]);
      }
    }),
    { numRuns: runs(60, 5) },
  );
}, 300_000);

/** Everything that is a text of its own, rewritten: another length, other words. */
function rewriteTexts(world: World, word: string): void {
  const say = (columns: readonly string[]) =>
    columns.map((column) => `${column} = '${word} ' || coalesce(${column}, '') || ' ${word}'`);
  const entry = [
    ...say(['title', 'body', 'went_well', 'went_wrong', 'lesson']),
    `attachments = '[{"url":"https://${word}.example/","caption":"${word}"}]'`,
  ];
  const goals = `goals = '[{"text":"${word}","met":${word.length % 2 === 0}}]'`;
  for (const [table, changes] of Object.entries({
    users: say(['name']),
    trades: say(['notes', 'source']),
    trade_groups: say(['name', 'notes']),
    trade_journals: entry,
    group_journals: entry,
    sessions: [
      ...say(['name', 'plan', 'notes']),
      goals,
      `market_context = '{"bias":"${word}","condition":null,"key_levels":[{"symbol":null,"price":${word.length},"kind":null,"note":"${word}"}],"news":["${word}"],"notes":null}'`,
      `review = json_set(coalesce(review, '{"mistakes":[]}'), '$.lesson', '${word}', '$.went_well', '${word}')`,
    ],
    weekly_reviews: [...say(['summary', 'went_well', 'lesson', 'focus']), goals, `next_goals = '["${word}"]'`],
    missed_trades: say(['reason', 'lesson', 'notes']),
  })) {
    world.db.exec(`UPDATE ${table} SET ${changes}, updated_at = '2026-01-01T00:00:00.000Z'`);
  }
}

/** Every amount, quantity, balance and fee times a factor; it is a power of two, and a large one, so that no figure is rounded elsewhere: money has 8 decimals. */
function scale(world: World, factor: number): void {
  for (const [table, columns] of Object.entries({
    users: ['starting_balance', 'breakeven_tolerance'],
    trades: ['quantity', 'open_quantity', 'gross_pnl', 'fees', 'initial_risk', 'mae', 'mfe'],
    executions: ['quantity', 'fees'],
    trade_groups: ['initial_risk'],
    missed_trades: ['planned_quantity', 'hypothetical_pnl'],
  })) {
    const touched = table === 'executions' ? '' : ", updated_at = '2026-01-01T00:00:00.000Z'";
    world.db.exec(`UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} * ${factor}`)}${touched}`);
  }
}

const TOOL_CALLS: readonly [string, object][] = [
  ['journal_summary', {}],
  ['analyze_performance', { period: 'all' }],
  ['analyze_performance', { sections: ['leaks', 'simulation', 'exits'] }],
  ['analyze_performance', { group_by: 'setup,weekday', top: 2 }],
  ['analyze_performance', { group_by: 'day' }],
  ['analyze_performance', { group_by: 'symbol', sort: 'worst' }],
  ['analyze_performance', { best: 3 }],
  ['find_trades', { limit: 3 }],
  ['find_trades', { sort: 'net_pnl' }],
  ['find_trades', { q: 'words' }],
  ['find_trades', { detail: 'full' }],
  ['find_trades', { min_net_pnl: 3 }],
  ['get_trade', { id: 't1' }],
  ['get_trade', { id: 'g', detail: 'full' }],
  ['read_notes', {}],
  ['read_notes', { q: 'words' }],
  ['read_notes', { kind: 'sessions', detail: 'full' }],
];

/** All that a key gets to see, headers and tools included. */
async function everything(world: World, key: string, ids: readonly string[]): Promise<string[]> {
  const seen: string[] = [];
  const paths = [
    ...PATHS,
    '/v1/me',
    ...ids.map((id) => `/v1/trades/${id}`),
    '/v1/trades?fields=id,notes',
    '/v1/trades?fields=net_pnl',
  ];
  for (const path of paths) {
    const headers = { 'x-request-id': 'same' };
    const { status, text, headers: sent } = await world.ask(path, { key, headers, lens: true });
    seen.push(JSON.stringify([path, status, text, [...sent].filter(([name]) => name !== 'ratelimit')]));
  }
  const ask = askApp(world.app, {
    Authorization: `Bearer ${key}`,
    'x-request-id': 'same',
  });
  const api = new Api(ask, () => world.now);
  for (const [name, given] of TOOL_CALLS) {
    const tool = TOOLS.find((candidate) => candidate.name === name) as Tool;
    const answer = await Promise.resolve()
      .then(() => tool.call(readArguments(tool.input(ALL_SCOPES), given, name) as never, api))
      .catch((error: Error) => String(error));
    seen.push(JSON.stringify([name, given, answer]));
  }
  return seen;
}

const hidden = (hides: Lens['hides']): Lens => ({ accounts: null, since: null, hides });

test.each<[string, Lens['hides'], (world: World, which: number) => void]>([
  ['texts', ['texts'], (world, which) => rewriteTexts(world, which === 0 ? 'zqxj' : 'wvbkp longer')],
  ['amounts', ['money'], (world, which) => scale(world, which === 0 ? 2 ** 20 : 2 ** 26)],
])(
  '%s hidden: two journals that differ only in these give the same bytes, everywhere',
  async (_title, hides, change) => {
    const worlds = [new World(), new World()];
    // A change of a record is no difference in what it says.
    for (const { db } of worlds)
      for (const table of [...TABLES.filter((name) => name !== 'executions'), 'users'])
        db.exec(`DROP TRIGGER ${table}_touch`);
    const fills = worlds.map(filler);
    const keys = worlds.map((world) => world.key(undefined, 'me', 'key_same', hidden(hides)));
    const full = worlds.map((world) => world.key());
    await fc.assert(
      fc.asyncProperty(question, async ({ journal, now }) => {
        const ids = journal.trades.slice(0, 3).map(({ id }) => id);
        const seen: string[][] = [];
        const whole: string[][] = [];
        for (const [i, world] of worlds.entries()) {
          fills[i]?.(journal);
          addNotes(world);
          for (const table of TABLES.slice(3).concat('trades', 'trade_groups', 'users'))
            world.db.exec(
              `UPDATE ${table} SET created_at = '2026-01-01T00:00:00.000Z', updated_at = '2026-01-01T00:00:00.000Z'`,
            );
          change(world, i);
          world.now = now;
          seen.push(await everything(world, keys[i] as string, ids));
          whole.push(await everything(world, full[i] as string, ids));
        }
        const differing = seen[0]?.findIndex((one, i) => one !== seen[1]?.[i]) as number;
        expect(seen[1]?.[differing]).toEqual(seen[0]?.[differing]);
        // Or nothing would have been tried.
        if (journal.trades.some(({ gross_pnl }) => gross_pnl !== 0)) expect(whole[1]).not.toEqual(whole[0]);
      }),
      { numRuns: runs(40, 3) },
    );
  },
  1_500_000,
);

test('amounts hidden: how long they are decides nothing, not even which texts of the summary are cut', async () => {
  const worlds = [new World(), new World()];
  const keys = worlds.map((world) => world.key(undefined, 'me', 'key_same', hidden(['money'])));
  for (const [i, world] of worlds.entries()) {
    for (let n = 0; n < 8; n++) {
      world.insert('trades', tradeRow(`t${n}`, { symbol: `S${n}`, setup: `s${n}`, gross_pnl: n % 3 === 0 ? -3 : 2 }));
      world.insert('trade_journals', {
        ...{ id: `n${n}`, trade_id: `t${n}`, phase: 'during', body: '', lesson: '' },
        created_at: `2026-11-1${n}T15:00:00.000Z`,
      });
      world.insert('weekly_reviews', { id: `w${n}`, period_start: `2026-11-1${n}`, period_end: `2026-11-1${n}` });
    }
    scale(world, i === 0 ? 1 : 2 ** 30);
  }
  let isCut = false;
  for (let length = 100; length <= 240; length += 4) {
    const texts: string[] = [];
    for (const [i, world] of worlds.entries()) {
      const text = 'x '.repeat(length / 2);
      world.db.prepare('UPDATE trade_journals SET title = @text, body = @text, lesson = @text').run({ text });
      world.db.prepare('UPDATE weekly_reviews SET summary = @text, lesson = @text, focus = @text').run({ text });
      const { body } = await world.ask('/v1/summary', { key: keys[i] as string, lens: true });
      texts.push(JSON.stringify(body.data));
      isCut ||= body.data.recent_journals[0].excerpt.length < length - 20;
    }
    expect([length, texts[1]]).toEqual([length, texts[0]]);
  }
  expect(isCut).toBe(true);
}, 60_000);

test('amounts hidden: a cursor tells nothing of the R it goes on from, whose digits are a fraction of amounts', async () => {
  const world = new World();
  for (const n of [1, 2, 3, 4])
    world.insert('trades', tradeRow(`t${n}`, { gross_pnl: 1234.56 * n, initial_risk: 789.13 }));
  const digits = String((1234.56 * 4) / 789.13);
  const path = '/v1/trades?sort=r_multiple&limit=1';
  const cursorFor = async (key: string) => (await world.ask(path, { key, lens: true })).body.pagination.next_cursor;
  const isTold = (cursor: string) => Buffer.from(cursor, 'base64url').toString('latin1').includes(digits.slice(0, 12));
  const [full, key] = [world.key(), world.key(undefined, 'me', 'key_hides', hidden(['money']))];
  expect([isTold(await cursorFor(full)), isTold(await cursorFor(key))]).toEqual([true, false]);
  const ids: string[] = [];
  for (let next = path; next !== ''; ) {
    const { body } = await world.ask(next, { key, lens: true });
    ids.push(body.data[0].id);
    const { next_cursor: cursor } = body.pagination;
    next = cursor === null ? '' : `${path}&cursor=${cursor}`;
  }
  expect(ids).toEqual(['t4', 't3', 't2', 't1']);
  const cursor = await cursorFor(key);
  const changed = [
    `${cursor}A`,
    `A${cursor}`,
    cursor.replace('.', ''),
    `.${cursor.split('.')[1]}`,
    cursor.split('.')[0],
  ];
  for (const wrong of [...changed, await cursorFor(full)]) {
    const { status, body } = await world.ask(`${path}&cursor=${wrong}`, { key, lens: true });
    expect([wrong, status, body.code]).toEqual([wrong, 400, 'invalid_cursor']);
  }
});
