/** A spread is one section of a day's note: its fields and text belong to its group. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { FileReport } from '../../src/import/report/report.ts';
import { userFor } from '../../src/journal-write/open.ts';
import { printedDay, printedWeek, writeNotes } from '../../src/notes/written-notes.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const DAY = '2026-11-02';
const GROUP = {
  id: 'condor',
  name: 'SPY iron condor',
  kind: 'multi_leg',
  strategy: 'iron condor',
  underlying: 'SPY',
  market: 'option',
  status: 'closed',
  opened_at: `${DAY}T10:05:00.000Z`,
  closed_at: `${DAY}T15:00:00.000Z`,
  currency: 'USD',
  initial_risk: 400,
};

/** Bought and sold options of the condor, each with its P&L. */
const LEGS = [
  ['P540', 'long', -20],
  ['P545', 'short', 55],
  ['C560', 'short', 60],
  ['C565', 'long', -15],
] as const;

let home: ImportHome;

beforeEach(() => {
  home = new ImportHome().withUser('me', { timezone: 'UTC' });
  const legs = LEGS.map(([name, side, pnl]) => ({
    ...TRADE,
    id: name,
    group_id: 'condor',
    symbol: `SPY260619${name}`,
    underlying: 'SPY',
    market: 'option',
    side,
    executed_at: GROUP.opened_at,
    closed_at: GROUP.closed_at,
    gross_pnl: pnl,
    fees: 0,
    net_pnl: pnl,
  }));
  const stock = {
    ...TRADE,
    id: 'stock',
    symbol: 'AAPL',
    executed_at: `${DAY}T11:00:00.000Z`,
    closed_at: `${DAY}T12:00:00.000Z`,
  };
  const lines = (all: readonly object[]) =>
    all.map((own) => JSON.stringify(own)).join('\n');
  home.import(home.file('trade-groups.jsonl', lines([GROUP])));
  home.import(home.file('trades.jsonl', lines([...legs, stock])));
});

const printed = () => printedDay(home.journal, userFor(home.journal, 'me'), DAY);

function imported(text: string): FileReport {
  return home.import(home.file(`${DAY}.md`, text)).files[0] as FileReport;
}

/** Imports a text that was edited. */
function edited(edits: (text: string) => string): FileReport {
  const before = printed();
  const file = home.file(`${DAY}.md`, edits(before));
  return home.import(file, { printed: { file, path: file, text: before } })
    .files[0] as FileReport;
}

