/** Drafts for tables of platforms that nobody has seen: what is a question, and what is read once it is answered. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WholeReading } from '../../../src/import/fills/reading.ts';
import { inWords, tableOf } from '../../../src/import/mapping/confirm.ts';
import { draftOf } from '../../../src/import/mapping/draft.ts';
import { mappedFormat } from '../../../src/import/mapping/format.ts';
import { loadMapping } from '../../../src/import/mapping/load.ts';
import { questionsIn } from '../../../src/import/mapping/questions.ts';
import { type Draft, draftIn } from '../../../src/import/mapping/schema.ts';
import type { ReadContext } from '../../../src/import/tables/format.ts';
import { newUser } from '../../../src/journal-write/users.ts';
import { runs } from '../../effort.ts';
import { temporaryFolder } from '../../helpers.ts';
import { runHere } from '../../program.ts';
import { book } from './workbook.ts';

const csv = (...lines: string[]) => Buffer.from(`${lines.join('\n')}\n`);

/** Names of a draft's open questions. */
function openIn(draft: Draft): string {
  return questionsIn(draft)
    .map((line) => line.split(':', 1)[0])
    .join(' ');
}

type Answers = Partial<Omit<Draft, 'fields'>> & { fields?: Draft['fields'] };

/** What is read of a table once the questions of its draft are answered: as shown before it is stored. */
function readOf(table: Buffer, { fields, ...rest }: Answers): string[] {
  const draft = draftOf(table, 'trades', {});
  const whole = { ...draft, ...rest, fields: { ...draft.fields, ...fields } };
  const loaded = loadMapping('my.json', Buffer.from(JSON.stringify(whole)));
  const format = mappedFormat(loaded);
  if (!format.binary) throw new Error('a mapping reads bytes');

  const user = newUser('me', { timezone: 'UTC' });
  const context = { user, timeZone: undefined, path: null } as unknown as ReadContext & {
    path: null;
  };
  const reading = format.read(table, context) as WholeReading;
  return inWords(reading, tableOf(table, loaded), loaded).map((line) =>
    line.replace(/^line \d+: /, ''),
  );
}

interface Unknown {
  table: Buffer;
  /** The names of its questions. */
  asked: string;
  answers: Answers;
  /** The rows, as a person reads them in the table. */
  rows: string[];
}

const STOCK = { market: { value: 'stock' } };
const inCurrency = (value: string) => ({ ...STOCK, currency: { value } });

