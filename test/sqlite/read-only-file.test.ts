/** Passes that take long: they let others through, and keep their snapshot. */
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import type { Reader } from '../../src/sqlite/reader.ts';
import { NOW, tradeRow, World } from '../helpers.ts';

const count = (reader: Reader) => reader.get('SELECT count(*) AS n FROM trades')?.['n'];

function journalOf(world: World) {
  const journal = openJournal(world.files.journal);
  onTestFinished(() => journal.close());
  return journal;
}

/** Busy for longer than a pass may go on without a pause. */
function busy(): void {
  const until = performance.now() + 15;
  while (performance.now() < until);
}

test('others are served in between, and see what is new; the pass does not', async () => {
  const world = new World();
  world.db.pragma('journal_mode = WAL');
  world.insert('trades', tradeRow('a'));
  const journal = journalOf(world);
  const seen: unknown[] = [];
  const pass = journal.readInSteps(function* (reader) {
    seen.push(`pass ${count(reader)}`);
    busy();
    yield;
    seen.push(`pass ${count(reader)}`);
  });
  world.insert('trades', tradeRow('b'));
  seen.push(`other ${journal.read(count)}`);
  await pass;
  expect(seen).toEqual(['pass 1', 'other 2', 'pass 1']);
  expect(journal.read(count)).toBe(2);
});

// Short by the clock: tried again where the machine was busy with something else just then.
test('a short pass is not interrupted', { retry: 5 }, async () => {
  const journal = journalOf(new World());
  const seen: string[] = [];
  const pass = journal.readInSteps(function* () {
    for (let i = 0; i < 3; i++) {
      seen.push('pass');
      yield;
    }
  });
  seen.push('other');
  await pass;
  expect(seen).toEqual(['pass', 'pass', 'pass', 'other']);
});

test('a file replaced meanwhile is the next reader’s; the pass ends with the one it began with', async () => {
  const world = new World();
  world.insert('trades', tradeRow('a'));
  const other = new World();
  const journal = journalOf(world);
  const pass = journal.readInSteps(function* (reader) {
    busy();
    yield;
    return count(reader);
  });
  renameSync(other.files.journal, world.files.journal);
  expect(journal.read(count)).toBe(0);
  expect(await pass).toBe(1);
  expect(journal.read(count)).toBe(0);
});

test('a pass that fails gives its handle back', async () => {
  const world = new World();
  const journal = journalOf(world);
  const failing = journal.readInSteps(function* () {
    busy();
    yield;
    throw new Error('fault');
  });
  await expect(failing).rejects.toThrow('fault');
  world.insert('trades', tradeRow('a'));
  expect(journal.read(count)).toBe(1);
});

test('a summary over many trades lets a list through first', async () => {
  const world = new World();
  const key = world.key();
  const at = (i: number) => new Date(NOW - 1000 * i).toISOString();
  world.db.transaction(() => {
    for (let i = 0; i < 30_000; i++)
      world.insert('trades', tradeRow(`t${i}`, { executed_at: at(i), closed_at: at(i) }));
  })();
  const order: string[] = [];
  const long = world.ask('/v1/analytics/summary?start=2026-01-01', { key }).then(({ body }) => {
    order.push('analytics');
    expect(body.data.performance.trades).toBe(30_000);
  });
  const short = world.ask('/v1/trades?limit=1', { key }).then(() => order.push('list'));
  await Promise.all([long, short]);
  expect(order).toEqual(['list', 'analytics']);
});

test('passes that pause go one after the other, so that a writer gets its turn between them', async () => {
  const journal = journalOf(new World());
  const seen: string[] = [];
  const pass = (name: string) =>
    journal.readInSteps(function* () {
      seen.push(`${name} begins`);
      busy();
      yield;
      busy();
      yield;
      seen.push(`${name} ends`);
    });
  await Promise.all([pass('a'), pass('b'), pass('c')]);
  // Each is tried at once, given up at its first pause while another is at it, and begins again when that one has ended.
  expect(seen).toEqual(['a begins', 'b begins', 'c begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('a pass ends when nobody waits for it any more', async () => {
  const journal = journalOf(new World());
  let wanted = true;
  const pass = journal.readInSteps(
    function* () {
      for (;;) {
        busy();
        yield;
      }
    },
    () => wanted,
  );
  wanted = false;
  await expect(pass).rejects.toThrow('nobody waits');
  expect(journal.read(count)).toBe(0);
});

/** The locks that this process holds on a file. */
function locksOn(ino: number): number {
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
}

describe.skipIf(!existsSync('/proc/locks'))('nothing drops the locks of a pass that is under way', () => {
  test.each(['DELETE', 'WAL'])('another reader, and versions asked for, in mode %s', async (mode) => {
    const world = new World();
    world.db.pragma(`journal_mode = ${mode}`);
    world.insert('trades', tradeRow('a'));
    const { ino } = statSync(world.files.journal);
    const journal = journalOf(world);
    let during = 0;
    const pass = journal.readInSteps(function* (reader) {
      count(reader);
      busy();
      yield;
      during = locksOn(ino);
      yield;
    });
    expect(locksOn(ino)).toBeGreaterThan(0);
    expect(journal.read(count)).toBe(1);
    journal.version();
    await pass;
    expect(during).toBeGreaterThan(0);
    expect(journal.read(count)).toBe(1);
  });

  test('the file moved away and back', async () => {
    const world = new World();
    const { ino } = statSync(world.files.journal);
    const journal = journalOf(world);
    journal.version();
    const pass = journal.readInSteps(function* (reader) {
      count(reader);
      busy();
      yield;
      return locksOn(ino);
    });
    renameSync(world.files.journal, `${world.files.journal}.away`);
    expect(() => journal.read(count)).toThrow('missing');
    journal.version();
    renameSync(`${world.files.journal}.away`, world.files.journal);
    journal.version();
    expect(await pass).toBeGreaterThan(0);
  });
});
