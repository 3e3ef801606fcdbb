/** The version of a file moves with every change of it, and with nothing else. */
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ReadOnlyFile } from '../../src/sqlite/read-only-file.ts';
import { temporaryFolder } from '../helpers.ts';

let path: string;
let writer: Database.Database;
let file: ReadOnlyFile;

function openWriter(name: string): Database.Database {
  const db = new Database(name);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

beforeEach(() => {
  path = join(temporaryFolder(), 'file.db');
  writer = openWriter(path);
  writer.exec('CREATE TABLE t (x); INSERT INTO t VALUES (0)');
  file = new ReadOnlyFile(path, () => undefined);
  onTestFinished(() => file.close());
});

const value = () => file.read((reader) => reader.get('SELECT x FROM t')?.['x']);
const write = (x: number) => writer.prepare('UPDATE t SET x = ?').run(x);

/** The version once it stands still, the file's log found. */
function settled(): number {
  value();
  file.version();
  value();
  return file.version();
}

const moved = (from: number) =>
  vi.waitFor(() => expect(file.version()).not.toBe(from), {
    timeout: 10_000,
    interval: 10,
  });

describe.each(['DELETE', 'WAL'])('mode %s', (mode) => {
  beforeEach(() => {
    writer.pragma(`journal_mode = ${mode}`);
  });

  test('stays the same during reads while nothing is written', async () => {
    const version = settled();
    for (let i = 0; i < 20; i++) {
      value();
      expect(file.version()).toBe(version);
    }
    await file.readLong((reader) => {
      reader.letGo();
      expect(reader.get('SELECT x FROM t')).toEqual({ x: 0 });
      expect(file.version()).toBe(version);
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(file.version()).toBe(version);
  });

  test('changes at once with each commit, and not with a rollback', () => {
    let version = settled();
    for (let x = 1; x <= 300; x++) {
      write(x);
      expect(file.version()).not.toBe(version);
      expect(value()).toBe(x);
      version = file.version();
      expect(file.version()).toBe(version);
      if (x % 10 === 0) {
        writer.exec('BEGIN IMMEDIATE; UPDATE t SET x = -1; ROLLBACK');
        expect(value()).toBe(x);
      }
    }
  });

  test('changes with a commit during a snapshot', () => {
    writer.pragma('busy_timeout = 0');
    const before = settled();
    const [during, after] = file.read((reader) => {
      reader.get('SELECT x FROM t');
      const same = file.version();
      // In rollback mode the reader keeps the writer out.
      if (mode === 'WAL') write(1);
      else expect(() => write(1)).toThrow('locked');
      expect(reader.get('SELECT x FROM t')).toEqual({ x: 0 });
      return [same, file.version()];
    });
    expect(during).toBe(before);
    expect(after === before).toBe(mode === 'DELETE');
  });

  test('changes when the file is replaced, removed or restored', async () => {
    const other = join(temporaryFolder(), 'other.db');
    openWriter(other).exec('CREATE TABLE t (x); INSERT INTO t VALUES (7)');
    writer.close();
    const first = settled();
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    renameSync(path, `${path}.away`);
    await moved(first);
    expect(() => value()).toThrow('missing');
    copyFileSync(other, path);
    expect(value()).toBe(7);
    const second = settled();
    renameSync(`${path}.away`, path);
    await moved(second);
    expect(value()).toBe(0);
  });
});

test('a log that is removed and created again is detected', async () => {
  writer.pragma('journal_mode = WAL');
  write(1);
  const version = settled();
  // As a writer that knows of nobody else leaves it: SQLite itself never does so while anybody has the file open.
  writer.pragma('wal_checkpoint(TRUNCATE)');
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`);
  openWriter(path).exec('UPDATE t SET x = 2');
  await moved(version);
  expect(value()).toBe(2);
});

test('a file that switches to a write-ahead log during a read', () => {
  settled();
  writer.pragma('journal_mode = WAL');
  for (let x = 1; x <= 50; x++) {
    const version = file.version();
    write(x);
    expect(file.version()).not.toBe(version);
    expect(value()).toBe(x);
  }
  settled();
  // Nobody can change it back while it is read; it goes on as it is.
  expect(() => writer.pragma('journal_mode = DELETE')).toThrow('locked');
  write(51);
  expect(value()).toBe(51);
  file.close();
  expect(writer.pragma('journal_mode = DELETE', { simple: true })).toBe('delete');
});

test('a file that switches back from a write-ahead log', () => {
  writer.pragma('journal_mode = WAL');
  write(1);
  settled();
  const version = file.version();
  const copy = join(temporaryFolder(), 'copy.db');
  writer.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(path, copy);
  openWriter(copy).exec('PRAGMA journal_mode = DELETE; UPDATE t SET x = 2');
  writer.close();
  renameSync(copy, path);
  const changed = openWriter(path);
  expect(value()).toBe(2);
  expect(file.version()).not.toBe(version);
  for (let x = 3; x <= 50; x++) {
    const before = file.version();
    changed.exec(`UPDATE t SET x = ${x}`);
    expect(file.version()).not.toBe(before);
    expect(value()).toBe(x);
  }
});
