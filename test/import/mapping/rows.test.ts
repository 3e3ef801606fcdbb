/** Rows read with a mapping: valid and invalid cells of each kind; records and fills with their ids. */
import { describe, expect, test } from 'vitest';
import { mappedReading } from '../../../src/import/mapping/format.ts';
import { mappingOf } from '../../../src/import/mapping/questions.ts';
import { locatedRow } from '../../../src/import/mapping/table.ts';
import { settled } from '../settled.ts';

const USER = { timezone: 'America/New_York', base_currency: 'USD' };

type Cells = Record<string, string | string[]>;

function read(mapping: object, rows: Cells[], timeZone?: string) {
  const loaded = {
    file: 'my.json',
    mapping: mappingOf({ name: 'own', ...mapping }),
    lookups: new Map([['symbols', new Map([['7', 'SAP']])]]),
  };
  const mapped = rows.map((cells, index) => locatedRow(index + 2, Object.entries(cells)));
  return settled(mappedReading(mapped, loaded, { user: USER, timeZone }), USER.timezone);
}

/** One field of a session, read from one cell or several. */
function session(field: string, source: unknown, cells: Cells, more: object = {}) {
  const mapping = {
    target: 'sessions',
    fields: { date: { value: '2026-11-20' }, [field]: source },
    ...more,
  };
  return read(mapping, [cells]).records[0]?.values;
}

const column = (settings: object) => ({ column: 'A', ...settings });

