/** Mappings proposed for tables that nobody has seen: what is read, what is asked, what is refused. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mappedFormat, mappedReading } from '../../../src/import/mapping/format.ts';
import { proposedMapping } from '../../../src/import/mapping/propose.ts';
import { mappingOf } from '../../../src/import/mapping/schema.ts';
import { locatedRow } from '../../../src/import/mapping/table.ts';
import type { ReadContext } from '../../../src/import/table/format.ts';
import { newUser } from '../../../src/journal-write/users.ts';
import { settled } from '../settled.ts';

const SETTINGS = { user: newUser('me', { timezone: 'America/New_York' }), timeZone: undefined };

/** The proposal, its open questions, and what an import with the first answers reads. */
function proposed(bytes: Buffer, stem = 'trades') {
  const { mapping, questions } = proposedMapping(bytes, stem, SETTINGS);
  const format = mappedFormat({ file: 'my.json', mapping, lookups: new Map() });
  const context = { ...SETTINGS, path: null } as unknown as ReadContext & { path: null };
  if (!format.binary) throw new Error('a mapping reads bytes');
  const reading = settled(format.read(bytes, context), SETTINGS.user.timezone);
  const asked = questions.filter(({ isAssumed }) => !isAssumed);
  return {
    mapping,
    asked: asked.map(({ about }) => about).join(' '),
    questions: asked,
    ...reading,
    records: [...reading.records],
  };
}

const csv = (...lines: string[]) => Buffer.from(`${lines.join('\n')}\n`);

const T = '2026-11-16 09:31:02';

