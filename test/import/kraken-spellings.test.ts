/**
 * Kraken's pairs as earlier exports spell them (XXBTZEUR, ADAEUR) and as present ones do
 * (XBT/EUR): one trade and one position in any order of files, also in journals that an
 * earlier reader wrote.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { recordFills } from '../../src/edit/fill.ts';
import { forgetFiles } from '../../src/edit/forget.ts';
import { ofOtherRevision, rereadFiles } from '../../src/edit/reread.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { exportJournal } from '../../src/export/index.ts';
import { assetName, pairKey, pairName } from '../../src/journal/market-facts.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { ImportHome } from './home.ts';

const HEADER =
  '"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"';

/** A trade of the exchange: id, pair, day of November, side, price, quantity. */
type Made = readonly [
  id: string,
  pair: string,
  day: number,
  side: 'buy' | 'sell',
  price: number,
  quantity: number,
];

function fileOf(...made: readonly Made[]): string {
  const rows = made.map(([id, pair, day, side, price, quantity]) => {
    const time = `2026-11-${String(day).padStart(2, '0')} 10:00:00.1234`;
    return `"${id}","O${id}","${pair}","${time}","${side}","limit",${price},${price * quantity},1.00000,${quantity},0.00000,"",""`;
  });
  return `${[HEADER, ...rows].join('\n')}\n`;
}

/** Positions that the present file closes; it has the last trades of the earlier one, too. */
const EARLIER = fileOf(
  ['TA', 'XXBTZEUR', 1, 'buy', 50_000, 2],
  ['TB', 'XXBTZEUR', 2, 'sell', 51_000, 1],
  ['TC', 'ADAEUR', 2, 'buy', 0.5, 100],
  ['TD', 'XETHXXBT', 3, 'buy', 0.05, 4],
);
const PRESENT = fileOf(
  ['TC', 'ADA/EUR', 2, 'buy', 0.5, 100],
  ['TD', 'ETH/XBT', 3, 'buy', 0.05, 4],
  ['TE', 'ADA/EUR', 4, 'sell', 0.6, 100],
  ['TF', 'ETH/XBT', 5, 'sell', 0.06, 4],
  ['TG', 'XBT/EUR', 6, 'sell', 52_000, 1],
);

const ALL = [
  'XBT/EUR long closed 2 0 3000 3 EUR',
  'ADA/EUR long closed 100 0 10 2 EUR',
  'ETH/XBT long closed 4 0 0.04 2 BTC',
];

const TRADES = `SELECT symbol, side, status, quantity, open_quantity, round(gross_pnl, 8) AS gross, fees, currency
  FROM trades ORDER BY executed_at, symbol`;

const shown = (home: ImportHome) =>
  home.rows(TRADES).map((row) => Object.values(row).join(' '));
const fillCount = (home: ImportHome) =>
  home.rows('SELECT count(*) AS fills FROM fills')[0]?.['fills'];
const undo = (home: ImportHome, id: number) => undoImport(home.target, id);
const reread = (home: ImportHome) => rereadFiles(home.target);
const others = (home: ImportHome) => ofOtherRevision(home.target).map(({ id }) => id);

/** Gives a journal the symbols and ids with which the earlier reader wrote some imports. */
function asEarlier(home: ImportHome, imports = 'import_id > 0'): ImportHome {
  const names = [
    ['XBT/EUR', 'XXBTZEUR'],
    ['ADA/EUR', 'ADAEUR'],
    ['ETH/XBT', 'XETHXXBT'],
  ] as const;
  const ofFills = `SELECT fill_id FROM import_fills WHERE ${imports}`;
  const ofTrades = `SELECT trade_id FROM executions WHERE fill_id IN (
    SELECT execution_id FROM fills WHERE id IN (${ofFills}))`;

  for (const [now, then] of names) {
    const renamed = (column: string) =>
      `${column} = replace(${column}, ':${now.replace('/', '-')}:', ':${then}:')`;
    home.write(`PRAGMA foreign_keys = OFF;
      UPDATE trades SET symbol = '${then}', ${renamed('id')} WHERE symbol = '${now}' AND id IN (${ofTrades});
      UPDATE executions SET ${renamed('trade_id')}, ${renamed('fill_id')} WHERE trade_id IN (${ofTrades});
      UPDATE unmatched_closes SET symbol = '${then}', ${renamed('fill_id')} WHERE symbol = '${now}' AND fill_id IN (${ofFills});
      UPDATE fills SET symbol = '${then}', ${renamed('id')}, ${renamed('execution_id')} WHERE symbol = '${now}' AND id IN (${ofFills});
      UPDATE import_fills SET ${renamed('fill_id')} WHERE ${imports};
      UPDATE imports SET revision = NULL WHERE ${imports.replace('import_id', 'id')}`);
  }
  return home;
}

