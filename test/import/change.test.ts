/** Imports changed after the fact: every answer equals a first import done right, plus what was written. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type ChangeOptions, changeImport } from '../../src/import/change.ts';
import { edit } from '../../src/import/edit/edit.ts';
import { undoImport } from '../../src/import/edit/undo.ts';
import { tradeJournals } from '../../src/journal/resources/trade-journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { isThorough } from '../effort.ts';
import { runHere } from '../program.ts';
import { SEED } from '../seed.ts';
import { ImportHome, TRADE } from './home.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/exports', import.meta.url));
const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((name) => !name.endsWith('.md') && statSync(join(FIXTURES, name)).isFile())
  .sort();

/** A sample that differs in each run; all in a thorough one. */
const tried = isThorough ? files : files.filter((_, place) => place % 12 === SEED % 12);

const options = (home: ImportHome) => ({ journal: home.journal, now: home.now });
const change = (home: ImportHome, id: number, given: ChangeOptions['given'], more: Partial<ChangeOptions> = {}) =>
  changeImport({ ...options(home), id, given, ...more }, `import change ${id}`);

/** Everything but timestamps and what was written. */
function facts(home: ImportHome): unknown {
  const unwritten = ({ created_at: _, updated_at: __, timeframe: ___, sequence: ____, ...row }: Row) =>
    JSON.stringify(row);
  return ['trades', 'executions', 'fills', 'trade_groups', 'found_groups'].map((table) =>
    home.rows(`SELECT * FROM ${table}`).map(unwritten).sort(),
  );
}

/** Labels each trade with its place in time, and writes an entry about it. */
function write(home: ImportHome): void {
  const all = home.rows('SELECT id, executed_at FROM trades ORDER BY executed_at, id');
  edit(options(home), { name: 'annotate', line: 'annotate', resource: trades }, (own) => {
    for (const [place, { id }] of all.entries()) {
      own.put(trades, { id, timeframe: `label ${place}` });
      own.put(tradeJournals, { id: `entry-${place}`, trade_id: id, phase: 'review', body: 'Chased.' });
    }
  });
}

/** Each label with the entry of its trade: they stay together. */
const written = (home: ImportHome) =>
  home.rows(
    'SELECT t.timeframe, j.id FROM trade_journals AS j LEFT JOIN trades AS t ON t.id = j.trade_id ORDER BY j.id',
  );

const WRONG = { account: 'wrong', timeZone: 'Asia/Tokyo' };
const RIGHT = { account: 'main', timeZone: 'America/Chicago' };

test.each(tried)('account and zone of %s', (name) => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const path = join(FIXTURES, name);
  try {
    if (home.import(path, WRONG).files[0]?.resource !== 'trades') return;
  } catch {
    return;
  }
  if (home.rows('SELECT 1 FROM trades').length === 0) return;
  const [before, found] = [facts(home), home.findings()];
  write(home);
  const texts = written(home);
  const right = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  right.import(path, RIGHT);
  const report = change(home, 1, { account: RIGHT.account, timezone: RIGHT.timeZone });
  expect(facts(home)).toEqual(facts(right));
  expect(written(home)).toEqual(texts);
  expect(home.findings()).toEqual(right.findings());
  // The same bytes without options change nothing.
  expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  if (report.import === null) return;
  undoImport(options(home), report.import);
  expect(facts(home)).toEqual(before);
  expect(written(home)).toEqual(texts);
  expect(home.findings()).toEqual(found);
});

const HEADER = 'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const first = 'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00';
const second = 'MESZ6,8,9,1,6000,6003,$15.00,11/20/2026 23:30:00,11/20/2026 23:40:00';
const csv = (...rows: string[]) => `${[HEADER, ...rows].join('\n')}\n`;

