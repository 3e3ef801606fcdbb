/** Proposed mappings for unknown files: fields detected from columns, and questions. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { proposeMapping } from '../../../src/commands/shared/propose-mapping.ts';
import { loadMapping } from '../../../src/import/mapping/load.ts';
import { patched, proposedMapping, withQuestions } from '../../../src/import/mapping/propose.ts';
import { mappingOf } from '../../../src/import/mapping/schema.ts';
import { newUser } from '../../../src/journal-write/users.ts';
import { temporaryFolder } from '../../helpers.ts';
import { runHere } from '../../program.ts';
import { ImportHome } from '../home.ts';

const SETTINGS = { user: newUser('me', { timezone: 'America/New_York' }), timeZone: undefined };

function proposal(text: string, stem = 'trades') {
  return proposedMapping(Buffer.from(text), stem, SETTINGS);
}

/** Questions about a file, except those that an import answers by itself. */
const asked = (text: string) =>
  proposal(text)
    .questions.filter(({ isAssumed }) => !isAssumed)
    .map(({ about }) => about);

const csv = (...lines: string[]) => `${lines.join('\n')}\n`;

const FILLS: Record<string, string> = {
  English: csv(
    'Trade ID,Date/Time,Symbol,Asset Class,Side,Quantity,Price,Commission,Currency',
    '1,2026-11-16 09:31:02,AAPL,Stocks,Buy,100,182.40,1.00,USD',
    '2,2026-11-16 09:45:40,AAPL,Stocks,Sell,100,183.15,1.00,USD',
  ),
  German: csv(
    'Nr.;Datum;Uhrzeit;Wertpapier;Wertpapierart;Richtung;Stück;Kurs;Gebühr;Währung',
    '1;16.11.2026;09:31:02;AAPL;Aktien;Kauf;100;182,40;-1,00;USD',
    '2;16.11.2026;09:45:40;AAPL;Aktien;Verkauf;100;183,15;-1,00;USD',
  ),
  French: csv(
    'Référence;Date;Heure;Valeur;Type instrument;Sens;Quantité;Cours;Frais;Devise',
    '1;16/11/2026;09:31:02;AAPL;Actions;Achat;100;182,40;1,00;USD',
    '2;16/11/2026;09:45:40;AAPL;Actions;Vente;100;183,15;1,00;USD',
  ).replace('Type instrument', 'Asset type'),
  Spanish: csv(
    'Fecha y hora\tSímbolo\tTipo de activo\tSentido\tCantidad\tPrecio\tComisión\tMoneda',
    '16/11/2026 09:31:02\tAAPL\tAcciones\tCompra\t100\t182,40\t1,00\tUSD',
    '16/11/2026 09:45:40\tAAPL\tAcciones\tVenta\t100\t183,15\t1,00\tUSD',
  ),
  Italian: csv(
    'Data;Ora;Strumento;Tipo strumento;Operazione;Quantità;Prezzo;Commissioni;Divisa',
    '16/11/2026;09:31:02;AAPL;Azioni;Acquisto;100;182,40;1,00;USD',
    '16/11/2026;09:45:40;AAPL;Azioni;Vendita;100;183,15;1,00;USD',
  ),
  Polish: csv(
    'Data i czas;Walor;Klasa aktywów;K/S;Ilość;Cena;Prowizja;Waluta',
    '16.11.2026 09:31:02;AAPL;Akcje;Kupno;100;182,40;1,00;USD',
    '16.11.2026 09:45:40;AAPL;Akcje;Sprzedaż;100;183,15;1,00;USD',
  ),
  Portuguese: csv(
    'Data hora;Ativo;Tipo de ativo;C/V;Qtde;Preço;Corretagem;Moeda',
    '16/11/2026 09:31:02;AAPL;Ações;C;100;182,40;1,00;USD',
    '16/11/2026 09:45:40;AAPL;Ações;V;100;183,15;1,00;USD',
  ),
  Dutch: csv(
    'Datum;Tijd;Product;Soort instrument;Koop/Verkoop;Aantal;Koers;Transactiekosten;Valuta',
    '16-11-2026;09:31:02;AAPL;Aandelen;Koop;100;182,40;-1,00;USD',
    '16-11-2026;09:45:40;AAPL;Aandelen;Verkoop;100;183,15;-1,00;USD',
  ),
};