const TABLES: Readonly<Record<string, Unknown>> = {
  'orders with prices and sizes that were ordered and done': {
    table: csv(
      'Created,Updated,Pair,Order Type,Side,Price,Avg. Price,Size,Filled,State',
      '2026-05-01 09:00:00,2026-05-01 10:00:00,ABCUSD,Limit,Buy,5.10,5.00,20,10,Partially cancelled',
      '2026-05-02 09:00:00,2026-05-02 09:00:01,ABCUSD,Market,Sell,0,6.00,10,10,Filled',
    ),
    asked: 'skip market currency executed_at quantity price',
    answers: {
      skip: [],
      fields: {
        ...inCurrency('USD'),
        executed_at: 'Updated',
        quantity: 'Filled',
        price: 'Avg. Price',
      },
    },
    rows: [
      'Bought 10 ABCUSD at 5.00 on 2026-05-01 10:00',
      'Sold 10 ABCUSD at 6.00 on 2026-05-02 09:00:01',
    ],
  },
  'a log of events: new orders and their fills': {
    table: csv(
      'timestamp,event,instrument,side,quantity,price',
      '1777626000000,NEW,ABC,BUY,10,5.1',
      '1777626060000,FILL,ABC,BUY,10,5',
      '1777626120000,CANCELED,ABC,SELL,10,7',
    ),
    asked: 'skip market currency',
    answers: { skip: [{ column: 'event', not: ['FILL'] }], fields: inCurrency('USD') },
    rows: ['Bought 10 ABC at 5.00 on 2026-05-01 09:01'],
  },
  'German, with an amount and a cancelled deal': {
    table: csv(
      'Datum;Uhrzeit;Wertpapier;Art;Stück;Kurs;Gebühr;Betrag',
      '16.11.2026;15:31:02;SAP;Kauf;1.000;182,40;-1,00;-182401,00',
      '17.11.2026;16:45:40;SAP;Storno;1.000;182,40;-1,00;182401,00',
    ),
    asked: 'skip market currency',
    answers: { skip: [{ column: 'Art', is: ['Storno'] }], fields: inCurrency('EUR') },
    rows: ['Bought 1000 SAP at 182.40 on 2026-11-16 15:31:02, fee 1.00'],
  },
  'French, with spaces after thousands and two columns of costs': {
    table: csv(
      'Date opération;Valeur;Sens;Quantité;Cours;Courtage;Taxe;Montant brut',
      '16/11/2026;LVMH;Achat;1 200;612,40;12,00;3,60;734 880,00',
      '17/11/2026;LVMH;Vente;1 200;615,00;12,00;0,00;738 000,00',
    ),
    asked: 'market currency fees',
    answers: { fields: { ...inCurrency('EUR'), fees: { column: ['Courtage', 'Taxe'] } } },
    rows: [
      'Bought 1200 LVMH at 612.40 on 2026-11-16, fee 15.60',
      'Sold 1200 LVMH at 615.00 on 2026-11-17, fee 12.00',
    ],
  },
  'Spanish, by tabs, with dates that fit both orders': {
    table: csv(
      'Fecha y hora\tValor\tOperación\tTítulos\tPrecio\tComisión\tDivisa',
      '05/06/2026 09:31\tITX\tCompra\t100\t48,20\t2,50\tEUR',
      '07/06/2026 10:31\tITX\tVenta\t100\t49,20\t2,50\tEUR',
    ),
    asked: 'dates market',
    answers: { dates: 'dmy', fields: STOCK },
    rows: [
      'Bought 100 ITX at 48.20 on 2026-06-05 09:31, fee 2.50',
      'Sold 100 ITX at 49.20 on 2026-06-07 10:31, fee 2.50',
    ],
  },
  'Italian, with the tax of a sale': {
    table: csv(
      'Data operazione;Titolo;Segno;Quantità;Prezzo;Commissioni;Imposta;Divisa',
      '13.02.2026;ENI;Acquisto;50;14,10;5,00;0;EUR',
      '14.02.2026;ENI;Vendita;50;15,10;5,00;13,00;EUR',
    ),
    asked: 'market fees',
    answers: { fields: { ...STOCK, fees: { column: ['Commissioni', 'Imposta'] } } },
    rows: [
      'Bought 50 ENI at 14.10 on 2026-02-13, fee 5.00',
      'Sold 50 ENI at 15.10 on 2026-02-14, fee 18.00',
    ],
  },
  'Portuguese, sides in unknown letters': {
    table: csv(
      'Data negócio;C/V;Ativo;Quantidade;Preço;Corretagem',
      '16/11/2026;C;PETR4;100;38,50;4,90',
      '17/11/2026;V;PETR4;100;39,50;4,90',
    ),
    asked: 'market currency side',
    answers: {
      fields: {
        ...inCurrency('BRL'),
        side: { column: 'C/V', words: { C: 'buy', V: 'sell' } },
      },
    },
    rows: [
      'Bought 100 PETR4 at 38.50 on 2026-11-16, fee 4.90',
      'Sold 100 PETR4 at 39.50 on 2026-11-17, fee 4.90',
    ],
  },
  'Dutch, the sign of the quantity is the side': {
    table: csv(
      'Datum;Tijd;Product;Aantal;Koers;Valuta;Transactiekosten;Wisselkoers',
      '16-11-2026;09:31;ASML;3;912,30;EUR;-2,00;',
      '17-11-2026;10:31;ASML;-3;915,30;EUR;-2,00;',
    ),
    asked: 'market',
    answers: { fields: STOCK },
    rows: [
      'Bought 3 ASML at 912.30 on 2026-11-16 09:31, fee 2.00',
      'Sold 3 ASML at 915.30 on 2026-11-17 10:31, fee 2.00',
    ],
  },
  'Polish, a dividend among the rows': {
    table: csv(
      'Data transakcji;Rodzaj;Walor;Ilość;Cena;Prowizja;Waluta',
      '2026-11-16 09:31:02;Kupno;CDR;10;240,00;3,00;PLN',
      '2026-11-17 00:00:00;Dywidenda;CDR;10;1,00;0;PLN',
    ),
    asked: 'skip market',
    answers: { skip: [{ column: 'Rodzaj', is: ['Dywidenda'] }], fields: STOCK },
    rows: ['Bought 10 CDR at 240.00 on 2026-11-16 09:31:02, fee 3.00'],
  },
  'Swedish, the fee in the currency of the account': {
    table: csv(
      'Affärsdag;Värdepapper;Transaktionstyp;Antal;Kurs;Courtage (SEK);Instrumentvaluta',
      '2026-11-16;ACM;Köp;10;50,5;39;USD',
      '2026-11-17;ACM;Sälj;-10;51,5;39;USD',
    ),
    asked: 'market',
    answers: { fields: STOCK },
    rows: [
      'Bought 10 ACM at 50.50 on 2026-11-16, fee 39.00 SEK',
      'Sold 10 ACM at 51.50 on 2026-11-17, fee 39.00 SEK',
    ],
  },
  Japanese: {
    table: csv(
      '約定日,銘柄,売買,数量,約定単価,手数料,税',
      '2026/11/16,トヨタ,買付,100,2800,250,25',
      '2026/11/17,トヨタ,売付,100,2850,250,25',
    ),
    asked: 'market currency fees',
    answers: { fields: { ...inCurrency('JPY'), fees: { column: ['手数料', '税'] } } },
    rows: [
      'Bought 100 トヨタ at 2800.00 on 2026-11-16, fee 275.00',
      'Sold 100 トヨタ at 2850.00 on 2026-11-17, fee 275.00',
    ],
  },
  'Russian, the commission has the sign of a cost': {
    table: csv(
      'Дата сделки;Время;Тикер;Операция;Количество;Цена;Комиссия;Валюта',
      '16.11.2026;10:00:05;SBER;Покупка;10;300,5;-0,9;RUB',
      '17.11.2026;11:00:05;SBER;Продажа;10;301,5;-0,9;RUB',
    ),
    asked: 'market',
    answers: { fields: STOCK },
    rows: [
      'Bought 10 SBER at 300.50 on 2026-11-16 10:00:05, fee 0.90',
      'Sold 10 SBER at 301.50 on 2026-11-17 11:00:05, fee 0.90',
    ],
  },
  'futures with a column of units bought and one of units sold': {
    table: csv(
      'Trade Date,Trade Time,Contract,Bought,Sold,Price,Exchange Fee,Clearing Fee,NFA Fee',
      '2026-11-16,09:31:02,ESZ6,2,,6000.25,2.36,0.20,0.04',
      '2026-11-16,09:41:02,ESZ6,,2,6001.25,2.36,0.20,0.04',
    ),
    asked: 'fees',
    answers: {
      fields: { fees: { column: ['Exchange Fee', 'Clearing Fee', 'NFA Fee'] } },
    },
    rows: [
      'Bought 2 ESZ6 at 6000.25 on 2026-11-16 09:31:02, fee 2.60',
      'Sold 2 ESZ6 at 6001.25 on 2026-11-16 09:41:02, fee 2.60',
    ],
  },
  'coins whose amount is money, with the fee in a coin': {
    table: csv(
      'Date(UTC),Market,Side,Price,Amount,Executed,Fee,Fee Coin',
      '2026-11-16 09:31:02,ABC-USDT,BUY,2.00,20.00,10,0.01,ABC',
      '2026-11-17 09:31:02,ABC-USDT,SELL,3.00,29.97,9.99,0.03,USDT',
    ),
    asked: 'symbol market currency quantity',
    answers: {
      fields: {
        symbol: 'Market',
        market: { value: 'crypto' },
        currency: { value: 'USDT' },
        quantity: 'Executed',
      },
    },
    rows: [
      'Bought 10 ABC-USDT at 2.00 on 2026-11-16 09:31:02, fee 0.01 of its units',
      'Sold 9.99 ABC-USDT at 3.00 on 2026-11-17 09:31:02, fee 0.03',
    ],
  },
  'a fee with its coin in the cell': {
    table: csv(
      'Time,Symbol,Direction,Quantity,Quantity (USD),Fill Price,Fee',
      '2026-11-16T09:31:02Z,ABCUSD,Buy,10,20,2,0.01 BNB',
    ),
    asked: 'market currency quantity fees',
    answers: {
      fields: {
        market: { value: 'crypto' },
        currency: { value: 'USD' },
        quantity: 'Quantity',
        fees: 'Fee',
        fee_currency: { value: 'BNB' },
      },
    },
    rows: ['Bought 10 ABCUSD at 2.00 on 2026-11-16 09:31:02, fee 0.01 BNB'],
  },
  'options by their terms': {
    table: csv(
      'Execution Time,Underlying Symbol,Symbol,Expiry,Strike,Call/Put,Action,Contracts,Price,Multiplier,Commission,Currency',
      '2026-11-16 09:31:02,XYZ,XYZ,2026-12-18,450,Call,Buy to Open,1,2.50,100,0.65,USD',
      '2026-11-17 09:31:02,XYZ,XYZ,2026-12-18,450,Call,Sell to Close,1,3.50,100,0.65,USD',
    ),
    asked: 'market',
    answers: { fields: { market: { value: 'option' } } },
    rows: [
      'Bought 1 XYZ 2026-12-18 C450 at 2.50 on 2026-11-16 09:31:02, which opens, fee 0.65',
      'Sold 1 XYZ 2026-12-18 C450 at 3.50 on 2026-11-17 09:31:02, which closes, fee 0.65',
    ],
  },
  'a history with splits and short sales': {
    table: csv(
      'Run Date,Settlement Date,Type,Ticker,Shares,Price ($),Amount',
      '11/16/2026,11/17/2026,Sell Short,ABC,10,5.00,50.00',
      '11/17/2026,11/18/2026,Buy to Cover,ABC,10,4.00,-40.00',
      '11/18/2026,11/18/2026,Stock split,ABC,10,0.00,0.00',
    ),
    asked: 'skip market currency executed_at',
    answers: {
      dates: 'mdy',
      skip: [{ column: 'Type', is: ['Stock split'] }],
      fields: { ...inCurrency('USD'), executed_at: 'Run Date' },
    },
    rows: [
      'Sold 10 ABC at 5.00 on 2026-11-16, which opens',
      'Bought 10 ABC at 4.00 on 2026-11-17, which closes',
    ],
  },
  'numbers that may have a mark after thousands': {
    table: csv(
      'Date;Ticker;Side;Quantity;Price',
      '2026-11-16;ABC;Buy;1.500;2.125',
      '2026-11-17;ABC;Sell;1.500;2.250',
    ),
    asked: 'decimal market currency',
    answers: { decimal: ',', fields: inCurrency('EUR') },
    rows: [
      'Bought 1500 ABC at 2125.00 on 2026-11-16',
      'Sold 1500 ABC at 2250.00 on 2026-11-17',
    ],
  },
  'closed trades with a result that may be after fees': {
    table: csv(
      'Opened,Closed,Contract,Direction,Qty,Entry Price,Exit Price,Profit,Commission',
      '2026-11-16 09:31,2026-11-16 09:48,MNQZ6,Long,2,25010.25,25031.75,83.50,2.50',
      '2026-11-16 10:05,2026-11-16 10:11,MNQZ6,Short,1,25040.00,25046.25,-13.75,1.25',
    ),
    asked: 'gross_pnl',
    answers: { fields: { gross_pnl: { column: ['Profit', 'Commission'] } } },
    rows: [
      'Long 2 MNQZ6 from 25010.25 on 2026-11-16 09:31 to 25031.75 on 2026-11-16 09:48, P&L 86.00 before fees, fee 2.50',
      'Short 1 MNQZ6 from 25040.00 on 2026-11-16 10:05 to 25046.25 on 2026-11-16 10:11, P&L -12.50 before fees, fee 1.25',
    ],
  },
  'closed trades whose side may be that of the closing order, in lots': {
    table: csv(
      'Open Time;Close Time;Symbol;Type;Lots;Open Price;Close Price;Swap;Commission;Net Profit',
      '2026.11.16 09:31:02;2026.11.16 10:31:02;EURUSD;sell;0.1;1.10000;1.10500;-0.50;-0.70;48.80',
    ),
    asked: 'market currency quantity side fees',
    answers: {
      fields: {
        market: { value: 'forex' },
        currency: { value: 'USD' },
        quantity: 'Lots',
        multiplier: { value: 100000 },
        side: { column: 'Type', words: { sell: 'long' } },
        fees: { column: ['Swap', 'Commission'], sign: 'negate' },
      },
    },
    rows: [
      'Long 0.1 EURUSD from 1.10 on 2026-11-16 09:31:02 to 1.105 on 2026-11-16 10:31:02, P&L 50.00 before fees, fee 1.20',
    ],
  },
  'prices of a day beside the price of a trade': {
    table: csv(
      'Trade Date;Security;Buy/Sell;Quantity;Execution Price;Close;Price Change %;Brokerage;Brokerage Rate',
      '16-Nov-2026;INFY;B;5;1500.50;1510;0.5;20;0.01',
    ),
    asked: 'market currency',
    answers: { fields: inCurrency('INR') },
    rows: ['Bought 5 INFY at 1500.50 on 2026-11-16, fee 20.00'],
  },
  'exchanges of coins, which have no price': {
    table: csv(
      'Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Date',
      'Trade,0.005,BTC,500.00,EUR,1.00,EUR,2026-11-16 09:31:02',
    ),
    asked: 'target',
    answers: {
      target: 'fills',
      fields: {
        symbol: 'Cur.',
        market: { value: 'crypto' },
        currency: 'Cur. (2)',
        executed_at: 'Date',
        side: { value: 'buy' },
        quantity: 'Buy',
        amount: 'Sell',
        fees: 'Fee',
      },
    },
    rows: ['Bought 0.005 BTC at 100000.00 on 2026-11-16 09:31:02, fee 1.00'],
  },
};

