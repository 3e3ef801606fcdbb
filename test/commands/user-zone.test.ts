/** `user set --timezone`: rows with a date and no time keep their day, and everything else its instant. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromInstantText, ZoneClock } from '../../src/time.ts';
import { pathOf } from '../import/exports.ts';
import { ImportHome } from '../import/home.ts';
import { runHere } from '../program.ts';

const ZONES = [
  'America/New_York',
  'Asia/Tokyo',
  'Pacific/Auckland',
  'Asia/Beirut',
  'America/Sao_Paulo',
];

/** Exports with dates alone. */
const DAYS = [
  'fidelity/History_for_Account_X11111111-5-2026.csv',
  'robinhood/Hood.csv',
  'groww-pnl/groww-pnl.xlsx',
  'fidelity/Accounts_History.csv',
  'schwab/transactions.csv',
];

const set = (home: ImportHome, timezone: string, ...more: string[]) =>
  runHere(['user', 'set', 'me', '--timezone', timezone, '--home', home.folder, ...more]);

const check = (home: ImportHome) => runHere(['check', '--home', home.folder]);

/** All rows but the users', with their times of writing. */
function tables(home: ImportHome): Record<string, unknown[]> {
  const names = home.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'users' ORDER BY name",
  );
  return Object.fromEntries(
    names.map(({ name }) => [String(name), home.rows(`SELECT * FROM ${name}`)]),
  );
}

/** The days on which trades open and close in a zone, by trade. */
function daysOf(home: ImportHome, zone: string): unknown[][] {
  const clock = new ZoneClock(zone);
  const day = (at: unknown) =>
    at === null ? null : clock.dateOf(fromInstantText(String(at)));
  return home
    .rows('SELECT id, executed_at, closed_at FROM trades ORDER BY id')
    .map(({ id, executed_at, closed_at }) => [id, day(executed_at), day(closed_at)]);
}

/** Net P&L by day, as the API returns it. */
async function daily(home: ImportHome): Promise<unknown> {
  const range = ['start=2015-01-01', 'end=2026-12-31', 'sections=daily'];
  const where = ['--home', home.folder];
  const key = await runHere([
    'key',
    'create',
    '--name',
    'a',
    '--scopes',
    'all',
    '--expires',
    '1d',
    ...where,
  ]);
  const env = { JOURNAL_API_KEY: key.stdout.trim() };
  const { stdout, stderr } = await runHere(
    ['get', 'analytics/summary', ...range, ...where],
    {
      env,
    },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout).data.daily;
}

const trade = (id: string, more: Record<string, unknown>) => ({
  ...{
    id,
    symbol: 'ACME',
    market: 'stock',
    side: 'long',
    status: 'closed',
    quantity: 1,
    entry_price: 10,
  },
  ...{ exit_price: 12, currency: 'USD', ...more },
});

const rowOf = (home: ImportHome, id: string) =>
  home.rows('SELECT executed_at, closed_at, has_time FROM trades WHERE id = ?', id)[0];

describe.each(DAYS)('an export with dates alone: %s', (name) => {
  test.each(ZONES)('keeps its days in %s, and comes back as it was', async (zone) => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Kolkata' });
    home.import(pathOf(`made-up ${name}`));
    const [before, days, figures] = [
      tables(home),
      daysOf(home, 'Asia/Kolkata'),
      await daily(home),
    ];
    expect(home.rows('SELECT DISTINCT has_time FROM trades')).toEqual([{ has_time: 0 }]);
    home.now += 86_400_000;
    const { code, stderr } = await set(home, zone);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`Dates without a time keep their day: `),
    ]);
    expect(stderr).not.toContain('import change');
    expect(daysOf(home, zone)).toEqual(days);
    expect(await daily(home)).toEqual(figures);
    expect(await check(home)).toMatchObject({ code: 0 });
    expect(home.rows('SELECT DISTINCT updated_at FROM trades')).toEqual([
      { updated_at: '2026-11-20T15:00:00.000Z' },
    ]);
    expect(readdirSync(join(home.folder, 'backups'))).toHaveLength(1);
    await set(home, 'Asia/Kolkata');
    expect(tables(home)).toEqual(before);
  });
});

test.each([
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
])(
  'a day without midnight in %s begins when its clock does',
  async (zone, date, start) => {
    const home = new ImportHome().withUser();
    const at = `${date}T00:00:00.000Z`;
    home.import(
      home.lines(
        'trades.jsonl',
        trade('t', { executed_at: at, closed_at: at, has_time: false }),
      ),
    );
    await set(home, zone);
    expect(rowOf(home, 't')).toEqual({
      executed_at: start,
      closed_at: start,
      has_time: 0,
    });
    expect(daysOf(home, zone)).toEqual([['t', date, date]]);
  },
);

