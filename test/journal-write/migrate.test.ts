/** Upgrades of journals with every released schema. */
import { hash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SCHEMA_SQL } from '../../src/embedded.ts';
import {
  normalSql,
  openJournal,
  SCHEMA_VERSION,
  schemaOf,
  tableParts,
} from '../../src/journal/journal.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { upgradeJournal } from '../../src/journal-write/migrate.ts';
import { freshSchema } from '../../src/journal-write/open.ts';
import { Reader } from '../../src/sqlite/reader.ts';
import { MIGRATION_STEPS } from '../../src/statements/migration-steps.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { runHere, startServe } from '../program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixture = (name: string) => readFileSync(join(root, 'test/fixtures', name), 'utf8');

const NEWEST = `schema-${SCHEMA_VERSION}.sql`;
const versionOf = (name: string) => Number(/^schema-(\d+).*\.sql$/.exec(name)?.[1]);
const OLDER = readdirSync(join(root, 'test/fixtures')).filter(
  (name) => versionOf(name) < SCHEMA_VERSION,
);

/** Rows of the tables that later versions added, by one of these. */
const ROWS_WITH: Readonly<Record<string, string>> = {
  fills: 'rows-fills.sql',
  fee_rates: 'rows-fees.sql',
  account_limits: 'rows-lines.sql',
  kept_files: 'rows-kept.sql',
  stated_trades: 'rows-stated.sql',
  cash_flows: 'rows-cash.sql',
};

/** A journal file with a schema and the rows of test/fixtures/rows.sql. */
function fileOf(schema: string, rows = fixture('rows.sql')): string {
  const path = join(temporaryFolder(), 'journal.db');
  const db = new Database(path);
  db.exec(schema);
  db.exec(rows);
  db.close();
  return path;
}

function opened(path: string): Database.Database {
  const db = new Database(path);
  onTestFinished(() => void db.close());
  return db;
}

/** All responses of the service about a journal file, for each user. */
async function answersOf(path: string): Promise<unknown[]> {
  const world = new World();
  renameSync(path, world.files.journal);
  const trades = ['t1', 't2', 't9', 't10', 'open~1', 'even'].map((id) => `trades/${id}`);
  const paths = [
    ...RESOURCES.map((resource) => resource.path),
    ...trades,
    'analytics/summary',
    'summary?days=365',
  ];
  const answers: unknown[] = [];
  for (const user of ['me', 'ana']) {
    const key = world.key(undefined, user);
    for (const path of paths) {
      const { status, body } = await world.ask(`/v1/${path}`, { key });
      answers.push([user, path, status, status === 200 ? body.data : null]);
    }
  }
  renameSync(world.files.journal, path);
  return answers;
}

describe.each(OLDER)('%s', (name) => {
  test('equals a new journal after the upgrade, and gives the same responses', async () => {
    const has = (table: string) => fixture(name).includes(`CREATE TABLE ${table} (`);
    const rows = [
      fixture('rows.sql'),
      ...Object.entries(ROWS_WITH).map(([table, file]) =>
        has(table) ? fixture(file) : '',
      ),
    ].join('');
    const from = versionOf(name);
    const statements = has('import_records') ? fixture('rows-statements.sql') : '';
    const changes = has('import_records') ? fixture('rows-changes.sql') : '';
    const path = fileOf(fixture(name), rows + (from < 10 ? changes : statements));
    const fresh = fileOf(SCHEMA_SQL, rows + statements);
    expect(await upgradeJournal(path, { steps: MIGRATION_STEPS })).toEqual({
      from,
      to: SCHEMA_VERSION,
      backup: `${path}.version-${from}`,
      notes: [],
    });

    const [own, made] = [opened(path), opened(fresh)];
    const shapeOf = (db: Database.Database) =>
      schemaOf(new Reader(db))
        .map(({ type, name, sql }) => [
          type,
          name,
          type === 'table' ? tableParts(sql).sort() : normalSql(sql),
        ])
        .sort();
    expect(shapeOf(own)).toEqual(shapeOf(made));
    const tables = freshSchema().filter(({ type }) => type === 'table');
    expect(tables.length).toBeGreaterThan(8);
    for (const { name: table } of tables) {
      const columns = (db: Database.Database) =>
        (db.pragma(`table_xinfo(${table})`) as any[])
          .map(({ cid: _, ...column }) => column)
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(columns(own), `columns of ${table}`).toEqual(columns(made));
      const hasRowid = (made.pragma(`table_list(${table})`) as any[])[0].wr === 0;
      const all = `SELECT ${hasRowid ? 'rowid AS rowid, ' : ''}* FROM ${table} ORDER BY 1, 2`;
      expect(own.prepare(all).all(), table).toEqual(made.prepare(all).all());
      if (has(table))
        expect(
          made.prepare(all).all(),
          `add rows of ${table} to test/fixtures/, and their file to ROWS_WITH`,
        ).not.toEqual([]);
    }
    own.close();
    made.close();
    expect(await answersOf(path)).toEqual(await answersOf(fresh));
    if (has('import_pictures')) {
      mkdirSync(`${path}-attachments`);
      writeFileSync(join(`${path}-attachments`, `${hash('sha256', '')}.png`), '');
    }
    expect(await runHere(['check', '--db', path])).toMatchObject({ code: 0 });
  });
});

