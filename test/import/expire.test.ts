/** Expirations that no export states: booked by the user, replaced by a later file that states what happened. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { expire } from '../../src/edit/expire.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { exportJournal } from '../../src/export/index.ts';
import { type FileFill, fill } from '../../src/import/fills/reading.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { option } from '../../src/parse/instruments.ts';
import { runs } from '../effort.ts';
import { PROGRAM, runHere } from '../program.ts';
import { FillHome } from './fill-home.ts';
import { ImportHome, TRADE } from './home.ts';

type Home = ImportHome;
const SPY = option({
  underlying: 'SPY',
  expiration: '2026-10-16',
  strike: 450,
  optionType: 'call',
});
const target = (home: Home) => home.target;
const book = (home: Home, ids?: string[], price = 0, more: object = {}) =>
  expire({ ...target(home), ...more }, ids, price, 'expire');
const traded = (
  executedAt: string,
  side: 'buy' | 'sell',
  quantity: number,
  price: number,
  more: Partial<FileFill> = {},
) =>
  fill({
    line: 1,
    instrument: SPY,
    executedAt,
    side,
    quantity,
    price,
    mayShort: true,
    ...more,
  });
const OPENED = traded('2026-10-14T15:00:00.000Z', 'buy', 2, 3);
/** 16:00 in New York. */
const EXPIRED = '2026-10-16T20:00:00.000Z';
const stored = (home: Home) =>
  home.rows(
    'SELECT side, status, closed_at, quantity, exit_price, gross_pnl, multiplier, currency FROM trades ORDER BY executed_at, id',
  );
const withFills = (
  fills: readonly FileFill[],
  options: Parameters<FillHome['take']>[1] = {},
) => {
  const home = new FillHome().withUser() as FillHome;
  home.take(fills, options);
  return home;
};
const idOf = (home: Home) =>
  (home.rows('SELECT id FROM trades ORDER BY executed_at, id')[0] as { id: string }).id;

test.each([
  ['long', [OPENED], { side: 'long', quantity: 2, exit_price: 0, gross_pnl: -600 }],
  [
    'short, bought back',
    [traded('2026-10-14T15:00:00.000Z', 'sell', 1, 3)],
    { side: 'short', exit_price: 0, gross_pnl: 300 },
  ],
  [
    'partly closed',
    [OPENED, traded('2026-10-15T15:00:00.000Z', 'sell', 1, 5)],
    { quantity: 2, exit_price: 2.5, gross_pnl: -100 },
  ],
  [
    'last fill of the day after 16:00',
    [OPENED, traded('2026-10-16T20:14:00.000Z', 'sell', 1, 1)],
    { closed_at: '2026-10-16T20:14:00.000Z', gross_pnl: -500 },
  ],
])(
  '%s: closed at 16:00 in New York, or at the last fill of that day',
  (_, fills, expected) => {
    const home = withFills(fills);
    const before = home.contents();
    const report = book(home, [idOf(home)]);
    expect(report).toMatchObject({
      import: 2,
      expired: [{ symbol: 'SPY 2026-10-16 C450', price: 0 }],
    });
    expect(stored(home)).toEqual([
      expect.objectContaining({
        closed_at: EXPIRED,
        status: 'closed',
        multiplier: 100,
        currency: 'USD',
        ...expected,
      }),
    ]);
    expect(home.findings()).toEqual([]);
    expect(() => book(home, [idOf(home)])).toThrow(
      '(SPY 2026-10-16 C450) is closed already',
    );
    expect(book(home).expired).toEqual([]);
    home.undo(2);
    expect(home.contents()).toEqual(before);
  },
);

test.each([
  ['in summer', '2026-07-17', '2026-07-17T20:00:00.000Z'],
  ['after the clock change of 1 November', '2026-11-06', '2026-11-06T21:00:00.000Z'],
  ['on the day before it', '2026-10-30', '2026-10-30T20:00:00.000Z'],
  ['on Good Friday', '2026-04-03', '2026-04-03T20:00:00.000Z'],
  ['on a Saturday, as until 2015', '2014-01-18', '2014-01-18T21:00:00.000Z'],
])('an option that expires %s', (_, expiration, at) => {
  const instrument = option({
    underlying: 'SPY',
    expiration,
    strike: 450,
    optionType: 'put',
  });
  const home = withFills([
    { ...OPENED, instrument, executedAt: `${expiration.slice(0, 8)}01T15:00:00.000Z` },
  ]);
  home.now = Date.parse(at) - 1;
  expect(() => book(home, [idOf(home)])).toThrow(
    `expires on ${expiration} at 16:00 in New York; run this after that`,
  );
  expect(book(home).expired).toEqual([]);
  home.now++;
  expect(book(home).expired).toMatchObject([{ closed_at: at }]);
});