describe('a cell', () => {
  test.each([
    ['notes', 'A', ' as it is ', 'as it is'],
    ['notes', 'A', '--', null],
    ['notes', 'A', 'NaN', null],
    ['notes', column({ empty: ['?'] }), '?', null],
    ['notes', column({ empty: ['?'], default: 'nothing' }), '?', 'nothing'],
    ['notes', { value: 'always' }, '', 'always'],
    ['date', 'A', '2026-11-20', '2026-11-20'],
    ['date', 'A', '2026-11-20 00:00:00', '2026-11-20'],
    ['date', column({ dates: 'dmy' }), '20.11.2026', '2026-11-20'],
    ['date', column({ dates: ['ymd', 'mdy'] }), '11/20/26', '2026-11-20'],
    ['date', column({ dates: 'excel' }), '46346', '2026-11-20'],
    ['date', 'A', '20-Nov-2026', '2026-11-20'],
    ['date', 'A', '20. November 2026', '2026-11-20'],
    ['date', 'A', 'Nov 20, 2026', '2026-11-20'],
    ['date', 'A', '20 août 26', '2026-08-20'],
    ['started_at', 'A', '2026-11-20 09:30', '2026-11-20T14:30:00.000Z'],
    ['started_at', 'A', '2026-11-20T09:30:00+01:00', '2026-11-20T08:30:00.000Z'],
    ['started_at', 'A', '2026-11-20', '2026-11-20T05:00:00.000Z'],
    [
      'started_at',
      column({ dates: 'mdy' }),
      'Nov 20, 2026, 9:30 AM',
      '2026-11-20T14:30:00.000Z',
    ],
    [
      'started_at',
      column({ dates: 'excel' }),
      '46346.395833333336',
      '2026-11-20T14:30:00.000Z',
    ],
    ['started_at', column({ dates: 'unix' }), '1795185000', '2026-11-20T14:30:00.000Z'],
    [
      'started_at',
      column({ dates: 'unix-ms' }),
      '1795185000250',
      '2026-11-20T14:30:00.250Z',
    ],
    ['sleep_hours', 'A', '7.5', 7.5],
    ['sleep_hours', column({ decimal: ',' }), '7,5', 7.5],
    ['energy', 'A', '4', 4],
    ['energy', column({ words: { high: 5 } }), 'HIGH', 5],
    ['energy', column({ words: { high: 5 } }), '3', 3],
    ['energy', column({ words: { unknown: null } }), 'unknown', null],
    ['tags', 'A', 'gap, news,, ', ['gap', 'news']],
    ['tags', column({ split: '#' }), '#gap #news', ['gap', 'news']],
    ['tags', 'A', ['gap, up', 'news'], ['gap, up', 'news']],
    ['tags', 'A', '["gap"]', ['gap']],
    ['tags', 'A', '', []],
    [
      'goals',
      column({ split: ';' }),
      'one trade; no news',
      [{ text: 'one trade' }, { text: 'no news' }],
    ],
    [
      'goals',
      'A',
      '[{"text":"one trade","met":true}]',
      [{ text: 'one trade', met: true }],
    ],
  ])('%s of %j: %j', (field, source, text, expected) => {
    expect(session(field, source, { A: text })?.[field]).toEqual(expected);
  });

  test.each([
    [
      'date',
      'A',
      '11/20/2026',
      'A: must be a date with the year first, such as 2025-12-31; got "11/20/2026"',
    ],
    [
      'date',
      column({ dates: 'mdy' }),
      '20/11/2026',
      'A: must be a date with the month first',
    ],
    [
      'date',
      column({ dates: 'excel' }),
      '2026',
      'A: must be a date number of a spreadsheet',
    ],
    [
      'date',
      column({ dates: 'excel' }),
      'today',
      'A: must be a date number of a spreadsheet',
    ],
    ['date', 'A', '30-Feb-2026', 'A: must be a date'],
    [
      'started_at',
      column({ dates: 'unix' }),
      '1795185000250',
      'A: must be seconds or milliseconds since 1970',
    ],
    ['sleep_hours', 'A', '7,5', 'A: must be an amount'],
    ['sleep_hours', 'A', '7 h', 'A: must be an amount'],
    [
      'sleep_hours',
      { value: 'seven' },
      '',
      'fields.sleep_hours of the mapping: must be an amount',
    ],
    [
      'review.followed_plan',
      'A',
      'mostly',
      'A: must be one of 0, 1, true, false, yes, no, or a word under "words"',
    ],
    [
      'goals',
      'A',
      '[{"text":',
      'A: begins like JSON, but is not valid JSON; got "[{\\"text\\":"',
    ],
    ['notes', column({ lookup: 'symbols' }), '8', 'A: "8" is not in the lookup symbols'],
  ])('rejected: %s of %j: %j', (field, source, text, words) => {
    expect(() => session(field, source, { A: text })).toThrow(words);
  });

  test('several are combined', () => {
    expect(
      session('started_at', { column: ['D', 'T'] }, { D: '2026-11-20', T: '9:30' })?.[
        'started_at'
      ],
    ).toBe('2026-11-20T14:30:00.000Z');
    expect(
      session('notes', { column: ['A', 'B', 'C'] }, { A: 'up', B: '', C: 'down' })?.[
        'notes'
      ],
    ).toBe('up\ndown');
    expect(
      session('tags', { column: ['A', 'B'] }, { A: 'x,y', B: 'z' })?.['tags'],
    ).toEqual(['x', 'y', 'z']);
    expect(
      session('sleep_hours', { column: ['A', 'B'] }, { A: '0.1', B: '0.2' })?.[
        'sleep_hours'
      ],
    ).toBe(0.3);
  });

  test('members form an object; without any there is none', () => {
    const fields = {
      date: { value: '2026-11-20' },
      'review.lesson': 'L',
      'review.rating': 'R',
      'market_context.bias': 'B',
    };
    const { records } = read({ target: 'sessions', fields }, [{ L: 'wait', R: '4' }, {}]);
    expect(records[0]?.values).toMatchObject({
      review: { lesson: 'wait', rating: 4 },
      market_context: null,
    });
    expect(records[1]?.values).toMatchObject({ review: null, market_context: null });
  });
});

const FILL = {
  target: 'fills',
  fields: {
    symbol: 'S',
    market: { value: 'stock' },
    executed_at: 'T',
    quantity: 'Q',
    price: 'P',
    fees: 'F',
  },
};
const row = (cells: Cells = {}): Cells => ({
  S: 'AAPL',
  T: '2026-11-20 09:30',
  Q: '10',
  P: '$1,100.50',
  F: '',
  ...cells,
});

