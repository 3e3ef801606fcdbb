/** DEGIRO's transactions: many languages, unnamed columns. */
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const HEADERS = {
  en: 'Date,Time,Product,ISIN,Reference exchange,Venue,Quantity,Price,,Local value,,Value,,Exchange rate,Transaction and/or third,,Total,,Order ID',
  de: 'Datum,Uhrzeit,Produkt,ISIN,Referenzbörse,Ausführungsort,Anzahl,Kurs,,Wert in Lokalwährung,,Wert,,Wechselkurs,Transaktionsgebühren,,Gesamt,,Order-ID',
  es: 'Fecha,Hora,Producto,ISIN,Bolsa de,Centro de ejecución,Número,Precio,,Valor local,,Valor,,Tipo de cambio,Costes de transacción,,Total,,ID Orden',
  fr: "Date,Heure,Produit,Code ISIN,Place boursière,Lieu d'exécution,Quantité,Cours,,Montant devise locale,,Montant,,Taux de change,Frais de courtage,,Montant négocié,,ID Ordre",
  it: 'Data,Ora,Prodotto,ISIN,Borsa di riferimento,Borsa,Quantità,Quotazione,,Valore locale,,Valore,,Tasso di cambio,Costi di transazione,,Totale,,ID Ordine',
  nl: 'Datum,Tijd,Product,ISIN,Beurs,Uitvoeringsplaats,Aantal,Koers,,Lokale waarde,,Waarde,,Wisselkoers,Transactiekosten,,Totaal,,Order ID',
  pt: 'Data,Hora,Produto,ISIN,Bolsa de referência,Bolsa,Quantidade,Preços,,Valor local,,Valor,,Taxa de Câmbio,Custos de transação,,Total,,ID da Ordem',
};

const ROWS = [
  '03-03-2026,15:30,ACME INC,US0000000001,NSY,XNYS,-58,9.1000,USD,527.80,USD,475.76,EUR,1.1094,-2.00,EUR,473.76,EUR,b1',
  '02-03-2026,15:47,ACME INC,US0000000001,NSY,XNYS,8,7.6000,USD,-60.80,USD,-54.98,EUR,1.1059,,EUR,-54.98,EUR,a1',
  '02-03-2026,15:47,ACME INC,US0000000001,NSY,XNYS,50,7.6000,USD,-380.00,USD,-343.61,EUR,1.1059,-2.00,EUR,-345.61,EUR,a1',
  '02-03-2026,10:00,BRIT PLC,GB0000000001,LSE,XLON,100,250.0000,GBX,-25000.00,GBX,-290.70,EUR,86.0000,-3.00,EUR,-293.70,EUR,c1',
  '02-03-2026,09:00,ACM P15.00 19JUN26,NLEX00000001,EOE,XEUE,-2,1.5000,EUR,300.00,EUR,300.00,EUR,,-1.50,EUR,298.50,EUR,d1',
];

const SHOWN = `SELECT symbol, market, side, status, executed_at, quantity, multiplier, currency, gross_pnl, round(fees, 4) AS fees, round(fx_rate, 6) AS rate
  FROM trades ORDER BY symbol`;

const EXPECTED = [
  'ACM 2026-06-19 P15 option short open 2026-03-02T08:00:00.000Z 2 100 EUR 0 1.5',
  'ACME INC stock long closed 2026-03-02T14:47:00.000Z 58 1 USD 87 4.4306',
  'BRIT PLC stock long open 2026-03-02T09:00:00.000Z 100 1 GBP 0 2.58',
];

function imported(text: string): { home: ImportHome; shown: string[]; notes: string } {
  const home = new ImportHome().withUser('me', {
    base_currency: 'EUR',
    timezone: 'Europe/Madrid',
  });
  expect(home.import(home.file('Transactions.csv', text)).files[0]?.format).toBe(
    'degiro',
  );
  return {
    home,
    shown: home.rows(SHOWN).map((row) => Object.values(row).join(' ')),
    notes: home.notes.join('\n'),
  };
}

