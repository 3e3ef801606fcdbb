/** Exchange rates by day for trades without one: trades, days, direction, and missing rates. */
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { undoImport } from '../../src/import/edit/undo.ts';
import type { UserChanges } from '../../src/journal-write/users.ts';
import { ImportHome, TRADE } from './home.ts';

/** Closed on a day in UTC. */
const trade = (id: string, currency: string, day: string, more: object = {}) => ({
  ...{ ...TRADE, id, currency, executed_at: `${day}T10:00:00Z`, closed_at: `${day}T23:30:00Z` },
  ...more,
});

function homeWith(user: UserChanges, ...trades: object[]): ImportHome {
  const home = new ImportHome().withUser('me', user);
  home.import(home.lines('trades.jsonl', ...trades));
  return home;
}

const ratesOf = (home: ImportHome) =>
  Object.fromEntries(home.rows('SELECT id, fx_rate FROM trades').map(({ id, fx_rate }) => [id, fx_rate]));

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
    { ...trade('open', 'EUR', '2026-11-20'), status: 'open', closed_at: null, exit_price: null, gross_pnl: 0 },
  );
  const path = home.file('rates.csv', 'date;currency;rate\n2026-11-19;EUR;1.1\n2026-11-20;eur;1.2\n2026-11-20;USD;1\n');
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
    ...{ day: 1.2, weekend: 1.2, week: 1.2, older: null, before: null, given: 9, base: null, other: null, open: null },
  });

  const bytes = home.hash();
  expect(home.import(path).files[0]).toMatchObject({ changed: 0, rates: { filled: 0 } });
  expect(home.hash()).toBe(bytes);

  expect(undoImport({ journal: home.journal, now: home.now })).toMatchObject({ records: { restored: 3 } });
  expect(Object.values(ratesOf(home)).filter((rate) => rate !== null)).toEqual([9]);
});

test('days without a rate are named from first to last, independent of ids', () => {
  const days = { c: '2026-11-02', a: '2026-11-05', b: '2026-11-09' };
  const home = homeWith({ base_currency: 'USD' }, ...Object.entries(days).map(([id, day]) => trade(id, 'EUR', day)));
  const [file] = home.import(home.file('rates.csv', 'date,currency,rate\n2026-01-02,EUR,1.1\n')).files;
  expect(file?.rates?.missing).toEqual([{ currency: 'EUR', trades: 3, first: '2026-11-02', last: '2026-11-09' }]);
});

test("the closing day is the user's", () => {
  const home = homeWith({ base_currency: 'EUR', timezone: 'Asia/Tokyo' }, trade('t', 'USD', '2026-11-19'));
  home.import(home.file('eurofxref-hist.csv', ECB));
  expect(ratesOf(home)).toEqual({ t: 1 / 1.25 });
});

test('a trade made from fills keeps its rate when its fills are walked again', () => {
  const HEADER = 'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
  const first = 'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00';
  const earlier = 'MESZ6,8,9,1,6000,6001,$5.00,11/18/2026 09:30:00,11/18/2026 09:40:00';
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  home.import(home.file('a.csv', [HEADER, first].join('\n')));
  home.import(home.file('eurofxref-hist.csv', ECB));
  expect(Object.values(ratesOf(home))).toEqual([Number((1 / 1.2).toPrecision(10))]);
  home.import(home.file('b.csv', [HEADER, earlier, first].join('\n')));
  expect(Object.values(ratesOf(home)).sort()).toEqual([Number((1 / 1.2).toPrecision(10)), null]);
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
const zipped = (name: string, text: string) => Buffer.from(zipSync({ [name]: strToU8(text) }));

test.each([
  ['eurofxref.csv', ECB_DAY],
  ['eurofxref-daily.xml', ECB_XML],
  ['eurofxref.zip', zipped('eurofxref.csv', ECB_DAY)],
  ['eurofxref-hist.zip', zipped('eurofxref-hist.csv', ECB)],
])("the European Central Bank's %s as it comes", (name, content) => {
  const home = homeWith({ base_currency: 'EUR' }, trade('USD', 'USD', '2026-11-20'), trade('JPY', 'JPY', '2026-11-20'));
  expect(home.import(home.file(name, content)).files[0]).toMatchObject({ format: 'rates', changed: 2 });
  expect(ratesOf(home)).toEqual({ USD: 0.8, JPY: Number((1 / 150).toPrecision(10)) });
});

test.each([
  ['cut.xml', ECB_XML.slice(0, -60), 'is never closed; the file is truncated or damaged'],
  ['wrong.xml', ECB_XML.replace("'1.25'", "'&amp;x;'"), 'USD: must be a number'],
  ['early.xml', ECB_XML.replace("<Cube time='2026-11-20'>", '<Cube>'), 'Cube: has a rate before any day'],
  ['cut.zip', zipped('eurofxref.csv', ECB_DAY).subarray(0, 90), 'the archive is damaged'],
])('%s is rejected', (name, content, words) => {
  const home = homeWith({ base_currency: 'EUR' }, trade('USD', 'USD', '2026-11-20'));
  expect(home.refusalOf(home.file(name, content))).toContain(words);
});

test.each([
  ['date,currency,rate\n2026-11-20,EUR,0\n', '2: rate: '],
  ['date,currency,rate\n20.11.2026,EUR,1.1\n', '2: date: must be a date with the year first'],
  ['date,currency,rate\n2026-11-20,Euro zone,1.1\n', '2: currency: must be a currency, such as EUR; got "Euro zone"'],
  [
    'date,currency,rate\n2026-11-20,EUR,1.1\n2026-11-20,EUR,1.2\n',
    '3: date: two rates for EUR on 2026-11-20: 1.1 and 1.2; keep one',
  ],
])('%j is rejected', (text, words) => {
  const home = homeWith({ base_currency: 'USD' }, trade('t', 'EUR', '2026-11-20'));
  expect(home.refusalOf(home.file('rates.csv', text)).trimStart()).toContain(words);
  expect(ratesOf(home)).toEqual({ t: null });
});