describe('fills', () => {
  test('are bought or sold by the sign of the quantity if there is no side', () => {
    const { fills } = read(FILL, [
      row(),
      row({ Q: '-10', T: '2026-11-20 09:31', F: '1.5' }),
    ]);
    expect(fills).toMatchObject([
      {
        line: 2,
        side: 'buy',
        quantity: 10,
        price: 1100.5,
        fees: 0,
        mayShort: false,
        executionId: null,
      },
      { line: 3, side: 'sell', quantity: 10, fees: 1.5 },
    ]);
  });

  test.each([
    [
      'future',
      { symbol: 'ESZ6', underlying: 'ES', currency: 'USD', multiplier: 50 },
      true,
    ],
    [
      'future',
      { symbol: 'FDAXZ6', underlying: 'FDAX', currency: 'EUR', multiplier: null },
      true,
    ],
    ['forex', { symbol: 'EURUSD', currency: 'USD', multiplier: null }, true],
    ['crypto', { symbol: 'BTC-USD', currency: 'USD', multiplier: null }, false],
  ])('of a %s: %j', (market, instrument, mayShort) => {
    const fields = { ...FILL.fields, market: { value: market } };
    const { fills } = read({ ...FILL, fields, multipliers: { es: 50 } }, [
      row({ S: instrument.symbol }),
    ]);
    expect(fills[0]).toMatchObject({ instrument: { market, ...instrument }, mayShort });
  });

  test('of an option with its terms in columns have its symbol for all formats', () => {
    const terms = {
      underlying: 'U',
      expiration: 'E',
      strike: 'K',
      option_type: { column: 'R', words: { CE: 'call' } },
    };
    const fields = { ...FILL.fields, ...terms, market: { value: 'option' } };
    const { fills } = read({ ...FILL, fields }, [
      row({ U: 'SPY', E: '2026-12-18', K: '450', R: 'ce' }),
    ]);
    expect(fills[0]?.instrument).toMatchObject({
      symbol: 'SPY 2026-12-18 C450',
      strike: 450,
      optionType: 'call',
    });
  });

  test('in newest-first order are reversed, also at equal times', () => {
    const times = [
      '2026-11-20 09:32',
      '2026-11-20 09:31',
      '2026-11-20 09:31',
      '2026-11-20 09:30',
    ];
    expect(
      read(
        FILL,
        times.map((T) => row({ T })),
      ).fills.map(({ line }) => line),
    ).toEqual([5, 4, 3, 2]);
  });

  test.each([
    [{ Q: '0' }, 'quantity: must not be 0'],
    [{ Q: '' }, 'quantity: is missing'],
    [{ S: '', P: '-' }, 'symbol, price: are missing'],
    [{ Q: '=2*5' }, 'Q: must be an amount'],
    [{ T: '20.11.2026 09:30' }, 'T: must be a time with the year first'],
  ])('rejected: %j', (cells, words) => {
    expect(() => read(FILL, [row(cells)])).toThrow(words);
  });

  test('have notes on the zone in use, and on days without times', () => {
    expect(read(FILL, [row()]).notes).toEqual([
      'times without an offset; using America/New_York, the user\'s time zone; set "zone" in the mapping if the file has another',
    ]);
    expect(read({ ...FILL, zone: 'Asia/Tokyo' }, [row()], 'Europe/Paris').notes).toEqual([
      'times without an offset; using Europe/Paris',
    ]);
    expect(
      read({ ...FILL, zone: 'Asia/Tokyo' }, [row({ T: '2026-11-20' })]).notes.join(),
    ).toContain('dates without times');
  });

  test("are skipped by a column's words, or by any other words", () => {
    const skip = [
      { column: 'X', is: ['void', ''], reason: 'void' },
      { column: 'K', not: ['trade'] },
    ];
    const rows = [
      row({ X: 'VOID' }),
      row({ X: '' }),
      row({ X: 'a', K: 'Dividend' }),
      row({ X: 'a', K: '' }),
      row({ X: 'a', K: 'Trade' }),
    ];
    const { fills, skipped } = read({ ...FILL, skip }, rows);
    expect(fills).toHaveLength(1);
    expect(Object.fromEntries(skipped)).toEqual({
      void: 2,
      'row with K "Dividend"': 1,
      'row without K': 1,
    });
  });
});

