/** Worlds for keys with a lens: journals of only its visible data, journals that differ only in hidden data, and all responses to a key. */
import { Temporal } from 'temporal-polyfill';
import { askApp } from '../../src/http/client.ts';
import {
  ALL_DIMENSIONS,
  factsOfDimension,
} from '../../src/journal/analytics/dimensions.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { Api } from '../../src/mcp/api.ts';
import { readArguments } from '../../src/mcp/arguments.ts';
import { TOOLS } from '../../src/mcp/server.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import type { Row, World } from '../helpers.ts';

const COMPUTED = ['net_pnl', 'r_multiple', 'holding_seconds', 'risk'];
export const TABLES = [
  'trade_groups',
  'trades',
  'executions',
  'trade_journals',
  'group_journals',
  'sessions',
  'weekly_reviews',
  'missed_trades',
];

/** Copies the rows that a lens shows into another world, selected by simple comparisons. */
export function copyShown(
  from: World,
  to: World,
  { accounts, since }: Pick<Lens, 'accounts' | 'since'>,
  renamed = (_table: string, row: Row): Row => row,
): void {
  const all = new Map(
    TABLES.map((table) => [
      table,
      from.db.prepare(`SELECT * FROM ${table}`).all() as Row[],
    ]),
  );
  const rows = (table: string) => all.get(table) as Row[];
  const { timezone } = from.db.prepare('SELECT timezone FROM users').get() as {
    timezone: string;
  };
  const startOf = (day: string) =>
    new Date(
      Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds,
    ).toISOString();
  const first = since === null ? '' : startOf(since);
  const names = accounts?.map((name) => name.toLowerCase());
  const isShown = ({ account, executed_at }: Row) =>
    (executed_at as string) >= first &&
    (!names || names.includes(String(account ?? '\0').toLowerCase()));
  const trades = new Set(
    rows('trades')
      .filter(isShown)
      .map(({ id }) => id),
  );
  const legs = (group: Row) =>
    rows('trades').filter(({ group_id }) => group_id === group['id']);
  const shownLegs = (group: Row) =>
    legs(group).filter(({ id }) => trades.has(id as string));
  const groups = rows('trade_groups').filter(
    (group) => (accounts === null && since === null) || shownLegs(group).length > 0,
  );
  /** A group with hidden legs: the data of its visible legs, without figures and texts about all legs. */
  const isWhole = (group: Row) => shownLegs(group).length === legs(group).length;
  const ofLegs = (group: Row): Row => {
    if (isWhole(group)) return {};
    const some = shownLegs(group);
    const isOpen = some.some(({ closed_at }) => closed_at === null);
    const times = (name: string) => some.map((leg) => leg[name] as string).sort();
    const [first] = [...some].sort((a, b) =>
      `${a['executed_at']} ${a['id']}` < `${b['executed_at']} ${b['id']}` ? -1 : 1,
    ) as [Row];
    const fold = (text: unknown) => String(text ?? '\0').toLowerCase();
    const isOfLegs = some.some(({ symbol, underlying }) =>
      [fold(symbol), fold(underlying)].includes(fold(group['underlying'])),
    );
    return {
      status: isOpen ? 'open' : 'closed',
      opened_at: times('executed_at')[0] as string,
      closed_at: isOpen ? null : (times('closed_at').at(-1) as string),
      market: first['market'] as string,
      currency: first['currency'] as string,
      underlying: isOfLegs ? (group['underlying'] as string) : null,
      ...{
        name: '',
        strategy: null,
        initial_risk: null,
        tags: '[]',
        notes: null,
        fields: '{}',
      },
      ...{ setup: null, mistakes: '[]', rating: null, is_whole: 0 },
    };
  };
  const ofShown = ({ trade_id }: Row) => trades.has(trade_id as string);
  const shown: Record<string, Row[]> = {
    trade_groups: groups.map((group) => ({ ...group, ...ofLegs(group) })),
    trades: rows('trades').filter(isShown),
    executions: rows('executions').filter(ofShown),
    trade_journals: rows('trade_journals').filter(ofShown),
    group_journals: rows('group_journals').filter(({ group_id }) =>
      groups.some((group) => group['id'] === group_id && isWhole(group)),
    ),
    sessions: rows('sessions').filter(({ date }) => (date as string) >= (since ?? '')),
    weekly_reviews: rows('weekly_reviews')
      .filter(({ period_start }) => (period_start as string) >= (since ?? ''))
      .map((review) => ({
        ...review,
        best_trade_id: trades.has(review['best_trade_id'] as string)
          ? (review['best_trade_id'] as string)
          : null,
        worst_trade_id: trades.has(review['worst_trade_id'] as string)
          ? (review['worst_trade_id'] as string)
          : null,
      })),
    missed_trades: rows('missed_trades').filter(
      ({ missed_at }) => (missed_at as string) >= first,
    ),
  };
  for (const table of ['account_limits', 'imports', ...[...TABLES].reverse(), 'users'])
    to.db.exec(`DELETE FROM ${table}`);
  storeWhole(to);
  for (const table of ['users', 'imports'])
    insertAll(to, table, from.db.prepare(`SELECT * FROM ${table}`).all() as Row[]);
  const limits = from.db.prepare('SELECT * FROM account_limits').all() as Row[];
  shown['account_limits'] = limits.filter(
    ({ account }) => !names || names.includes(String(account).toLowerCase()),
  );
  for (const [table, records] of Object.entries(shown)) {
    insertAll(
      to,
      table,
      records
        .map((record) => renamed(table, record))
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).filter(
              ([name]) => !(table === 'trades' && COMPUTED.includes(name)),
            ),
          ),
        ),
    );
  }
}

