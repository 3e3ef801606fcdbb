/** Journals and key stores with damaged bytes and pages, as from a dying disk: responses or 503, and `check` ends. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { type Files, filesOf } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { checkJournal } from '../../src/journal/check.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { createJournal, freshSchema } from '../../src/journal-write/open.ts';
import { KeyReader } from '../../src/keys/key-reader.ts';
import { openSecret } from '../../src/keys/secret.ts';
import { listKeys } from '../../src/keys/store.ts';
import { FileUnavailable } from '../../src/sqlite/errors.ts';
import { isExhaustive } from '../effort.ts';
import { NOW, temporaryFolder, tradeRow, World } from '../helpers.ts';
import { randomNumbers } from '../seed.ts';
import { printFigures } from './figures.ts';

const TIMES = {
  journal: isExhaustive ? 2000 : 100,
  keys: isExhaustive ? 1000 : 50,
};

const random = randomNumbers();

const PAGE = 4096;

/** Kinds of damage to a file's bytes. Zeros are skipped: nothing reads them. */
const DAMAGES: ((bytes: Buffer) => void)[] = [
  (bytes) => bytes.writeUInt8(random(256), written(bytes)),
  (bytes) => {
    const at = written(bytes);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at);
  },
  (bytes) => {
    const at = written(bytes);
    for (let i = at; i < Math.min(at + 16, bytes.length); i++)
      bytes.writeUInt8(random(256), i);
  },
  (bytes) =>
    bytes.copy(
      bytes,
      pageOf(written(bytes)),
      pageOf(written(bytes)),
      pageOf(written(bytes)) + PAGE,
    ),
  (bytes) =>
    bytes.fill(0, pageOf(written(bytes)) + random(PAGE), pageOf(written(bytes)) + PAGE),
];

function written(bytes: Buffer): number {
  for (;;) {
    const at = random(bytes.length);
    if (bytes[at] !== 0) return at;
  }
}

const pageOf = (at: number) => at - (at % PAGE);

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const times = 1 + random(3);
  for (let i = 0; i < times; i++) DAMAGES[random(DAMAGES.length)]?.(copy);
  return copy;
}

type Damaged = 'journal' | 'keys';

const PATHS: Record<Damaged, string[]> = {
  journal: [
    ...[
      'me',
      'analytics/summary',
      'analytics/summary?symbol=SPX',
      'summary',
      'summary?days=365',
    ],
    ...RESOURCES.map(({ path }) => `${path}?limit=100`),
    ...[
      'trades?tag=a&status=closed',
      'trades?start=2026-11-01',
      'trade-groups?symbol=spx',
      'journal-rows?limit=2',
    ],
    ...['t1', 't2', 'open~1', 'even', 'many-7'].map((id) => `trades/${id}`),
  ],
  keys: ['me', 'trades', 'summary'],
};

interface Place {
  files: Files;
  /** Keys of each user. */
  keys: string[];
}

/** A data folder with a journal of some hundred records. */
function sample(): Place {
  const world = new World();
  const files = filesOf({
    home: world.files.home,
    db: join(temporaryFolder(), 'journal.db'),
  });
  const rows = readFileSync(
    fileURLToPath(new URL('../fixtures/rows.sql', import.meta.url)),
    'utf8',
  );
  const db = createJournal(files.journal, (made) => made.exec(rows));
  const names = Object.keys(
    tradeRow('x', { tags: '', mistakes: '', notes: '', initial_risk: 1 }),
  );
  const insert = db.prepare(
    `INSERT INTO trades (user_id, ${names}) VALUES ('me', ${names.map((name) => `@${name}`)})`,
  );
  const say =
    db.prepare(`INSERT INTO trade_journals (user_id, id, trade_id, phase, body, rules, emotions)
    VALUES ('me', ?, ?, 'review', 'Waited.', '[{"rule":"wait","followed":true}]', '["calm","bored"]')`);
  for (let i = 0; i < 150; i++) {
    const more = {
      tags: '["a","b"]',
      mistakes: i % 3 ? '[]' : '["late"]',
      notes: 'As planned. '.repeat(i % 9),
    };
    insert.run(
      tradeRow(`many-${i}`, { ...more, gross_pnl: i - 70, initial_risk: 1 + i }),
    );
    say.run(`j${i}`, `many-${i}`);
  }
  db.close();
  return { files, keys: ['me', 'ana'].map((user) => world.key(undefined, user)) };
}

const found = { damages: 0, requests: 0, unavailable: 0, faults: 0 };

/** The statements of a database's schema; empty if unreadable. */
function schemaOf(path: string): unknown {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare('SELECT sql FROM sqlite_schema').pluck().all();
  } catch {
    return [];
  } finally {
    db.close();
  }
}

/** @returns every request that failed by a fault of the service */
async function faultsOf(
  { files, keys }: Place,
  name: Damaged,
  isSchemaWhole: boolean,
): Promise<string[]> {
  const journal = openJournal(files.journal);
  const keyReader = new KeyReader(files.keys, false);
  const faults: string[] = [];
  let isForeign = false;
  const app = createApp({
    ...{
      journal,
      keys: keyReader,
      secret: openSecret(files),
      rateLimit: 0,
      corsOrigins: [],
      allowedHosts: [],
      trustProxy: false,
    },
    onError: (error) => {
      // What SQLite says of a missing column has its cause in the log: a database of another schema is nothing to wait for.
      isForeign = !isSchemaWhole && (error as { code?: string }).code === 'SQLITE_ERROR';
      if (!isForeign) faults.push((error as Error).stack ?? String(error));
    },
    now: () => NOW,
  });
  for (const [key, path] of keys.flatMap((key) =>
    PATHS[name].map((path) => [key, path] as const),
  )) {
    isForeign = false;
    const { status } = await app.request(`/v1/${path}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    found.requests++;
    if (status === 503) found.unavailable++;
    else if (status >= 500 && !isForeign) faults.push(`${path} answered ${status}`);
  }
  keyReader.close();
  journal.close();
  return faults;
}

const fresh = freshSchema();

/** The findings of `check`, which reports where it stops. */
function check(path: string): void {
  const journal = openJournal(path);
  try {
    journal.read((reader) => [...checkJournal(reader, fresh)]);
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
  } finally {
    journal.close();
  }
}

function list(path: string): void {
  try {
    listKeys(path);
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
  }
}

async function damageAndAsk(name: Damaged): Promise<void> {
  const place = sample();
  const path = place.files[name];
  const whole = readFileSync(path);
  const schema = schemaOf(path);
  const faults: string[] = [];
  for (let i = 0; i < TIMES[name]; i++) {
    writeFileSync(path, damaged(whole));
    found.damages++;
    const isSchemaWhole = isDeepStrictEqual(schemaOf(path), schema);
    for (const fault of await faultsOf(place, name, isSchemaWhole))
      faults.push(`${fault} (${name})`);
    try {
      if (name === 'journal') check(path);
      else list(path);
    } catch (error) {
      if (isSchemaWhole)
        faults.push(`the command failed (${name}): ${(error as Error).stack}`);
    }
  }
  found.faults += faults.length;
  expect(faults.slice(0, 5)).toEqual([]);
}

afterAll(() => {
  const { damages, requests, unavailable, faults } = found;
  printFigures(
    `files damaged: ${damages}; requests: ${requests}, of which 503: ${unavailable}; other 5xx, and commands that failed: ${faults}`,
  );
});

test('a damaged journal', { timeout: 3_600_000 }, () => damageAndAsk('journal'));

test('a damaged key store', { timeout: 3_600_000 }, () => damageAndAsk('keys'));
