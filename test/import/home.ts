/** A temporary folder with files to import and a journal. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type ImportOptions, importPaths } from '../../src/import/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import type { ImportReport } from '../../src/import/report/report.ts';
import { analyticsOf, type Section } from '../../src/journal/analytics/index.ts';
import { checkJournal } from '../../src/journal/check.ts';
import { findUser, openJournal, type User } from '../../src/journal/journal.ts';
import { listPage } from '../../src/journal/list.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { freshSchema, openForWriting } from '../../src/journal-write/open.ts';
import { addUser, newUser, type UserChanges } from '../../src/journal-write/users.ts';
import { addFunctions } from '../../src/sqlite/functions.ts';
import { Reader, type Row } from '../../src/sqlite/reader.ts';
import { copyBlank } from '../blank.ts';
import { atEnd, NOW, temporaryFolder } from '../helpers.ts';

await loadAll();

/** Journals with one user, each created once, which saves 2 ms per test. */
const withUsers = new Map<string, Buffer>();

/** A journal that was read: opening it again would parse its schema and plan all queries anew. */
interface Opened {
  db: Database.Database;
  reader: Reader;
  /** Of the file. */
  ino: number;
  state: string;
  /** Changes with commits only. */
  version: unknown;
}

const MOST_OPEN = 4;

const opened = new Map<string, Opened>();

function openedToRead(journal: string): Opened {
  const { ino, size, mtimeMs, ctimeMs } = statSync(journal);
  const state = [size, mtimeMs, ctimeMs].join();
  const known = opened.get(journal);

  if (known?.ino === ino) {
    const version = dataVersion(known.db);
    // A file that was written otherwise than by commits is opened again.
    const isCurrent = known.state === state || known.version !== version;
    Object.assign(known, { state, version });
    if (isCurrent) return known;
  }

  close(journal);
  const [oldest] = opened.keys();
  if (opened.size >= MOST_OPEN) close(oldest as string);
  const db = new Database(journal, { readonly: true });
  addFunctions(db);
  const found = { db, reader: new Reader(db), ino, state, version: dataVersion(db) };
  opened.set(journal, found);
  return found;
}

function dataVersion(db: Database.Database): unknown {
  return db.pragma('data_version', { simple: true });
}

function close(journal: string): void {
  opened.get(journal)?.db.close();
  opened.delete(journal);
}

/** The objects of a new journal. */
let fresh: ReturnType<typeof freshSchema> | undefined;

export class ImportHome {
  readonly folder = temporaryFolder();
  readonly journal = join(this.folder, 'journal.db');
  /** None unless a test is about them: they take a third of a short import's time. */
  readonly backups: false | undefined = false;
  now = NOW;
  notes: string[] = [];

  constructor() {
    atEnd(() => close(this.journal));
  }

  /** Creates the journal first, with a user; otherwise the import creates one. */
  withUser(id = 'me', changes: UserChanges = {}): this {
    const name = JSON.stringify([id, changes, this.now]);
    const known = withUsers.get(name);
    if (known) writeFileSync(this.journal, known, { mode: 0o600, flag: 'wx' });
    else {
      copyBlank('journal', this.journal);
      const db = openForWriting(this.journal);
      addUser(db, newUser(id, changes), this.now);
      db.close();
      // Random users rarely come twice.
      if (withUsers.size < 50) withUsers.set(name, this.bytes());
    }
    return this;
  }

