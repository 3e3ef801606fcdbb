/** The journal as a file that other programs write, replace, damage and restore while the service runs. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { createJournal } from '../../src/journal-write/open.ts';
import { addUser, newUser } from '../../src/journal-write/users.ts';
import { KeyReader } from '../../src/keys/key-reader.ts';
import { ALL_SCOPES } from '../../src/keys/scopes.ts';
import { listKeys } from '../../src/keys/store.ts';
import { rootCause } from '../../src/sqlite/errors.ts';
import { Handles } from '../../src/sqlite/handles.ts';
import { FileState } from '../../src/sqlite/read-only-file.ts';
import { NOW, temporaryFolder, tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';

let world: World;
let path: string;
let key: string;

beforeEach(() => {
  world = new World();
  path = world.files.journal;
  key = world.key();
  world.insert('trades', tradeRow('old'));
});

const ids = async () => {
  const { status, body } = await world.ask('/v1/trades', { key });
  return status === 200 ? body.data.map((trade: any) => trade.id).join(' ') : body.code;
};

/** Cached data of a replaced or removed file is dropped within a second. */
const noticed = (what: string) =>
  vi.waitFor(async () => expect(await ids()).toBe(what), { timeout: 1000, interval: 20 });

/** Another journal with one trade, ready to replace the first. */
function prepare(id: string, journalMode: 'DELETE' | 'WAL' = 'DELETE'): string {
  const other = join(temporaryFolder(), 'other.db');
  const db = createJournal(other);
  addUser(db, newUser('me', {}), NOW);
  const trade = tradeRow(id);
  const names = Object.keys(trade);
  db.prepare(
    `INSERT INTO trades (user_id, ${names}) VALUES ('me', ${names.map((name) => `@${name}`)})`,
  ).run(trade);
  db.pragma(`journal_mode = ${journalMode}`);
  db.close();
  return other;
}

function changed(file: string, sql: string): string {
  const db = new Database(file);
  db.exec(sql);
  db.close();
  return file;
}

