/** Passes that take long: they let others through, and keep their snapshot. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { ReadAbandoned, TooManyReads } from '../../src/sqlite/errors.ts';
import { Handles } from '../../src/sqlite/handles.ts';
import type { ReadOnlyFile } from '../../src/sqlite/read-only-file.ts';
import type { Reader } from '../../src/sqlite/reader.ts';
import { NOW, tradeRow, World } from '../helpers.ts';

const count = (reader: Reader) => reader.get('SELECT count(*) AS n FROM trades')?.['n'];

function journalOf(world: World) {
  const journal = openJournal(world.files.journal);
  onTestFinished(() => journal.close());
  return journal;
}

/** Until what was called has begun, and no further than its first pause. */
const begun = () => new Promise((resume) => setImmediate(resume));

/** The present of these tests, in milliseconds: how busy the machine is does not move it. */
let now = 0;

/** What each look at the clock moves it by. */
let tick = 0;

beforeEach(() => {
  tick = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += tick));
});

/** Busy for longer than a pass may go on without a pause. */
function busy(ms = 15): void {
  now += ms;
}

/** Longer than a pass may keep writers out. */
const LONG = 600;

test('other reads run in between and see new data; the long read does not', async () => {
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
  await begun();
  world.insert('trades', tradeRow('b'));
  seen.push(`other ${journal.read(count)}`);
  await pass;
  expect(seen).toEqual(['pass 1', 'other 2', 'pass 1']);
  expect(journal.read(count)).toBe(2);
});

test('a long read lets a waiting writer in, and restarts on the changed file', async () => {
  const world = new World();
  world.insert('trades', tradeRow('a'));
  world.db.pragma('busy_timeout = 0');
  const journal = journalOf(world);
  const seen: unknown[] = [];
  const pass = journal.readInSteps(function* (reader) {
    for (let i = 0; i < 3; i++) {
      seen.push(count(reader));
      busy(seen.length === 1 ? 15 : LONG);
      yield;
    }
    return count(reader);
  });
  await begun();
  tick = 1;
  world.db.exec('BEGIN IMMEDIATE');
  world.insert('trades', tradeRow('b'));
  expect(() => world.db.exec('COMMIT')).toThrow('locked');
  // The second pause is the first that is due: the writer, which has waited since, keeps the read out until it has committed.
  while (seen.length < 2) await begun();
  await begun();
  world.db.exec('COMMIT');
  expect(await pass).toBe(2);
  expect(seen).toEqual([1, 1, 2, 2, 2]);
});

test('a long read of an unchanged file goes on where it was', async () => {
  const world = new World();
  const journal = journalOf(world);
  const seen: number[] = [];
  await journal.readInSteps(function* () {
    for (let i = 0; i < 50; i++) {
      seen.push(i);
      busy(LONG);
      yield;
    }
  });
  expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test.each([
  ['at its third restart', LONG, 3],
  ['after thirty seconds', 31_000, 1],
])('a long read of a file that keeps changing fails %s', async (_, ms, passes) => {
  const world = new World();
  world.db.pragma('journal_mode = WAL');
  const journal = journalOf(world);
  let begins = 0;
  const pass = journal.readInSteps(function* (reader) {
    count(reader);
    begins++;
    busy(ms);
    world.insert('trades', tradeRow(`t${begins}`));
    yield;
  });
  await expect(pass).rejects.toThrow('the file changes too often for a request that takes this long');
  expect(begins).toBe(passes);
});

test('a short read is not interrupted', async () => {
  const journal = journalOf(new World());
  const seen: string[] = [];
  const pass = journal.readInSteps(function* () {
    for (let i = 0; i < 3; i++) {
      seen.push('pass');
      yield;
    }
  });
  await begun();
  seen.push('other');
  await pass;
  expect(seen).toEqual(['pass', 'pass', 'pass', 'other']);
});

test('a file replaced during a long read serves the next read; the long read ends on its own file', async () => {
  const world = new World();
  world.insert('trades', tradeRow('a'));
  const other = new World();
  const journal = journalOf(world);
  const pass = journal.readInSteps(function* (reader) {
    busy();
    yield;
    return count(reader);
  });
  await begun();
  renameSync(other.files.journal, world.files.journal);
  expect(journal.read(count)).toBe(0);
  expect(await pass).toBe(1);
  expect(journal.read(count)).toBe(0);
});

test('a read that fails returns its handle', async () => {
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
    for (let i = 0; i < 6000; i++) world.insert('trades', tradeRow(`t${i}`, { executed_at: at(i), closed_at: at(i) }));
  })();
  tick = 3;
  const order: string[] = [];
  const long = world.ask('/v1/analytics/summary?start=2026-01-01', { key }).then(({ body }) => {
    order.push('analytics');
    expect(body.data.performance.trades).toBe(6000);
  });
  const short = world.ask('/v1/trades?limit=1', { key }).then(() => order.push('list'));
  await Promise.all([long, short]);
  expect(order).toEqual(['list', 'analytics']);
});