/** Fills as "side quantity symbol @ price market xsize -fees", of the table's first rows. */
const FILLS: [name: string, table: Buffer, asked: string, fills: string[]][] = [
  [
    '1 and -1 are sides',
    csv(
      'Date,Symbol,Direction,Qty,Price,Currency,ISIN',
      `${T},ACM,1,10,100,USD,US0000000002`,
      `${T},ACM,-1,10,101,USD,US0000000002`,
    ),
    '',
    ['buy 10 ACM @ 100 stock', 'sell 10 ACM @ 101 stock'],
  ],
  [
    'Entry Long and Exit Short are sides with their effect',
    csv(
      'Time,Symbol,Type,Quantity,Price',
      `${T},ESZ6,Entry Long,1,6000`,
      `${T},ESZ6,Exit Long,1,6001`,
      `${T},ESZ6,Exit Short,1,6000`,
    ),
    '',
    ['buy 1 ESZ6 @ 6000 future open', 'sell 1 ESZ6 @ 6001 future close', 'buy 1 ESZ6 @ 6000 future close'],
  ],
  [
    'BUY - MARKET is a side',
    csv('Time,Symbol,Side,Quantity,Price', `${T},ESZ6,BUY - MARKET,1,6000`, `${T},ESZ6,SELL - STOP LIMIT,1,6001`),
    '',
    ['buy 1 ESZ6 @ 6000 future', 'sell 1 ESZ6 @ 6001 future'],
  ],
  [
    'a dividend is no purchase',
    csv(
      'Date,Type,Symbol,Quantity,Price,Currency,ISIN',
      `${T},Trade,ACM,10,100,USD,US0000000002`,
      `${T},Dividend,ACM,10,0.5,USD,US0000000002`,
      `${T},Trade,ACM,-10,101,USD,US0000000002`,
    ),
    'skip',
    ['buy 10 ACM @ 100 stock', 'sell 10 ACM @ 101 stock'],
  ],
  [
    'options in India have their terms and no contract size of 100',
    csv(
      'Trade Date,Symbol,Expiry,Strike,Option Type,Buy/Sell,Qty,Price,Currency',
      `${T},NIFTY,2026-11-26,24000,CE,Buy,75,100,INR`,
      `${T},NIFTY,2026-11-26,24100,PE,Buy,75,90,INR`,
    ),
    '',
    ['buy 75 NIFTY 2026-11-26 C24000 @ 100 option x1', 'buy 75 NIFTY 2026-11-26 P24100 @ 90 option x1'],
  ],
  [
    'symbols of options among shares are asked about',
    csv('Date,Symbol,Side,Quantity,Price,Currency', `${T},AAPL 15JAN27 150 C,Buy,1,2.5,USD`, `${T},ACM,Buy,10,20,USD`),
    'market',
    ['buy 1 AAPL 15JAN27 150 C @ 2.5 option', 'buy 10 ACM @ 20 stock'],
  ],
  [
    'amounts of 100 times the price show the contract size',
    csv(
      'Date,Symbol,Side,Quantity,Price,Value,Currency',
      `${T},SPXW,Buy,1,2.50,250.00,USD`,
      `${T},SPXW,Sell,2,3.50,700.00,USD`,
    ),
    'market multiplier',
    ['buy 1 SPXW @ 2.5 stock x100', 'sell 2 SPXW @ 3.5 stock x100'],
  ],
  [
    'an exchange rate is no price, a quote volume no quantity',
    csv(
      'Date(UTC),Pair,Side,FX Rate,Fill Price,Quote Volume,Base Volume',
      `${T},ABCUSDT,BUY,0.92,2,20,10`,
      `${T},ABCUSDT,SELL,0.92,3,30,10`,
    ),
    '',
    ['buy 10 ABCUSDT @ 2 crypto', 'sell 10 ABCUSDT @ 3 crypto'],
  ],
  [
    'all costs are added',
    csv(
      'Date,Symbol,Side,Quantity,Price,Commission,GST,Stamp Duty,Clearing Levy,FX Fee Amount',
      `${T},ESZ6,Buy,1,6000,2,0.2,0.3,0.1,0.4`,
    ),
    '',
    ['buy 1 ESZ6 @ 6000 future -3'],
  ],
  [
    'of two columns Cur., each belongs to the amount before it',
    csv('Date,Symbol,Side,Quantity,Price,Cur.,Fee,Cur.,ISIN', `${T},ACM,Buy,10,20,EUR,1,USD,US0000000002`),
    '',
    ['buy 10 ACM @ 20 stock -1 USD'],
  ],
  [
    'a row of totals is skipped, and hides nothing',
    csv('Date,Symbol,Side,Quantity,Price,Fee', `${T},ESZ6,Buy,1,6000,1`, 'Total,,,1,,1'),
    '',
    ['buy 1 ESZ6 @ 6000 future -1'],
  ],
  [
    'one decimal comma among points is asked about, and read',
    csv(
      'Date,Symbol,Side,Quantity,Price',
      `${T},ESZ6,Buy,1,6000.25`,
      `${T},ESZ6,Sell,1,"6001,50"`,
      `${T},ESZ6,Buy,1,6002.75`,
    ),
    'decimal',
    ['buy 1 ESZ6 @ 6000.25 future', 'sell 1 ESZ6 @ 6001.5 future', 'buy 1 ESZ6 @ 6002.75 future'],
  ],
];

const fillsOf = ({ fills }: ReturnType<typeof proposed>) =>
  fills.map(({ side, quantity, instrument, price, effect, fees, otherFee }) => {
    const { symbol, market, multiplier } = instrument;
    const cost = otherFee ? ` -${otherFee.amount} ${otherFee.currency}` : fees === 0 ? '' : ` -${fees}`;
    const size = multiplier === null ? '' : ` x${multiplier}`;
    return `${side} ${quantity} ${symbol} @ ${price} ${market}${size}${effect ? ` ${effect}` : ''}${cost}`;
  });

