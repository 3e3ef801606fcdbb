/** `day`: notes printed, written to a folder, and edited by a script. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { undoImport } from '../../src/edit/undo.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { runHere } from '../program.ts';

const DAY = '2026-11-02';

class Days extends ImportHome {
  constructor() {
    super();
    this.withUser('me', { timezone: 'America/New_York' });
    const later = {
      ...TRADE,
      id: 't2',
      symbol: 'MSFT',
      side: 'short',
      executed_at: '2026-11-02T16:00:00Z',
      closed_at: '2026-11-02T17:00:00Z',
    };
    this.import(
      this.lines('trades.jsonl', { ...TRADE, setup: 'ORB' }, later, {
        ...later,
        id: 't3',
        executed_at: '2026-11-05T16:00:00Z',
        closed_at: '2026-11-05T17:00:00Z',
      }),
    );
  }

  day(...args: string[]) {
    return runHere(['day', ...args, '--home', this.folder]);
  }

  /** Runs shell commands as the editor; $1 is the note. */
  edit(...commands: string[]) {
    return this.editAs({ EDITOR: `sh ${this.file('editor.sh', commands.join('\n'))}` });
  }

  editAs(env: Record<string, string>) {
    return runHere(['day', DAY, '--edit', '--home', this.folder], {
      env: { VISUAL: '', EDITOR: '', TMPDIR: tmpdir(), ...env },
    });
  }

  /** Files that keep typed text, the oldest first. */
  kept() {
    return readdirSync(this.folder)
      .filter((name) => name.startsWith('not-imported-'))
      .sort()
      .map((name) => this.path(name));
  }
}

const leftBehind = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('journal-api-note-'));

test('a trade with a date but no time has no time in its heading, and is found by it', async () => {
  const home = new Days();
  const at = '2026-11-03T05:00:00Z';
  home.import(
    home.lines('trades.jsonl', {
      ...TRADE,
      id: 't4',
      executed_at: at,
      closed_at: at,
      has_time: false,
    }),
  );
  const { stdout } = await home.day('2026-11-03');
  expect(stdout).toContain('\n## AAPL long <!-- t:t4 -->\n');
  home.import(
    home.file(
      '2026-11-03.md',
      stdout.replace('setup:: ORB', 'setup::').replace('rating::', 'rating:: 4'),
    ),
  );
  expect(home.rows("SELECT rating FROM trades WHERE id = 't4'")).toEqual([{ rating: 4 }]);
});

test('day prints the note of a day', async () => {
  const { stdout, code } = await new Days().day(DAY);
  expect(code).toBe(0);
  expect(stdout).toBe(`---
type: day
date: 2026-11-02
mood:
energy:
sleep_hours:
tags:
---
## Plan

## 09:30 AAPL long <!-- t:t1 -->
result:: +35.00 USD
setup:: ORB
stop_loss::
take_profit::
risk::
tags::
mistakes::
rating::
emotions::
followed_plan::
rules::

## 11:00 MSFT short <!-- t:t2 -->
result:: -35.00 USD
setup::
stop_loss::
take_profit::
risk::
tags::
mistakes::
rating::
emotions::
followed_plan::
rules::

## Went well

## Went wrong

## Lesson

## Missed trades
`);
});

test('day --out writes a note per day with trades, and appends missing sections to existing notes', async () => {
  const days = new Days();
  const out = days.path('notes');
  mkdirSync(out);
  const own = '# My Monday\r\n\r\n## 9:31 AM AAPL long\r\nsetup:: Own\r\n\r\nText  \r\n';
  writeFileSync(join(out, `${DAY}.md`), own);
  const { stderr } = await days.day('--period', '2026-11', '--out', out);
  expect(stderr.replaceAll(out, '')).toBe(
    `/${DAY}.md: 1 trade added\n/2026-11-05.md: 1 trade written\n`,
  );
  const text = readFileSync(join(out, `${DAY}.md`), 'utf8');
  expect(text.startsWith(own)).toBe(true);
  expect(text.slice(own.length)).toMatch(
    /^\n## 11:00 MSFT short <!-- t:t2 -->\nresult:: -35\.00 USD\nsetup::\n/,
  );
  expect((await days.day('--period', '2026-11', '--out', out)).stderr).toBe('');
  expect(readFileSync(join(out, `${DAY}.md`), 'utf8')).toBe(text);
  const [report] = days.import(out).files;
  expect(report).toMatchObject({ added: 2, changed: 1, problems: [] });
  expect(days.everything()['trades']).toMatchObject([
    {},
    { setup: null },
    { setup: 'Own' },
  ]);
});