/** The same with decimal commas. */
function withCommas(line: string): string {
  return line
    .split(',')
    .map((cell) => (/^-?\d+\.\d+$/.test(cell) ? `"${cell.replace('.', ',')}"` : cell))
    .join(',');
}

describe('transactions of our own', () => {
  test.each(Object.entries(HEADERS))('in %s become trades', (_, header) => {
    const { shown } = imported([header, ...ROWS].join('\n'));
    for (const [index, row] of shown.entries()) expect(row).toContain(EXPECTED[index]);
    expect(shown).toHaveLength(3);
  });

  test.each(['', ' ', '\u202f'])(
    'with decimal commas, and %j between thousands',
    (thousands) => {
      const rows = ROWS.map((row) =>
        withCommas(row).replaceAll('25000,00', `25${thousands}000,00`),
      );
      const { shown } = imported([HEADERS.de, ...rows].join('\n'));
      for (const [index, row] of shown.entries()) expect(row).toContain(EXPECTED[index]);
    },
  );

  test('with currencies in the names, and a separate column for the fee of the exchange', () => {
    const header =
      'Date,Time,Product,ISIN,Reference exchange,Venue,Quantity,Price,,Local value,,Value EUR,Exchange rate,AutoFX Fee,Transaction and/or third party fees EUR,Total EUR,Order ID,';
    const { home } = imported(
      [
        header,
        '02-03-2026,15:47,ACME INC,US0000000001,NSY,XNYS,58,7.6000,USD,-440.80,USD,-398.59,1.1059,-1.00,-2.00,-401.59,,a1',
      ].join('\n'),
    );
    expect(home.rows('SELECT fees, round(fx_rate, 5) AS rate FROM trades')).toEqual([
      { fees: 3.3177, rate: 0.90424 },
    ]);
  });

  test('units exchanged without an order: trades of both are unsure, and the money adds up', () => {
    const row = (
      time: string,
      product: string,
      units: number,
      price: number,
      order: string,
    ) =>
      `${time},${product},US0000000001,NSY,XNYS,${units},${price}.0000,USD,${-units * price}.00,USD,${-units * price}.00,EUR,1,,EUR,${-units * price}.00,EUR,${order}`;
    const { home } = imported(
      [
        HEADERS.en,
        row('04-03-2026,15:47', 'ACME NEW', -40, 30, 'a2'),
        row('03-03-2026,00:00', 'ACME NEW', 40, 25, ''),
        row('03-03-2026,00:00', 'ACME', -10, 100, ''),
        row('02-03-2026,15:47', 'ACME', 10, 90, 'a1'),
      ].join('\n'),
    );
    expect(
      home.rows('SELECT symbol, gross_pnl, tags FROM trades ORDER BY symbol'),
    ).toEqual([
      { symbol: 'ACME', gross_pnl: 100, tags: '["unsure"]' },
      { symbol: 'ACME NEW', gross_pnl: 200, tags: '["unsure"]' },
    ]);
  });

  test('without a column for the venue, and rows without an order', () => {
    const header = HEADERS.en.replace(',Venue', '');
    const { home, notes } = imported(
      [
        header,
        '02-03-2026,00:00,ACME-RTS,US0000000002,NSY,42,0.0000,USD,0.00,USD,0.00,EUR,1.1,,EUR,0.00,EUR,',
      ].join('\n'),
    );
    expect(home.rows('SELECT symbol, open_quantity FROM trades')).toEqual([
      { symbol: 'ACME-RTS', open_quantity: 42 },
    ]);
    expect(notes).toContain(
      '1 rows without an order, such as corporate actions, are read as fills',
    );
  });

  test('of older files, with each currency before its amount', () => {
    const text = [
      'Datum,Tijd,Product,ISIN,Exchange,Aantal,,Koers,,Lokale waarde,,Waarde,Wisselkoers,,Kosten,,Totaal,Order Id',
      '03-03-2026,15:30,ACME INC,US0000000001,NSY,-8,USD,9.1000,USD,72.80,EUR,66.18,1.1000,EUR,-0.50,EUR,65.68,b1',
      '02-03-2026,15:30,ACME INC,US0000000001,NSY,8,USD,9.0000,USD,-72.00,EUR,-65.45,1.1000,EUR,-0.50,EUR,-65.95,a1',
    ].join('\n');
    const { home } = imported(text);
    expect(
      home.rows(
        'SELECT quantity, currency, gross_pnl, round(fees, 4) AS fees FROM trades',
      ),
    ).toEqual([{ quantity: 8, currency: 'USD', gross_pnl: 0.8, fees: 1.1 }]);
  });

  test("with the value's currency only in the name of the total", () => {
    const header =
      'Date,Time,Product,ISIN,Reference exchange,Venue,Quantity,Price,,Local value,,Value,Exchange rate,AutoFX Fee,Transaction and/or third party fees EUR,Total EUR,Order ID';
    const row =
      '02-03-2026,15:47,ACME INC,US0000000001,NSY,XNYS,58,7.6000,USD,-440.80,USD,-398.59,1.1059,-1.00,-2.00,-401.59,a1';
    const { home } = imported([header, row].join('\n'));
    expect(home.rows('SELECT fees, round(fx_rate, 5) AS rate FROM trades')).toEqual([
      { fees: 3.3177, rate: 0.90424 },
    ]);
  });

  test('of a fund with a name too long for a symbol, under its ISIN', () => {
    const long =
      'AN EXCHANGE TRADED FUND WHOSE NAME GOES ON AND ON AND ON UCITS ETF USD ACC';
    const { home } = imported(
      [HEADERS.en, (ROWS[2] as string).replace('ACME INC', long)].join('\n'),
    );
    expect(home.rows('SELECT symbol FROM trades')).toEqual([{ symbol: 'US0000000001' }]);
  });

  test('a sale without a purchase is an unmatched close', () => {
    const home = new ImportHome().withUser();
    const file = home.import(home.file('t.csv', [HEADERS.nl, ROWS[0]].join('\n')))
      .files[0];
    expect(file?.platform).toMatchObject({
      trades: { closed: 0, open: 0 },
      unmatched: [{ quantity: 58 }],
    });
  });

  test.each([
    ['03-03-2026', '03-13-2026', '2: Date, Time: must be a time with the day first'],
    ['-58,', 'some,', '2: Quantity: must be a number'],
    ['-58,', '-,', '2: Quantity: must be a number'],
    [
      '9.1000,USD,527.80',
      '9.1000,US,527.80',
      '2: column 9: must be a currency, such as USD; got "US"',
    ],
    [
      '527.80',
      '727.80',
      '2: Local value: must be the quantity times the price; got "727.80"',
    ],
    ['1.1094', '-1.1094', '2: Exchange rate: must be above 0'],
  ])('%j for %j is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    const text = [HEADERS.en, ...ROWS].join('\n').replace(from, to);
    expect(home.refusalOf(home.file('t.csv', text))).toContain(message);
  });
});

// A real export, if available next to the project.

test.each(
  exportsWith(
    [
      'degiro/Transactions.csv',
      {
        fills: 9,
        open: 4,
        closed: { symbol: 'BOEING COMPANY (THE) C', quantity: 4, gross_pnl: 50 },
      },
    ],
    [
      'degiro/Transactions.csv',
      {
        fills: 13,
        open: 8,
        closed: { symbol: 'NUSCALE POWER CORP', quantity: 58, gross_pnl: 87 },
      },
    ],
  ),
)('$label makes the trade that it holds', ({ path, holds: { fills, open, closed } }) => {
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  const { platform } = home.import(path()).files[0] ?? {};
  expect(platform).toMatchObject({
    fills,
    trades: { closed: 1, open },
    unmatched: [{ quantity: 160 }],
  });
  expect(
    home.rows("SELECT symbol, quantity, gross_pnl FROM trades WHERE status = 'closed'"),
  ).toEqual([closed]);
});