  /** The journal, for what writes to it. */
  get target() {
    return { journal: this.journal, now: this.now, backups: this.backups };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  file(name: string, content: string | Buffer): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** All imported records, without timestamps. */
  contents(): string[][] {
    return this.reading((db) =>
      ['trades', 'executions', 'fills'].map((table) =>
        (db.prepare(`SELECT * FROM ${table}`).all() as Row[])
          .map(({ created_at: _, updated_at: __, sequence: ___, ...row }) =>
            JSON.stringify(row),
          )
          .sort(),
      ),
    );
  }

  lines(name: string, ...records: unknown[]): string {
    return this.file(
      name,
      records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }

  import(paths: string | string[], options: Partial<ImportOptions> = {}): ImportReport {
    return importPaths({
      paths: [paths].flat(),
      ...this.target,
      note: (line) => this.notes.push(line),
      ...options,
    });
  }

  /** Imports one line of a resource, and returns its error after "FILE:". */
  refusal(
    resource: string,
    record: unknown,
    options: Partial<ImportOptions> = {},
  ): string {
    const path = this.lines(`${resource}.jsonl`, record);
    return this.refusalOf(path, options);
  }

  refusalOf(path: string, options: Partial<ImportOptions> = {}): string {
    try {
      this.import(path, options);
    } catch (error) {
      return (error as Error).message.replace(`${path}:`, '');
    }
    throw new Error('it was imported');
  }

  /** Raw rows of a query. */
  rows(sql: string, ...values: unknown[]): Row[] {
    return this.reading((db) => db.prepare(sql).all(...values) as Row[]);
  }

  reading<T>(read: (db: Database.Database) => T): T {
    return read(openedToRead(this.journal).db);
  }

  #snapshot<T>(read: (reader: Reader) => T): T {
    const { db, reader } = openedToRead(this.journal);
    return db.transaction(() => read(reader))();
  }

  /** Runs statements as any other program would. */
  write(sql: string): void {
    const db = new Database(this.journal);
    try {
      db.pragma('foreign_keys = ON');
      db.exec(sql);
    } finally {
      db.close();
    }
  }

  /** All list records of a user, by resource. */
  everything(userId = 'me'): Record<string, Row[]> {
    return this.#snapshot((reader) =>
      Object.fromEntries(
        RESOURCES.map((resource) => [
          resource.path,
          listPage(reader, findUser(reader, userId) as User, resource, {
            limit: 1000,
            range: { from: null, to: null },
            filters: {},
            after: null,
          }).rows,
        ]),
      ),
    );
  }

  /** Figures of all days, or of some instants. */
  figures(
    sections: readonly Section[],
    from: number | null = null,
    to: number | null = null,
  ) {
    return this.#snapshot((reader) => {
      const [{ id }] = reader.all('SELECT id FROM users') as [{ id: string }];
      const span = { from, to, first: null, last: null, days: null };
      const question = { asked: { span, previous: null, isCapped: false }, filters: {} };
      const all = {
        ...question,
        unit: 'trade',
        groupBy: [],
        top: null,
        now: this.now,
      } as const;
      return analyticsOf(reader, findUser(reader, id) as User, { ...all, sections }).data;
    });
  }

  /** The findings of check. */
  findings(): string[] {
    const journal = openJournal(this.journal);
    try {
      fresh ??= freshSchema();
      const schema = fresh;
      return journal.read((reader) =>
        [...checkJournal(reader, schema)].map(({ problem }) => problem),
      );
    } finally {
      journal.close();
    }
  }

  bytes(): Buffer {
    return readFileSync(this.journal);
  }

  /** Of the bytes: toEqual compares them one by one, which takes longer than an import. */
  hash(): string {
    return createHash('sha256').update(this.bytes()).digest('hex');
  }
}

/** A closed trade with a few fields. */
export const TRADE = {
  id: 't1',
  symbol: 'AAPL',
  market: 'stock',
  side: 'long',
  status: 'closed',
  executed_at: '2026-11-02T14:30:00Z',
  closed_at: '2026-11-02T15:30:00Z',
  quantity: 10,
  entry_price: 100,
  exit_price: 103.5,
};

/** Contents without ids, which depend on the file that stated a row first. */
export function withoutIds(contents: readonly (readonly string[])[]): string[][] {
  const isId = (name: string) => /^(id|trade_id|fill_id|execution_id)$/.test(name);
  const bare = (row: string) =>
    JSON.stringify(JSON.parse(row), (name, value) => (isId(name) ? undefined : value));
  return contents.map((rows) => rows.map(bare).sort());
}