test('at a price, of one option only; not of what is no open option', async () => {
  const home = withFills([OPENED]);
  home.import(home.lines('trades.jsonl', { ...TRADE, id: 'stock' }));
  expect(() => book(home, ['stock'])).toThrow(
    "trade stock (AAPL) isn't an option (its market is stock); only options expire",
  );
  expect(() => book(home, ['nothing'])).toThrow(
    'there is no trade with the id "nothing"',
  );
  const id = idOf(home);
  const { code, stdout } = await runHere([
    'expire',
    id,
    '--price',
    '1.25',
    '--json',
    '--db',
    home.journal,
  ]);
  expect([code, JSON.parse(stdout).expired]).toEqual([
    0,
    [expect.objectContaining({ id, price: 1.25, net_pnl: -350 })],
  ]);
  for (const [args, error] of [
    [[], 'no trades selected; pass ids, or --all'],
    [[id, '--all'], '--all selects every expired option; remove the ids'],
    [['--all', '--price', '1'], '--price is for one option; pass one id, got --all'],
    [[id, 'x', '--price', '1'], '--price is for one option; pass one id, got 2'],
    [
      [id, '--price', '-1'],
      '--price takes a number of 0 or more, such as 1.25; got "-1"',
    ],
  ] as const) {
    const refused = await runHere(['expire', ...args, '--db', home.journal]);
    expect([refused.code, refused.stderr]).toEqual([2, `journal-api: ${error}\n`]);
  }
});

test('a booked expiration keeps its time in another time zone; one that a file states as a date keeps its day', async () => {
  const other = option({
    underlying: 'SPY',
    expiration: '2026-10-16',
    strike: 460,
    optionType: 'call',
  });
  const stated = {
    instrument: other,
    kind: 'expiration' as const,
    hasTime: false,
    effect: 'close' as const,
  };
  const home = withFills([
    OPENED,
    traded('2026-10-14T15:00:00.000Z', 'buy', 2, 1, { instrument: other }),
    traded('2026-10-16T00:00:00.000Z', 'sell', 2, 0, stated),
  ]);
  book(home);
  const closed = () =>
    home
      .rows('SELECT closed_at FROM trades ORDER BY symbol')
      .map((own) => own['closed_at']);
  expect(closed()).toEqual([EXPIRED, '2026-10-16T00:00:00.000Z']);
  await runHere(['user', 'set', 'me', '--timezone', 'Asia/Tokyo', '--home', home.folder]);
  expect(closed()).toEqual([EXPIRED, '2026-10-15T15:00:00.000Z']);
  expect(home.rows('SELECT has_time FROM trades ORDER BY symbol')).toEqual([
    { has_time: 1 },
    { has_time: 0 },
  ]);
  expect(home.findings()).toEqual([]);
});

test('several with --all need --yes without a terminal', async () => {
  const other = option({
    underlying: 'SPY',
    expiration: '2026-10-16',
    strike: 460,
    optionType: 'call',
  });
  const home = withFills([
    OPENED,
    traded('2026-10-14T15:00:00.000Z', 'sell', 2, 1, {
      instrument: other,
      effect: 'open',
    }),
  ]);
  const run = (...args: string[]) => runHere(['expire', ...args, '--db', home.journal]);
  expect(await run('--all')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('this closes 2 trades; pass --yes, or --dry-run'),
  });
  expect((await run('--all', '--dry-run')).stderr).toBe(
    'Dry run: nothing was written.\n',
  );
  expect(stored(home).map(({ status }) => status)).toEqual(['open', 'open']);
  expect(await run('--all', '--yes')).toMatchObject({
    code: 0,
    stderr: 'To undo: journal-api import undo 2\n',
  });
  // A spread: its group is closed with its legs.
  expect(home.rows('SELECT status, closed_at FROM trade_groups')).toEqual([
    { status: 'closed', closed_at: EXPIRED },
  ]);
  expect(await run('--all')).toMatchObject({
    code: 0,
    stderr: 'No option is open after its expiration; nothing changed.\n',
  });
});

