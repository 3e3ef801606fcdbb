/** What an undo keeps: later changes by the user, and records that other files state too. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { exportJournal } from '../../src/export/index.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { runHere } from '../program.ts';
import { answers } from './changed.ts';
import { FillHome } from './fill-home.ts';
import { TRADE } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const PAIRS = [
  'MESZ6,2,1,1,6800.00,6801.00,$5.00,11/02/2026 09:31:00,11/02/2026 09:30:00',
  'MESZ6,3,4,1,6800.00,6802.50,$12.50,11/02/2026 10:00:00,11/02/2026 10:05:00',
];
const pairs = (home: FillHome, name: string, ...rows: string[]) =>
  home.file(name, [HEADER, ...rows].join('\n'));

describe('a field that the user changed after the import', () => {
  const BEFORE = {
    ...TRADE,
    notes: 'before',
    setup: 'before',
    tags: ['before'],
    rating: 1,
  };
  const IMPORTED = {
    id: TRADE.id,
    notes: 'imported',
    setup: 'imported',
    tags: ['imported'],
    rating: 2,
  };
  const written = (home: FillHome) => home.everything()['trades']?.[0];

  function imported(): FillHome {
    const home = new FillHome().withUser();
    for (const record of [BEFORE, IMPORTED])
      home.import(home.lines('trades.jsonl', record));
    return home;
  }

  test.each([
    ['notes', "'mine'", "'imported'"],
    ['setup', 'NULL', "'imported'"],
    ['tags', `'["mine"]'`, `'["before","imported"]'`],
    ['rating', '5', '2'],
  ])(
    'stops undo of the import that states it (%s), until it is as stated',
    (field, sql, stated) => {
      const home = imported();
      home.write(`UPDATE trades SET ${field} = ${sql}`);
      const hash = home.hash();
      expect(() => home.undo()).toThrow(
        `another program has changed ${field} of t1 (trades) since`,
      );
      expect(home.hash()).toBe(hash);
      home.write(`UPDATE trades SET ${field} = ${stated}`);
      home.undo();
      const { id: _, notes, setup, tags, rating } = BEFORE;
      expect(written(home)).toMatchObject({ notes, setup, tags, rating });
    },
  );

  test('stays if the undone import does not state it, unless its record goes', () => {
    const home = imported();
    home.write("UPDATE trades SET timeframe = '5m'");
    expect(home.undo().records).toEqual({ removed: 0, restored: 1, kept: 0 });
    expect(written(home)).toMatchObject({ notes: 'before', timeframe: '5m' });
    expect(() => home.undo()).toThrow(
      'another program has changed timeframe of t1 (trades) since',
    );
  });

  test('stops undo of the only import that has it, though the journal keeps no values of it', () => {
    const home = new FillHome().withUser();
    home.import(home.lines('trades.jsonl', BEFORE, { ...BEFORE, id: 't2' }));
    home.write("UPDATE trades SET fees = 3 WHERE id = 't1'");
    const hash = home.hash();
    expect(() => home.undo()).toThrow(
      'another program has changed t1 (trades) since; to undo the import all the same, remove it first: journal-api remove trades t1',
    );
    expect(home.hash()).toBe(hash);
  });

  test('stops undo of a file that alone says something of a trade made from fills', () => {
    const home = new FillHome().withUser();
    home.import(pairs(home, 'fills.csv', ...PAIRS), { timeZone: 'UTC' });
    const id = home.rows('SELECT id FROM trades ORDER BY id')[0]?.['id'];
    home.import(home.file('labels.csv', `id,setup\n${id},imported\n`), {
      as: 'trades',
      timeZone: 'UTC',
    });
    home.write(`UPDATE trades SET setup = 'mine' WHERE id = '${id}'`);
    expect(() => home.undo()).toThrow(
      `another program has changed setup of ${id} (trades) since`,
    );
  });

  test('is ignored if its record is deleted', () => {
    const home = imported();
    home.write('DELETE FROM trades');
    expect(home.undo().records).toEqual({ removed: 0, restored: 0, kept: 0 });
    expect(home.rows('SELECT * FROM trades')).toEqual([]);
  });

  test('stays if it is an exchange rate from a file', () => {
    const home = new FillHome().withUser('me', { base_currency: 'EUR' });
    home.import(
      home.lines(
        'trades.jsonl',
        ...['a', 'b'].map((id) => ({ ...TRADE, id, currency: 'USD' })),
      ),
    );
    home.import(home.file('rates.csv', 'date,currency,rate\n2026-11-02,USD,0.8\n'));
    home.write("UPDATE trades SET fx_rate = 0.81 WHERE id = 'b'");
    expect(home.undo().records).toMatchObject({ restored: 1 });
    expect(home.rows('SELECT fx_rate FROM trades ORDER BY id')).toEqual([
      { fx_rate: null },
      { fx_rate: 0.81 },
    ]);
  });
});

describe('a record in several files', () => {
  const having = (...notes: string[]) => {
    const home = new FillHome().withUser();
    for (const own of notes)
      home.import(home.lines('trades.jsonl', { ...TRADE, notes: own }));
    return home;
  };
  const notes = (home: FillHome) =>
    home.rows('SELECT notes FROM trades').map((row) => row['notes']);

  test('stays while one of them has it', () => {
    const home = having('first', 'second', 'third');
    expect(home.undo(1).records).toEqual({ removed: 0, restored: 0, kept: 1 });
    expect(notes(home)).toEqual(['third']);
    expect(home.undo(3).records).toEqual({ removed: 0, restored: 1, kept: 0 });
    expect(notes(home)).toEqual(['second']);
    expect(home.undo(2).records).toEqual({ removed: 1, restored: 0, kept: 0 });
    expect(notes(home)).toEqual([]);
  });

  test('gets a new updated_at when an undo changes it', () => {
    const home = having('first');
    home.now += 60_000;
    home.import(home.lines('trades.jsonl', { ...TRADE, notes: 'second' }));
    home.now += 60_000;
    home.undo();
    expect(home.rows('SELECT notes, updated_at FROM trades')).toEqual([
      { notes: 'first', updated_at: new Date(home.now).toISOString() },
    ]);
  });
});

test('a dry run undoes nothing', async () => {
  const home = new FillHome().withUser();
  home.import(home.lines('trades.jsonl', TRADE));
  const before = home.hash();
  const { code, stderr } = await runHere([
    'import',
    'undo',
    '--dry-run',
    '--home',
    home.folder,
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('nothing was written')]);
  expect(home.hash()).toBe(before);
});

test('both kinds of entries of one file are removed', () => {
  const home = new FillHome().withUser();
  const group = {
    id: 'g',
    name: 'G',
    kind: 'custom',
    market: 'stock',
    status: 'open',
    opened_at: TRADE.executed_at,
  };
  home.import([
    home.lines('trade-groups.jsonl', group),
    home.lines('trades.jsonl', { ...TRADE, group_id: 'g' }),
  ]);
  const before = home.tables();
  const rows = [
    { id: 'j', type: 'trade', trade_id: TRADE.id, phase: 'review' },
    { id: 'j', type: 'group', group_id: 'g', phase: 'review' },
  ];
  home.import(home.lines('journal-rows.jsonl', ...rows));
  expect(home.undo().records).toEqual({ removed: 2, restored: 0, kept: 0 });
  expect(home.tables()).toEqual(before);
});

describe('a file that repeats fills of another', () => {
  test('is in the list, and keeps them when the other is undone', () => {
    const home = new FillHome().withUser();
    home.import(pairs(home, 'October.csv', ...PAIRS));
    const trades = home.trades();
    home.import(pairs(home, 'November.csv', PAIRS[1] as string));
    expect(listImports({ journal: home.journal }).map(({ file }) => file)).toEqual([
      'November.csv',
      'October.csv',
    ]);
    expect(home.trades()).toEqual(trades);
    expect(home.undo(1)).toMatchObject({
      fills: { removed: 2, kept: 2 },
      trades: { removed: 1 },
    });
    expect(home.rows('SELECT gross_pnl FROM trades')).toEqual([{ gross_pnl: 12.5 }]);
    home.undo();
    expect(home.rows('SELECT * FROM trades')).toEqual([]);
  });

  test('in another account is a separate import, in an exported copy too', async () => {
    const home = new FillHome().withUser();
    const path = home.file(
      'fills.csv',
      'Instrument,Action,Quantity,Price,Time,E/X\nMNQ DEC26,Buy,1,25000,11/13/2026 10:00:07 AM,Entry\n',
    );
    for (const account of ['a', 'b'])
      home.import(path, { account, allowDuplicates: true });
    await exportJournal({
      journal: home.journal,
      folder: home.path('export'),
      as: 'jsonl',
    });
    const copy = new FillHome();
    copy.import(home.path('export'));
    const listed = listImports({ journal: copy.journal }).filter(
      ({ file }) => file === 'fills.csv',
    );
    expect(listed.map(({ account, fills }) => `${account} ${fills}`).sort()).toEqual([
      'a 1',
      'b 1',
    ]);
  });

  test('is in the list of an exported copy that had the fills from the first only', async () => {
    const [home, copy] = [new FillHome().withUser(), new FillHome().withUser()];
    for (const own of [home, copy]) own.import(pairs(own, 'October.csv', ...PAIRS));
    home.import(pairs(home, 'November.csv', PAIRS[1] as string));
    await exportJournal({
      journal: home.journal,
      folder: home.path('export'),
      as: 'jsonl',
    });
    copy.import(home.path('export'));
    expect(listImports({ journal: copy.journal }).map(({ file }) => file)).toEqual([
      'November.csv',
      'October.csv',
    ]);
    copy.undo(1);
    expect(copy.rows('SELECT gross_pnl FROM trades')).toEqual([{ gross_pnl: 12.5 }]);
  });
});

describe('trades imported as records before their fills', () => {
  async function twice() {
    const [home, copy] = [new FillHome().withUser(), new FillHome().withUser()];
    home.import(pairs(home, 'fills.csv', ...PAIRS));
    const made = home.contents();
    home.write("UPDATE trades SET setup = 'ORB', rating = 4, notes = 'waited'");
    await exportJournal({
      journal: home.journal,
      folder: home.path('export'),
      as: 'jsonl',
    });
    copy.import(`${home.path('export')}/trades.jsonl`);
    const stated = copy.contents();
    copy.import(home.path('fills.csv'));
    return { copy, made, stated };
  }

  test('stay as the fills make them after undo of the records, and are removed with the fills', async () => {
    const { copy, made } = await twice();
    expect(copy.undo(1).records).toEqual({ removed: 0, restored: 2, kept: 0 });
    expect(copy.contents()).toEqual(made);
    expect(copy.undo()).toMatchObject({ fills: { removed: 4 }, trades: { removed: 2 } });
    expect(copy.rows('SELECT * FROM trades')).toEqual([]);
  });

  test('stay as the records state them after undo of the fills, and are removed with the records', async () => {
    const { copy, stated } = await twice();
    expect(copy.undo()).toMatchObject({ fills: { removed: 4 }, trades: { removed: 0 } });
    expect(copy.contents()).toEqual(stated);
    expect(copy.undo().records).toEqual({ removed: 2, restored: 0, kept: 0 });
    expect(copy.rows('SELECT * FROM trades')).toEqual([]);
  });
});

describe('closed trades in a renamed account', () => {
  const closed = (home: FillHome, ...ids: string[]) =>
    home.lines('trades.jsonl', ...ids.map((id) => ({ ...TRADE, id, account: 'wrong' })));
  const accounts = (home: FillHome) =>
    home.rows('SELECT id, account FROM trades ORDER BY id');
  const rename = (home: FillHome) =>
    renameAccount(home.target, 'wrong', 'Big', 'account rename wrong Big');

  function renamed(): FillHome {
    const home = new FillHome().withUser();
    home.import(closed(home, 'a', 'b'));
    rename(home);
    return home;
  }

  test('are removed with their file; the rename is no other file that holds them', () => {
    const home = renamed();
    expect(home.undo(1).records).toEqual({ removed: 2, restored: 0, kept: 0 });
    expect(accounts(home)).toEqual([]);
    expect(home.undo()).toMatchObject({
      records: { removed: 0, restored: 0 },
      missing: [],
    });
    expect(home.rows('SELECT * FROM imports UNION ALL SELECT * FROM imports')).toEqual(
      [],
    );
  });

  test('are in the old account again after undo of the rename, whose file comes again or not', () => {
    const home = renamed();
    home.undo(1);
    home.import(closed(home, 'b', 'c'));
    expect(accounts(home)).toEqual([
      { id: 'b', account: 'Big' },
      { id: 'c', account: 'Big' },
    ]);
    home.undo(2);
    expect(accounts(home)).toEqual([
      { id: 'b', account: 'wrong' },
      { id: 'c', account: 'wrong' },
    ]);
    expect(home.undo().records).toMatchObject({ removed: 2 });
  });

  test('stay with the other file that holds them, in either order', () => {
    for (const order of [
      [1, 2, 3],
      [2, 1, 3],
      [1, 3, 2],
      [3, 1, 2],
    ]) {
      const home = renamed();
      home.import(
        home.lines('more.jsonl', { ...TRADE, id: 'b', account: 'wrong', notes: 'Mine.' }),
        { as: 'trades' },
      );
      for (const id of order.slice(0, 2)) home.undo(id);
      const isLeft = order[2] === 3;
      expect(accounts(home)).toEqual(isLeft ? [{ id: 'b', account: 'wrong' }] : []);
      home.undo();
      expect(accounts(home)).toEqual([]);
    }
  });
});

describe("a day's note read again after other lines added records of that day", () => {
  const change = (home: FillHome, timezone: string) =>
    changeImport({ ...home.target, id: 1, given: { timezone } }, 'import change 1');

  /** A note, a session of its day, then trades: the note's section is of a trade now, no longer text. */
  function noted(): FillHome {
    const home = new FillHome().withUser('me', { timezone: 'America/New_York' });
    const note =
      '---\ntype: day\n---\n\n## 09:31 MESZ6\nrating:: 3\n\n## Lesson\nWait.\n';
    home.import(home.file('2026-11-02.md', note), { timeZone: 'UTC' });
    home.import(home.file('sessions.csv', 'id,date,notes\ns1,2026-11-02,Slow.\n'));
    home.import(pairs(home, 'fills.csv', ...PAIRS), { timeZone: 'UTC' });
    return home;
  }

  const sessions = (home: FillHome) =>
    home.rows(
      "SELECT id, notes, review ->> 'lesson' AS lesson FROM sessions ORDER BY id",
    );

  test('keeps its own session, so that undo of the other removes none of its texts', () => {
    const home = noted();
    const before = answers(home);
    change(home, 'UTC');
    expect(sessions(home)).toMatchObject([
      { id: 'day:2026-11-02', lesson: 'Wait.' },
      { id: 's1', lesson: null },
    ]);
    home.undo();
    expect(answers(home)).toEqual(before);
    change(home, 'UTC');
    home.undo(2);
    expect(sessions(home)).toMatchObject([{ id: 'day:2026-11-02', lesson: 'Wait.' }]);
    expect(home.findings()).toEqual([]);
  });

  test('keeps its own missed trade', () => {
    const home = new FillHome().withUser('me', { timezone: 'UTC' });
    const note = '---\ntype: day\n---\n\n## Missed trades\n\n- 11:00 MSFT long, slow\n';
    home.import(home.file('2026-11-02.md', note), { timeZone: 'UTC' });
    const missed = {
      id: 'm1',
      symbol: 'MSFT',
      market: 'stock',
      side: 'long',
      miss_type: 'hesitated',
    };
    home.import(
      home.lines('missed-trades.jsonl', { ...missed, missed_at: '2026-11-02T12:00:00Z' }),
    );
    const before = answers(home);
    change(home, 'Etc/GMT+1');
    expect(home.rows('SELECT missed_at FROM missed_trades')).toHaveLength(2);
    home.undo();
    expect(answers(home)).toEqual(before);
    change(home, 'Etc/GMT+1');
    home.undo(2);
    expect(home.rows('SELECT reason, notes FROM missed_trades')).toHaveLength(1);
  });

  test('labels closed trades that came after it until the change is undone', () => {
    const home = new FillHome().withUser('me', { timezone: 'UTC' });
    const note =
      '---\ntype: day\n---\n\n## 14:30 AAPL long\nsetup:: ORB\n\n## Lesson\nWait.\n';
    home.import(home.file('2026-11-02.md', note), { timeZone: 'Asia/Tokyo' });
    home.import(home.lines('trades.jsonl', TRADE));
    const before = answers(home);
    change(home, 'UTC');
    expect(home.rows('SELECT setup FROM trades')).toEqual([{ setup: 'ORB' }]);
    home.undo();
    expect(answers(home)).toEqual(before);
    home.undo(2);
    expect(home.rows('SELECT * FROM trades')).toEqual([]);
  });
});

