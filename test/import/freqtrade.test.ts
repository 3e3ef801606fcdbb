/** Freqtrade's database: an older version and the current one, with a write-ahead log. */
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { exportsWith } from './exports.ts';
import { ImportHome } from './home.ts';

const TODAY = `
  CREATE TABLE pairlocks (id INTEGER PRIMARY KEY);
  CREATE TABLE trades_bak0 (id INTEGER PRIMARY KEY, pair TEXT);
  INSERT INTO trades_bak0 VALUES (1, 'ABC/USDT');
  CREATE TABLE trades (id INTEGER PRIMARY KEY, exchange TEXT, pair TEXT, is_open INTEGER, is_short INTEGER, leverage REAL, amount REAL,
    open_rate REAL, close_rate REAL, fee_open REAL, fee_close REAL, funding_fees REAL, open_date TEXT, close_date TEXT,
    close_profit_abs REAL, realized_profit REAL, exit_reason TEXT);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, ft_trade_id INTEGER, side TEXT, status TEXT, price REAL, average REAL, filled REAL, cost REAL,
    ft_fee_base REAL, order_date TEXT, order_filled_date TEXT, ft_order_side TEXT);
  INSERT INTO trades VALUES
    (1, 'x', 'ABC/USDT', 0, 0, 1, 10, 100, 110, 0.001, 0.001, 0, '2026-11-02 10:00:00.123456', '2026-11-02 11:00:00.000000', 97.9, 0, 'roi'),
    (2, 'x', 'XYZ/USDT:USDT', 0, 1, 3, 1, 110, 100, 0, 0, -0.5, '2026-11-03 10:00:00', '2026-11-03 12:00:00', 29.5, 0, 'roi'),
    (3, 'x', 'ABC/USDT', 1, 0, 1, 5, 100, NULL, 0.001, 0.001, 0, '2026-11-04 10:00:00', NULL, NULL, 98.9, NULL),
    (4, 'x', 'QRS/USDT', 1, 0, 1, 5, 100, NULL, 0.001, 0.001, 0, '2026-11-04 11:00:00', NULL, NULL, NULL, NULL);
  INSERT INTO orders VALUES
    (1, 1, 'buy', 'closed', 100, 100, 10, 1000, NULL, '2026-11-02 10:00:00', '2026-11-02 10:00:01', 'buy'),
    (2, 1, 'sell', 'canceled', 90, NULL, 0, 0, NULL, '2026-11-02 10:00:02', NULL, 'sell'),
    (3, 1, NULL, 'closed', 110, 110, 10, 1100, NULL, '2026-11-02 11:00:00', '2026-11-02 11:00:00', 'sell'),
    (4, 2, 'sell', 'closed', 110, 110, 1, 110, NULL, '2026-11-03 10:00:00', '2026-11-03 10:00:00', 'sell'),
    (5, 2, 'sell', 'closed', 120, 120, 1, 120, NULL, '2026-11-03 11:00:00', '2026-11-03 11:00:00', 'sell'),
    (6, 2, 'buy', 'closed', 100, 100, 2, 200, NULL, '2026-11-03 12:00:00', '2026-11-03 12:00:00', 'buy'),
    (7, 3, 'buy', 'closed', 100, 100, 10, 1000, NULL, '2026-11-04 10:00:00', '2026-11-04 10:00:01', 'buy'),
    (8, 3, 'sell', 'closed', 120, NULL, 5, 600, NULL, '2026-11-04 11:00:00', '2026-11-04 11:00:01', 'sell'),
    (9, 4, 'buy', 'open', 100, NULL, 0, 0, NULL, '2026-11-04 11:00:00', NULL, 'buy');
`;

const OLDER = `
  CREATE TABLE trades (id INTEGER PRIMARY KEY, pair TEXT, is_open INTEGER, amount REAL, open_rate REAL, close_rate REAL, fee_open REAL,
    fee_close REAL, open_date TEXT, close_date TEXT, close_profit_abs REAL, sell_reason TEXT, buy_tag TEXT);
  INSERT INTO trades VALUES (1, 'ABC/BTC', 0, 10, 100, 110, 0.001, 0.001, '2026-11-02 10:00:00', '2026-11-02 11:00:00', 97.9, 'roi', NULL);
`;

function database(home: ImportHome, name: string, sql: string): Database.Database {
  const db = new Database(home.path(name));
  db.pragma('journal_mode = WAL');
  db.exec(sql);
  return db;
}

const shown =
  'SELECT symbol, side, status, executed_at, quantity, open_quantity, gross_pnl, fees, currency FROM trades ORDER BY executed_at';

