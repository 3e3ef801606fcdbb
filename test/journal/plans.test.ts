/** SQLite's query plans of lists: by the index of the order, without sorting, starting at the position of the page. */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { visitClosedTrades } from '../../src/journal/analytics/closed-trades.ts';
import { MistakeCost } from '../../src/journal/analytics/discipline.ts';
import { openTrades } from '../../src/journal/analytics/other-trades.ts';
import { findUser, type User } from '../../src/journal/journal.ts';
import { overlayOf } from '../../src/journal/lens-views.ts';
import { listPage, type PageRequest } from '../../src/journal/list.ts';
import type { ListResource } from '../../src/journal/resource.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { tradeFilters, trades } from '../../src/journal/resources/trades.ts';
import { addFunctions } from '../../src/sqlite/functions.ts';
import type { Overlay } from '../../src/sqlite/handles.ts';
import { Reader } from '../../src/sqlite/reader.ts';
import { addRecord, World } from '../helpers.ts';

/** The plans of a page's statements. */
function plansOf(world: World, overlay?: Overlay) {
  const statements: string[] = [];
  const db = new Database(world.files.journal, {
    readonly: true,
    verbose: (sql) => statements.push(String(sql)),
  });
  onTestFinished(() => void db.close());
  addFunctions(db);
  const reader = new Reader(
    db,
    undefined,
    overlay && { name: overlay.name, ...overlay.lay(db) },
  );
  const user = findUser(reader, 'me') as User;
  return (page: (reader: Reader, user: User) => unknown): string => {
    statements.length = 0;
    page(reader, user);
    return statements
      .splice(0)
      .flatMap((sql) =>
        withoutSortsOfRows(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as Step[]),
      )
      .map(({ detail }) => detail)
      .join('\n');
  };
}

