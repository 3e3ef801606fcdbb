/** Users are checked before they are written, and changes that would make stored rates wrong are rejected. */
import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  createJournal,
  openForWriting,
  userFor,
  writeJournal,
} from '../../src/journal-write/open.ts';
import {
  addUser,
  newUser,
  setUser,
  type UserChanges,
} from '../../src/journal-write/users.ts';
import { NOW } from '../helpers.ts';
import { ImportHome, TRADE } from '../import/home.ts';

function set(home: ImportHome, id: string, changes: UserChanges) {
  return writeJournal(home.journal, (db) => setUser(db, id, changes, home.now));
}

function refusalOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was done');
}

test('a new user has defaults for omitted settings', () => {
  const home = new ImportHome().withUser();
  expect(home.rows('SELECT * FROM users')).toEqual([
    {
      id: 'me',
      name: null,
      timezone: 'UTC',
      base_currency: 'USD',
      starting_balance: null,
      breakeven_tolerance: 0,
      created_at: '2026-11-20T15:00:00.000Z',
      updated_at: '2026-11-20T15:00:00.000Z',
    },
  ]);
});

test.each<[string, UserChanges, string]>([
  ['a b', {}, "a user's id must be 1 to 128 letters"],
  ['a', { timezone: 'Mars/Olympus' }, 'timezone must be an IANA time zone'],
  ['a', { timezone: '+02:00' }, 'timezone must be an IANA time zone'],
  [
    'a',
    { timezone: 'EST' },
    'timezone must be an IANA time zone; got "EST"; did you mean America/New_York?',
  ],
  ['a', { timezone: 'pst' }, 'did you mean America/Los_Angeles?'],
  ['a', { timezone: 'new york' }, 'did you mean America/New_York?'],
  ['a', { timezone: 'Europe/Berln' }, 'did you mean Europe/Berlin?'],
  [
    'a',
    { base_currency: 'usd' },
    'base_currency must be 2 to 10 capital letters or digits',
  ],
  ['a', { starting_balance: 0 }, 'starting_balance must be a number, 1e-8 or more'],
  [
    'a',
    { starting_balance: Number.NaN },
    'starting_balance must be a number, 1e-8 or more',
  ],
  ['a', { breakeven_tolerance: -1 }, 'breakeven_tolerance must be a number, 0 or more'],
])('%s %j is rejected', (id, changes, message) => {
  expect(() => newUser(id, changes)).toThrow(UsageError);
  expect(() => newUser(id, changes)).toThrow(message);
});

test('a repeated id is rejected', () => {
  const home = new ImportHome().withUser('ana');
  const db = openForWriting(home.journal);
  expect(() => addUser(db, newUser('ana', {}), NOW)).toThrow('user "ana" already exists');
  db.close();
});

test('set changes the given values, and rejects an unknown user', () => {
  const home = new ImportHome().withUser('ana', { name: 'Ana' });
  home.now += 1000;
  expect(
    set(home, 'ana', { timezone: 'Europe/Madrid', starting_balance: 5000 }),
  ).toMatchObject({
    name: 'Ana',
    timezone: 'Europe/Madrid',
  });
  expect(home.rows('SELECT starting_balance, updated_at FROM users')).toEqual([
    { starting_balance: 5000, updated_at: '2026-11-20T15:00:01.000Z' },
  ]);
  expect(set(home, 'ana', { name: null, starting_balance: null })).toMatchObject({
    name: null,
    starting_balance: null,
  });
  expect(() => set(home, 'bob', { name: 'Bob' })).toThrow(
    'there is no user "bob"; the journal\'s users are: ana',
  );
  expect(() => set(home, 'ana', { timezone: 'Nowhere' })).toThrow('timezone must be');
});

test('the base currency stays while rates to it are stored', () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', { ...TRADE, currency: 'EUR', fx_rate: 1.1 }));
  expect(() => set(home, 'me', { base_currency: 'EUR' })).toThrow(
    "base_currency can't change to EUR while a trade has an fx_rate to USD",
  );
  home.import(home.lines('trades.jsonl', { id: 't1', fx_rate: null }));
  expect(set(home, 'me', { base_currency: 'EUR' })).toMatchObject({
    base_currency: 'EUR',
  });
});

test('a journal never replaces a file, and a foreign file is never opened', () => {
  const home = new ImportHome();
  const path = home.file('journal.db', 'something');
  expect(() => createJournal(path)).toThrow('was not changed');
  expect(home.bytes().toString()).toBe('something');
  expect(() => openForWriting(path)).toThrow(
    `the journal ${path} can't be opened for writing: it is damaged or not an SQLite database; pass the right file with --db, or restore a backup`,
  );
  expect(() => openForWriting(home.path('none.db'))).toThrow('journal-api init');

  const other = new Database(home.path('other.db'));
  other.exec('CREATE TABLE t (x)');
  other.close();
  expect(() => openForWriting(home.path('other.db'))).toThrow(
    'it is not a journal-api journal',
  );
});

test('a write error names the journal and a remedy', () => {
  const home = new ImportHome().withUser();
  const write = () =>
    writeJournal(home.journal, (db) => {
      // SQLite's error for a missing permission, which root doesn't need.
      db.pragma('query_only = ON');
      setUser(db, 'me', { name: 'Me' }, home.now);
    });
  expect(write).toThrow(
    `the journal ${home.journal} can't be written: permission denied; check the permissions`,
  );
});

test.skipIf(process.getuid?.() === 0)('so does an error of missing permission', () => {
  const home = new ImportHome().withUser();
  chmodSync(home.journal, 0o400);
  expect(() => openForWriting(home.journal)).toThrow(
    `the journal ${home.journal} can't be opened for writing: permission denied; check the permissions`,
  );
});

test.each([
  ['missing', () => undefined, /is missing \(create one with "journal-api init"\)$/],
  [
    'damaged',
    (home: ImportHome) => home.file('journal.db', 'Dear diary, '.repeat(1000)),
    /damaged.*"journal-api check".*restore a backup/,
  ],
  [
    'foreign',
    (home: ImportHome) => home.withUser().write('PRAGMA application_id = 1'),
    /not a journal-api journal.*restore a backup/,
  ],
  [
    'newer',
    (home: ImportHome) => home.withUser().write('PRAGMA user_version = 99'),
    /use a newer journal-api$/,
  ],
])('a new journal is suggested only if there is no file: %s', (name, make, message) => {
  const home = new ImportHome();
  make(home);
  const reading = refusalOf(() => userFor(home.journal, undefined));
  const writing = refusalOf(() => openForWriting(home.journal));
  expect(reading).toMatch(message);
  for (const refusal of [reading, writing]) {
    expect(refusal).toContain(home.journal);
    expect(refusal.includes('init')).toBe(name === 'missing');
  }
});
