/** Kept files, read again as by a newer reader: what differs is applied as a change. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { forgetFiles } from '../../src/edit/forget.ts';
import {
  ofOtherRevision,
  type RereadOptions,
  rereadFiles,
} from '../../src/edit/reread.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { exportJournal } from '../../src/export/index.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { addUser, newUser } from '../../src/journal-write/users.ts';
import { listImports } from '../../src/statements/import-list.ts';
import { runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

const options = (home: ImportHome) => home.target;
const reread = (home: ImportHome, more: Partial<RereadOptions> = {}) =>
  rereadFiles({ ...options(home), ...more });
const others = (home: ImportHome, user?: string) =>
  ofOtherRevision({ ...options(home), user }).map(({ id }) => id);
const run = (home: ImportHome, ...words: string[]) =>
  runHere([...words, '--home', home.folder]);
const revisions = (home: ImportHome) =>
  home.rows('SELECT id, revision FROM imports WHERE sha256 IS NOT NULL');

const HEADER =
  'Fill ID,Order ID,Timestamp,Account,B/S,Quantity,Price,Contract,Product,commission';

/** A platform's fills: each number is a trade of two, with fees of 0.79 each. */
function fillsOf(...numbers: number[]): string {
  const rows = numbers.flatMap((number) => [
    `${number}1,${number}8,11/${number}/2026 09:30:00,DEMO1, Buy,1,6000.00,MESZ6,MES,0.79`,
    `${number}2,${number}9,11/${number}/2026 09:40:00,DEMO1, Sell,1,6002.00,MESZ6,MES,0.79`,
  ]);
  return `${[HEADER, ...rows].join('\n')}\n`;
}

const CHICAGO = { timeZone: 'America/Chicago' };

function homeWith(...files: string[]): ImportHome {
  const home = new ImportHome().withUser();
  for (const [index, text] of files.entries())
    home.import(home.file(`${'abc'[index]}.csv`, text), CHICAGO);
  return home;
}

/** Gives a journal what an earlier reader, which took no fees, read of its imports. */
function withoutFees(home: ImportHome, imports = 'import_id > 0'): ImportHome {
  const ofFills = `FROM import_fills WHERE ${imports}`;
  const ofTrades = `SELECT trade_id FROM executions WHERE fill_id IN (
    SELECT execution_id FROM fills WHERE id IN (SELECT fill_id ${ofFills}))`;
  home.write(`
    UPDATE trades SET fees = 0 WHERE id IN (${ofTrades});
    UPDATE executions SET fees = 0 WHERE trade_id IN (${ofTrades});
    UPDATE fills SET fees = 0 WHERE id IN (SELECT fill_id ${ofFills});
    UPDATE import_fills SET fees = 0 WHERE ${imports};
    UPDATE imports SET revision = 0 WHERE ${imports.replace('import_id', 'id')}`);
  return home;
}