test("a file of labels gives a trade no account: its fills' account is its own", () => {
  const home = new FillHome().withUser();
  home.import(pairs(home, 'fills.csv', ...PAIRS));
  const [{ id }] = home.rows('SELECT id FROM trades ORDER BY executed_at') as [
    { id: string },
  ];
  const labels = home.file('labels.csv', `id,setup\n${id},ORB\n`);
  home.import(labels, { as: 'trades', account: 'main' });
  const before = answers(home);
  expect(home.rows('SELECT account, setup FROM trades ORDER BY executed_at')).toEqual([
    { account: null, setup: 'ORB' },
    { account: null, setup: null },
  ]);
  home.import(home.path('fills.csv'), { account: 'main' });
  home.undo();
  expect(answers(home)).toEqual(before);
});

describe('a record that a later file added to', () => {
  const NOTE = '---\ntype: day\n---\n';
  const note = (home: FillHome, text: string) =>
    home.import(home.file('2026-11-02.md', `${NOTE}${text}`), { timeZone: 'UTC' });

  test('keeps what the file says when the command that wrote its text is undone, and no other program can read the text', async () => {
    const home = new FillHome().withUser();
    await runHere(['note', 'PRIVATE', '--home', home.folder]);
    const [{ date }] = home.rows('SELECT date FROM sessions') as [{ date: string }];
    home.import(home.file(`${date}.md`, `${NOTE}mood:: calm\n`));
    home.undo(1);
    expect(home.rows('SELECT notes, mood FROM sessions')).toEqual([
      { notes: null, mood: 'calm' },
    ]);
    expect(readFileSync(home.journal).includes('PRIVATE')).toBe(false);
    home.undo();
    expect(home.rows('SELECT * FROM sessions')).toEqual([]);
  });

  test('stops undo of the file of closed trades if it is a note about one: it states no trade', () => {
    const home = new FillHome().withUser();
    home.import(home.lines('trades.jsonl', TRADE));
    note(home, '\n## 14:30 AAPL long\nrating:: 3\n');
    expect(() => home.undo(1)).toThrow(
      'import 2 (2026-11-02.md) is about trade t1; journal-api import undo 2',
    );
    home.undo();
    home.undo();
    expect(home.rows('SELECT * FROM trades')).toEqual([]);
  });
});

test('a group has the dates of its legs after undo of one that joined it, whatever a later line did', async () => {
  const home = new FillHome().withUser();
  const day = (date: string) => ({
    executed_at: `${date}T14:30:00Z`,
    closed_at: `${date}T15:30:00Z`,
  });
  const days = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05'];
  home.import(
    home.lines(
      'trades.jsonl',
      ...days.map((date, place) => ({ ...TRADE, id: `t${place}`, ...day(date) })),
    ),
  );
  const run = (...args: string[]) => runHere([...args, '--home', home.folder]);
  expect(await run('group', 't1', 't2', '--name', 'G')).toMatchObject({ code: 0 });
  expect(await run('group', 't0', 't3', '--name', 'G')).toMatchObject({ code: 0 });
  expect(await run('ungroup', 't2')).toMatchObject({ code: 0 });
  home.undo(3);
  expect(home.rows('SELECT id FROM trades WHERE group_id IS NOT NULL')).toEqual([
    { id: 't1' },
  ]);
  const [group] = home.rows('SELECT opened_at, closed_at FROM trade_groups');
  expect(group).toEqual({
    opened_at: '2026-11-03T14:30:00.000Z',
    closed_at: '2026-11-03T15:30:00.000Z',
  });
});
