/** Every command that writes, its initial folder, and the invariants after any outcome. */
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { beforeEach, expect, vi } from 'vitest';
import { registerBackup } from '../../src/commands/backup.ts';
import { registerCheck } from '../../src/commands/check.ts';
import { registerImport } from '../../src/commands/import.ts';
import { registerKey } from '../../src/commands/key.ts';
import { JournalCommand } from '../../src/commands/shared/command.ts';
import { registerUpgrade } from '../../src/commands/upgrade.ts';
import { registerInit, registerUser } from '../../src/commands/user.ts';
import { type Files, filesOf, globalOptions } from '../../src/config.ts';
import { importPaths } from '../../src/import/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import { createJournal } from '../../src/journal-write/open.ts';
import { addUser, newUser } from '../../src/journal-write/users.ts';
import { openSecret } from '../../src/keys/secret.ts';
import { insertKey, listKeys, revokeKey, type StoredKey } from '../../src/keys/store.ts';
import {
  type NamedPicture,
  PictureFolder,
  pictureName,
} from '../../src/pictures/kept-pictures.ts';
import { fileExists } from '../../src/sqlite/create-file.ts';
import { toInstantText } from '../../src/time.ts';
import { DAY, NOW, temporaryFolder, tradeRow } from '../helpers.ts';
import { png } from '../pictures/sample-pictures.ts';
import type { Call } from './strace.ts';

await loadAll();

/** Initial contents of the data folder: nothing, a journal, one with keys, or an older one with keys. */
type Start = 'nothing' | 'journal' | 'keys' | 'older';

interface Writer {
  name: string;
  start: Start;
  /** @param at a path next to the data folder */
  args: (at: (name: string) => string) => string[];
  /** What happened before. */
  prepare?: (place: Place) => void;
}

const CREATE = ['key', 'create', '--name', 'k', '--scopes', 'all', '--expires', '1h'];

/** Keys whose creation or revocation a command has confirmed. */
const [LIVE, REVOKED] = ['key_live00001', 'key_revoked01'];
/** A trade in every journal except a new one, and one that is imported. */
const [OLD, NEW] = ['t1', 'new'];

/** A file of records, and two versions of a note. */
const SESSIONS = `id,date,started_at,notes\n${Array.from({ length: 28 }, (_, day) => {
  const date = `2026-10-${String(day + 1).padStart(2, '0')}`;
  return `s${day},${date},${date} 09:30,Slow.\n`;
}).join('')}`;
const NOTE = '2026-11-02.md';
const DAY_NOTE = `---
type: day
---
mood:: calm

## Lesson
Wait.

## Missed trades

- 11:00 MSFT long, slow
`;

/** A day with two pictures. */
const PICTURES_NOTE = 'mood:: calm\n\n![[a.png]]\n![[b.png]]\n';

function writePictures(place: Place): void {
  writeFileSync(place.at(NOTE), PICTURES_NOTE);
  for (const [height, name] of ['a.png', 'b.png'].entries())
    writeFileSync(place.at(name), png({ height: height + 1 }));
}

function importSessions(place: Place): void {
  place.import('sessions.csv', SESSIONS);
}

function importNote(place: Place): void {
  place.import(NOTE, DAY_NOTE);
}