describe('tables of unknown platforms', () => {
  test('are 20 or more', () => {
    expect(Object.keys(TABLES).length).toBeGreaterThanOrEqual(20);
  });

  test.each(Object.keys(TABLES))(
    '%s: what is open is asked, and nothing else is wrong',
    (name) => {
      const { table, asked, answers, rows } = TABLES[name] as Unknown;
      const draft = draftOf(table, 'trades', {});
      expect(openIn(draft)).toBe(asked);
      expect(draftIn(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
      const read = readOf(table, answers);
      expect(read.slice(0, rows.length)).toEqual(rows);
      expect(read.filter((line) => /^(Bought|Sold|Long|Short)/.test(line))).toHaveLength(
        rows.length,
      );
    },
  );
});

/** Tables with a column that a field could take by mistake: the field, and what it has. */
const MISTAKEN: [
  name: string,
  header: string,
  row: string,
  field: string,
  source: unknown,
][] = [
  [
    'a price next to an average',
    'Date,Symbol,Side,Quantity,Price,Average Price',
    '5,4.9',
    'price',
    '?',
  ],
  [
    'a price of the order',
    'Date,Symbol,Side,Quantity,Limit Price,Price',
    '5,4.9',
    'price',
    '?',
  ],
  [
    'a price of the fill',
    'Date,Symbol,Side,Quantity,Limit Price,Fill Price',
    '5,4.9',
    'price',
    'Fill Price',
  ],
  [
    'a rate of exchange',
    'Date,Symbol,Side,Quantity,Price,Exchange Rate',
    '5,0.9',
    'price',
    'Price',
  ],
  [
    'a volume beside a quantity',
    'Date,Symbol,Side,Quantity,Price,Volume',
    '5,50',
    'quantity',
    '?',
  ],
  [
    'a rate of fees',
    'Date,Symbol,Side,Quantity,Price,Fee Rate',
    '5,0.1',
    'fees',
    undefined,
  ],
  [
    'an amount after fees',
    'Date,Symbol,Side,Quantity,Price,Net after fees',
    '5,49',
    'fees',
    '?',
  ],
  [
    'a swap that may be income',
    'Date,Symbol,Side,Quantity,Price,Swap',
    '5,0.1',
    'fees',
    '?',
  ],
  [
    'costs of either sign',
    'Date,Symbol,Side,Quantity,Price,Fee',
    '5,-1\n2026-05-02,ABC,Buy,10,5,1',
    'fees',
    '?',
  ],
  [
    'costs in percent',
    'Date,Symbol,Side,Quantity,Price,Commission',
    '5,0.1%',
    'fees',
    '?',
  ],
  [
    'two times',
    'Date,Symbol,Side,Quantity,Price,Order Time',
    '5,2026-05-01 09:00',
    'executed_at',
    '?',
  ],
  [
    'a day of settlement',
    'Date,Symbol,Side,Quantity,Price,Settlement Date',
    '5,2026-05-03',
    'executed_at',
    'Date',
  ],
  [
    'a day beside a whole time',
    'Date,Symbol,Side,Quantity,Price,Placed',
    '5,2026-05-01 09:00',
    'executed_at',
    '?',
  ],
  [
    'costs whose names are abbreviations',
    'Date,Symbol,Side,Quantity,Price,Comm,SEC,TAF',
    '5,1,0.1,0.2',
    'fees',
    '?',
  ],
  [
    'a fee of conversion',
    'Date,Symbol,Side,Quantity,Price,Currency conversion fee',
    '5,1',
    'fees',
    'Currency conversion fee',
  ],
  [
    'costs in a compound',
    'Date,Symbol,Side,Quantity,Price,IBCommission',
    '5,-1',
    'fees',
    { column: 'IBCommission', sign: 'negate' },
  ],
  [
    'costs in Spanish',
    'Date,Symbol,Side,Quantity,Price,Costes de transacción',
    '5,1',
    'fees',
    'Costes de transacción',
  ],
  [
    'two currencies',
    'Date,Symbol,Side,Quantity,Price,Currency,Currency',
    '5,USD,EUR',
    'currency',
    '?',
  ],
];

test.each([
  'Time,Symbol,Side,Qty,Price,Price\n2026-05-01 10:00,ABC,Buy,1,5,6',
  'Open,Symbol,Type,Volume,Price,Close,Profit\n2026-05-01 10:00,ABC,Buy,1,5,2026-05-01 11:00,6',
  'Open Date,Close Date,Symbol,Units,Amount,Open Rate,Close Rate\n2026-05-01,2026-05-02,ABC,1,5,5,6',
])('a table that may be of closed trades has no target: %s', (table) => {
  expect(draftOf(Buffer.from(table), 'trades', {})).toMatchObject({
    target: '?',
    fields: {},
  });
});

test.each(MISTAKEN)('%s', (_, header, row, field, source) => {
  const draft = draftOf(csv(header, `2026-05-01,ABC,Buy,10,${row}`), 'trades', {});
  expect(draft.fields[field]).toEqual(source);
});

test.each([
  ['Time(UTC)', 'UTC'],
  ['Time (UTC+2)', 'Etc/GMT-2'],
  ['time_utc', 'UTC'],
  ['Time (UTC+05:30)', '?'],
  ['Time', undefined],
])('the zone of %s is %s', (name, zone) => {
  const table = csv(
    `${name},Symbol,Side,Quantity,Price`,
    '2026-05-01 10:00,ABC,Buy,10,5',
  );
  expect(draftOf(table, 'trades', {}).zone).toBe(zone);
});

test('a header below a title, and the best sheet of a workbook', () => {
  const rows = ['Time,Symbol,Side,Quantity,Price', '2026-11-16 09:31,ESZ6,Buy,1,6000'];
  const fields = {
    symbol: 'Symbol',
    market: { value: 'future' },
    executed_at: 'Time',
    quantity: 'Quantity',
    price: 'Price',
    side: { column: 'Side', words: { Buy: 'buy' } },
  };
  expect(
    draftOf(csv('Trades of account 7', ',,,,', ...rows), 'trades', {}).fields,
  ).toEqual(fields);
  const bytes = book(['Account,Details', 'A1,x'], rows);
  expect(draftOf(bytes, 'Ünïcode & Co. (2026) – a long name', {})).toMatchObject({
    name: 'unicode-co-2026-a-lo',
    fields,
  });
  expect(() => draftOf(Buffer.from(''), 'trades', {})).toThrow('no table in this file');
});

describe('import --map new', () => {
  const TABLE = 'Time,Symbol,Side,Quantity,Price\n2026-11-16 09:31,AAPL,Buy,1,2\n';

  test('writes the draft next to the file, never over another, and imports nothing', async () => {
    const folder = temporaryFolder();
    const run = (...args: string[]) =>
      runHere(['import', 'my trades.csv', '--map', 'new', '--home', 'home', ...args], {
        cwd: folder,
      });
    writeFileSync(join(folder, 'my trades.csv'), TABLE);
    const first = await run('--timezone', 'America/New_York');
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^market: .*\ncurrency: .*\n$/),
    });
    expect(first.stderr).toContain(
      `Replace each "?" in my trades.map.json, then: journal-api import 'my trades.csv' --map 'my trades.map.json'`,
    );
    const draft = JSON.parse(readFileSync(join(folder, 'my trades.map.json'), 'utf8'));
    expect(draft).toMatchObject({
      zone: 'America/New_York',
      columns: { Symbol: ['AAPL'] },
    });
    expect(existsSync(join(folder, 'home'))).toBe(false);
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already exists'),
    });
  });

  test('a file of an unknown platform is pointed to it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'deals.csv'), TABLE);
    const { code, stderr } = await runHere(['import', 'deals.csv', '--home', 'home'], {
      cwd: folder,
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('"journal-api import deals.csv --map new" drafts one.'),
    ]);
  });

  test.each([
    [['a.csv', 'b.csv'], '--map new takes one file'],
    [['-'], '--map new takes one file'],
    [['.'], '. is a folder; name one of its files'],
    [['none.csv'], "none.csv can't be read"],
  ])('takes one existing file: %j', async (paths, words) => {
    const { code, stderr } = await runHere(
      ['import', ...paths, '--map', 'new', '--home', 'home'],
      {
        cwd: temporaryFolder(),
      },
    );
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(words);
  });
});