describe('fills', () => {
  test.each(FILLS)('%s', (_, table, asked, fills) => {
    const made = proposed(table);
    expect(made.asked).toBe(asked);
    expect(fillsOf(made)).toEqual(fills);
    expect(made.rows).toBe(made.fills.length + [...made.skipped.values()].reduce((sum, count) => sum + count, 0));
  });

  test.each([
    ['Date,Time (UTC+2)', '2026-11-16,09:31:00', '2026-11-16T07:31:00.000Z'],
    ['time_utc,Order', '2026-11-16 09:31:00,7', '2026-11-16T09:31:00.000Z'],
    ['Date,Time', '46342,09:31:00', '2026-11-16T14:31:00.000Z'],
    ['Date,Time', '46342,0.5', '2026-11-16T17:00:00.000Z'],
  ])('are at the time of %s: %s', (names, cells, executedAt) => {
    const { fills } = proposed(csv(`${names},Symbol,Side,Quantity,Price`, `${cells},ESZ6,Buy,1,6000`));
    expect(fills).toMatchObject([{ executedAt }]);
  });

  test('ask for the zone if a word after the times names none', () => {
    const made = proposed(csv('Date,Symbol,Side,Quantity,Price', `${T} BP,ESZ6,Buy,1,6000`));
    expect(made.questions.map(({ text }) => text)).toEqual([
      "Times end in BP, which names no known time zone. Which is the file's time zone?",
    ]);
    expect(made.fills).toMatchObject([{ executedAt: '2026-11-16T14:31:02.000Z' }]);
  });

  test.each([
    ['money', 'Kickback', '$3.20', '$1.10'],
    ['a side', 'Long/Short', 'Short', 'Long'],
  ])('ask about a column with %s that no field reads', (_, name, first, second) => {
    const rows = [`${T},ACM,BUY,1,6000,USD,US0000000002,${first}`, `${T},ACM,BUY,1,6001,USD,US0000000002,${second}`];
    const made = proposed(
      csv(`Time,Symbol,Side,Quantity,Price,Currency,ISIN,${name}`, ...rows, rows[0]?.replace('BUY', 'SELL') ?? ''),
    );
    expect(made.asked).toBe('unused');
    expect(made.questions[0]?.text).toContain(`No field reads ${name} (${first})`);
  });

  test('ask about a time of day that no field reads, but not about amounts that follow from the others', () => {
    const made = proposed(
      csv(
        'Date,Symbol,Side,Quantity,Price,Fee,Net Amount,Clock',
        '2026-11-16,ESZ6,BUY,2,10.125,1,-21.25,09:31',
        '2026-11-16,ESZ6,SELL,2,11.5,1,22.00,10:31',
      ),
    );
    expect(made.questions.map(({ text }) => text)).toEqual([expect.stringContaining('No field reads Clock (09:31).')]);
  });
});

describe('closed trades', () => {
  const header = 'Open,Close,Symbol,L/S,Größe,Open Price,Close Price';
  const row = (rest: string) => `${T},2026-11-16 10:31:02,${rest}`;

  test('columns named Open and Close may be times, Größe is the quantity', () => {
    const made = proposed(csv(`${header},Profit`, row('EURUSD,L,1,1.1,1.2,10000'), row('EURUSD,S,1,1.1,1.2,-10000')));
    expect(made.asked).toBe('');
    expect(made.records.map(({ values }) => [values['side'], values['quantity'], values['gross_pnl']])).toEqual([
      ['long', 1, 10000],
      ['short', 1, -10000],
    ]);
  });

  test('amounts with the sign of the result are the P&L, whatever their name; brackets are losses', () => {
    const made = proposed(csv(`${header},Amount`, row('ACM,L,2,100,90,(25.50)'), row('ACM,L,2,100,110,18.00')));
    expect(made.records.map(({ values }) => values['gross_pnl'])).toEqual([-25.5, 18]);
  });
});

test('a table with amounts is no diary', () => {
  const table = csv('Date,Ticker,Amount,Notes', '2026-11-16,ACM,25.5,waited', '2026-11-17,ACM,-3,chased');
  expect(() => proposed(table)).toThrow(
    'no target fits the columns Date, Ticker, Amount, Notes; fills need a price, or an amount with a side, which no column has',
  );
});

test('an unknown word of a side is reported with the words of its column', () => {
  const fields = { symbol: 'S', market: { value: 'stock' }, executed_at: 'T', side: 'A', quantity: 'Q', price: 'P' };
  const loaded = { file: 'my.json', mapping: mappingOf({ name: 'own', target: 'fills', fields }), lookups: new Map() };
  const rows = ['Buy', 'Swap', 'Swap', 'Gift'].map((A, index) =>
    locatedRow(index + 2, Object.entries({ S: 'ACM', T, A, Q: '1', P: '2' })),
  );
  expect(() => mappedReading(rows, loaded, SETTINGS)).toThrow(
    'A: must be one of buy, sell, or a word under "words" in the mapping; got "Swap"; the column has "Buy", "Swap", "Gift"',
  );
});

