/** What a person sees of texts that hold a terminal's commands: escapes. Records and --json keep them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { visible, widthOf } from '../../src/commands/shared/command.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { runHere } from '../program.ts';

/** Clears the screen, sets the title, hides, moves up, turns the direction. */
const EVIL = '\u001b[2J\u001b]0;x\u0007\u009b8m\u007f\rup\u202egnihton\u2066';
const SHOWN = '\\x1b[2J\\x1b]0;x\\x07\\x9b8m\\x7f\\x0dup\\u202egnihton\\u2066';
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;

test('control characters and marks of direction are shown, and nothing else changes', () => {
  expect(visible(EVIL)).toBe(SHOWN);
  const usual = 'Ärger, 損益 👩‍👩‍👧 שלום\n\t– “quoted”';
  expect(visible(usual)).toBe(usual);
});

test.each([
  ['plain', 5],
  ['Ärger', 5],
  ['A\u0308rger', 5],
  ['損益', 4],
  ['ｶﾀｶﾅ', 4],
  ['한국', 4],
  ['👩‍👩‍👧 ok', 5],
  ['✅', 2],
  ['☀️', 2],
  ['🇩🇪', 2],
  ['±1 – ½', 6],
  ['', 0],
])('%s is as wide as %d columns of a terminal', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('columns are aligned, whatever the characters', async () => {
  const home = new ImportHome();
  home.withUser('jp', { name: '損益の記録' });
  for (const [id, name] of Object.entries({ de: 'Jürgen 👩‍👩‍👧', en: 'A\u0308' }))
    await runHere(['user', 'add', id, '--name', name, '--home', home.folder]);
  const { stdout } = await runHere(['user', 'list', '--home', home.folder]);
  const ends = stdout
    .trimEnd()
    .split('\n')
    .map((line) => widthOf(line.slice(0, line.lastIndexOf('  '))));
  expect([ends.length, new Set(ends).size]).toEqual([4, 1]);
});

class Hostile extends ImportHome {
  constructor() {
    super();
    this.withUser('me', { name: EVIL });
    this.import(
      this.lines('trades.jsonl', {
        ...TRADE,
        account: EVIL,
        setup: EVIL,
        stop_loss: 1e6,
        tags: [EVIL],
      }),
      { as: 'trades' },
    );
    // As earlier versions stored the names of files.
    const name = `trades${EVIL.replaceAll('/', '')}.jsonl`;
    this.write(`UPDATE imports SET file = '${name}'`);
  }

  run(...args: string[]) {
    return runHere([...args, '--home', this.folder]);
  }
}

test.each<[string[], number]>([
  [['user', 'list'], 0],
  [['import', 'list'], 0],
  [['annotate', 't1', '--setup', `${EVIL}2`], 0],
  [['note', EVIL, '--trade', 't1'], 0],
  [['group', 't1', EVIL, '--name', 'x'], 1],
  [['remove', 'trades', EVIL], 1],
  [['fees', 'set', `${EVIL}=1`], 0],
  [['user', 'set', 'me', '--timezone', EVIL], 2],
  [[EVIL], 2],
])('%j prints no control character', async (args, exit) => {
  const { code, stdout, stderr } = await new Hostile().run(...args);
  expect(code).toBe(exit);
  expect(stdout + stderr).toMatch(/\\(x|u00)1b\[2J/);
  expect(stdout + stderr).not.toMatch(OBEYED);
});

test.each([
  [
    'a report',
    'Performance.csv',
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp',
    `EVIL,2,1,1,6800.00,6801.00,$5.00,11/20/2026 09:31:00,11/20/2026 09:30:00`,
    ['--multiplier', 'EVIL=5'],
  ],
  [
    'an error',
    'trades.csv',
    'id,symbol,market,side,status,executed_at,quantity,entry_price',
    'EVIL,A,stock,long,open,EVIL,1,1',
    [],
  ],
  [
    'a draft of a mapping',
    'other.csv',
    'Day EVIL,EVIL,Direction,Size,Price',
    '2026-11-02 10:00,EVIL,EVIL,1,5',
    ['--map', 'new'],
  ],
])(
  '%s quotes cells without control characters',
  async (_what, name, header, row, args) => {
    const home = new Hostile();
    const evil = EVIL.replaceAll(/[;\r]/g, '');
    const path = home.file(name, [header, row].join('\n').replaceAll('EVIL', evil));
    const { stdout, stderr } = await home.run(
      'import',
      path,
      ...args.map((arg) => arg.replace('EVIL', evil)),
    );
    expect(stdout + stderr).toMatch(/\\(x|u00)1b\[2J/);
    expect(stdout + stderr).not.toMatch(OBEYED);
  },
);

test('--json and exports keep every character', async () => {
  const home = new Hostile();
  expect(JSON.parse((await home.run('user', 'list', '--json')).stdout)).toMatchObject([
    { name: EVIL },
  ]);
  await home.run('export', home.path('out'));
  expect(JSON.parse(readFileSync(home.path('out/trades.jsonl'), 'utf8'))).toMatchObject({
    setup: EVIL,
  });
});
