/** Arguments and answers of the tools. */
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ALL_DIMENSIONS } from '../../src/journal/analytics/dimensions.ts';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { TOOLS } from '../../src/mcp/server.ts';
import { description } from '../description.ts';
import { DAY, NOW, tradeRow, type World } from '../helpers.ts';
import {
  type AnyClient,
  call,
  connectOverHttp,
  mcpWorld,
  serveMcpOverHttp,
} from './connect.ts';

let world: World;
let client: AnyClient;

beforeEach(async () => {
  world = mcpWorld({ timezone: 'America/New_York' });
  client = await connectOverHttp(
    '2.4, pinned to 2026-07-28',
    await serveMcpOverHttp(world),
    world.key(),
  );
});

const at = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString();
const closed = (id: string, daysAgo: number, more = {}) =>
  tradeRow(id, { executed_at: at(daysAgo), closed_at: at(daysAgo), ...more });
const idsOf = ({ columns, rows }: { columns: string[]; rows: string[][] }) =>
  rows.map((row) => row[columns.indexOf('id')]);

describe('arguments', () => {
  test.each([
    ['journal_summary', { days: 7 }, /^unknown argument "days"; did you mean period\?$/],
    [
      'find_trades',
      { ticker: 'AAPL', symbl: 'x' },
      /unknown argument "ticker"; did you mean symbol\?; unknown argument "symbl"; did you mean symbol\?$/,
    ],
    [
      'get_trade',
      { id: 't', colour: 'red' },
      /unknown argument "colour"; get_trade takes id, kind, detail, pictures$/,
    ],
    [
      'find_trades',
      { side: 'up' },
      /^side: "up" is not one of the choices; choices: long, short, credit, debit$/,
    ],
    [
      'find_trades',
      { market: 'futurs' },
      /^market: "futurs" is not one of the choices; did you mean future\?/,
    ],
    [
      'analyze_performance',
      { group_by: ['weekdy'] },
      /^group_by.0: "weekdy" is not .*; did you mean weekday\?$/,
    ],
    [
      'analyze_performance',
      { where: { weekdy: 5 } },
      /^unknown dimension "weekdy"; did you mean weekday\?$/,
    ],
    ['analyze_performance', { exclude: { weekday: 'Blue' } }, /has no weekday "Blue"/],
    [
      'analyze_performance',
      { exclude: 'Fridays' },
      /exclude must be an object of dimensions/,
    ],
    ['analyze_performance', { detail: 'full' }, /unknown argument "detail"/],
    ['read_notes', { cursor: 'x' }, /send the same kind again/],
    [
      'read_notes',
      { kind: 'sessions', emotion: 'calm' },
      /sessions have no filter emotion; filters: tag$/,
    ],
    ['find_trades', { limit: 51 }, /^limit: /],
    ['find_trades', { limit: 'five' }, /^limit: /],
    [
      'find_trades',
      { period: '7d', start: '2026-11-01' },
      /either period or start and end/,
    ],
    [
      'find_trades',
      { period: 'lastmonth' },
      /unknown period "lastmonth"; did you mean last_month\?/,
    ],
    [
      'find_trades',
      { start: '2026-13-01' },
      /^invalid_parameter: start must be a valid date/,
    ],
    ['find_trades', { cursor: 'x' }, /^invalid_cursor/],
    ['get_trade', {}, /^id: /],
    ['get_trade', { id: 'nothing' }, /^not_found/],
    ['get_trade', { id: '../me' }, /^not_found/],
    [
      'read_notes',
      { kind: 'reviews', symbol: 'AAPL' },
      /reviews have no filter symbol; filters: none/,
    ],
    ['read_notes', { kind: 'journal_rows' }, /^kind: .*; did you mean journals\?/],
  ])('%s %j', async (name, given, message) => {
    await expect(call(client, name, given)).rejects.toThrow(message);
  });

  test('an invalid week', async () => {
    const asked = client.getPrompt({
      name: 'weekly_review',
      arguments: { week_of: 'monday' },
    });
    await expect(asked).rejects.toThrow(/week_of takes a day such as/);
    const unknown = client.getPrompt({
      name: 'weekly_review',
      arguments: { week: '2026-11-18' },
    });
    await expect(unknown).rejects.toThrow(
      /unknown argument "week"; did you mean week_of/,
    );
  });
});

