/** The trader's own fees in a journal: set, removed and undone, before and after any import. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changeFees, type FeesReport, listFees } from '../../src/edit/fees.ts';
import { EXPORT_FORMS } from '../../src/export/forms.ts';
import { exportJournal } from '../../src/export/index.ts';
import type { FileFill } from '../../src/import/fills/reading.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { type FeeRate, lackingFees } from '../../src/statements/account-settings.ts';
import { FillTable } from '../../src/statements/fills.ts';
import { runs } from '../effort.ts';
import { runHere } from '../program.ts';
import { FillHome } from './fill-home.ts';
import { piecesOf, toldPieces } from './fills/any-pieces.ts';
import { makeFileFills } from './fills/make-file-fill.ts';

const NONE = { account: null, per_contract: null, per_order: null, percent: null };

function setFees(
  home: FillHome,
  ...rates: (Partial<FeeRate> & Pick<FeeRate, 'symbol'>)[]
): FeesReport {
  const given = rates.map((rate) => ({ ...NONE, ...rate }));
  return changeFees(home.target, given, 'fees set');
}

const feeless = (fees?: number) =>
  makeFileFills(
    ['buy 2 @ 100', 'sell 2 @ 101'],
    fees === undefined ? { feesStated: false } : { fees },
  );
const shown = (home: FillHome) =>
  home.rows('SELECT gross_pnl, fees, net_pnl FROM trades');

describe('own fees', () => {
  test('count in trades, are listed as an import and undone', () => {
    const home = new FillHome().withUser();
    home.take(feeless());
    const before = home.tables();
    const report = setFees(home, { symbol: 'MES', per_contract: 0.62 });
    expect(report).toMatchObject({
      import: 2,
      trades: { changed: 1 },
      added: [{ currency: 'USD', amount: 2.48 }],
      unused: [],
    });
    expect(shown(home)).toEqual([{ gross_pnl: 10, fees: 2.48, net_pnl: 7.52 }]);
    expect(
      home.rows(
        'SELECT id, file, format, resource, rows, trades FROM imports WHERE id = 2',
      ),
    ).toEqual([
      { id: 2, file: 'fees set', format: 'fees', resource: 'fees', rows: 1, trades: 1 },
    ]);
    expect(home.rows('SELECT fees FROM executions')).toEqual([
      { fees: 1.24 },
      { fees: 1.24 },
    ]);
    expect(home.rows('SELECT fees FROM fills')).toEqual([{ fees: 0 }, { fees: 0 }]);
    expect(home.findings()).toEqual([]);
    home.undo();
    expect(home.tables()).toEqual(before);
  });

  test('already set change nothing, and a dry run writes nothing', () => {
    const home = new FillHome().withUser();
    home.take(feeless());
    setFees(home, { symbol: 'MES', per_contract: 0.62 });
    const before = home.hash();
    expect(setFees(home, { symbol: 'mes', per_contract: 0.62 }).import).toBeNull();
    const given = [{ ...NONE, symbol: 'MES', per_contract: 5 }];
    const report = changeFees({ ...home.target, dryRun: true }, given, 'fees set');
    expect(report).toMatchObject({
      import: null,
      added: [{ currency: 'USD', amount: 17.52 }],
    });
    expect(home.hash()).toBe(before);
  });

  test('are replaced by stated fees, and return with the undo of that file', () => {
    const home = new FillHome().withUser();
    setFees(home, { symbol: 'MES', per_contract: 0.62 });
    home.take(feeless());
    home.take(feeless(0.1));
    expect(shown(home)).toMatchObject([{ fees: 0.2 }]);
    home.take(feeless());
    expect(shown(home)).toMatchObject([{ fees: 0.2 }]);
    home.undo(3);
    expect(shown(home)).toMatchObject([{ fees: 2.48 }]);
    home.take(feeless(0));
    expect(shown(home)).toMatchObject([{ fees: 0 }]);
  });

  test('of an earlier change count again after undo of the later one, in any order', () => {
    const home = new FillHome().withUser();
    home.take(feeless());
    setFees(home, { symbol: 'MES', per_contract: 1 });
    setFees(home, { symbol: 'MES', per_contract: 2 });
    setFees(home, { symbol: 'MES' });
    expect(listFees(home)).toEqual([]);
    expect(shown(home)).toMatchObject([{ fees: 0 }]);
    home.undo(3);
    expect(shown(home)).toMatchObject([{ fees: 0 }]);
    home.undo(4);
    expect(shown(home)).toMatchObject([{ fees: 4 }]);
    expect(listFees(home)).toEqual([{ ...NONE, symbol: 'MES', per_contract: 1 }]);
  });

  test("keep the user's text and fees", () => {
    const home = new FillHome().withUser();
    home.take(feeless());
    const { id } = home.rows('SELECT id FROM trades')[0] as { id: string };
    home.import(
      home.lines('trades.jsonl', { id, fees: 3, notes: 'waited', tags: ['open'] }),
    );
    setFees(home, { symbol: 'MES', per_contract: 0.62 });
    expect(home.rows('SELECT fees, notes, tags FROM trades')).toEqual([
      { fees: 3, notes: 'waited', tags: '["open"]' },
    ]);
  });

  test('are replaced by costs stated apart from fills', () => {
    const home = new FillHome().withUser();
    setFees(home, { symbol: 'MES', per_contract: 0.62 });
    home.take(feeless());
    const costs = {
      kind: 'cost',
      side: null,
      quantity: null,
      price: 0,
      fees: 0.5,
    } as const;
    home.take(
      feeless().map((fill, index) => ({
        ...fill,
        ...costs,
        executionId: `c${index}`,
        feesStated: true,
      })),
    );
    expect(shown(home)).toMatchObject([{ fees: 1 }]);
    const db = openForWriting(home.journal);
    onTestFinished(() => void db.close());
    expect(lackingFees(new FillTable(db, 'me'), [], 2)).toEqual({
      byRates: [],
      without: [],
    });
  });

  test.each(EXPORT_FORMS.map((as) => [as]))(
    'are kept by an export as %s, and count for later fills',
    async (as) => {
      const home = new FillHome().withUser();
      const fills = makeFileFills(['buy 2 @ 100', 'sell 1 @ 101', 'sell 1 @ 102'], {
        feesStated: false,
      });
      home.take(fills.slice(0, 2));
      setFees(home, { symbol: 'MES', per_contract: 9 });
      home.now += 1000;
      setFees(
        home,
        { symbol: 'MES', per_contract: 0.62 },
        { symbol: null, account: 'b', percent: 1 },
      );
      const folder = home.path('out');
      await exportJournal({ journal: home.journal, folder, as });
      const before = home.hash();
      home.import(folder);
      expect(home.hash()).toBe(before);
      const copy = new FillHome();
      copy.import(folder);
      expect(copy.contents()).toEqual(home.contents());
      expect(listFees(copy)).toEqual(listFees(home));
      for (const own of [home, copy]) own.take(fills.slice(1));
      expect(copy.contents()).toEqual(home.contents());
      expect(shown(copy)).toEqual([{ gross_pnl: 15, fees: 2.48, net_pnl: 12.52 }]);
      copy.undo(
        copy.rows('SELECT max(import_id) AS id FROM fee_rates')[0]?.['id'] as number,
      );
      expect(shown(copy)).toMatchObject([{ fees: 36 }]);
    },
  );

  test('of an order are shared across files with parts of it', () => {
    const fills = makeFileFills(
      ['buy 1 @ 100', 'sell 1 @ 101', 'buy 1 @ 100', 'sell 1 @ 101'],
      {
        ...{ feesStated: false, orderId: 'o' },
      },
    );
    const home = new FillHome().withUser();
    setFees(home, { symbol: null, per_order: 1 });
    home.take(fills.slice(0, 2));
    expect(shown(home)).toMatchObject([{ fees: 1 }]);
    home.take(fills.slice(2));
    expect(shown(home)).toMatchObject([{ fees: 0.5 }, { fees: 0.5 }]);
    home.undo();
    expect(shown(home)).toMatchObject([{ fees: 1 }]);
  });
});

describe('with random files and fees', () => {
  const anyRate = fc.record({
    symbol: fc.constantFrom(null, 'MESZ6', 'MNQZ6', 'MES'),
    account: fc.constantFrom(null, 'a', 'B'),
    per_contract: fc.constantFrom(null, 0.62, 1 / 3),
    per_order: fc.constantFrom(null, null, 1, 0.1),
    percent: fc.constantFrom(null, 0.05),
  });
  const steps = fc.tuple(
    toldPieces,
    fc.uniqueArray(anyRate, {
      maxLength: 3,
      selector: ({ symbol, account }) => `${symbol} ${account}`,
    }),
    fc.array(fc.nat(), { maxLength: 8 }),
  );
  const hasAmount = ({ per_contract, per_order, percent }: FeeRate) =>
    (per_contract ?? per_order ?? percent) !== null;

  test("the order of imports, changes and undos doesn't matter", {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(steps, ([pieces, given, keys]) => {
        const rates = given.filter(hasAmount);
        const whole = new FillHome().withUser();
        if (rates.length > 0) setFees(whole, ...rates);
        whole.take(pieces[0]);

        const home = new FillHome().withUser();
        const files: readonly FileFill[][] = piecesOf(pieces);
        const acts = [
          ...files.map((file) => () => void home.take(file)),
          ...rates.map((rate) => () => void setFees(home, rate)),
        ];
        const order = acts
          .map((act, index) => ({ act, key: keys[index] ?? index }))
          .sort((a, b) => a.key - b.key);
        // A fee set and undone in between leaves nothing.
        order.forEach(({ act }, index) => {
          act();
          if (index !== (keys[0] ?? 0) % order.length) return;
          setFees(home, { symbol: null, per_contract: 7, per_order: 3 });
          home.undo();
        });
        expect(home.trades()).toEqual(whole.trades());

        const first = new FillHome().withUser();
        first.take(pieces[0]);
        for (const rate of rates)
          setFees(home, { symbol: rate.symbol, account: rate.account });
        expect(home.trades()).toEqual(first.trades());
      }),
      { numRuns: runs(15) },
    );
  });

  test('undo of the changes in any order restores the journal, row by row', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(steps, ([[file], given, keys]) => {
        const home = new FillHome().withUser();
        home.take(file);
        const before = home.tables();
        const ids = given
          .filter(hasAmount)
          .flatMap((rate) => setFees(home, rate).import ?? []);
        for (const [place] of ids
          .map((_, index) => [index, keys[index] ?? 0] as const)
          .sort((a, b) => a[1] - b[1])) {
          home.undo(ids[place]);
        }
        expect(home.tables()).toEqual(before);
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('exports without fees', () => {
  const PERFORMANCE =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\nMNQZ6,2,1,8,25660.00,25683.50,$376.00,11/02/2026 09:30:00,11/02/2026 09:31:00';
  const GRID =
    'Instrument,Action,Quantity,Price,Time,E/X,Commission\nMNQ DEC26,Buy,1,25660,11/16/2026 9:30:00 AM,Entry,$0.35\nMNQ DEC26,Sell,1,25670,11/16/2026 9:31:00 AM,Exit,$0.35';
  const withoutColumn = GRID.replaceAll(/,[^,\n]+$/gm, '');

  test.each([
    [
      'has no such column',
      'Performance.csv',
      PERFORMANCE,
      ['MNQ'],
      [{ currency: 'USD', amount: 9.92 }],
    ],
    [
      'lacks its column',
      'grid.csv',
      withoutColumn,
      ['MNQ'],
      [{ currency: 'USD', amount: 1.24 }],
    ],
    ['has its column', 'grid.csv', GRID, [], []],
  ])('are known: one that %s', (_, name, text, without_fees, own_fees) => {
    const home = new FillHome().withUser('me', { timezone: 'UTC' });
    const first = home.import(home.file(name, text)).files[0];
    expect(first?.platform).toMatchObject({ without_fees, own_fees: [] });
    home.undo();
    setFees(home, { symbol: 'MNQ', per_contract: 0.62 });
    const second = home.import(home.path(name)).files[0];
    expect(second?.platform).toMatchObject({ without_fees: [], own_fees });
    expect(second?.notes).not.toContain('this export has no fees; they are 0');
  });

  test('are known of a mapping without a column of fees', () => {
    const home = new FillHome().withUser('me', { timezone: 'UTC' });
    const fields = {
      executed_at: 'When',
      symbol: 'What',
      side: 'Side',
      quantity: 'Qty',
      price: 'At',
      market: { value: 'stock' },
    };
    const map = { name: 'own', target: 'fills', fields };
    const file = home.file(
      'own.csv',
      'When,What,Side,Qty,At\n2026-11-02T10:00:00Z,ABC,buy,10,5\n2026-11-02T11:00:00Z,ABC,sell,10,6\n',
    );
    home.import(file, { map: loadMapping(home.file('map.json', JSON.stringify(map))) });
    setFees(home, { symbol: null, percent: 1 });
    expect(shown(home)).toEqual([{ gross_pnl: 10, fees: 1.1, net_pnl: 8.9 }]);
  });

  const FILE = 'test/fixtures/notes/Performance.csv';

  test('in a file as Tradovate writes it, each contract costs twice', () => {
    const home = new FillHome().withUser();
    home.import(FILE);
    const [, ...rows] = readFileSync(FILE, 'utf8').trim().split('\n');
    const contracts = (root: string) =>
      rows
        .map((row) => row.split(','))
        .filter(([symbol]) => symbol?.startsWith(root))
        .reduce((sum, row) => sum + Number(row[6]), 0);
    expect([contracts('MNQ'), contracts('MGC')]).toEqual([32, 41]);
    setFees(
      home,
      { symbol: 'MNQ', per_contract: 0.62 },
      { symbol: 'MGC', per_contract: 0.87 },
    );
    expect(
      home.rows(
        'SELECT underlying, round(sum(fees), 8) AS fees FROM trades GROUP BY underlying',
      ),
    ).toEqual([
      { underlying: 'MGC', fees: 71.34 },
      { underlying: 'MNQ', fees: 39.68 },
    ]);
  });
});

describe('journal-api fees', () => {
  const run = (home: FillHome, ...args: string[]) =>
    runHere(['fees', ...args, '--db', home.journal, '--home', home.folder]);

  test('sets, lists and removes', async () => {
    const home = new FillHome().withUser();
    home.take(feeless());
    const set = await run(home, 'set', 'MES=0.62', 'AAPL=0.005', '--account', 'main');
    expect(set.stderr).toContain(
      '0 trades changed; fees changed by 0. To undo: journal-api import undo 2',
    );
    expect(set.stderr).toContain('AAPL has no fills without stated fees yet');
    expect((await run(home, 'set', 'MES=1', '--per-order', '0.5')).stderr).toContain(
      '1 trades changed; fees changed by +5 USD',
    );
    expect((await run(home, 'set', '--percent', '0.05', '--json')).stdout).toContain(
      '"percent": 0.05',
    );
    expect(
      (await run(home, 'list')).stdout
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['SYMBOL', 'ACCOUNT', 'PER CONTRACT', 'PER ORDER', 'PERCENT'],
      ['every', 'every', '-', '-', '0.05'],
      ['AAPL', 'main', '0.005', '-', '-'],
      ['MES', 'every', '1', '0.5', '-'],
      ['MES', 'main', '0.62', '-', '-'],
      [''],
    ]);
    expect((await run(home, 'remove', 'mes')).code).toBe(0);
    expect((await run(home, 'remove')).code).toBe(0);
    expect(JSON.parse((await run(home, 'list', '--json')).stdout)).toMatchObject([
      { symbol: 'AAPL' },
      { symbol: 'MES', account: 'main' },
    ]);
    expect(home.rows('SELECT file FROM imports WHERE id = 2')).toEqual([
      { file: 'fees set MES=0.62 AAPL=0.005 --account main' },
    ]);
  });

  test.each<[string[], number, string]>([
    [['set'], 2, 'name a symbol and its fee, as in: journal-api fees set MNQ=0.62'],
    [
      ['set', 'MNQ'],
      2,
      'fees set takes a symbol and its fee, such as MNQ=0.62; got "MNQ"',
    ],
    [
      ['set', 'MNQ==1'],
      2,
      'fees set takes a symbol and its fee, such as MNQ=0.62; got "MNQ==1"',
    ],
    [
      ['set', 'MNQ=0,62'],
      2,
      'MNQ=0,62: a fee must be a number from 0 to below 1000000000, such as 0.62; got "0,62"',
    ],
    [['set', 'MNQ=-1'], 2, 'got "-1"'],
    [['set', '--percent', '100'], 2, '--percent'],
    [['set', 'MNQ=1', 'mnq=2'], 2, 'mnq appears twice; keep one'],
    [
      ['remove', 'MNQ=1'],
      2,
      'fees remove takes symbols without amounts, such as MNQ; got "MNQ=1"',
    ],
    [
      ['remove', 'MNQ'],
      1,
      'there is no fee of MNQ to remove; "journal-api fees list" shows all fees',
    ],
  ])('refuses %j with the right form', async (args, code, words) => {
    const home = new FillHome().withUser();
    const before = home.hash();
    const { stderr, ...result } = await run(home, ...args);
    expect(result.code).toBe(code);
    expect(stderr).toContain(words);
    expect(home.hash()).toBe(before);
  });

  test('are suggested once by an import of exports that state none', async () => {
    const home = new FillHome().withUser('me', { timezone: 'UTC' });
    const text =
      'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\nMNQZ6,ID2,ID1,8,25660.00,25683.50,$376.00,11/02/2026 09:30:00,11/02/2026 09:31:00';
    const files = ['5', '6'].map((id) =>
      home.file(
        `Performance ${id}.csv`,
        text.replaceAll('ID', id).replaceAll(':00,', `:0${id},`),
      ),
    );
    const { stderr } = await runHere([
      'import',
      ...files,
      '--db',
      home.journal,
      '--home',
      home.folder,
    ]);
    expect(stderr.split('journal-api fees set MNQ=0.62')).toHaveLength(2);
  });
});
