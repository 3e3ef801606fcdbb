/**
 * Sixteen vaults in the forms that traders write, with words and fills of our own, compared with
 * expected records.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ImportHome } from '../import/home.ts';

const NOTES = fileURLToPath(new URL('../fixtures/notes', import.meta.url));
const CSV = join(NOTES, 'Performance.csv');
const MNQ = 'tradovate:MNQZ5:10000000';
const MGC = 'tradovate:MGCG6:10000000';

type Rows = Record<string, unknown>[];
interface Expected {
  sessions?: Rows;
  /** Expected fields of trades, by id. */
  trades?: Record<string, object>;
  /** Entries by trade. */
  entries?: Record<string, object>;
  missed?: Rows;
  /** Expected parts of messages. */
  said?: string[];
}

const review = (own: object) => expect.objectContaining(own);
const rule = (text: string, followed: boolean) => ({ rule: text, followed });

const VAULTS: [string, Expected][] = [
  [
    '01-contract-form',
    {
      sessions: [
        {
          ...{
            date: '2025-12-01',
            mood: 'calm',
            energy: 4,
            sleep_hours: 7.5,
            tags: ['nfp-week'],
          },
          plan: 'Short the opening range if it fails.',
          goals: [
            { text: 'wait for the retest', met: null },
            { text: 'two trades at most', met: null },
          ],
          market_context: review({ bias: 'bearish' }),
          review: review({
            ...{
              went_well: 'Held the gold short.',
              went_wrong: 'Added to the first one.',
            },
            lesson: 'One entry, one stop.',
          }),
        },
      ],
      trades: {
        [`${MNQ}0701`]: {
          ...{
            setup: 'Failed breakout',
            stop_loss: 25290,
            initial_risk: 74,
            tags: ['news', 'first-hour'],
          },
          ...{ mistakes: ['added to a loser'], rating: 2 },
        },
        [`${MGC}0850`]: { setup: 'Trend pullback', rating: null },
      },
      entries: {
        [`${MNQ}0701`]: {
          ...{ phase: 'post_trade', emotions: ['impatient'], followed_plan: false },
          rules: [rule('wait for the close', false), rule('stop in the book', true)],
          body: 'Doubled before the bar had closed.',
        },
        [`${MGC}0850`]: { followed_plan: true },
      },
    },
  ],
  [
    '02-symbol-first-12h',
    {
      sessions: [
        {
          date: '2025-12-02',
          review: review({
            went_well: '- Stopped after the third',
            went_wrong:
              '- Over traded after the close\n- Took the other side out of anger',
            lesson: '- A late low is no entry',
          }),
          goals: [],
          notes: expect.stringMatching(
            /News & Summary[\s\S]*### MGC[\s\S]*Set a daily loss limit/,
          ),
        },
      ],
      trades: {
        [`${MGC}1013`]: { setup: 'VWAP bounce' },
        [`${MGC}1110`]: { tags: ['revenge'] },
      },
      entries: {
        [`${MGC}1013`]: {
          went_well: '- Small size',
          went_wrong: '- No confirmation',
          attachments: [],
        },
        [`${MGC}1066`]: { body: 'Sold the low of the day.' },
        [`${MGC}1110`]: {},
      },
    },
  ],
  [
    '03-trade-n-bold-bullets',
    {
      sessions: [
        {
          date: '2025-12-03',
          market_context: review({
            bias: 'Bearish below 25,700',
            condition: 'Trend day down',
          }),
          review: review({
            went_well: 'waited for the second test',
            went_wrong: 'one trade out of boredom',
          }),
        },
      ],
      trades: {
        [`${MNQ}1176`]: { setup: 'ORB failure', stop_loss: 25690, take_profit: 25600 },
        [`${MNQ}1270`]: { setup: 'Scalp', mistakes: ['no plan', 'bored'] },
        [`${MNQ}1312`]: { setup: 'Double bottom', stop_loss: 25455, rating: 5 },
      },
      entries: {
        [`${MNQ}1176`]: { emotions: ['Calm', 'patient'], lesson: 'Scale out later.' },
        [`${MNQ}1270`]: {},
        [`${MNQ}1312`]: { followed_plan: true, body: 'Half off at the first target.' },
      },
    },
  ],
  [
    '04-one-file-many-days',
    {
      sessions: [
        {
          date: '2025-12-05',
          review: review({ lesson: 'The second try needs a new reason.' }),
        },
        { date: '2025-12-04', review: review({ lesson: 'Do not trade tired.' }) },
      ],
      trades: {
        [`${MGC}1732`]: {
          setup: 'Pullback',
          stop_loss: 4252,
          take_profit: 4262,
          initial_risk: null,
        },
        [`${MGC}1781`]: { setup: 'Pullback', stop_loss: 4253.5 },
      },
      entries: {
        [`${MGC}1732`]: {
          emotions: ['Confident'],
          followed_plan: true,
          body: 'Stopped a bit early.',
        },
        [`${MGC}1781`]: { emotions: ['FOMO'], followed_plan: false },
      },
      said: ['TRADE-JOURNAL.md:50: risk: 0.5 % needs a starting balance'],
    },
  ],
  [
    '05-table-row-a-trade',
    {
      sessions: [
        {
          date: '2025-12-08',
          // The row without a time or number stays, too.
          notes: expect.stringMatching(
            /^\| # [\s\S]*\| never reached the level \|\n[\s\S]*Should have stopped after the second\.$/,
          ),
          market_context: review({ bias: 'short into the close' }),
        },
      ],
      trades: {
        [`${MNQ}1818`]: { setup: 'Fade VAH', stop_loss: 25820, take_profit: 25780 },
        [`${MNQ}1878`]: { setup: 'Fade VAH', stop_loss: 25845, take_profit: 25800 },
        [`${MNQ}1908`]: { setup: 'Breakdown', stop_loss: 25824, take_profit: null },
      },
      entries: {
        [`${MNQ}1818`]: { body: 'out too early' },
        [`${MNQ}1878`]: {
          body: 'second try\n\nSame level as before, without a new reason.',
        },
        [`${MNQ}1908`]: {
          body: expect.stringMatching(
            /^chased, tilt[\s\S]*in the red\. !\[\[2025-12-08 MNQ 3\.png/,
          ),
        },
      },
      missed: [],
    },
  ],
  [
    '06-bullets',
    {
      sessions: [
        {
          date: '2025-12-09',
          review: review({ lesson: 'no trade before 8' }),
          sleep_hours: null,
        },
      ],
      trades: {
        [`${MGC}1951`]: { tags: ['pre-market'] },
        [`${MGC}2018`]: { tags: ['fomo', 'chased'] },
      },
      entries: {
        [`${MGC}1951`]: {},
        [`${MGC}2018`]: { body: expect.stringContaining('no retest, just sold') },
        [`${MGC}2074`]: {},
      },
    },
  ],
  [
    '07-callouts',
    {
      sessions: [
        {
          ...{ date: '2025-12-04', tags: ['journal', 'trading'] },
          review: review({
            went_well: 'Took the first one off at cost.',
            lesson: 'Late breakouts in gold fail.',
          }),
          notes: 'Rule of the day\nNothing before the first hour is over.',
        },
      ],
      trades: {
        [`${MGC}1551`]: {
          setup: 'Breakout',
          mistakes: ['chased', 'size too big'],
          stop_loss: 4239.5,
        },
      },
      entries: {
        [`${MGC}1437`]: { body: expect.stringMatching(/^[^>]/) },
        [`${MGC}1551`]: {
          rules: [rule('Setup matches plan', false), rule('Stop placed at once', true)],
          body: 'Five lots into the close.',
        },
      },
    },
  ],
  [
    '08-trade-note-vault',
    {
      trades: {
        [`${MGC}1128`]: {
          ...{
            setup: 'ICT 2022 Model',
            timeframe: 'M5',
            stop_loss: 4253,
            take_profit: 4244,
            rating: 3,
          },
          mistakes: ['04 - Mistake - FOMO Entry', '09 - Mistake - Wrong daily bias'],
        },
      },
      entries: {
        [`${MGC}1128`]: {
          ...{ confidence: 3, emotions: ['Anxious'], lesson: 'Wait for the sweep.' },
          rules: [
            ...[rule('Daily bias is clear', false), rule('Displacement', true)],
            ...[rule('Market structure shift', true), rule('No FOMO', false)],
          ],
        },
      },
    },
  ],
  [
    '09-trade-note-kebab',
    {
      trades: {
        [`${MNQ}1595`]: {
          ...{
            setup: 'Overnight range',
            stop_loss: 25660,
            take_profit: 25600,
            tags: ['trade'],
            rating: 4,
          },
        },
      },
      entries: {
        [`${MNQ}1595`]: {
          ...{
            went_well: 'Built up in parts at the high.',
            went_wrong: 'Out before the target.',
          },
          lesson: 'Leave one on.',
        },
      },
    },
  ],
  [
    '10-journalit',
    {
      trades: {
        [`${MNQ}1176`]: {
          ...{
            setup: 'ORB failure',
            mistakes: ['Cut Winner Early'],
            stop_loss: 25690,
            take_profit: 25600,
          },
          ...{ initial_risk: 480, tags: ['trend-day'] },
        },
      },
      entries: {
        [`${MNQ}1176`]: {
          ...{ went_well: 'Waiting for the close.', lesson: 'Leave a runner.' },
          attachments: [
            { url: 'https://www.tradingview.com/x/AbCd1234/', caption: null },
          ],
          body: expect.stringMatching(
            /^Failed break of the opening range\.(?![\s\S]*<!--)[\s\S]*Two exits, both before/,
          ),
        },
      },
    },
  ],
  [
    '11-journalit-missed',
    {
      missed: [
        {
          ...{
            missed_at: '2025-12-08T15:45:00.000Z',
            symbol: 'MNQZ5',
            market: 'future',
            side: 'long',
          },
          ...{
            setup: 'Open drive',
            planned_entry: 25790,
            planned_stop: 25770,
            planned_quantity: 2,
          },
          ...{
            hypothetical_r: 2.5,
            hypothetical_pnl: 200,
            hypothetical_outcome: 'would_win',
            miss_type: 'hesitated',
          },
          ...{
            reason: 'Hesitated, waited for a second test',
            notes: 'It never came back.',
          },
        },
      ],
    },
  ],
  [
    '12-logseq',
    {
      sessions: [
        {
          ...{
            date: '2025-12-05',
            mood: 'calm',
            sleep_hours: 6.5,
            plan: 'gold only, two tries',
          },
          review: review({ lesson: 'the second try needs a new reason' }),
        },
      ],
      trades: {
        [`${MGC}1732`]: { setup: 'Pullback', stop_loss: 4252, initial_risk: 66 },
        [`${MGC}1781`]: {
          setup: 'Pullback',
          stop_loss: 4253.5,
          mistakes: ['FOMO'],
          fields: {
            'plan-compliance': 4,
            'review-checklist':
              '{"item":"new reason","pass":false},{"item":"stop placed","pass":true}',
          },
        },
      },
      entries: { [`${MGC}1732`]: { emotions: ['Confident'] }, [`${MGC}1781`]: {} },
    },
  ],
  ['13-org', { said: ['trades.org'] }],
  [
    '14-notion-export',
    {
      trades: {
        [`${MNQ}0910`]: {
          setup: 'Liquidity sweep',
          stop_loss: 25390,
          take_profit: 25350,
        },
      },
      entries: {
        [`${MNQ}0910`]: {
          ...{ emotions: ['Calm', 'Patient'], followed_plan: true, title: null },
          body: expect.stringMatching(/## Before[\s\S]*## After/),
        },
      },
    },
  ],
  ['15-portuguese', { said: ['ambiguous date 01-12-2025 (2025-12-01 or 2025-01-12)'] }],
  [
    '16-missed-and-checklist',
    {
      sessions: [
        {
          ...{ date: '2025-12-09', mood: '😤', energy: 3, sleep_hours: 5.5 },
          review: review({ went_well: 'nothing', went_wrong: 'trading before 8' }),
          goals: [
            { text: 'Stop placed at once', met: true },
            { text: 'No trade before 8', met: false },
            { text: 'Max two losses', met: false },
          ],
          notes: expect.stringContaining('- [x] Yes'),
        },
      ],
      trades: {
        [`${MGC}1951`]: { stop_loss: 4217, take_profit: 4210, rating: 3 },
        [`${MGC}2074`]: { mistakes: ['fat finger'], rating: 2 },
      },
      entries: {
        [`${MGC}1951`]: {
          emotions: ['😤 angry'],
          rules: [rule('Setup matches plan', true), rule('Not revenge/FOMO', false)],
        },
        [`${MGC}2074`]: {},
      },
      missed: [
        {
          ...{
            missed_at: '2025-12-09T19:20:00.000Z',
            symbol: 'MNQ',
            side: 'long',
            setup: 'Trend pullback',
          },
          ...{ reason: 'daily loss limit reached', hypothetical_r: 2 },
        },
        {
          ...{
            missed_at: '2025-12-09T17:10:00.000Z',
            symbol: 'ES',
            side: 'short',
            miss_type: 'away',
          },
          ...{ planned_entry: 6850, planned_stop: 6856, planned_target: 6835 },
        },
        {
          ...{
            missed_at: '2025-12-09T15:45:00.000Z',
            symbol: 'MNQ',
            side: 'long',
            setup: 'ORB',
          },
          ...{
            miss_type: 'hesitated',
            hypothetical_r: 3,
            hypothetical_outcome: 'would_win',
          },
        },
      ],
      said: ['confidence (1)'],
    },
  ],
];

describe('a vault of traders', () => {
  let base: Buffer | undefined;

  /** The journal for all vaults, created once. */
  function home(): ImportHome {
    const own = new ImportHome();
    if (base === undefined) {
      own.withUser('me', { timezone: 'America/Chicago' });
      const file = own.path('Performance.csv');
      copyFileSync(CSV, file);
      own.import(file, { timeZone: 'America/Chicago' });
      base = readFileSync(own.journal);
    } else own.file('journal.db', base);
    own.notes = [];
    return own;
  }

  const facts = (own: ImportHome) =>
    own.rows(
      'SELECT id, executed_at, closed_at, side, quantity, entry_price, exit_price, gross_pnl, fees FROM trades ORDER BY id',
    );

  test.each(VAULTS)(
    '%s',
    (vault, { sessions = [], trades = {}, entries = {}, missed = [], said = [] }) => {
      const own = home();
      const before = own.everything();
      const factsBefore = facts(own);
      const folder = join(NOTES, vault);
      const take = () => {
        try {
          return own.import(folder).files;
        } catch (error) {
          own.notes.push((error as Error).message);
          return [];
        }
      };
      take();
      const after = own.everything();
      expect(after['sessions']).toMatchObject(sessions);
      expect(after['missed-trades']).toMatchObject(missed);
      const journals = Object.fromEntries(
        (after['trade-journals'] ?? []).map((row) => [row['trade_id'], row]),
      );
      expect(journals).toMatchObject(entries);
      expect(Object.keys(journals)).toHaveLength(Object.keys(entries).length);
      const byId = Object.fromEntries(
        (after['trades'] ?? []).map((row) => [row['id'], row]),
      );
      expect(byId).toMatchObject(trades);
      expect(facts(own)).toEqual(factsBefore);
      for (const words of said) expect(own.notes.join('\n')).toContain(words);
      if (said.length === 0)
        expect(
          own.notes.filter((line) => /\.md:\d+: (?!risk: 0\.5 % needs)/.test(line)),
        ).toEqual([]);
      const others = (rows: Rows = []) =>
        rows.filter(({ id }) => !(String(id) in trades));
      expect(others(after['trades'])).toEqual(others(before['trades']));
      for (const { added, changed } of take()) expect([added, changed]).toEqual([0, 0]);
      expect(own.everything()).toEqual(after);
    },
  );
});
