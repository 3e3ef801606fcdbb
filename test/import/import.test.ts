/** What import accepts, rejects and reports. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { journalOf } from '../../src/import/write/new-journal.ts';
import { writeJournal } from '../../src/journal-write/open.ts';
import { setUser } from '../../src/journal-write/users.ts';
import { World } from '../helpers.ts';
import { ImportHome, TRADE } from './home.ts';

const counts = (report: ReturnType<ImportHome['import']>) =>
  report.files.map(({ added, changed, unchanged }) => [added, changed, unchanged]);

describe('a missing journal', () => {
  test('is created for its owner only, with the user me, and reported', () => {
    const home = new ImportHome();
    const journal = join(home.folder, 'new', 'journal.db');
    const report = home.import(home.lines('trades.jsonl', TRADE), { journal });
    expect(report).toMatchObject({ user: 'me', dry_run: false });
    expect(home.notes.join()).toContain('with the user "me" (UTC, USD');
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.folder, 'new')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home.folder, 'new'))).toEqual(['journal.db']);
  });

  test('has the user of --user', () => {
    const home = new ImportHome();
    expect(home.import(home.lines('trades.jsonl', TRADE), { user: 'ana' }).user).toBe(
      'ana',
    );
    expect(home.rows('SELECT id FROM users')).toEqual([{ id: 'ana' }]);
  });

  test("isn't created by a dry run or wrong paths", () => {
    const home = new ImportHome();
    expect(
      counts(home.import(home.lines('trades.jsonl', TRADE), { dryRun: true })),
    ).toEqual([[1, 0, 0]]);
    expect(() => home.import(home.path('nothing.jsonl'))).toThrow(
      "nothing.jsonl can't be read: there is no such file or folder",
    );
    expect(existsSync(home.journal)).toBe(false);
  });

  test.each([
    ['that can not be read as text', Buffer.from([0xe9])],
    ['that is no JSON', '{'],
    ['with a bad row', `${JSON.stringify(TRADE)}\n{"id":"t2"}\n`],
  ])("isn't created, nor its folders, by a first file %s", (_, content) => {
    const home = new ImportHome();
    const journal = join(home.folder, 'new', 'deep', 'journal.db');
    expect(() => home.import(home.file('trades.jsonl', content), { journal })).toThrow(
      'trades.jsonl:',
    );
    expect(readdirSync(home.folder)).toEqual(['trades.jsonl']);
    expect(home.notes).toEqual([]);
  });

  test('stays once its first file is imported', () => {
    const home = new ImportHome();
    const paths = [home.lines('trades.jsonl', TRADE), home.lines('sessions.jsonl', {})];
    expect(() => home.import(paths)).toThrow('(the other file was imported)');
    expect(home.everything()['trades']).toHaveLength(1);
    expect(home.notes.join()).toContain('Created the journal');
  });

  test('is kept if another program wrote to it meanwhile', () => {
    const home = new ImportHome();
    const target = journalOf(home.target);
    target.open();
    home.import(home.lines('trades.jsonl', TRADE));
    target.close();
    expect(home.everything()['trades']).toHaveLength(1);
  });

  test("isn't created for a user with valid earlier keys, nor in a dry run", () => {
    const world = new World();
    world.key(['trades:read'], 'ana', 'live');
    const home = new ImportHome();
    const path = home.lines('trades.jsonl', TRADE);
    for (const dryRun of [false, true]) {
      expect(() =>
        home.import(path, { keys: world.files.keys, user: 'ana', dryRun }),
      ).toThrow(
        'keys of an earlier user "ana" are still valid and would read the new user\'s records: live',
      );
    }
    expect(existsSync(home.journal)).toBe(false);
    expect(home.import(path, { keys: world.files.keys }).user).toBe('me');
  });
});

describe('the user of an import', () => {
  test('needs a valid time zone', () => {
    const home = new ImportHome().withUser();
    home.write("UPDATE users SET timezone = 'Mars/Olympus'");
    expect(home.refusal('trades', TRADE)).toBe(
      'the user "me" has the timezone "Mars/Olympus", which is not a valid IANA time zone such as America/New_York; set one with "journal-api user set me --timezone ZONE"',
    );
    writeJournal(home.journal, (db) =>
      setUser(db, 'me', { timezone: 'Europe/Madrid' }, home.now),
    );
    home.import(home.path('trades.jsonl'));
  });

  test('is me, else the only user, else an error that lists the users', () => {
    const only = new ImportHome().withUser('ana');
    expect(only.import(only.lines('trades.jsonl', TRADE)).user).toBe('ana');
    only.write("INSERT INTO users (id) VALUES ('bob')");
    expect(only.refusalOf(only.path('trades.jsonl'))).toContain('ana, bob');
    expect(only.refusalOf(only.path('trades.jsonl'), { user: 'eve' })).toContain(
      'there is no user "eve"',
    );
    only.import(only.path('trades.jsonl'), { user: 'bob' });
    expect(only.rows('SELECT user_id FROM trades')).toEqual([
      { user_id: 'ana' },
      { user_id: 'bob' },
    ]);
  });
});

describe('adding and changing', () => {
  test('sets given fields, keeps omitted ones, and counts records', () => {
    const home = new ImportHome().withUser();
    const first = home.lines(
      'trades.jsonl',
      { ...TRADE, notes: 'n', tags: ['a'], setup: 's' },
      { ...TRADE, id: 't2' },
    );
    expect(counts(home.import(first))).toEqual([[2, 0, 0]]);
    home.now += 1000;
    const before = home.hash();
    expect(counts(home.import(first))).toEqual([[0, 0, 2]]);
    expect(home.hash()).toBe(before);

    const second = home.lines(
      'trades.jsonl',
      { id: 't1', notes: 'm', setup: null },
      { id: 't2', quantity: 10.0 },
    );
    expect(counts(home.import(second))).toEqual([[0, 1, 1]]);
    expect(home.everything()['trades']?.find(({ id }) => id === 't1')).toMatchObject({
      notes: 'm',
      setup: null,
      tags: ['a'],
      symbol: 'AAPL',
      created_at: '2026-11-20T15:00:00.000Z',
      updated_at: '2026-11-20T15:00:01.000Z',
    });
    expect(home.everything()['trades']?.find(({ id }) => id === 't2')).toMatchObject({
      updated_at: '2026-11-20T15:00:00.000Z',
    });
  });

  test('keeps given timestamps, even if only other fields change', () => {
    const home = new ImportHome().withUser();
    const stamps = {
      created_at: '2026-11-03T00:00:00Z',
      updated_at: '2026-11-04T00:00:00Z',
    };
    home.import(home.lines('trades.jsonl', { ...TRADE, ...stamps }));
    expect(
      counts(
        home.import(home.lines('trades.jsonl', { ...TRADE, ...stamps, notes: 'new' })),
      ),
    ).toEqual([[0, 1, 0]]);
    expect(home.everything()['trades']?.[0]).toMatchObject({
      notes: 'new',
      updated_at: '2026-11-04T00:00:00.000Z',
    });
    expect(counts(home.import(home.path('trades.jsonl')))).toEqual([[0, 0, 1]]);
  });

  test('a dry run counts the same and changes nothing', () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', TRADE));
    const before = home.hash();
    const path = home.lines(
      'trades.jsonl',
      { id: 't1', notes: 'x' },
      { ...TRADE, id: 't2' },
    );
    const dry = home.import(path, { dryRun: true });
    expect(dry.dry_run).toBe(true);
    expect(home.hash()).toBe(before);
    expect(counts(dry)).toEqual(counts(home.import(path)));
  });

  test('times with any offset become UTC, and an offset may come from --timezone', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.lines('trades.jsonl', {
        ...TRADE,
        executed_at: '2026-11-02T09:30:00.5-05:00',
        closed_at: '2026-11-02 11:00:00',
      }),
      { timeZone: 'America/New_York' },
    );
    expect(home.everything()['trades']?.[0]).toMatchObject({
      executed_at: '2026-11-02T14:30:00.500Z',
      closed_at: '2026-11-02T16:00:00.000Z',
    });
  });

  test('--account applies to trades without one', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2', account: 'own' }),
      {
        account: 'main',
      },
    );
    expect(home.rows('SELECT id, account FROM trades ORDER BY id')).toEqual([
      { id: 't1', account: 'main' },
      { id: 't2', account: 'own' },
    ]);
  });

  test("--account doesn't change a trade's account", () => {
    const home = new ImportHome().withUser();
    const path = home.lines('trades.jsonl', TRADE);
    home.import(path, { account: 'main' });
    expect(counts(home.import(path, { account: 'other' }))).toEqual([[0, 0, 1]]);
    home.import(home.lines('trades.jsonl', { id: 't1', account: null }));
    home.import(path, { account: 'other' });
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account: 'other' }]);
  });

  test('missing members of objects are null, or empty lists', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.lines('sessions.jsonl', {
        id: 's',
        date: '2026-11-02',
        market_context: { bias: 'up' },
        review: {},
        goals: [{ text: 'g' }],
      }),
    );
    expect(home.everything()['sessions']?.[0]).toMatchObject({
      market_context: {
        bias: 'up',
        condition: null,
        key_levels: [],
        news: [],
        notes: null,
      },
      review: { mistakes: [], rating: null },
      goals: [{ text: 'g', met: null }],
    });
  });
});

describe('trades', () => {
  const OPEN = { ...TRADE, status: 'open', closed_at: null, exit_price: null };
  const FILLS = [
    {
      executed_at: '2026-11-02T14:30:00Z',
      side: 'buy',
      quantity: 0.1,
      price: 100,
      fees: 0.5,
    },
    { executed_at: '2026-11-02T14:31:00Z', side: 'buy', quantity: 0.2, price: 103 },
    {
      executed_at: '2026-11-02T14:32:00Z',
      side: 'sell',
      quantity: 0.3,
      price: 110,
      fees: 0.25,
    },
  ];
  const BARE = { id: 't1', symbol: 'AAPL', market: 'stock' };

  test.each([
    ['a long, from prices', TRADE, 35],
    ['a short, with a multiplier', { ...TRADE, side: 'short', multiplier: 50 }, -1750],
    ['what the file gives', { ...TRADE, gross_pnl: 34.99 }, 34.99],
    ['an open one', OPEN, 0],
    ['from executions', { ...TRADE, executions: FILLS }, 2.4],
    [
      'an open one, from executions, what was opened first',
      { ...BARE, executions: FILLS.slice(0, 2).concat({ ...FILLS[2]!, quantity: 0.15 }) },
      1.35,
    ],
  ])('gross_pnl: %s', (_, trade, gross) => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', trade));
    expect(home.everything()['trades']?.[0]?.['gross_pnl']).toBe(gross);
    expect(counts(home.import(home.path('trades.jsonl')))).toEqual([[0, 0, 1]]);
  });

  test('executions alone give size, prices, times and costs', () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', { ...BARE, executions: FILLS.toReversed() }));
    expect(home.everything()['trades']?.[0]).toMatchObject({
      side: 'long',
      status: 'closed',
      executed_at: '2026-11-02T14:30:00.000Z',
      closed_at: '2026-11-02T14:32:00.000Z',
      quantity: 0.3,
      open_quantity: 0,
      entry_price: 102,
      exit_price: 110,
      gross_pnl: 2.4,
      fees: 0.75,
    });
    expect(
      home.rows('SELECT position, side, fees FROM executions ORDER BY position'),
    ).toEqual([
      { position: 0, side: 'buy', fees: 0.5 },
      { position: 1, side: 'buy', fees: 0 },
      { position: 2, side: 'sell', fees: 0.25 },
    ]);
  });

  test('executions are kept if omitted, and replaced if given', () => {
    const home = new ImportHome().withUser();
    const stored = () => home.rows('SELECT count(*) AS n FROM executions')[0]?.['n'];
    home.import(home.lines('trades.jsonl', { ...BARE, executions: FILLS }));
    home.import(home.lines('trades.jsonl', { id: 't1', notes: 'x' }));
    expect(stored()).toBe(3);
    home.import(home.lines('trades.jsonl', { id: 't1', executions: FILLS.slice(0, 2) }));
    expect(stored()).toBe(2);
    expect(home.everything()['trades']?.[0]).toMatchObject({
      status: 'open',
      open_quantity: 0.3,
      exit_price: null,
      gross_pnl: 0,
    });
    expect(
      counts(home.import(home.lines('trades.jsonl', { id: 't1', executions: [] }))),
    ).toEqual([[0, 1, 0]]);
    expect(stored()).toBe(0);
  });

  test('closing a trade computes its P&L, and leaves nothing open', () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', OPEN));
    expect(home.everything()['trades']?.[0]).toMatchObject({
      open_quantity: 10,
      gross_pnl: 0,
    });
    home.import(
      home.lines('trades.jsonl', {
        id: 't1',
        status: 'closed',
        closed_at: TRADE.closed_at,
        exit_price: 101,
      }),
    );
    expect(home.everything()['trades']?.[0]).toMatchObject({
      open_quantity: 0,
      gross_pnl: 10,
      status: 'closed',
    });
  });

  test('the rate of a trade in the base currency is 1, stored as null', () => {
    const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
    home.import(
      home.lines(
        'trades.jsonl',
        { ...TRADE, fx_rate: 1 },
        { ...TRADE, id: 't2', currency: 'USD', fx_rate: 0.9 },
      ),
    );
    expect(home.rows('SELECT currency, fx_rate FROM trades ORDER BY id')).toEqual([
      { currency: 'EUR', fx_rate: null },
      { currency: 'USD', fx_rate: 0.9 },
    ]);
  });

  test("the single trade's extra parts are skipped", () => {
    const home = new ImportHome().withUser();
    const answer = {
      data: {
        ...TRADE,
        net_pnl: 35,
        executions: [],
        group: null,
        journals: null,
        group_journals: null,
        withheld: ['journals:read'],
      },
    };
    expect(counts(home.import(home.file('trades.json', JSON.stringify(answer))))).toEqual(
      [[1, 0, 0]],
    );
  });
});

describe('a stop on the wrong side', () => {
  test('is a warning that names the trade, which is imported without a risk', () => {
    const home = new ImportHome().withUser();
    const stopped = (id: string, stop_loss: number) => ({ ...TRADE, id, stop_loss });
    const above = TRADE.entry_price + 1;
    const file = home.lines(
      'trades.jsonl',
      stopped('t1', TRADE.entry_price - 1),
      stopped('t2', above),
    );
    const words = `stop_loss is ${above}, but a long entered at ${TRADE.entry_price} loses below that, so the stop gives no risk`;
    expect(home.import(file).files[0]?.notes).toEqual([`trade t2: ${words}`]);
    expect(home.rows('SELECT risk IS NULL AS none FROM trades ORDER BY id')).toEqual([
      { none: 0 },
      { none: 1 },
    ]);
    expect(home.findings()).toEqual([expect.stringContaining(words)]);
    // Only for changed stops, not for unchanged ones.
    expect(home.import(file).files[0]?.notes).toEqual([]);
    expect(
      home.import(home.lines('trades.jsonl', { id: 't2', notes: 'x' })).files[0]?.notes,
    ).toEqual([]);
  });

  test('is counted if there are many', () => {
    const home = new ImportHome().withUser();
    const many = Array.from({ length: 8 }, (_, i) => ({
      ...TRADE,
      id: `t${i}`,
      stop_loss: TRADE.entry_price,
    }));
    const notes = home.import(home.lines('trades.jsonl', ...many)).files[0]?.notes ?? [];
    expect(notes).toHaveLength(6);
    expect(notes.at(-1)).toBe(
      '3 more stops give no risk; "journal-api check" lists them',
    );
  });
});

describe('derived values', () => {
  test.each([
    [{ net_pnl: 34 }, 'net_pnl: the file states 34, but it computes to 35'],
    [{ outcome: 'loss' }, 'outcome: the file states "loss", but it computes to "win"'],
    [{ outcome: 'breakeven' }, 'outcome: the file states "breakeven", but'],
    [{ r_multiple: 1 }, 'r_multiple: the file states 1, but it computes to null'],
    [
      { holding_seconds: 60 },
      'holding_seconds: the file states 60, but it computes to 3600',
    ],
  ])('of a trade are rejected if they disagree: %j', (values, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusal('trades', { ...TRADE, ...values })).toContain(`1: ${message}`);
    expect(home.everything()['trades']).toEqual([]);
  });

  test('that are null state nothing', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.lines('trades.jsonl', {
        ...TRADE,
        outcome: null,
        net_pnl: null,
        holding_seconds: null,
      }),
    );
  });

  test("a risk that an earlier version lacked isn't a contradiction", () => {
    const home = new ImportHome().withUser();
    const stopped = {
      ...TRADE,
      stop_loss: TRADE.entry_price - 1,
      risk: null,
      r_multiple: null,
    };
    home.import(home.lines('trades.jsonl', stopped));
    home.import(
      home.lines('sessions.jsonl', {
        id: 's',
        date: '2026-11-02',
        metrics: { trades: 1, total_r: null },
      }),
    );
    const [{ risk }] = home.rows('SELECT risk FROM trades') as [{ risk: number }];
    expect(risk).toBeGreaterThan(0);
    expect(home.refusal('trades', { ...stopped, risk: risk + 1 })).toContain(
      `risk: the file states ${risk + 1}, but`,
    );
  });

  test('agree within rounding', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.lines('trades.jsonl', {
        ...TRADE,
        net_pnl: 35.0000004,
        outcome: 'win',
        holding_seconds: 3600,
      }),
    );
  });

  const GROUP = {
    id: 'g1',
    name: 'G',
    kind: 'custom',
    market: 'stock',
    status: 'closed',
    opened_at: TRADE.executed_at,
    closed_at: TRADE.closed_at,
  };

  test('of a group wait for the trades of the same import, and the error names the group', () => {
    const home = new ImportHome().withUser();
    const wrong = home.lines('trade-groups.jsonl', { ...GROUP, net_pnl: 36 });
    const trades = home.lines('trades.jsonl', { ...TRADE, group_id: 'g1' });
    expect(() => home.import([trades, wrong])).toThrow(
      `${wrong}:1: net_pnl: the file states 36, but it computes to 35`,
    );
    const right = home.lines('trade-groups.jsonl', {
      ...GROUP,
      net_pnl: 35,
      trade_ids: ['t1'],
      leg_count: 1,
    });
    expect(counts(home.import([trades, right]))).toEqual([
      [0, 0, 1],
      [1, 0, 0],
    ]);
  });

  test('of a group are checked at once without trades in the import', () => {
    const home = new ImportHome().withUser();
    expect(home.refusal('trade-groups', { ...GROUP, leg_count: 1 })).toContain(
      '1: leg_count: the file states 1, but it computes to 0',
    );
  });

  test('given members of a session’s metrics are compared', () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', TRADE));
    const session = { id: 's1', date: '2026-11-02' };
    expect(home.refusal('sessions', { ...session, metrics: { trades: 2 } })).toContain(
      '1: metrics: the file states {"trades":2}',
    );
    home.import(
      home.lines('sessions.jsonl', { ...session, metrics: { trades: 1, net_pnl: 35 } }),
    );
  });
});

describe('a bad row names file, line, field and reason, and nothing of its file is written', () => {
  test.each([
    [
      'trades',
      { ...TRADE, market: 'stonk' },
      '1: market: must be one of stock, option, future, forex, crypto, cfd, other; got "stonk"',
    ],
    ['trades', { ...TRADE, symbl: 'A' }, '1: symbl: unknown field; did you mean symbol?'],
    ['trades', { ...TRADE, constructor: 1 }, '1: constructor: unknown field'],
    ['trades', { ...TRADE, symbol: undefined }, '1: symbol: is missing'],
    ['trades', { ...TRADE, symbol: '' }, '1: symbol: must not be empty; got ""'],
    [
      'trades',
      { ...TRADE, id: 'a b' },
      '1: id: must be 1 to 128 letters, digits and . _ : ~ -; got "a b"',
    ],
    ['trades', { ...TRADE, id: undefined }, '1: id: is missing'],
    ['trades', { ...TRADE, id: 7 }, '1: id: must be text; got 7'],
    ['trades', { ...TRADE, quantity: '10' }, '1: quantity: must be a number; got "10"'],
    ['trades', { ...TRADE, quantity: 0 }, '1: quantity: must be above 0; got 0'],
    ['trades', { ...TRADE, fees: -1 }, '1: fees: must be 0 or more; got -1'],
    ['trades', { ...TRADE, rating: 4.5 }, '1: rating: must be a whole number; got 4.5'],
    ['trades', { ...TRADE, rating: 6 }, '1: rating: must be 5 or less; got 6'],
    [
      'trades',
      { ...TRADE, currency: 'usd' },
      '1: currency: must be 2 to 10 capital letters or digits, such as USD; got "usd"',
    ],
    ['trades', { ...TRADE, tags: 'a' }, '1: tags: must be a list; got "a"'],
    ['trades', { ...TRADE, tags: [1] }, '1: tags[0]: must be text; got 1'],
    [
      'trades',
      { ...TRADE, notes: 'a\0b' },
      '1: notes: must be text without NUL characters',
    ],
    [
      'trades',
      { ...TRADE, expiration: '2026-02-30' },
      '1: expiration: must be a day that exists, such as 2026-11-20; got "2026-02-30"',
    ],
    [
      'trades',
      { ...TRADE, executed_at: '2026-02-30T10:00:00Z' },
      '1: executed_at: must be a date and time with its offset',
    ],
    [
      'trades',
      { ...TRADE, executed_at: '2026-02-30T10:00:00.000Z' },
      '1: executed_at: must be a date and time with its offset',
    ],
    [
      'trades',
      { ...TRADE, executed_at: '2026-11-02T10:00:00' },
      '1: executed_at: needs an offset',
    ],
    [
      'trades',
      { ...TRADE, entry_price: 1e15 },
      '1: entry_price: must be between -1e15 and 1e15; got 1000000000000000',
    ],
    [
      'trades',
      { ...TRADE, fees: 1e15 },
      '1: fees: must be below 1e15; got 1000000000000000',
    ],
    [
      'trades',
      { ...TRADE, quantity: 1e13, exit_price: 1e6 },
      '1: gross_pnl: must be between -1e15 and 1e15; got 9',
    ],
    [
      'trades',
      { ...TRADE, executed_at: '0000-01-01T00:00:00+05:30' },
      '1: executed_at: must be in the years 0001 to 9998; got "0000-01-01T00:00:00+05:30"',
    ],
    [
      'trades',
      { ...TRADE, fx_rate: 1.1 },
      "1: fx_rate: must be 1 or omitted for a trade in the user's base currency (USD); got 1.1",
    ],
    [
      'trades',
      { ...TRADE, exit_price: null },
      "1: gross_pnl: is missing, and can't be computed without exit_price",
    ],
    ['trades', { ...TRADE, side: undefined }, '1: side: is missing'],
    [
      'trades',
      { ...TRADE, closed_at: null },
      '1: closed_at: is missing although status is closed',
    ],
    [
      'trades',
      { ...TRADE, status: 'open' },
      '1: closed_at: must be null while status is open; got "2026-11-02T15:30:00Z"',
    ],
    [
      'trades',
      { ...TRADE, closed_at: '2026-11-02T09:00-05:00' },
      '1: closed_at: must not be before executed_at: 2026-11-02T09:00-05:00 is before 2026-11-02T14:30:00Z',
    ],
    [
      'trades',
      { ...TRADE, open_quantity: 1 },
      '1: open_quantity: must be 0 once status is closed; got 1',
    ],
    [
      'trades',
      { ...TRADE, group_id: 'none' },
      '1: group_id: there is no trade group with the id "none"; import it first',
    ],
    [
      'trades',
      {
        ...TRADE,
        executions: [{ executed_at: TRADE.executed_at, side: 'buy', quantity: 1 }],
      },
      '1: executions[0].price: is missing',
    ],
    ['trades', { ...TRADE, executions: {} }, '1: executions: must be a list; got {}'],
    [
      'trades',
      {
        ...TRADE,
        executions: [
          { executed_at: TRADE.executed_at, side: 'buy', quantity: 1, price: 1 },
        ],
      },
      "1: gross_pnl: is missing, and can't be computed because the executions don't end flat",
    ],
    [
      'trades',
      {
        ...TRADE,
        executions: [{}, { executed_at: TRADE.executed_at, side: 'buy', quantity: 1 }],
      },
      '1: executions[0].executed_at, executions[0].side, executions[0].quantity, executions[0].price, executions[1].price: are missing',
    ],
    [
      'trades',
      {
        ...TRADE,
        executions: ['buy', 'sell'].map((side) => ({
          executed_at: TRADE.executed_at,
          side,
          quantity: 10,
          price: 1e308,
        })),
      },
      '1: gross_pnl: must be a number; got NaN',
    ],
    [
      'trades',
      { id: 't2' },
      '1: symbol, market, side, status, executed_at, quantity, entry_price: are missing',
    ],
    [
      'sessions',
      { id: 's', goals: [{}, {}] },
      '1: goals[0].text, goals[1].text: are missing',
    ],
    [
      'trade-journals',
      { id: 'j', trade_id: 'none', phase: 'during' },
      '1: trade_id: there is no trade with the id "none"; import it first',
    ],
    [
      'trade-journals',
      { id: 'j', trade_id: 't', phase: 'during', attachments: [{ url: 'javascript:x' }] },
      '1: attachments[0].url: must be a web address that begins with http:// or https://, or that of a kept picture, such as /v1/attachments/<sha256>.png; got "javascript:x"',
    ],
    [
      'trade-journals',
      { id: 'j', trade_id: 't', phase: 'during', rules: [{ rule: 'r', folowed: true }] },
      '1: rules[0]: has no member "folowed"',
    ],
    [
      'group-journals',
      { id: 'j', group_id: 'none', phase: 'during' },
      '1: group_id: there is no trade group with the id "none"; import it first',
    ],
    [
      'weekly-reviews',
      { id: 'w', period_start: '2026-11-09', period_end: '2026-11-08' },
      '1: period_end: must not be before period_start',
    ],
    [
      'weekly-reviews',
      {
        id: 'w',
        period_start: '2026-11-09',
        period_end: '2026-11-10',
        worst_trade_id: 'x',
      },
      '1: worst_trade_id: there is no trade',
    ],
    [
      'sessions',
      {
        id: 's',
        date: '2026-11-09',
        started_at: '2026-11-09T10:00Z',
        ended_at: '2026-11-09T09:00Z',
      },
      '1: ended_at: must not be before started_at',
    ],
    [
      'sessions',
      { id: 's', date: '2026-11-09', sleep_hours: 25 },
      '1: sleep_hours: must be 24 or less; got 25',
    ],
    [
      'sessions',
      { id: 's', date: '2026-11-09', review: { rating: 9 } },
      '1: review.rating: must be 5 or less; got 9',
    ],
    [
      'journal-rows',
      { id: 'j', type: 'week', phase: 'during' },
      '1: type: must be one of trade, group; got "week"',
    ],
    [
      'journal-rows',
      { id: 'j', type: 'trade', trade_id: 't', group_id: 'g', phase: 'during' },
      '1: group_id: must be null for a journal entry of type trade',
    ],
  ])('%s %j', (resource, record, message) => {
    const home = new ImportHome().withUser();
    const before = home.hash();
    expect(home.refusal(resource, record)).toContain(message);
    expect(home.hash()).toBe(before);
  });

  test('earlier rows are rolled back, earlier files stay', () => {
    const home = new ImportHome().withUser();
    home.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2' });
    home.lines(
      'missed-trades.jsonl',
      {
        id: 'm1',
        missed_at: TRADE.executed_at,
        symbol: 'A',
        market: 'stock',
        side: 'long',
        miss_type: 'away',
      },
      { id: 'm2' },
    );
    expect(home.refusalOf(home.folder)).toMatch(
      /missed-trades\.jsonl:2: missed_at, symbol, market, side, miss_type: are missing \(the other file was imported\)$/,
    );
    expect(home.everything()['trades']).toHaveLength(2);
    expect(home.everything()['missed-trades']).toEqual([]);
  });

  test('the same id twice names both lines', () => {
    const home = new ImportHome().withUser();
    const path = home.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2' }, TRADE);
    expect(home.refusalOf(path)).toBe('3: id: "t1" is also on line 1; keep one');
  });

  test('a reference to the record of another user is missing', () => {
    const home = new ImportHome().withUser();
    home.write("INSERT INTO users (id) VALUES ('bob')");
    home.import(home.lines('trades.jsonl', TRADE), { user: 'bob' });
    expect(
      home.refusal('trade-journals', { id: 'j', trade_id: 't1', phase: 'during' }),
    ).toContain('there is no trade with the id "t1"');
  });

  test('another program that keeps writing is named as the reason', () => {
    const home = new ImportHome().withUser();
    const other = new Database(home.journal);
    other.exec('BEGIN IMMEDIATE');
    try {
      expect(home.refusal('trades', TRADE, { patience: 50 })).toContain(
        'another program is using it',
      );
    } finally {
      other.close();
    }
  });
});

describe('files and folders', () => {
  test('a folder is imported groups first, then trades, then the rest; other files are named', () => {
    const home = new ImportHome().withUser();
    const folder = home.path('records');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    home.lines('records/group-journals.jsonl', {
      id: 'j',
      group_id: 'g',
      phase: 'review',
    });
    home.lines('records/trade_journals.jsonl', {
      id: 'j',
      trade_id: 't1',
      phase: 'review',
    });
    home.lines('records/Trades.ndjson', { ...TRADE, group_id: 'g' });
    home.lines('records/trade-groups.jsonl', {
      id: 'g',
      name: 'G',
      kind: 'rolled',
      market: 'option',
      status: 'open',
      opened_at: TRADE.executed_at,
    });
    home.file('records/README.md', '[notes]');
    home.file('records/accounts.csv', 'a,b\n');
    home.file('records/.hidden', '');
    home.file('records/sessions.jsonl', '');
    home.file('records/weekly-reviews.csv', '\n');
    symlinkSync('nowhere', home.path('records/trade-groups.csv'));
    execFileSync('mkfifo', [home.path('records/missed-trades.jsonl')]);
    const report = home.import(folder);
    expect(report.files.map(({ resource }) => resource)).toEqual([
      'trade-groups',
      'trades',
      'group-journals',
      'trade-journals',
    ]);
    const neither = 'not an export of a known platform, and not named after a resource';
    expect(
      report.ignored.map(({ file, reason }) => [file.slice(folder.length + 1), reason]),
    ).toEqual([
      ['accounts.csv', neither],
      ['missed-trades.jsonl', 'not a regular file'],
      ['sessions.jsonl', 'empty'],
      ['sub', 'a subfolder'],
      ['trade-groups.csv', 'a broken link'],
      ['weekly-reviews.csv', 'empty'],
      [
        'README.md',
        'a note without the property "type", in no folder named after a resource',
      ],
    ]);
  });

  test('files with endless lines or columns are rejected quickly', () => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.json', '\n'.repeat(10_000_001)))).toContain(
      'the file is empty',
    );
    expect(home.refusalOf(home.file('trades.csv', '\n'.repeat(10_000_001)))).toContain(
      'the file is empty',
    );
    const long = 'x'.repeat(17_000_000);
    expect(home.refusalOf(home.file('trades.csv', `id\n${long}`))).toBe(
      '2: this row is longer than 16 million characters',
    );
    expect(home.refusalOf(home.file('trades.jsonl', `\n{"id": "${long}"}`))).toBe(
      '2: this line is longer than 16 million characters',
    );
    const names = Array.from({ length: 20_000 }, (_, i) => `c${i}`);
    expect(home.refusalOf(home.file('trades.csv', `${names}\n`))).toContain(
      'has 20000 cells',
    );
  });

  test('an empty folder, an unknown name and an unknown resource are errors with a remedy', () => {
    const home = new ImportHome().withUser();
    mkdirSync(home.path('empty'));
    home.file('empty/trades.jsonl', '');
    expect(home.refusalOf(home.path('empty'))).toContain('nothing to import');
    expect(home.refusalOf(home.lines('mine.jsonl', TRADE))).toContain(
      'pass --as (trades, trade-groups, journal-rows',
    );
    expect(home.refusalOf(home.path('mine.jsonl'), { as: 'trade' })).toContain(
      'did you mean trades?',
    );
    expect(home.refusalOf(home.file('mine.txt', 'hello'), { as: 'trades' })).toContain(
      'unknown format; pass --format',
    );
    expect(home.refusalOf(home.path('mine.jsonl'), { format: 'jsonl' })).toContain(
      'unknown contents; name it after a resource, or pass --as',
    );
    expect(counts(home.import(home.path('mine.jsonl'), { as: 'trades' }))).toEqual([
      [1, 0, 0],
    ]);
  });

  test.each([
    [
      'orders.csv',
      '\n Ticket;Side;Lots \n1;buy;2\n',
      'known platform; it begins with: Ticket;Side;Lots\n"journal-api import --formats" lists',
    ],
    ['mine.txt', 'hello', 'known platform; it begins with: hello\n'],
    ['long.csv', 'x'.repeat(5000), `begins with: ${'x'.repeat(200)}\n`],
    [
      'book.bin',
      Buffer.from('PK\u0003\u0004rest'),
      'is an archive; unpack it and import its files\n"journal-api import --formats" lists',
    ],
    ['none.csv', '', 'is empty\n"journal-api import --formats" lists'],
  ])('the error of an unknown file shows its beginning: %s', (name, content, words) => {
    const home = new ImportHome().withUser();
    const refusal = home.refusalOf(home.file(name, content));
    expect(refusal).toContain(words);
    expect(refusal).toContain('--formats');
  });
});
