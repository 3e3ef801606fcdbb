/** Exchange rates by day for trades without one: trades, days, direction, and missing rates. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { listRates, removeRates, setRates } from '../../src/edit/rates.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { UserChanges } from '../../src/journal-write/users.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

/** Closed on a day in UTC. */
const trade = (id: string, currency: string, day: string, more: object = {}) => ({
  ...{
    ...TRADE,
    id,
    currency,
    executed_at: `${day}T10:00:00Z`,
    closed_at: `${day}T23:30:00Z`,
  },
  ...more,
});

function homeWith(user: UserChanges, ...trades: object[]): ImportHome {
  const home = new ImportHome().withUser('me', user);
  home.import(home.lines('trades.jsonl', ...trades));
  return home;
}

const ratesOf = (home: ImportHome) =>
  Object.fromEntries(
    home.rows('SELECT id, fx_rate FROM trades').map(({ id, fx_rate }) => [id, fx_rate]),
  );

const ECB = `Date,USD,JPY,GBP,
2026-11-20,1.25,150,N/A,
2026-11-19,1.2,160,0.8,
2026-11-13,1.1,155,0.88,
`;

test('a table of date, currency and rate fills in rates by the closing day, or the last day before it', () => {
  const home = homeWith(
    { base_currency: 'USD' },
    trade('day', 'EUR', '2026-11-20'),
    trade('weekend', 'EUR', '2026-11-22'),
    trade('week', 'EUR', '2026-11-27'),
    trade('older', 'EUR', '2026-11-28'),
    trade('before', 'EUR', '2026-11-18'),
    trade('given', 'EUR', '2026-11-20', { fx_rate: 9 }),
    trade('base', 'USD', '2026-11-20'),
    trade('other', 'CHF', '2026-11-20'),
    {
      ...trade('open', 'EUR', '2026-11-20'),
      status: 'open',
      closed_at: null,
      exit_price: null,
      gross_pnl: 0,
    },
  );
  const path = home.file(
    'rates.csv',
    'date;currency;rate\n2026-11-19;EUR;1.1\n2026-11-20;eur;1.2\n2026-11-20;USD;1\n',
  );
  const [file] = home.import(path).files;
  expect(file).toMatchObject({ format: 'rates', changed: 3, added: 0, platform: null });
  expect(file?.rates).toEqual({
    filled: 3,
    missing: [
      { currency: 'EUR', trades: 2, first: '2026-11-18', last: '2026-11-28' },
      { currency: 'CHF', trades: 1, first: '2026-11-20', last: '2026-11-20' },
    ],
  });
  expect(ratesOf(home)).toEqual({
    ...{
      day: 1.2,
      weekend: 1.2,
      week: 1.2,
      older: null,
      before: null,
      given: 9,
      base: null,
      other: null,
      open: null,
    },
  });

  const bytes = home.hash();
  expect(home.import(path).files[0]).toMatchObject({ changed: 0, rates: { filled: 0 } });
  expect(home.hash()).toBe(bytes);

  expect(undoImport(home.target)).toMatchObject({
    records: { restored: 3 },
  });
  expect(Object.values(ratesOf(home)).filter((rate) => rate !== null)).toEqual([9]);
});

test('days without a rate are named from first to last, independent of ids', () => {
  const days = { c: '2026-11-02', a: '2026-11-05', b: '2026-11-09' };
  const home = homeWith(
    { base_currency: 'USD' },
    ...Object.entries(days).map(([id, day]) => trade(id, 'EUR', day)),
  );
  const [file] = home.import(
    home.file('rates.csv', 'date,currency,rate\n2026-01-02,EUR,1.1\n'),
  ).files;
  expect(file?.rates?.missing).toEqual([
    { currency: 'EUR', trades: 3, first: '2026-11-02', last: '2026-11-09' },
  ]);
});

test("the closing day is the user's", () => {
  const home = homeWith(
    { base_currency: 'EUR', timezone: 'Asia/Tokyo' },
    trade('t', 'USD', '2026-11-19'),
  );
  home.import(home.file('eurofxref-hist.csv', ECB));
  expect(ratesOf(home)).toEqual({ t: 1 / 1.25 });
});

