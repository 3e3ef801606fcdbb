/** New files, created once and copied for each test: creating one waits for the disk a dozen times. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { filesOf } from '../src/config.ts';
import { createJournal } from '../src/journal-write/open.ts';
import { openSecret } from '../src/keys/secret.ts';
import { insertKey } from '../src/keys/store.ts';

type Blank = 'journal' | 'keys' | 'secret';

let blank: Record<Blank, Buffer> | undefined;

/** Copies a journal without a user, a key store without a key, or a secret to a path. */
export function copyBlank(name: Blank, path: string): void {
  blank ??= make();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, blank[name], { mode: 0o600, flag: 'wx' });
}

function make(): Record<Blank, Buffer> {
  const home = mkdtempSync(join(tmpdir(), 'journal-api-blank-'));
  try {
    const files = filesOf({ home });
    createJournal(files.journal).close();
    const secret = openSecret(files);
    const never = '2026-01-01T00:00:00.000Z';
    const times = {
      created_at: never,
      expires_at: never,
      revoked_at: never,
      last_used_at: null,
    };
    insertKey(
      files.keys,
      { id: 'key_x', user_id: 'x', name: 'x', scopes: [], ...times },
      secret.hashKey('x'),
    );
    const keys = new Database(files.keys);
    keys.exec('DELETE FROM keys');
    keys.close();
    const read = (name: Blank) => readFileSync(files[name]);
    return { journal: read('journal'), keys: read('keys'), secret: read('secret') };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
