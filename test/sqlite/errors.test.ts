/** Which errors say that the file can't be read now, and which that the program is wrong. */
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import {
  asUnavailable,
  FileUnavailable,
  isLocked,
  rootCause,
} from '../../src/sqlite/errors.ts';

const sqliteError = (code: string) => new Database.SqliteError('words of SQLite', code);

describe('asUnavailable', () => {
  test.each([
    ['SQLITE_BUSY', /another program is writing/],
    ['SQLITE_BUSY_RECOVERY', /another program is writing/],
    ['SQLITE_BUSY_SNAPSHOT', /another program is writing/],
    ['SQLITE_LOCKED_SHAREDCACHE', /another program is writing/],
    ['SQLITE_CORRUPT', /damaged/],
    ['SQLITE_CORRUPT_VTAB', /damaged/],
    ['SQLITE_NOTADB', /damaged/],
    ['SQLITE_CONSTRAINT_DATATYPE', /damaged/],
    ['SQLITE_READONLY_ROLLBACK', /stopped halfway/],
    ['SQLITE_CANTOPEN_ISDIR', /cannot be read/],
    ['SQLITE_IOERR_SHORT_READ', /cannot be read/],
    ['SQLITE_PERM', /cannot be read/],
    ['SQLITE_FULL', /cannot be read/],
    ['SQLITE_AUTH', /cannot be read/],
  ])('%s speaks of the file', (code, message) => {
    const cause = sqliteError(code);
    const error = asUnavailable(cause);
    expect(error).toBeInstanceOf(FileUnavailable);
    expect(error).toMatchObject({ message: expect.stringMatching(message), cause });
    expect(rootCause(error)).toBe(`${code}: words of SQLite`);
  });

  test.each([
    'SQLITE_ERROR',
    'SQLITE_SCHEMA',
    'SQLITE_TOOBIG',
    'SQLITE_MISMATCH',
    'SQLITE_MISUSE',
    'SQLITE_NOMEM',
    'SQLITE_RANGE',
    'SQLITE_INTERRUPT',
  ])('%s stays unchanged', (code) => {
    const error = sqliteError(code);
    expect(asUnavailable(error)).toBe(error);
  });

  test.each([
    ['SQLITE_ERROR', 'malformed JSON'],
    ['SQLITE_ERROR_MISSING_COLLSEQ', 'no such collation sequence: NoCASE2'],
  ])('%s: %s is of a damaged file', (code, message) => {
    const error = asUnavailable(new Database.SqliteError(message, code));
    expect(error).toBeInstanceOf(FileUnavailable);
    expect(error).toMatchObject({ message: expect.stringMatching(/damaged/) });
  });

  test('an operating system error is about the file', () => {
    const refused = Object.assign(new Error('EACCES: permission denied'), {
      syscall: 'open',
    });
    expect(asUnavailable(refused)).toBeInstanceOf(FileUnavailable);
    expect(rootCause(asUnavailable(refused))).toBe('EACCES: permission denied');
  });

  test.each([new TypeError('fault'), new RangeError('fault'), 'a text', undefined])(
    '%s stays unchanged',
    (error) => {
      expect(asUnavailable(error)).toBe(error);
      expect(rootCause(error)).toBeUndefined();
    },
  );
});

test.each([
  [sqliteError('SQLITE_BUSY'), true],
  [sqliteError('SQLITE_BUSY_RECOVERY'), true],
  [sqliteError('SQLITE_LOCKED'), true],
  [sqliteError('SQLITE_CORRUPT'), false],
  [new Error('SQLITE_BUSY'), false],
])('whether a lock is all that is wrong: %o', (error, is) => {
  expect(isLocked(error)).toBe(is);
});