describe('an unreadable journal', () => {
  const cases: [name: string, breakIt: () => void, detail: RegExp][] = [
    ['missing', () => unlinkSync(path), /missing/],
    ['a folder', () => instead(mkdirSync), /cannot be read/],
    [
      'a link to itself',
      () => instead((name) => symlinkSync(name, name)),
      /cannot be read/,
    ],
    ['an empty file', () => replaceWith(''), /not a journal-api journal.*--db/],
    [
      'not a database',
      () => replaceWith('Dear diary, '.repeat(1000)),
      /damaged or not an SQLite database/,
    ],
    [
      'another database',
      () => renameSync(changed(prepare('new'), 'PRAGMA application_id = 1'), path),
      /application_id/,
    ],
    [
      'a newer schema',
      () => renameSync(changed(prepare('new'), 'PRAGMA user_version = 99'), path),
      /version 99 is newer.*use a newer/,
    ],
    [
      'an older schema',
      () => renameSync(changed(prepare('new'), 'PRAGMA user_version = 0'), path),
      /version 0 is older.*journal-api upgrade/,
    ],
    [
      'a schema changed in place',
      () => world.db.pragma('user_version = 99'),
      /version 99 is newer/,
    ],
    ['cut off', () => replaceWith(readFileSync(path).subarray(0, 5000)), /damaged/],
    ['cut off in place', () => truncateSync(path, 4096), /damaged/],
    [
      'emptied in place',
      () => truncateSync(path, 0),
      /not a journal-api journal|cannot be read|damaged/,
    ],
    [
      'overwritten past its header',
      () => replaceWith(scribbled(readFileSync(path))),
      /damaged/,
    ],
    [
      'left by a writer that crashed halfway',
      () => dieHalfway(),
      /stopped halfway.*journal-api check/,
    ],
  ];

  const instead = (make: (name: string) => void) => {
    unlinkSync(path);
    make(path);
  };

  const replaceWith = (content: string | Buffer) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  };

  const scribbled = (content: Buffer) =>
    Buffer.concat([content.subarray(0, 4096), Buffer.alloc(content.length - 4096, 0xab)]);

  /** Replaces the journal with a copy from the middle of a commit, as after a crash: half written, with its rollback journal. */
  const dieHalfway = () => {
    world.db.exec('PRAGMA cache_spill = ON; PRAGMA cache_size = 1; BEGIN');
    for (let i = 0; i < 200; i++) world.insert('trades', tradeRow(`half-${i}`));
    copyFileSync(path, `${path}.half`);
    copyFileSync(`${path}-journal`, `${path}.half-journal`);
    world.db.exec('ROLLBACK');
    renameSync(`${path}.half-journal`, `${path}-journal`);
    renameSync(`${path}.half`, path);
  };

  test.each(cases)(
    '%s: 503, and available again once restored',
    async (_name, breakIt, detail) => {
      copyFileSync(path, `${path}.good`);
      expect(await ids()).toBe('old');
      breakIt();
      await noticed('journal_unavailable');
      for (const url of [
        '/v1/trades',
        '/v1/me',
        '/v1/summary',
        '/v1/nothing',
        '/healthz',
      ]) {
        const reply = await world.ask(url, { key });
        expect([url, reply.status, reply.body.code]).toEqual([
          url,
          503,
          'journal_unavailable',
        ]);
        expect(reply.headers.get('Retry-After')).toBe('1');
        expect(reply.body.detail).toMatch(detail);
        expect(reply.text).not.toContain(world.files.home);
      }
      // A client without a key can't see this.
      expect((await world.ask('/v1/trades')).status).toBe(401);

      if (world.db.inTransaction) world.db.exec('ROLLBACK');
      rmSync(`${path}-journal`, { force: true });
      rmSync(path, { recursive: true, force: true });
      renameSync(`${path}.good`, path);
      await noticed('old');
      expect((await world.ask('/healthz')).status).toBe(200);
    },
  );

  test.each([
    ['a view', 'DROP VIEW trade_group_records', ['/v1/trade-groups']],
    [
      'a table',
      'PRAGMA foreign_keys = OFF; DROP TABLE users',
      ['/v1/trades', '/healthz'],
    ],
  ])(
    'without %s of its schema: an internal error with its cause in the log, not a 503',
    async (_name, sql, urls) => {
      changed(path, sql);
      for (const url of urls) {
        const reply = await world.ask(url, { key });
        expect([url, reply.status, reply.body.code]).toEqual([
          url,
          500,
          'internal_error',
        ]);
        expect(reply.text).not.toMatch(/no such table|trade_group_records|users/);
      }
      const faults = world.faults.splice(0);
      expect(faults.map(rootCause)).toEqual(
        urls.map(() => expect.stringMatching(/^SQLITE_ERROR: no such table: /)),
      );
      expect((await world.ask('/openapi.json')).status).toBe(200);
    },
  );

  test('a user with an invalid time zone: 503 for that user, until it is set', async () => {
    world.addUser('you');
    world.db.exec("UPDATE users SET timezone = 'Mars/Olympus' WHERE id = 'me'");
    const { status, body } = await world.ask('/v1/summary', { key });
    expect([status, body.code]).toEqual([503, 'journal_unavailable']);
    expect(body.detail).toMatch(/time zone.*user set/);
    expect(
      (await world.ask('/v1/summary', { key: world.key(ALL_SCOPES, 'you') })).status,
    ).toBe(200);
    world.db.exec("UPDATE users SET timezone = 'UTC' WHERE id = 'me'");
    expect(await ids()).toBe('old');
  });

  test('locked by a writer: cached responses are sent, all others are 503 until the writer finishes', async () => {
    for (let i = 0; i < 2; i++) expect(await ids()).toBe('old');
    world.db.exec('BEGIN EXCLUSIVE');
    expect(await ids()).toBe('old');
    // Two seconds pass sooner.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));
    const urls = [
      '/v1/me',
      '/v1/summary',
      '/v1/trades?limit=7',
      '/v1/nothing',
      '/healthz',
    ];
    const replies = await Promise.all(urls.map((url) => world.ask(url, { key })));
    for (const [i, reply] of replies.entries()) {
      expect([urls[i], reply.status, reply.body.code]).toEqual([
        urls[i],
        503,
        'journal_unavailable',
      ]);
      expect(reply.body.detail).toMatch(/another program is writing/);
    }
    world.db.exec('ROLLBACK');
    expect((await world.ask('/v1/summary', { key })).status).toBe(200);
  });

  test("the reason is reported with SQLite's message, which the client does not get", async () => {
    const reported: unknown[] = [];
    const watched = new World(
      {},
      { onUnavailable: (error) => reported.push(rootCause(error)) },
    );
    const myKey = watched.key();
    const other = new Database(watched.files.journal);
    other.exec(
      "INSERT INTO users (id, timezone, base_currency) SELECT 'you', timezone, base_currency FROM users",
    );
    other.close();
    writeFileSync(watched.files.journal, scribbled(readFileSync(watched.files.journal)));
    const reply = await watched.ask('/v1/trades', { key: myKey });
    expect([reply.status, reply.text.includes('malformed')]).toEqual([503, false]);
    expect(reported).toEqual([expect.stringMatching(/^SQLITE_CORRUPT: .*malformed/)]);
  });

  test('missing from the start', async () => {
    unlinkSync(path);
    expect(await ids()).toBe('journal_unavailable');
    renameSync(prepare('new'), path);
    expect(await ids()).toBe('new');
  });

  test('any SQLite client repairs the file of a crashed writer, without loss', async () => {
    dieHalfway();
    expect(await ids()).toBe('journal_unavailable');
    changed(path, 'SELECT count(*) FROM trades');
    expect(await ids()).toBe('old');
  });

  test('a writer that has not yet written to the file blocks no reader', async () => {
    world.db.exec('BEGIN IMMEDIATE');
    world.insert('trades', tradeRow('new'));
    expect(await ids()).toBe('old');
    world.db.exec('COMMIT');
    expect(await ids()).toBe('old new');
  });
});