describe('a trade with a day and a time', () => {
  const executions = (
    entry: string,
    exit: string,
    isDay: readonly [boolean, boolean],
  ) => [
    { executed_at: entry, side: 'buy', quantity: 1, price: 10, has_time: !isDay[0] },
    { executed_at: exit, side: 'sell', quantity: 1, price: 12, has_time: !isDay[1] },
  ];

  test.each<
    [
      string,
      string,
      string,
      readonly [boolean, boolean],
      string,
      readonly [string, string],
    ]
  >([
    [
      'only the day moves',
      ...([
        '2026-11-02T00:00:00.000Z',
        '2026-11-03T15:00:00.000Z',
        [true, false],
        'America/New_York',
      ] as const),
      ['2026-11-02T05:00:00.000Z', '2026-11-03T15:00:00.000Z'],
    ],
    [
      'an entry that would be later than the exit is at the exit',
      ...([
        '2026-11-02T00:00:00.000Z',
        '2026-11-02T03:00:00.000Z',
        [true, false],
        'America/New_York',
      ] as const),
      ['2026-11-02T03:00:00.000Z', '2026-11-02T03:00:00.000Z'],
    ],
    [
      'an exit that would be earlier than the entry is at the entry',
      ...([
        '2026-11-02T20:00:00.000Z',
        '2026-11-03T00:00:00.000Z',
        [false, true],
        'Asia/Tokyo',
      ] as const),
      ['2026-11-02T20:00:00.000Z', '2026-11-02T20:00:00.000Z'],
    ],
  ])('%s', async (_, entry, exit, isDay, zone, [opened, closed]) => {
    const home = new ImportHome().withUser();
    home.import(
      home.lines(
        'trades.jsonl',
        trade('t', { executions: executions(entry, exit, isDay) }),
      ),
    );
    expect(rowOf(home, 't')).toEqual({
      executed_at: entry,
      closed_at: exit,
      has_time: 0,
    });
    await set(home, zone);
    expect(rowOf(home, 't')).toEqual({
      executed_at: opened,
      closed_at: closed,
      has_time: 0,
    });
    expect(await check(home)).toMatchObject({ code: 0 });
    await set(home, 'UTC');
    expect(rowOf(home, 't')).toEqual({
      executed_at: entry,
      closed_at: exit,
      has_time: 0,
    });
  });
});

/** Trades with days or times, neither with a zone. */
const MAP = JSON.stringify({
  ...{ name: 'own', target: 'trades' },
  fields: {
    ...{
      symbol: 'Symbol',
      market: { value: 'stock' },
      executed_at: 'In',
      closed_at: 'Out',
      quantity: 'Qty',
    },
    ...{ entry_price: 'Entry', exit_price: 'Exit' },
  },
});
const HEADER = 'Symbol,In,Out,Qty,Entry,Exit\n';

function withMapped(rows: string): ImportHome {
  const home = new ImportHome().withUser();
  const map = {
    file: home.file('own.map.json', MAP),
    mapping: JSON.parse(MAP),
    lookups: new Map(),
    text: MAP,
  };
  home.import(home.file('own.csv', HEADER + rows), { map: map as never });
  return home;
}

describe('a mapping of trades', () => {
  test('has days where cells are dates alone, and times elsewhere', async () => {
    const home = withMapped(
      'A,2026-11-02,2026-11-03 15:00,1,10,12\nB,2026-11-02 09:30,2026-11-02 10:00,1,10,12\n',
    );
    expect(home.rows('SELECT symbol, has_time FROM trades ORDER BY symbol')).toEqual([
      { symbol: 'A', has_time: 0 },
      { symbol: 'B', has_time: 1 },
    ]);
    expect(
      home
        .rows('SELECT has_time FROM executions ORDER BY trade_id, position')
        .map((own) => own['has_time']),
    ).toEqual(expect.arrayContaining([0, 1, 1, 1]));
    await set(home, 'America/New_York');
    expect(
      home.rows('SELECT executed_at, closed_at FROM trades ORDER BY symbol'),
    ).toEqual([
      { executed_at: '2026-11-02T05:00:00.000Z', closed_at: '2026-11-03T15:00:00.000Z' },
      { executed_at: '2026-11-02T09:30:00.000Z', closed_at: '2026-11-02T10:00:00.000Z' },
    ]);
  });
});