test("day --out makes a folder that other users can't change, whatever the umask", async () => {
  const days = new Days();
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  await days.day(DAY, '--out', days.path('vault/notes'));
  const modes = ['vault', 'vault/notes', `vault/notes/${DAY}.md`].map(
    (made) => statSync(days.path(made)).mode & 0o777,
  );
  expect(modes).toEqual([0o755, 0o755, 0o600]);
});

test('day --out updates results of its own form only, and not another byte', async () => {
  const days = new Days();
  const out = days.path('notes');
  mkdirSync(out);
  const head = '\ufeff# Mine\r\n';
  const own = [
    ...[
      '## 9:30 AAPL long <!-- t:t1 -->\r',
      'result:: +1.00 USD, 0.5 R\r',
      'result:: +1.00 USD',
      '```',
      'result::',
      '```',
      'Text  ',
    ],
    ...['## 11:00 MSFT short <!-- t:t2 -->', 'result:: a loss', '## x', 'result::', ''],
  ];
  writeFileSync(join(out, `${DAY}.md`), head + own.join('\n'));
  const { stderr } = await days.day(DAY, '--out', out);
  expect(stderr.replaceAll(out, '')).toBe(
    `/${DAY}.md: result of t1: +1.00 USD, 0.5 R is now +35.00 USD\n`,
  );
  expect(readFileSync(join(out, `${DAY}.md`), 'utf8')).toBe(
    head + own.with(1, 'result:: +35.00 USD\r').join('\n'),
  );
  expect((await days.day(DAY, '--out', out)).stderr).toBe('');
});

test('day prints missed trades, which --edit changes', async () => {
  const days = new Days();
  const missed = {
    id: 'x',
    missed_at: '2026-11-02T15:00:05Z',
    symbol: 'ES',
    market: 'future',
    side: 'long',
    miss_type: 'away',
  };
  days.import(
    days.lines('missed-trades.jsonl', { ...missed, notes: 'Lunch. ## no heading' }),
  );
  expect((await days.day(DAY)).stdout).toContain(
    '\n## Missed trades\n\n### 10:00:05 ES long\nsetup::\nreason::\nmiss_type:: away\n',
  );
  expect(
    (await days.edit(`sed -i 's/^miss_type:: away/miss_type:: other/' "$1"`)).stderr,
  ).toBe(
    '2026-11-02.md: AAPL (1 field), MSFT; 1 missed trade; 3 words\n' +
      'replaced miss_type of missed trade x: "away" is now "other"\n0 added, 1 changed.\n',
  );
  expect(days.everything()['missed-trades']).toMatchObject([
    { id: 'x', miss_type: 'other', notes: 'Lunch. ## no heading' },
  ]);
});

test('day --out skips links and notes that can take no section', async () => {
  const days = new Days();
  const out = days.path('notes');
  mkdirSync(out);
  symlinkSync(days.file('elsewhere.md', 'mine'), join(out, '2026-11-05.md'));
  writeFileSync(join(out, `${DAY}.md`), '```\nopen code');
  const { stderr } = await days.day('--period', '2026-11', '--out', out);
  expect(stderr.replaceAll(out, '')).toBe(
    `/${DAY}.md is unchanged: sections can't be added at its end; correct the note\n/2026-11-05.md is unchanged: it isn't a regular file\n`,
  );
  expect(readFileSync(days.path('elsewhere.md'), 'utf8')).toBe('mine');
});

test('day --edit stores the changes in one import that undo reverts', async () => {
  const days = new Days();
  const before = days.everything();
  const { code, stderr } = await days.edit(
    `sed -i 's/^mood:.*/mood: calm/; /t:t2/,$ s/^setup::/setup:: Fade/' "$1"`,
  );
  expect([code, stderr]).toEqual([
    0,
    '2026-11-02.md: AAPL, MSFT (1 field each); mood\n1 added, 1 changed.\n',
  ]);
  expect(days.everything()).toMatchObject({
    sessions: [{ date: DAY, mood: 'calm' }],
    trades: [{}, { id: 't2', setup: 'Fade' }, { id: 't1', setup: 'ORB' }],
    'trade-journals': [],
  });
  expect(
    days.rows('SELECT file, resource FROM imports ORDER BY id DESC LIMIT 1'),
  ).toEqual([{ file: `${DAY}.md`, resource: 'days' }]);
  undoImport(days.target);
  expect(days.everything()).toEqual(before);
  expect(leftBehind()).toEqual([]);
});