describe('a value that version 3 rejects', () => {
  const old = (change: string) =>
    fileOf(fixture('schema-2.sql'), `${fixture('rows.sql')} ${change}`);

  test('is cleared if it may be empty, and counted', async () => {
    const path = old(`
      UPDATE users SET starting_balance = 5e-324 WHERE id = 'ana';
      UPDATE trade_groups SET initial_risk = 9e-9 WHERE id = 'g1';
      UPDATE trades SET initial_risk = 5e-324 WHERE id IN ('even', 'open~1');
      UPDATE trades SET fx_rate = 1e-300 WHERE id = 't10';
      UPDATE trades SET expiration = '-0001-01-01' WHERE id = 't1';
      UPDATE sessions SET started_at = '0000-01-01T00:00:00.000Z' WHERE id = 's2';
      UPDATE sessions SET ended_at = '9999-12-31T00:00:00.000Z' WHERE id = 's1';
      UPDATE weekly_reviews SET reviewed_at = '-1000-01-01T00:00:00.000Z' WHERE id = 'w0';`);
    const stamps = () =>
      opened(path)
        .prepare('SELECT id, updated_at FROM trades ORDER BY user_id, id')
        .all();
    const before = stamps();
    const { notes } = await upgradeJournal(path, { steps: MIGRATION_STEPS });
    expect(notes).toEqual([
      'a starting_balance below 1e-8 is empty now in 1 of the users',
      'an initial_risk below 1e-8 is empty now in 2 of the trade groups',
      'an initial_risk below 1e-8 is empty now in 2 of the trades',
      'an fx_rate below 1e-12 is empty now in 1 of the trades',
      'an expiration before the year 1 is empty now in 2 of the trades',
      'a started_at outside of the years 1 to 9998 is empty now in 1 of the sessions',
      'an ended_at outside of the years 1 to 9998 is empty now in 2 of the sessions',
      'a reviewed_at outside of the years 1 to 9998 is empty now in 1 of the weekly reviews',
    ]);
    expect(stamps()).toEqual(before);
    const risks = opened(path)
      .prepare("SELECT id, initial_risk FROM trades WHERE user_id = 'me' ORDER BY id")
      .all();
    expect(risks).toEqual([
      { id: 'even', initial_risk: null },
      { id: 'open~1', initial_risk: null },
      { id: 't1', initial_risk: 250 },
      { id: 't10', initial_risk: 0.3 },
      { id: 't2', initial_risk: null },
      { id: 't9', initial_risk: 5 },
    ]);
  });

  test.each([
    [
      "UPDATE trades SET executed_at = '0000-01-01T00:00:00.000Z' WHERE id = 't9'",
      'trades t9 (user me): executed_at: ',
    ],
    [
      "UPDATE trades SET tags = '[]' || char(0) WHERE id = 't9'",
      'trades t9 (user me): tags: ',
    ],
    [
      "UPDATE sessions SET date = '9999-01-01' WHERE user_id = 'ana'",
      'sessions s1 (user ana): date: ',
    ],
    [
      "UPDATE users SET base_currency = 'US' || char(0) WHERE id = 'me'",
      'user me: base_currency: ',
    ],
    [
      "UPDATE executions SET executed_at = '0000-01-01T00:00:00.000Z' WHERE user_id = 'me' AND position = 0",
      'executions of trade t1 (user me): executed_at: ',
    ],
  ])('is reported if it must not be empty: %s', async (change, words) => {
    const path = old(change);
    await expect(upgradeJournal(path, { steps: MIGRATION_STEPS })).rejects.toThrow(
      `the journal ${path} was not changed: ${words}`,
    );
    expect(opened(path).pragma('user_version', { simple: true })).toBe(2);
  });
});