describe('imports whose times were read in the former zone', () => {
  test('are named, with the command that reads them in the new one', async () => {
    const home = withMapped('B,2026-11-02 09:30,2026-11-02 10:00,1,10,12\n');
    home.write("UPDATE imports SET timezone = 'UTC'");
    const { stderr } = await set(home, 'America/New_York');
    expect(stderr.split('\n').slice(1)).toEqual([
      'Times that were read in UTC because no time zone was given stay as they are. To read them in America/New_York:',
      `  journal-api import change 1 --timezone America/New_York --home ${home.folder}    (own.csv)`,
      '',
    ]);
    expect(
      rowOf(home, String(home.rows('SELECT id FROM trades')[0]?.['id'])),
    ).toMatchObject({
      executed_at: '2026-11-02T09:30:00.000Z',
    });
    expect(existsSync(join(home.folder, 'backups'))).toBe(false);
  });

  test.each([
    [
      'with a zone that was typed',
      'UPDATE imports SET timezone = \'UTC\', options = \'{"timezone": "UTC"}\'',
    ],
    ['read in another zone', "UPDATE imports SET timezone = 'Europe/Berlin'"],
    [
      'whose file states the zone',
      "UPDATE imports SET timezone = 'UTC'; UPDATE import_records SET clock = ''",
    ],
    [
      'with days only',
      "UPDATE imports SET timezone = 'UTC'; UPDATE trades SET has_time = 0",
    ],
  ])('are not named: %s', async (_, sql) => {
    const home = withMapped('B,2026-11-02 00:00,2026-11-02 00:00,1,10,12\n');
    home.write(sql);
    expect((await set(home, 'America/New_York')).stderr).not.toContain('import change');
  });
});

describe('days that another program left in another zone', () => {
  const misplaced = () => {
    const home = new ImportHome().withUser();
    home.import(pathOf(`made-up ${DAYS[0]}`));
    home.write("UPDATE users SET timezone = 'America/New_York'");
    return home;
  };

  test('are counted by check, and corrected by the next import', async () => {
    const home = misplaced();
    const days = daysOf(home, 'UTC');
    const [{ fills }] = home.rows('SELECT count(*) AS fills FROM fills') as [
      { fills: number },
    ];
    const { code, stdout } = await check(home);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        `fills (user me): ${fills} rows have a date without a time`,
      ),
    ]);
    expect(stdout).toContain('; the next import corrects this');
    home.import(home.lines('trades.jsonl', trade('t', { ...AT_NOON })));
    expect(home.notes.join('\n')).toContain(
      `, ${fills} fills and 2 cash flows with a date but no time weren't at the start of their day`,
    );
    expect(await check(home)).toMatchObject({ code: 0 });
    expect(daysOf(home, 'America/New_York').filter(([id]) => id !== 't')).toEqual(days);
  });

  test('are corrected by a file that changes nothing else', () => {
    const home = misplaced();
    home.write("UPDATE users SET timezone = 'UTC'");
    home.import(home.lines('trades.jsonl', trade('t', { ...AT_NOON })));
    home.write("UPDATE users SET timezone = 'America/New_York'");
    home.import(home.path('trades.jsonl'));
    expect(home.rows('SELECT count(*) AS n FROM imports')).toEqual([{ n: 2 }]);
    expect(
      home.rows(
        "SELECT count(*) AS n FROM fills WHERE executed_at LIKE '%T00:00:00.000Z'",
      ),
    ).toEqual([{ n: 0 }]);
  });

  test('stay in a dry run', () => {
    const home = misplaced();
    const before = tables(home);
    home.import(home.lines('trades.jsonl', trade('t', { ...AT_NOON })), { dryRun: true });
    expect(tables(home)).toEqual(before);
  });

  test("keep their day in the user's time zone if they are no start of a day anywhere", () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const at = '2026-11-02T20:31:07.000Z';
    home.import(
      home.lines(
        'trades.jsonl',
        trade('t', { executed_at: at, closed_at: at, has_time: false }),
      ),
    );
    home.import(home.lines('more.jsonl', trade('u', AT_NOON)), { as: 'trades' });
    expect(rowOf(home, 't')).toMatchObject({ executed_at: '2026-11-02T05:00:00.000Z' });
  });

  test('are found without any import that names their zone', async () => {
    const home = new ImportHome().withUser('me', { timezone: 'Asia/Tokyo' });
    const at = '2026-11-01T15:00:00.000Z';
    home.import(
      home.lines(
        'trades.jsonl',
        trade('t', { executed_at: at, closed_at: at, has_time: false }),
      ),
    );
    home.write("UPDATE users SET timezone = 'America/New_York'");
    home.import(home.lines('more.jsonl', trade('u', { ...AT_NOON })), { as: 'trades' });
    expect(daysOf(home, 'America/New_York')[0]).toEqual([
      't',
      '2026-11-02',
      '2026-11-02',
    ]);
  });
});

