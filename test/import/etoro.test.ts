/** eToro's account statement: closed positions in a workbook, with symbols in another sheet; shorts, leverage, airdrops, other currencies. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const SHOWN = `SELECT symbol, market, multiplier, side, executed_at, closed_at, quantity, entry_price, exit_price, gross_pnl, fees FROM trades
  ORDER BY executed_at`;

const CLOSED = `SELECT count(*) AS trades, total(side = 'short') AS shorts, round(sum(net_pnl), 6) AS net
  FROM trades WHERE status = 'closed'`;

const own = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => Object.values(row).join(' '));

const NEWER = [
  'Position ID,Action,Long / Short,Amount,Units / Contracts,Open Date,Close Date,Leverage,Spread Fees (USD),Market Spread (USD),Profit(USD),Profit(EUR),FX rate at open (USD),FX rate at close (USD),Open Rate,Close Rate,Take profit rate,Stop loss rate,Overnight Fees and Dividends,Copied From,Type,ISIN,Notes',
  '31,Apple (AAPL),Long,"1,000.00",4.000000,03/02/2026 15:31:07,14/07/2026 16:02:44,1,0.00,0.66,71.05,60.42,-,-,250.00,267.76,0,0,1.20,,Stocks,US0378331005,',
  '32,Tesla (TSLA),Short,200.00,0.800000,05/05/2026 14:00:00,06/05/2026 18:00:00,x2,0.00,0.30,(12.00),-10.25,1,1,500.00,515.00,0,0,-0.05,,CFD,,',
].join('\n');

const ITALIAN = [
  'ID posizione;Azione;Importo;Unità;Data di apertura;Data di chiusura;Leva;Spread;Profitto;Tasso di apertura;Tasso di chiusura;Commissioni rollover e dividendi;Copiato da;Tipologia;ISIN;Note',
  '41;Buy Meta Platforms Inc;500;1,483503;16.12.2026 18:12:46;16.12.2026 19:14:47;1;0;-1,51;337,04;336,02;0;-;Reale;US30303M1027;',
  '42;Sell Ethereum;10,28;0,002174;13.12.2026 00:56:01;14.12.2026 14:35:53;1;0,17;1,61;4729,05;3990,13;-0,02;-;Reale;;',
].join('\n');

describe('a sheet of our own', () => {
  test('of the newer columns, saved as CSV', () => {
    const home = new ImportHome().withUser();
    const path = home.file('closed.csv', NEWER);
    expect(home.import(path).files[0]).toMatchObject({ format: 'etoro', added: 2 });
    expect(own(home.rows(SHOWN))).toEqual([
      'AAPL stock 1 long 2026-02-03T15:31:07.000Z 2026-07-14T16:02:44.000Z 4 250 267.7625 72.25 0',
      'TSLA cfd 1 short 2026-05-05T14:00:00.000Z 2026-05-06T18:00:00.000Z 0.8 500 515 -12 0.05',
    ]);
    expect(home.findings()).toEqual([]);
    expect(home.import(path).files[0]).toMatchObject({ added: 0, changed: 0 });
  });

  test('in Italian, with decimal commas; an owned asset is a share if it has an ISIN', () => {
    const home = new ImportHome().withUser();
    const [file] = home.import(home.file('chiuse.csv', ITALIAN)).files;
    expect(file?.platform?.stated).toMatchObject([
      { what: 'net', amount: 0.08, difference: 0 },
    ]);
    expect(
      own(
        home.rows('SELECT symbol, market, side, gross_pnl, fees FROM trades ORDER BY id'),
      ),
    ).toEqual([
      'Meta Platforms Inc stock long -1.51 0',
      'Ethereum crypto short 1.61 0.02',
    ]);
    expect(home.findings()).toEqual([]);
  });

  test.each([
    [',Long,', ',Up,', '2: Long / Short: must be one of Buy, Sell, Long, Short'],
    [',Stocks,', ',Bananas,', '2: Type: must be one of Stocks'],
    ['"1,000.00"', '0', '2: Amount: must be above 0'],
    [',71.05,', ',,', '2: Profit(USD): is missing'],
    ['03/02/2026', '31/02/2026', '2: Open Date: must be a time with the day first'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('a.csv', NEWER.replace(from, to)))).toContain(
      message,
    );
  });
});

test("symbols come from the activity sheet, prices are in the account's currency", () => {
  const home = new ImportHome().withUser();
  const [{ path } = { path: () => '' }] = exportsWith([
    'etoro/etoro-account-statement.xlsx',
    null,
  ]);
  home.import(path());
  expect(
    own(
      home.rows(
        'SELECT symbol, side, quantity, entry_price, exit_price FROM trades ORDER BY id',
      ),
    ),
  ).toEqual([
    'EURUSD short 500 1 1.001',
    'IAU long 0.6 50 52',
    'ADA long 12.5 1.6 1.54',
    'ADA long 0.733333 1.50000068 1.65000075',
    'PFE long 4 25 26.5',
    'TSLA short 0.2 250 237.5',
    '00700.HK long 1.25 64 61.44',
  ]);
  expect(home.findings()).toEqual([]);
});

test.each([
  ...exportsWith(
    [
      'etoro/etoro-account-statement.xlsx',
      {
        closed: { trades: 7, shorts: 2, net: 5.92 },
        note: 'profit is 5.36; rollover fees and dividends of 0.56 count as fees',
      },
    ],
    [
      'etoro/etoro-account-statement.xlsx',
      {
        closed: { trades: 31, shorts: 8, net: 121.12 },
        note: 'profit is 123.05; rollover fees and dividends of -1.93 count as fees',
      },
    ],
  ),
  ...exportsWith(
    [
      'etoro/etoro-account-statement.xlsx',
      { closed: { trades: 7, shorts: 2, net: 5.92 }, note: 'profit is 5.36' },
    ],
    [
      'etoro/etoro-account-statement-1-1-2021-12-16-2021.xlsx',
      {
        closed: { trades: 23, shorts: 5, net: -20.02 },
        note: 'profit is -20; rollover fees and dividends of -0.02 count as fees',
      },
    ],
  ).slice(1),
])('$label', ({ path, holds }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({
    format: 'etoro',
    platform: { stated: [{ what: 'net', difference: 0 }] },
  });
  expect(home.rows(CLOSED)).toEqual([holds.closed]);
  expect(home.notes.join()).toContain(holds.note);
  expect(home.findings()).toEqual([]);
});