export const WRITERS: readonly Writer[] = [
  { name: 'init', start: 'nothing', args: () => ['init'] },
  {
    name: 'import into a new journal',
    start: 'nothing',
    args: (at) => ['import', at('trades.jsonl')],
  },
  {
    name: 'import into a journal',
    start: 'keys',
    args: (at) => ['import', at('trades.jsonl')],
  },
  { name: 'import forget', start: 'keys', args: () => ['import', 'forget', '--all'] },
  {
    name: 'import change',
    start: 'keys',
    args: () => ['import', 'change', '1', '--timezone', 'Asia/Tokyo', '--yes'],
    prepare: importSessions,
  },
  {
    name: 'import undo',
    start: 'keys',
    args: () => ['import', 'undo', '1'],
    prepare: importSessions,
  },
  {
    name: 'import reread',
    start: 'keys',
    args: () => ['import', 'reread', '--yes'],
    prepare(place) {
      importSessions(place);
      // As an earlier reader, which took no notes, had read it.
      place.write('UPDATE sessions SET notes = NULL; UPDATE imports SET revision = 0');
    },
  },
  {
    name: 'import of another version of a note',
    start: 'keys',
    args: (at) => ['import', at(NOTE)],
    prepare(place) {
      importNote(place);
      const other = DAY_NOTE.replace('mood:: calm\n', '').replace('Wait.', 'Wait more.');
      writeFileSync(place.at(NOTE), other.replace('11:00 MSFT', '12:00 AAPL'));
    },
  },
  {
    name: 'day --edit',
    start: 'keys',
    args: () => ['day', '2026-11-02', '--edit'],
    prepare(place) {
      importNote(place);
      // Only words of the shell: each call that is traced is then the program's. Asked again, it types nothing.
      const type = '{ echo "### 12:00 AAPL long" >> "$1"; : > "$TMPDIR/typed"; }';
      writeFileSync(place.at('editor.sh'), `[ -e "$TMPDIR/typed" ] || ${type}\n`);
      mkdirSync(place.at('tmp'));
    },
  },
  {
    name: 'import of a note with pictures',
    start: 'keys',
    args: (at) => ['import', at(NOTE)],
    prepare: writePictures,
  },
  {
    name: 'import undo of a note with pictures',
    start: 'keys',
    args: () => ['import', 'undo', '1'],
    prepare(place) {
      writePictures(place);
      place.import(NOTE, PICTURES_NOTE);
    },
  },
  { name: 'user add', start: 'keys', args: () => ['user', 'add', 'ana'] },
  { name: 'first key create', start: 'journal', args: () => CREATE },
  { name: 'second key create', start: 'keys', args: () => CREATE },
  { name: 'key revoke', start: 'keys', args: () => ['key', 'revoke', LIVE] },
  { name: 'key rotate', start: 'keys', args: () => ['key', 'rotate', LIVE] },
  { name: 'backup', start: 'keys', args: (at) => ['backup', at('copy')] },
  {
    name: 'backup --keep',
    start: 'keys',
    args: (at) => ['backup', at('copies'), '--keep', '1'],
  },
  { name: 'upgrade', start: 'older', args: () => ['upgrade'] },
];

/** Calls that a few faults should hit: the backup before a change is made as that before an import. */
export function ownCalls({ prepare }: Writer, calls: readonly Call[]): readonly Call[] {
  return prepare ? calls.filter(({ text }) => !text.includes('/home/backups')) : calls;
}

/** A folder with a data folder that a writer changes. */
export class Place {
  readonly folder = temporaryFolder();
  readonly files = filesOf({ home: join(this.folder, 'home') });
  readonly writer: Writer;
  /** What its journal holds before the writer runs. */
  readonly before: string | undefined;