describe('fills', () => {
  test.each(Object.keys(FILLS).filter((language) => language !== 'Portuguese'))(
    'in %s, without a question',
    (language) => {
      const text = FILLS[language] as string;
      const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
      const { mapping } = proposal(text);
      expect(asked(text)).toEqual([]);
      const map = home.file('my.json', JSON.stringify(mapping));
      home.import(home.file('trades.csv', text), { map: loadMapping(map) });
      expect(home.rows('SELECT symbol, market, side, quantity, gross_pnl, fees, executed_at FROM trades')).toEqual([
        {
          symbol: 'AAPL',
          market: 'stock',
          side: 'long',
          quantity: 100,
          gross_pnl: 75,
          fees: 2,
          executed_at: '2026-11-16T14:31:02.000Z',
        },
      ]);
    },
  );

  test('asks about unknown letters of a side', () => {
    expect(asked(FILLS['Portuguese'] as string)).toEqual(['side']);
  });

  test.each([
    ['a side', 'Time,Symbol,Quantity,Price,Currency,Asset Class\n2026-11-16 09:31,AAPL,1,2,USD,Stock', ['side']],
    ['a market', 'Time,Symbol,Side,Quantity,Price,Currency\n2026-11-16 09:31,AAPL,Buy,1,2,USD', ['market']],
    ['a currency', 'Time,Symbol,Side,Quantity,Price,Asset Class\n2026-11-16 09:31,AAPL,Buy,1,2,Stock', ['currency']],
    ['a time', 'Symbol,Side,Quantity,Price,Currency,Asset Class\nAAPL,Buy,1,2,USD,Stock', ['executed_at']],
    ['an order of dates', 'Time,Symbol,Side,Quantity,Price\n11/06/2026 09:31,ESZ6,Buy,1,6000', ['dates']],
    [
      'symbols',
      'Time,Instrument,Side,Quantity,Price,Currency,Asset Class\n2026-11-16 09:31,7,Buy,1,2,USD,Stock',
      ['symbol'],
    ],
    ['nothing, of a future', 'Time,Symbol,Side,Quantity,Price\n2026-11-16 09:31,ESZ6,Buy,1,6000', []],
    ['nothing, of a pair', 'Time,Symbol,Side,Quantity,Price\n2026-11-16 09:31,EUR/USD,Buy,1,1.15', []],
    [
      'signs of costs',
      'Time,Symbol,Side,Quantity,Price,Fee\n2026-11-16 09:31,ESZ6,Buy,1,6000,2\n2026-11-16 09:32,ESZ6,Sell,1,6000,-1',
      ['fees'],
    ],
  ])('that lack %s: asks', (_, text, questions) => {
    expect(asked(text)).toEqual(questions);
  });

  test('rows without a trade are skipped, unknown words are asked about', () => {
    const { mapping, questions } = proposal(
      csv(
        'Time,Symbol,Action,Quantity,Price,Currency,Asset Class',
        '2026-11-16 09:31,AAPL,Buy,1,2,USD,Stock',
        '2026-11-16 09:31,AAPL,Sell,1,2,USD,Stock',
        '2026-11-16 09:31,AAPL,Dividend,,,USD,Stock',
        '2026-11-16 09:31,AAPL,Frobnicate,1,1,USD,Stock',
        '2026-11-16 09:31,AAPL,Buy,0,1,USD,Stock',
      ),
    );
    expect(mapping.skip).toEqual([
      { column: 'Action', is: ['Dividend'], reason: 'no trade' },
      { column: 'Quantity', is: ['', '0'], reason: 'row without Quantity' },
      { column: 'Price', is: [''], reason: 'row without Price' },
    ]);
    expect(questions.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('Unknown words in Action: Frobnicate. Add them to "words" or to "skip".'),
    );
    expect(questions.find(({ about }) => about === 'skip')?.text).toBe(
      '2 of 5 rows are skipped: 1 no trade (Action Dividend); 1 row without Quantity (Quantity 0). If any of them is a trade, change "skip".',
    );
  });

  test('next to "Sell", a "Short" opens and a "Cover" closes; next to "Long", it only sells', () => {
    const rows = (...words: string[]) =>
      csv(
        'Time,Symbol,Side,Quantity,Price,Currency,Asset Class',
        ...words.map((word, index) => `2026-11-16 09:3${index},AAPL,${word},1,2,USD,Stock`),
      );
    expect(proposal(rows('Short', 'Cover', 'Buy', 'Sell')).mapping.fields['effect']).toEqual({
      column: 'Side',
      words: { Short: 'open', Cover: 'close', Buy: null, Sell: null },
    });
    expect(proposal(rows('Long', 'Short')).mapping.fields).not.toHaveProperty('effect');
  });

  test('a cancelled order counts with its filled part', () => {
    const rows = (quantity: string) =>
      csv(
        `Time,Symbol,Side,${quantity},Price,Status`,
        '2026-11-16 09:31,ESZ6,Buy,1,6000,Filled',
        '2026-11-16 09:35,ESZ6,Sell,1,6001,Cancelled',
      );
    expect(proposal(rows('Filled')).mapping.skip).toBeUndefined();
    expect(proposal(rows('Quantity')).mapping.skip).toEqual([
      { column: 'Status', is: ['Cancelled'], reason: 'not executed' },
    ]);
  });

  test('OCC symbols are options with a contract size of 100, also next to shares', () => {
    const rows = (...symbols: string[]) =>
      csv(
        'Time,Symbol,Side,Quantity,Price,Currency',
        ...symbols.flatMap((symbol) => [
          `2026-11-16 09:31,${symbol},Buy,1,2,USD`,
          `2026-11-16 09:41,${symbol},Sell,1,3,USD`,
        ]),
      );
    expect(proposal(rows('SPY261218C00450000')).mapping.fields['market']).toEqual({ value: 'option' });
    expect(asked(rows('SPY261218C00450000'))).toEqual([]);

    const both = rows('SPY', 'SPY261218C00450000', '-SPY261218P450.5');
    expect(proposal(both).questions[0]?.text).toBe('Which market do these symbols belong to: SPY?');
    const home = new ImportHome().withUser();
    const map = home.file('my.json', JSON.stringify(proposal(both).mapping));
    home.import(home.file('trades.csv', both), { map: loadMapping(map) });
    expect(home.rows('SELECT symbol, market, strike, multiplier, gross_pnl FROM trades ORDER BY strike')).toEqual([
      { symbol: 'SPY', market: 'stock', strike: null, multiplier: 1, gross_pnl: 1 },
      { symbol: 'SPY 2026-12-18 C450', market: 'option', strike: 450, multiplier: 100, gross_pnl: 100 },
      { symbol: 'SPY 2026-12-18 P450.5', market: 'option', strike: 450.5, multiplier: 100, gross_pnl: 100 },
    ]);
  });

  test('if only some rows have the terms of an option, asks for the market of the others', () => {
    const text = csv(
      'Time,Symbol,Side,Quantity,Price,Currency,Expiration,Strike,Call/Put',
      '2026-11-16 09:31,AAPL,Buy,1,2,USD,,,',
      '2026-11-16 09:32,AAPL,Buy,1,2,USD,2026-12-18,200,Call',
    );
    expect(proposal(text).mapping.fields['market']).toEqual({
      column: 'Call/Put',
      words: { Call: 'option' },
      default: 'stock',
    });
    expect(proposal(text).questions.map((question) => question.text)).toEqual([
      'Which market do the rows without Call/Put belong to?',
      "Which is the file's time zone?",
    ]);
  });

  test('the trade date is preferred to the settlement date', () => {
    const text = csv(
      'Settlement Date,Run Date,Symbol,Action,Quantity,Price,Currency,Asset Class',
      '2026-11-18,2026-11-16,AAPL,Buy,1,2,USD,Stock',
    );
    expect(proposal(text).mapping.fields['executed_at']).toBe('Run Date');
  });

  test('Cash is a cash account, not a currency pair', () => {
    const text = csv(
      'Time,Symbol,Side,Quantity,Price,Currency,Security Type',
      '2026-11-16 09:31,AAPL,Buy,1,2,USD,Cash',
    );
    expect(proposal(text).mapping.fields['market']).toEqual({ value: 'stock' });
    expect(asked(text)).toEqual(['market']);
  });

  test('a cost that equals the traded amount is not a fee; the sum of costs is not counted twice', () => {
    const text = csv(
      'Time,Symbol,Side,Quantity,Price,Cost,Commission,Exchange Fee,Total Fees',
      '2026-11-16 09:31,ESZ6,Buy,1,6000,6000,1.00,0.50,1.50',
      '2026-11-16 09:35,ESZ6,Sell,1,6001,6001,1.00,0.50,1.50',
    );
    expect(proposal(text).mapping.fields['fees']).toBe('Total Fees');
  });
});

