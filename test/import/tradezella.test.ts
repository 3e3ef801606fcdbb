/** TradeZella: closed trades with notes and labels, and its template of fills. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportsWith, pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

const TRADES = readFileSync(pathOf('made-up tradezella/trades_export.csv'), 'utf8');
const TEMPLATE = readFileSync(pathOf('made-up tradezella/generic-template.csv'), 'utf8');

const shown = (home: ImportHome) =>
  home
    .rows(
      'SELECT symbol, market, side, executed_at, multiplier, gross_pnl, fees FROM trades ORDER BY executed_at',
    )
    .map((row) => Object.values(row).join(' '));

describe('the export of trades', () => {
  test('keeps times in their zone, and derives costs from gross and net', () => {
    const home = new ImportHome().withUser();
    const [report] = home.import(home.file('trades.csv', TRADES)).files;
    expect(report).toMatchObject({ format: 'tradezella', rows: { read: 4 }, added: 3 });
    expect(report?.skipped).toEqual([
      { reason: 'open trade (export again once it is closed)', count: 1 },
    ]);
    expect(shown(home)).toEqual([
      'MES future long 2026-02-03T15:02:08.000Z 1 90 1.5',
      'ABC stock short 2026-07-07T19:29:00.000Z 1 -100 1',
      'ABC 2026-07-17 310 CALL option long 2026-07-08T14:00:00.000Z 100 400 1.4',
    ]);
    expect(home.import(home.file('again.csv', TRADES)).files[0]).toMatchObject({
      added: 0,
      unchanged: 3,
    });
  });

  test("keeps all of the user's text: setups, tags, mistakes, ratings, and custom columns", () => {
    const home = new ImportHome().withUser();
    const [header, ...rows] = TRADES.trimEnd().split('\n');
    home.import(
      home.file(
        'trades.csv',
        [
          `${header},My  Idea`,
          ...rows.map((row, index) => `${row},${index || 'new'}`),
        ].join('\n'),
      ),
    );
    const [mes, abc, option] = home.rows(
      'SELECT setup, tags, mistakes, rating, initial_risk, mae, mfe, notes FROM trades ORDER BY executed_at',
    );
    expect(mes).toEqual({
      setup: 'Bounce',
      tags: '["pivot buy","5min tf"]',
      mistakes: '[]',
      rating: 4,
      initial_risk: 45,
      mae: -20,
      mfe: 150,
      notes: [
        'Bias: uptrend',
        'Confluence: emas bullish',
        'Did Emotions Affect Decisions?: no',
        'Emotions: calm, happy',
        'Entry Logic Explanation: waited for the retest',
        'How Did The Trade Play Out?: as expected',
        'Notes For Coaches: held to plan',
        'Profit Target Did You Respect It?: respected',
        'Stop Loss Did You Respect It?: respected',
        'Was Emotionally Stable?: yes',
        'What I Did Well: let it run',
        'My Idea: new',
      ].join('\n\n'),
    });
    expect(abc).toMatchObject({
      setup: null,
      mistakes: '["chasing price","slow to execute"]',
      initial_risk: null,
    });
    // Ratings here are whole: a half stays in the notes.
    expect(abc).toMatchObject({ rating: null, notes: 'My Idea: 1\n\nRating: 2.5' });
    expect(option).toMatchObject({
      setup: 'gap, gap fill',
      tags: '["gap","gap fill"]',
      rating: null,
      notes: 'My Idea: 2',
    });
  });

  test('later text comes with the next export', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('trades.csv', TRADES));
    const next = home.file(
      'next.csv',
      TRADES.replace('waited for the retest', 'no retest, in truth'),
    );
    expect(home.import(next).files[0]).toMatchObject({
      added: 0,
      changed: 1,
      unchanged: 2,
    });
  });

  test.each([
    [',6011.25,90.0', ',,90.0', '2: Exit Price: is missing'],
    ['10:22:08 EST', '10.22 EST', '2: Close Time: must be a time with the year first'],
    ['15:30:00 EDT', '', '3: Close Time: must be a time'],
    [',short,', ',flat,', '3: Side: must be one of Long, Short'],
    [',88.5,', ',?,', '2: Net P&L: must be a number'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.csv', TRADES.replace(from, to)))).toContain(
      message,
    );
  });
});

describe('the template of fills', () => {
  test('makes trades, shorts too, with both kinds of costs', () => {
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    home.import(home.file('template.csv', TEMPLATE));
    expect(shown(home)).toEqual([
      'XYZ 2026-11-20 C300 option long 2026-11-02T14:33:10.000Z 100 70 2.6',
      'MESZ6 future long 2026-11-02T16:00:00.000Z 5 0 0.6',
      'ABC stock short 2026-11-03T14:45:27.000Z 1 40 2.1',
    ]);
  });

  test.each([
    [
      'Single,20 Nov 26,300,Call,1.30,\r\n11/02/26,09:35',
      'Single,,300,Call,1.30,\r\n11/02/26,09:35',
      '4: Expiration: is missing',
    ],
    ['Future', 'Weather', '6: Spread: must be one of Stock'],
    [',Sell,100', ',Give,100', '2: Buy/Sell: must be one of Buy, Sell'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('template.csv', TEMPLATE.replace(from, to))),
    ).toContain(message);
  });
});

const closed = (trades: number, shorts: number, gross: number, net: number) => ({
  trades,
  shorts,
  gross,
  net,
});

test.each([
  ...exportsWith(
    ['tradezella/trades_export.csv', closed(3, 1, 390, 386.1)],
    ['tradezella/trades_export.csv', closed(8, 4, 1712.5, 1712.5)],
  ),
  ...exportsWith(
    ['tradezella/generic-template.csv', closed(2, 1, 110, 105.3)],
    ['tradezella/generic-template.csv', closed(2, 0, 1175, 1175)],
  ),
])('$label adds up', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  home.import(path());
  expect(
    home.rows(`SELECT count(*) AS trades, sum(side = 'short') AS shorts, sum(gross_pnl) AS gross,
      round(sum(net_pnl), 8) AS net FROM trades WHERE status = 'closed'`),
  ).toEqual([holds]);
});
