/** Imports changed after the fact: every answer equals a first import done right, plus what was written. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { type ChangeOptions, changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { setRates } from '../../src/edit/rates.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { sessions, tradeJournals } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { runHere } from '../program.ts';
import { answers, statements } from './changed.ts';
import { ImportHome, TRADE, withoutIds } from './home.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/exports', import.meta.url));

const options = (home: ImportHome) => home.target;
const change = (
  home: ImportHome,
  id: number,
  given: ChangeOptions['given'],
  more: Partial<ChangeOptions> = {},
) => changeImport({ ...options(home), id, given, ...more }, `import change ${id}`);

const WRONG = { account: 'wrong', timeZone: 'Asia/Tokyo' };
const RIGHT = { account: 'main', timeZone: 'America/Chicago' };

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const first = 'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00';
const second = 'MESZ6,8,9,1,6000,6003,$15.00,11/20/2026 23:30:00,11/20/2026 23:40:00';
const csv = (...rows: string[]) => `${[HEADER, ...rows].join('\n')}\n`;

test('a file that states some of the same rows with the same options is changed along, others stop it', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), WRONG);
  home.import(home.file('b.csv', csv(first, second)), { ...WRONG, keep: false });
  const before = home.contents();
  expect(change(home, 1, { timezone: 'America/Chicago' }).changed).toMatchObject([
    { id: 1, file: 'a.csv' },
    { id: 2, file: 'b.csv' },
  ]);
  const right = new ImportHome().withUser();
  right.import(right.file('b.csv', csv(first, second)), {
    ...RIGHT,
    account: WRONG.account,
  });
  expect(home.contents()).toEqual(right.contents());
  // The same files again are read as they are now.
  home.import(home.path('b.csv'));
  home.import(home.path('a.csv'));
  expect(home.contents()).toEqual(right.contents());
  expect(() => undoImport(options(home), 3)).not.toThrow();
  expect(home.contents()).toEqual(before);
  home.file('b.csv', csv(second));
  expect(() => change(home, 1, { multipliers: { MES: 5 } })).toThrow(
    /import 2 \(b.csv\) states some of the same rows, but .* undo it first: journal-api import undo 2/,
  );
  expect(home.contents()).toEqual(before);
});

test('zone and account change without the file, and the trades keep their ids', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), WRONG);
  home.import(home.file('b.csv', csv(first, second)), WRONG);
  const ids = () => home.rows('SELECT id FROM trades ORDER BY id');
  const [before, earlier] = [home.contents(), ids()];
  for (const name of ['a.csv', 'b.csv']) rmSync(home.path(name));
  expect(
    change(home, 1, { timezone: 'America/Chicago', account: 'main' }).trades,
  ).toMatchObject({
    changed: 2,
  });

  const right = new ImportHome().withUser();
  right.import(right.file('b.csv', csv(first, second)), RIGHT);
  expect(withoutIds(home.contents())).toEqual(withoutIds(right.contents()));
  expect(ids()).toEqual(earlier);
  // The next file of the format and account is read in the same zone.
  const third = second.replaceAll('11/20', '11/21').replace('8,9', '10,11');
  const next = (of: ImportHome) =>
    of.import(of.file('c.csv', csv(second, third)), { account: 'main' });
  expect(next(home).files[0]).toMatchObject({ added: 1 });
  next(right);
  expect(withoutIds(home.contents())).toEqual(withoutIds(right.contents()));

  for (const id of [4, 3]) undoImport(options(home), id);
  expect(home.contents()).toEqual(before);
});

test('undo of a file takes its changes along, for other imports that they read again, too', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), WRONG);
  home.import(home.file('b.csv', csv(first, second)), WRONG);
  change(home, 1, { timezone: 'America/Chicago' });
  change(home, 1, { account: 'main' });
  undoImport(options(home), 1);
  const other = new ImportHome().withUser();
  other.import(other.file('b.csv', csv(first, second)), WRONG);
  const lists = [
    'SELECT file, options, fills, trades FROM imports',
    'SELECT id, account, executed_at, net_pnl FROM trades',
  ];
  for (const sql of lists) expect(home.rows(sql)).toEqual(other.rows(sql));
});

test('undo gives the ends of pairs back, which every version keeps in two fields', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first, second)), WRONG);
  const before = home.rows('SELECT id, part FROM fills ORDER BY id');
  expect(before.map(({ part }) => part)).toEqual(['2', '1', '9', '8']);
  change(home, 1, { timezone: 'America/Chicago' });
  const fill = "json_extract(fields, '$.fills[0].was.fill.";
  expect(
    home.rows(
      `SELECT ${fill}state') AS state, ${fill}paired_with') AS pair FROM import_records`,
    ),
  ).toContainEqual({
    state: 'stated',
    pair: '2',
  });
  undoImport(options(home), 2);
  expect(home.rows('SELECT id, part FROM fills ORDER BY id')).toEqual(before);
});

test('a zone moves a trade to another day; the report names the days, and undo is refused below a later change', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first, second)), { timeZone: 'Asia/Tokyo' });
  const report = change(home, 1, { timezone: 'America/Chicago' });
  expect(report.days).toEqual([
    { date: '2026-11-20', before: 15, after: 0 },
    { date: '2026-11-21', before: 0, after: 15 },
  ]);
  change(home, 1, { account: 'main' });
  expect(home.rows('SELECT options FROM imports WHERE id = 1')).toEqual([
    { options: '{"account":"main","timezone":"America/Chicago"}' },
  ]);
  expect(() => undoImport(options(home), 2)).toThrow(
    'import 3 builds on it; undo that first: journal-api import undo 3',
  );
  undoImport(options(home));
  expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account: null }]);
  // Undoing the file takes its change along; then it comes in as for the first time.
  undoImport(options(home), 1);
  expect(home.rows('SELECT * FROM imports')).toEqual([]);
  home.import(home.path('a.csv'), { timeZone: 'Asia/Tokyo' });
  expect(home.rows('SELECT count(*) AS n FROM trades')).toEqual([{ n: 2 }]);
});

test('what it says when it can’t, and nothing is changed', async () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), WRONG);
  home.import(home.file('ecb.csv', 'Date,GBP,USD,\n2026-11-20,0.84,1.1,\n'), {
    format: 'rates',
  });
  const bytes = home.hash();
  const run = (...words: string[]) =>
    runHere(['import', 'change', ...words, '--home', home.folder]);
  expect((await run('9')).stderr).toContain(
    'there is no import 9 to change; "journal-api import list" shows all',
  );
  expect((await run('2', '--account', 'x')).stderr).toContain(
    'import 2 (ecb.csv) holds exchange rates, which no option changes; to replace them: journal-api import undo 2',
  );
  expect(await run('1', '--timezone', 'Chicago')).toMatchObject({ code: 2 });
  const other = home.file('other.csv', csv(second));
  expect((await run('1', other)).stderr).toContain(
    "other.csv isn't the file of import 1: its bytes are others",
  );
  expect((await run('1', home.path('gone.csv'))).stderr).toContain(
    'pass the file: journal-api import change 1 FILE',
  );
  expect((await run('1')).stderr).toContain('Nothing changed.');
  expect(home.hash()).toBe(bytes);
  expect((await run('1', '--account', 'main', '--dry-run')).stderr).toContain(
    'Dry run: nothing was written.',
  );
  expect(home.hash()).toBe(bytes);
  expect((await run('1', '--account', 'main')).stderr).toContain(
    'To undo: journal-api import undo 3',
  );
  expect(home.rows('SELECT of, file FROM imports WHERE id = 3')).toEqual([
    { of: 1, file: 'import change 1 --account main' },
  ]);
});

test("a day's note finds its trade after a change, and the report names notes with other times", () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), { account: 'wrong' });
  const [before] = home.rows(
    'SELECT id, executed_at, symbol FROM trades ORDER BY executed_at, id',
  ) as [Row];
  const day = String(before.executed_at).slice(0, 10);
  const note = (setup: string) =>
    home.file(
      `${day}.md`,
      `---\ntype: day\n---\n\n## 09:30 ${before.symbol} <!-- t:${before.id} -->\nsetup:: ${setup}\n\nChased.\n`,
    );
  home.import(note('ORB'));
  const report = change(home, 1, { account: 'main', timezone: 'Asia/Tokyo' });
  const [now] = home.rows("SELECT id, setup FROM trades WHERE setup = 'ORB'") as [Row];
  expect(now.id).toBe(before.id);
  home.import(note('again'));
  expect(home.rows("SELECT id FROM trades WHERE setup = 'again'")).toEqual([
    { id: now.id },
  ]);
  expect(home.rows('SELECT trade_id FROM trade_journals')).toEqual([
    { trade_id: now.id },
  ]);
  expect(report.notes).toEqual([{ date: day, note: home.path(`${day}.md`) }]);
});

test('a live key that would show more is named, and needs --yes', async () => {
  const home = new ImportHome().withUser();
  const own = ['--home', home.folder];
  home.import(home.file('a.csv', csv(first)), WRONG);
  const create = [
    'key',
    'create',
    '--name',
    'mentor',
    '--scopes',
    'all',
    '--expires',
    '7d',
  ];
  await runHere([...create, '--accounts', 'main', ...own]);
  const refused = await runHere(['import', 'change', '1', '--account', 'main', ...own]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain(
    '(mentor: 0 trades, then 1); pass --yes, or revoke them',
  );
  expect(
    await runHere(['import', 'change', '1', '--account', 'main', '--yes', ...own]),
  ).toMatchObject({ code: 0 });
});

const SESSIONS =
  'date,name,started_at,notes\n2026-11-19,Open,2026-11-19 09:30,Slow.\n2026-11-20,Open,2026-11-20 09:30,Fast.\n';

test('records in another zone: what was written since stays', () => {
  const home = new ImportHome().withUser();
  const path = home.file(
    'sessions.csv',
    SESSIONS.replaceAll(/^2026-11-(..),/gm, 's$1,2026-11-$1,').replace('date', 'id,date'),
  );
  home.import(path, { timeZone: 'Asia/Tokyo' });
  edit(options(home), { name: 'note', line: 'note', resource: sessions }, (own) => {
    own.put(sessions, { id: 's20', notes: 'Fast. Mine.', mood: 'calm' });
  });
  // By another program.
  home.write("UPDATE sessions SET energy = 3 WHERE id = 's19'");
  const before = answers(home);
  const report = change(home, 1, { timezone: 'America/Chicago' });
  expect(report).toMatchObject({
    records: 2,
    trades: { added: 0, changed: 0, removed: 0 },
  });
  expect(
    home.rows('SELECT id, started_at, notes, mood, energy FROM sessions ORDER BY id'),
  ).toEqual([
    {
      id: 's19',
      started_at: '2026-11-19T15:30:00.000Z',
      notes: 'Slow.',
      mood: null,
      energy: 3,
    },
    {
      id: 's20',
      started_at: '2026-11-20T15:30:00.000Z',
      notes: 'Fast. Mine.',
      mood: 'calm',
      energy: null,
    },
  ]);
  const right = new ImportHome().withUser();
  right.import(path, { timeZone: 'America/Chicago' });
  expect(statements(home)).toEqual(statements(right));
  expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 1 });
  undoImport(options(home));
  expect(() => undoImport(options(home), 3)).not.toThrow();
  expect(answers(home)).toEqual(before);
  // The note is undone as if nothing had changed.
  undoImport(options(home), 2);
  expect(home.rows("SELECT notes, mood FROM sessions WHERE id = 's20'")).toEqual([
    { notes: 'Fast.', mood: null },
  ]);
  expect(() => undoImport(options(home))).toThrow(
    'another program has changed energy of s19 (trading sessions) since',
  );
  home.write("UPDATE sessions SET energy = NULL WHERE id = 's19'");
  undoImport(options(home));
  expect(home.rows('SELECT * FROM sessions')).toEqual([]);
});

test("a day's note in another zone: its labels and entries are on other trades, and come back", () => {
  const home = new ImportHome().withUser();
  const rows = ['T09', 'T10', 'T11'].map((hour) => ({
    ...TRADE,
    id: hour,
    executed_at: `2026-11-02${hour}:30:00Z`,
  }));
  home.import(home.lines('trades.jsonl', ...rows));
  const note = home.file(
    '2026-11-02.md',
    '---\ntype: day\n---\nCalm.\n\n## 09:30 AAPL long\nsetup:: ORB\n\nChased.\n\n## 10:30 AAPL long\nsetup:: Fade\n\n## Missed trades\n\n- 11:00 MSFT long, too slow\n',
  );
  home.import(note, { timeZone: 'UTC', keep: false });
  edit(options(home), { name: 'annotate', line: 'annotate', resource: trades }, (own) => {
    own.put(trades, { id: 'T09', rating: 4 });
    own.put(trades, { id: 'T10', setup: 'Mine' });
    own.put(tradeJournals, { id: 'day:T09', lesson: 'Wait.' });
  });
  const before = answers(home);
  // An hour later: the second section has the trade of 11:30.
  const report = change(home, 2, { timezone: 'Etc/GMT+1' });
  expect(report.trades).toEqual({ added: 0, changed: 2, removed: 0 });
  expect(home.rows('SELECT id, setup, rating FROM trades ORDER BY id')).toEqual([
    { id: 'T09', setup: null, rating: 4 },
    // The note says so, and was there before the label.
    { id: 'T10', setup: 'Mine', rating: null },
    { id: 'T11', setup: 'Fade', rating: null },
  ]);
  // What was written on the entry stays with its section.
  expect(
    home.rows('SELECT id, trade_id, body, lesson FROM trade_journals ORDER BY id'),
  ).toEqual([
    { id: 'day:T09', trade_id: 'T10', body: 'Chased.', lesson: 'Wait.' },
    { id: 'day:T10', trade_id: 'T11', body: null, lesson: null },
  ]);
  const right = new ImportHome().withUser();
  right.import(right.lines('trades.jsonl', ...rows));
  right.import(note, { timeZone: 'Etc/GMT+1' });
  // Records of the same lines keep their ids.
  expect(home.rows('SELECT missed_at FROM missed_trades')).toEqual(
    right.rows('SELECT missed_at FROM missed_trades'),
  );
  undoImport(options(home), 4);
  expect(answers(home)).toEqual(before);
  home.file('2026-11-02.md', 'Other.');
  expect(() => change(home, 2, { timezone: 'UTC' })).toThrow(
    /2026-11-02.md isn't the file of import 2: its bytes are others/,
  );
});

test('a folder of notes, and a note without a date', () => {
  const home = new ImportHome().withUser();
  mkdirSync(home.path('diary'));
  home.file(
    'diary/a.md',
    '---\ntype: session\ndate: 2026-11-19\nstarted_at: 2026-11-19 09:30\n---\nA.\n',
  );
  home.file(
    'diary/b.md',
    '---\ntype: session\ndate: 2026-11-20\nstarted_at: 2026-11-20 09:30\n---\nB.\n',
  );
  home.import(home.path('diary'), { timeZone: 'UTC' });
  change(home, 1, { timezone: 'America/Chicago' });
  const right = new ImportHome().withUser();
  right.import(home.path('diary'), { timeZone: 'America/Chicago' });
  expect(answers(home)).toEqual(answers(right));
  expect(home.import(home.path('diary')).files[0]).toMatchObject({
    added: 0,
    changed: 0,
    unchanged: 2,
  });
  const undated = home.file('today.md', 'Mood: calm\n\n## Lesson\nWait.\n');
  home.import(undated, { date: '2026-11-23' });
  edit(options(home), { name: 'note', line: 'note', resource: sessions }, (own) => {
    own.put(sessions, { id: 'day:2026-11-23', energy: 4 });
  });
  const before = answers(home);
  change(home, 3, { date: '2026-11-24' });
  expect(
    home.rows("SELECT date, mood, energy FROM sessions WHERE date = '2026-11-24'"),
  ).toEqual([{ date: '2026-11-24', mood: 'calm', energy: 4 }]);
  expect(home.rows("SELECT 1 FROM sessions WHERE date = '2026-11-23'")).toEqual([]);
  undoImport(options(home));
  expect(answers(home)).toEqual(before);
});

test('a folder of notes read with a mapping is read so again, once its import was changed', () => {
  const home = new ImportHome().withUser();
  const fields = { date: 'file', started_at: 'at', mood: 'mood' };
  mkdirSync(home.path('vault'));
  const map = home.file(
    'days.json',
    JSON.stringify({ name: 'days', target: 'sessions', fields }),
  );
  home.file('vault/2026-11-19.md', '---\nat: 2026-11-19 09:30\nmood: calm\n---\n');
  home.file('vault/2026-11-20.md', '---\nat: 2026-11-20 09:30\nmood: tired\n---\n');
  home.import(home.path('vault'), { map: loadMapping(map) });
  change(home, 1, { timezone: 'Asia/Tokyo' });
  expect(home.rows('SELECT started_at, mood FROM sessions ORDER BY date')).toEqual([
    { started_at: '2026-11-19T00:30:00.000Z', mood: 'calm' },
    { started_at: '2026-11-20T00:30:00.000Z', mood: 'tired' },
  ]);
  const now = home.contents();
  expect(home.import(home.path('vault')).files).toMatchObject([
    { format: 'map:days', unchanged: 2 },
  ]);
  expect(home.contents()).toEqual(now);
});

test('closed trades by another mapping: the same ids, other columns; the file’s undo takes the change along', () => {
  const home = new ImportHome().withUser();
  const table = home.file(
    'own.csv',
    'When,Out,What,Dir,Qty,In,Exit,Why,Tag\n20.11.2026 09:30,20.11.2026 10:00,MNQZ6,long,1,100,110,ORB,x\n',
  );
  const mapping = (name: string, fields: Record<string, unknown>) =>
    home.file(
      `${name}.json`,
      JSON.stringify({
        ...{
          name,
          target: 'trades',
          dates: 'dmy',
        },
        fields: {
          ...{
            market: { value: 'future' },
            currency: { value: 'USD' },
            multiplier: { value: 2 },
          },
          executed_at: 'When',
          closed_at: 'Out',
          symbol: 'What',
          side: 'Dir',
          quantity: 'Qty',
          entry_price: 'In',
          exit_price: 'Exit',
          ...fields,
        },
      }),
    );
  const [first, second] = [
    mapping('one', { setup: 'Why' }),
    mapping('two', { notes: 'Why', tags: 'Tag' }),
  ];
  home.import(table, { map: loadMapping(first), timeZone: 'UTC' });
  const [wrong] = home.rows('SELECT id FROM trades') as [Row];
  edit(options(home), { name: 'annotate', line: 'annotate', resource: trades }, (own) => {
    own.put(trades, { id: wrong.id, rating: 4 });
    own.put(tradeJournals, {
      id: 'e',
      trade_id: wrong.id,
      phase: 'review',
      body: 'Chased.',
    });
  });
  home.write("UPDATE trades SET timeframe = '5m'");
  const before = answers(home);
  change(
    home,
    1,
    { map: second, timezone: 'America/Chicago' },
    { map: loadMapping(second) },
  );
  const right = new ImportHome().withUser();
  right.import(table, { map: loadMapping(second), timeZone: 'America/Chicago' });
  right.write("UPDATE trades SET rating = 4, timeframe = '5m'");
  const [now] = right.rows('SELECT id FROM trades') as [Row];
  right.write(
    `INSERT INTO trade_journals (user_id, id, trade_id, phase, body) VALUES ('me', 'e', '${now.id}', 'review', 'Chased.')`,
  );
  const inFirst = (rows: unknown) =>
    JSON.parse(JSON.stringify(rows).replaceAll(String(now.id), String(wrong.id)));
  expect(answers(home)).toEqual(inFirst(answers(right)));
  expect(statements(home)).toEqual(inFirst(statements(right)));
  expect(home.rows('SELECT * FROM former_trades')).toEqual([]);
  // The same bytes without options are read with the present mapping, alone and in a folder.
  const own = home.contents();
  expect(home.import(table).files).toMatchObject([
    { format: 'map:two', added: 0, changed: 0, unchanged: 1 },
  ]);
  mkdirSync(home.path('folder'));
  copyFileSync(table, home.path('folder/other.csv'));
  expect(home.import(home.path('folder')).files).toMatchObject([
    { format: 'map:two', unchanged: 1 },
  ]);
  expect(home.contents()).toEqual(own);
  const copy = readFileSync(home.journal);
  undoImport(options(home));
  expect(answers(home)).toEqual(before);
  expect(() => home.import(table)).toThrow('not an export of a known platform');
  writeFileSync(home.journal, copy);
  undoImport(options(home), 2);
  home.write('UPDATE trades SET timeframe = NULL');
  undoImport(options(home), 1);
  expect(home.rows('SELECT id FROM trades UNION SELECT id FROM imports')).toEqual([]);
});

test('another contract size, after a rename and with a rate; an earlier line below it is refused', () => {
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  const fills = readFileSync(join(FIXTURES, 'tradovate/Fills.csv'), 'utf8').replaceAll(
    'NQH6,NQ',
    'XYZ,XYZ',
  );
  home.import(home.file('Fills.csv', fills), { multipliers: new Map([['XYZ', 7]]) });
  setRates(options(home), new Map([['USD', 0.9]]), undefined, 'rates set USD=0.9');
  renameAccount(options(home), 'DEMO1', 'main', 'account rename DEMO1 main');
  const before = answers(home);
  const report = change(home, 1, { multipliers: { XYZ: 20 } });
  expect(report.trades).toMatchObject({ added: 0, removed: 0 });
  const facts =
    "SELECT DISTINCT account, multiplier, fx_rate FROM trades WHERE symbol = 'XYZ'";
  expect(home.rows(facts)).toEqual([{ account: 'main', multiplier: 20, fx_rate: 0.9 }]);
  change(home, 1, { multipliers: { XYZ: 5 } });
  expect(() => undoImport(options(home), 4)).toThrow(
    'import 5 builds on it; undo that first',
  );
  undoImport(options(home));
  undoImport(options(home));
  expect(answers(home)).toEqual(before);
  undoImport(options(home), 3);
  expect(home.rows(facts)).toEqual([{ account: 'DEMO1', multiplier: 7, fx_rate: 0.9 }]);
});

test('a row that another import states since, or that would vanish with a text, is named', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), WRONG);
  change(home, 1, { account: 'main' });
  home.import(home.file('b.csv', csv(first, second)), {
    account: 'main',
    timeZone: WRONG.timeZone,
  });
  expect(() => undoImport(options(home), 2)).toThrow(
    'import 3 builds on it; undo that first: journal-api import undo 3',
  );
  const note = home.file(
    'today.md',
    '---\ntype: day\n---\n\n## 09:30 MES long\nsetup:: ORB\n\nChased.\n',
  );
  home.import(note, { date: '2026-11-19', timeZone: 'Asia/Tokyo' });
  edit(options(home), { name: 'note', line: 'note', resource: tradeJournals }, (own) => {
    own.put(tradeJournals, {
      id: String(home.rows('SELECT id FROM trade_journals')[0]?.id),
      lesson: 'Wait.',
    });
  });
  expect(() => change(home, 4, { timezone: 'America/Chicago' })).toThrow(
    /^import 5 \(note\) is about trade journal entry day:\S+; journal-api import undo 5$/,
  );
});

test('an import whose mapping an earlier version did not keep is changed by its rows', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), { ...RIGHT, keep: false });
  rmSync(home.path('a.csv'));
  home.write(
    `UPDATE imports SET mapping = NULL, options = json_set(options, '$.map', 'old.json') WHERE id = 1`,
  );
  change(home, 1, { account: 'other' });
  expect(home.rows('SELECT account FROM trades')).toEqual([{ account: 'other' }]);
});