test.each<[string, Partial<FileFill>, number]>([
  ['a sale that is marked as its opening', { effect: 'open' }, 1],
  ['a sale without a mark, which may close units that no file has', {}, 0],
])('a short by %s, with --all', (_, parts, expired) => {
  const home = withFills([traded('2026-10-14T15:00:00.000Z', 'sell', 2, 1, parts)]);
  expect(home.rows('SELECT side, tags FROM trades')).toEqual([
    { side: 'short', tags: expired ? '[]' : '["unsure"]' },
  ]);
  expect(book(home).expired).toHaveLength(expired);

  // Whoever names the trade knows it.
  if (expired === 0) expect(book(home, [idOf(home)]).expired).toHaveLength(1);
  expect(home.rows('SELECT status, gross_pnl, tags FROM trades')).toEqual([
    { status: 'closed', gross_pnl: 200, tags: '[]' },
  ]);
});

test.skipIf(spawnSync('script', ['--version']).status !== 0)(
  'an option that opened while the terminal asks is not closed without a question',
  async () => {
    const other = option({
      underlying: 'SPY',
      expiration: '2026-10-16',
      strike: 460,
      optionType: 'call',
    });
    const third = option({
      underlying: 'SPY',
      expiration: '2026-10-16',
      strike: 470,
      optionType: 'call',
    });
    const opened = (instrument: typeof other) =>
      traded('2026-10-14T15:00:00.000Z', 'buy', 2, 1, { instrument });
    const home = withFills([OPENED, opened(other)]) as FillHome;
    const command = `'${process.execPath}' '${PROGRAM}' expire --all --db '${home.journal}'`;
    const terminal = spawn('script', ['-qec', command, '/dev/null']);
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (
        !shown.includes('Close 2 trades?') &&
        `${shown}${text}`.includes('Close 2 trades?')
      ) {
        home.take([opened(third)]);
        terminal.stdin.write('y\n');
      }
      shown += text;
    });
    await once(terminal, 'close');
    expect(shown).toContain(
      'the journal has changed meanwhile: this closes SPY 2026-10-16 C470, too; run the command again',
    );
    expect(stored(home).map(({ status }) => status)).toEqual(['open', 'open', 'open']);
  },
);

test('the same option in two accounts: one expires, the other stays open', () => {
  const home = withFills([OPENED], { account: 'a' });
  home.take([OPENED], { account: 'b' });
  const [first] = home.rows("SELECT id FROM trades WHERE account = 'a'") as [
    { id: string },
  ];
  book(home, [first.id, first.id]);
  expect(home.rows('SELECT account, status FROM trades ORDER BY account')).toEqual([
    { account: 'a', status: 'closed' },
    { account: 'b', status: 'open' },
  ]);
  expect(book(home).expired).toMatchObject([{ account: 'b' }]);
  expect(home.findings()).toEqual([]);
});

const later: [string, FileFill[]][] = [
  [
    'an expiration at the same instant',
    [
      fill({
        ...OPENED,
        executedAt: EXPIRED,
        kind: 'expiration',
        side: null,
        quantity: null,
        price: 0,
        effect: 'close',
      }),
    ],
  ],
  [
    'an expiration on the next day',
    [
      fill({
        ...OPENED,
        executedAt: '2026-10-17T04:00:00.000Z',
        kind: 'expiration',
        side: null,
        quantity: 2,
        price: 0,
        effect: 'close',
      }),
    ],
  ],
  [
    'an assignment of one of two',
    [
      fill({
        ...OPENED,
        executedAt: '2026-10-19T04:00:00.000Z',
        kind: 'assignment',
        side: null,
        quantity: 1,
        price: 0,
        effect: 'close',
      }),
    ],
  ],
  ['a sale at another price', [traded('2026-10-16T19:59:00.000Z', 'sell', 2, 0.5)]],
  ['a purchase that was missing', [traded('2026-10-13T15:00:00.000Z', 'buy', 1, 2)]],
  ['a late sale of one', [traded('2026-10-16T20:10:00.000Z', 'sell', 1, 0.5)]],
];