  constructor(writer: Writer) {
    this.writer = writer;
    fill(this.files, writer.start);
    if (writer.name === 'backup --keep') this.#makeBackup();
    if (writer.name === 'import forget') this.#keepFile();
    writer.prepare?.(this);
    writeFileSync(this.at('trades.jsonl'), `${JSON.stringify(tradeRow(NEW))}\n`);
    this.before = this.state();
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  get args(): string[] {
    return this.#inHome(...this.writer.args((name) => this.at(name)));
  }

  /** For the program: an editor, and where the note lies meanwhile. */
  get environment(): Record<string, string> {
    if (!existsSync(this.at('editor.sh'))) return {};

    return { VISUAL: '', EDITOR: `sh ${this.at('editor.sh')}`, TMPDIR: this.at('tmp') };
  }

  /** Imports a file, before the writer runs. */
  import(name: string, text: string): void {
    writeFileSync(this.at(name), text);
    const as = name === 'sessions.csv' ? { as: 'sessions' } : {};
    const { journal } = this.files;
    importPaths({ paths: [this.at(name)], journal, now: NOW, timeZone: 'UTC', ...as });
  }

  /** Runs statements on the journal. */
  write(sql: string): void {
    const db = new Database(this.files.journal);
    db.exec(sql);
    db.close();
  }

  /** What the journal holds, without times and places; undefined if there is none, or an older one. */
  state(): string | undefined {
    if (this.writer.start === 'nothing' || this.writer.start === 'older')
      return undefined;

    // It may write, so that it undoes what a killed writer left.
    const db = new Database(this.files.journal);
    const rows = STATE.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
    db.close();
    const isTime = (name: string) => /^(created|updated|imported)_at$/.test(name);
    return JSON.stringify(rows, (name, value) => (isTime(name) ? undefined : value))
      .replaceAll(this.folder, '')
      .replaceAll(/journal-api-note-\w+/g, '');
  }

  /** Names of all its entries. */
  names(): string[] {
    return readdirSync(this.folder, { recursive: true }).map(String);
  }

  /**
   * Checks that the journal is as before or after, that every command works, and nothing confirmed is lost.
   * @param after what the journal holds once the writer has run to its end
   */
  async isWhole(after: string | undefined): Promise<void> {
    expect([this.before, after]).toContain(this.state());
    const { start, name } = this.writer;
    if (start === 'nothing' && !fileExists(this.files.journal)) await this.#works('init');
    if (start === 'older') await this.#works('upgrade');
    if (start === 'older') this.#holdsStatements();
    await this.#works('key', 'list');
    if (start === 'keys' || start === 'older') {
      const keys = listKeys(this.files.keys);
      const isRevoked = (id: string) =>
        keys.find((key) => key.id === id)?.revoked_at != null;
      expect(keys.map((key) => key.id)).toEqual(expect.arrayContaining([LIVE, REVOKED]));
      expect(isRevoked(REVOKED)).toBe(true);
      if (!/^key (revoke|rotate)$/.test(name)) expect(isRevoked(LIVE)).toBe(false);
      await this.#works('key', 'revoke', LIVE);
    }
    await this.#works(...CREATE);
    await this.#works('check');
    await this.#works('user', 'list');
    await this.#works('import', this.at('trades.jsonl'));
    this.#keepsFiles();
    this.#keepsPictures();
    await this.#works('backup', this.at('another'));
    this.#holdsEverything(this.files.home, start === 'nothing' ? [NEW] : [OLD, NEW]);
    if (existsSync(this.at('copy'))) this.#holdsEverything(this.at('copy'), [OLD]);
    if (name === 'backup --keep') await this.#keepsOneBackup();
  }

  /** An earlier import, whose file is kept. */
  #keepFile(): void {
    const db = new Database(this.files.journal);
    const bytes = gzipSync(OLD);
    const sha256 = hash('sha256', OLD);
    db.exec(`INSERT INTO imports (user_id, id, imported_at, file, sha256, format, resource, rows, fills, records, trades)
        VALUES ('me', 1, '${toInstantText(NOW)}', 'old.jsonl', '${sha256}', 'jsonl', 'trades', 1, 0, 1, 0);
      INSERT INTO import_files (user_id, import_id, place, kind, sha256) VALUES ('me', 1, 0, 'file', '${sha256}')`);
    db.prepare("INSERT INTO kept_files VALUES ('me', ?, 0, ?)").run(sha256, bytes);
    db.close();
  }