/** A script that changes the journal as another program does, while the editor is open. */
function programThat(days: Days, sql: string): string {
  days.file(
    'write.mjs',
    `import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))}; new Database(${JSON.stringify(days.journal)}).exec(${JSON.stringify(sql)});`,
  );
  return `${process.execPath} ${days.path('write.mjs')}`;
}

test('day --edit counts only changes to the printed note', async () => {
  const days = new Days();
  const theirs = programThat(days, `UPDATE trades SET setup = 'Theirs' WHERE id = 't1'`);
  const { stderr } = await days.edit(theirs, `sed -i 's/^rating::$/rating:: 4/' "$1"`);
  expect(stderr).toBe(
    '2026-11-02.md: AAPL (2 fields), MSFT (1 field)\n0 added, 2 changed.\n',
  );
  expect(days.everything()['trades']).toMatchObject([
    {},
    { rating: 4 },
    { setup: 'Theirs', rating: 4 },
  ]);
});

test('day --edit deletes what is deleted, and names it', async () => {
  const days = new Days();
  const before = days.everything();
  const { code, stderr } = await days.edit(`sed -i '/^setup:: ORB$/d' "$1"`);
  expect([code, stderr]).toEqual([
    0,
    '2026-11-02.md: AAPL, MSFT\nremoved setup of trade t1: "ORB"\n0 added, 1 changed.\n',
  ]);
  expect(days.everything()['trades']).toMatchObject([{}, {}, { id: 't1', setup: null }]);
  undoImport(days.target);
  expect(days.everything()).toEqual(before);
});

test('day --edit refuses a field that changed meanwhile, stores the others and keeps the text', async () => {
  const days = new Days();
  const theirs = programThat(days, `UPDATE trades SET setup = 'Theirs' WHERE id = 't1'`);
  const { code, stderr } = await days.edit(
    theirs,
    `sed -i 's/^setup:: ORB/setup:: Fade/; s/^mood:/mood: calm/' "$1"`,
  );
  const [kept] = days.kept() as [string];
  const words = [
    ...[
      '1 added, 0 changed.',
      'journal-api: setup of trade t1 changed while the note was open:',
    ],
    ...[
      'it was "ORB" and is now "Theirs"; "Fade" wasn\'t stored',
      'edit the note again',
      kept,
    ],
  ];
  for (const own of words) expect(stderr).toContain(own);
  expect([code, stderr.endsWith(`\n${kept}\n`)]).toEqual([1, true]);
  expect(readFileSync(kept, 'utf8')).toContain('\nsetup:: Fade\n');
  expect(days.everything()).toMatchObject({
    trades: [{}, {}, { setup: 'Theirs' }],
    sessions: [{ mood: 'calm' }],
  });
});

test('day --edit shows errors at their lines until they are fixed', async () => {
  const days = new Days();
  const seen = days.path('seen.md');
  const { code, stderr } = await days.edit(
    `if grep -q 'error:' "$1"; then cp "$1" ${seen}; sed -i 's/^rating:: 9/rating:: 3/' "$1"; else sed -i '0,/^rating::$/s//rating:: 9/' "$1"; fi`,
  );
  expect([code, stderr]).toEqual([
    0,
    'line 19: rating: must be 1 to 5, a fraction such as 6/10, a letter or stars; got "9"\n' +
      '2026-11-02.md: AAPL (2 fields), MSFT\n0 added, 1 changed.\n',
  ]);
  expect(readFileSync(seen, 'utf8')).toContain(
    '\n<!-- error: rating: must be 1 to 5, a fraction such as 6/10, a letter or stars; got "9" -->\nrating:: 9\n',
  );
  expect(days.everything()['trades']).toMatchObject([
    {},
    { rating: null },
    { rating: 3 },
  ]);
});

test.each<[string, string[], string, number]>([
  [
    'the editor fails',
    ['echo "mood:: x" >> "$1"', 'exit 3'],
    'failed; nothing changed',
    1,
  ],
  ['the note is unchanged', ['true'], 'The note is unchanged.', 0],
  [
    'an error is never fixed',
    [`grep -q 'error:' "$1" || sed -i 's/^energy:.*/energy: nine/' "$1"`],
    'the note still has errors; nothing changed',
    1,
  ],
])('day --edit changes nothing if %s', async (_what, commands, words, exit) => {
  const days = new Days();
  const bytes = days.hash();
  const { code, stderr } = await days.edit(...commands);
  expect([code, stderr]).toEqual([exit, expect.stringContaining(words)]);
  expect(days.hash()).toBe(bytes);
  expect(leftBehind()).toEqual([]);
});