/** Makes a column of a world without groups that can be written: whether a group has all its legs. */
function storeWhole({ db }: World): void {
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec(`UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER AS (1)', 'INTEGER DEFAULT 1')
    WHERE name = 'trade_groups'`);
  db.pragma('writable_schema = RESET');
  db.unsafeMode(false);
}

function insertAll(world: World, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    world.db.prepare(`INSERT INTO ${table} (${names}) VALUES (${values})`).run(row);
  }
}

/** Limits of accounts. @param since the first day; earlier than that of a key, the key shows none */
export function addLimits(world: World, since: string | null): void {
  const line = {
    id: 1,
    imported_at: '2026-01-02T00:00:00.000Z',
    file: 'limits set',
    format: 'limits',
  };
  world.db.exec('DELETE FROM account_limits; DELETE FROM imports');
  world.insert('imports', {
    ...line,
    resource: 'limits',
    rows: 2,
    fills: 0,
    records: 0,
    trades: 0,
  });
  const rules = {
    import_id: 1,
    balance: 5000,
    target: 300,
    best_day: 0.5,
    min_days: 2,
    min_day_profit: 10,
    since,
  };
  world.insert('account_limits', {
    ...rules,
    account: 'Main',
    max_loss: 800,
    trailing: 'intraday',
    daily_loss: null,
  });
  world.insert('account_limits', {
    ...rules,
    account: 'other',
    max_loss: 90,
    trailing: 'eod',
    daily_loss: 40,
  });
}