describe('files of another revision', () => {
  test('are read again, and what differs is a change of each', () => {
    const home = homeWith(fillsOf(16, 17), fillsOf(18), fillsOf(19));
    const right = home.contents();
    expect(revisions(home).map(({ revision }) => revision)).toEqual([1, 1, 1]);
    withoutFees(home, 'import_id < 3');
    home.write('UPDATE imports SET revision = NULL WHERE id = 3');
    expect(others(home)).toEqual([1, 2, 3]);
    for (const name of ['a.csv', 'b.csv', 'c.csv']) rmSync(home.path(name));

    expect(reread(home)).toMatchObject({
      read: 3,
      different: [
        { id: 1, file: 'a.csv' },
        { id: 2, file: 'b.csv' },
      ],
      imports: [4, 5],
      trades: { added: 0, changed: 3, removed: 0 },
      fields: [{ field: 'fees', gained: 3, lost: 0, changed: 0 }],
      records: 0,
      failed: [],
    });
    expect(home.contents()).toEqual(right);
    expect([others(home), home.findings()]).toEqual([[], []]);
    expect(revisions(home).map(({ revision }) => revision)).toEqual([1, 1, 1]);
    expect(home.rows('SELECT id, file, format, of FROM imports WHERE id > 3')).toEqual([
      { id: 4, file: 'import reread 1', format: 'change', of: 1 },
      { id: 5, file: 'import reread 2', format: 'change', of: 2 },
    ]);
    const bytes = home.hash();
    expect(reread(home)).toMatchObject({ read: 0, different: [], imports: [] });
    expect(home.hash()).toBe(bytes);
  });

  test('stay as they are in a dry run, which reports the same', () => {
    const home = withoutFees(homeWith(fillsOf(16, 17), fillsOf(17, 18)));
    const bytes = home.hash();
    const tried = reread(home, { dryRun: true });
    expect(home.hash()).toBe(bytes);
    // The second file shares a row, and is read along with the first.
    expect(tried).toMatchObject({
      read: 2,
      fields: [{ field: 'fees', gained: 3 }],
      different: [{ id: 1 }, { id: 2 }],
    });
    expect(reread(home)).toEqual({ ...tried, dry_run: false, imports: [3] });
  });

  test('are read in the zone and account of then, whatever later imports and the user follow', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/Chicago' });
    home.import(home.file('a.csv', fillsOf(16)));
    home.import(home.file('b.csv', fillsOf(17)), {
      timeZone: 'Asia/Tokyo',
      account: 'other',
    });
    renameAccount(options(home), 'DEMO1', 'main', 'account rename DEMO1 main');
    home.write(
      "UPDATE users SET timezone = 'Europe/Madrid'; UPDATE imports SET revision = 0 WHERE sha256 IS NOT NULL",
    );
    const before = home.contents();
    expect(reread(home)).toMatchObject({ read: 2, different: [], imports: [] });
    expect([home.contents(), others(home)]).toEqual([before, []]);
  });

  test('that share rows are read each with its own options', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', fillsOf(16, 17)), CHICAGO);
    home.import(home.file('b.csv', fillsOf(17, 18)), { ...CHICAGO, account: 'DEMO1' });
    const right = home.contents();
    withoutFees(home);
    expect(reread(home)).toMatchObject({
      read: 2,
      fields: [{ field: 'fees', gained: 3 }],
      failed: [],
    });
    expect(home.contents()).toEqual(right);
    expect(listImports(options(home)).map(({ options }) => options?.account)).toEqual([
      undefined,
      'DEMO1',
      undefined,
    ]);
  });

  test('with rows that the earlier reader left out bring them, and labels stay with their trades', () => {
    const home = homeWith(fillsOf(16, 17, 18));
    const right = home.contents();
    const [, left] = home
      .rows('SELECT id FROM trades ORDER BY executed_at')
      .map(({ id }) => String(id));
    home.write(`
      DELETE FROM import_fills WHERE place IN (2, 3);
      UPDATE import_fills SET place = place - 2 WHERE place > 3;
      DELETE FROM executions WHERE trade_id = '${left}';
      DELETE FROM trades WHERE id = '${left}';
      DELETE FROM fills WHERE id NOT IN (SELECT fill_id FROM import_fills);
      UPDATE imports SET revision = 0, fills = 4, trades = 2`);
    const days = () =>
      home.rows('SELECT date(executed_at) AS day, setup FROM trades ORDER BY 1');
    const last = String(
      home.rows('SELECT id FROM trades ORDER BY executed_at DESC')[0]?.['id'],
    );
    edit(options(home), { name: 'annotate', line: 'annotate', resource: trades }, (own) =>
      own.put(trades, { id: last, setup: 'fade' }),
    );
    expect(reread(home)).toMatchObject({
      trades: { added: 1, changed: 0, removed: 0 },
      fields: [],
    });
    expect(days()).toEqual([
      { day: '2026-11-16', setup: null },
      { day: '2026-11-17', setup: null },
      { day: '2026-11-18', setup: 'fade' },
    ]);
    undoImport(options(home), 2);
    expect(home.contents()).toEqual(right);
  });
});

test('equal rows with other ids of an earlier reader are the same ones, in their order', () => {
  const time = '11/16/2026 09:30:00,DEMO1';
  const home = homeWith(
    `${HEADER}
161,168,${time}, Buy,1,6000.00,MESZ6,MES,0.79
162,169,${time}, Buy,1,6000.00,MESZ6,MES,0.99
`,
  );
  const earlier = (column: string) =>
    `${column} = replace(${column}, ':MESZ6:', ':MESZ6:F')`;
  home.write(`PRAGMA foreign_keys = OFF;
    UPDATE trades SET ${earlier('id')};
    UPDATE executions SET ${earlier('trade_id')}, ${earlier('fill_id')};
    UPDATE fills SET ${earlier('id')}, ${earlier('execution_id')};
    UPDATE import_fills SET ${earlier('fill_id')};
    UPDATE imports SET revision = 0`);
  const before = home.contents();
  expect(reread(home)).toMatchObject({ read: 1, different: [], failed: [] });
  expect(home.contents()).toEqual(before);
});