/** Tables with what an import of fills writes. */
const COPIED = [
  'imports',
  'import_fills',
  'import_files',
  'kept_files',
  'fills',
  'trades',
  'executions',
  'unmatched_closes',
];

/** The earlier file with the present names. */
function respelled(text: string): string {
  return text.replace(/(?<=^"\w+","\w+",")\w+/gm, pairName);
}

/** With the earlier file as the earlier reader read it. */
function earlierHome(options: { account?: string } = {}): ImportHome {
  const home = new ImportHome().withUser();
  home.import(home.file('earlier.csv', EARLIER), options);
  asEarlier(home);
  expect(home.findings()).toEqual([]);
  return home;
}

describe('names', () => {
  test.each([
    ['XXBTZEUR', 'XBT/EUR'],
    ['XETHXXBT', 'ETH/XBT'],
    ['XXDGZUSD', 'XDG/USD'],
    ['ZEURZUSD', 'EUR/USD'],
    ['USDTZUSD', 'USDT/USD'],
    ['XBTEUR', 'XBT/EUR'],
    ['ADAEUR', 'ADA/EUR'],
    ['XTZEUR', 'XTZ/EUR'],
    ['BLZEUR', 'BLZ/EUR'],
    ['STXXBT', 'STX/XBT'],
    ['DOTUSD', 'DOT/USD'],
    ['ZETAUSD', 'ZETA/USD'],
    ['USDCUSDT', 'USDC/USDT'],
    ['PYUSDUSD', 'PYUSD/USD'],
    ['XXBT/ZEUR', 'XBT/EUR'],
    ['BTC/USDT', 'XBT/USDT'],
    ['DOGE/EUR', 'XDG/EUR'],
    ['ZETA/EUR', 'ZETA/EUR'],
    ['WBTC/XBT', 'WBTC/XBT'],
  ])('%s is %s', (pair, name) => {
    expect([pairName(pair), pairName(name)]).toEqual([name, name]);
    expect(pairKey(pair.toLowerCase())).toBe(pairKey(name));
  });

  test.each([
    'XRPRLUSD',
    'XBTPYUSD',
    'XABCZEUR',
    'XETHXQRS',
    'ADADOT',
    'A/B/C',
    'ETHUSD.d',
  ])('%s stays as it is: splitting it would be a guess', (pair) =>
    expect(pairName(pair)).toBe(pair),
  );

  test('of assets lose their first letter only if they are known older ones', () => {
    const assets = ['ZETA', 'XCAD', 'ZUSD', 'XXBT', 'XTZ', 'BTC'];
    expect(assets.map(assetName)).toEqual(['ZETA', 'XCAD', 'USD', 'XBT', 'XTZ', 'XBT']);
  });
});

describe('an earlier file and a present one', () => {
  const orders: [string, string, string][] = [
    ['the earlier first', EARLIER, PRESENT],
    ['the present first', PRESENT, EARLIER],
  ];

  test.each(
    orders.flatMap(([name, ...files]) =>
      [undefined, 'main'].map((account) => ({ name, files, account })),
    ),
  )('$name, account $account: each trade counts once', ({ files, account }) => {
    const home = new ImportHome().withUser();
    const options = account === undefined ? {} : { account };
    for (const [index, text] of files.entries())
      home.import(home.file(`${index}.csv`, text), options);
    expect(shown(home)).toEqual(ALL);
    expect(fillCount(home)).toBe(7);
    for (const index of files.keys())
      expect(home.import(home.path(`${index}.csv`), options).files[0]).toMatchObject({
        added: 0,
        changed: 0,
      });
    expect(home.findings()).toEqual([]);
  });

  test.each([
    ['main', undefined],
    [undefined, 'main'],
  ])('in account %s, then %s: as if both had one spelling', (first, second) => {
    const homes = [EARLIER, respelled(EARLIER)].map((earlier) => {
      const home = new ImportHome().withUser();
      home.import(home.file('a.csv', earlier), first ? { account: first } : {});
      home.import(home.file('b.csv', PRESENT), second ? { account: second } : {});
      return [
        shown(home),
        home.rows('SELECT symbol, account FROM trades ORDER BY symbol, account'),
      ];
    });
    expect(homes[0]).toEqual(homes[1]);
  });

  test('either can be undone, and imported again', () => {
    for (const [first, second] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const home = new ImportHome().withUser();
      home.import(home.file('a.csv', EARLIER));
      home.import(home.file('b.csv', PRESENT));
      undo(home, first);
      expect(fillCount(home)).toBe(first === 1 ? 5 : 4);
      home.import(home.path(first === 1 ? 'a.csv' : 'b.csv'));
      expect(shown(home)).toEqual(ALL);
      undo(home, second);
      undo(home, first === 1 ? 3 : 2);
      expect(fillCount(home)).toBe(0);
    }
  });

  test('one file with both spellings of a pair', () => {
    const home = new ImportHome().withUser();
    const [header, ...rows] = EARLIER.trimEnd().split('\n');
    const [, ...more] = PRESENT.trimEnd().split('\n');
    const both = `${[header, ...rows, ...more].join('\n')}\n`;
    home.import(home.file('both.csv', both));
    expect(shown(home)).toEqual(ALL);
    expect(fillCount(home)).toBe(7);

    const other = both.replace(/("TC","OTC","ADA\/EUR".*)"buy"/, '$1"sell"');
    expect(
      new ImportHome().withUser().refusalOf(home.file('other.csv', other)),
    ).toContain(
      'execution TC of ADA/EUR has "buy" on line 4 but "sell" here; keep the right one',
    );
  });

  test('a pair that can’t be split is one instrument, too', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', fileOf(['TA', 'XRPRLUSD', 1, 'buy', 2, 10])));
    expect(shown(home)).toEqual(['XRPRLUSD long open 10 10 0 1 RLUSD']);
    home.import(
      home.file(
        'b.csv',
        fileOf(
          ['TA', 'XRP/RLUSD', 1, 'buy', 2, 10],
          ['TB', 'XRP/RLUSD', 2, 'sell', 3, 10],
        ),
      ),
    );
    expect(shown(home)).toEqual(['XRP/RLUSD long closed 10 0 10 2 RLUSD']);
    undo(home, 2);
    expect(shown(home)).toEqual(['XRPRLUSD long open 10 10 0 1 RLUSD']);
  });

  test('a file that contradicts the other one is refused', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', EARLIER));
    expect(
      home.refusalOf(
        home.file('b.csv', PRESENT.replace('"buy","limit",0.5,', '"buy","limit",0.7,')),
      ),
    ).toContain('this fill of ADA/EUR has 0.5 in import 1 but 0.7 in this file');
  });
});