test('an id that version 6 rejects is renamed with all references, and counted', async () => {
  const path = fileOf(
    fixture('schema-5.sql'),
    `PRAGMA foreign_keys = OFF; ${fixture('rows.sql')}
    UPDATE trades SET id = '.' WHERE user_id = 'me' AND id = 't1';
    UPDATE executions SET trade_id = '.' WHERE user_id = 'me' AND trade_id = 't1';
    UPDATE trade_journals SET trade_id = '.' WHERE user_id = 'me' AND trade_id = 't1';
    UPDATE weekly_reviews SET best_trade_id = '.' WHERE user_id = 'me' AND best_trade_id = 't1';
    UPDATE weekly_reviews SET worst_trade_id = '.' WHERE user_id = 'me' AND worst_trade_id = 't1';
    UPDATE trade_groups SET id = '..' WHERE user_id = 'me' AND id = 'g1';
    UPDATE trades SET group_id = '..' WHERE user_id = 'me' AND group_id = 'g1';
    UPDATE group_journals SET group_id = '..' WHERE user_id = 'me' AND group_id = 'g1';
    UPDATE sessions SET id = '..' WHERE user_id = 'me' AND id = 's1';`,
  );
  const { notes } = await upgradeJournal(path, { steps: MIGRATION_STEPS });
  expect(notes).toEqual([
    'the id of 1 of the trade groups was . or .. and begins with dot: now',
    'the id of 1 of the trades was . or .. and begins with dot: now',
    'the id of 1 of the sessions was . or .. and begins with dot: now',
  ]);
  const db = opened(path);
  expect(db.pragma('foreign_key_check')).toEqual([]);
  expect(
    db.prepare("SELECT count(*) AS n FROM executions WHERE trade_id = 'dot:.'").get(),
  ).toEqual({ n: 3 });
  for (const id of ['.', '..']) {
    expect(() =>
      db.prepare('UPDATE trades SET id = ? WHERE id = ?').run(id, 't2'),
    ).toThrow(/CHECK constraint failed/);
  }
  expect(await runHere(['check', '--db', path])).toMatchObject({ code: 0 });
  const world = new World();
  renameSync(path, world.files.journal);
  const { status, body } = await world.ask('/v1/trades/dot:.', { key: world.key() });
  expect([status, body.data.group.id, body.data.executions.length]).toEqual([
    200,
    'dot:..',
    3,
  ]);
});

test('an id renamed for version 6 is new in the journal', async () => {
  const path = fileOf(
    fixture('schema-5.sql'),
    `${fixture('rows.sql')}
    UPDATE sessions SET id = '..' WHERE user_id = 'me' AND id = 's1';
    INSERT INTO sessions (user_id, id, date) VALUES ('me', 'dot:..', '2026-01-02'), ('me', '.', '2026-01-05');
    INSERT INTO missed_trades (user_id, id, missed_at, symbol, market, side, miss_type, currency) VALUES
      ('me', 'dot2:.', '2026-01-02T10:00:00.000Z', 'MES', 'future', 'long', 'away', 'USD');`,
  );
  const { notes } = await upgradeJournal(path, { steps: MIGRATION_STEPS });
  expect(notes).toEqual([
    'the id of 2 of the sessions was . or .. and begins with dot3: now',
  ]);
  const ids = opened(path)
    .prepare("SELECT id FROM sessions WHERE id GLOB 'dot*' ORDER BY id")
    .pluck()
    .all();
  expect(ids).toEqual(['dot3:.', 'dot3:..', 'dot:..']);
});

