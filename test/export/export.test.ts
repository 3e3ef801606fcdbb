/** Exports imported again: the same journal doesn't change, and a new one gives the same responses. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleJournal } from '../../src/demo/index.ts';
import { EXPORT_FORMS, type ExportForm } from '../../src/export/forms.ts';
import { exportJournal } from '../../src/export/index.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { runs } from '../effort.ts';
import { World } from '../helpers.ts';
import { journal, settings } from '../import/any-journal.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { run, runHere } from '../program.ts';

const FORMS = EXPORT_FORMS.map((form) => [form]);

let folders = 0;

async function exported(home: ImportHome, as: ExportForm): Promise<string> {
  const folder = home.path(`export-${++folders}`);
  await exportJournal({ journal: home.journal, folder, as });
  return folder;
}

const EXECUTIONS =
  'SELECT trade_id, position, executed_at, side, quantity, price, fees FROM executions ORDER BY 1, 2';

/** All records of the user. */
const contentOf = (home: ImportHome) => ({
  ...home.everything(),
  executions: home.rows(EXECUTIONS),
  users: home.rows(
    'SELECT id, name, timezone, base_currency, starting_balance, breakeven_tolerance FROM users',
  ),
});

async function expectRoundTrip(home: ImportHome, as: ExportForm): Promise<void> {
  const folder = await exported(home, as);
  const bytes = home.hash();
  const again = home.import(folder);
  expect(again.files.map(({ added, changed }) => added + changed)).toEqual(
    again.files.map(() => 0),
  );
  expect(home.hash()).toBe(bytes);

  const copy = new ImportHome();
  copy.now += 86_400_000;
  copy.import(folder);
  expect(contentOf(copy)).toEqual(contentOf(home));
}

test.each(FORMS)('any journal, as %s', { timeout: 60_000 }, async (as) => {
  await fc.assert(
    fc.asyncProperty(journal, settings, async (files, user) => {
      const home = new ImportHome().withUser('me', user);
      const written = Object.entries(files).filter(([, rows]) => rows.length > 0);
      if (written.length === 0) return;
      home.import(written.map(([path, rows]) => home.lines(`${path}.jsonl`, ...rows)));
      await expectRoundTrip(home, as);
    }),
    { numRuns: runs(8) },
  );
});

/** A journal of the sample trader's year. */
function sampleHome(): ImportHome {
  const { user, records } = sampleJournal('2026-11-20');
  const { id, ...changes } = user;
  const home = new ImportHome().withUser(id, changes);
  home.import(
    Object.entries(records).map(([path, rows]) => home.lines(`${path}.jsonl`, ...rows)),
  );
  return home;
}

/** Every API response about the user's records, without the ones about the key. */
async function responsesOf(home: ImportHome): Promise<string[]> {
  const world = new World();
  writeFileSync(world.files.journal, home.bytes());
  const key = world.key(undefined, 'me', 'k1');
  const ask = async (path: string) => (await world.ask(path, { key })).text;
  const responses: string[] = [];
  for (const { path } of RESOURCES) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await ask(`/v1/${path}?limit=100${cursor && `&cursor=${cursor}`}`);
      const { data, pagination } = JSON.parse(page);
      responses.push(JSON.stringify(data));
      cursor = pagination.next_cursor;
      if (path === 'trades')
        for (const { id } of data.slice(0, 10))
          responses.push(await ask(`/v1/trades/${id}`));
    }
  }
  return [
    ...responses,
    await ask('/v1/analytics/summary'),
    await ask('/v1/summary?days=365'),
  ];
}

test('the sample trader, in each form: every response is the same', {
  timeout: 60_000,
}, async () => {
  const home = sampleHome();
  const responses = await responsesOf(home);
  expect(responses.length).toBeGreaterThan(50);
  for (const as of EXPORT_FORMS) {
    const copy = new ImportHome();
    copy.import(await exported(home, as));
    expect([as, contentOf(copy)]).toEqual([as, contentOf(home)]);
    expect([as, await responsesOf(copy)]).toEqual([as, responses]);
  }
});

test.each([
  ['trades', { ...TRADE, notes: 'Too early.' }],
  ['sessions', { id: 's1', date: '2026-11-20', notes: 'Too early.' }],
  [
    'weekly-reviews',
    {
      id: 'w1',
      period_start: '2026-11-16',
      period_end: '2026-11-20',
      summary: 'Too early.',
    },
  ],
])(
  'notes of %s have their text below the properties, in a folder for their owner',
  async (path, record) => {
    const home = new ImportHome().withUser();
    home.import(home.lines(`${path}.jsonl`, record));
    const folder = join(await exported(home, 'markdown'), path);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name = ''] = readdirSync(folder);
    expect(readFileSync(join(folder, name), 'utf8')).toMatch(/\n---\n\nToo early\.\n$/);
  },
);

test('texts that a file could change', async () => {
  const texts = [
    '',
    '""',
    '"',
    '""""',
    ' a ',
    'a,b',
    'a\r\nb\rc\n',
    '=1+1',
    '\ufeffa',
    '\u2028',
    '---\na: b\n---\n',
    "'",
    '\\',
  ];
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', TRADE));
  const fields = (text: string | null) => ({
    title: text,
    body: text,
    lesson: text,
    tags: [text ?? ''],
  });
  const entries = [...texts, null].map((text, index) => ({
    ...{ id: `j${index}`, trade_id: 't1', phase: 'review' },
    ...fields(text),
  }));
  home.import(home.lines('trade-journals.jsonl', ...entries));
  for (const as of EXPORT_FORMS) await expectRoundTrip(home, as);
});