  /** The bytes of each import are kept once and whole, or not at all; those of the last import are. */
  #keepsFiles(): void {
    const db = new Database(this.files.journal, { readonly: true });
    const stated = db.prepare('SELECT DISTINCT sha256 FROM import_files').pluck().all();
    const kept = db.prepare('SELECT sha256, bytes FROM kept_files').all() as {
      sha256: string;
      bytes: Buffer;
    }[];
    db.close();
    const hashes = kept.map(({ bytes }) => hash('sha256', gunzipSync(bytes))).sort();
    expect(hashes).toEqual(kept.map(({ sha256 }) => sha256).sort());
    expect(hashes).toEqual(stated.sort());
    expect(hashes).toContain(hash('sha256', readFileSync(this.at('trades.jsonl'))));
  }

  /** Pictures that lines state are there and whole, and no others. */
  #keepsPictures(): void {
    const db = new Database(this.files.journal, { readonly: true });
    const stated = db.prepare('SELECT DISTINCT sha256, type FROM import_pictures').all();
    db.close();
    const folder = PictureFolder.of(this.files.journal);
    const names = (stated as NamedPicture[]).map(pictureName).sort();
    expect(folder.names()).toEqual(names);
    expect(names.filter((name) => !folder.read(name))).toEqual([]);
    expect(folder.hasOthers()).toBe(false);
  }

  /** An old backup, which the next one removes. */
  #makeBackup(): void {
    const { home, journal } = this.files;
    const backup = join(this.at('copies'), 'journal-2020-01-01T000000Z');
    cpSync(home, backup, { recursive: true });
    writeFileSync(join(backup, 'backup.json'), JSON.stringify({ journal }));
  }

  /** What the older journal's import stated. */
  #holdsStatements(): void {
    const db = new Database(this.files.journal, { readonly: true });
    const stated = db
      .prepare(
        "SELECT record_id FROM import_records WHERE import_id = 1 AND kind = 'stated'",
      )
      .pluck();
    expect(stated.all().sort()).toEqual(['s1', 't1']);
    db.close();
  }

  /** The latest backup has everything, and the next one leaves no other. */
  async #keepsOneBackup(): Promise<void> {
    // One killed before the last call of a removal is empty, and stays.
    const isBackup = (name: string) =>
      /^journal-[^.]*$/.test(name) && readdirSync(this.at(`copies/${name}`)).length > 0;
    const backups = () => readdirSync(this.at('copies')).filter(isBackup);
    const latest = () => join(this.at('copies'), backups().sort().at(-1) as string);
    this.#holdsEverything(latest(), [OLD]);
    await this.#works('backup', this.at('copies'), '--keep', '1');
    expect(backups()).toHaveLength(1);
    this.#holdsEverything(latest(), [OLD]);
  }

  #holdsEverything(home: string, trades: string[]): void {
    const { journal, keys, secret } = filesOf({ home });
    const db = new Database(journal, { readonly: true });
    const ids = db.prepare("SELECT id FROM trades WHERE user_id = 'me'").pluck().all();
    db.close();
    expect(ids).toEqual(expect.arrayContaining(trades));
    expect(readFileSync(secret).length).toBe(32);
    if (this.writer.start !== 'keys' && this.writer.start !== 'older') return;
    const revoked = listKeys(keys).filter((key) => key.revoked_at !== null);
    expect(revoked.map((key) => key.id)).toContain(REVOKED);
    if (home === this.files.home) expect(revoked.map((key) => key.id)).toContain(LIVE);
  }

  async #works(...args: string[]): Promise<void> {
    try {
      await runHere(this.#inHome(...args));
    } catch (error) {
      throw new Error(`${args.join(' ')} failed: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  #inHome(...args: string[]): string[] {
    return [...args, '--home', this.files.home];
  }
}

/** Tables that commands write. */
const STATE = [
  'users',
  'trades',
  'sessions',
  'missed_trades',
  'trade_journals',
  'imports',
  'import_records',
  'import_files',
  'import_pictures',
  'kept_files',
];

const COMMANDS = [
  registerInit,
  registerKey,
  registerUser,
  registerImport,
  registerCheck,
  registerBackup,
  registerUpgrade,
];

/** Runs a command in this process, in a few milliseconds. @throws the program's error unless it exits with 0 */
async function runHere(args: string[]): Promise<void> {
  const program = new JournalCommand().exitOverride();
  for (const option of globalOptions) program.addOption(option);
  for (const register of COMMANDS) register(program);
  await program.parseAsync(args, { from: 'user' });
}

/** Discards the commands' output. */
export function muteCommands(): void {
  beforeEach(() => {
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockReturnValue(true);
  });
}

/** Creates the initial contents of the data folder. */
function fill(files: Files, start: Start): void {
  if (start === 'nothing') return;
  mkdirSync(files.home);
  if (start === 'older') {
    const fixture = (name: string) =>
      readFileSync(
        fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)),
        'utf8',
      );
    const db = new Database(files.journal);
    for (const name of ['schema-4.sql', 'rows.sql', 'rows-fills.sql', 'rows-changes.sql'])
      db.exec(fixture(name));
    db.close();
  } else {
    const db = createJournal(files.journal, (db) => addUser(db, newUser('me', {}), NOW));
    const trade = { user_id: 'me', ...tradeRow(OLD) };
    const names = Object.keys(trade);
    db.prepare(
      `INSERT INTO trades (${names}) VALUES (${names.map((name) => `@${name}`)})`,
    ).run(trade);
    db.close();
  }
  if (start === 'journal') return;
  const secret = openSecret(files);
  const times = {
    created_at: toInstantText(NOW - DAY),
    expires_at: toInstantText(Date.now() + DAY),
  };
  for (const id of [LIVE, REVOKED]) {
    const key: StoredKey = {
      id,
      user_id: 'me',
      name: 'k',
      scopes: ['trades:read'],
      ...times,
      revoked_at: null,
      last_used_at: null,
      lens: null,
      seed: null,
    };
    insertKey(files.keys, key, secret.hashKey(id));
  }
  revokeKey(files.keys, REVOKED, NOW);
}