test('reads that pause run one at a time, so that a writer gets a turn in between', async () => {
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

test('a read ends when its result is no longer wanted', async () => {
  const journal = journalOf(new World());
  let wanted = true;
  const pass = journal.readInSteps(
    function* () {
      for (;;) {
        busy();
        yield;
      }
    },
    { owner: 'me', name: 'key', isWanted: () => wanted },
  );
  await begun();
  wanted = false;
  await expect(pass).rejects.toThrow('no longer wanted');
  expect(journal.read(count)).toBe(0);
});

describe('long reads of several clients', () => {
  /** A read that pauses twice and says when it has ended. */
  const long = (journal: ReadOnlyFile, ended: string[], owner: string, name: string, isWanted = () => true) =>
    journal
      .readInSteps(
        function* () {
          for (let i = 0; i < 2; i++) {
            busy();
            yield;
          }
        },
        { owner, name, isWanted },
      )
      .then(() => ended.push(owner));

  test('owners take turns: a late one does not wait for twenty reads of another', async () => {
    const journal = journalOf(new World());
    const ended: string[] = [];
    const reads = Array.from({ length: 20 }, (_, i) => long(journal, ended, 'a', `key ${i % 3}`));
    await begun();
    reads.push(
      long(journal, ended, 'b', 'key b'),
      long(journal, ended, 'c', 'key c'),
      long(journal, ended, 'c', 'key c'),
    );
    await Promise.all(reads);
    // After the one that is at it come one of b, one of c, and the next of a before the second of c.
    expect(ended.slice(0, 5)).toEqual(['a', 'b', 'c', 'a', 'c']);
    expect(ended).toHaveLength(23);
  });

  test('each client has a limit of waiting reads, abandoned ones not counted', async () => {
    const journal = journalOf(new World());
    const ended: string[] = [];
    let isThere = true;
    const left = Array.from({ length: 5 }, () => long(journal, ended, 'a', 'left', () => isThere));
    const reads = Array.from({ length: 8 }, () => long(journal, ended, 'a', 'key'));
    await begun();
    isThere = false;
    const tooMany = expect(long(journal, ended, 'a', 'key')).rejects.toBeInstanceOf(TooManyReads);
    reads.push(long(journal, ended, 'a', 'another'));
    for (let i = 0; i < 8; i++) reads.push(long(journal, ended, 'b', 'left'));
    await tooMany;
    for (const read of left) await expect(read).rejects.toBeInstanceOf(ReadAbandoned);
    await Promise.all(reads);
    expect(ended).toHaveLength(17);
    // Nothing stays behind.
    await Promise.all(Array.from({ length: 9 }, () => long(journal, ended, 'a', 'key')));
  });
});

describe('a lock of another program', () => {
  test('is waited for without blocking', async () => {
    const world = new World();
    world.insert('trades', tradeRow('a'));
    const journal = journalOf(world);
    world.db.exec('BEGIN EXCLUSIVE');
    const take = vi.spyOn(Handles.prototype, 'take');
    const reads = Array.from({ length: 1000 }, () => journal.readAsync(count));
    // All but the first wait for a time to come, and when it has come the first of them tries.
    for (let i = 0; i < 20; i++) {
      await new Promise((resume) => setTimeout(resume, 10));
      now += 25;
    }
    // SQLite itself never waits.
    expect(new Set(take.mock.calls.map(([waitMs]) => waitMs))).toEqual(new Set([0]));
    expect(take.mock.calls.length).toBeGreaterThan(2);
    expect(take.mock.calls.length).toBeLessThan(25);
    world.insert('trades', tradeRow('b'));
    world.db.exec('COMMIT');
    tick = 1;
    expect(await Promise.all(reads)).toEqual(reads.map(() => 2));
  });

  test('is an error after two seconds, not before', async () => {
    const world = new World();
    const journal = journalOf(world);
    world.db.exec('BEGIN EXCLUSIVE');
    const since = now;
    tick = 20;
    await expect(journal.readAsync(count)).rejects.toThrow('another program is writing');
    expect(now - since).toBeGreaterThan(1900);
    expect(now - since).toBeLessThan(2200);
    world.db.exec('ROLLBACK');
    expect(await journal.readAsync(count)).toBe(0);
  });

  test('an abandoned read does not wait for it', async () => {
    const world = new World();
    const journal = journalOf(world);
    world.db.exec('BEGIN EXCLUSIVE');
    const client = { owner: 'me', name: 'key', isWanted: () => false };
    const read = journal.readInSteps(function* () {}, client);
    await expect(read).rejects.toBeInstanceOf(ReadAbandoned);
    world.db.exec('ROLLBACK');
  });

  test('blocks a command that waits for it', () => {
    const world = new World();
    const journal = journalOf(world);
    const other = spawn(process.execPath, ['-e', HOLD_LOCK, world.files.journal], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void other.kill());
    return new Promise<void>((resolve) => {
      other.stdout.once('data', () => {
        expect(journal.read(count)).toBe(0);
        resolve();
      });
    });
  });

  const HOLD_LOCK = `
    const db = new (require('better-sqlite3'))(process.argv[1]);
    db.exec('BEGIN EXCLUSIVE');
    console.log('locked');
    setTimeout(() => db.close(), 500);`;
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
    await begun();
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
    await begun();
    renameSync(world.files.journal, `${world.files.journal}.away`);
    expect(() => journal.read(count)).toThrow('missing');
    journal.version();
    renameSync(`${world.files.journal}.away`, world.files.journal);
    journal.version();
    expect(await pass).toBeGreaterThan(0);
  });
});