describe('a replaced journal', () => {
  test('by rename: the new one is read immediately without cached data, else within a second', async () => {
    expect(await ids()).toBe('old');
    renameSync(prepare('new'), path);
    const fresh = await world.ask('/v1/trades?limit=7', { key });
    expect(fresh.body.data.map((trade: any) => trade.id)).toEqual(['new']);
    await noticed('new');
    renameSync(prepare('newer'), path);
    await noticed('newer');
  });

  test('a link changed to another file', async () => {
    const [one, two] = [prepare('one'), prepare('two')];
    unlinkSync(path);
    symlinkSync(one, path);
    expect(await ids()).toBe('one');
    symlinkSync(two, `${path}.link`);
    renameSync(`${path}.link`, path);
    await noticed('two');
  });

  test('a cursor continues in the new one', async () => {
    world.insert('trades', tradeRow('new'));
    const first = await world.ask('/v1/trades?limit=1', { key });
    renameSync(prepare('a'), path);
    const second = await world.ask(
      `/v1/trades?limit=1&cursor=${first.body.pagination.next_cursor}`,
      { key },
    );
    expect(second.body.data[0].id).toBe('a');
  });

  test.each(['DELETE', 'WAL'] as const)(
    'with the log of the old one next to it: 503 until that is removed (the new one in mode %s)',
    async (mode) => {
      world.db.pragma('journal_mode = WAL');
      world.insert('trades', tradeRow('in-the-log'));
      expect(await ids()).toBe('old in-the-log');
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
      renameSync(prepare('new', mode), path);
      for (let i = 0; i < 2; i++) {
        const reply = await world.ask('/v1/trades', { key });
        expect([reply.status, reply.body.code]).toEqual([503, 'journal_unavailable']);
        expect(reply.body.detail).toMatch(/write-ahead log of the old one/);
      }
      expect((await world.ask('/healthz')).status).toBe(503);
      world.db.close();
      rmSync(`${path}-wal`, { force: true });
      rmSync(`${path}-shm`, { force: true });
      expect(await ids()).toBe('new');
    },
  );

  test('a log of another file is also detected at the start of the service', async () => {
    world.db.pragma('journal_mode = WAL');
    world.insert('trades', tradeRow('in-the-log'));
    renameSync(prepare('new'), path);
    expect(await ids()).toBe('journal_unavailable');
    rmSync(`${path}-wal`);
    expect(await ids()).toBe('new');
  });
});