test.each(later)('a later file that states %s: as if it had come first', (_, fills) => {
  const home = withFills([OPENED]);
  book(home);
  const booked = home.contents();
  const { unmatched, replaced } = home.take(fills);
  expect(unmatched).toEqual([]);
  const first = withFills([OPENED]);
  first.take(fills);
  const isOpen = stored(first).some(({ status }) => status === 'open');
  if (isOpen) book(first);
  expect(home.trades()).toEqual(first.trades());
  expect(replaced.length).toBe(fills[0]?.side === 'buy' ? 0 : 1);
  expect(home.findings()).toEqual([]);
  home.undo(3);
  expect(home.contents()).toEqual(booked);
});

test('the report names the replaced expiration', () => {
  const rows = readFileSync(
    new URL('../fixtures/exports/robinhood/Hood.csv', import.meta.url),
    'utf8',
  ).split('\n');
  const home = new ImportHome().withUser();
  const open = rows.filter((row) => !row.includes('OEXP') && !row.includes('OASGN'));
  const before = home.import(home.file('first.csv', open.join('\n')), { account: 'a' });
  expect(before.notices.map(({ code, command }) => [code, command])).toContainEqual([
    'expired_open',
    'journal-api expire --all',
  ]);
  const { expired } = book(home);
  expect(expired.length).toBeGreaterThan(1);
  expect(() =>
    book(
      home,
      expired.map(({ id }) => id),
    ),
  ).toThrow('is closed already');
  const { files, notices } = home.import(home.file('whole.csv', rows.join('\n')), {
    account: 'a',
    allowDuplicates: true,
  });
  expect(notices).toEqual([]);
  expect(files[0]?.platform?.replaced).toContainEqual({
    symbol: 'SOFI 2026-02-20 P24',
    import: 2,
  });
  const right = new ImportHome().withUser();
  right.import(right.file('whole.csv', rows.join('\n')), { account: 'a' });
  const facts = (own: Home) => own.contents().slice(0, 2);
  expect(facts(home)).toEqual(facts(right));
});

test('undo of the file that opened it is refused with the line that builds on it', () => {
  const home = withFills([OPENED]);
  book(home);
  expect(() => home.undo(1)).toThrow(
    'import 2 builds on it; undo that first: journal-api import undo 2',
  );
  home.undo(2);
  home.undo(1);
  expect(stored(home)).toEqual([]);
});

test('renamed accounts and changed imports take it along; an export keeps it', async () => {
  const content = `"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"
"2/2/2026","2/2/2026","2/3/2026","SOFI","SOFI 2/20/2026 Put $24.00","BTO","1","$1.20","($120.04)"
`;
  const home = new ImportHome().withUser();
  home.import(home.file('a.csv', content), { account: 'wrong' });
  book(home);
  const before = home.contents();
  const state = () => home.rows('SELECT account, status, closed_at FROM trades');
  const closed = (account: string) => [
    { account, status: 'closed', closed_at: '2026-02-20T21:00:00.000Z' },
  ];
  renameAccount(target(home), 'wrong', 'main', 'account rename');
  expect(state()).toEqual(closed('main'));
  changeImport(
    { ...target(home), id: 1, given: { account: 'other' } },
    'import change 1',
  );
  expect(state()).toEqual(closed('other'));
  expect(home.findings()).toEqual([]);

  const copy = new ImportHome();
  const folder = copy.path('exported');
  await exportJournal({ journal: home.journal, folder, as: 'jsonl' });
  copy.import(folder);
  expect(copy.contents()).toEqual(home.contents());
  undo(home);
  expect(state()).toEqual(closed('main'));
  undo(home);
  expect(home.contents()).toEqual(before);
  undo(home);
  expect(home.rows('SELECT status FROM trades')).toEqual([{ status: 'open' }]);
});

test('a file that names the account comes later, and goes again', () => {
  const home = withFills([OPENED], {
    format: { name: 'tastytrade-older', platform: 'tastytrade' },
  });
  book(home);
  home.take([OPENED], {
    format: { name: 'tastytrade-older', platform: 'tastytrade' },
    account: 'named',
  });
  expect(home.rows('SELECT account, status FROM trades')).toEqual([
    { account: 'named', status: 'closed' },
  ]);
  home.undo(3);
  expect(home.rows('SELECT account, status FROM trades')).toEqual([
    { account: null, status: 'closed' },
  ]);
});