test('of a file that grew, only kept versions are read; earlier ones follow from their rows', () => {
  const home = new ImportHome().withUser();
  const days = [13, 16, 17, 18, 19];
  for (const [index] of days.entries())
    home.import(home.file('a.csv', fillsOf(...days.slice(0, index + 1))), CHICAGO);
  const right = home.contents();
  withoutFees(home);
  expect(others(home)).toEqual([3, 4, 5]);
  expect(reread(home)).toMatchObject({
    read: 3,
    imports: [6],
    fields: [{ field: 'fees', gained: 5 }],
    failed: [],
  });
  expect(home.contents()).toEqual(right);
  expect(revisions(home).map(({ revision }) => revision)).toEqual([0, 0, 1, 1, 1]);
});

test('a live key that would show more is named, and needs --yes', async () => {
  const home = homeWith(fillsOf(16, 17));
  home.write(`DELETE FROM import_fills WHERE place > 1; DELETE FROM fills WHERE id NOT IN (SELECT fill_id FROM import_fills);
    DELETE FROM executions WHERE executed_at > '2026-11-17'; DELETE FROM trades WHERE executed_at > '2026-11-17';
    UPDATE imports SET revision = 0`);
  await run(
    home,
    ...'key create --name mentor --scopes all --expires 7d --accounts DEMO1'.split(' '),
  );
  const bytes = home.hash();
  const refused = await run(home, 'import', 'reread');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    '(mentor: 1 trades, then 2); pass --yes, or revoke them',
  );
  expect(home.hash()).toBe(bytes);
  const done = await run(home, 'import', 'reread', '--yes');
  expect(done.stderr).toContain('1 import reads differently: 1 trade is new.');
  expect(done.stderr).toContain('(mentor) shows 2 trades; before 1.');
});

test('undo of a reread gives the earlier reading back, and its revision', () => {
  const home = withoutFees(homeWith(fillsOf(16)));
  const before = home.contents();
  reread(home);
  expect(home.contents()).not.toEqual(before);
  undoImport(options(home), 2);
  expect([home.contents(), others(home)]).toEqual([before, [1]]);
  reread(home);
  undoImport(options(home), 1);
  expect(home.rows('SELECT count(*) AS n FROM fills')).toEqual([{ n: 0 }]);
});

test('records, notes and closed trades by a mapping are read again', () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', { ...TRADE, fees: 1.5 }));
  home.import(
    home.file('2026-11-03.md', '# 2026-11-03\n\nmood:: 4\n\n## Lesson\n\nWait.\n'),
  );
  const mapping = {
    name: 'mine',
    target: 'trades',
    fields: {
      market: { value: 'stock' },
      currency: { value: 'USD' },
      side: { value: 'long' },
      symbol: 'What',
      executed_at: 'In',
      closed_at: 'Out',
      quantity: 'Q',
      entry_price: 'P',
      exit_price: 'X',
    },
  };
  const map = loadMapping(home.file('mine.json', JSON.stringify(mapping)));
  const row = 'MSFT,2026-11-03T14:30:00Z,2026-11-03T15:00:00Z,1,10,11';
  home.import(home.file('mine.csv', `What,In,Out,Q,P,X\n${row}\n`), { map });
  const shown = () => [
    home.rows(
      'SELECT id, symbol, exit_price, gross_pnl, fees FROM trades ORDER BY symbol',
    ),
    home.rows('SELECT date, mood, review FROM sessions'),
  ];
  const right = shown();
  expect(revisions(home).map(({ revision }) => revision)).toEqual([1, 1, 1]);
  // A line that alone states a record states what the record has.
  home.write(`UPDATE imports SET revision = 0;
    UPDATE trades SET fees = 0 WHERE id = 't1';
    UPDATE trades SET exit_price = 12, gross_pnl = 2 WHERE symbol = 'MSFT';
    UPDATE sessions SET review = NULL;
    UPDATE import_records SET fields = json_remove(fields, '$."review.lesson"') WHERE resource = 'sessions'`);
  const before = shown();
  expect(reread(home)).toMatchObject({
    read: 3,
    different: [{ id: 1 }, { id: 2 }, { id: 3 }],
    fields: [
      { field: 'exit_price', changed: 1 },
      { field: 'gross_pnl', changed: 1 },
      { field: 'fees', gained: 1 },
    ],
    records: 1,
    failed: [],
  });
  expect([shown(), others(home), home.findings()]).toEqual([right, [], []]);
  for (const id of [6, 5, 4]) undoImport(options(home), id);
  expect([shown(), others(home)]).toEqual([before, [1, 2, 3]]);
});