describe('a journal that the earlier reader wrote', () => {
  test.each([undefined, 'main'])(
    'in account %s: the same file again, then the present one, count nothing twice',
    (account) => {
      const options = account === undefined ? {} : { account };
      const home = earlierHome(options);
      const before = home.contents();
      expect(home.import(home.path('earlier.csv'), options).files[0]).toMatchObject({
        added: 0,
        changed: 0,
      });
      expect(home.contents()).toEqual(before);
      home.import(home.file('present.csv', PRESENT), options);
      expect(shown(home)).toEqual(ALL);
      expect([fillCount(home), home.findings()]).toEqual([7, []]);
    },
  );

  test('gets everything back if the present file is undone', () => {
    const home = earlierHome();
    const before = home.contents();
    home.import(home.file('present.csv', PRESENT));
    undo(home, 2);
    expect([home.contents(), home.findings()]).toEqual([before, []]);
  });

  test('keeps one position if the earlier file is undone', () => {
    const home = earlierHome();
    home.import(home.file('present.csv', PRESENT));
    undo(home, 1);
    expect(shown(home)).toEqual(ALL.slice(1));
    home.import(home.path('earlier.csv'));
    expect(shown(home)).toEqual(ALL);
    undo(home, 2);
    undo(home, 3);
    expect([fillCount(home), home.findings()]).toEqual([0, []]);
  });

  test('joins the next file in the earlier spelling, though no bytes are kept', () => {
    const home = earlierHome();
    forgetFiles(home.target, 1);
    home.import(home.file('next.csv', fileOf(['TG', 'XXBTZEUR', 6, 'sell', 52_000, 1])));
    expect(shown(home)[0]).toBe(ALL[0]);
    expect(others(home)).toEqual([]);
  });

  test('is read again with the present names; ids and labels stay', () => {
    const home = earlierHome();
    const ids = home.rows('SELECT id FROM trades ORDER BY executed_at, id');
    const [{ id }] = ids as [{ id: string }];
    edit(home.target, { name: 'annotate', line: 'annotate', resource: trades }, (own) =>
      own.put(trades, { id, setup: 'breakout' }),
    );
    const before = home.contents();
    expect(others(home)).toEqual([1]);
    expect(reread(home)).toMatchObject({
      read: 1,
      trades: { added: 0, changed: 3, removed: 0 },
      fields: [{ field: 'symbol', changed: 3 }],
      failed: [],
    });
    expect(home.rows('SELECT symbol, setup FROM trades ORDER BY executed_at')).toEqual([
      { symbol: 'XBT/EUR', setup: 'breakout' },
      { symbol: 'ADA/EUR', setup: null },
      { symbol: 'ETH/XBT', setup: null },
    ]);
    expect(home.rows('SELECT id FROM trades ORDER BY executed_at, id')).toEqual(ids);
    expect([others(home), home.findings()]).toEqual([[], []]);

    home.import(home.path('earlier.csv'));
    home.import(home.file('present.csv', PRESENT));
    expect(shown(home)).toEqual(ALL);
    for (const line of [4, 3]) undo(home, line);
    expect(home.contents()).toEqual(before);
  });

  test.each([
    [[1], [2, 1]],
    [[1], [1, 2]],
  ])(
    'is read again after the present file; then lines are undone in any order',
    (_, order) => {
      const home = earlierHome();
      home.import(home.file('present.csv', PRESENT));
      const ids = home.rows('SELECT id FROM trades ORDER BY id');
      expect(reread(home)).toMatchObject({ read: 2, failed: [] });
      expect([shown(home), fillCount(home), home.findings()]).toEqual([ALL, 7, []]);
      expect(home.rows('SELECT id FROM trades ORDER BY id')).toEqual(ids);
      expect(home.rows('SELECT DISTINCT symbol FROM fills ORDER BY 1')).toEqual([
        { symbol: 'ADA/EUR' },
        { symbol: 'ETH/XBT' },
        { symbol: 'XBT/EUR' },
      ]);
      undo(home, order[0] as number);
      expect(shown(home)).toEqual(
        order[0] === 1
          ? ALL.slice(1)
          : [
              'XBT/EUR long open 2 1 1000 2 EUR',
              'ADA/EUR long open 100 100 0 1 EUR',
              'ETH/XBT long open 4 4 0 1 BTC',
            ],
      );
      undo(home, order[1] as number);
      expect([fillCount(home), home.findings()]).toEqual([0, []]);
    },
  );

  test('that counted trades twice counts them once when it is read again', () => {
    const home = earlierHome();
    const present = new ImportHome().withUser();
    present.import(present.file('present.csv', PRESENT));
    // The earlier reader stored both.
    const columns = (table: string) =>
      home
        .rows(`SELECT name FROM pragma_table_info('${table}')`)
        .map(({ name }) => String(name));
    const copies = COPIED.map((table) => {
      const names = columns(table).map((name) => `"${name}"`);
      return `INSERT INTO ${table} (${names}) SELECT ${names} FROM present.${table};`;
    });
    home.write(`PRAGMA foreign_keys = OFF; ATTACH '${present.journal}' AS present;
      UPDATE present.imports SET id = 2, revision = NULL;
      UPDATE present.import_fills SET import_id = 2;
      UPDATE present.import_files SET import_id = 2;
      ${copies.join('')}`);
    expect([fillCount(home), home.findings()]).toEqual([9, []]);
    const [{ id } = { id: '' }] = home.rows(
      "SELECT id FROM trades WHERE symbol = 'ADAEUR'",
    );
    edit(home.target, { name: 'annotate', line: 'annotate', resource: trades }, (own) =>
      own.put(trades, { id, setup: 'breakout' }),
    );
    expect(reread(home)).toMatchObject({ read: 2, different: [{ id: 1 }], failed: [] });
    expect([shown(home), fillCount(home), home.findings()]).toEqual([ALL, 7, []]);
    expect(home.rows('SELECT id, setup FROM trades WHERE setup IS NOT NULL')).toEqual([
      { id: 'kraken:ADA-EUR:TC', setup: 'breakout' },
    ]);
    undo(home, 4);
    expect([fillCount(home), home.findings()]).toEqual([9, []]);
    expect(home.rows('SELECT id, setup FROM trades WHERE setup IS NOT NULL')).toEqual([
      { id: 'kraken:ADAEUR:TC', setup: 'breakout' },
    ]);
    reread(home);
    expect([shown(home), fillCount(home)]).toEqual([ALL, 7]);
  });

  test('of two accounts joins each apart, whatever comes first', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', EARLIER), { account: 'one' });
    home.import(home.file('b.csv', EARLIER.replaceAll('"T', '"U')), { account: 'two' });
    asEarlier(home);
    const before = home.contents();
    home.import(home.file('c.csv', PRESENT), { account: 'one' });
    expect(shown(home).filter((row) => row.includes(' closed '))).toEqual(ALL);
    // Now fills of all accounts are walked together.
    home.import(home.file('d.csv', fileOf(['V', 'XBT/EUR', 7, 'buy', 1, 1])));
    home.import(home.file('e.csv', PRESENT.replaceAll('"T', '"U')), { account: 'two' });
    expect(shown(home)).toEqual([
      ...ALL.flatMap((row) => [row, row]),
      'XBT/EUR long open 1 1 0 1 EUR',
    ]);
    expect(home.findings()).toEqual([]);
    const together = home.contents();
    expect(reread(home)).toMatchObject({ failed: [] });
    expect(shown(home)).toHaveLength(7);
    for (const id of [7, 6]) undo(home, id);
    expect(home.contents()).toEqual(together);
    for (const id of [4, 5, 3]) undo(home, id);
    expect([home.contents(), home.findings()]).toEqual([before, []]);
  });

  test('with fills by hand keeps them in their position', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('a.csv', fileOf(['TB', 'XXBTZEUR', 2, 'sell', 51_000, 1])));
    asEarlier(home);
    const record = (text: string) =>
      recordFills({ ...home.target, lines: [{ text, line: 1 }] }, 'fill');
    record('2026-11-01 09:00 buy 2 XXBTZEUR 50000');
    expect(shown(home)).toEqual(['XXBTZEUR long open 2 1 1000 1 EUR']);

    home.import(home.file('b.csv', fileOf(['TG', 'XBT/EUR', 6, 'sell', 52_000, 1])));
    const closed = ['XBT/EUR long closed 2 0 3000 2 EUR'];
    expect(shown(home)).toEqual(closed);
    expect(reread(home)).toMatchObject({ failed: [] });
    expect([shown(home), home.findings()]).toEqual([closed, []]);
    undo(home, 4);
    undo(home, 3);
    expect(shown(home)).toEqual(['XXBTZEUR long open 2 1 1000 1 EUR']);
  });
});