/** Of a table: not of a list in JSON, or of what a subquery made. */
const UNBOUND_SCAN =
  /SCAN (?!json_each|\w VIRTUAL TABLE|CONSTANT|\(subquery|units|steps)/;

interface Step {
  id: number;
  parent: number;
  detail: string;
}

/** Without the sorting of what belongs to one row, such as the executions of an open trade. */
function withoutSortsOfRows(steps: readonly Step[]): Step[] {
  const isOfRow = ({ parent }: Step): boolean => {
    const step = steps.find(({ id }) => id === parent);
    return (
      step !== undefined && (step.detail.startsWith('CORRELATED SCALAR') || isOfRow(step))
    );
  };
  return steps.filter((step) => !(step.detail.includes('FOR ORDER BY') && isOfRow(step)));
}

describe.each(RESOURCES)('/v1/$path', (resource) => {
  const position = resource.tieBreak.map(() => 'x');
  const requests = [
    ['the first page', null, { from: null, to: null }],
    ['a later page', ['2026-11-18T10:00:00.000Z', ...position], { from: null, to: null }],
    [
      'a later page of a period',
      ['2026-11-18T10:00:00.000Z', ...position],
      { from: '2026-01-01', to: '2026-12-01' },
    ],
  ] as const;

  test.each(['with statistics', 'without'])('%s', (figures) => {
    const world = new World();
    world.db.transaction(() => {
      for (let i = 0; i < 300; i++)
        addRecord(world, resource.path, `r${i}`, `2026-11-${10 + (i % 9)}T10:00:00.000Z`);
    })();
    if (figures !== 'without') world.db.exec('ANALYZE');
    const planOf = plansOf(world);
    for (const filter of [undefined, ...Object.keys(resource.filters)]) {
      // A single id finds one record.
      if (filter === 'id') continue;
      for (const [name, after, range] of requests) {
        const filters =
          filter === undefined ? {} : { [filter]: filter === 'field' ? 'x:1' : 'x' };
        const plan = planOf((reader, user) =>
          listPage(reader, user, resource, { limit: 50, range, filters, after }),
        );
        const label = `${name}, filter ${filter}:\n${plan}`;
        // The merged feed may sort ties within equal times; nothing else is sorted.
        expect(plan.replaceAll('LAST TERM OF ORDER BY', ''), label).not.toContain(
          'TEMP B-TREE FOR ORDER BY',
        );
        expect(plan, label).not.toMatch(UNBOUND_SCAN);
        if (after && filter === undefined)
          expect(plan, label).toContain(`(${resource.orderBy},id)<(?,?)`);
        const { indexed, column } = resource.filters[filter ?? ''] ?? {};
        if (indexed) expect(plan, label).toContain(`(user_id=? AND ${column}=?`);
      }
    }
  });
});

/** Of statements, not of the views that a lens creates. */
test.each(RESOURCES)(
  '/v1/$path for a key that hides symbols: by the same indexes, sorting only ties',
  (resource) => {
    const world = new World();
    world.db.transaction(() => {
      for (let i = 0; i < 300; i++)
        addRecord(world, resource.path, `r${i}`, `2026-11-${10 + (i % 9)}T10:00:00.000Z`);
    })();
    const lens = { accounts: null, since: null, hides: ['texts', 'symbols'] } as const;
    const planOf = plansOf(
      world,
      overlayOf(lens, { user_id: 'me', seed: Buffer.alloc(32, 7) }),
    );
    const position = ['2026-11-18T10:00:00.000Z', ...resource.tieBreak.map(() => 'x')];
    const ids = ['trade_id', 'group_id'].filter(
      (name) => resource.filters[name]?.indexed,
    );
    let pseudonym = '';
    planOf((reader) => {
      pseudonym = reader.get("SELECT shown_id('x') AS id")?.['id'] as string;
    });
    for (const filters of [{}, ...ids.map((name) => ({ [name]: pseudonym }))])
      for (const after of [null, position]) {
        const ask = { limit: 50, range: { from: null, to: null }, filters, after };
        const plan = planOf((reader, user) => listPage(reader, user, resource, ask));
        expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
        expect(plan).not.toMatch(UNBOUND_SCAN);
        if (after) expect(plan).toContain(`${resource.orderBy}<?`);
        for (const name of Object.keys(filters))
          expect(plan).toContain(`(user_id=? AND ${name}=?`);
      }
  },
);

const escaped = (text: string) => text.replace(/[()?]/g, '\\$&');

const LONG = 2500;

/** More trades than one stride. */
function longJournal(figures: string): World {
  const world = new World();
  world.db.transaction(() => {
    for (let i = 0; i < LONG; i++) {
      addRecord(
        world,
        'trades',
        `t${i}`,
        new Date(Date.parse('2026-01-01T10:00:00Z') + i * 60_000).toISOString(),
      );
    }
  })();
  if (figures !== 'without') world.db.exec('ANALYZE');
  return world;
}

test('several ids are found by their index, if the journal has statistics', () => {
  const planOf = plansOf(longJournal('with statistics'));
  const request = { limit: 50, range: { from: null, to: null }, after: null };
  const plan = planOf((reader, user) =>
    listPage(reader, user, trades, { ...request, filters: { id: 't1,t2' } }),
  );
  expect(plan).toContain('(user_id=? AND id=?)');
});

describe.each(['with statistics', 'without'])(
  'a search in a long journal, %s',
  (figures) => {
    test('reads between two positions for filters without an index', () => {
      const planOf = plansOf(longJournal(figures));
      const range = { from: null, to: null };
      const after = ['2026-01-03T03:00:00.000Z', 'x'];
      for (const filters of [
        { tag: 'none' },
        { setup: 'none' },
        { outcome: 'loss' },
        { symbol: 'AAPL', tag: 'none' },
      ]) {
        const plan = planOf((reader, user) =>
          listPage(reader, user, trades, { limit: 5, range, filters, after }),
        );
        const label = `${JSON.stringify(filters)}:\n${plan}`;
        expect(plan, label).toContain(
          '(executed_at,id)>(?,?) AND (executed_at,id)<(?,?)',
        );
        expect(plan, label).not.toContain('TEMP B-TREE');
      }
    });

    test('does so for words, and for the best trades by a field without an index', () => {
      const planOf = plansOf(longJournal(figures));
      const none = { from: null, to: null };
      const year = { from: '2026-01-01', to: '2027-01-01' };
      const after = ['2026-01-03T03:00:00.000Z', 'x'];
      const cases: [index: string, keyset: string, more: Partial<PageRequest>][] = [
        ['trades_executed', 'executed_at', { q: 'nowhere', after }],
        ['trades_executed', 'executed_at', { q: 'nowhere', after, isAscending: true }],
        ['trades_executed', 'executed_at', { sort: 'net_pnl' }],
        [
          'trades_executed',
          'executed_at',
          { sort: 'r_multiple', after: [1, 'x'], isAscending: true },
        ],
        ['trades_executed', 'executed_at', { sort: 'closed_at', range: year }],
        ['trades_closed', 'closed_at', { range: year, dateField: 'closed_at' }],
        [
          'trades_closed',
          'closed_at',
          {
            sort: 'net_pnl',
            range: year,
            dateField: 'closed_at',
            filters: { symbol: 'x' },
          },
        ],
        ['trades_closed', 'closed_at', { sort: 'closed_at', q: 'nowhere', after }],
        [
          'trades_symbol',
          'symbol=? AND (executed_at',
          { sort: 'net_pnl', filters: { symbol: 'AAPL' } },
        ],
      ];
      for (const [index, keyset, more] of cases) {
        const plan = planOf((reader, user) =>
          listPage(reader, user, trades, {
            limit: 5,
            range: none,
            filters: {},
            after: null,
            ...more,
          }),
        );
        const label = `${JSON.stringify(more)}:\n${plan}`;
        expect(plan, label).toMatch(
          new RegExp(
            `INDEX ${index} \\(user_id=\\? AND \\(?${escaped(keyset)}[^\n]*,id\\)[<>]`,
          ),
        );
        expect(plan, label).not.toMatch(UNBOUND_SCAN);
      }
    });

    test('does so for the best trades of a period', () => {
      const planOf = plansOf(longJournal(figures));
      const request = {
        limit: 5,
        range: { from: '2026-01-01', to: '2027-01-01' },
        after: null,
        sort: 'net_pnl',
      };
      for (const filters of [{}, { tag: 'x' }, { symbol: 'AAPL' }]) {
        const plan = planOf((reader, user) =>
          listPage(reader, user, trades, { ...request, filters }),
        );
        expect(plan, plan).toContain('(executed_at,id)>(?,?) AND (executed_at,id)<(?,?)');
      }
    });

    test('finds closed and open trades by the index in order of closing', () => {
      const planOf = plansOf(longJournal(figures));
      const range = { from: null, to: null };
      for (const isAscending of [true, false]) {
        for (const after of [null, ['2026-01-03T03:00:00.000Z', 'x'], [null, 'x']]) {
          const plan = planOf((reader, user) =>
            listPage(reader, user, trades, {
              limit: 5,
              range,
              filters: {},
              after,
              sort: 'closed_at',
              isAscending,
            }),
          );
          expect(plan).toMatch(/INDEX trades_closed \(user_id=\? AND \(?closed_at/);
          expect(plan).not.toContain('TEMP B-TREE');
        }
      }
    });

    test('does so for figures in order of closing, with any filter', () => {
      const planOf = plansOf(longJournal(figures));
      for (const range of [
        { from: null, to: null },
        { from: '2026-01-01', to: '2026-12-01' },
      ]) {
        for (const filters of [
          {},
          ...Object.keys(tradeFilters).map((name) => ({ [name]: 'x:1' })),
        ]) {
          const plan = planOf((reader, user) =>
            visitClosedTrades(reader, user, { range, filters, unit: 'trade' }, [
              new MistakeCost('trade'),
            ]),
          );
          const label = `${JSON.stringify(filters)}:\n${plan}`;
          const isFiltered = Object.keys(filters).length > 0;
          // With a bound of the period on the same side, each stride would be scanned from there.
          const between = isFiltered
            ? '(closed_at,id)>(?,?) AND (closed_at,id)<(?,?)'
            : '(closed_at,id)>(?,?)';
          expect(plan, label).toContain(`INDEX trades_closed (user_id=? AND ${between}`);
          expect(plan, label).not.toContain('TEMP B-TREE');
        }
      }
    });
  },
);

test('positions: their legs are found by the index of groups, not by a scan of all trades', () => {
  const world = longJournal('without');
  world.db.transaction(() => {
    for (const id of ['g', 'h'])
      addRecord(world, 'trade-groups', id, '2026-01-01T10:00:00.000Z');
    world.db.exec(
      "UPDATE trades SET group_id = 'g' WHERE id IN ('t7', 't8'); UPDATE trades SET group_id = 'h' WHERE id = 't9'",
    );
  })();
  const range = { from: null, to: null };
  const planOf = plansOf(world);
  for (const filters of [
    {},
    { tag: 'x' },
    { outcome: 'win' },
    { symbol: 'AAPL' },
    { group_id: 'g' },
  ]) {
    const plan = planOf((reader, user) => {
      visitClosedTrades(reader, user, { range, filters, unit: 'position' }, [
        new MistakeCost('trade'),
      ]);
      openTrades(reader, user, { range, filters, unit: 'position' }, 0);
    });
    const label = `${JSON.stringify(filters)}:\n${plan}`;
    expect(plan, label).toContain(
      'INDEX trades_closed (user_id=? AND (closed_at,id)>(?,?)',
    );
    expect(plan, label).toContain('INDEX trades_group (user_id=? AND group_id=?');
    expect(plan, label).not.toMatch(UNBOUND_SCAN);
  }
});

test('bench/README.md names the filters with an index', () => {
  const docs = readFileSync(new URL('../../bench/README.md', import.meta.url), 'utf8');
  const named = [...docs.matchAll(/^\| `\/v1\/(\S+)` \| (`.*`) \|$/gm)].map(
    ([, path, names]) => `${path}: ${names}`,
  );
  const indexed = RESOURCES.map(({ path, filters }) => {
    const names = Object.entries(filters as ListResource['filters']).filter(
      ([, filter]) => filter.indexed,
    );
    return names.length > 0
      ? `${path}: ${names.map(([name]) => `\`${name}\``).join(', ')}`
      : '';
  });
  expect(named).toEqual(indexed.filter((line) => line !== ''));
});