/** Columns of a table of fills by what they hold; the last ones have names that may mean something else. */
const TRUE = {
  executed_at: [
    'Time',
    'Execution Time',
    'Datum',
    'Fecha y hora',
    'Deal Time',
    'Timestamp',
    'Done',
  ],
  symbol: ['Symbol', 'Ticker', 'Instrument', 'Wertpapier', 'Titolo', 'Name'],
  side: ['Side', 'Direction', 'Action', 'Art', 'Sens', 'Way'],
  quantity: [
    'Quantity',
    'Qty',
    'Stück',
    'Filled Qty',
    'Cantidad',
    'Menge',
    'Size',
    'Executed',
    'Nominale',
  ],
  price: [
    'Price',
    'Fill Price',
    'Kurs',
    'Prezzo',
    'Execution Price',
    'Avg Price',
    'Rate',
    'Level',
  ],
  fees: ['Fee', 'Commission', 'Gebühr', 'Comm', 'Frais de courtage'],
};

/** Other columns of such tables, with a cell of the first row and of the second. */
const OTHERS: Readonly<Record<string, [string, string]>> = {
  'Order Price': ['5.1', '0'],
  'Limit Price': ['5.1', '0'],
  'Last Price': ['7', '7'],
  'Average Price': ['4', '4'],
  'FX Rate': ['0.9', '0.91'],
  Total: ['51', '61'],
  Amount: ['50', '60'],
  Betrag: ['50', '60'],
  'Net Amount': ['-51', '61'],
  'Order Qty': ['20', '10'],
  Remaining: ['10', '0'],
  Volume: ['50', '60'],
  'Quantity (USD)': ['50', '60'],
  Lots: ['1', '1'],
  'Order Time': ['2026-05-01 08:00', '2026-05-02 08:00'],
  Updated: ['2026-05-01 11:00', '2026-05-02 11:00'],
  'Settlement Date': ['2026-05-03', '2026-05-04'],
  'Fee Rate': ['0.1', '0.1'],
  Balance: ['949', '1010'],
  'P&L': ['0', '10'],
  'Order ID': ['100001', '100002'],
  Leverage: ['5', '5'],
  Exchange: ['XNYS', 'XNAS'],
};