const TRADE = {
  target: 'trades',
  fields: {
    symbol: 'S',
    market: { value: 'stock' },
    executed_at: 'T',
    closed_at: 'C',
    quantity: 'Q',
    entry_price: 'P',
    exit_price: 'X',
    gross_pnl: 'G',
    net_pnl: 'N',
    fees: 'F',
    tags: 'W',
  },
};
const closed = (cells: Cells = {}): Cells =>
  row({
    C: '2026-11-20 10:30',
    P: '100',
    X: '101',
    G: '',
    N: '',
    F: '1',
    W: 'gap',
    ...cells,
  });

describe('trades', () => {
  test.each([
    [{}, { side: 'long', gross_pnl: 10, fees: 1 }],
    [{ Q: '-10' }, { side: 'short', quantity: 10, gross_pnl: -10 }],
    [{ N: '9.01' }, { gross_pnl: 10.01 }],
    [{ G: '10', N: '9' }, { gross_pnl: 10 }],
    [{ F: '' }, { fees: 0, tags: ['gap'], status: 'closed' }],
    [
      { C: '', X: '' },
      { status: 'open', closed_at: null, side: 'long', multiplier: 1 },
    ],
  ])('%j', (cells, expected) => {
    const [record] = read(TRADE, [closed(cells)]).records;
    expect(record?.values).toMatchObject(expected);
    expect(record?.values).not.toHaveProperty('net_pnl');
  });

  test('a future of unknown contract size is rejected unless the mapping or the P&L gives it', () => {
    const future = (more: object, cells: Cells) =>
      read(
        { ...TRADE, ...more, fields: { ...TRADE.fields, market: { value: 'future' } } },
        [closed({ S: 'XYZU6', ...cells })],
      );
    expect(() => future({}, {})).toThrow(
      'unknown contract size for XYZU6; add it to the mapping, such as "multipliers": {"XYZU6": 50}',
    );
    expect(future({ multipliers: { XYZU6: 20 } }, {}).records[0]?.values).toMatchObject({
      gross_pnl: 200,
      multiplier: 20,
    });
    expect(future({}, { G: '500' }).records[0]?.values).toMatchObject({
      gross_pnl: 500,
      multiplier: 50,
    });
  });

  test('a P&L that contradicts the prices is kept and noted', () => {
    const { records, notes } = read(TRADE, [closed({ G: '-10' })]);
    expect(records[0]?.values).toMatchObject({ gross_pnl: -10 });
    expect(notes.join()).toContain(
      'line 2: P&L is -10, but the prices give 10 at a contract size of 1; no contract size fits',
    );
  });

  test('without an id are identified by their entry: equal ones are numbered, corrections of the rest keep the id', () => {
    const ids = (rows: Cells[]) =>
      read(TRADE, rows).records.map(({ values }) => values['id']);
    const [first, second] = ids([closed(), closed()]);
    expect(first).toMatch(/^map:own:[0-9a-f]{24}$/);
    expect(second).toBe(`${first}.2`);
    expect(ids([closed({ X: '99', F: '2', W: '' })])).toEqual([first]);
    expect(ids([closed({ P: '99' })])).not.toEqual([first]);
  });
});

describe('ids', () => {
  const entry = (more: object, cells: Cells) =>
    read(
      {
        target: 'trade-journals',
        fields: { id: 'I', trade_id: 'T', phase: { value: 'review' } },
        ...more,
      },
      [cells],
    ).records[0]?.values;

  test("and references have the mapping's name as prefix, unless it is switched off", () => {
    expect(entry({}, { I: '1', T: '2025-1' })).toMatchObject({
      id: 'map:own:1',
      trade_id: 'map:own:2025-1',
    });
    expect(entry({}, { I: '1', T: 'tradovate:9' })).toMatchObject({
      trade_id: 'tradovate:9',
    });
    expect(entry({ prefix_ids: false }, { I: '1', T: '2025-1' })).toMatchObject({
      id: '1',
      trade_id: '2025-1',
    });
  });

  test('with invalid characters are changed, and stay distinct', () => {
    const [a, b] = ['Trade #1', 'Trade /1'].map((I) => entry({}, { I, T: '1' })?.['id']);
    expect(a).toMatch(/^map:own:Trade--1\.[0-9a-f]{8}$/);
    expect(b).not.toBe(a);
    expect(
      String(entry({}, { I: 'x'.repeat(500), T: '1' })?.['id']).length,
    ).toBeLessThanOrEqual(128);
  });
});
