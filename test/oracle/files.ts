/** Files of every kind, about the same few trades and days, so that lines touch what others stated. */
import { readFileSync } from 'node:fs';
import { FORMS } from '../import/candle-files.ts';

const exported = (name: string) =>
  readFileSync(new URL(`../fixtures/exports/${name}`, import.meta.url), 'utf8');

const PAIRS =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const MONDAY = 'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00';
const TUESDAY = 'MESZ6,8,9,1,6000,6003,$15.00,11/20/2026 23:30:00,11/20/2026 23:40:00';
const SHORT = 'MESZ6,12,10,2,6001,6000,-$10.00,11/20/2026 09:40:00,11/20/2026 09:30:00';
/** Open while the others open and close: with it, they are one trade. */
const LONGEST = 'MESZ6,20,21,1,6000,6002,$10.00,11/19/2026 09:20:00,11/20/2026 23:50:00';
const pairs = (...rows: string[]) => `${[PAIRS, ...rows].join('\n')}\n`;

const MINUTE = 60_000;
const market = ['2026-11-19T09:00Z', '2026-11-20T09:00Z'].flatMap((start) =>
  Array.from({ length: 60 }, (_, minute) => ({
    at: Date.parse(start) + minute * MINUTE,
    open: 6000,
    high: 6004,
    low: 5998,
    close: 6001,
  })),
);
const [, candles] = FORMS['TradingView']?.(market, 'MES', MINUTE) ?? [];

const OPEN_OPTION = `"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"
"10/12/2026","10/12/2026","10/13/2026","SPY","SPY 10/16/2026 Call $450.00","BTO","2","$3.00","($600.08)"
`;

const EURO =
  'id,symbol,market,side,status,executed_at,closed_at,quantity,entry_price,exit_price,currency\n' +
  'e1,SAP,stock,long,closed,2026-11-18T10:00:00Z,2026-11-18T11:00:00Z,10,100,101,EUR\n';

const SESSIONS =
  'id,date,started_at,notes,fields.vix\n' +
  's1,2026-11-19,2026-11-19 09:30,Slow.,17\n' +
  'day:2026-11-20,2026-11-20,2026-11-20 09:30,Fast.,19.5\n';

const DAY_WITH_TRADES = `---
type: day
---
mood:: calm
vix:: 18

## 23:30 MESZ6 long
setup:: Fade
confluence:: 3
phase:: review

Chased.

## Missed trades

- 11:00 MSFT long, slow
`;

const DAY_OF_RECORD = `---
type: day
---

## 10:00 SAP long
rating:: 2
tags:: late

Slow.
`;

const DAY_WITH_LESSON = `---
type: day
---

## 09:30 MESZ6
rating:: 3

## Lesson
Wait.
`;

export const CANDLES = 'MES.csv';

/** Files that `import` takes, each with the resource of its records, if it states none. */
export const IMPORTED: Record<string, { text: string; as?: string }> = {
  'first.csv': { text: pairs(MONDAY, TUESDAY) },
  'second.csv': { text: pairs(TUESDAY, SHORT) },
  'merging.csv': { text: pairs(LONGEST) },
  'closed.csv': { text: exported('topstepx/trades_export.csv') },
  'options.csv': { text: exported('robinhood/Hood.csv') },
  'open.csv': { text: OPEN_OPTION },
  'euro.csv': { text: EURO, as: 'trades' },
  'sessions.csv': { text: SESSIONS },
  'better.csv': { text: 'id,date,notes\ns1,2026-11-19,Better.\n', as: 'sessions' },
  'best.csv': {
    text: 'id,date,name,notes\ns1,2026-11-19,Open,Better.\n',
    as: 'sessions',
  },
  'rates.csv': { text: 'date,currency,rate\n2026-11-18,EUR,1.09\n' },
  '2026-11-20.md': { text: DAY_WITH_TRADES },
  '2026-11-18.md': { text: DAY_OF_RECORD },
  '2026-11-19.md': { text: DAY_WITH_LESSON },
  'plan.md': {
    text: '---\ntype: session\ndate: 2026-11-19\nstarted_at: 2026-11-19 08:00\n---\nPlan.\n',
  },
};

const CASH_DAYS = 'Date,Action,Symbol,Description,Quantity,Price,Fees & Comm,Amount\n';
const SECOND_DEPOSIT = '11/20/2026,MoneyLink Deposit,,Tfr BANK,,,,$100.00\n';
const DEPOSIT = '11/19/2026,MoneyLink Deposit,,Tfr BANK,,,,$100.00\n';
const CASH_DIVIDEND = '11/19/2026,Qualified Dividend,ABC,ABC CORP,,,,$3.00\n';

