/** Findings of check in changed journals and damaged files. */
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { checkJournal } from '../../src/journal/check.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { freshSchema } from '../../src/journal-write/open.ts';
import { Reader } from '../../src/sqlite/reader.ts';
import { runs } from '../effort.ts';
import { addRecord, ROWS, tradeRow, World } from '../helpers.ts';

function findings(world: World): string[] {
  const journal = openJournal(world.files.journal);
  try {
    return journal.read((reader) =>
      [...checkJournal(reader, freshSchema())].map(
        ({ where, id, problem }) => `${where} ${id}: ${problem}`,
      ),
    );
  } finally {
    journal.close();
  }
}

function journalWithEverything(): World {
  const world = new World();
  for (const path of Object.keys(ROWS))
    addRecord(world, path, 'r', '2026-11-18T10:00:00.000Z');
  world.insert(
    'trades',
    tradeRow('t', {
      executed_at: '2026-11-18T10:00:00.000Z',
      closed_at: '2026-11-18T11:00:00.000Z',
    }),
  );
  world.insert(
    'executions',
    {
      trade_id: 't',
      position: 0,
      executed_at: '2026-11-18T10:00:00.000Z',
      side: 'buy',
      quantity: 1,
      price: 100,
    },
    {
      trade_id: 't',
      position: 1,
      executed_at: '2026-11-18T11:00:00.000Z',
      side: 'sell',
      quantity: 1,
      price: 101,
    },
  );
  return world;
}

test('finds nothing in a correct journal', () => {
  expect(findings(new World())).toEqual([]);
  const world = journalWithEverything();
  expect(findings(world)).toEqual([]);
  // Many platforms state fees per trade only.
  world.db.exec("UPDATE trades SET fees = 5 WHERE id = 't'");
  expect(findings(world)).toEqual([]);
});

describe('finds', () => {
  test.each([
    [
      'P&L that differs from the executions',
      "UPDATE trades SET gross_pnl = 2 WHERE id = 't'",
      'trades t: gross_pnl is 2, but it computes to 1 from its executions',
    ],
    [
      'P&L that differs from the prices',
      "DELETE FROM executions; UPDATE trades SET entry_price = 10, exit_price = 12, gross_pnl = 500 WHERE id = 't'",
      'trades t: gross_pnl is 500, but it computes to 2 from its prices, quantity and multiplier',
    ],
    [
      'a stop on the winning side',
      "UPDATE trades SET stop_loss = 100.5, initial_risk = 5 WHERE id = 't'",
      'trades t: stop_loss is 100.5, but a long entered at 100 loses below that, so the stop gives no risk',
    ],
    [
      'fees that differ from their sum',
      'UPDATE executions SET fees = 0.5',
      'trades t: fees are 0, but they compute to 1 from its executions',
    ],
    [
      'a wrong quantity',
      "UPDATE trades SET quantity = 3 WHERE id = 't'",
      'trades t: quantity is 3, but it computes to 1 from its executions',
    ],
    [
      'a closed trade with open executions',
      'DELETE FROM executions WHERE position = 1',
      'trades t: open_quantity is 0, but it computes to 1 from its executions',
    ],
    [
      'times out of order',
      "UPDATE trades SET executed_at = '2026-11-18T09:00:00.000Z' WHERE id = 't'",
      'trades t: executed_at is 2026-11-18T09:00:00.000Z, but its first execution was at 2026-11-18T10:00:00.000Z',
    ],
    [
      'a tag that is not a text',
      `DROP TRIGGER trades_words_update; UPDATE trades SET tags = '["a",1]' WHERE id = 't'`,
      'trades t: tags.1: Invalid input: expected string, received number',
    ],
    [
      'a rule without an answer',
      `UPDATE trade_journals SET rules = '[{"rule":"x"}]'`,
      'trade-journals r: rules.0.followed: Invalid input: expected boolean, received undefined',
    ],
    [
      'an invalid link',
      `UPDATE trade_journals SET attachments = '[{"url":"javascript:alert(1)","caption":null}]'`,
      'trade-journals r: attachments.0.url: must be a web address that begins with http:// or https://, or that of a kept picture, such as /v1/attachments/<sha256>.png',
    ],
    [
      'a zone that does not exist',
      "UPDATE users SET timezone = 'Mars/Olympus'",
      'users null: timezone "Mars/Olympus" is not a valid IANA time zone; set one with "journal-api user set"',
    ],
    [
      'a rate on a trade in the base currency',
      "UPDATE trades SET fx_rate = 2 WHERE id = 't'",
      'trades t: fx_rate is 2, but a trade in the base currency has rate 1; it is ignored',
    ],
    [
      'a missing index',
      'DROP INDEX trades_closed',
      'schema null: the index trades_closed is missing; see schema.sql',
    ],
  ])('%s', (_, sql, expected) => {
    const world = journalWithEverything();
    world.db.exec(sql);
    expect(findings(world)).toContain(expected);
  });

  test('references to missing records', () => {
    const world = journalWithEverything();
    world.db.pragma('foreign_keys = OFF');
    world.db.exec("DELETE FROM trades WHERE id = 'about'");
    world.db.exec("DELETE FROM trades WHERE id = 't'");
    world.db.exec("UPDATE sessions SET user_id = 'gone'");
    expect(findings(world)).toEqual(
      expect.arrayContaining([
        'trade_journals r: refers to a missing trade',
        'sessions r: refers to a missing user',
        'executions t: 2 executions refer to a missing trade',
      ]),
    );
  });
});