describe('a database of our own', () => {
  test('reads its write-ahead log; skips tables of a migration and unfilled orders', () => {
    const home = new ImportHome().withUser();
    // Still open, so that all data is in its log.
    const db = database(home, 'tradesv3.sqlite', TODAY);
    const [file] = home.import(home.path('tradesv3.sqlite')).files;
    expect(file).toMatchObject({ format: 'freqtrade', rows: { read: 13 }, added: 3 });
    expect(file?.skipped).toEqual([
      { reason: 'unfilled order', count: 2 },
      { reason: 'trade without a filled order', count: 1 },
    ]);
    // For a half-closed position, half of the entry's fee counts.
    expect(file?.platform?.stated).toMatchObject([
      { what: 'net', amount: 226.3, difference: 0, open_costs: 0.5 },
    ]);
    const trades = () => home.rows(shown).map((row) => Object.values(row).join(' '));
    expect(trades()).toEqual([
      'ABC/USDT long closed 2026-11-02T10:00:00.123Z 10 0 100 2.1 USDT',
      'XYZ/USDT:USDT short closed 2026-11-03T10:00:00.000Z 2 0 30 0.5 USDT',
      'ABC/USDT long open 2026-11-04T10:00:01.000Z 10 5 100 1.6 USDT',
    ]);
    // Later the open trade is closed: it stays the same trade.
    db.exec(`UPDATE trades SET is_open = 0, amount = 5, close_rate = 130, close_date = '2026-11-05 10:00:00', close_profit_abs = 247.75 WHERE id = 3;
      INSERT INTO orders VALUES (10, 3, 'sell', 'closed', 130, 130, 5, 650, NULL, '2026-11-05 10:00:00', '2026-11-05 10:00:00', NULL)`);
    expect(home.import(home.path('tradesv3.sqlite')).files[0]).toMatchObject({
      added: 0,
      changed: 1,
    });
    expect(trades().at(-1)).toBe(
      'ABC/USDT long closed 2026-11-04T10:00:00.000Z 10 0 250 2.25 USDT',
    );
    db.close();
  });

  test.each([
    ['has fewer columns, and no orders', OLDER, true],
    [
      'of 2019 has no profits to compare',
      OLDER.replace('close_profit_abs REAL, ', '').replace(
        "11:00:00', 97.9",
        "11:00:00'",
      ),
      false,
    ],
  ])('an older one %s', (_, sql, hasProfits) => {
    const home = new ImportHome().withUser();
    database(home, 'trades.sqlite', sql).close();
    const [file] = home.import(home.path('trades.sqlite')).files;
    expect(file).toMatchObject({ format: 'freqtrade', rows: { read: 1 }, added: 1 });
    expect(home.rows('SELECT id, net_pnl FROM trades')).toEqual([
      { id: 'freqtrade:ABC-BTC:20261102100000000:1', net_pnl: 97.9 },
    ]);
    expect(file?.platform?.stated.map(({ difference }) => difference)).toEqual(
      hasProfits ? [0] : [],
    );
    expect(file?.notes.join().includes('lacks profits of closed trades')).toBe(
      !hasProfits,
    );
  });

  test.each([
    ["'ABC/BTC'", "'ABC'", '1: pair: must be a pair with a known quote currency'],
    ['0, 10, 100', "0, 'ten', 100", '1: trades.amount: '],
    ['trades', 'deals', 'not a database of Freqtrade: it has no table trades'],
  ])('%s for %s is rejected', (from, to, message) => {
    const home = new ImportHome().withUser();
    database(home, 'trades.sqlite', OLDER.replaceAll(from, to)).close();
    expect(home.refusalOf(home.path('trades.sqlite'))).toContain(message);
  });
});

describe('a closed trade without its close rate', () => {
  const second =
    "INSERT INTO trades VALUES (2, 'ABC/BTC', 0, 10, 100, NULL, 0, 0, '2026-11-03 10:00:00', NULL, NULL, '', NULL);";
  const orders = `CREATE TABLE orders (id INTEGER PRIMARY KEY, ft_trade_id INTEGER, side TEXT, average REAL, filled REAL, order_filled_date TEXT);
    INSERT INTO orders VALUES (1, 2, 'buy', 100, 10, '2026-11-03 10:00:00'), (2, 2, 'sell', 105, 10, '2026-11-03 11:00:00');`;

  test('is skipped and named, and refuses no other', () => {
    const home = new ImportHome().withUser();
    database(home, 'trades.sqlite', OLDER + second).close();
    const [file] = home.import(home.path('trades.sqlite')).files;
    expect(file).toMatchObject({
      added: 1,
      rows: { read: 2, skipped: { 'closed trade without close_rate': 1 } },
    });
    expect(file?.notes.join()).toContain(
      'trade 2 of ABC/BTC is closed but has no close_rate',
    );
    expect(file?.platform?.stated).toMatchObject([
      { amount: 97.9, difference: 0, stated_as: 'rows' },
    ]);
  });

  test('has it from its orders', () => {
    const home = new ImportHome().withUser();
    database(home, 'trades.sqlite', OLDER + second + orders).close();
    expect(home.import(home.path('trades.sqlite')).files[0]).toMatchObject({ added: 2 });
    expect(
      home.rows('SELECT closed_at, exit_price, gross_pnl FROM trades ORDER BY id')[1],
    ).toEqual({
      ...{ closed_at: '2026-11-03T11:00:00.000Z', exit_price: 105, gross_pnl: 50 },
    });
  });
});

test.each(
  exportsWith(
    ['freqtrade/tradesv3.sqlite', { added: 5, closed: 4, net: 17.97042426 }],
    ['freqtrade/tradesv3.sqlite', { added: 12, closed: 12, net: 177.06098552 }],
  ),
)('$label adds up to what it states', ({ path, holds: { added, closed, net } }) => {
  const home = new ImportHome().withUser();
  const [file] = home.import(path()).files;
  expect(file).toMatchObject({ added });
  expect(file?.platform?.stated).toMatchObject([
    { what: 'net', currency: 'USDT', amount: net },
  ]);
  const [sums] = home.rows(
    "SELECT sum(net_pnl) AS net, count(*) AS closed FROM trades WHERE status = 'closed'",
  );
  expect(sums).toEqual({ net: expect.closeTo(net, 7), closed });
});
