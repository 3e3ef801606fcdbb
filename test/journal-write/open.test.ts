/** What a handle for writing guarantees to concurrent readers. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { createJournal, writeJournal } from '../../src/journal-write/open.ts';
import { addUser, newUser } from '../../src/journal-write/users.ts';
import { NOW, temporaryFolder } from '../helpers.ts';

test('readers see the old state until a long import commits', () => {
  const path = join(temporaryFolder(), 'journal.db');
  createJournal(path).close();
  const journal = openJournal(path);
  const users = () =>
    journal.read((reader) => reader.get('SELECT count(*) AS n FROM users')?.['n']);
  try {
    writeJournal(path, (db) => {
      // As if memory were short: an import rarely exceeds SQLite's cache.
      db.pragma('cache_size = 10');
      db.transaction(() => {
        for (let i = 0; i < 2000; i++)
          addUser(db, newUser(`user-${i}`, { name: 'x'.repeat(100) }), NOW);
        expect(users()).toBe(0);
      })();
    });
    expect(users()).toBe(2000);
  } finally {
    journal.close();
  }
});
