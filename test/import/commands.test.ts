/** init, user and import as users run them: the real program, its exit codes and streams. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_FORMATS } from '../../src/import/files/recognise.ts';
import { temporaryFolder } from '../helpers.ts';
import { PROGRAM, run as runAsProcess, runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

const run = (home: string, ...args: string[]) => runHere([...args, '--home', home]);
const started = (home: string, ...args: string[]) =>
  runAsProcess([...args, '--home', home]);

test('init creates the journal once', async () => {
  const home = join(temporaryFolder(), 'home');
  expect(
    await run(home, 'init', '--timezone', 'Europe/Madrid', '--starting-balance', '10000'),
  ).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect(statSync(join(home, 'journal.db')).mode & 0o777).toBe(0o600);
  const again = await run(home, 'init');
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(
    `already exists; change its user's settings with "journal-api user set me"`,
  );
  expect(JSON.parse((await run(home, 'user', 'list', '--json')).stdout)).toEqual([
    {
      id: 'me',
      name: null,
      timezone: 'Europe/Madrid',
      base_currency: 'USD',
      starting_balance: 10000,
      breakeven_tolerance: 0,
    },
  ]);
});

test("a user with valid earlier keys isn't added again", async () => {
  const home = join(temporaryFolder(), 'home');
  await run(home, 'init');
  await run(home, 'user', 'add', 'ana', '--name', 'Ana');
  expect((await run(home, 'user', 'list')).stdout).toMatch(/^ana +Ana +UTC +USD/m);
  const { stderr } = await run(
    home,
    'key',
    'create',
    '--user',
    'ana',
    '--name',
    'agent',
    '--scopes',
    'all',
    '--expires',
    '1h',
  );
  const key = /Key (\S+)/.exec(stderr)?.[1] as string;
  const other = await run(home, 'user', 'add', 'ana', '--db', join(home, 'journal.db'));
  expect(other.code).toBe(1);
  expect(other.stderr).toContain(key);
  await run(home, 'key', 'revoke', key);
  expect((await run(home, 'user', 'add', 'ana')).stderr).toContain(
    'user "ana" already exists',
  );
  expect((await run(home, 'user', 'set', 'ana', '--name', '')).stderr).toContain(
    'name none',
  );
  expect(await run(home, 'user', 'set', 'ben', '--name', 'Ben')).toMatchObject({
    code: 1,
  });
});

test('init adds no user with valid earlier keys', async () => {
  const home = join(temporaryFolder(), 'home');
  await run(home, 'init');
  const { stderr } = await run(
    home,
    'key',
    'create',
    '--name',
    'agent',
    '--scopes',
    'all',
    '--expires',
    '1h',
  );
  const key = /Key (\S+)/.exec(stderr)?.[1] as string;
  const journal = join(home, 'journal.db');
  rmSync(journal);
  const refused = await run(home, 'init');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(
    `would read the new user's records: ${key}; revoke them with "journal-api key revoke"`,
  );
  const files = new ImportHome();
  expect(
    (await run(home, 'import', files.lines('trades.jsonl', TRADE), '--dry-run')).stderr,
  ).toContain(key);
  expect(existsSync(journal)).toBe(false);
  await run(home, 'key', 'revoke', key);
  expect(await run(home, 'init')).toMatchObject({ code: 0 });
});

test('import - reads standard input', () => {
  const home = join(temporaryFolder(), 'home');
  const piped = (input: string, ...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, 'import', '-', ...args, '--home', home], {
      encoding: 'utf8',
      input,
    });
  const line = JSON.stringify(TRADE);
  const { status, stdout } = piped(line, '--as', 'trades', '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout).files).toMatchObject([
    { file: 'standard input', format: 'jsonl', added: 1 },
  ]);
  const page = JSON.stringify({ data: [TRADE], pagination: { has_more: false } });
  expect(piped(page, '-', '--as', 'trades').stdout).toMatch(
    /^standard input +trades +0 +0 +1 +0$/m,
  );
  expect(piped('id,notes\nt1,n\n', '--as', 'trades', '--format', 'csv')).toMatchObject({
    status: 0,
  });
  expect(piped(line).stderr).toContain('your own records, pass --as (trades,');
  expect(piped('id,notes\nt1,n\n', '--as', 'trades').stderr).toContain(
    'unknown format; pass --format',
  );
  expect(piped('{"id":"t1","rating":9}', '--as', 'trades').stderr).toContain(
    'standard input:1: rating: must be 5',
  );
});

test('after the first import the next command is one line', async () => {
  const home = join(temporaryFolder(), 'home');
  const files = new ImportHome();
  const header =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
  const csv = (day: string, id: number) =>
    files.file(
      `${id}.csv`,
      `${header}\nMESZ6,${id},${id + 1},1,6800,6801,$5.00,11/${day}/2026 10:00:00,11/${day}/2026 10:01:00\n`,
    );
  expect((await run(home, 'import', csv('02', 1))).stderr).toContain(
    `Next, open it in the browser:\n  journal-api open --home ${home}\n`,
  );
  const { stderr } = await run(home, 'import', csv('03', 3));
  expect(stderr.trim().split('\n').at(-1)).toBe(
    `Next: journal-api summary --start 2026-11-03 --end 2026-11-03 --home ${home}, or journal-api open --home ${home}`,
  );
  expect(stderr).not.toContain('key create');
});

const BAD = '{"id":"t2"}\n';

test.each([
  [
    'a good and an unknown one',
    { 'trades.jsonl': JSON.stringify(TRADE), 'other.csv': 'a,b\n1,2\n' },
    0,
    1,
    [],
  ],
  [
    'a good one and a damaged workbook',
    { 'trades.jsonl': JSON.stringify(TRADE), 'book.xlsx': 'PK\u0003\u0004rest' },
    0,
    1,
    [],
  ],
  [
    'a bad one before a good one',
    {
      'sessions.jsonl': '{"id":"s"}',
      'trade-groups.jsonl': '{}',
      'trades.jsonl': JSON.stringify(TRADE),
    },
    1,
    1,
    ['trade-groups.jsonl', 'sessions.jsonl'],
  ],
  [
    'bad ones alone',
    { 'trades.jsonl': BAD, 'sessions.jsonl': '{}', 'other.csv': 'a' },
    1,
    0,
    ['trades.jsonl', 'sessions.jsonl'],
  ],
  ['an unknown one alone', { 'other.csv': 'a,b\n1,2\n' }, 1, 0, undefined],
])(
  'a folder with %s: each file is taken by itself',
  async (_, files, code, trades, failed) => {
    const home = new ImportHome().withUser();
    mkdirSync(home.path('in'));
    for (const [name, text] of Object.entries(files)) home.file(`in/${name}`, text);
    const before = home.hash();
    for (const more of [['--dry-run'], []]) {
      const done = await run(home.folder, 'import', home.path('in'), '--json', ...more);
      expect(done.code).toBe(code);
      for (const name of failed ?? []) expect(done.stderr).toContain(`in/${name}:1: `);
      if (failed === undefined)
        expect(done.stderr).toContain('other.csv (not an export of a known platform');
      else {
        const report = JSON.parse(done.stdout);
        expect(report.failed.map(({ file }: { file: string }) => basename(file))).toEqual(
          failed,
        );
        expect(
          report.ignored.map(({ file }: { file: string }) => basename(file)),
        ).toEqual(Object.keys(files).filter((name) => /other|book/.test(name)));
      }
      if (more.length > 0) expect(home.hash()).toBe(before);
    }
    expect(home.everything()['trades']).toHaveLength(trades);
  },
);

test.each([
  [
    'a wrong value',
    'mood:: tired\nrating:: 99\n',
    ':5: rating: must be',
    { mood: 'tired' },
  ],
  [
    'more trades than a note may have',
    `## Missed trades\n${'- 09:45 MNQ long\n'.repeat(10_000)}`,
    ':10004: the note has more than 10000 days and trades; split it into several notes',
    undefined,
  ],
])(
  'a note with %s: the line is named, the rest is imported, and the exit code is 1',
  async (_, text, line, session) => {
    const home = new ImportHome().withUser();
    const done = await run(
      home.folder,
      'import',
      home.file('2026-11-20.md', `---\ntype: day\n---\n${text}`),
    );
    expect([done.code, done.stderr]).toEqual([
      1,
      expect.stringContaining(`2026-11-20.md${line}`),
    ]);
    expect(done.stderr).toContain(
      'journal-api: 1 line left out, named above; correct it and import again',
    );
    expect(home.rows('SELECT * FROM sessions')[0]).toEqual(
      session && expect.objectContaining(session),
    );
  },
);

test('a dry run of a folder says what the import then does, and an unknown file named with others is an error', async () => {
  const home = new ImportHome().withUser();
  const good = home.lines('trades.jsonl', TRADE);
  const entry = home.lines('trade-journals.jsonl', {
    id: 'j',
    trade_id: 't1',
    phase: 'review',
  });
  const bad = home.lines('sessions.jsonl', {});
  const unknown = home.file('other.csv', 'a,b\n1,2\n');
  const results = [];
  for (const more of [['--dry-run'], []]) {
    const done = await run(
      home.folder,
      'import',
      bad,
      unknown,
      entry,
      good,
      home.path('none.csv'),
      '--json',
      ...more,
    );
    expect(done).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("none.csv can't be read: there is no such file"),
    });
    const { dry_run, ...report } = JSON.parse(done.stdout);
    results.push(report);
  }
  expect(results[1].files.map(({ added }: { added: number }) => added)).toEqual([1, 1]);
  expect(results[0]).toEqual(results[1]);
  expect(results[1].failed.map(({ file }: { file: string }) => file)).toEqual([
    unknown,
    home.path('none.csv'),
    bad,
  ]);
});

test('import writes its report to stdout and the rest to stderr', async () => {
  const files = new ImportHome();
  const path = files.lines('trades.jsonl', TRADE);
  const home = join(files.folder, 'home');
  const dry = await started(home, 'import', path, '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toEqual({
    dry_run: true,
    journal: join(home, 'journal.db'),
    user: 'me',
    timezone: 'UTC',
    failed: [],
    notices: [],
    files: [
      {
        file: path,
        format: 'jsonl',
        resource: 'trades',
        rows: { read: 1, used: 1, skipped: {} },
        added: 1,
        changed: 0,
        unchanged: 0,
        cash_flows: { added: 0, changed: 0, unchanged: 0 },
        ending_cash: [],
        skipped: [],
        imported_before: null,
        notes: [],
        platform: null,
        problems: [],
        rates: null,
      },
    ],
    ignored: [],
  });
  expect(dry.stderr).toContain('This would create the journal');
  const real = await started(home, 'import', path);
  expect(real).toMatchObject({ code: 0 });
  expect(real.stdout.split('\n')[1]).toMatch(/trades\.jsonl +trades +1 +0 +0 +0$/);

  const wrong = await started(
    home,
    'import',
    files.lines('trades.jsonl', { id: 't1', market: 'stonk' }),
  );
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toBe(
    `journal-api: ${path}:1: market: must be one of stock, option, future, forex, crypto, cfd, other; got "stonk"\n`,
  );
});

test.each([
  [['import']],
  [['import', 'x', '--format', 'xml']],
  [['import', 'x', '--formats']],
  [['import', 'x', '--as', 'trade']],
  [['import', 'x', '--timezone', 'Mars/Olympus']],
  [['init', '--timezone', 'Mars/Olympus']],
  [['init', '--base-currency', 'usd']],
  [['init', '--starting-balance', '1e4']],
  [['init', '--starting-balance', '-1']],
  [['user', 'add', 'a b']],
  [['user', 'add', 'ana', '--timezone', 'Mars/Olympus']],
  [['user', 'set', 'a b', '--name', 'x']],
  [['user', 'set', 'me', '--base-currency', 'usd']],
  [['user', 'set', 'me', '--breakeven-tolerance', '-1']],
  [['user', 'set', 'me']],
])('wrong usage: %j', async (args) => {
  const home = temporaryFolder();
  expect(await run(home, ...args)).toMatchObject({ code: 2, stdout: '' });
  expect(readdirSync(home)).toEqual([]);
});

test('--example prints a line that imports', async () => {
  const files = new ImportHome();
  const home = join(files.folder, 'home');
  const { stdout } = await run(home, 'import', '--example', 'sessions');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(await run(home, 'import', files.file('sessions.jsonl', stdout))).toMatchObject({
    code: 0,
  });
});

test('a platform file ends with figures on stdout and the next commands on stderr', async () => {
  const files = new ImportHome();
  const home = join(files.folder, 'home');
  const header =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\n';
  const row =
    'MESZ6,1,2,1,6800.00,6801.00,$5.00,11/02/2026 09:30:00,11/02/2026 09:31:00\n';
  const good = files.file('a.csv', header + row);
  const bad = files.file('b.csv', header + row.replace('6801.00', '?'));
  const dry = await run(home, 'import', good, bad, '--dry-run', '--json');
  expect(dry).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('b.csv:2: sellPrice'),
  });
  expect(JSON.parse(dry.stdout).files).toMatchObject([{ file: good, added: 1 }]);
  const real = await run(home, 'import', good);
  expect(real.stdout).toContain(
    'the rows of the file add up to gross 5.00 USD, here 5.00: difference 0.00',
  );
  expect(real.stderr.trimEnd().split('\n').slice(-2)).toEqual([
    `  journal-api summary --start 2026-11-02 --end 2026-11-02 --home ${home}`,
    'An agent or another program needs a key: journal-api key create --help',
  ]);
});

test('--formats lists what to export and how each reader was tested, one per line', async () => {
  const home = temporaryFolder();
  const lines = (await run(home, 'import', '--formats')).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(KNOWN_FORMATS.length + 1);
  expect(lines).toContainEqual(expect.stringMatching(/^kraken +real files +Kraken: /));
  expect(lines).toContainEqual(expect.stringMatching(/^quantower +samples +Quantower: /));
  expect(lines).toContainEqual(
    expect.stringMatching(/^zerodha-orders +documentation +Zerodha: /),
  );
  const listed = JSON.parse((await run(home, 'import', '--formats', '--json')).stdout);
  expect(listed[0]).toEqual({
    name: 'tradovate',
    evidence: 'real files',
    description: expect.any(String),
  });
  const own = listed.filter(
    ({ evidence }: { evidence: string | null }) => evidence === null,
  );
  expect(own.map(({ name }: { name: string }) => name)).toEqual([
    'jsonl',
    'json',
    'csv',
    'markdown',
  ]);
  expect(readdirSync(home)).toEqual([]);
});

const ZONELESS = [
  'symbol,_priceFormat,_priceFormatType,_tickSize,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp,duration',
  'MESZ6,-2,0,0.25,101,102,1,6000.00,6001.00,$5.00,11/02/2026 10:00:00,11/02/2026 10:30:00,30min',
].join('\n');

describe('the first import of a user without a time zone', () => {
  test('prints the command that reads the times of its file in another zone', async () => {
    const files = new ImportHome();
    const file = files.file('Performance.csv', ZONELESS);
    const why =
      "times without a zone were read in UTC; if they are of another time zone, such as New York's: journal-api";
    const dry = await run(files.folder, 'import', file, '--dry-run');
    expect(dry.stderr).toContain(`${why} import ${file} --timezone America/New_York`);
    const { stderr } = await run(files.folder, 'import', file);
    expect(stderr).toContain(`${why} import change 1 --timezone America/New_York`);
    expect(stderr).not.toContain('user set me --timezone');
    expect(
      await run(files.folder, 'import', 'change', '1', '--timezone', 'America/New_York'),
    ).toMatchObject({
      code: 0,
    });
    expect(files.rows('SELECT executed_at FROM trades')).toEqual([
      { executed_at: '2026-11-02T15:00:00.000Z' },
    ]);
  });

  test.each<[string, string[], Record<string, string>]>([
    ['with --timezone', ['--timezone', 'America/Chicago'], {}],
    ['of a user with a time zone', [], { timezone: 'Europe/Berlin' }],
  ])('prints none %s', async (_, more, changes) => {
    const files = new ImportHome().withUser('me', changes);
    const { code, stderr } = await run(
      files.folder,
      'import',
      files.file('Performance.csv', ZONELESS),
      ...more,
    );
    expect(code).toBe(0);
    expect(stderr).not.toContain('if they are of another time zone');
  });

  test('prints none for a later import', async () => {
    const files = new ImportHome().withUser();
    files.import(files.lines('trades.jsonl', TRADE));
    files.import(files.file('Performance.csv', ZONELESS));
    const { stderr } = await run(files.folder, 'import', files.path('Performance.csv'));
    expect(stderr).not.toContain('if they are of another time zone');
  });
});

test('an import without init adds a user in UTC, and prints the command that changes the zone', async () => {
  const files = new ImportHome();
  const home = join(temporaryFolder(), 'home');
  const { code, stderr } = await run(home, 'import', files.lines('trades.jsonl', TRADE));
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      '(UTC, USD). Days are those of UTC; to change that: journal-api user set me --timezone ',
    ),
  ]);
  const list = JSON.parse((await run(home, 'user', 'list', '--json')).stdout);
  expect(list).toMatchObject([{ id: 'me', timezone: 'UTC' }]);
  const wrong = await run(home, 'user', 'set', 'me', '--timezone', 'EST');
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('did you mean America/New_York?'),
  ]);
});

test.skipIf(spawnSync('script', ['--version']).status !== 0)(
  'an import without init asks for the time zone at a terminal, until it is one',
  () => {
    const files = new ImportHome();
    const home = join(temporaryFolder(), 'home');
    const path = files.lines('trades.jsonl', TRADE);
    const command = `'${process.execPath}' '${PROGRAM}' import '${path}' --home '${home}'`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      input: 'EST\nAmerica/New_York\n',
      encoding: 'utf8',
    });
    expect(stdout).toContain(
      'What is the time zone of your trading days? [Pacific/Chatham]',
    );
    expect(stdout).toContain('got "EST"; did you mean America/New_York?');
    expect(stdout).toContain('with the user "me" (America/New_York, USD)');
  },
);

test.skipIf(spawnSync('script', ['--version']).status !== 0)(
  'the first import of times without a zone asks at a terminal for the time zone of a user without one',
  () => {
    const files = new ImportHome().withUser();
    const file = files.file('Performance.csv', ZONELESS);
    const typed = (input: string) => {
      const command = `'${process.execPath}' '${PROGRAM}' import '${file}' --home '${files.folder}'`;
      return spawnSync('script', ['-qec', command, '/dev/null'], {
        input,
        encoding: 'utf8',
      }).stdout;
    };
    const first = typed('America/New_York\n');
    expect(first).toContain(
      'The file has times without a zone, and your journal has no time zone yet.',
    );
    expect(first).toContain(
      'What is the time zone of your trading days? [Pacific/Chatham]',
    );
    expect(files.rows('SELECT timezone FROM users')).toEqual([
      { timezone: 'America/New_York' },
    ]);
    expect(files.rows('SELECT executed_at FROM trades')).toEqual([
      { executed_at: '2026-11-02T15:00:00.000Z' },
    ]);
    expect(typed('')).not.toContain('What is the time zone');
  },
);

test('the same records and notes again make no entry in the list of imports', async () => {
  const files = new ImportHome().withUser();
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, '2026-11-02.md'),
    '---\ntype: session\nmood: calm\n---\nGood.',
  );
  const trades = files.lines('trades.jsonl', TRADE);
  for (let n = 0; n < 2; n++) await run(files.folder, 'import', folder, trades);
  const list = JSON.parse((await run(files.folder, 'import', 'list', '--json')).stdout);
  expect(list.map(({ file }: { file: string }) => file)).toEqual([
    basename(folder),
    'trades.jsonl',
  ]);
});

test('import --help lists the formats in columns, and the details with --formats', async () => {
  const { stdout } = await run(temporaryFolder(), 'import', '--help');
  expect(stdout).toContain('--formats shows what to export where');
  expect(stdout).toMatch(/^ {2}binance +\S+ +\S+$/m);
  for (const { name } of KNOWN_FORMATS)
    expect(stdout).toMatch(new RegExp(`^ {2}.*\\b${name}( |$)`, 'm'));
  expect(stdout).not.toContain('choices');
});