describe('missing parts of the schema are reported, and the rest is checked', () => {
  const fresh = freshSchema();

  /** Findings in a changed copy of a journal that has one fault of each kind. */
  function findingsAfter(world: World, sql: string): string[] {
    const db = new Database(world.db.serialize());
    db.pragma('foreign_keys = OFF');
    try {
      db.exec(sql);
      return [...checkJournal(new Reader(db), fresh)].map(
        ({ where, id, problem }) => `${where} ${id}: ${problem}`,
      );
    } finally {
      db.close();
    }
  }

  const planted = () => {
    const world = journalWithEverything();
    world.db.exec(
      "UPDATE users SET timezone = 'Mars/Olympus'; UPDATE executions SET fees = 0.5",
    );
    world.db.exec(`UPDATE trade_journals SET rules = '[{"rule":"x"}]'`);
    return world;
  };

  test('objects, one by one', () => {
    const world = planted();
    const sound = findingsAfter(world, '');
    expect(sound).toHaveLength(3);
    for (const { type, name } of fresh) {
      const found = findingsAfter(world, `DROP ${type} ${name}`);
      expect(found).toContain(
        `schema null: the ${type} ${name} is missing; see schema.sql`,
      );
      // Findings that don't need it are unchanged.
      const lost = sound.filter((finding) => !found.includes(finding));
      const mayLose: Record<string, number> = {
        users: 3,
        trades: 1,
        executions: 1,
        trade_journals: 1,
      };
      expect([name, lost.length]).toEqual([name, mayLose[name] ?? 0]);
    }
  });

  test('columns, one by one', { timeout: 600_000 }, () => {
    const world = planted();
    const views = fresh
      .filter(({ type }) => type === 'view' || type === 'trigger')
      .map(({ name, type }) => ({ name, type }));
    const away = views.map(({ name, type }) => `DROP ${type} ${name};`).join('');
    for (const { name: table } of fresh.filter(({ type }) => type === 'table')) {
      const columns = world.db.pragma(`table_info(${table})`) as { name: string }[];
      // All columns with npm run test:long, else one in four.
      for (const { name } of columns.filter((_, index) => index % runs(1, 4) === 0)) {
        const drop = `${away} ALTER TABLE ${table} RENAME COLUMN ${name} TO other;`;
        const found = findingsAfter(world, drop);
        const expected = `schema null: the column ${table}.${name} is missing; see schema.sql`;
        expect(found).toContain(expected);
      }
    }
  });

  test.each([
    [
      'a changed view',
      'DROP VIEW trade_records; CREATE VIEW trade_records AS SELECT * FROM trades',
      'schema null: the view trade_records differs from schema.sql',
    ],
    [
      'an index over other columns',
      'DROP INDEX trades_closed; CREATE INDEX trades_closed ON trades (closed_at)',
      'schema null: the index trades_closed differs from schema.sql',
    ],
    [
      'a trigger that does nothing',
      'DROP TRIGGER users_touch; CREATE TRIGGER users_touch AFTER UPDATE ON users BEGIN SELECT 1; END',
      'schema null: the trigger users_touch differs from schema.sql',
    ],
    [
      'a table in place of a view',
      'DROP VIEW journal_rows; CREATE TABLE journal_rows (a)',
      'schema null: the view journal_rows is missing; see schema.sql',
    ],
    [
      'a table without its checks',
      'DROP TABLE executions; CREATE TABLE executions (user_id, trade_id, position, executed_at, side, quantity, price, fees)',
      'schema null: the column executions.side differs from schema.sql',
    ],
  ])('%s', (_, sql, expected) => {
    const found = findingsAfter(planted(), sql);
    expect(found.some((finding) => finding.startsWith(expected))).toBe(true);
  });

  test('another layout and additions of the owner are allowed', () => {
    const world = journalWithEverything();
    world.db.exec(`
      DROP INDEX trades_closed;
      CREATE INDEX "trades_closed"  ON trades(user_id,
        closed_at, -- first
        id, executed_at);
      CREATE VIEW mine AS SELECT 1;
      ALTER TABLE users ADD COLUMN motto TEXT;`);
    expect(findings(world)).toEqual([]);
  });
});
