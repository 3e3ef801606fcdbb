/** The bytes of imported files, kept in the journal. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type ChangeOptions, changeImport } from '../../src/edit/change.ts';
import { forgetFiles } from '../../src/edit/forget.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { Job } from '../../src/import/files/contents.ts';
import { keepFile } from '../../src/import/files/kept-imports.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { ImportTable } from '../../src/statements/imports.ts';
import { runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

const options = (home: ImportHome) => home.target;
const change = (home: ImportHome, id: number, given: ChangeOptions['given']) =>
  changeImport({ ...options(home), id, given }, `import change ${id}`);

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const row = (id: number) =>
  `MESZ6,${id},${id}9,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00`;
const csv = (...ids: number[]) => `${[HEADER, ...ids.map(row)].join('\n')}\n`;
const IN_TOKYO = { account: 'main', timeZone: 'Asia/Tokyo' };

const kept = (home: ImportHome) =>
  listImports({ journal: home.journal }).map(({ bytes }) => bytes > 0);
const contents = (home: ImportHome) => {
  const pieces = home.rows('SELECT sha256, bytes FROM kept_files ORDER BY sha256, piece');
  const bySha = Map.groupBy(pieces, ({ sha256 }) => sha256);
  return [...bySha.values()]
    .map((own) =>
      Buffer.concat(own.map(({ bytes }) => gunzipSync(bytes as Buffer))).toString(),
    )
    .sort();
};

describe('a file', () => {
  test('is kept, and changed without it', () => {
    const home = new ImportHome().withUser();
    const path = home.file('a.csv', csv(1, 2));
    home.import(path, IN_TOKYO);
    expect(contents(home)).toEqual([csv(1, 2)]);
    rmSync(path);
    change(home, 1, { timezone: 'America/Chicago', multipliers: { MES: 5 } });
    const right = new ImportHome().withUser();
    right.import(right.file('a.csv', csv(1, 2)), {
      account: 'main',
      timeZone: 'America/Chicago',
    });
    const times = "SELECT executed_at FROM trades WHERE account = 'main' ORDER BY 1";
    expect(home.rows(times)).toEqual(right.rows(times));
    expect(home.rows('SELECT path FROM imports WHERE id = 1')).toEqual([{ path }]);
    expect(home.findings()).toEqual([]);
  });

  test('is kept once, and goes with the undo of its last import', () => {
    const home = new ImportHome().withUser();
    const path = home.file('a.csv', csv(1, 2));
    home.import(path, IN_TOKYO);
    home.import(path, { ...IN_TOKYO, account: 'other', allowDuplicates: true });
    undoImport(options(home), 1);
    expect(contents(home)).toEqual([csv(1, 2)]);
    expect(kept(home)).toEqual([true]);
    undoImport(options(home));
    expect(contents(home)).toEqual([]);
  });

  test('isn’t kept with --no-keep, in a dry run, or if it changes nothing', async () => {
    const home = new ImportHome().withUser();
    const path = home.file('a.csv', csv(1));
    home.import(path, { ...IN_TOKYO, dryRun: true });
    expect(contents(home)).toEqual([]);
    const args = ['--account', 'main', '--timezone', 'Asia/Tokyo', '--home', home.folder];
    expect(await runHere(['import', path, '--no-keep', ...args])).toMatchObject({
      code: 0,
    });
    home.import(path, IN_TOKYO);
    expect([contents(home), kept(home)]).toEqual([[], [false]]);
    expect(
      (await runHere(['import', 'change', '1', '--no-keep', ...args])).stderr,
    ).toContain('import change takes no --no-keep; remove it');
    rmSync(path);
    expect(() => change(home, 1, { multipliers: { MES: 5 } })).toThrow(
      /a.csv can't be read .*; pass the file: journal-api import change 1 FILE/,
    );
  });

  test('stays in three versions that grew at one path', () => {
    const home = new ImportHome().withUser();
    for (const count of [1, 2, 3, 4, 5]) {
      const ids = Array.from({ length: count }, (_, index) => index + 1);
      home.import(home.file('a.csv', csv(...ids)), IN_TOKYO);
    }
    home.import(home.file('b.csv', csv(7)), IN_TOKYO);
    expect(kept(home)).toEqual([true, true, true, true, false, false]);
    expect(contents(home)).toEqual(
      [csv(1, 2, 3), csv(1, 2, 3, 4), csv(1, 2, 3, 4, 5), csv(7)].sort(),
    );
  });

  test('of several megabytes is kept in pieces, and read from them', () => {
    const home = new ImportHome().withUser();
    const trades = Array.from({ length: 2500 }, (_, index) => ({
      ...TRADE,
      id: `t${index}`,
      notes: `${index} ${'é'.repeat(500)}`,
    }));
    const path = home.lines('trades.jsonl', ...trades);
    const text = readFileSync(path, 'utf8');
    home.import(path);
    expect(home.rows('SELECT count(*) > 2 AS are FROM kept_files')).toEqual([{ are: 1 }]);
    expect(contents(home)[0] === text).toBe(true);
    rmSync(path);
    expect(change(home, 1, { account: 'main' }).trades).toMatchObject({ changed: 2500 });
    expect(home.rows("SELECT count(*) AS n FROM trades WHERE account = 'main'")).toEqual([
      { n: 2500 },
    ]);
  });

  test('of a pipe is kept while it is read', async () => {
    const home = new ImportHome().withUser();
    const pipe = home.path('pipe');
    execFileSync('mkfifo', [pipe]);
    const line = `${JSON.stringify(TRADE)}\n`;
    spawn('/bin/sh', ['-c', 'printf %s "$1" > "$0"', pipe, line]);
    home.import(pipe, { as: 'trades', format: 'jsonl' });
    expect(contents(home)).toEqual([line]);
    rmSync(pipe);
    expect(change(home, 1, { account: 'main' }).trades).toMatchObject({ changed: 1 });
  });

  test('that is longer than 64 MB, compressed, isn’t kept, and the report says so', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', csv(1)), { ...IN_TOKYO, keep: false });
    const db = openForWriting(home.journal);
    const imports = new ImportTable(db, 'me');
    const job = { file: 'a.csv' } as Job;
    const piece = Buffer.alloc(30_000_000);
    const held = [piece, piece, piece];
    const sha256 = '0'.repeat(64);
    expect(
      keepFile(db, imports, { job, importId: 1, sha256, held, printed: undefined }),
    ).toBe(
      'its bytes weren\'t kept: 64 MB are kept at most, compressed; "import change" needs the file',
    );
    expect([imports.files.has(sha256), kept(home)]).toEqual([false, [false]]);
    db.close();
  });

  test('that is a database is kept as a snapshot, with its log', () => {
    const home = new ImportHome().withUser();
    const path = home.path('tradesv3.sqlite');
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.exec(`CREATE TABLE pairlocks (id INTEGER PRIMARY KEY);
      CREATE TABLE trades (id INTEGER PRIMARY KEY, pair TEXT, is_open INTEGER, amount REAL, open_rate REAL, close_rate REAL,
        fee_open REAL, fee_close REAL, open_date TEXT, close_date TEXT, close_profit_abs REAL);
      INSERT INTO trades VALUES (1, 'ABC/BTC', 0, 10, 100, 110, 0.001, 0.001, '2026-11-02 10:00:00', '2026-11-02 11:00:00', 97.9)`);
    home.import(path);
    db.close();
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    expect(kept(home)).toEqual([true]);
    expect(change(home, 1, { account: 'bot' }).trades).toMatchObject({ changed: 1 });
    expect(home.rows('SELECT account, net_pnl FROM trades')).toEqual([
      { account: 'bot', net_pnl: 97.9 },
    ]);
  });
});

describe('standard input', () => {
  test('is kept, and changed without a file', async () => {
    const home = new ImportHome().withUser();
    const line = `${JSON.stringify(TRADE)}\n`;
    const program = spawn(process.execPath, [
      ...['src/cli.ts', 'import', '-', '--as', 'trades', '--home', home.folder],
    ]);
    program.stdin.end(line);
    await new Promise((done) => program.on('close', done));
    expect(contents(home)).toEqual([line]);
    change(home, 1, { account: 'main' });
    expect(home.rows('SELECT account FROM trades')).toEqual([{ account: 'main' }]);
    expect(home.rows('SELECT path FROM imports WHERE id = 1')).toEqual([{ path: null }]);
  });

  test('an edited day’s note is kept with what was printed', () => {
    const home = new ImportHome().withUser();
    const folder = home.path('temporary');
    mkdirSync(folder);
    const file = join(folder, '2026-11-02.md');
    const before = '---\ntype: day\nmood: calm\n---\n';
    const printed = { file, path: file, text: before };
    home.import(home.file('2026-11-02.md', before));
    home.file('temporary/2026-11-02.md', `${before}\n10:00 AAPL missed\n`);
    home.import(file, { printed });
    rmSync(folder, { recursive: true });
    expect(kept(home)).toEqual([true, true]);
    const records = home.rows('SELECT * FROM import_records WHERE import_id = 2');
    expect(change(home, 2, {})).toMatchObject({ records: 0, import: null });
    expect(home.rows('SELECT * FROM import_records WHERE import_id = 2')).toEqual(
      records,
    );
  });
});

describe('notes of a folder', () => {
  const note = (date: string, text: string) =>
    `---\ntype: session\ndate: ${date}\n---\n${text}\n`;

  test('are kept one by one: one that didn’t change is kept once', () => {
    const home = new ImportHome().withUser();
    mkdirSync(home.path('vault'));
    home.file('vault/a.md', note('2026-11-02', 'Calm.'));
    home.file('vault/b.md', note('2026-11-03', 'Slow.'));
    home.import(home.path('vault'));
    home.file('vault/b.md', note('2026-11-03', 'Fast.'));
    home.import(home.path('vault'));
    const texts = [
      note('2026-11-02', 'Calm.'),
      note('2026-11-03', 'Slow.'),
      note('2026-11-03', 'Fast.'),
    ];
    expect(contents(home)).toEqual(texts.toSorted());
    undoImport(options(home));
    expect(contents(home)).toEqual([texts[0], texts[1]].toSorted());
  });

  test('are changed without the folder', () => {
    const home = new ImportHome().withUser();
    mkdirSync(home.path('vault/days'), { recursive: true });
    const day =
      '---\ntype: day\n---\n\n## Missed trades\n\n- 11:00 MSFT long, too slow\n';
    home.file('vault/days/2026-11-02.md', day);
    home.file('vault/b.md', note('2026-11-03', 'Slow.'));
    home.import(home.path('vault'), { timeZone: 'UTC' });
    rmSync(home.path('vault'), { recursive: true });
    const days = home.rows("SELECT id FROM imports WHERE resource = 'days'")[0]?.[
      'id'
    ] as number;
    expect(change(home, days, { timezone: 'Etc/GMT+1' }).records).toBe(1);
    expect(home.rows('SELECT missed_at FROM missed_trades')).toEqual([
      { missed_at: '2026-11-02T12:00:00.000Z' },
    ]);
    undoImport(options(home));
    expect(home.rows('SELECT missed_at FROM missed_trades')).toEqual([
      { missed_at: '2026-11-02T11:00:00.000Z' },
    ]);
  });
});

describe('import forget', () => {
  test('removes what imports keep, and nothing else', async () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', csv(1)), IN_TOKYO);
    home.import(home.file('b.csv', csv(2)), IN_TOKYO);
    const trades = home.contents();
    const run = (...words: string[]) =>
      runHere(['import', 'forget', ...words, '--home', home.folder]);
    const sizes = listImports({ journal: home.journal }).map(({ bytes }) => bytes);
    expect(await run('1', '--dry-run')).toMatchObject({ code: 0 });
    expect(kept(home)).toEqual([true, true]);
    expect((await run('1')).stderr).toContain(
      `Forgot files of import 1: ${sizes[1]} bytes freed.\nEarlier backups still hold them.`,
    );
    expect(kept(home)).toEqual([true, false]);
    expect((await run('1')).stderr).toContain('No file of import 1 is kept.');
    expect((await run('9')).stderr).toContain(
      'there is no import 9; "journal-api import list" shows all',
    );
    expect(await run()).toMatchObject({ code: 2 });
    expect(await run('1', '--all')).toMatchObject({ code: 2 });
    const { stdout } = await run('--all', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ imports: 1, bytes: sizes[0] });
    expect(contents(home)).toEqual([]);
    expect(home.contents()).toEqual(trades);
    expect(listImports({ journal: home.journal })).toHaveLength(2);
  });

  test('and undo leave no text in the journal’s file', () => {
    const home = new ImportHome().withUser();
    const secret = 'my ex boss is a crook';
    const path = home.lines('trades.jsonl', {
      ...TRADE,
      notes: `${secret} ${'x'.repeat(3000)}`,
    });
    home.import(path, { keep: false });
    expect(home.bytes().includes(secret)).toBe(true);
    undoImport(options(home));
    expect(home.bytes().includes(secret)).toBe(false);
    home.import(path);
    const pieces = home.rows('SELECT bytes FROM kept_files') as { bytes: Buffer }[];
    const start = pieces[0]?.bytes.subarray(20) as Buffer;
    expect(home.bytes().includes(start)).toBe(true);
    forgetFiles(options(home));
    expect(home.bytes().includes(start)).toBe(false);
  });
});