test('a trade made from fills keeps its rate when its fills are walked again', () => {
  const HEADER =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
  const first = 'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00';
  const earlier = 'MESZ6,8,9,1,6000,6001,$5.00,11/18/2026 09:30:00,11/18/2026 09:40:00';
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  home.import(home.file('a.csv', [HEADER, first].join('\n')));
  home.import(home.file('eurofxref-hist.csv', ECB));
  expect(Object.values(ratesOf(home))).toEqual([Number((1 / 1.2).toPrecision(10))]);
  home.import(home.file('b.csv', [HEADER, earlier, first].join('\n')));
  expect(Object.values(ratesOf(home)).sort()).toEqual(
    [1 / 1.2, 1 / 1.1].map((rate) => Number(rate.toPrecision(10))),
  );
});

test.each([
  ['EUR', { USD: 0.8, JPY: Number((1 / 150).toPrecision(10)), GBP: 1.25 }],
  ['USD', { EUR: 1.25, JPY: Number((1.25 / 150).toPrecision(10)), GBP: 1.5 }],
  ['GBP', { EUR: 0.8, USD: Number((0.8 / 1.2).toPrecision(10)), JPY: 0.005 }],
])("the European Central Bank's file to %s, N/A left out", (base, expected) => {
  const home = homeWith(
    { base_currency: base },
    ...Object.keys(expected).map((currency) => trade(currency, currency, '2026-11-20')),
  );
  home.import(home.file('eurofxref-hist.csv', ECB));
  expect(ratesOf(home)).toEqual(expected);
});

const ECB_DAY = 'Date, USD, JPY, GBP, \n20 November 2026, 1.25, 150, 0.8, \n';
const ECB_XML = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube>
    <Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/><Cube currency='JPY' rate='150'/></Cube>
    <Cube time="2026-11-19"><Cube currency="USD" rate="1.2"/></Cube>
  </Cube>