const CLOSED = csv(
  'Symbol,Side,Open Time,Close Time,Qty,Entry Price,Exit Price,Profit,Commission,Setup,Notes',
  'MNQZ6,Long,11/16/2026 09:31,11/16/2026 09:48,2,25010.25,25031.75,83.50,2.50,gap,"held, as planned"',
  'MNQZ6,Short,11/16/2026 10:05,11/16/2026 10:11,1,25040.00,25046.25,-13.75,1.25,,',
);

describe('closed trades', () => {
  test('prices show that a P&L is after fees', () => {
    const { mapping, questions } = proposal(CLOSED);
    expect(mapping).toMatchObject({ target: 'trades', dates: 'mdy' });
    expect(mapping.fields).toMatchObject({ net_pnl: 'Profit', fees: 'Commission', setup: 'Setup', notes: 'Notes' });
    expect(mapping.fields).not.toHaveProperty('gross_pnl');
    expect(questions.filter(({ isAssumed }) => !isAssumed)).toEqual([]);
  });

  test('prices show that the side is that of the closing order', () => {
    const text = CLOSED.replace('Long', 'SELL').replace('Short', 'BUY');
    expect(proposal(text).mapping.fields['side']).toEqual({ column: 'Side', words: { SELL: 'long', BUY: 'short' } });
  });

  test('a date is paired with the time of the same name, even if another column has both', () => {
    const text = csv(
      'Best Exit Time,Close Date,Close Time,Entry Price,Exit Price,Open Time,Open Date,Quantity,Side,Symbol',
      '2026-11-16 12:00,2026-11-16,10:22:08 EST,6000,6001,10:02:08 EST,2026-11-15,1,long,ESZ6',
    );
    expect(proposal(text).mapping.fields).toMatchObject({
      executed_at: { column: ['Open Date', 'Open Time'] },
      closed_at: { column: ['Close Date', 'Close Time'] },
    });
  });

  test('a log of buys and sells has long trades, which is asked', () => {
    const text = 'Stock,Buy date,Buy price,Sell date,Sell price,Shares\nAAPL,2026-11-02,100,2026-11-05,110,5\n';
    expect(proposal(text).mapping.fields).toMatchObject({
      executed_at: 'Buy date',
      closed_at: 'Sell date',
      entry_price: 'Buy price',
      exit_price: 'Sell price',
      side: { value: 'long' },
    });
    expect(asked(text)).toEqual(['market', 'currency', 'side']);
  });
});