/** Entries with texts, reviews, fills and limits, which random journals lack. */
export function addNotes(world: World, say = (what: string) => what): void {
  addLimits(world, null);
  const trades = world.db
    .prepare(
      `SELECT id, executed_at, (SELECT count(*) FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id) AS fills
       FROM trades AS t ORDER BY executed_at, id`,
    )
    .all() as Row[];
  const groups = world.db.prepare('SELECT id FROM trade_groups').all() as Row[];
  for (const [i, { id, executed_at, fills }] of trades.entries()) {
    const day = (executed_at as string).slice(0, 10);
    if (fills === 0)
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
    world.insert('sessions', {
      ...{ id: `day${i}`, date: day, plan: say(`plan ${i}`), mood: 'calm' },
      fields: JSON.stringify({ vix: i, confluence: 'of the day' }),
    });
  }
  world.db.exec(`UPDATE trades SET fields = '{"confluence":' || (length(id) % 3) || '}'
    WHERE quantity > 1; UPDATE trade_groups SET fields = '{"confluence":1,"phase":"of the group"}'`);
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

/** Of cash flows: lens-cash.test.ts. */
export const LISTS = RESOURCES.map(({ path }) => path).filter(
  (path) => path !== 'cash-flows',
);
const SECTIONS =
  'performance,daily,breakdowns,previous,open,mistakes,rules,missed,data_quality,leaks,simulation,exits,limits,realised_steps';

/** One or more requests of each kind. */
export const PATHS = [
  ...LISTS.flatMap((list) => [
    `/v1/${list}?limit=2`,
    `/v1/${list}?limit=3&order=asc`,
    `/v1/${list}?q=words`,
  ]),
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
  ...['symbol=AAPL', 'underlying=es', 'status=open'].map(
    (filter) => `/v1/trade-groups?${filter}`,
  ),
  ...['closed_at', 'net_pnl', 'r_multiple'].map(
    (sort) => `/v1/positions?limit=2&sort=${sort}`,
  ),
  ...[
    'account=main',
    'symbol=aapl',
    'underlying=es',
    'setup=nothing',
    'mistake=chased',
    'has_journal=true',
    'has_stop=true',
    'side=long',
    'outcome=win',
    'group_id=g',
    'kind=trade',
    'id=g',
  ].map((filter) => `/v1/positions?${filter}`),
  '/v1/journal-rows?symbol=es',
  '/v1/trades?start=2001-01-01&end=2001-02-01',
  '/v1/trades?updated_since=2001-01-01&limit=2',
  '/v1/trades?where={"account":"main"}&limit=2',
  '/v1/trades?where={"after":"losses"}&sort=closed_at&limit=2',
  '/v1/analytics/summary?where={"id":["a","A","t1"]}&sections=performance',
  '/v1/trades?where=[{"size":"under_half"},{"emotion":"FEAR"}]&sort=r_multiple&limit=3',
  '/v1/labels',
  ...['miss_type', 'emotion,symbol', 'setup,tag', 'market,side'].map(
    (by) => `/v1/analytics/missed-trades?group_by=${by}`,
  ),
  '/v1/summary?period=365d',
  '/v1/summary?period=30d&unit=position',
  `/v1/analytics/summary?sections=${SECTIONS}`,
  `/v1/analytics/summary?sections=${SECTIONS}&unit=position`,
  '/v1/analytics/summary?account=nobody&top=2',
  '/v1/analytics/summary?period=1y&where={"account":"main"}&best=2',
  // A key that hides texts can't ask for those that reveal them.
  ...ALL_DIMENSIONS.filter((by) => factsOfDimension(by).reveals === undefined).flatMap(
    (by) =>
      ['trade', 'position'].map(
        (unit) => `/v1/analytics/summary?sections=groups&group_by=${by}&unit=${unit}`,
      ),
  ),
];

/** Of texts and fields that the trader named: refused for a key that hides texts. */
export const FIELD_PATHS = [
  ...['trades', 'positions', 'analytics/summary'].map((path) => `/v1/${path}?text=words`),
  '/v1/trades?field=confluence:1',
  '/v1/trades?field=confluence:of%20the%20Day&fields=fields.confluence',
  '/v1/trades?where={"field:vix":{"min":1}}',
  ...['confluence', 'vix', 'phase'].flatMap((name) =>
    ['trade', 'position'].map(
      (unit) =>
        `/v1/analytics/summary?sections=groups&group_by=field:${name}&unit=${unit}`,
    ),
  ),
  '/v1/analytics/summary?sections=leaks&leaks=fields',
];

/** The body without parts that differ between requests; cursors of a key with a lens are encrypted, and pages() below follows them. */
export async function answer(
  world: World,
  path: string,
  key: string,
  lens = false,
): Promise<unknown> {
  const { status, body } = await world.ask(path, { key, lens });
  const { request_id: _, ...rest } = body;
  if (rest.pagination) rest.pagination.next_cursor = rest.pagination.next_cursor !== null;
  return [status, rest];
}

/** Of a part of the journal there is no return on its starting balance, for one reason in all. */
export function withoutReturn(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, of) =>
    name === 'return' && of.rests_on === 'journal' ? null : of,
  );
}

/** Returns in a body that rest on the whole journal: a key that sees a part gets none. */
export function journalReturns(value: unknown): unknown[] {
  const found: unknown[] = [];
  JSON.parse(JSON.stringify(value), (name, of) => {
    if (name === 'return' && of.rests_on === 'journal') found.push(of.time_weighted);
    return of;
  });
  return found.filter((timeWeighted) => timeWeighted !== null);
}

/** All pages, starting with the first. */
export async function pages(
  world: World,
  path: string,
  key: string,
  lens = false,
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor = ''; found.length < 60; ) {
    const { status, body } = await world.ask(`${path}${cursor}`, { key, lens });
    found.push([status, body.data, body.hint, body.pagination?.has_more]);
    if (!body.pagination?.has_more) break;
    cursor = `&cursor=${body.pagination.next_cursor}`;
  }
  return found;
}