test('version 7 marks fees of 0 as stated, unless all formats of the fill state none', async () => {
  const path = fileOf(
    fixture('schema-6.sql'),
    `${fixture('rows.sql')} ${fixture('rows-fills.sql')}
    INSERT INTO imports (user_id, id, imported_at, file, format, resource, rows, fills, records, trades) VALUES
      ('me', 2, '2026-11-20T12:00:00.000Z', 'Performance.csv', 'tradovate', 'trades', 2, 2, 0, 0);
    INSERT INTO import_fills (user_id, fill_id, import_id, place, fees) VALUES ('me', 'acme:2', 2, 0, 0);
    UPDATE import_fills SET import_id = 2 WHERE fill_id = 'acme:1';
    INSERT INTO fills SELECT user_id, 'acme:3', 'acme:3', part, platform, format, account, symbol, market, currency, underlying, expiration, strike,
      option_type, multiplier, executed_at, kind, side, quantity, price, 0, fee_quantity, effect, may_short, rate_base, rate, former_symbol, has_time
      FROM fills WHERE id = 'acme:1';
    INSERT INTO import_fills (user_id, fill_id, import_id, place, fees) VALUES ('me', 'acme:3', 2, 0, 0);`,
  );
  await upgradeJournal(path, { steps: MIGRATION_STEPS });
  const rows = (sql: string) => opened(path).prepare(sql).raw().all();
  expect(rows('SELECT id, fees, fees_stated, order_id FROM fills ORDER BY id')).toEqual([
    ['acme:1', 0.62, 1, null],
    ['acme:2', 0, 1, null],
    ['acme:3', 0, 0, null],
  ]);
  expect(
    rows('SELECT fill_id, import_id, fees_stated FROM import_fills ORDER BY 1, 2'),
  ).toEqual([
    ['acme:1', 2, 1],
    ['acme:2', 1, 1],
    ['acme:2', 2, 0],
    ['acme:3', 2, 0],
  ]);
});

test('version 9 marks closed trades of a file as days if none of them has a time', async () => {
  const trade = (id: string, opened: string, closed: string) => `
    INSERT INTO trades (user_id, id, symbol, market, side, status, executed_at, closed_at, quantity, open_quantity, entry_price, exit_price, currency, gross_pnl)
      VALUES ('me', '${id}', 'ACME', 'stock', 'long', 'closed', '${opened}', '${closed}', 1, 0, 1, 2, 'USD', 1);
    INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price) VALUES
      ('me', '${id}', 0, '${opened}', 'buy', 1, 1), ('me', '${id}', 1, '${closed}', 'sell', 1, 2);`;
  const imported = (id: number, format: string, ...trades: string[]) => `
    INSERT INTO imports (user_id, id, imported_at, file, sha256, format, resource, rows, fills, records, trades)
      VALUES ('me', ${id}, '2026-11-20T12:00:00.000Z', 'f', '${String(id).repeat(64)}', '${format}', 'trades', 2, 0, 2, 0);
    ${trades.map((own) => `INSERT INTO import_records (user_id, resource, record_id, import_id, change) VALUES ('me', 'trades', '${own}', ${id}, 'added');`).join('')}`;
  const [days, times] = [
    ['2026-11-02T05:00:00.000Z', '2026-11-03T05:00:00.000Z'],
    ['2026-11-02T14:30:00.000Z', '2026-11-03T05:00:00.000Z'],
  ] as [[string, string], [string, string]];
  const path = fileOf(
    fixture('schema-8.sql'),
    `INSERT INTO users (id, timezone) VALUES ('me', 'America/New_York');
    ${trade('a', ...days)} ${trade('b', ...days)} ${trade('c', ...days)} ${trade('d', ...times)} ${trade('e', ...days)}
    ${trade('f', '2026-11-02T18:30:00.000Z', '2026-11-02T18:30:00.000Z')}
    ${imported(1, 'tradingview', 'a', 'b')} ${imported(2, 'map:own', 'c', 'd')} ${imported(3, 'topstepx', 'e')} ${imported(4, 'groww', 'f')}`,
  );
  await upgradeJournal(path, { steps: MIGRATION_STEPS });
  const marked = 'SELECT id, has_time FROM trades ORDER BY id';
  const days9 = opened(path).prepare(marked).raw().all();
  expect(days9).toEqual([
    ['a', 0],
    ['b', 0],
    ['c', 1],
    ['d', 1],
    ['e', 1],
    ['f', 0],
  ]);
  expect(
    opened(path)
      .prepare('SELECT count(*) FROM executions WHERE has_time = 0')
      .pluck()
      .get(),
  ).toBe(6);
});

