/** A temporary home with a real journal, real keys and the real application; each response is compared with the API description. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { type Files, filesOf } from '../src/config.ts';
import { accessLog } from '../src/http/access-log.ts';
import { createApp } from '../src/http/app.ts';
import type { AppSettings } from '../src/http/pipeline.ts';
import { openJournal } from '../src/journal/journal.ts';
import { openForWriting } from '../src/journal-write/open.ts';
import { addUser, newUser, type UserChanges } from '../src/journal-write/users.ts';
import { generateKey, generateKeyId } from '../src/keys/format.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import type { Lens } from '../src/keys/lens.ts';
import { ALL_SCOPES, type Scope } from '../src/keys/scopes.ts';
import { openSecret } from '../src/keys/secret.ts';
import { insertKey } from '../src/keys/store.ts';
import { toInstantText } from '../src/time.ts';
import { copyBlank } from './blank.ts';
import { complaintAbout } from './description.ts';

/** The tests' current time: a Friday. */
export const NOW = Date.parse('2026-11-20T15:00:00.000Z');
export const DAY = 86_400_000;

/** Collects what is cleaned up after all tests of a file; undefined while a test runs. */
let shared: (() => unknown)[] | undefined;

/** Cleans up after the test or, for what tests share, after the last one. */
export function atEnd(cleanUp: () => unknown): void {
  if (shared) shared.push(cleanUp);
  else
    onTestFinished(async () => {
      await cleanUp();
    });
}