/** All texts of the trader, replaced: another length, other words. */
export function rewriteTexts(world: World, word: string): void {
  const say = (columns: readonly string[]) =>
    columns.map(
      (column) => `${column} = '${word} ' || coalesce(${column}, '') || ' ${word}'`,
    );
  const entry = [
    ...say(['title', 'body', 'went_well', 'went_wrong', 'lesson']),
    `attachments = '[{"url":"https://${word}.example/","caption":"${word}"}]'`,
  ];
  const fields = `fields = '{"${word.slice(0, 4)}":"${word}","confluence":${word.length}}'`;
  const goals = `goals = '[{"text":"${word}","met":${word.length % 2 === 0}}]'`;
  for (const [table, changes] of Object.entries({
    users: say(['name']),
    trades: [...say(['notes', 'source']), fields],
    trade_groups: [...say(['name', 'notes']), fields],
    trade_journals: entry,
    group_journals: entry,
    sessions: [
      ...say(['name', 'plan', 'notes']),
      goals,
      fields,
      `market_context = '{"bias":"${word}","condition":null,"key_levels":[{"symbol":null,"price":${word.length},"kind":null,"note":"${word}"}],"news":["${word}"],"notes":null}'`,
      `review = json_set(coalesce(review, '{"mistakes":[]}'), '$.lesson', '${word}', '$.went_well', '${word}')`,
    ],
    weekly_reviews: [
      ...say(['summary', 'went_well', 'lesson', 'focus']),
      goals,
      fields,
      `next_goals = '["${word}"]'`,
    ],
    missed_trades: say(['reason', 'lesson', 'notes']),
  })) {
    world.db.exec(
      `UPDATE ${table} SET ${changes}, updated_at = '2026-01-01T00:00:00.000Z'`,
    );
  }
}

/**
 * Every amount, quantity, balance and fee times a factor: a large power of two, so that rounding to 8 decimals doesn't change. Results,
 * rates, entries and stops become eighths, whose sums are exact: else binary noise such as 3 * 1.1 - 3.3 would be 0 or not by the factor.
 */
export function scale(world: World, factor: number): void {
  world.db.exec(`UPDATE trades SET gross_pnl = round(gross_pnl * 8) / 8, fees = round(fees * 8) / 8,
    fx_rate = max(round(fx_rate * 8) / 8, 0.125), entry_price = max(round(entry_price * 8) / 8, 0.125),
    stop_loss = max(round(stop_loss * 8) / 8, 0.125), updated_at = '2026-01-01T00:00:00.000Z'`);
  for (const [table, columns] of Object.entries({
    users: ['starting_balance', 'breakeven_tolerance'],
    trades: [
      'quantity',
      'open_quantity',
      'gross_pnl',
      'fees',
      'initial_risk',
      'mae',
      'mfe',
      'mae_bound',
      'mfe_bound',
    ],
    executions: ['quantity', 'fees'],
    trade_groups: ['initial_risk'],
    missed_trades: ['planned_quantity', 'hypothetical_pnl'],
    account_limits: ['balance', 'max_loss', 'daily_loss', 'target', 'min_day_profit'],
  })) {
    const touched = ['executions', 'account_limits'].includes(table)
      ? ''
      : ", updated_at = '2026-01-01T00:00:00.000Z'";
    world.db.exec(
      `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} * ${factor}`)}${touched}`,
    );
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

/** All data that a key can see, including headers and tools. */
export async function everything(
  world: World,
  key: string,
  ids: readonly string[],
): Promise<string[]> {
  const seen: string[] = [];
  const paths = [
    ...PATHS,
    ...FIELD_PATHS,
    '/v1/me',
    ...ids.map((id) => `/v1/trades/${id}`),
    '/v1/trades?fields=id,notes',
    '/v1/trades?fields=net_pnl',
  ];
  for (const path of paths) {
    const headers = { 'x-request-id': 'same' };
    const {
      status,
      text,
      headers: sent,
    } = await world.ask(path, { key, headers, lens: true });
    seen.push(
      JSON.stringify([
        path,
        status,
        text,
        [...sent].filter(([name]) => name !== 'ratelimit'),
      ]),
    );
  }
  const ask = askApp(world.app, {
    Authorization: `Bearer ${key}`,
    'x-request-id': 'same',
  });
  const api = new Api(ask, () => world.now);
  for (const [name, given] of TOOL_CALLS) {
    const tool = TOOLS.find((candidate) => candidate.name === name) as Tool;
    const answer = await Promise.resolve()
      .then(() =>
        tool.call(readArguments(tool.input(ALL_SCOPES), given, name) as never, api),
      )
      .catch((error: Error) => String(error));
    seen.push(JSON.stringify([name, given, answer]));
  }
  return seen;
}

export const hidden = (hides: Lens['hides']): Lens => ({
  accounts: null,
  since: null,
  hides,
});
