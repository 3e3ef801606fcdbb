/** The journal and the key store replaced, truncated, overwritten and restored under the real server: it notices and recovers. */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { type Files, filesOf } from '../../src/config.ts';
import { AGAIN } from '../again.ts';
import { tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';
import { printFigures } from './figures.ts';

type Name = 'journal' | 'keys';
type Mode = 'DELETE' | 'WAL';

/** The server's responses then: from the next file, from the old one, only 503, or any of these. */
type Answer = 'next' | 'old' | 'unavailable' | 'any';

let swaps = 0;
afterAll(() =>
  printFigures(
    `files swapped under a server: ${swaps}; old answers after a second, 500s, revoked keys that worked: 0`,
  ),
);

const SWAPS: [name: string, swap: (path: string, next: string) => void, then: Answer][] =
  [
    ['replaced', (path, next) => renameSync(next, path), 'next'],
    [
      'overwritten in place, by as many commits',
      (path, next) => overwrite(path, withCommitsOf(path, readFileSync(next))),
      'next',
    ],
    [
      'overwritten in place, by another size',
      (path, next) => overwrite(path, grown(next)),
      'next',
    ],
    ['emptied', (path) => truncateSync(path), 'unavailable'],
    ['cut in half', (path) => truncateSync(path, statSync(path).size / 2), 'unavailable'],
    ['removed', (path) => rmSync(path), 'unavailable'],
    ['moved away and back', moveAwayAndBack, 'old'],
    [
      'a byte flipped in its header',
      (path) => overwrite(path, flipped(readFileSync(path), 5)),
      'unavailable',
    ],
    [
      'a byte flipped in a page',
      (path) => overwrite(path, flipped(readFileSync(path), statSync(path).size - 100)),
      'any',
    ],
    [
      'all pages but the first scribbled over',
      (path) => overwrite(path, readFileSync(path).fill(0xab, 4096)),
      'unavailable',
    ],
    [
      'replaced by a text',
      (path) => replace(path, (name) => writeFileSync(name, 'Dear diary, '.repeat(1000))),
      'unavailable',
    ],
    [
      'overwritten by a text',
      (path) => overwrite(path, Buffer.from('Dear diary, '.repeat(1000))),
      'unavailable',
    ],
    ['replaced by a folder', (path) => replace(path, mkdirSync), 'unavailable'],
    [
      'replaced by a newer version',
      (path, next) => renameSync(edited(next, 'PRAGMA user_version = 99'), path),
      'unavailable',
    ],
  ];

/** Overwrites the existing file, like cp. */
function overwrite(path: string, bytes: Buffer): void {
  const { ino } = statSync(path);
  writeFileSync(path, bytes);
  expect(statSync(path).ino).toBe(ino);
}

function moveAwayAndBack(path: string): void {
  renameSync(path, `${path}.away`);
  renameSync(`${path}.away`, path);
}

function replace(path: string, make: (path: string) => void): void {
  rmSync(path);
  make(path);
}

/** Gives the header another file's number of commits, which is all that SQLite checks. */
function withCommitsOf(path: string, bytes: Buffer): Buffer {
  const header = readFileSync(path).subarray(0, 100);
  for (const at of [24, 92]) header.copy(bytes, at, at, at + 4);
  return bytes;
}

function flipped(bytes: Buffer, at: number): Buffer {
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  return bytes;
}

function edited(path: string, sql: string): string {
  const db = new Database(path);
  db.exec(sql);
  db.close();
  return path;
}

const grown = (path: string) =>
  readFileSync(
    edited(path, `CREATE TABLE more (x); INSERT INTO more VALUES (zeroblob(100000))`),
  );

const NEXT: Record<Name, string> = {
  journal: "UPDATE trades SET symbol = 'NEXT'",
  keys: "UPDATE keys SET revoked_at = '2026-11-19T00:00:00.000Z'",
};

/** A data folder with both files in a mode, and copies of their current and next versions. */
function prepare(mode: Mode): {
  files: Files;
  key: string;
  copyOf: (name: Name, which: 'old' | 'next') => string;
} {
  const world = new World();
  world.now = Date.now();
  world.insert('trades', tradeRow('t', { symbol: 'OLD' }));
  const key = world.key();
  world.db.close();
  const files = filesOf({ home: join(world.files.home, 'served') });
  mkdirSync(files.home);
  copyFileSync(world.files.secret, files.secret);
  for (const name of ['journal', 'keys'] as const) {
    edited(world.files[name], `PRAGMA journal_mode = ${mode}`);
    for (const which of ['old', 'next'])
      copyFileSync(world.files[name], `${world.files[name]}.${which}`);
    edited(`${world.files[name]}.next`, NEXT[name]);
    copyFileSync(`${world.files[name]}.old`, files[name]);
  }
  return {
    files,
    key,
    copyOf(name, which) {
      const copy = `${files[name]}.copy`;
      copyFileSync(`${world.files[name]}.${which}`, copy);
      return copy;
    },
  };
}

describe('journal and keys', () => {
  // At the same time: most of it is waiting.
  test.each<Mode>(['DELETE', 'WAL'])(
    'in mode %s',
    { ...AGAIN, timeout: 300_000 },
    async (mode) => {
      await Promise.all([swapped(mode, 'journal'), swapped(mode, 'keys')]);
    },
  );

  /** Serves a data folder, and swaps one of its files. */
  async function swapped(mode: Mode, name: Name): Promise<void> {
    const { files, key, copyOf } = prepare(mode);
    const { url, stop, ended } = await startServe(
      ['--home', files.home, '--rate-limit', '0', '--log', 'off'],
      {},
    );
    const path = files[name];

    const ask = async (): Promise<Answer> => {
      const response = await fetch(`${url}/v1/trades`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const body = (await response.json()) as {
        data: { symbol: string }[];
        code: string;
      };
      if (response.status === 200)
        return body.data[0]?.symbol === 'NEXT' ? 'next' : 'old';
      if (response.status === 401) return 'next';
      expect([response.status, body.code]).toEqual([503, 'journal_unavailable']);
      return 'unavailable';
    };

    /** After a second, each request gets the wanted response; before, that, the earlier one, or 503. */
    const becomes = async (wanted: Answer, before: Answer) => {
      const since = performance.now();
      for (;;) {
        const isLate = performance.now() > since + 1000;
        const answer = await ask();
        if (answer === wanted || wanted === 'any') break;
        if (isLate)
          throw new Error(`after a second it still says ${answer}, not ${wanted}`);
        expect([before, wanted, 'unavailable']).toContain(answer);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      for (let i = 0; i < 3 && wanted !== 'any'; i++) expect(await ask()).toBe(wanted);
    };

    await becomes('old', 'old');
    for (const [what, swap, then] of SWAPS) {
      try {
        swap(path, copyOf(name, 'next'));
        swaps++;
        await becomes(then, 'old');
        rmSync(path, { recursive: true, force: true });
        renameSync(copyOf(name, 'old'), path);
        await becomes('old', then);
      } catch (error) {
        throw new Error(`${name}.db ${what}`, { cause: error });
      }
    }
    stop();
    expect((await ended).code).toBe(0);
  }
});