describe.each(['DELETE', 'WAL'])(
  'overwritten in place, by a copy with the same change counter (mode %s)',
  (mode) => {
    /** A copy of a file with one more commit: two copies differ, but not in their headers. */
    const variant = (file: string, sql: string): string => {
      const copy = join(temporaryFolder(), 'variant.db');
      copyFileSync(file, copy);
      return changed(copy, sql);
    };

    const inWal = (file: string) => {
      const db = new Database(file);
      db.pragma(`journal_mode = ${mode}`);
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
    };

    const overwrite = (file: string, by: string) => {
      const { ino } = statSync(file);
      const header = (name: string) => readFileSync(name).subarray(0, 100);
      expect(header(by).equals(header(file))).toBe(true);
      copyFileSync(by, file);
      expect(statSync(file).ino).toBe(ino);
    };

    test('the journal: no data of the old one is served', async () => {
      world.db.close();
      inWal(path);
      const [one, two] = ['one', 'two'].map((id) =>
        variant(path, `UPDATE trades SET id = '${id}'`),
      ) as [string, string];
      copyFileSync(one, path);
      for (let i = 0; i < 3; i++) expect(await ids()).toBe('one');
      overwrite(path, two);
      // Uncached responses are read again immediately, cached ones within a second.
      const fresh = await world.ask('/v1/trades?limit=7', { key });
      expect(fresh.body.data.map((trade: any) => trade.id)).toEqual(['two']);
      await noticed('two');
      overwrite(path, one);
      await noticed('one');
      expect((await world.ask('/v1/trades/two', { key })).status).toBe(404);
    });

    test('keys.db: a key that is revoked in the copy becomes invalid', async () => {
      const { keys } = world.files;
      inWal(keys);
      const one = variant(keys, "UPDATE keys SET name = 'still good'");
      const two = variant(
        keys,
        "UPDATE keys SET revoked_at = '2026-11-19T00:00:00.000Z'",
      );
      copyFileSync(one, keys);
      for (let i = 0; i < 3; i++)
        expect((await world.ask('/v1/me', { key })).body.data.key.name).toBe(
          'still good',
        );
      overwrite(keys, two);
      await vi.waitFor(
        async () =>
          expect((await world.ask('/v1/me', { key })).body.code).toBe('revoked_key'),
        {
          timeout: 1000,
          interval: 20,
        },
      );
    });
  },
);

describe('a journal with a write-ahead log', () => {
  beforeEach(() => {
    world.db.pragma('journal_mode = WAL');
  });

  test('is read up to the last commit while its writer continues', async () => {
    world.db.exec('BEGIN IMMEDIATE');
    world.insert('trades', tradeRow('a'));
    expect(await ids()).toBe('old');
    world.db.exec('COMMIT');
    expect(await ids()).toBe('old a');
    world.db.pragma('wal_checkpoint(TRUNCATE)');
    world.insert('trades', tradeRow('b'));
    expect(await ids()).toBe('old b a');
  });

  test('is read with the log of a crashed writer', () => {
    world.db.pragma('wal_autocheckpoint = 0');
    world.insert('trades', tradeRow('in-the-log'));
    const copy = join(temporaryFolder(), 'copy.db');
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    const journal = openJournal(copy);
    onTestFinished(() => journal.close());
    expect(
      journal.read((reader) => reader.all('SELECT id FROM trades ORDER BY id')),
    ).toEqual([{ id: 'in-the-log' }, { id: 'old' }]);
  });

  test('is read if no other program has it open', async () => {
    world.db.close();
    expect(await ids()).toBe('old');
  });
});

describe('keys.db', () => {
  test('missing: 503, until it is restored', async () => {
    renameSync(world.files.keys, `${world.files.keys}.away`);
    const reply = await world.ask('/v1/me', { key });
    expect([reply.status, reply.body.code]).toEqual([503, 'journal_unavailable']);
    renameSync(`${world.files.keys}.away`, world.files.keys);
    expect((await world.ask('/v1/me', { key })).status).toBe(200);
  });

  const answered = (as: string, status: number) =>
    vi.waitFor(
      async () => expect((await world.ask('/v1/me', { key: as })).status).toBe(status),
      {
        timeout: 1000,
        interval: 20,
      },
    );

  test('replaced: the keys of the new one are valid', async () => {
    expect((await world.ask('/v1/me', { key })).status).toBe(200);
    renameSync(world.files.keys, `${world.files.keys}.old`);
    const other = world.key();
    await answered(key, 401);
    await answered(other, 200);
    renameSync(`${world.files.keys}.old`, world.files.keys);
    await answered(key, 200);
    await answered(other, 401);
  });

  test.each([
    ['nonsense', () => writeFileSync(world.files.keys, 'nonsense '.repeat(1000))],
    ['another database', () => changed(world.files.keys, 'PRAGMA application_id = 1')],
  ])('%s: 503 for all keys, without its path', async (_name, breakIt) => {
    copyFileSync(world.files.keys, `${world.files.keys}.good`);
    breakIt();
    const reply = await world.ask('/v1/me', { key });
    expect([reply.status, reply.body.code]).toEqual([503, 'journal_unavailable']);
    expect(reply.text).not.toContain(world.files.home);
    renameSync(`${world.files.keys}.good`, world.files.keys);
    expect((await world.ask('/v1/me', { key })).status).toBe(200);
  });

  test('the last use is stored at intervals, and a failure does not stop the service', () => {
    const keys = new KeyReader(world.files.keys);
    const [stored] = listKeys(world.files.keys);
    keys.touch(stored!, NOW);
    copyFileSync(world.files.keys, `${world.files.keys}.good`);
    writeFileSync(world.files.keys, 'nonsense '.repeat(1000));
    keys.flush();
    renameSync(`${world.files.keys}.good`, world.files.keys);
    changed(world.files.keys, 'PRAGMA user_version = 99');
    keys.flush();
    changed(world.files.keys, 'PRAGMA user_version = 1');
    expect(listKeys(world.files.keys)[0]?.last_used_at).toBeNull();

    const locker = new Database(world.files.keys);
    locker.exec('BEGIN EXCLUSIVE');
    const since = performance.now();
    keys.flush();
    // By default SQLite would wait for five seconds.
    expect(performance.now() - since).toBeLessThan(4500);
    locker.close();
    expect(listKeys(world.files.keys)[0]?.last_used_at).toBeNull();

    keys.flush();
    expect(listKeys(world.files.keys)[0]?.last_used_at).toBe('2026-11-20T15:00:00.000Z');
    unlinkSync(world.files.keys);
    keys.touch(stored!, NOW);
    keys.close();
    expect(existsSync(world.files.keys)).toBe(false);
  });
});