describe('a file that can’t be read', () => {
  const broken: [string, string][] = [
    ['with a damaged piece', "UPDATE kept_files SET bytes = x'1f8b0800'"],
    ['cut short', 'UPDATE kept_files SET bytes = substr(bytes, 1, length(bytes) - 12)'],
  ];
  const altered = `UPDATE kept_files SET bytes = x'${gzipSync(fillsOf(20)).toString('hex')}'`;

  test.each([...broken, ['with other bytes', altered]])(
    '%s is named, and left as it is',
    async (_, sql) => {
      const home = withoutFees(homeWith(fillsOf(16), fillsOf(17)));
      home.write(`${sql} WHERE sha256 = (SELECT sha256 FROM imports WHERE id = 1)`);
      const ofFirst = "SELECT * FROM trades WHERE executed_at < '2026-11-17'";
      const before = home.rows(ofFirst);
      const { code, stderr } = await run(home, 'import', 'reread');
      expect(stderr).toContain(
        '1 import reads differently: 1 trade gains fees.\nDifferent: 2 (b.csv).\n',
      );
      expect(stderr).toContain(
        'Import 1 (a.csv) stays as it is: the kept bytes of import 1 are damaged; to read its file: journal-api import change 1 FILE',
      );
      expect([code, home.rows(ofFirst), others(home)]).toEqual([1, before, [1]]);
      expect(() =>
        changeImport(
          { ...options(home), id: 1, given: { multipliers: { MES: 5 } } },
          'change',
        ),
      ).toThrow('the kept bytes of import 1 are damaged');
    },
  );

  test('because it was forgotten is of no other revision, and named by its ID', async () => {
    const home = withoutFees(homeWith(fillsOf(16)));
    forgetFiles(options(home), 1);
    const bytes = home.hash();
    expect(others(home)).toEqual([]);
    expect((await run(home, 'import', 'reread')).stderr).toBe(
      "This version's readers read all kept files already.\n",
    );
    const { code, stderr } = await run(home, 'import', 'reread', '1');
    expect([code, stderr]).toEqual([
      1,
      'Import 1 (a.csv) stays as it is: no bytes are kept; to read its file: journal-api import change 1\njournal-api: 1 file not read again, named above\n',
    ]);
    expect(home.hash()).toBe(bytes);
  });
});

test('the command names what differs, asks for nothing, and takes an ID of any revision', async () => {
  const home = withoutFees(homeWith(fillsOf(16), fillsOf(17)));
  const dry = await run(home, 'import', 'reread', '--dry-run');
  expect(dry).toMatchObject({
    code: 0,
    stderr:
      'Dry run: nothing was written.\n2 imports read differently: 2 trades gain fees.\nDifferent: 1 (a.csv), 2 (b.csv).\n',
  });
  expect(
    JSON.parse((await run(home, 'import', 'reread', '--json')).stdout),
  ).toMatchObject({
    dry_run: false,
    user: 'me',
    read: 2,
    imports: [3, 4],
    fields: [{ field: 'fees', gained: 2, lost: 0, changed: 0 }],
  });
  expect((await run(home, 'import', 'reread', '2')).stderr).toBe(
    '1 import read again: nothing differs.\n',
  );
  expect((await run(home, 'import', 'reread', '9')).stderr).toContain(
    'there is no import 9 to read again; "journal-api import list" shows all',
  );
  expect(await run(home, 'import', 'reread', '--timezone', 'Asia/Tokyo')).toMatchObject({
    code: 2,
  });
  expect(
    JSON.parse((await run(home, 'import', 'list', '--json')).stdout)[3],
  ).toMatchObject({
    id: 1,
    revision: 1,
  });
});

