/** What check finds in journals that were tampered with, file and all. */
import { describe, expect, test } from 'vitest';
import { checkJournal } from '../../src/journal/check.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { SCHEMA_OBJECTS } from '../../src/journal/schema.ts';
import { addRecord, ROWS, tradeRow, World } from '../helpers.ts';

function findings(world: World): string[] {
  const journal = openJournal(world.files.journal);
  try {
    return journal.read((reader) =>
      [...checkJournal(reader, SCHEMA_OBJECTS)].map(({ where, id, problem }) => `${where} ${id}: ${problem}`),
    );
  } finally {
    journal.close();
  }
}

function journalWithEverything(): World {
  const world = new World();
  for (const path of Object.keys(ROWS)) addRecord(world, path, 'r', '2026-11-18T10:00:00.000Z');
  world.insert(
    'trades',
    tradeRow('t', { executed_at: '2026-11-18T10:00:00.000Z', closed_at: '2026-11-18T11:00:00.000Z' }),
  );
  world.insert(
    'executions',
    { trade_id: 't', position: 0, executed_at: '2026-11-18T10:00:00.000Z', side: 'buy', quantity: 1, price: 100 },
    { trade_id: 't', position: 1, executed_at: '2026-11-18T11:00:00.000Z', side: 'sell', quantity: 1, price: 101 },
  );
  return world;
}

test('finds nothing in a sound journal', () => {
  expect(findings(new World())).toEqual([]);
  expect(findings(journalWithEverything())).toEqual([]);
});

describe('finds', () => {
  test.each([
    [
      'P&L that its executions do not make',
      "UPDATE trades SET gross_pnl = 2 WHERE id = 't'",
      'trades t: gross_pnl is 2, but its executions make 1',
    ],
    [
      'fees that do not add up',
      'UPDATE executions SET fees = 0.5',
      'trades t: fees are 0, but those of its executions make 1',
    ],
    [
      'a wrong quantity',
      "UPDATE trades SET quantity = 3 WHERE id = 't'",
      'trades t: quantity is 3, but its executions open 1',
    ],
    [
      'a closed trade whose executions leave it open',
      'DELETE FROM executions WHERE position = 1',
      'trades t: open_quantity is 0, but its executions leave 1',
    ],
    [
      'times out of order',
      "UPDATE trades SET executed_at = '2026-11-18T09:00:00.000Z' WHERE id = 't'",
      'trades t: executed_at is 2026-11-18T09:00:00.000Z, but its first execution was at 2026-11-18T10:00:00.000Z',
    ],
    [
      'a tag that is no text',
      `DROP TRIGGER trades_words_update; UPDATE trades SET tags = '["a",1]' WHERE id = 't'`,
      'trades t: tags.1: Invalid input: expected string, received number',
    ],
    [
      'a rule without its answer',
      `UPDATE trade_journals SET rules = '[{"rule":"x"}]'`,
      'trade-journals r: rules.0.followed: Invalid input: expected boolean, received undefined',
    ],
    [
      'a link that is none',
      `UPDATE trade_journals SET attachments = '[{"url":"javascript:alert(1)","caption":null}]'`,
      'trade-journals r: attachments.0.url: Invalid URL',
    ],
    [
      'a zone that does not exist',
      "UPDATE users SET timezone = 'Mars/Olympus'",
      'users null: timezone "Mars/Olympus" is no IANA zone; set one with "journal-api user set"',
    ],
    [
      'a rate on a trade in the base currency',
      "UPDATE trades SET fx_rate = 2 WHERE id = 't'",
      'trades t: fx_rate is 2, but a trade in the base currency has rate 1; it is ignored',
    ],
    [
      'a missing index',
      'DROP INDEX trades_closed',
      'schema null: trades_closed is missing; schema.sql says how it is made',
    ],
  ])('%s', (_, sql, expected) => {
    const world = journalWithEverything();
    world.db.exec(sql);
    expect(findings(world)).toContain(expected);
  });

  test('references to what is not there', () => {
    const world = journalWithEverything();
    world.db.pragma('foreign_keys = OFF');
    world.db.exec("DELETE FROM trades WHERE id = 'about'");
    world.db.exec("DELETE FROM trades WHERE id = 't'");
    world.db.exec("UPDATE sessions SET user_id = 'gone'");
    expect(findings(world)).toEqual(
      expect.arrayContaining([
        "trade_journals r: refers to a trade that isn't there",
        "sessions r: refers to a user that isn't there",
        "executions t: 2 executions are of a trade that isn't there",
      ]),
    );
  });
});
