/** Notices of an import: what looks like a mistake, with a command that mends it. */
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { unlikelyZone } from '../../src/import/report/notices.ts';
import { runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const two = (n: number) => String(n).padStart(2, '0');

/** Round trips of a minute on the days of November, 2026, at a local time. */
function performance(
  symbol: string,
  pnl: string,
  at: readonly (readonly [day: number, hour: number])[],
): string {
  const rows = at.map(([day, hour], n) => {
    const time = (minute: number) => `11/${two(day)}/2026 ${two(hour)}:${two(minute)}:00`;
    return `${symbol},${2 * n + 1},${2 * n + 2},1,6800.00,6801.00,"${pnl}",${time(n)},${time(n + 1)}`;
  });
  return `${[HEADER, ...rows].join('\n')}\n`;
}

/** The regular session of five days, in a zone hours ahead of New York. */
const session = (ahead: number) =>
  [2, 3, 4, 5, 6].flatMap((day) =>
    [10, 11, 12, 13, 14, 15].map((hour) => [day, hour + ahead] as const),
  );

const run = (home: ImportHome, ...args: string[]) =>
  runHere([...args, '--home', home.folder]);

test('a zone in which the exchange was closed is noticed, and the command for it mends the times', async () => {
  const home = new ImportHome().withUser('me', { timezone: 'America/Los_Angeles' });
  const file = home.file('a.csv', performance('MESZ6', '$5.00', session(0)));
  const dry = home.import(file, { dryRun: true }).notices;
  const [notice, ...more] = home.import(file).notices;
  expect(more).toEqual([]);
  expect(notice).toMatchObject({
    code: 'unlikely_zone',
    message: expect.stringMatching(
      /^\d+ of 60 fills are at .*, read in America\/Los_Angeles; America\/New_York, /,
    ),
    command: 'journal-api import change 1 --timezone America/New_York',
  });
  expect(dry).toEqual([
    { ...notice, command: `journal-api import ${file} --timezone America/New_York` },
  ]);
  expect(home.import(file).notices).toEqual([notice]);
  const [, ...words] = notice?.command.split(' ') ?? [];
  expect(await run(home, ...words)).toMatchObject({ code: 0 });
  expect(home.rows('SELECT min(executed_at) AS at FROM trades')).toEqual([
    { at: '2026-11-02T15:00:00.000Z' },
  ]);
});

test('a typed zone in which the exchange was closed is noticed, too', async () => {
  const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const file = home.file('a.csv', performance('MESZ6', '$5.00', session(0)));
  const { stderr } = await run(home, 'import', file, '--timezone', 'America/Los_Angeles');
  expect(stderr).toMatch(/read in America\/Los_Angeles; America\/New_York, /);
  expect(stderr).toContain('journal-api import change 1 --timezone America/New_York');
});

test.each([
  ['times in the session', 'MESZ6', '$5.00', session(0), 'America/New_York', []],
  ['fewer than ten fills', 'MESZ6', '$5.00', session(0).slice(0, 4), 'Asia/Tokyo', []],
  [
    'a single fill of the weekend',
    'MESZ6',
    '$5.00',
    [...session(0), [7, 12]] as const,
    'America/New_York',
    [],
  ],
  ['another exchange', 'FDAXZ6', '25.00', session(0), 'America/Los_Angeles', []],
  [
    'coins, which trade all week',
    'MBTZ6',
    '$0.10',
    session(0),
    'America/Los_Angeles',
    [],
  ],
  [
    'the weekend',
    'NQZ6',
    '$20.00',
    [...session(0), [7, 12], [7, 13]] as const,
    'America/New_York',
    ['unlikely_zone'],
  ],
])('of futures: %s', (_, symbol, pnl, at, timezone, codes) => {
  const home = new ImportHome().withUser('me', { timezone });
  const { notices } = home.import(home.file('a.csv', performance(symbol, pnl, at)), {
    multipliers: new Map([['MBT', 0.1]]),
  });
  expect(
    notices.map(({ code }) => code).filter((code) => code === 'unlikely_zone'),
  ).toEqual(codes);
});

test.each([
  ['at night', 'AAPL', 'USD', 22, ['Asia/Kolkata']],
  ['in the regular session', 'AAPL', 'USD', 15, undefined],
  ['before the open', 'AAPL', 'USD', 10, undefined],
  ['of another country', 'SAP', 'EUR', 2, undefined],
])('of US stocks: %s', (_, symbol, currency, hour, zones) => {
  const fills = Array.from({ length: 12 }, (_, n) => ({
    ...{ symbol, currency, market: 'stock' as const, kind: 'trade' as const },
    executed_at: `2026-11-04T${two((hour + 5) % 24)}:${two(n)}:00.000Z`,
  }));
  const [notice] = unlikelyZone(fills, 'America/New_York', 'journal-api import change 1');
  expect(notice?.code).toBe(zones && 'unlikely_zone');
  for (const zone of zones ?? []) expect(notice?.message).toContain(zone);
});

test('an account that is new in a journal with others is noticed, and renamed by the command', async () => {
  const home = new ImportHome().withUser();
  const at = (id: string) => home.lines('trades.jsonl', { ...TRADE, id });
  expect(home.import(at('a'), { account: 'main' }).notices).toEqual([]);
  const [notice, ...more] = home.import(at('b'), { account: "Ann's" }).notices;
  expect([notice, more]).toEqual([
    {
      code: 'new_account',
      message:
        "1 trade in the new account Ann's; to name it: journal-api account rename 'Ann'\\''s' NAME; if it is one that the journal has (main)",
      command: "journal-api account rename 'Ann'\\''s' main --merge",
    },
    [],
  ]);
  expect(home.import(at('b'), { account: "Ann's" }).notices).toEqual([]);
  const { stderr } = await run(home, 'import', at('c'), '--dry-run');
  expect(stderr).toContain("journal-api account rename '(none)' 'Ann'");
  expect(
    await run(home, 'account', 'rename', "Ann's", 'main', '--merge', '--yes'),
  ).toMatchObject({
    code: 0,
  });
  expect(home.rows('SELECT DISTINCT account FROM trades')).toEqual([{ account: 'main' }]);
});

test('skipped rows of many sections are one line', async () => {
  const home = new ImportHome().withUser();
  const sections = ['Codes', 'Notes', 'Open Positions', 'Open Positions'].map(
    (name) => `${name},Data,USD,1\n`,
  );
  const statement =
    'Statement,Header,Field Name,Field Value\nStatement,Data,BrokerName,Interactive Brokers\n' +
    'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code\n' +
    'Trades,Data,Order,Stocks,USD,ACME,"2026-11-02, 09:31:00",10,10,10,-100,-1,101,0,0,O\n';
  const { stdout } = await run(
    home,
    'import',
    home.file('a.csv', statement + sections.join('')),
  );
  expect(stdout.match(/skipped .*/g)).toEqual([
    expect.stringMatching(/^skipped +5 rows of 4 other sections$/),
  ]);
});

test('trades without an account go to the new one by the command of the notice', async () => {
  const home = new ImportHome().withUser();
  const at = (id: string) => home.lines('trades.jsonl', { ...TRADE, id });
  home.import(at('a'));
  const [notice] = home.import(at('b'), { account: 'main' }).notices;
  const command = "journal-api account rename '(none)' main --merge";
  expect(notice).toMatchObject({ code: 'new_account', command });

  expect(
    await run(home, 'account', 'rename', '(none)', 'main', '--merge', '--yes'),
  ).toMatchObject({
    code: 0,
  });
  expect(
    home.rows('SELECT account, count(*) AS trades FROM trades GROUP BY account'),
  ).toEqual([{ account: 'main', trades: 2 }]);
});

test('closed trades without a rate are counted by currency until rates are set', async () => {
  const home = new ImportHome().withUser();
  const own = home.lines(
    'trades.jsonl',
    { ...TRADE, currency: 'EUR' },
    { ...TRADE, id: 't2', currency: 'EUR' },
    { ...TRADE, id: 't3', currency: 'GBP', fx_rate: 1.3 },
  );
  const shown = await run(home, 'import', own, '--json');
  expect(JSON.parse(shown.stdout).notices).toEqual([
    {
      code: 'without_rate',
      message:
        '2 closed trades in EUR without an exchange rate to USD, left out of all figures; this asks for yours (or add it, as in EUR=1.09)',
      command: 'journal-api rates set EUR',
    },
  ]);
  expect((await run(home, 'import', own)).stderr).toContain(
    `as in EUR=1.09): journal-api rates set EUR --home ${home.folder}`,
  );
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.write('0\n1.09\n');
  const typing = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never);
  const running = run(home, 'rates', 'set', 'EUR');
  Object.assign(process.stderr, { isTTY: true });
  const { code, stderr } = await running;
  typing.mockRestore();
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      /1 EUR in USD\?[\s\S]*Type a number above 0[\s\S]*2 trades got an exchange rate/,
    ),
  ]);
  expect(home.rows("SELECT file FROM imports WHERE format = 'rates'")).toEqual([
    { file: 'rates set EUR=1.09' },
  ]);
  expect(home.import(own).notices).toEqual([]);
});