test.each(['.', '..'])('a record or user with the id %s is rejected', async (id) => {
  const home = join(temporaryFolder(), 'home');
  const file = join(temporaryFolder(), 'trades.jsonl');
  writeFileSync(file, `${JSON.stringify({ ...tradeRow(id), fees: 0 })}\n`);
  const { code, stderr } = await runHere(['import', file, '--home', home]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('must not be . or ..')]);
  expect((await runHere(['init', '--home', home])).code).toBe(0);
  expect((await runHere(['user', 'add', id, '--home', home])).stderr).toContain(
    'not . or ..',
  );
});

test('schema.sql equals its release: any change needs a new version', () => {
  expect(
    normalSql(SCHEMA_SQL),
    `schema.sql is not what version ${SCHEMA_VERSION} was released as, test/fixtures/${NEWEST}. Raise its user_version, add a file to migrations/, and copy it to test/fixtures: CONTRIBUTING.md, "Change the schema".`,
  ).toBe(normalSql(fixture(NEWEST)));
});

test('each version but the first has one migration', () => {
  const names = readdirSync(join(root, 'migrations')).sort();
  expect(names.map((name) => /^(\d{3})-[a-z0-9-]+\.sql$/.exec(name)?.[1])).toEqual(
    Array.from({ length: SCHEMA_VERSION - 1 }, (_, i) => String(i + 2).padStart(3, '0')),
  );
});

/** The newest journal with one more migration. */
function oneMore(sql: string): string[] {
  return [...Array.from({ length: SCHEMA_VERSION - 1 }, () => ''), sql];
}

const MOTTO = oneMore('ALTER TABLE users ADD COLUMN motto TEXT');

test('an upgrade keeps a backup of the old journal next to the new one', async () => {
  const world = new World();
  const { journal: path } = world.files;
  writeFileSync(`${path}.version-${SCHEMA_VERSION}`, 'an earlier one');
  const backup = `${path}.version-${SCHEMA_VERSION}-2`;
  const to = SCHEMA_VERSION + 1;
  expect(
    await upgradeJournal(path, { steps: MIGRATION_STEPS, migrations: MOTTO }),
  ).toEqual({
    from: SCHEMA_VERSION,
    to,
    backup,
    notes: [],
  });
  expect(readFileSync(`${path}.version-${SCHEMA_VERSION}`, 'utf8')).toBe(
    'an earlier one',
  );
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(world.db.prepare('SELECT motto FROM users').all()).toEqual([{ motto: null }]);
  expect(world.db.pragma('user_version', { simple: true })).toBe(to);
  const before = openJournal(backup);
  expect(before.read((reader) => reader.get('SELECT id FROM users'))).toEqual({
    id: 'me',
  });
  before.close();
  expect(
    await upgradeJournal(path, { steps: MIGRATION_STEPS, migrations: MOTTO }),
  ).toEqual({
    from: to,
    to,
    backup: null,
    notes: [],
  });
  await expect(upgradeJournal(path, { steps: MIGRATION_STEPS })).rejects.toThrow(
    /newer than this program supports/,
  );
});