describe('beside ledgers', () => {
  const ledgers = (name: (asset: string) => string) =>
    `"txid","refid","time","type","subtype","aclass","asset","amount","fee","balance"
"L1","TA","2026-11-01 10:00:00","trade","","currency","${name('ZEUR')}",-100000,1,0
"L2","TA","2026-11-01 10:00:00","trade","","currency","${name('XXBT')}",2,0,2
"L3","TX","2026-11-02 10:00:00","receive","","currency","${name('XXBT')}",1,0,3
"L4","TX","2026-11-02 10:00:00","spend","","currency","${name('ZEUR')}",-50000,1,0
`;
  const older = ledgers((asset) => asset);
  const present = ledgers(assetName);
  const others = ledgers((asset) => assetName(asset).replace('XBT', 'BTC'));
  const mixed = ledgers((asset) => (asset === 'XXBT' ? asset : 'EUR'));
  const sold = fileOf(['TG', 'XBT/EUR', 6, 'sell', 52_000, 3]);

  test.each([
    [older, present],
    [present, older],
    [others, mixed],
    [mixed, others],
  ])(
    'a position opened there is closed by a trade; other names count once',
    (one, other) => {
      const home = new ImportHome().withUser();
      home.import(home.file('ledgers.csv', one));
      home.import(home.file('trades.csv', sold));
      const closed = ['XBT/EUR long closed 3 0 6000 3 EUR'];
      expect(shown(home)).toEqual(closed);
      home.import(home.file('more.csv', other));
      expect([shown(home), fillCount(home), home.findings()]).toEqual([closed, 3, []]);
    },
  );

  test.each([
    [EARLIER, present],
    [older, respelled(EARLIER)],
    [others, EARLIER],
  ])('a trade of both, each with its own name, is a duplicate', (one, other) => {
    const home = new ImportHome().withUser();
    home.import(home.file('one.csv', one));
    expect(home.refusalOf(home.file('other.csv', other))).toContain(
      'already in the journal as kraken',
    );
  });
});