describe('other records', () => {
  test.each([
    [
      'sessions',
      'Date,Plan,Mood,Sleep,Notes,Score\n2026-11-16,wait,calm,7.5,fine,4',
      ['date', 'plan', 'mood', 'notes', 'sleep_hours', 'review.rating'],
    ],
    ['trade-journals', 'trade_id,Notes,Lesson\n7,fine,wait', ['trade_id', 'phase', 'body', 'lesson']],
  ])('%s', (target, text, fields) => {
    const { mapping } = proposal(text);
    expect(mapping.target).toBe(target);
    expect(Object.keys(mapping.fields).sort()).toEqual([...fields].sort());
  });
});

test('examines every sheet of a workbook, and the import reads the proposed one', () => {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const sheet = (...rows: string[]) =>
    strToU8(
      `<worksheet><sheetData>${rows.map((row) => `<row>${row.split(',').map(cell).join('')}</row>`).join('')}</sheetData></worksheet>`,
    );
  const trades = [
    'Time,Symbol,Side,Quantity,Price',
    '2026-11-16 09:31,ESZ6,Buy,1,6000',
    '2026-11-16 09:41,ESZ6,Sell,1,6001',
  ];
  const book = (...sheets: Uint8Array[]) =>
    Buffer.from(zipSync(Object.fromEntries(sheets.map((own, index) => [`xl/worksheets/sheet${index + 1}.xml`, own]))));
  const cover = sheet('Account,Details', 'A1,x');

  const bytes = book(cover, sheet(...trades));
  const { mapping, questions } = proposedMapping(bytes, 'book', SETTINGS);
  expect(questions.filter(({ isAssumed }) => !isAssumed)).toEqual([]);
  const home = new ImportHome().withUser();
  const map = home.file('my.json', JSON.stringify(mapping));
  home.import(home.file('book.xlsx', bytes), { map: loadMapping(map) });
  expect(home.rows('SELECT symbol, gross_pnl FROM trades')).toEqual([{ symbol: 'ESZ6', gross_pnl: 50 }]);

  const two = proposedMapping(book(sheet(...trades), cover, sheet(...trades)), 'book', SETTINGS);
  expect(two.questions.find(({ about }) => about === 'sheets')?.text).toContain(
    '2 sheets of the workbook look like tables of trades; one is read',
  );
});