describe('a migration', () => {
  test('that fails changes nothing', async () => {
    const world = new World();
    const before = schemaOf(new Reader(world.db));
    const failing = oneMore('CREATE TABLE half (a); SELECT nonsense');
    await expect(
      upgradeJournal(world.files.journal, {
        steps: MIGRATION_STEPS,
        migrations: failing,
      }),
    ).rejects.toThrow(/no such column: nonsense/);
    expect(schemaOf(new Reader(world.db))).toEqual(before);
    expect(world.db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
  });

  // Tables made only for this test.
  const stricter = oneMore(`
    INSERT INTO notes SELECT count(*) || ' names are shorter' FROM users WHERE length(name) > 3;
    UPDATE users SET name = substr(name, 1, 3);
    CREATE TABLE users_new (
      id TEXT NOT NULL PRIMARY KEY, name TEXT, timezone TEXT, base_currency TEXT CHECK (base_currency <> 'XXX'), starting_balance REAL,
      breakeven_tolerance REAL, created_at TEXT, updated_at TEXT
    ) STRICT, WITHOUT ROWID`);

  test('rebuilds a table, keeps references to it, and reports its changes', async () => {
    const world = new World({ name: 'Long' });
    world.insert('trades', tradeRow('t'));
    const { updated_at } = world.db.prepare('SELECT updated_at FROM users').get() as any;
    const { notes } = await upgradeJournal(world.files.journal, {
      steps: MIGRATION_STEPS,
      migrations: stricter,
    });
    expect(notes).toEqual(['1 names are shorter']);
    // No trigger of the old schema ran.
    expect(world.db.prepare('SELECT name, updated_at FROM users').get()).toEqual({
      name: 'Lon',
      updated_at,
    });
    expect(world.db.prepare('SELECT id FROM trade_records').all()).toEqual([{ id: 't' }]);
    expect(world.db.pragma('foreign_key_check')).toEqual([]);
  });

  test('names the rows that the new table rejects, and changes nothing', async () => {
    const world = new World();
    for (const id of ['a', 'b']) world.addUser(id, { base_currency: 'XXX' });
    const upgrade = upgradeJournal(world.files.journal, {
      steps: MIGRATION_STEPS,
      migrations: stricter,
    });
    await expect(upgrade).rejects.toThrow(
      /was not changed: user a: base_currency: .*got "XXX"; user b: base_currency: .*got "XXX"$/,
    );
    expect(world.db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
    expect(world.db.prepare('SELECT id FROM users').all()).toHaveLength(3);
  });

  test("keeps the owner's own tables, views, triggers and indexes, and refuses to drop their columns", async () => {
    const world = new World();
    const own = `
      CREATE TABLE mine (a); CREATE TABLE mine_new (a);
      CREATE VIEW my_view AS SELECT id FROM users;
      CREATE TRIGGER my_trigger AFTER INSERT ON users BEGIN INSERT INTO mine VALUES (NEW.id); END;
      CREATE INDEX my_index ON users (name);`;
    world.db.exec(own);
    await upgradeJournal(world.files.journal, {
      steps: MIGRATION_STEPS,
      migrations: stricter,
    });
    const names = schemaOf(new Reader(world.db)).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['mine', 'mine_new', 'my_view', 'my_trigger', 'my_index']),
    );

    const other = new World();
    other.db.exec('ALTER TABLE users ADD COLUMN motto TEXT');
    await expect(
      upgradeJournal(other.files.journal, {
        steps: MIGRATION_STEPS,
        migrations: stricter,
      }),
    ).rejects.toThrow(/users has the column motto, .*table of your own/);
  });

  test('leaves broken references broken', async () => {
    const world = new World();
    world.db.pragma('foreign_keys = OFF');
    world.insert('trades', tradeRow('t', { user_id: 'gone' }));
    await upgradeJournal(world.files.journal, {
      steps: MIGRATION_STEPS,
      migrations: MOTTO,
    });
    expect(world.db.pragma('foreign_key_check')).toHaveLength(1);
  });
});

test('upgrade reports its result, or that there is nothing to do', async () => {
  const path = fileOf(fixture('schema-1.sql'));
  const [first, second] = [
    await runHere(['upgrade', '--db', path]),
    await runHere(['upgrade', '--db', path]),
  ];
  expect([first.code, first.stderr]).toEqual([
    0,
    expect.stringMatching(/from version 1 to \d+\. .*\.version-1\.$/m),
  ]);
  expect([second.code, second.stderr]).toEqual([
    0,
    expect.stringMatching(/already has the newest version/),
  ]);
});

describe('an older journal', () => {
  test.each([
    [['check']],
    [['import', 'trades.csv']],
    [['key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h']],
    [['user', 'list']],
    [['user', 'add', 'you']],
    [['user', 'set', 'me', '--name', 'Me']],
  ])('is rejected by %j, which names the command that upgrades it', async (command) => {
    const path = fileOf(fixture('schema-1.sql'));
    writeFileSync(join(path, '..', 'trades.csv'), 'id\nt1\n');
    const file = command.map((word) =>
      word === 'trades.csv' ? join(path, '..', word) : word,
    );
    const { code, stderr } = await runHere([...file, '--home', join(path, '..')]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /schema version 1 is older than .* run "journal-api upgrade"/,
      ),
    ]);
  });

  test('is served after its upgrade; until then the start and each response name the command', async () => {
    const path = fileOf(fixture('schema-1.sql'));
    const { url, output } = await startServe(['--db', path, '--home', join(path, '..')]);
    expect(output.stderr).toMatch(
      /warning: .*version 1 is older .* run "journal-api upgrade"/,
    );
    const health = () =>
      fetch(`${url}/healthz`).then(async (answer) => [
        answer.status,
        ((await answer.json()) as any).detail,
      ]);
    expect(await health()).toEqual([
      503,
      expect.stringMatching(/version 1 is older .* run "journal-api upgrade"/),
    ]);
    await upgradeJournal(path, { steps: MIGRATION_STEPS });
    expect(await health()).toEqual([200, undefined]);
  });
});