describe('reading only', () => {
  test('an attempt to write through the handle fails', () => {
    const state = new FileState(path);
    const handles = new Handles(state);
    onTestFinished(() => {
      handles.close();
      state.close();
    });
    const { db } = handles.take(0);
    const before = readFileSync(path);
    const writes = [
      "INSERT INTO users (id) VALUES ('evil')",
      'DELETE FROM trades',
      'DROP TABLE trades',
      'CREATE TEMP TABLE t (x)',
    ];
    for (const sql of writes) expect(() => db.exec(sql), sql).toThrow(/readonly/);
    // Not even after resetting the pragma.
    db.exec('PRAGMA query_only = OFF');
    for (const sql of writes.slice(0, 3))
      expect(() => db.exec(sql), sql).toThrow(/readonly/);
    for (const sql of ['PRAGMA user_version = 7', 'PRAGMA journal_mode = WAL']) {
      try {
        db.exec(sql);
      } catch {
        // Rejected, or without effect: the bytes show it.
      }
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(
      readdirSync(world.files.home).filter((name) => name.startsWith('journal.db')),
    ).toEqual(['journal.db']);
  });

  test('works in a read-only folder', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root may write everywhere');
    chmodSync(path, 0o400);
    chmodSync(world.files.home, 0o500);
    onTestFinished(() => chmodSync(world.files.home, 0o700));
    expect(await ids()).toBe('old');
  });

  test('requests change no byte of the file', async () => {
    const before = readFileSync(path);
    const names = readdirSync(world.files.home);
    for (const url of [
      '/v1/me',
      '/v1/trades/old',
      '/v1/journal-rows',
      '/v1/analytics/summary',
      '/v1/summary',
      '/healthz',
    ]) {
      expect((await world.ask(url, { key })).status).toBe(200);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(world.files.home)).toEqual(names);
  });

  test('the running program has no writable handle of the journal', async (context) => {
    if (!existsSync('/proc/self/fdinfo')) return context.skip('there is no /proc here');
    const { url, pid } = await startServe(['--home', world.files.home, '--log', 'off']);
    const ask = (what: string) =>
      fetch(`${url}${what}`, { headers: { Authorization: `Bearer ${liveKey}` } });
    const liveKey = keyUntilLater();
    for (const what of ['/v1/me', '/v1/trades', '/v1/summary', '/v1/trades/old'])
      expect((await ask(what)).status).toBe(200);

    const handles = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      let target: string;
      try {
        target = readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return []; // Closed in the meantime.
      }
      if (!target.startsWith(realpathSync(world.files.home))) return [];
      const flags = Number.parseInt(
        /flags:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))![1]!,
        8,
      );
      return [
        `${target.split('/').at(-1)} ${['read-only', 'write-only', 'read-write'][flags & 3]}`,
      ];
    });
    expect([...new Set(handles)].sort()).toEqual([
      'journal.db read-only',
      'keys.db read-only',
    ]);
  });

  /** A key for the real clock. */
  const keyUntilLater = () => {
    world.now = Date.now();
    return world.key(ALL_SCOPES);
  };
});
