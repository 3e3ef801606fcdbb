/** Reads that take long let writers have the file in between, and read one state of it; locks of others are waited for. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { ReadAbandoned } from '../../src/sqlite/errors.ts';
import { Handles } from '../../src/sqlite/handles.ts';
import type { Reader } from '../../src/sqlite/reader.ts';
import { tradeRow, World } from '../helpers.ts';

const count = (reader: Reader) => reader.get('SELECT count(*) AS n FROM trades')?.['n'];

function journalOf(world: World) {
  const journal = openJournal(world.files.journal);
  onTestFinished(() => journal.close());
  return journal;
}

/** The present of these tests, in milliseconds: how busy the machine is does not move it. */
let now = 0;

/** What each look at the clock moves it by. */
let tick = 0;

beforeEach(() => {
  tick = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += tick));
});

test('a read that lets the lock go starts afresh if the file has changed, and ends on one state of it', async () => {
  const world = new World();
  world.insert('trades', tradeRow('a'));
  world.db.pragma('busy_timeout = 0');
  const journal = journalOf(world);
  const seen: unknown[] = [];
  const read = journal.readLong((reader) => {
    seen.push(count(reader));
    if (seen.length === 1) {
      expect(() => world.insert('trades', tradeRow('b'))).toThrow('locked');
      reader.letGo();
      world.insert('trades', tradeRow('b'));
    }
    return [count(reader), count(reader)];
  });
  expect(await read).toEqual([2, 2]);
  expect(seen).toEqual([1, 2]);
});

test.each(['DELETE', 'WAL'])(
  'a read of an unchanged file goes on where it was, in mode %s',
  async (mode) => {
    const world = new World();
    world.db.pragma(`journal_mode = ${mode}`);
    world.insert('trades', tradeRow('a'));
    const journal = journalOf(world);
    let begins = 0;
    const read = journal.readLong((reader) => {
      begins++;
      const before = count(reader);
      reader.letGo();
      reader.letGo();
      return [before, count(reader)];
    });
    expect(await read).toEqual([1, 1]);
    expect(begins).toBe(1);
  },
);

describe('in the midst of its statements, the lock is let go', () => {
  /** How often a read of so many statements, this far apart, began a snapshot. */
  async function beginsOf(world: World, statements: number, ms: number): Promise<number> {
    const journal = journalOf(world);
    const exec = vi.spyOn(Database.prototype, 'exec');
    await journal.readLong((reader) => {
      for (let i = 0; i < statements; i++) {
        now += ms;
        count(reader);
      }
    });
    const begins = exec.mock.calls.filter(([sql]) => sql === 'BEGIN').length;
    exec.mockRestore();
    return begins;
  }

  test('after half a second', async () => {
    expect(await beginsOf(new World(), 10, 45)).toBe(1);
    expect(await beginsOf(new World(), 12, 100)).toBe(3);
  });

  test('as soon as the journal of a writer is beside the file', async () => {
    const world = new World();
    world.db.exec('BEGIN IMMEDIATE');
    world.insert('trades', tradeRow('a'));
    expect(await beginsOf(world, 10, 21)).toBe(11);
    world.db.exec('ROLLBACK');
  });
});

describe('a file that keeps changing', () => {
  /** A read that finds it changed as often, and then takes long. @returns how often it began, and its result */
  async function beginsOf(changes: number): Promise<[number, string]> {
    const world = new World();
    const journal = journalOf(world);
    let begins = 0;
    const read = journal.readLong((reader) => {
      count(reader);
      if (begins++ < changes) {
        reader.letGo();
        world.insert('trades', tradeRow(`t${begins}`));
      }
      for (let i = 0; i < 30; i++) {
        now += 100;
        count(reader);
      }
      return `${count(reader)} trades`;
    });
    const result = await read.catch((error: Error) => error.message);
    return [begins, result];
  }

  test('is read afresh three times', async () => {
    expect(await beginsOf(3)).toEqual([4, '3 trades']);
  });

  test('is an error at the fourth', async () => {
    const message =
      'the file changes too often for a request that takes this long; request less of it';
    expect(await beginsOf(4)).toEqual([4, message]);
  });
});

test('a file replaced during a read that lets the lock go is read afresh', async () => {
  const world = new World();
  world.insert('trades', tradeRow('a'));
  const other = new World();
  const journal = journalOf(world);
  let isReplaced = false;
  const read = journal.readLong((reader) => {
    count(reader);
    reader.letGo();
    if (!isReplaced) renameSync(other.files.journal, world.files.journal);
    isReplaced = true;
    return count(reader);
  });
  expect(await read).toBe(0);
  expect(journal.read(count)).toBe(0);
});

test('a read that fails returns its handle', async () => {
  const world = new World();
  const journal = journalOf(world);
  const failing = journal.readLong(() => {
    throw new Error('fault');
  });
  await expect(failing).rejects.toThrow('fault');
  world.insert('trades', tradeRow('a'));
  expect(journal.read(count)).toBe(1);
});

test('a read ends at its next statement when its result is no longer wanted', async () => {
  const journal = journalOf(new World());
  let [isWanted, statements] = [true, 0];
  const read = journal.readLong(
    (reader) => {
      for (; ; statements++) {
        count(reader);
        isWanted = statements < 3;
      }
    },
    { isWanted: () => isWanted },
  );
  await expect(read).rejects.toBeInstanceOf(ReadAbandoned);
  expect(statements).toBe(4);
  expect(journal.read(count)).toBe(0);
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

  test('is an error after five seconds, not before', async () => {
    const world = new World();
    const journal = journalOf(world);
    world.db.exec('BEGIN EXCLUSIVE');
    const since = now;
    tick = 20;
    await expect(journal.readAsync(count)).rejects.toThrow('another program is writing');
    expect(now - since).toBeGreaterThan(4900);
    expect(now - since).toBeLessThan(5200);
    world.db.exec('ROLLBACK');
    expect(await journal.readAsync(count)).toBe(0);
  });

  test('an abandoned read does not wait for it', async () => {
    const world = new World();
    const journal = journalOf(world);
    world.db.exec('BEGIN EXCLUSIVE');
    const client = { isWanted: () => false };
    const read = journal.readAsync(count, client);
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
  return lines.filter(
    (line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `),
  ).length;
}

describe.skipIf(!existsSync('/proc/locks'))(
  'nothing drops the locks of a pass that is under way',
  () => {
    test.each(['DELETE', 'WAL'])(
      'another reader, and versions asked for, in mode %s',
      async (mode) => {
        const world = new World();
        world.db.pragma(`journal_mode = ${mode}`);
        world.insert('trades', tradeRow('a'));
        const { ino } = statSync(world.files.journal);
        const journal = journalOf(world);
        let during = 0;
        await journal.readLong((reader) => {
          count(reader);
          expect(locksOn(ino)).toBeGreaterThan(0);
          expect(journal.read(count)).toBe(1);
          journal.version();
          during = locksOn(ino);
        });
        expect(during).toBeGreaterThan(0);
        expect(journal.read(count)).toBe(1);
      },
    );

    test('the file moved away and back', async () => {
      const world = new World();
      const { ino } = statSync(world.files.journal);
      const journal = journalOf(world);
      journal.version();
      const locks = await journal.readLong((reader) => {
        count(reader);
        renameSync(world.files.journal, `${world.files.journal}.away`);
        expect(() => journal.read(count)).toThrow('missing');
        journal.version();
        renameSync(`${world.files.journal}.away`, world.files.journal);
        journal.version();
        return locksOn(ino);
      });
      expect(locks).toBeGreaterThan(0);
    });
  },
);