describe('texts that an earlier version deleted', () => {
  const SECRET = 'a text that was deleted before';

  /** A journal with a deleted text in its free pages. */
  function withDeletedText(): string {
    const path = fileOf(fixture('schema-9.sql'));
    const db = new Database(path);
    db.exec(
      `CREATE TABLE gone (a); INSERT INTO gone VALUES ('${SECRET.repeat(500)}'); DROP TABLE gone`,
    );
    db.close();
    return path;
  }

  test('are gone from the upgraded file, which names the space that it needs before', async () => {
    const path = withDeletedText();
    expect(readFileSync(path, 'latin1')).toContain(SECRET);
    const { code, stderr } = await runHere(['upgrade', '--db', path]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^The upgrade needs up to \d+ MB of free disk space/),
    ]);
    expect(readFileSync(path, 'latin1')).not.toContain(SECRET);
    expect(await runHere(['check', '--db', path])).toMatchObject({ code: 0 });
  });

  test('stay while another program reads the file, as check says, until the next upgrade', async () => {
    const path = withDeletedText();
    await upgradeJournal(path, { steps: MIGRATION_STEPS });
    // As if the first try had failed.
    opened(path).exec('CREATE TABLE rewrite_due (mark INTEGER)');
    const checked = await runHere(['check', '--db', path]);
    expect([checked.code, checked.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^file: texts that an earlier version deleted .* "journal-api upgrade" .* \d+ MB of free/,
      ),
    ]);
    const reader = opened(path);
    reader.exec('BEGIN; SELECT count(*) FROM users');
    const { notes } = await upgradeJournal(path, { steps: MIGRATION_STEPS });
    expect(notes).toEqual([
      expect.stringMatching(/could not be rewritten: .*another program is using it/),
    ]);
    reader.exec('COMMIT');
    expect(await upgradeJournal(path, { steps: MIGRATION_STEPS })).toMatchObject({
      backup: null,
      notes: [],
    });
    expect(await runHere(['check', '--db', path])).toMatchObject({ code: 0 });
  });
});

test('groups that an import named have names of today, the trader’s own stay', async () => {
  const path = fileOf(
    fixture('schema-10.sql'),
    `INSERT INTO users (id) VALUES ('me');
    INSERT INTO trade_groups (user_id, id, name, kind, strategy, underlying, market, status, opened_at, closed_at, currency)
    SELECT 'me', value, CASE value WHEN 'own' THEN 'Lotto' ELSE 'META 19 Dec 2025 715/720 call vertical' END, 'multi_leg', 'vertical', 'META',
      'option', 'closed', '2025-12-01T10:00:00.000Z', '2025-12-02T10:00:00.000Z', 'USD' FROM json_each('["found","own","empty"]');
    INSERT INTO trades (user_id, id, symbol, market, side, status, executed_at, closed_at, quantity, open_quantity, entry_price, currency, gross_pnl,
      group_id, underlying, expiration, strike, option_type)
    SELECT 'me', g.value || s.value, 'META 2025-12-19 C' || s.value, 'option', 'long', 'closed', '2025-12-01T10:00:00.000Z',
      '2025-12-02T10:00:00.000Z', 1, 0, 1, 'USD', 0, g.value, 'META', '2025-12-19', s.value, 'call'
    FROM json_each('["found","own"]') AS g, json_each('[715,720]') AS s;`,
  );
  await upgradeJournal(path, { steps: MIGRATION_STEPS });
  const names = opened(path)
    .prepare('SELECT id, name FROM trade_groups ORDER BY id')
    .raw()
    .all();
  expect(names).toEqual([
    ['empty', 'META 19 Dec 2025 715/720 call vertical'],
    ['found', 'META 2025-12-19 call vertical 715/720'],
    ['own', 'Lotto'],
  ]);
});