describe('fills by hand', () => {
  test.each(['XXBTZEUR', 'XBT/EUR'])(
    '%s without an account, which a file states, too, is a duplicate',
    (symbol) => {
      const home = new ImportHome().withUser();
      recordFills(
        {
          ...home.target,
          lines: [{ text: `2026-11-01T10:00Z buy 2 ${symbol} 50000`, line: 1 }],
          market: 'crypto',
          currency: 'EUR',
        },
        'fill',
      );
      expect(home.refusalOf(home.file('a.csv', EARLIER))).toContain(
        'already in the journal as fill (import 1)',
      );
    },
  );

  test.each(['XXBTZEUR', 'XBT/EUR', 'xbt/eur', 'xxbtzeur'])(
    '%s in the account of a file, which states it, too, counts once',
    (symbol) => {
      const home = new ImportHome().withUser();
      recordFills(
        {
          ...home.target,
          lines: [{ text: `2026-11-01T10:00Z buy 2 ${symbol} 50000`, line: 1 }],
          account: 'main',
          market: 'crypto',
          currency: 'EUR',
        },
        'fill',
      );
      home.import(home.file('a.csv', EARLIER), { account: 'main' });
      home.import(home.file('b.csv', PRESENT), { account: 'main' });
      expect(shown(home)).toEqual(ALL);
      undo(home, 3);
      undo(home, 2);
      expect(shown(home)).toEqual([`${symbol} long open 2 2 0 0 EUR`]);
      expect(home.findings()).toEqual([]);
    },
  );

  test('in the symbol of another platform of the account stay with it', () => {
    const home = new ImportHome().withUser();
    const binance = `Date(UTC),Pair,Side,Price,Executed,Amount,Fee
2026-11-01 09:00:00,ADAEUR,BUY,0.5,100ADA,50EUR,0.1EUR
`;
    home.import(home.file('binance.csv', binance), { account: 'main' });
    home.import(home.file('a.csv', fileOf(['TC', 'ADA/EUR', 2, 'buy', 0.5, 10])), {
      account: 'main',
    });
    recordFills(
      {
        ...home.target,
        lines: [{ text: '2026-11-03T10:00Z sell 100 ADAEUR 0.6', line: 1 }],
        account: 'main',
      },
      'fill',
    );
    expect(shown(home)).toEqual([
      'ADAEUR long closed 100 0 10 0.1 EUR',
      'ADA/EUR long open 10 10 0 1 EUR',
    ]);
  });
});