test('a file that states some of the same rows with the same options is changed along, others stop it', () => {
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', csv(first)), WRONG);
  home.import(home.file('b.csv', csv(first, second)), WRONG);
  const before = home.contents();
  expect(change(home, 1, { timezone: 'America/Chicago' }).changed).toEqual([
    { id: 1, file: 'a.csv' },
    { id: 2, file: 'b.csv' },
  ]);
  const right = new ImportHome().withUser();
  right.import(right.file('b.csv', csv(first, second)), { ...RIGHT, account: WRONG.account });
  expect(home.contents()).toEqual(right.contents());
  expect(() => undoImport(options(home), 3)).not.toThrow();
  expect(home.contents()).toEqual(before);
  home.file('b.csv', csv(second));
  expect(() => change(home, 1, { timezone: 'UTC' })).toThrow(
    /import 2 \(b.csv\) states some of the same rows, but .* undo it first: journal-api import undo 2/,
  );
  expect(home.contents()).toEqual(before);
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
    { options: '{"timezone":"America/Chicago","account":"main"}' },
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
  home.import(home.lines('trades.jsonl', { ...TRADE, id: 'plain' }));
  const bytes = home.hash();
  const run = (...words: string[]) => runHere(['import', 'change', ...words, '--home', home.folder]);
  expect((await run('9')).stderr).toContain('there is no import 9 to change; "journal-api import list" shows all');
  expect((await run('2', '--account', 'x')).stderr).toContain(
    'import 2 (trades.jsonl) holds no fills or closed trades',
  );
  expect(await run('1', '--timezone', 'Chicago')).toMatchObject({ code: 2 });
  const other = home.file('other.csv', csv(second));
  expect((await run('1', other)).stderr).toContain("other.csv isn't the file of import 1: its bytes are others");
  expect((await run('1', home.path('gone.csv'))).stderr).toContain('pass the file: journal-api import change 1 FILE');
  expect((await run('1')).stderr).toContain('Nothing changed.');
  expect(home.hash()).toBe(bytes);
  expect((await run('1', '--account', 'main', '--dry-run')).stderr).toContain('Dry run: nothing was written.');
  expect(home.hash()).toBe(bytes);
  expect((await run('1', '--account', 'main')).stderr).toContain('To undo: journal-api import undo 3');
  expect(home.rows('SELECT of, file FROM imports WHERE id = 3')).toEqual([
    { of: 1, file: 'import change 1 --account main' },
  ]);
});

test("a day's note finds a trade by the id that it had before, and the report names the note", () => {
  const home = new ImportHome().withUser();
  const path = join(FIXTURES, 'robinhood/Hood.csv');
  home.import(path, { account: 'wrong' });
  const [before] = home.rows('SELECT id, executed_at, symbol FROM trades ORDER BY executed_at, id') as [Row];
  const day = String(before.executed_at).slice(0, 10);
  const note = (setup: string) =>
    home.file(
      `${day}.md`,
      `---\ntype: day\n---\n\n## 00:00 ${before.symbol} <!-- t:${before.id} -->\nsetup:: ${setup}\n\nChased.\n`,
    );
  home.import(note('ORB'));
  const report = change(home, 1, { account: 'main', timezone: 'Asia/Tokyo' });
  const [now] = home.rows("SELECT id, setup FROM trades WHERE setup = 'ORB'") as [Row];
  expect(now.id).not.toBe(before.id);
  home.import(note('again'));
  expect(home.rows("SELECT id FROM trades WHERE setup = 'again'")).toEqual([{ id: now.id }]);
  expect(home.rows('SELECT trade_id FROM trade_journals')).toEqual([{ trade_id: now.id }]);
  expect(report.notes).toEqual([{ date: day, note: home.path(`${day}.md`) }]);
});

test('a live key that would show more is named, and needs --yes', async () => {
  const home = new ImportHome().withUser();
  const own = ['--home', home.folder];
  home.import(home.file('a.csv', csv(first)), WRONG);
  const create = ['key', 'create', '--name', 'mentor', '--scopes', 'all', '--expires', '7d'];
  await runHere([...create, '--accounts', 'main', ...own]);
  const refused = await runHere(['import', 'change', '1', '--account', 'main', ...own]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('(mentor: 0 trades, then 1); pass --yes, or revoke them');
  expect(await runHere(['import', 'change', '1', '--account', 'main', '--yes', ...own])).toMatchObject({ code: 0 });
});