test('a trade without fills: its record is closed, and restored by undo', () => {
  const home = new ImportHome().withUser('me', { base_currency: 'EUR' });
  const { closed_at: _, exit_price: __, ...open } = TRADE;
  const record = {
    ...open,
    status: 'open',
    market: 'option',
    symbol: 'SPX',
    expiration: '2026-11-06',
    multiplier: 100,
    fees: 1,
    currency: 'USD',
  };
  const executions = [
    { executed_at: '2026-11-02T14:30:00Z', side: 'buy', quantity: 10, price: 100 },
    { executed_at: '2026-11-03T14:30:00Z', side: 'sell', quantity: 4, price: 110 },
  ];
  home.import(
    home.lines(
      'trades.jsonl',
      { ...record, id: 'plain' },
      { ...record, id: 'partly', executions },
    ),
  );
  const before = home.contents();
  expect(book(home).expired).toMatchObject([
    {
      id: 'partly',
      quantity: 6,
      net_pnl: 4000 - 60_000 - 1,
      closed_at: '2026-11-06T21:00:00.000Z',
    },
    { id: 'plain', quantity: 10, net_pnl: -100_001 },
  ]);
  expect(home.findings()).toEqual([]);
  const line = { name: 'annotate', line: 'annotate', resource: trades };
  edit(
    target(home),
    line,
    (own) => void own.put(trades, { id: 'plain', setup: 'lottery' }),
  );
  undo(home, 2);
  edit(target(home), line, (own) => void own.put(trades, { id: 'plain', setup: null }));
  expect(home.contents()).toEqual(before);
});

test('fills in any order of files, before and after the expiration is booked', () => {
  const times = [
    '2026-10-14T15:00:00.000Z',
    '2026-10-16T19:00:00.000Z',
    EXPIRED,
    '2026-10-16T20:30:00.000Z',
    '2026-10-19T04:00:00.000Z',
  ];
  const strikes = [450, 460].map((strike) =>
    option({ underlying: 'SPY', expiration: '2026-10-16', strike, optionType: 'put' }),
  );
  const anyFill = fc
    .record({
      time: fc.nat(times.length - 1),
      strike: fc.nat(1),
      side: fc.constantFrom('buy', 'sell', null),
      quantity: fc.integer({ min: 1, max: 3 }),
      account: fc.constantFrom('a', 'b'),
      id: fc.integer({ min: 1, max: 1e9 }),
    })
    .map(({ time, strike, side, quantity, account, id }): FileFill => {
      const kind = side === null ? 'expiration' : 'trade';
      const isLate = time > 3;
      const own = {
        executedAt: times[time] as string,
        instrument: strikes[strike] as FileFill['instrument'],
        account,
        quantity,
      };
      const shape = {
        line: 1,
        executionId: String(id),
        side,
        kind,
        price: side === null ? 0 : 1.5,
        mayShort: true,
      } as const;
      return fill({ ...own, ...shape, effect: side === null || isLate ? 'close' : null });
    });
  const bookOpen = (home: Home) =>
    book(
      home,
      home
        .rows("SELECT id FROM trades WHERE status = 'open'")
        .map(({ id }) => id as string),
    );
  const files = fc.uniqueArray(anyFill, {
    maxLength: 8,
    selector: ({ executionId }) => executionId,
  });
  fc.assert(
    fc.property(files, fc.nat(8), (fills, split) => {
      const homes = [
        new FillHome().withUser() as FillHome,
        new FillHome().withUser() as FillHome,
      ] as const;
      const [early, late] = homes;
      const format = { format: { name: 'x', hasUniqueIds: true } };
      for (const home of homes) home.take(fills.slice(0, split), format);
      bookOpen(early);
      for (const home of homes) home.take(fills.slice(split), format);
      const whole = early.contents();
      const again = bookOpen(early).import;
      bookOpen(late);
      expect(early.trades()).toEqual(late.trades());
      expect(early.rows("SELECT id FROM trades WHERE status = 'open'")).toEqual([]);
      expect(early.findings()).toEqual([]);
      if (again !== null) early.undo(again);
      expect(early.contents()).toEqual(whole);
    }),
    { numRuns: runs(60, 8) },
  );
}, 120_000);

function undo(home: ImportHome, id?: number): void {
  undoImport(target(home), id);
}
