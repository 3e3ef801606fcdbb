/** q: words and phrases in any text of a record, in any script. */
import { beforeEach, describe, expect, test } from 'vitest';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { searchTerms } from '../../src/sqlite/functions.ts';
import { addRecord, tradeRow, World } from '../helpers.ts';

let world: World;
let key: string;

beforeEach(() => {
  world = new World();
  key = world.key();
});

const ids = async (list: string, q: string, more = ''): Promise<string> => {
  const { status, body } = await world.ask(
    `/v1/${list}?q=${encodeURIComponent(q)}${more}`,
    {
      key,
    },
  );
  expect([q, status]).toEqual([q, 200]);
  return body.data
    .map(({ id }: { id: string }) => id)
    .sort()
    .join('');
};

describe('q finds', () => {
  test.each([
    ['fomo', 'It was FOMO again.'],
    ['FOMO again', 'Again: pure fomo'],
    ['"waited for"', 'I waited\n  for the retest'],
    ['stop', 'moved my Stops'],
    ['übereilt', 'ÜBEREILT eingestiegen'],
    ['ПРОБОЙ', 'ложный пробой'],
    ['οδος', 'ΟΔΟΣΑ'],
    ['突破', '假突破后回落'],
    ['re\u0301sume\u0301', 'RÉSUMÉ of the day'],
    ['100%', 'risked 100% of it'],
    ["o'brien_", "O'Brien_Trail"],
    ['"said ""', undefined],
    ['a"b c"d', 'd, then b  c, then a'],
  ])('%s', async (q, text) => {
    if (text === undefined)
      return expect(
        (await world.ask(`/v1/trades?q=${encodeURIComponent(q)}`, { key })).status,
      ).toBe(400);
    world.insert(
      'trades',
      tradeRow('a', { notes: text }),
      tradeRow('b', { notes: 'nothing of it' }),
      tradeRow('c'),
    );
    expect(await ids('trades', q)).toBe('a');
  });

  test('all words in one record, and phrases in one text', async () => {
    world.insert(
      'trades',
      tradeRow('a', { notes: 'late entry', setup: 'breakout' }),
      tradeRow('b', { notes: 'entry late' }),
      tradeRow('c', { notes: 'late', setup: 'entry' }),
      tradeRow('d', { notes: 'late' }),
    );
    expect(await ids('trades', '"late entry"')).toBe('a');
    expect(await ids('trades', 'late entry')).toBe('abc');
    expect(await ids('trades', 'late breakout')).toBe('a');
    expect(await ids('trades', 'late', '&setup=entry')).toBe('c');
  });

  test('strings in lists and objects, not the names of their members, ids, or values of the program', async () => {
    addRecord(world, 'trade-journals', 'a', '2026-11-10T10:00:00.000Z');
    world.db.exec(
      `UPDATE trade_journals SET rules = '[{"rule":"wait for the \\u201cclose\\u201d","followed":true}]', tags = '["Überfall"]'`,
    );
    expect(await ids('trade-journals', '"the “close”"')).toBe('a');
    expect(await ids('trade-journals', 'überfall')).toBe('a');
    for (const q of ['followed', 'rule', 'true', 'review', 'about', '2026'])
      expect(await ids('trade-journals', q)).toBe('');
    world.insert('sessions', {
      id: 's',
      date: '2026-11-10',
      market_context:
        '{"bias":"Bullish","condition":null,"key_levels":[{"symbol":"ES","price":1,"kind":null,"note":"gap fill"}],"news":["CPI"],"notes":null}',
      review:
        '{"went_well":null,"went_wrong":null,"lesson":null,"followed_plan":null,"rating":null,"mistakes":["late"],"reviewed_at":"2026-11-10T10:00:00.000Z"}',
    });
    expect(await ids('sessions', 'bullish cpi "gap fill" late')).toBe('s');
    for (const q of ['condition', '2026', 'reviewed_at', 'net_pnl'])
      expect(await ids('sessions', q)).toBe('');
  });

  test.each(RESOURCES)('in /v1/$path, page by page', async (resource) => {
    for (let i = 0; i < 9; i++)
      addRecord(world, resource.path, `r${i}`, `2026-11-1${i}T10:00:00.000Z`);
    const texts: Record<string, string> = {
      'cash-flows': 'description',
      positions: 'setup',
      'weekly-reviews': 'lesson',
      'missed-trades': 'reason',
    };
    const tables: Record<string, string[]> = {
      positions: ['trades', 'trade_groups'],
      'journal-rows': ['trade_journals', 'group_journals'],
    };
    const column =
      texts[resource.path] ?? (resource.path.includes('journal') ? 'body' : 'notes');
    for (const table of tables[resource.path] ?? [resource.table]) {
      world.db.exec(
        `UPDATE ${table} SET ${column} = 'Revenge trade' WHERE id IN ('r1', 'r4', 'r7')`,
      );
    }
    const seen: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const { body } = await world.ask(
        `/v1/${resource.path}?q=revenge&limit=1${cursor ? `&cursor=${cursor}` : ''}`,
        {
          key,
        },
      );
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.pagination.next_cursor;
      if (cursor === null) break;
    }
    const twice =
      resource.table === null ? (id: string) => [id, id] : (id: string) => [id];
    expect(seen).toEqual(['r7', 'r4', 'r1'].flatMap(twice));
  });

  test('all of many records with long texts, and names one that is too large for a response', async () => {
    world.db.transaction(() => {
      for (let i = 0; i < 2300; i++) {
        const long = i % 500 === 0 ? 'x'.repeat(i === 1500 ? 1_000_000 : 20_000) : '';
        world.insert(
          'trades',
          tradeRow(`t${String(i).padStart(4, '0')}`, {
            notes: `${long}${i % 400 === 0 ? ' needle' : ''}`,
          }),
        );
      }
    })();
    expect(await ids('trades', 'NEEDLE', '&fields=symbol')).toBe(
      't0000t0400t0800t1200t1600t2000',
    );
    expect(await ids('trades', 'needle', '&sort=net_pnl&order=asc&limit=2')).toBe(
      't0000t0400',
    );
    world.insert(
      'trades',
      tradeRow('huge', {
        notes: 'y'.repeat(8_000_000),
        executed_at: '2026-11-19T10:00:00.000Z',
      }),
    );
    const { status, body } = await world.ask('/v1/trades?q=needle', { key });
    expect([status, body.code]).toEqual([422, 'answer_too_large']);
    expect(body.detail).toContain('huge');
  });
});