test('arguments of the tools match parameters of the API, choice by choice', () => {
  const parametersOf = (path: string) =>
    new Map<string, any>(
      description.paths[path].get.parameters.map((one: any) => [one.name, one.schema]),
    );
  const inputOf = (name: string) => {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    return Object.entries<any>(
      z.toJSONSchema(tool!.input(ALL_SCOPES), { io: 'input' }).properties ?? {},
    );
  };
  // Arguments that only tools have; over HTTP conditions are JSON in a text.
  const toolOnly = new Set([
    'detail',
    'kind',
    'miss_type',
    'notes',
    'period',
    'where',
    'exclude',
    'sections',
  ]);
  for (const [name, path] of [
    ['find_trades', '/v1/trades'],
    ['analyze_performance', '/v1/analytics/summary'],
  ] as const) {
    const missed = parametersOf('/v1/analytics/missed-trades');
    const parameters = new Map([...missed, ...parametersOf(path)]);
    for (const [argument, { enum: choices, type, items }] of inputOf(name)) {
      // The unit of find_trades chooses the list.
      const isOfTool = argument === (name === 'find_trades' ? 'unit' : 'sort');
      if (toolOnly.has(argument) || isOfTool) continue;
      const schema = parameters.get(argument);
      expect([name, argument, schema !== undefined]).toEqual([name, argument, true]);
      // The tool's net_pnl is the API's net_pnl_base.
      const ofUnit =
        argument === 'side' ? parametersOf('/v1/positions').get(argument) : schema;
      const known = ofUnit.enum?.filter((choice: string) => choice !== 'net_pnl_base');
      expect([name, argument, choices]).toEqual([name, argument, known]);
      if (type === 'boolean')
        expect([name, argument, schema.type]).toEqual([name, argument, 'boolean']);
      if (items)
        expect([name, argument, items.anyOf[0].enum]).toEqual([
          name,
          argument,
          [...ALL_DIMENSIONS, 'miss_type'],
        ]);
    }
  }
});

