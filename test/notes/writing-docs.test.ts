/** Imports the notes in docs/writing.md. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ImportHome, TRADE } from '../import/home.ts';

const page = readFileSync(new URL('../../docs/writing.md', import.meta.url), 'utf8');
const [whole = '', other = '', ...more] = [
  ...page.matchAll(/```markdown\n([\s\S]*?)```/g),
].map(([, note]) => note as string);

const FUTURE = {
  ...TRADE,
  market: 'future',
  side: 'short',
  entry_price: 25_280,
  exit_price: 25_270,
  multiplier: 2,
};
const at = (time: string) => ({
  executed_at: `2026-11-20T${time}Z`,
  closed_at: '2026-11-20T20:00:00Z',
});

function imported(note: string) {
  const home = new ImportHome().withUser();
  const mgc = {
    ...FUTURE,
    ...at('10:25:42'),
    id: 'gold',
    symbol: 'MGCG7',
    underlying: 'MGC',
    entry_price: 4214.6,
    exit_price: 4216.2,
  };
  home.import(
    home.lines(
      'trades.jsonl',
      { ...FUTURE, ...at('09:41:10'), id: 'nasdaq', symbol: 'MNQZ6', underlying: 'MNQ' },
      mgc,
    ),
  );
  const [report] = home.import(home.file('2026-11-20.md', note)).files;
  expect(report?.problems).toEqual([]);
  return home.everything();
}

test('the page has these two notes', () => {
  expect([
    more.length,
    whole.includes('type: day'),
    other.includes('## Missed trades'),
  ]).toEqual([0, true, true]);
});

test('a day note becomes a session, fields of a trade, and its journal entry', () => {
  expect(imported(whole)).toMatchObject({
    sessions: [
      {
        ...{
          date: '2026-11-20',
          mood: 'calm',
          energy: 4,
          sleep_hours: 7.5,
          tags: ['opex'],
        },
        plan: 'Short the opening range if it fails.',
        goals: [
          { text: 'wait for the retest', met: true },
          { text: 'two trades at most', met: false },
        ],
        review: {
          went_well: 'Held the gold short.',
          went_wrong: 'Added to the first one.',
          lesson: 'One entry, one stop.',
        },
      },
    ],
    trades: [
      { id: 'gold', setup: null },
      {
        id: 'nasdaq',
        setup: 'Failed breakout',
        stop_loss: 25290,
        initial_risk: 74,
        rating: 2,
      },
    ],
    'trade-journals': [
      {
        trade_id: 'nasdaq',
        followed_plan: false,
        emotions: ['impatient'],
        body: 'Doubled before the bar had closed.',
      },
    ],
  });
});

test('rows, bullets, goals and missed trades are read as documented', () => {
  const { sessions, trades, ...rest } = imported(other);
  expect(sessions).toMatchObject([
    {
      market_context: { bias: 'short into the close' },
      goals: [{ text: 'Stop placed at once', met: true }],
    },
  ]);
  expect(trades).toMatchObject([
    { id: 'gold', tags: ['fomo'] },
    { id: 'nasdaq', setup: 'Fade', stop_loss: 25290 },
  ]);
  expect(rest['trade-journals']?.map(({ trade_id }) => trade_id).sort()).toEqual([
    'gold',
    'nasdaq',
  ]);
  expect(rest['missed-trades']).toMatchObject([
    {
      symbol: 'ES',
      planned_entry: 6850,
      planned_stop: 6856,
      planned_target: 6835,
      miss_type: 'away',
    },
  ]);
});

test.each(
  page
    .match(/```text\n([\s\S]*?)```/)?.[1]
    ?.trim()
    .split('\n') ?? [],
)('%s is a field', (line) => {
  const head = line.startsWith('|') ? '| Field | Value |\n|---|---|\n' : '';
  expect(
    imported(`---\ntype: day\n---\n## 09:41 MNQ short\n${head}${line}\n`)['trades']?.[1],
  ).toMatchObject({
    setup: 'ORB',
  });
});