test('the words and phrases of a query', () => {
  expect(searchTerms('  Late  "Moved  my STOP" ""  b ')).toEqual([
    'late',
    'moved my stop',
    'b',
  ]);
});

test.each([
  ['', /must have a word/],
  ['%20%20', /must have a word/],
  ['%22%22', /must have a word/],
  ['%22late', /unclosed quotation mark/],
  ['a'.repeat(201), /at most 200/],
])('rejects q=%s', async (q, detail) => {
  const { status, body } = await world.ask(`/v1/trades?q=${q}`, { key });
  expect([status, body.code, body.param]).toEqual([400, 'invalid_parameter', 'q']);
  expect(body.detail).toMatch(detail);
});

describe('fields', () => {
  test.each(RESOURCES)(
    '/v1/$path returns the requested fields, and id',
    async (resource) => {
      addRecord(world, resource.path, 'r', '2026-11-10T10:00:00.000Z');
      const names = Object.keys(resource.record.shape);
      const whole = (await world.ask(`/v1/${resource.path}`, { key })).body.data[0];
      for (const name of names) {
        const { body } = await world.ask(`/v1/${resource.path}?fields=${name}`, { key });
        expect(body.data[0]).toEqual({ id: whole.id, [name]: whole[name] });
      }
      const all = await world.ask(
        `/v1/${resource.path}?fields=${[...names].reverse().join(',')}`,
        {
          key,
        },
      );
      expect(JSON.stringify(all.body.data[0])).toBe(JSON.stringify(whole));
    },
  );

  test('an unknown field is an error', async () => {
    for (const [fields, detail] of [
      ['symbol,netpnl', /no field "netpnl"; did you mean net_pnl\?/],
      ['', /names of fields.*id, account/],
      ['symbol,', /names of fields/],
      ['__proto__', /no field/],
    ] as const) {
      const { status, body } = await world.ask(`/v1/trades?fields=${fields}`, { key });
      expect([status, body.param]).toEqual([400, 'fields']);
      expect(body.detail).toMatch(detail);
    }
  });
});