describe('find_trades', () => {
  test('filters by closing day, and open trades by entry', async () => {
    world.insert(
      'trades',
      closed('long ago', 40, { id: 't-old' }),
      tradeRow('t-swing', { executed_at: at(40), closed_at: at(2) }),
      closed('t-new', 1),
      tradeRow('t-open', { status: 'open', executed_at: at(3) }),
    );
    const ids = async (given: object) =>
      idsOf((await call(client, 'find_trades', given)).trades);
    expect(await ids({ period: '7d' })).toEqual(['t-new', 't-swing']);
    expect(await ids({ period: 'this_week', status: 'open' })).toEqual(['t-open']);
    expect(await ids({ start: '2026-11-19' })).toEqual(['t-new']);
    expect(await ids({ status: 'closed', sort: 'closed_at', order: 'asc' })).toEqual([
      't-old',
      't-swing',
      't-new',
    ]);
  });

  test('returns a page and a cursor, and the pages together return all', async () => {
    world.insert(
      'trades',
      ...Array.from({ length: 45 }, (_, i) => closed(`t-${i}`, i, { setup: 'breakout' })),
    );
    const seen: (string | undefined)[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await call(client, 'find_trades', {
        setup: 'BREAKOUT',
        ...(cursor && { cursor }),
      });
      seen.push(...idsOf(page.trades));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(Array.from({ length: 45 }, (_, i) => `t-${i}`));
  });

  test('returns fewer trades if they are too long, and the cursor continues from there', async () => {
    const long = (i: number) => `t-${String(i).padStart(2, '0')}-${'x'.repeat(120)}`;
    world.insert(
      'trades',
      ...Array.from({ length: 50 }, (_, i) =>
        closed(long(i), i, { setup: `setup ${i} ${'y'.repeat(200)}` }),
      ),
    );
    const first = await call(client, 'find_trades', { limit: 50 });
    const { columns, rows } = first.trades;
    expect(rows.length).toBeLessThan(50);
    expect(rows.length).toBeGreaterThan(5);
    expect(columns).toContain('setup');
    const next = await call(client, 'find_trades', {
      limit: 1,
      cursor: first.next_cursor,
    });
    expect(idsOf(next.trades)).toEqual([long(rows.length)]);
  });

  test('detail full returns the records of the API', async () => {
    world.insert('trades', closed('t-1', 1, { entry_price: 1.23456789 }));
    const key = world.key();
    const { trades } = await call(client, 'find_trades', { detail: 'full' });
    expect(trades).toEqual((await world.ask('/v1/trades', { key })).body.data);
  });

  test('detail full has a cursor to the next records', async () => {
    for (const id of ['t-1', 't-2', 't-3']) world.insert('trades', closed(id, 1));
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(client, 'find_trades', {
        detail: 'full',
        limit: 2,
        ...(cursor && { cursor }),
      });
      expect(page.trades.length).toBeLessThanOrEqual(2);
      ids.push(...page.trades.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(ids.sort()).toEqual(['t-1', 't-2', 't-3']);
  });
});

test('get_trade shows executions and entries in local time', async () => {
  world.insert('trades', tradeRow('t-1'));
  world.insert('executions', {
    trade_id: 't-1',
    position: 0,
    executed_at: '2026-11-10T14:30:00.000Z',
    side: 'buy',
    quantity: 1,
    price: 100,
  });
  world.insert('trade_journals', {
    id: 'tj-1',
    trade_id: 't-1',
    phase: 'review',
    body: 'good',
    created_at: at(1),
  });
  expect(await call(client, 'get_trade', { id: 't-1' })).toMatchObject({
    text_from: 'journal note',
    is_data: true,
    id: 't-1',
    executed_at: '2026-11-10 09:30',
    timezone: 'America/New_York',
    executions: {
      columns: expect.arrayContaining(['executed_at', 'price']),
      rows: [expect.arrayContaining(['2026-11-10 09:30', 100])],
    },
    journals: { columns: expect.arrayContaining(['body']) },
  });
});

describe('read_notes', () => {
  test('returns each kind, newest first, without incidental fields', async () => {
    world.insert(
      'sessions',
      { id: 's-1', date: '2026-11-18', plan: 'be slow' },
      { id: 's-2', date: '2026-11-19' },
    );
    const { notes } = await call(client, 'read_notes', {
      kind: 'sessions',
      period: 'this_week',
    });
    expect(idsOf(notes)).toEqual(['s-2', 's-1']);
    expect(notes.columns).not.toContain('created_at');
    expect(
      (await call(client, 'read_notes', { kind: 'sessions', q: 'slow' })).notes.rows,
    ).toHaveLength(1);
    expect(
      (await call(client, 'read_notes', { kind: 'missed_trades' })).notes.rows,
    ).toEqual([]);
  });

  test('cuts long texts and keeps all entries', async () => {
    world.insert('trades', tradeRow('t-1'));
    const body = 'The market opened lower and I waited. '.repeat(200);
    world.insert(
      'trade_journals',
      ...Array.from({ length: 5 }, (_, i) => ({
        id: `tj-${i}`,
        trade_id: 't-1',
        phase: 'review',
        body,
        created_at: at(i),
      })),
    );
    const { notes } = await call(client, 'read_notes', { kind: 'journals' });
    const texts = notes.rows.map((row: string[]) => row[notes.columns.indexOf('body')]);
    expect(notes.in_every_row.body ?? texts[0]).toMatch(/^The market .*…$/);
    expect(notes.rows).toHaveLength(5);
    const full = await call(client, 'read_notes', {
      kind: 'journals',
      detail: 'full',
      limit: 1,
    });
    expect(full.notes[0].body).toBe(body);
  });
});