test('characters that import rejects are removed from texts, and the records counted', async () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', TRADE, { ...TRADE, id: 't2' }));
  home.write(
    `UPDATE trades SET notes = 'a' || char(0) || 'b', fx_rate = 2 WHERE id = 't1'`,
  );
  const folder = home.path('out');
  expect(
    await exportJournal({ journal: home.journal, folder, as: 'jsonl' }),
  ).toMatchObject({
    cleaned: 1,
  });
  const copy = new ImportHome();
  copy.import(folder);
  expect(copy.rows('SELECT id, notes, fx_rate FROM trades')).toEqual([
    { id: 't1', notes: 'ab', fx_rate: null },
    { id: 't2', notes: null, fx_rate: null },
  ]);
});

test("a platform's file finds its trades in a copy without fills, and adds the fills", async () => {
  const HEADER =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
  const rows = [
    'MESZ6,1,2,1,6000,6001,$5.00,11/02/2026 09:30:00,11/02/2026 09:40:00',
    'MESZ6,4,3,1,6010,6008,$(10.00),11/03/2026 09:40:00,11/03/2026 09:30:00',
  ];
  const home = new ImportHome().withUser();
  const platformFile = home.file('Performance.csv', [HEADER, ...rows].join('\n'));
  home.import(platformFile);
  home.write("UPDATE trades SET notes = 'mine'");
  const copy = new ImportHome();
  const folder = await exported(home, 'jsonl');
  for (const name of ['fills.jsonl', 'imports.json']) rmSync(join(folder, name));
  copy.import(folder);
  const before = contentOf(copy);
  expect(copy.import(platformFile).files).toMatchObject([
    { added: 0, changed: 0, unchanged: 2, platform: { new_fills: 4 } },
  ]);
  expect(contentOf(copy)).toEqual(before);
  expect(copy.rows("SELECT id FROM trades WHERE notes = 'mine'")).toHaveLength(2);
});

test('only the records of the user', async () => {
  const home = new ImportHome().withUser();
  const db = openForWriting(home.journal);
  db.exec("INSERT INTO users (id) VALUES ('ana')");
  db.close();
  home.import(home.lines('trades.jsonl', TRADE), { user: 'me' });
  home.import(home.lines('trades.jsonl', { ...TRADE, id: 'hers' }), { user: 'ana' });
  const folder = home.path('out');
  await exportJournal({ journal: home.journal, folder, as: 'jsonl', user: 'ana' });
  expect(JSON.parse(readFileSync(join(folder, 'trades.jsonl'), 'utf8'))).toMatchObject({
    id: 'hers',
  });
  expect(JSON.parse(readFileSync(join(folder, 'user.json'), 'utf8'))).toMatchObject({
    id: 'ana',
  });
});

test("different settings are reported, not changed; another program's user.json is skipped", () => {
  const home = new ImportHome().withUser('me', { timezone: 'Europe/Madrid' });
  mkdirSync(home.path('in'));
  const settings = {
    id: 'me',
    name: null,
    timezone: 'UTC',
    base_currency: 'USD',
    starting_balance: null,
  };
  writeFileSync(
    home.path('in/user.json'),
    JSON.stringify({ ...settings, breakeven_tolerance: 0 }),
  );
  writeFileSync(home.path('in/trades.jsonl'), JSON.stringify(TRADE));
  home.import(home.path('in'));
  expect(home.notes).toEqual([
    `${home.path('in/user.json')}: the user's timezone is Europe/Madrid (in the file: UTC); "journal-api user set me" changes it`,
  ]);
  expect(home.rows('SELECT timezone FROM users')).toEqual([
    { timezone: 'Europe/Madrid' },
  ]);
  writeFileSync(home.path('in/user.json'), '{"id": 1}');
  expect(home.import(home.path('in')).ignored).toMatchObject([
    { file: home.path('in/user.json') },
  ]);
});

test('the command writes a new folder, complete or not at all', async () => {
  const world = new World();
  const home = ['--home', world.files.home];
  const folder = join(world.files.home, 'out');
  const done = await run(['export', folder, '--as', 'csv', ...home]);
  expect(done).toMatchObject({ code: 0, stderr: `Written to ${folder}.\n` });
  expect(done.stdout).toMatch(/^FILE +CONTENTS +RECORDS\ntrades\.csv +trades +0\n/);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'trades.csv')).mode & 0o777).toBe(0o600);
  expect(await runHere(['export', folder, ...home])).toMatchObject({
    code: 1,
    stderr: `journal-api: the folder ${folder} is not empty; an export goes into a new one\n`,
  });
  expect(
    await runHere(['export', join(folder, 'x'), '--as', 'xml', ...home]),
  ).toMatchObject({
    code: 2,
  });
  const nobody = await runHere([
    'export',
    join(world.files.home, 'none'),
    '--user',
    'nobody',
    ...home,
  ]);
  expect(nobody.stderr).toContain('there is no user "nobody"');
  expect(readdirSync(world.files.home)).not.toContain('none');
});

test.skipIf(process.platform === 'win32')(
  'a full disk is not blamed on the journal',
  async () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', { ...TRADE, notes: 'x'.repeat(100_000) }));
    const folder = home.path('full');
    const limited = ['sh', '-c', 'ulimit -S -f 32; exec "$@"', 'sh'];
    const { code, stderr } = await run(['export', folder, '--home', home.folder], {
      under: limited,
    });
    expect([code, stderr]).toEqual([
      1,
      `journal-api: the export failed, and ${folder} was not made: the file would be larger than the disk allows\n`,
    ]);
    expect(readdirSync(home.folder).filter((name) => name.startsWith('full'))).toEqual(
      [],
    );
  },
);