test('every proposal is a valid mapping, with or without its questions', () => {
  for (const text of [...Object.values(FILLS), CLOSED]) {
    const own = proposal(text, 'Ünïcode & Co. (2026) – a very long name');
    expect(own.mapping.name).toBe('unicode-co-2026-a-ve');
    expect(mappingOf(JSON.parse(JSON.stringify(withQuestions(own))))).toMatchObject({ target: own.mapping.target });
  }
});

test.each([
  ['', 'no table in this file'],
  ['a,b,c\n1,2,3\n', 'no target fits the columns a, b, c; fills need a symbol, a quantity, a price'],
  ['Statement,Header,Symbol,Price\nTrades,Data,AAPL,1\n', 'this is a statement with sections'],
  ['Time,Symbol,Price\n2026-11-16,AAPL,1\n\nDate,Account,Profit\n2026-11-16,x,1\n', 'with headers on lines 1 and 4'],
])('a file without such a table is rejected: %j', (text, words) => {
  expect(() => proposal(text)).toThrow(words);
});

describe('import --map new', () => {
  const QUESTIONED = 'Time,Symbol,Side,Quantity,Price\n2026-11-16 09:31,AAPL,Buy,1,2\n2026-11-16 09:41,AAPL,Sell,1,3\n';

  test('writes the mapping next to the file, shows its result, and imports nothing', async () => {
    const folder = temporaryFolder();
    const options = { cwd: folder, env: { JOURNAL_API_HOME: join(folder, 'home') } };
    writeFileSync(join(folder, 'my trades.csv'), QUESTIONED);
    const first = await runHere(['import', 'my trades.csv', '--map', 'new'], options);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain('Wrote a mapping to my trades.map.json. Nothing was imported.');
    expect(first.stderr).toContain(
      'To check, market: Which market do these symbols belong to: AAPL? Assumed: stock (or: future; option;',
    );
    expect(first.stderr).toContain("then: journal-api import 'my trades.csv' --map 'my trades.map.json'");
    expect(first.stdout).toContain('trades  1 closed, 0 open');
    expect(existsSync(join(folder, 'home', 'journal.db'))).toBe(false);

    const second = await runHere(['import', 'my trades.csv', '--map', 'new'], options);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('my trades.map.json already exists') });

    const unsure = await runHere(['import', 'my trades.csv', '--map', 'my trades.map.json'], options);
    expect(unsure).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('still has open questions:\n  market: Which market'),
    });

    const { unsure: _, ...mapping } = JSON.parse(readFileSync(join(folder, 'my trades.map.json'), 'utf8'));
    writeFileSync(join(folder, 'sure.json'), JSON.stringify(mapping));
    const third = await runHere(['import', 'my trades.csv', '--map', 'sure.json'], options);
    expect(third).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('my trades.csv  trades    1      0        0'),
    });
    const fourth = await runHere(['import', 'my trades.csv', '--map', 'sure.json'], options);
    expect(fourth).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('my trades.csv  trades    0      0        1'),
    });
  });

  test('a file of an unknown platform is pointed to it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'deals.csv'), QUESTIONED);
    const { code, stderr } = await runHere(['import', 'deals.csv', '--home', 'home'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('"journal-api import deals.csv --map new" proposes one.');
  });

  test.each([
    [['a.csv', 'b.csv'], '--map new takes one file'],
    [['-'], '--map new takes one file'],
    [['.'], '. is a folder; name one of its files'],
    [['none.csv'], "none.csv can't be read"],
  ])('takes one existing file: %j', async (paths, words) => {
    const { code, stderr } = await runHere(['import', ...paths, '--map', 'new', '--home', 'home'], {
      cwd: temporaryFolder(),
    });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(words);
  });

  test.each([
    ['Stop', '', true],
    ['SL', '', true],
    ['Initial stop', '', false],
    ['Stop', ',Risk', false],
  ])('asks whether a stop is the one at entry, unless its name or a risk shows it: %s%s', async (name, more, is) => {
    const cell = more === '' ? '' : ',50';
    const text = csv(
      `Symbol,Side,Qty,Entry date,Entry price,Exit date,Exit price,${name}${more}`,
      `AAPL,long,10,2026-11-16 09:31:02,182.40,2026-11-16 10:31:02,183.15,181${cell}`,
      `MSFT,short,10,2026-11-17 09:31:02,182.40,2026-11-17 10:31:02,183.15,184${cell}`,
    );
    const { mapping, questions } = proposal(text);
    expect(mapping.fields['stop_loss']).toBe(name);
    const question = questions.find(({ about }) => about === 'stop_loss');
    expect(question !== undefined).toBe(is);
    if (!question) return;
    expect(patched(mapping, question.answers[0]?.patch ?? {})).toEqual(mapping);
    const { stop_loss: _, ...others } = mapping.fields;
    const without = { ...mapping, fields: others };
    expect(patched(mapping, question.answers[1]?.patch ?? {})).toEqual(without);
    expect(mappingOf(without)).toEqual(without);
  });

  test('asks on a terminal: a number, a typed value if allowed, Enter for the first', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'trades.csv');
    writeFileSync(path, QUESTIONED);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const shown: string[] = [];
    const answers: Record<string, string[]> = {
      market: ['9', '6'],
      currency: ['euros?', 'eur'],
      zone: ['Berlin', 'Europe/Berlin'],
    };
    output.setEncoding('utf8').on('data', (text: string) => {
      shown.push(text);
      const about = /Which market/.test(text)
        ? 'market'
        : /Which currency/.test(text)
          ? 'currency'
          : /file's time zone/.test(text)
            ? 'zone'
            : '';
      if (/\[1\] $/.test(text)) input.write(`${answers[about]?.shift() ?? ''}\n`);
    });
    const { file } = await proposeMapping([path], SETTINGS, { input, output });
    const mapping = JSON.parse(readFileSync(file, 'utf8'));
    expect(mapping).toMatchObject({
      zone: 'Europe/Berlin',
      fields: { market: { value: 'cfd' }, currency: { value: 'EUR' } },
    });
    expect(mapping).not.toHaveProperty('unsure');
    expect(shown.join('')).toContain('Type a number from 1 to 7, or Enter for 1.');
    expect(shown.join('')).toContain('Type a time zone, such as America/New_York, or Enter for 1.');
  });
});