</gesmes:Envelope>`;
const zipped = (name: string, text: string) =>
  Buffer.from(zipSync({ [name]: strToU8(text) }));

test.each([
  ['eurofxref.csv', ECB_DAY],
  ['eurofxref-daily.xml', ECB_XML],
  ['eurofxref.zip', zipped('eurofxref.csv', ECB_DAY)],
  ['eurofxref-hist.zip', zipped('eurofxref-hist.csv', ECB)],
])("the European Central Bank's %s as it comes", (name, content) => {
  const home = homeWith(
    { base_currency: 'EUR' },
    trade('USD', 'USD', '2026-11-20'),
    trade('JPY', 'JPY', '2026-11-20'),
  );
  expect(home.import(home.file(name, content)).files[0]).toMatchObject({
    format: 'rates',
    changed: 2,
  });
  expect(ratesOf(home)).toEqual({ USD: 0.8, JPY: Number((1 / 150).toPrecision(10)) });
});

test.each([
  ['cut.xml', ECB_XML.slice(0, -60), 'is never closed; the file is truncated or damaged'],
  ['wrong.xml', ECB_XML.replace("'1.25'", "'&amp;x;'"), 'USD: must be a number'],
  [
    'early.xml',
    ECB_XML.replace("<Cube time='2026-11-20'>", '<Cube>'),
    'Cube: has a rate before any day',
  ],
  [
    'twice.xml',
    ECB_XML.replace(
      "<Cube currency='JPY'",
      "<Cube currency='USD' rate='1.3'/><Cube currency='JPY'",
    ),
    'USD: is a second rate of USD; keep one',
  ],
  [
    'eurofxref-hist.csv',
    'Date,USD,JPY,USD,\n2026-11-20,1.25,150,1.3,\n',
    'USD: is a second rate of USD; keep one',
  ],
  ['cut.zip', zipped('eurofxref.csv', ECB_DAY).subarray(0, 90), 'the archive is damaged'],
])('%s is rejected', (name, content, words) => {
  const home = homeWith({ base_currency: 'EUR' }, trade('USD', 'USD', '2026-11-20'));
  expect(home.refusalOf(home.file(name, content))).toContain(words);
});

test.each([
  ['date,currency,rate\n2026-11-20,EUR,0\n', '2: rate: '],
  [
    'date,currency,rate\n2026-11-20,EUR,0.0000000000001\n',
    '2: date: the rate of EUR on 2026-11-20 is 1e-13; a rate is at least 1e-12 and below 1000000000000',
  ],
  [
    'date,currency,rate\n2026-11-20,EUR,1000000000000\n',
    'a rate is at least 1e-12 and below',
  ],
  [
    'date,currency,rate\n20.11.2026,EUR,1.1\n',
    '2: date: must be a date with the year first',
  ],
  [
    'date,currency,rate\n2026-11-20,Euro zone,1.1\n',
    '2: currency: must be a currency, such as EUR; got "Euro zone"',
  ],
  [
    'date,currency,rate\n2026-11-20,EUR,1.1\n2026-11-20,EUR,1.2\n',
    '3: date: two rates for EUR on 2026-11-20: 1.1 and 1.2; keep one',
  ],
])('%j is rejected', (text, words) => {
  const home = homeWith({ base_currency: 'USD' }, trade('t', 'EUR', '2026-11-20'));
  expect(home.refusalOf(home.file('rates.csv', text)).trimStart()).toContain(words);
  expect(ratesOf(home)).toEqual({ t: null });
});

describe('set rates', () => {
  const options = (home: ImportHome) => home.target;
  const set = (home: ImportHome, rates: Record<string, number>, from?: string) =>
    setRates(options(home), new Map(Object.entries(rates)), from, 'rates set');

  test('fill in what files lack, now and in later imports; own rates and tables of the day win', () => {
    const home = homeWith(
      { base_currency: 'USD' },
      trade('own', 'EUR', '2026-11-20', { fx_rate: 9 }),
      trade('a', 'EUR', '2026-11-20'),
      {
        ...trade('open', 'EUR', '2026-11-20'),
        status: 'open',
        closed_at: null,
        exit_price: null,
        gross_pnl: 0,
      },
    );
    expect(set(home, { EUR: 1.5 })).toMatchObject({ filled: 1, cleared: 0, import: 2 });
    home.import(home.lines('trades.jsonl', trade('later', 'EUR', '2026-12-01')));
    expect(set(home, { EUR: 1.6 }, '2026-12-01')).toMatchObject({ filled: 1 });
    expect(ratesOf(home)).toEqual({ own: 9, a: 1.5, later: 1.6, open: null });
    home.import(home.file('rates.csv', 'date,currency,rate\n2026-11-20,EUR,1.2\n'));
    expect(ratesOf(home)).toEqual({ own: 9, a: 1.2, later: 1.6, open: null });
    expect(listRates(options(home))).toMatchObject([
      { currency: 'EUR', kind: 'set', rate: 1.5, from: null, is_used: true },
      { currency: 'EUR', kind: 'set', rate: 1.6, from: '2026-12-01', is_used: true },
      { currency: 'EUR', kind: 'table', days: 1, from: '2026-11-20', to: '2026-11-20' },
    ]);
    home.import(home.lines('trades.jsonl', trade('weekend', 'EUR', '2026-11-22')));
    expect(ratesOf(home)).toMatchObject({ weekend: 1.2 });
    const before = home.everything();
    expect(removeRates(options(home), ['EUR'], 'rates remove EUR')).toMatchObject({
      cleared: 1,
      filled: 0,
    });
    expect(ratesOf(home)).toEqual({
      own: 9,
      a: 1.2,
      weekend: 1.2,
      later: null,
      open: null,
    });
    expect(undoImport(options(home))).toMatchObject({ records: { restored: 1 } });
    expect(unstamped(home.everything())).toEqual(unstamped(before));
  });

  test('a rate that a person or another program writes is kept, whatever is set', () => {
    const home = homeWith(
      { base_currency: 'USD' },
      trade('a', 'EUR', '2026-11-20'),
      trade('b', 'EUR', '2026-11-20'),
    );
    set(home, { EUR: 1.5 });
    home.write("UPDATE trades SET fx_rate = 1.7 WHERE id = 'a'");
    home.import(home.lines('trades.jsonl', { id: 'b', fx_rate: 1.8 }));
    set(home, { EUR: 2 });
    expect(ratesOf(home)).toEqual({ a: 1.7, b: 1.8 });
    removeRates(options(home), ['EUR'], 'rates remove EUR');
    expect(ratesOf(home)).toEqual({ a: 1.7, b: 1.8 });
  });

  test('a rate for all days replaces earlier ones; the same again changes nothing', () => {
    const home = homeWith(
      { base_currency: 'USD' },
      trade('a', 'EUR', '2026-11-20'),
      trade('b', 'EUR', '2026-12-20'),
    );
    set(home, { EUR: 1.5 }, '2026-12-01');
    expect(ratesOf(home)).toEqual({ a: null, b: 1.5 });
    set(home, { EUR: 1.1 });
    expect(ratesOf(home)).toEqual({ a: 1.1, b: 1.1 });
    expect(set(home, { EUR: 1.1 })).toMatchObject({ import: null, filled: 0 });
  });

  test('another base currency leaves them unused; changing back uses them again', async () => {
    const home = homeWith({ base_currency: 'USD' }, trade('a', 'EUR', '2026-11-20'));
    set(home, { EUR: 1.5 });
    const command = (currency: string) => [
      'user',
      'set',
      'me',
      '--base-currency',
      currency,
      '--db',
      home.journal,
    ];
    expect(await runHere(command('CHF'))).toMatchObject({ code: 0 });
    expect(ratesOf(home)).toEqual({ a: null });
    expect((await runHere(['rates', 'list', '--db', home.journal])).stdout).toContain(
      'no: another base currency',
    );
    expect(await runHere(command('USD'))).toMatchObject({ code: 0 });
    expect(ratesOf(home)).toEqual({ a: 1.5 });
  });

  test('an export keeps them', async () => {
    const home = homeWith({ base_currency: 'USD' }, trade('a', 'EUR', '2026-11-20'));
    set(home, { EUR: 1.5 });
    const { exportJournal } = await import('../../src/export/index.ts');
    await exportJournal({ journal: home.journal, folder: home.path('out'), as: 'jsonl' });
    const other = new ImportHome().withUser('me', { base_currency: 'USD' });
    other.import(home.path('out'));
    other.import(other.lines('trades.jsonl', trade('later', 'EUR', '2026-12-01')));
    expect(ratesOf(other)).toEqual({ a: 1.5, later: 1.5 });
  });

  test.each([
    [
      ['set', 'EUR'],
      2,
      'rates set takes a currency and a number above 0, such as EUR=1.09; got "EUR"',
    ],
    [['set', 'EUR=0'], 2, 'got "EUR=0"'],
    [['set', 'EUR=1e3'], 2, 'got "EUR=1e3"'],
    [['set', 'EUR=1', 'eur=2'], 2, 'EUR appears twice; keep one'],
    [['set', 'USD=1'], 1, 'USD is your base currency, whose rate is 1; omit it'],
    [
      ['set', 'EUR=1', '--from', '1.6.2026'],
      2,
      '--from takes a day, such as 2026-06-01; got "1.6.2026"',
    ],
    [
      ['remove', 'GBP'],
      1,
      'there is no rate of GBP to remove; "journal-api rates list" shows all rates',
    ],
    [['remove', 'EUR=1'], 2, 'rates remove takes currencies, such as EUR; got "EUR=1"'],
  ])('rates %j says what is wrong', async (words, code, message) => {
    const home = homeWith({ base_currency: 'USD' }, trade('a', 'EUR', '2026-11-20'));
    const bytes = home.hash();
    const { stderr, ...run } = await runHere(['rates', ...words, '--db', home.journal]);
    expect(run.code).toBe(code);
    expect(stderr).toContain(message);
    expect(home.hash()).toBe(bytes);
  });
});

const unstamped = (records: Record<string, Row[]>) =>
  JSON.parse(
    JSON.stringify(records, (name, value) =>
      /^(created|updated)_at$/.test(name) ? undefined : value,
    ),
  );
