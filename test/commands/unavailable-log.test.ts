import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { unavailableLog } from '../../src/commands/serve.ts';
import { asUnavailable, FileUnavailable } from '../../src/sqlite/errors.ts';

test("each cause is logged once a minute, with SQLite's message", () => {
  const lines: string[] = [];
  let now = 0;
  const log = unavailableLog(
    (line) => lines.push(line),
    () => now,
  );
  const damaged = asUnavailable(
    new Database.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT'),
  ) as FileUnavailable;
  const keys = new FileUnavailable(
    `the key store keys.db cannot be used: ${damaged.message}`,
    {
      cause: damaged,
    },
  );
  const first = [
    'journal-api: requests get 503: the file is damaged or not an SQLite database (SQLITE_CORRUPT: database disk image is malformed)\n',
    'journal-api: requests get 503: the file is missing\n',
    'journal-api: requests get 503: the key store keys.db cannot be used: the file is damaged or not an SQLite database (SQLITE_CORRUPT: database disk image is malformed)\n',
  ];
  const reportAll = () => {
    for (const error of [damaged, new FileUnavailable('the file is missing'), keys])
      log(error);
  };
  for (; now < 60_000; now += 1000) reportAll();
  expect(lines).toEqual(first);
  reportAll();
  expect(lines).toEqual([...first, ...first]);
});