const AT_NOON = {
  executed_at: '2026-11-02T12:00:00.000Z',
  closed_at: '2026-11-02T13:00:00.000Z',
};
const DAY = {
  executed_at: '2026-11-02T00:00:00.000Z',
  closed_at: '2026-11-03T00:00:00.000Z',
  has_time: false,
};

describe('what else follows', () => {
  test('a group whose legs are days moves with them, and one with its own dates stays', async () => {
    const home = new ImportHome().withUser();
    const group = (id: string, opened_at: string) => ({
      ...{
        id,
        name: id,
        kind: 'custom',
        market: 'stock',
        status: 'closed',
        currency: 'USD',
        opened_at,
      },
      closed_at: '2026-11-03T00:00:00.000Z',
    });
    home.import(
      home.lines(
        'trade-groups.jsonl',
        group('g', '2026-11-02T00:00:00.000Z'),
        group('h', '2026-11-01T09:00:00.000Z'),
      ),
    );
    home.import(
      home.lines(
        'trades.jsonl',
        trade('a', { ...DAY, group_id: 'g' }),
        trade('b', { ...DAY, group_id: 'h' }),
      ),
    );
    await set(home, 'America/New_York');
    expect(
      home.rows('SELECT opened_at, closed_at, updated_at FROM trade_groups ORDER BY id'),
    ).toEqual([
      {
        opened_at: '2026-11-02T05:00:00.000Z',
        closed_at: '2026-11-03T05:00:00.000Z',
        updated_at: '2026-11-20T15:00:00.000Z',
      },
      {
        opened_at: '2026-11-01T09:00:00.000Z',
        closed_at: '2026-11-03T05:00:00.000Z',
        updated_at: '2026-11-20T15:00:00.000Z',
      },
    ]);
  });

  test('a removed trade comes back on its day', async () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', trade('t', DAY)));
    await runHere(['remove', 'trades', 't', '--home', home.folder]);
    expect(home.rows('SELECT id FROM trades')).toEqual([]);
    await set(home, 'America/New_York');
    await runHere(['import', 'undo', '--home', home.folder]);
    expect(rowOf(home, 't')).toEqual({
      ...{
        executed_at: '2026-11-02T05:00:00.000Z',
        closed_at: '2026-11-03T05:00:00.000Z',
        has_time: 0,
      },
    });
  });

  test('sessions, reviews and times stay', async () => {
    const home = new ImportHome().withUser();
    const ended_at = '2026-11-02T00:00:00.000Z';
    home.import(
      home.lines('sessions.jsonl', {
        id: 's',
        date: '2026-11-02',
        started_at: ended_at,
        ended_at,
      }),
    );
    home.import(
      home.lines('weekly-reviews.jsonl', {
        id: 'w',
        period_start: '2026-11-02',
        period_end: '2026-11-08',
      }),
    );
    home.import(home.lines('trades.jsonl', trade('t', { ...DAY, has_time: true })));
    const before = tables(home);
    const { stderr } = await set(home, 'America/New_York');
    expect(stderr).not.toContain('keep their day');
    expect(tables(home)).toEqual(before);
  });

  test('nothing changes if the backup fails', async () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', trade('t', DAY)));
    rmSync(home.path('backups'), { recursive: true, force: true });
    home.file('backups', 'no folder');
    expect(await set(home, 'America/New_York')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('backup'),
    });
    expect(rowOf(home, 't')).toMatchObject({ executed_at: '2026-11-02T00:00:00.000Z' });
    expect(home.rows('SELECT timezone FROM users')).toEqual([{ timezone: 'UTC' }]);
  });

  test('an unknown user is refused', async () => {
    const home = new ImportHome().withUser();
    const { code, stderr } = await runHere([
      'user',
      'set',
      'ana',
      '--timezone',
      'UTC',
      '--home',
      home.folder,
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('there is no user "ana"'),
    ]);
  });
});