const BALANCES = [
  'Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Result,Currency (Result),Total,Currency (Total),Notes,ID',
  'Deposit,2026-11-19 23:30:00,,,,,,,1.00,,,100.00,USD,,',
  'Deposit,2026-11-20 08:00:00,,,,,,,1.00,,,100.00,EUR,,d2',
  'Interest on cash,2026-11-20 09:00:00,,,,,,,1.00,,,0.48,EUR,,',
];

/** Of MetaTrader, with its account or without: a closed trade among balance rows. */
const statement = (account: string, ...tickets: readonly string[]) => {
  const rows = [
    account,
    '<td>Ticket</td><td>Open Time</td><td>Type</td><td>Size</td><td>Item</td><td>Price</td><td>S / L</td><td>T / P</td><td>Close Time</td><td>Price</td><td>Commission</td><td>Taxes</td><td>Swap</td><td>Profit</td>',
    ...tickets,
  ];
  const lines = rows.map((row) => `<tr>${row}</tr>`).join('');
  return `<html><body><table>${lines}</table></body></html>`;
};
const CREDITED =
  '<td>11</td><td>2026.11.19 09:00:00</td><td>balance</td><td colspan=10>Deposit</td><td>100.00</td>';
const CHARGED =
  '<td>13</td><td>2026.11.20 00:00:59</td><td>balance</td><td colspan=10>Financing</td><td>-2.46</td>';
const TRADED =
  '<td>12</td><td>2026.11.19 10:00:00</td><td>buy</td><td>1.00</td><td>eurusd</td><td>1.10000</td><td>0</td><td>0</td><td>2026.11.19 11:00:00</td><td>1.10100</td><td>0.00</td><td>0.00</td><td>0.00</td><td>100.00</td>';
const NUMBERED = '<td>Account: 4711001</td><td>Name: X</td><td>Currency: USD</td>';

/** Files with cash flows: days and times, with and without ids, in halves that overlap. */
export const FLOWS: Record<string, { text: string }> = {
  'days.csv': { text: CASH_DAYS + DEPOSIT + CASH_DIVIDEND },
  'later-days.csv': {
    text: CASH_DAYS + SECOND_DEPOSIT + DEPOSIT + DEPOSIT + CASH_DIVIDEND,
  },
  'times.csv': { text: BALANCES.slice(0, 3).join('\n') },
  'later-times.csv': { text: [BALANCES[0], ...BALANCES.slice(2)].join('\n') },
  'statement.htm': { text: statement(NUMBERED, CREDITED, TRADED) },
  'unnamed.htm': { text: statement('<td>Name: X</td>', CREDITED, TRADED, CHARGED) },
};

/** Each note as it was written at different times: something is new, another text, or gone. */
export const VERSIONS: Record<string, readonly string[]> = {
  '2026-11-20.md': [
    `---
type: day
---

## 23:30 MESZ6 long
setup:: Fade
tags:: fast
confluence:: 4

Chased again.

## Missed trades

- 11:00 MSFT long, too slow
- 12:00 AAPL short, away
`,
    '---\ntype: day\n---\nmood:: tense\n\n## Missed trades\n\n- 12:00 AAPL short, away\n',
    DAY_WITH_TRADES,
  ],
  '2026-11-18.md': [
    DAY_OF_RECORD.replace('tags:: late', 'tags:: early, late').replace(
      'Slow.',
      'Slow and late.',
    ),
    DAY_OF_RECORD.replace('rating:: 2\n', ''),
    '---\ntype: day\n---\nmood:: calm\n\n## Lesson\nNone.\n',
  ],
  '2026-11-19.md': [
    DAY_WITH_LESSON.replace('rating:: 3', 'rating:: 4\nsetup:: Fade').replace(
      'Wait.',
      'Wait more.',
    ),
    DAY_WITH_LESSON.replace('\n## Lesson\nWait.\n', ''),
    '---\ntype: day\n---\n\n## Lesson\nWait.\n',
  ],
  'plan.md': [
    '---\ntype: session\ndate: 2026-11-19\nstarted_at: 2026-11-19 08:00\nmood: calm\n---\nPlan.\n',
    '---\ntype: session\ndate: 2026-11-19\nstarted_at: 2026-11-19 08:00\n---\nOther plan.\n',
    '---\ntype: session\ndate: 2026-11-19\n---\n',
  ],
};

export const ALL_FILES: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries({ ...IMPORTED, ...FLOWS }).map(([name, { text }]) => [name, text]),
  ),
  [CANDLES]: candles ?? '',
};