describe('check --files and upgrade', () => {
  /** A journal of two users: the second has a file that differs, the first one that doesn't. */
  function homeOfTwo(): ImportHome {
    const home = homeWith(fillsOf(16));
    const db = openForWriting(home.journal);
    addUser(db, newUser('ann', {}), home.now);
    db.close();
    home.import(home.path('a.csv'), { ...CHICAGO, user: 'ann' });
    home.write(`UPDATE imports SET revision = 0;
      UPDATE trades SET fees = 0 WHERE user_id = 'ann'; UPDATE executions SET fees = 0 WHERE user_id = 'ann';
      UPDATE fills SET fees = 0 WHERE user_id = 'ann'; UPDATE import_fills SET fees = 0 WHERE user_id = 'ann'`);
    return home;
  }

  const SAME =
    "1 kept file of user me was read by another version's reader; this version's reads it alike.\n";
  const DIFFERENT =
    "1 kept file of user ann was read by another version's reader; with this version's, 1 import reads differently: 1 trade gains fees. To apply: journal-api import reread --user ann\n";

  test('count what differs for each user, and change nothing', async () => {
    const home = homeOfTwo();
    const bytes = home.hash();
    const check = await run(home, 'check', '--files');
    expect(check).toMatchObject({ code: 0, stdout: '' });
    expect(check.stderr).toContain(DIFFERENT + SAME);
    expect((await run(home, 'upgrade')).stderr).toContain(DIFFERENT + SAME);
    expect((await run(home, 'check')).stderr).not.toContain('kept file');
    expect(home.hash()).toBe(bytes);

    const mine = home.rows("SELECT * FROM imports WHERE user_id = 'me'");
    reread(home, { user: 'ann' });
    expect(home.rows("SELECT * FROM imports WHERE user_id = 'me'")).toEqual(mine);
    reread(home, { user: 'me' });
    expect((await run(home, 'check', '--files')).stderr).toContain(
      "This version's readers read all kept files already.\n",
    );
    expect((await run(home, 'upgrade')).stderr).not.toContain('kept file');
  });

  test('name a file that can’t be read: for check it is a problem', async () => {
    const home = withoutFees(homeWith(fillsOf(16)));
    home.write("UPDATE kept_files SET bytes = x'00'");
    expect(await run(home, 'check', '--files')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "imports 1 (user me): a.csv can't be read again: the kept bytes of import 1 are damaged",
      ),
    });
    expect(await run(home, 'upgrade')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("can't be read again: 1 (a.csv).\n"),
    });
  });

  test('an upgrade reads only so many files, and names the command', async () => {
    const home = homeWith(fillsOf(16));
    const db = new Database(home.journal);
    const copy = `SELECT user_id, @id, imported_at, file, sha256, format, resource, rows, fills, records, trades FROM imports WHERE id = 1`;
    const columns =
      'user_id, id, imported_at, file, sha256, format, resource, rows, fills, records, trades';
    for (let id = 2; id <= 102; id++) {
      db.prepare(`INSERT INTO imports (${columns}) ${copy}`).run({ id });
      db.prepare(
        'INSERT INTO import_files SELECT user_id, ?, place, kind, file, path, sha256 FROM import_files WHERE import_id = 1',
      ).run(id);
    }
    db.close();
    expect((await run(home, 'upgrade')).stderr).toContain(
      "101 kept files of user me were read by another version's reader; to see how many read differently now: journal-api check --files\n",
    );
  });
});

test('an export lists the revision of each import; with an older export there is none', async () => {
  const home = homeWith(fillsOf(16), fillsOf(17));
  const folder = home.path('export');
  await exportJournal({ journal: home.journal, folder, as: 'jsonl' });
  const [copy, older] = [new ImportHome().withUser(), new ImportHome().withUser()];
  copy.import(folder);
  const path = join(folder, 'imports.json');
  const listed = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>[];
  writeFileSync(path, JSON.stringify(listed.map(({ revision: _, ...entry }) => entry)));
  older.import(folder);
  const ofFiles = (own: ImportHome) =>
    own.rows(
      "SELECT file, revision FROM imports WHERE format = 'tradovate-fills' ORDER BY file",
    );
  expect(ofFiles(copy)).toEqual([
    { file: 'a.csv', revision: 1 },
    { file: 'b.csv', revision: 1 },
  ]);
  expect(ofFiles(older).map(({ revision }) => revision)).toEqual([null, null]);
  // Its bytes aren't there.
  expect(others(older)).toEqual([]);
});