/** Invented rows in the form of exports that have no reader of their own: the questions, and the fills or the P&L. */
const PLATFORMS: [name: string, table: Buffer, asked: string, made: string[]][] = [
  [
    'Avanza',
    csv(
      'Datum;Konto;Typ av transaktion;Värdepapper/beskrivning;Antal;Kurs;Belopp;Transaktionsvaluta;Courtage (SEK);Valutakurs;Instrumentvaluta;ISIN;Resultat',
      '2026-11-18;Savings;Uttag;Uttag till X;;;-100;SEK;;;;;',
      '2026-11-17;Savings;Sälj;Acme;-2;11;209;SEK;11;10;USD;US0000000002;8,5',
      '2026-11-16;Savings;Köp;Acme;2,5;10,5;-273,5;SEK;11;10;USD;US0000000002;',
    ),
    '',
    ['buy 2.5 Acme @ 10.5 stock -11 SEK', 'sell 2 Acme @ 11 stock -11 SEK'],
  ],
  [
    'SaxoTraderGO: amounts in an unnamed currency are asked about',
    csv(
      'Trade ID;Account ID;Instrument;TradeTime;B/S;Open/Close;Amount;Price;Trade Value;Spread Costs;Booked Amount',
      '1890000001;hidden;Acme Corporation and Sons International Holding UCITS ETF (ISIN: US0000000002);10-12-2026;Bought;Open;50;11,09;-554,5;0;-3443,48',
    ),
    'currency dates unused',
    ['buy 50 US0000000002 @ 11.09 stock open'],
  ],
  [
    'Swissquote',
    csv(
      'Date;Order #;Transaction;Symbol;Name;ISIN;Quantity;Unit price;Costs;Accrued Interest;Net Amount;Balance;Currency',
      '24-08-2026 07:00:15;0;Debit;;;;1.0;20.00;2.00;0.00;-22.00;66.40;CHF',
      '10-08-2026 15:30:02;1;Buy;ACM;ACME;US0000000002;200.0;19.855;5.96;0.00;-3976.96;88.40;USD',
    ),
    'skip',
    ['buy 200 ACM @ 19.855 stock -5.96'],
  ],
  [
    'Freetrade: costs in the currency of the account',
    csv(
      'Type,Timestamp,Account Currency,Total Amount,Buy / Sell,Ticker,ISIN,Price per Share in Account Currency,Stamp Duty,Quantity,Instrument Currency,Total Shares Amount,Price per Share,FX Rate,FX Fee (BPS),FX Fee Amount',
      'DIVIDEND,2026-11-17T18:45:00.000Z,GBP,26.69,,ACM,US0000000002,,,10.00,USD,,,,,',
      'ORDER,2026-11-16T15:16:15.350Z,GBP,80.39,BUY,ACM,US0000000002,8.00,0.00,10.00,USD,100.00,10.00,1.25,39,0.39',
    ),
    '',
    ['buy 10 ACM @ 10 stock -0.39 GBP'],
  ],
  [
    'Firstrade: a bond has no symbol',
    csv(
      'Symbol,Quantity,Price,Action,Description,TradeDate,SettledDate,Interest,Amount,Commission,Fee,CUSIP,RecordType',
      '      ,0.00,,Other,Wire Funds Received,2026-02-06,2026-02-06,0.00,200019.49,0.00,0.00,      ,Financial',
      '      ,1000.00,100.161,BUY,UNITED STATES TREASURY NOTE,2026-02-10,2026-02-11,0.00,-1001.61,0.00,0.00,91282CME8,Trade',
      'SPY   ,7.5,605.25,BUY,SPDR S&P 500,2026-02-10,2026-02-11,0.00,-4539.38,0.00,0.00,78462F103,Trade',
    ),
    'skip',
    ['buy 7.5 SPY @ 605.25 stock'],
  ],
  [
    "Revolut's coins: each cell has its currency",
    csv(
      'Symbol,Type,Quantity,Price,Value,Fees,Date',
      'BTC,Buy,0.0005,"89,162.28 SEK",44.58 SEK,0.00 SEK,"May 5, 2026, 10:10:57 PM"',
      'BTC,Stake,0.0005,,,,"May 6, 2026, 10:10:57 PM"',
      'ETH,Buy,0.01,"€3,576.15",€35.76,€0.24,"May 7, 2026, 10:10:57 PM"',
    ),
    '',
    ['buy 0.0005 BTC @ 89162.28 crypto', 'buy 0.01 ETH @ 3576.15 crypto -0.24'],
  ],
];