test('day --edit keeps the text of each failed edit in a file of its own, whose path is the last line', async () => {
  const days = new Days();
  const { stderr } = await days.edit(
    `grep -q 'error:' "$1" || sed -i 's/^energy:.*/energy: nine/' "$1"`,
  );
  const [first] = days.kept() as [string];
  expect(stderr).toContain(
    'journal-api: the note still has errors; nothing changed; your text is in\n',
  );
  expect(stderr.endsWith(`\n${first}\n`)).toBe(true);
  expect(first).toMatch(/not-imported-2026-11-02-at-\d{8}T\d{9}Z\.md$/);
  const text = readFileSync(first, 'utf8');
  expect(text).toContain('\nenergy: nine\n');
  expect(text).not.toContain('<!-- error');
  expect(statSync(first).mode & 0o777).toBe(0o600);

  // The second round loses what the first one had.
  const again = await days.edit(
    `grep -q 'error:' "$1" && : > "$1"; sed -i 's/^energy:.*/energy: ten/' "$1"`,
  );
  expect(again.stderr).toContain('the note is empty; nothing changed');
  expect(readFileSync(first, 'utf8')).toBe(text);
  expect(days.kept()).toEqual([first, expect.any(String)]);
  expect(again.stderr.endsWith(`\n${days.kept()[1]}\n`)).toBe(true);
  expect(readFileSync(days.kept()[1] as string, 'utf8')).toContain('\nenergy: ten\n');

  await days.edit(`sed -i 's/^energy:.*/energy: 4/' "$1"`);
  expect(days.kept()).toHaveLength(2);
  expect(leftBehind()).toEqual([]);
});

test('day --edit ends at once if the journal takes nothing, and keeps the text', async () => {
  const days = new Days();
  const { code, stderr } = await days.edit(
    `sed -i 's/^mood:.*/mood: calm/' "$1"`,
    `dd if=/dev/zero of=${days.journal} bs=100 count=1 conv=notrunc 2>/dev/null`,
  );
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^journal-api: the journal .*; your text is in\n.*\n$/),
  ]);
  expect(readFileSync(days.kept()[0] as string, 'utf8')).toContain('\nmood: calm\n');
});

test('day --edit keeps the text of an editor that saved in an older encoding', async () => {
  const days = new Days();
  const { code } = await days.edit(`sed -i 's/^mood:.*/mood: caf\xe9/' "$1"`);
  expect([code, days.everything()['sessions']]).toEqual([
    0,
    [expect.objectContaining({ mood: 'café' })],
  ]);
});

test.each([
  [['nano', 'vi'], 'nano'],
  [['vi'], 'vi'],
])(
  'without VISUAL and EDITOR, and with %j installed, day --edit opens %s',
  async (installed, opened) => {
    const days = new Days();
    const bin = days.path('bin');
    mkdirSync(bin);
    for (const name of installed) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\n/bin/sed -i 's/^mood:.*/mood: ${name}/' "$1"\n`,
        {
          mode: 0o755,
        },
      );
    }
    expect((await days.editAs({ PATH: bin })).stderr).toBe(
      '2026-11-02.md: AAPL (1 field), MSFT; mood\n1 added, 0 changed.\n',
    );
    expect(days.everything()['sessions']).toMatchObject([{ mood: opened }]);
  },
);

test('day --edit without any editor names the variables to set', async () => {
  const { code, stderr } = await new Days().editAs({ PATH: '' });
  expect([code, stderr]).toEqual([
    1,
    'journal-api: no editor; set VISUAL or EDITOR, such as EDITOR=nano\n',
  ]);
});

test.each([
  [['--edit', '--out', 'x'], '--edit takes one day; remove --out and --period'],
  [['--period', 'last_week'], '--period needs --out and no date'],
  [['--period', 'wibble', '--out', 'x'], '--period takes a period such as last_week'],
  [['2026-02-30'], 'the day must be a date, such as 2026-11-20; got "2026-02-30"'],
])('day %j is wrong usage', async (args, words) => {
  const { code, stderr } = await new Days().day(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});