const headings = (text: string) =>
  text.split('\n').filter((line) => /^#{2,3} \d/.test(line));

describe('a printed note', () => {
  test('has one section for the legs, with their result', () => {
    expect(headings(printed())).toEqual([
      '## 10:05 SPY iron condor <!-- g:condor -->',
      '## 11:00 AAPL long <!-- t:stock -->',
    ]);
    expect(printed()).toContain('-->\nresult:: +80.00 USD, 0.2 R\n');
    // Only a leg has a stop and a target.
    const [group, leg] = printed()
      .split(/^## (?=\d)/m)
      .slice(1);
    expect(group).not.toMatch(/^(stop_loss|take_profit)::/m);
    expect(leg).toMatch(/^stop_loss::\ntake_profit::/m);
  });

  test('has a section below it for each leg with an entry or fields', () => {
    imported('## 10:05 SPY260619P540 long\nstop_loss:: 0.5\nBought too late.\n');
    expect(headings(printed())).toEqual([
      '## 10:05 SPY iron condor <!-- g:condor -->',
      '### 10:05 SPY260619P540 long <!-- t:P540 -->',
      '## 11:00 AAPL long <!-- t:stock -->',
    ]);
  });

  test('is imported without a change, edited, and imported again', () => {
    const before = home.everything();
    expect(imported(printed())).toMatchObject({ added: 0, changed: 0, problems: [] });
    expect(home.everything()).toEqual(before);

    const { problems, notes } = edited((text) =>
      text
        .replace('tags::', 'tags:: income, 45dte')
        .replace('followed_plan::', 'followed_plan:: yes')
        .replace('rules::', 'rules:: sell at 16 delta = yes\n\nSold into the *spike*.\n'),
    );
    expect([problems, notes.filter((line) => line.includes('.md:'))]).toEqual([[], []]);
    expect(home.rows('SELECT tags, initial_risk FROM trade_groups')).toEqual([
      { tags: '["income","45dte"]', initial_risk: 400 },
    ]);
    expect(
      home.rows(
        'SELECT id, group_id, phase, created_at, body, followed_plan FROM group_journals',
      ),
    ).toEqual([
      {
        id: 'day:condor',
        group_id: 'condor',
        phase: 'post_trade',
        created_at: GROUP.closed_at,
        body: 'Sold into the *spike*.',
        followed_plan: 1,
      },
    ]);
    expect(home.rows('SELECT id FROM trade_journals')).toEqual([]);

    const after = home.everything();
    expect(imported(printed())).toMatchObject({ added: 0, changed: 0, problems: [] });
    expect(home.everything()).toEqual(after);
  });

  test('loses its section, and the group what was in it', () => {
    edited((text) => text.replace('tags::', 'tags:: income\nmistakes:: held too long'));
    const { problems } = edited((text) =>
      text.replace(/## 10:05[\s\S]*?(?=## 11:00)/, ''),
    );
    expect(problems).toEqual([]);
    expect(home.rows('SELECT tags, initial_risk FROM trade_groups')).toEqual([
      { tags: '[]', initial_risk: null },
    ]);
    expect(home.rows('SELECT mistakes FROM group_journals')).toEqual([]);
    expect(
      home.rows('SELECT count(*) AS legs FROM trades WHERE group_id IS NOT NULL'),
    ).toEqual([{ legs: 4 }]);
  });
});

describe('a note in own words', () => {
  test.each([
    ['## 10:05 SPY iron condor', 'Held to the end.'],
    ['## 10:07 Iron condor in SPY', 'Iron condor in\nHeld to the end.'],
    ['## 10:05 SPY', 'Held to the end.'],
    ['## 10:05 short iron condor SPY', 'Held to the end.'],
  ])('%s is about the group', (heading, body) => {
    const { problems } = imported(`${heading}\nTags: income\nHeld to the end.\n`);
    expect(problems).toEqual([]);
    expect(home.rows('SELECT body FROM group_journals')).toEqual([{ body }]);
    expect(home.rows('SELECT tags FROM trade_groups')).toEqual([{ tags: '["income"]' }]);
  });

  test('a heading with a side or an option is about a leg, or asks for one', () => {
    expect(imported('## 10:05 SPY260619C560 short\nSold.\n').problems).toEqual([]);
    expect(home.rows('SELECT trade_id FROM trade_journals')).toEqual([
      { trade_id: 'C560' },
    ]);
    expect(imported('## 10:05 SPY short\nSold.\n').problems).toMatchObject([
      {
        message: expect.stringContaining('there are 2 trades in SPY at 2026-11-02 10:05'),
      },
    ]);
  });

  test('a heading with an option, without its side, is about that leg', () => {
    expect(imported('## 10:05 SPY260619P540\nBought.\n').problems).toEqual([]);
    expect(home.rows('SELECT trade_id FROM trade_journals')).toEqual([
      { trade_id: 'P540' },
    ]);
    expect(home.rows('SELECT id FROM group_journals')).toEqual([]);
  });

  test('a stop and a target are named, and stay in the text', () => {
    const text =
      '## 10:05 SPY iron condor\nStop: 540.5\ntake_profit:: 1.2\nRisk: 1%\nSold early.\n';
    const { problems, read_back } = imported(text);
    expect(problems).toMatchObject([
      { line: 4, message: expect.stringContaining('balance') },
    ]);
    const has = 'a position of several legs has no';
    expect(read_back?.[0]?.stayed_text).toEqual([
      { line: 2, text: 'Stop: 540.5', reason: `${has} stop_loss; write it below a leg` },
      {
        line: 3,
        text: 'take_profit:: 1.2',
        reason: `${has} take_profit; write it below a leg`,
      },
    ]);
    expect(read_back?.[0]?.trades).toMatchObject([
      { id: 'condor', name: '10:05 SPY iron condor' },
    ]);
    expect(home.rows('SELECT body FROM group_journals')).toEqual([
      { body: 'Sold early.\nStop: 540.5\ntake_profit:: 1.2' },
    ]);
    const before = home.everything();
    expect(imported(printed())).toMatchObject({ problems: [] });
    expect(home.everything()).toEqual(before);
  });

  test('two sections of one group are a problem, as is an unknown id', () => {
    expect(
      imported('## 10:05 SPY\na\n## 10:06 SPY iron condor\nb\n').problems,
    ).toMatchObject([
      {
        line: 3,
        message: expect.stringContaining('trade group condor already has a section at'),
      },
    ]);
    const { problems, read_back } = imported(
      '## 09:00 QQQ iron condor <!-- g:other -->\na\n',
    );
    expect([problems, read_back?.[0]?.stayed_text]).toMatchObject([
      [],
      [{ line: 1, reason: expect.stringContaining('the journal has no trade in QQQ') }],
    ]);
  });

  test('a result that differs from that of the legs is named', () => {
    const { notes } = imported('## 10:05 SPY iron condor\nP&L: 95\nr:: 0.2\n');
    expect(notes.filter((line) => line.includes('by the fills'))).toEqual([
      expect.stringContaining('2: net_pnl is 95 in the note but 80 by the fills'),
    ]);
  });
});

test('a folder of notes gets the section, unless the note has sections for legs', () => {
  const user = userFor(home.journal, 'me');
  const folder = home.path('notes');
  home.file('notes.txt', '');
  const [first] = writeNotes(home.journal, user, [DAY], folder);
  expect(first).toMatchObject({ trades: 2, isNew: true });
  expect(writeNotes(home.journal, user, [DAY], folder)).toMatchObject([{ trades: 0 }]);

  const legs = home.path('legs');
  writeNotes(home.journal, user, [], legs);
  home.file(
    `legs/${DAY}.md`,
    `---\ntype: day\ndate: ${DAY}\n---\n## 10:05 SPY260619P540 long\n`,
  );
  expect(writeNotes(home.journal, user, [DAY], legs)).toMatchObject([{ trades: 1 }]);
});

test('a week counts the legs as one, and names the spread', () => {
  const text = printedWeek(home.journal, userFor(home.journal, 'me'), DAY);
  expect(text).toContain(`- ${DAY}: 2 trades, `);
  expect(text).toContain('2026-11-02 10:05 SPY iron condor: +80.00 USD, 0.2 R');
});