test('exported fills of the earlier reader count nothing twice', async () => {
  const [from, to] = [earlierHome(), new ImportHome().withUser()];
  const folder = from.path('export');
  await exportJournal({ journal: from.journal, folder, as: 'jsonl' });
  to.import(to.file('b.csv', PRESENT));
  to.import(join(folder, 'fills.jsonl'));
  expect([shown(to), fillCount(to), to.findings()]).toEqual([ALL, 7, []]);
});

test('notes find trades by the name that their pair had', () => {
  const home = earlierHome();
  const note = (text: string) =>
    home.file('2026-11-01.md', `# 2026-11-01\n\n## 10:00 XXBTZEUR long\n\n${text}\n`);
  home.import(note('Bought the dip.'));
  reread(home);
  home.import(note('Bought the dip, too early.'));
  expect(
    home.rows(
      'SELECT t.symbol, j.body FROM trade_journals AS j JOIN trades AS t ON t.id = j.trade_id',
    ),
  ).toEqual([{ symbol: 'XBT/EUR', body: 'Bought the dip, too early.' }]);
});

test('a file of the earlier reader is read again from its place, too', () => {
  const home = earlierHome();
  forgetFiles(home.target, 1);
  home.import(home.file('present.csv', PRESENT));
  changeImport(
    { ...home.target, id: 1, given: {}, file: home.path('earlier.csv') },
    'import change',
  );
  expect([shown(home), fillCount(home)]).toEqual([ALL, 7]);
  expect(home.rows('SELECT DISTINCT symbol FROM fills')).toHaveLength(3);
});
