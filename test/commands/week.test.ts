/** `week`: the review of a week, printed, written to a folder, and edited by a script. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { undoImport } from '../../src/edit/undo.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { runHere } from '../program.ts';

class Weeks extends ImportHome {
  constructor() {
    super();
    this.withUser('me', { timezone: 'America/New_York' });
    const worse = {
      id: 't2',
      side: 'short',
      executed_at: '2026-11-04T16:00:00Z',
      closed_at: '2026-11-04T17:00:00Z',
    };
    this.import(this.lines('trades.jsonl', TRADE, { ...TRADE, ...worse }));
  }

  week(...args: string[]) {
    return runHere(['week', ...args, '--home', this.folder]);
  }

  /** Runs shell commands as the editor; $1 is the note. */
  edit(...commands: string[]) {
    const script = this.file('editor.sh', commands.join('\n'));
    const env = { VISUAL: '', EDITOR: `sh ${script}`, TMPDIR: tmpdir() };
    return runHere(['week', '2026-11-06', '--edit', '--home', this.folder], { env });
  }
}

test('week prints the review below its figures', async () => {
  const { stdout, code } = await new Weeks().week('2026-11-06');
  expect(code).toBe(0);
  expect(stdout).toBe(`---
type: week
period_start: 2026-11-02
period_end: 2026-11-08
rating:
mistakes:
---
<!-- figures -->
2 trades, 0.00 USD, 50 % won
- 2026-11-02: 1 trade, +35.00 USD
- 2026-11-04: 1 trade, -35.00 USD
- Best: 2026-11-02 09:30 AAPL long: +35.00 USD
- Worst: 2026-11-04 11:00 AAPL short: -35.00 USD
<!-- end of figures -->

## Summary

## Went well

## Went wrong

## Lesson

## Focus

## Goals

## Next week
`);
});

test('week --edit stores the review in one import that undo reverts, and prints it again', async () => {
  const weeks = new Weeks();
  const before = weeks.everything();
  const lines = `s/^rating:/rating: 4/; s/^## Summary/&\\nQuiet. #fomc/; s/^## Goals/&\\n- [x] two trades/; s/^## Next week/&\\n- wait, then act\\n- stop/`;
  const { stderr } = await weeks.edit(`sed -i '${lines}' "$1"`);
  expect(stderr).toBe(
    '2026-W45.md: rating, goals, next goals; 2 words\n1 added, 0 changed.\n',
  );
  expect(weeks.everything()['weekly-reviews']).toMatchObject([
    {
      ...{
        id: 'week:2026-11-02',
        period_start: '2026-11-02',
        period_end: '2026-11-08',
        rating: 4,
        summary: 'Quiet. #fomc',
      },
      ...{
        goals: [{ text: 'two trades', met: true }],
        next_goals: ['wait, then act', 'stop'],
      },
    },
  ]);
  const after = weeks.everything();
  const { stdout } = await weeks.week('2026-11-02');
  const { files } = weeks.import(weeks.file('review.md', stdout));
  expect(files).toMatchObject([{ added: 0, changed: 0, problems: [] }]);
  expect(weeks.everything()).toEqual(after);
  undoImport(weeks.target);
  expect(weeks.everything()).toEqual(before);
});

test.each([
  [
    'texts like headings',
    { summary: '## Next week\n- x\n<!-- end of figures -->', lesson: '- [x] done' },
  ],
  [
    'lists',
    {
      mistakes: ['a, b'],
      next_goals: ['- x', 'a; b', '', ' "c"'],
      goals: [{ text: '[ ] y', met: null }],
    },
  ],
])('week prints %s so that importing them changes nothing', async (_what, values) => {
  const weeks = new Weeks();
  const own = { id: 'mine', period_start: '2026-11-02', period_end: '2026-11-06' };
  weeks.import(weeks.lines('weekly-reviews.jsonl', { ...own, ...values }));
  const bytes = weeks.hash();
  const { stdout } = await weeks.week('2026-11-04');
  expect(weeks.import(weeks.file('2026-W45.md', stdout)).files).toMatchObject([
    { added: 0, changed: 0, problems: [] },
  ]);
  expect(weeks.hash()).toBe(bytes);
});

test('week --out writes a new note, and leaves an existing one alone', async () => {
  const weeks = new Weeks();
  const out = weeks.path('notes');
  expect((await weeks.week('2026-11-06', '--out', out)).stderr).toBe(
    `${join(out, '2026-W45.md')}: written\n`,
  );
  writeFileSync(join(out, '2026-W45.md'), 'mine');
  expect((await weeks.week('2026-11-06', '--out', out)).stderr).toContain(
    '2026-W45.md is unchanged: it exists',
  );
  expect(readFileSync(join(out, '2026-W45.md'), 'utf8')).toBe('mine');
});

test('week takes the name of a week', async () => {
  const weeks = new Weeks();
  const [named, dated] = [await weeks.week('2026-W45'), await weeks.week('2026-11-04')];
  expect([named.code, named.stdout]).toEqual([0, dated.stdout]);
  expect(named.stdout).toContain('period_start: 2026-11-02');
});

test.each(['soon', '2026-W00', '2025-W53', '2026-W', 'W45'])(
  'week refuses %s',
  async (argument) => {
    const { code, stderr } = await new Weeks().week(argument);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`this_week or last_week; got "${argument}"`),
    ]);
  },
);

test('a note named after a week is its review, with or without properties', () => {
  const weeks = new Weeks();
  weeks.import(weeks.file('2026-W45.md', '## Summary\nFewer trades.\n\nrating:: 4\n'));
  weeks.import(weeks.file('2026-W44.md', '---\nrating: 2\n---\nToo many.\n'));
  expect(weeks.everything()['weekly-reviews']).toMatchObject([
    { period_start: '2026-11-02', summary: 'Fewer trades.', rating: 4 },
    { period_start: '2026-10-26', summary: 'Too many.', rating: 2 },
  ]);
});