/** Real headers and cell formats of platforms and journals; invented rows. */
const PUBLISHED: [name: string, text: string, asks: string, trades: string[]][] = [
  [
    'KuCoin: a volume that is the price times the amount, an offset in the header',
    csv(
      'Order ID,Symbol,Side,Avg. Filled Price,Filled Amount,Filled Volume,Filled Time(UTC+03:00),Fee,Fee Currency',
      'a,ABC-USDT,BUY,0.5,100,50,2026-11-02 10:00:01,0.1,ABC',
      'b,ABC-USDT,SELL,0.6,99.9,59.94,2026-11-02 12:00:01,0.06,USDT',
    ),
    '',
    ['ABC-USDT long 2026-11-02T07:00:01.000Z 99.9 9.99 0.11'],
  ],
  [
    'Webull: North American zone names, cancelled orders',
    csv(
      'Name,Symbol,Side,Status,Filled,Total Qty,Price,Avg Price,Placed Time,Filled Time',
      'Acme Inc,ACM,Sell,Filled,40,40,@12.40,12.41,11/13/2026 14:02:10 EST,11/13/2026 14:02:11 EST',
      'Acme Inc,ACM,Buy,Filled,40,40,@12.05,12.05,10/30/2026 13:31:40 EDT,10/30/2026 13:31:42 EDT',
      'Plum Co,PLM,Buy,Cancelled,0,100,@5.10,,11/13/2026 11:15:00 EST,',
    ),
    'market currency',
    ['ACM long 2026-10-30T17:31:42.000Z 40 14.4 0'],
  ],
  [
    'eToro: the side at the beginning of the action',
    csv(
      'Position ID,Action,Amount,Units,Open Date,Close Date,Profit,Open Rate,Close Rate,Stop lose rate,Type,ISIN',
      '1,Buy Acme Corp,20.00,2,14/11/2026 13:31:25,21/11/2026 15:49:30,4.00,10,12,0.00,Stocks,US0000000001',
      '2,"Sell Plum Co, Inc.",20.00,1,15/11/2026 14:31:31,21/11/2026 14:46:22,3.00,20,17,0.00,CFD,US0000000002',
    ),
    'market currency',
    ['US0000000001 long 2026-11-14T18:31:25.000Z 2 4 0', 'US0000000002 short 2026-11-15T19:31:31.000Z 1 3 0'],
  ],
  [
    'cTrader: lots, costs of another scale than prices, an offset in the header',
    csv(
      'ID,Symbol,Opening Direction,Opening Time (UTC+2),Closing Time (UTC+2),Entry Price,Closing Price,Closing Quantity,Commission,Swap,Gross USD,Net USD',
      '1,EURUSD,Buy,16/11/2026 11:30:00.000,16/11/2026 13:15:20.000,1.08500,1.08750,0.10 Lots,-0.70,-0.10,25.00,24.20',
    ),
    '',
    ['EURUSD long 2026-11-16T09:30:00.000Z 0.1 25 0.8'],
  ],
  [
    'Fidelity: other rows and a disclaimer between',
    csv(
      '',
      'Run Date,Action,Symbol,Description,Type,Price ($),Quantity,Commission ($),Fees ($),Amount ($),Settlement Date',
      '11/25/2026,YOU SOLD ACME ETF (ACM) (Cash),ACM,ACME ETF,Cash,26.5,-2,"",0.01,52.99,11/26/2026',
      '11/24/2026,Electronic Funds Transfer Received (Cash),"",No Description,Cash,"",0,"","",100,""',
      '11/23/2026,YOU BOUGHT ACME ETF (ACM) (Cash),ACM,ACME ETF,Cash,25.5,2,"","",-51,11/24/2026',
      '',
      '"The data and information in this spreadsheet is provided to you solely for your use."',
      '',
      'Date downloaded 11/27/2026 10:41 pm',
    ),
    'side market currency',
    ['ACM long 2026-11-23T05:00:00.000Z 2 2 0.01'],
  ],
  [
    'Groww: a total amount, and no price',
    csv(
      'Name,Some Body',
      '',
      'Stock name,Symbol,ISIN,Type,Quantity,Value,Exchange,Execution date and time,Order status',
      'Acme,ACM,INE000A01001,BUY,10,1000.00,NSE,16-11-2026 09:20 AM,Executed',
      'Acme,ACM,INE000A01001,SELL,10,1100.00,NSE,17-11-2026 01:20 PM,Executed',
    ),
    'currency',
    ['ACM long 2026-11-16T14:20:00.000Z 10 100 0'],
  ],
  [
    'Deribit: open buy, close sell',
    csv(
      'ID,Date,Instrument,Type,Side,Size,Position,Price,Mark Price,Fee Rate,Fee Charged,Fee Balance,Trade ID',
      '1,16 Nov 2026 10:00:00,ABC_USDC-PERPETUAL,trade,open sell,2,-2,110,110,0.0005,0.11,0,T1',
      '2,16 Nov 2026 11:00:00,ABC_USDC-PERPETUAL,trade,close buy,2,0,100,100,0.0005,0.10,0,T2',
    ),
    '',
    ['ABC_USDC-PERPETUAL short 2026-11-16T15:00:00.000Z 2 20 0.21'],
  ],
  [
    'Sierra Chart: compound names, its own symbols of futures',
    csv(
      'ActivityType\tDateTime\tSymbol\tQuantity\tBuySell\tFillPrice\tOpenClose\tFillExecutionServiceID',
      'Fills\t2026-11-16  14:31:05.123\tMESZ26_FUT_CME\t1\tBuy\t6000.25\tOpen\t77',
      'Fills\t2026-11-16  14:41:05.123\tMESZ26_FUT_CME\t1\tSell\t6002.25\tClose\t78',
    ),
    '',
    ['MESZ26_FUT_CME long 2026-11-16T19:31:05.123Z 1 10 0'],
  ],
  [
    'Lightspeed: costs in many columns',
    csv(
      'Account Number,Side,Trade Date,Qty,Symbol,Price,Principal Amount,NET Amount,Commission Amount,FeeSEC,Fee1,Execution Time,Currency Code,Security Type',
      'A1,B,11/16/2026,100,ACM,10.00,1000.00,1000.45,0.45,0,0,9:31:05,USD,Equity',
      'A1,S,11/16/2026,100,ACM,10.50,1050.00,1049.45,0.45,0.05,0.05,9:41:05,USD,Equity',
    ),
    '',
    ['ACM long 2026-11-16T14:31:05.000Z 100 50 1'],
  ],
  [
    'Tradervue: no column taken for an id by mistake',
    csv(
      'Open Datetime,Close Datetime,Symbol,Side,Volume,Entry Price,Exit Price,Gross P&L,Net P&L,Commissions,Fees,P&L (R),Position MFE',
      '2026-11-16 09:31:00,2026-11-16 09:41:00,ACM,L,200,4.40,4.78,76.00,75.00,0.60,0.40,3.75R,80.00',
      '2026-11-17 09:31:00,2026-11-17 09:41:00,PLM,S,200,4.36,4.13,46.00,45.00,0.60,0.40,,50.00',
    ),
    'market currency',
    ['ACM long 2026-11-16T14:31:00.000Z 200 76 1', 'PLM short 2026-11-17T14:31:00.000Z 200 46 1'],
  ],
  [
    'a handwritten journal: one day for entry and exit, open trades without an exit',
    csv(
      'Date,Ticker,Long/Short,Entry,Exit,Position Size,P/L,Setup',
      '11/16/2026,ACM,Long,182.50,185.00,100,$250.00,Breakout',
      '11/17/2026,PLM,Short,240.00,243.00,50,($150.00),Reversal',
      '11/18/2026,QRS,Long,10.00,,50,,Fade',
    ),
    'closed_at market',
    [
      'ACM long 2026-11-16T05:00:00.000Z 100 250 0',
      'PLM short 2026-11-17T05:00:00.000Z 50 -150 0',
      'QRS long 2026-11-18T05:00:00.000Z 50 0 0',
    ],
  ],
  [
    'a journal in Notion: the month in words, separate times of entry and exit',
    csv(
      'Name,Date,Entry Time,Exit Time,Pair,Direction,Entry Price,Exit Price,SL,Lot Size,PnL,Strategy,Rating',
      'Trade 1,"November 16, 2026",09:15,10:05,EURUSD,Long,1.08500,1.08750,1.08400,1,250,Retest,4',
    ),
    'stop_loss',
    ['EURUSD long 2026-11-16T14:15:00.000Z 1 250 0'],
  ],
];

describe('published tables', () => {
  test.each(PUBLISHED)('%s', (_, text, asks, trades) => {
    const { mapping } = proposal(text);
    expect(asked(text).join(' ')).toBe(asks);
    const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
    const map = home.file('my.json', JSON.stringify(mapping));
    home.import(home.file('trades.csv', text), { map: loadMapping(map) });
    const rows = home.rows(
      'SELECT symbol, side, executed_at, quantity, gross_pnl, fees FROM trades ORDER BY executed_at',
    );
    expect(rows.map((row) => Object.values(row).join(' '))).toEqual(trades);
  });
});