/** What all tests of a file share: made once, before the first. @returns reads it in a test */
export function sharedByTests<T>(make: () => Promise<T>): () => T {
  let made: { value: T } | undefined;
  beforeAll(async () => {
    const cleanUps: (() => unknown)[] = [];
    shared = cleanUps;
    try {
      made = { value: await make() };
    } finally {
      shared = undefined;
    }
    return async () => {
      for (const cleanUp of cleanUps.reverse()) await cleanUp();
    };
  });
  return () => (made as { value: T }).value;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

interface Request {
  key?: string;
  method?: string;
  headers?: Record<string, string>;
  /** Whether the key hides fields that the description requires. */
  lens?: boolean;
}

/** Parts of a world that settings may need. */
interface Own extends Pick<AppSettings, 'secret' | 'now' | 'journal'> {
  keys: KeyReader;
}

export class World {
  readonly files: Files = filesOf({ home: join(temporaryFolder(), 'home') });
  readonly db: Database.Database;
  readonly log: string[] = [];
  readonly keys: KeyReader;
  now = NOW;
  readonly app;

  constructor(
    user: UserChanges = {},
    settings: Partial<AppSettings> | ((own: Own) => Partial<AppSettings>) = {},
  ) {
    copyBlank('journal', this.files.journal);
    copyBlank('secret', this.files.secret);
    this.db = openForWriting(this.files.journal);
    // A test's data needn't survive a power failure.
    this.db.pragma('synchronous = OFF');
    this.addUser('me', user);
    const journal = openJournal(this.files.journal);
    const keys = new KeyReader(this.files.keys);
    this.keys = keys;
    atEnd(() => {
      keys.close();
      journal.close();
      this.db.close();
    });
    const own: Own = {
      journal,
      keys,
      secret: openSecret(this.files),
      now: () => this.now,
    };
    this.app = createApp({
      rateLimit: 0,
      corsOrigins: [],
      trustProxy: false,
      allowedHosts: [],
      log: accessLog((line) => this.log.push(line)),
      onError: (error) => this.faults.push(error),
      ...own,
      ...(typeof settings === 'function' ? settings(own) : settings),
    });
    atEnd(() => expect(this.faults).toEqual([]));
  }

  readonly faults: unknown[] = [];
  readonly #inserts = new Map<string, Database.Statement>();

  addUser(id: string, changes: UserChanges = {}): void {
    addUser(this.db, newUser(id, changes), NOW - 400 * DAY);
  }

  /** A valid key, for 30 days. */
  key(
    scopes: readonly Scope[] = ALL_SCOPES,
    userId = 'me',
    id = generateKeyId(),
    lens: Lens | null = null,
  ): string {
    const key = generateKey();
    if (!existsSync(this.files.keys)) copyBlank('keys', this.files.keys);
    insertKey(
      this.files.keys,
      {
        id,
        user_id: userId,
        name: 'test',
        scopes: [...scopes],
        created_at: toInstantText(this.now - DAY),
        expires_at: toInstantText(this.now + 30 * DAY),
        revoked_at: null,
        last_used_at: null,
        lens,
        seed: lens && Buffer.alloc(32, 7),
      },
      openSecret(this.files).hashKey(key),
    );
    return key;
  }

  insert(table: string, ...rows: Row[]): void {
    for (const row of rows) {
      const full = { user_id: 'me', ...row };
      const names = Object.keys(full);
      const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`;
      const statement = this.#inserts.get(sql) ?? this.db.prepare(sql);
      this.#inserts.set(sql, statement);
      statement.run(full);
    }
  }

  /** Sends a request, and compares the response with the description. */
  async ask(
    path: string,
    { key, method = 'GET', headers = {}, lens = false }: Request = {},
  ): Promise<Reply> {
    const response = await this.app.request(path, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
    const text = await response.text();
    const type = response.headers.get('Content-Type') ?? '';
    const body = /\bjson\b/.test(type) && text !== '' ? JSON.parse(text) : undefined;
    const complaint = complaintAbout(path, method, response.status, type, body, lens);
    if (complaint)
      throw new Error(
        `${method} ${path} answered ${response.status}, not as described: ${complaint}\n${text.slice(0, 2000)}`,
      );
    return { status: response.status, headers: response.headers, text, body };
  }
}

export type Row = Record<string, string | number | null>;

/** A closed long trade of one share with the given fields, and plain values for others. */
export function tradeRow(id: string, more: Row = {}): Row {
  const open = more['status'] === 'open';
  return {
    id,
    symbol: 'AAPL',
    market: 'stock',
    side: 'long',
    status: 'closed',
    executed_at: '2026-11-10T14:30:00.000Z',
    closed_at: open ? null : (more['executed_at'] ?? '2026-11-10T15:00:00.000Z'),
    quantity: 1,
    open_quantity: open ? 1 : 0,
    entry_price: 100,
    exit_price: open ? null : 101,
    currency: 'USD',
    gross_pnl: 1,
    ...more,
  };
}

/** A close of 30 that no trade has; its row may state a P&L. */
export function addUnmatched(
  world: World,
  symbol: string,
  net_pnl: number | null,
  closed_at = '2026-11-17T15:00:00.000Z',
): void {
  // Without the fill of its file.
  world.db.pragma('foreign_keys = OFF');
  world.insert('unmatched_closes', {
    fill_id: `fill-${symbol}`,
    symbol,
    market: 'stock',
    currency: 'USD',
    closed_at,
    has_time: 1,
    quantity: 30,
    fees: 2,
    net_pnl,
  });
}

/** A minimal row of each table, with its ordering field set. */
export const ROWS: Record<
  string,
  (id: string, at: string) => { table: string; row: Row }
> = {
  trades: (id, at) => ({ table: 'trades', row: tradeRow(id, { executed_at: at }) }),
  'trade-groups': (id, at) => ({
    table: 'trade_groups',
    row: {
      id,
      name: 'Spread',
      kind: 'multi_leg',
      market: 'option',
      status: 'open',
      opened_at: at,
      currency: 'USD',
    },
  }),
  'trade-journals': (id, at) => ({
    table: 'trade_journals',
    row: { id, trade_id: 'about', phase: 'review', created_at: at },
  }),
  'group-journals': (id, at) => ({
    table: 'group_journals',
    row: { id, group_id: 'about', phase: 'review', created_at: at },
  }),
  sessions: (id, at) => ({ table: 'sessions', row: { id, date: at.slice(0, 10) } }),
  'weekly-reviews': (id, at) => ({
    table: 'weekly_reviews',
    row: { id, period_start: at.slice(0, 10), period_end: at.slice(0, 10) },
  }),
  'missed-trades': (id, at) => ({
    table: 'missed_trades',
    row: {
      id,
      missed_at: at,
      symbol: 'AAPL',
      market: 'stock',
      side: 'long',
      miss_type: 'away',
      currency: 'USD',
    },
  }),
  'cash-flows': (id, at) => ({
    table: 'cash_flows',
    row: { id, at, kind: 'deposit', amount: 100, currency: 'USD' },
  }),
};

/** Lists for which addRecord adds two records with the same id and time. */
export const FEEDS: readonly string[] = ['journal-rows', 'positions'];

/** Adds a record to a list, with the trade or group that it refers to. */
export function addRecord(
  world: World,
  path: string,
  id: string,
  at: string,
  userId = 'me',
): void {
  if (path === 'journal-rows') {
    // The same id and time in both tables: the records differ only in type.
    addRecord(world, 'trade-journals', id, at, userId);
    addRecord(world, 'group-journals', id, at, userId);
    return;
  }
  if (path === 'positions') {
    // The same id and time for a trade and a group: the records differ only in kind.
    addRecord(world, 'trades', id, at, userId);
    addRecord(world, 'trade-groups', id, at, userId);
    return;
  }
  if (path.endsWith('-journals')) {
    const [table, row] =
      path === 'trade-journals'
        ? ['trades', tradeRow('about')]
        : [
            'trade_groups',
            ROWS['trade-groups']!('about', '2026-01-02T10:00:00.000Z').row,
          ];
    if (
      !world.db
        .prepare(`SELECT 1 FROM ${table} WHERE user_id = ? AND id = 'about'`)
        .get(userId)
    ) {
      world.insert(table as string, { user_id: userId, ...(row as Row) });
    }
  }
  const { table, row } = ROWS[path]!(id, at);
  world.insert(table, { user_id: userId, ...row });
}
