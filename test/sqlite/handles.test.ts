/** Open handles: which are kept for the next read, and what they hold in memory. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Handles } from '../../src/sqlite/handles.ts';
import { FileState } from '../../src/sqlite/read-only-file.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';

let writer: Database.Database;
let handles: Handles;

beforeEach(() => {
  const path = join(temporaryFolder(), 'file.db');
  writer = new Database(path);
  writer.exec('CREATE TABLE t (x); INSERT INTO t VALUES (0)');
  const state = new FileState(path);
  handles = new Handles(state);
  onTestFinished(() => {
    handles.close();
    state.close();
    writer.close();
  });
});

test('a returned handle is reused, and at most two are kept', () => {
  const taken = [handles.take(0), handles.take(0), handles.take(0)];
  expect(handles.inUse).toBe(3);
  for (const handle of taken) handles.giveBack(handle);
  expect(handles.inUse).toBe(0);
  expect(taken.map(({ db }) => db.open)).toEqual([true, true, false]);
  expect(taken.slice(0, 2)).toContain(handles.take(0));
});

test('a handle made stale by other writers is closed, in use or idle', () => {
  const [idle, inUse] = [handles.take(0), handles.take(0)];
  handles.giveBack(idle);
  writer.exec('UPDATE t SET x = 1');
  const fresh = handles.take(0);
  expect(idle.db.open).toBe(false);
  handles.giveBack(inUse);
  expect(inUse.db.open).toBe(false);
  handles.giveBack(fresh);
  expect(fresh.db.open).toBe(true);
});

test('a failed handle closes the idle ones', () => {
  const [idle, failed] = [handles.take(0), handles.take(0)];
  handles.giveBack(idle);
  handles.discard(failed);
  expect([idle.db.open, failed.db.open, handles.inUse]).toEqual([false, false, 0]);
});

test('a handle with too many statements is closed, which frees its memory', () => {
  const handle = handles.take(0);
  for (let i = 0; i < 100; i++) handle.reader.get(`SELECT ${i}`);
  handles.giveBack(handle);
  expect(handles.take(0)).toBe(handle);
  handle.reader.get('SELECT 100');
  handles.giveBack(handle);
  expect(handle.db.open).toBe(false);
});

test('each read waits as long as requested', () => {
  const patient = handles.take(1234);
  const timeoutOf = (db: Database.Database) =>
    db.pragma('busy_timeout', { simple: true });
  expect(timeoutOf(patient.db)).toBe(1234);
  handles.giveBack(patient);
  expect(timeoutOf(handles.take(0).db)).toBe(0);
});

test('page sizes and the order of filters prepare no further statements', async () => {
  const world = new World();
  const key = world.key();
  world.insert('trades', tradeRow('t'));
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  const prepared = async (queries: string[]) => {
    prepare.mockClear();
    for (const query of queries)
      expect((await world.ask(`/v1/trades?${query}`, { key })).status).toBe(200);
    return new Set(
      prepare.mock.calls.map(([sql]) => sql).filter((sql) => /FROM trade/.test(sql)),
    ).size;
  };
  const sizes = Array.from({ length: 100 }, (_, i) => `limit=${i + 1}`);
  expect(await prepared(sizes)).toBe(1);
  const filters = ['status=closed', 'side=long', 'symbol=AAPL', 'tag=a'];
  const orders = filters.flatMap((a) =>
    filters.filter((b) => b !== a).map((b) => `${a}&${b}`),
  );
  // Six pairs, each with the statement for the end of a stride.
  expect(await prepared(orders)).toBeLessThanOrEqual(12);
});