test('whatever other columns a table has, a column that is not asked about is the right one', () => {
  const names = fc.record(
    Object.fromEntries(
      Object.entries(TRUE).map(([field, own]) => [field, fc.constantFrom(...own)]),
    ),
  );
  const more = fc.subarray(Object.keys(OTHERS), { maxLength: 5 });
  const flags = fc.record({ hasStatus: fc.boolean(), hasTax: fc.boolean() });
  fc.assert(
    fc.property(
      names,
      more,
      flags,
      fc.nat(),
      (own, others, { hasStatus, hasTax }, turn) => {
        const columns: [string, string, string][] = [
          [own['executed_at'] as string, '2026-05-01 10:00', '2026-05-02 10:00'],
          [own['symbol'] as string, 'ABC', 'ABC'],
          [own['side'] as string, 'Buy', 'Sell'],
          [own['quantity'] as string, '10', '10'],
          [own['price'] as string, '5', '6'],
          [own['fees'] as string, '1', '1'],
          ...others.map((name): [string, string, string] => [
            name,
            ...(OTHERS[name] as [string, string]),
          ]),
          ...(hasStatus
            ? [['Status', 'Filled', 'Cancelled'] as [string, string, string]]
            : []),
          ...(hasTax ? [['Stamp Tax', '0.5', '0'] as [string, string, string]] : []),
        ];
        const turned = columns.map(
          (_, index) =>
            columns[(index + turn) % columns.length] as (typeof columns)[number],
        );
        const rows = [0, 1, 2].map((place) =>
          turned.map((column) => column[place]).join(','),
        );
        const { fields, skip } = draftOf(csv(...rows), 'trades', {});
        for (const field of Object.keys(TRUE)) {
          const source = fields[field];
          const column =
            typeof source === 'object' && 'column' in source ? source.column : source;
          if (column !== '?' && column !== undefined)
            expect([field, column]).toEqual([field, own[field]]);
        }
        if (Object.keys(fields).length === 0) return;
        expect(fields['fees']).toBeDefined();
        if (hasStatus) expect(skip).toBe('?');
        if (hasTax) expect(fields['fees']).toBe('?');
      },
    ),
    { numRuns: runs(3000, 300) },
  );
});