describe('exports of platforms without a reader', () => {
  test.each(PLATFORMS)('%s', (_, table, asked, made) => {
    const own = proposed(table);
    expect(own.asked).toBe(asked);
    expect(fillsOf(own)).toEqual(made);
  });

  test('DeepCharts: P&L shows that bare roots are futures', () => {
    const made = proposed(
      csv(
        'Symbol;Quantity;Entry DT;Entry Price;Exit DT;Exit Price;ProfitLoss',
        `MNQ;-2;${T};25756.5;2026-11-16 18:26:22.417;25778.5;-88`,
      ),
    );
    expect(made.asked).toBe('');
    expect(made.records[0]?.values).toMatchObject({ market: 'future', side: 'short', gross_pnl: -88, multiplier: 2 });
  });

  test.each([
    [
      'Crypto.com',
      'Timestamp (UTC),Transaction Description,Currency,Amount,To Currency,To Amount,Native Currency',
      `${T},ABC -> USDC,ABC,-4.15,USDC,150.8,EUR`,
    ],
    [
      'CoinTracking',
      'Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Date',
      `Trade,0.0055,BTC,500.00,EUR,19.00,EUR,Kraken,${T}`,
    ],
  ])('%s is refused: coins for coins have no price', (_, header, row) => {
    expect(() => proposed(csv(header, row))).toThrow(
      'its rows exchange an amount in one currency for an amount in another',
    );
  });

  test('Saxo is refused: its events have quantity and price in one text', () => {
    const header = 'Trade Date,Type,Instrument Symbol,Instrument currency,Event,Amount,Conversion Rate';
    expect(() => proposed(csv(header, '02-Jan-2026,Trade,ACM:xnas,USD,Sell 3 @ 139.74 USD,"419,22",1'))).toThrow(
      'fills need a price, or an amount with a side, which no column has',
    );
  });
});

const REAL = new URL('../../../../shared/data/', import.meta.url);

describe.skipIf(!existsSync(REAL))('real files', () => {
  const real = (name: string) => proposed(readFileSync(new URL(name, REAL)), basename(name, extname(name)));
  const sum = (numbers: readonly number[]) => Number(numbers.reduce((total, one) => total + one, 0).toFixed(2));

  test.each([
    ['avanza/avanza.csv', 4, 19, 'SEK 21.45'],
    ['swissquote/swissquote.csv', 10, 944.4, ''],
    ['freetrade/freetrade.csv', 4, 25.22, 'GBP 7.76'],
    ['firstrade-history/FT_history.csv', 1, 0, ''],
    ['revolut-crypto/revolut-crypto.csv', 7, 0.62, ''],
    ['saxo-transactions/saxotradergo-Trades.csv', 9, 0, ''],
  ])('%s has %i fills', (name, count, fees, others) => {
    const { fills, asked } = real(name);
    expect(fills).toHaveLength(count);
    expect(sum(fills.map((own) => own.fees))).toBe(fees);
    expect(fills.flatMap(({ otherFee }) => (otherFee ? `${otherFee.currency} ${otherFee.amount}` : [])).join()).toBe(
      others,
    );
    expect(asked.split(' ').length).toBeLessThanOrEqual(name.startsWith('saxo') ? 2 : 1);
  });

  test('deepcharts-trades has 17 trades and a P&L of 2167.50', () => {
    const { records, asked } = real('deepcharts-trades/deepcharts-sample.csv');
    expect(asked).toBe('');
    expect(records).toHaveLength(17);
    expect(sum(records.map(({ values }) => Number(values['gross_pnl'])))).toBe(2167.5);
  });

  test.each(['saxo-transactions/saxo.csv', 'crypto-com-app/cryptocom.csv', 'cointracking/cointracking-export.csv'])(
    '%s is refused with what is missing',
    (name) => {
      expect(() => real(name)).toThrow(/no target fits the columns .*; (fills need|its rows exchange)/s);
    },
  );
});
