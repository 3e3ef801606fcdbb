/**
 * Processor time of imports into a journal that has some of their rows, of changes and of undo, by
 * builds of several versions in turn: node bench/imports-again.ts [--rounds=3] [--only=TEXT]
 * [PROGRAM...], each the path of a program.cjs; default: dist/program.cjs. Medians, and those of
 * the later programs compared with the first.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeFills } from './fills-file.ts';

const ROWS = 100_000;
const FEW = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const built = new URL('../dist/program.cjs', import.meta.url).pathname;
const programs = (positionals.length === 0 ? [built] : positionals).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const meter = join(folder, 'meter.cjs');
writeFileSync(
  meter,
  `process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('CPU ' + (userCPUTime + systemCPUTime) + '\\n');
  });`,
);

/** Commands in order, each after those before it; a command without a name isn't measured. */
interface Case {
  name: string;
  /** Before the measured command, in a journal that each program makes once. */
  before: readonly (readonly string[])[];
  measured: readonly string[];
}

const path = (name: string) => join(folder, name);

/** The same rows in a file with other bytes. */
function again(name: string): string {
  const copy = `again-${name}`;
  writeFileSync(path(copy), `${readFileSync(path(name), 'utf8')}\n`);
  return path(copy);
}

/** The first nine tenths of a file's rows. */
function most(name: string): string {
  const lines = readFileSync(path(name), 'utf8').trimEnd().split('\n');
  const held = `held-${name}`;
  writeFileSync(path(held), lines.slice(0, Math.ceil(lines.length * 0.9)).join('\n'));
  return path(held);
}

const INSTRUMENTS = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN', 'META', 'SPY', 'QQQ', 'AMD', 'GOOG'];

function timeOf(n: number, seconds = 0): string {
  const at = Date.UTC(2016, 0, 4, 9, 30) + n * 900_000 + seconds * 1000;
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Fills without ids, of which two make a trade. */
function writeMappedFills(name: string, count: number): void {
  const lines = Array.from({ length: count }, (_, n) => {
    const symbol = INSTRUMENTS[Math.floor(n / 2) % INSTRUMENTS.length];
    const price = (50 + ((n * 7919) % 40_000) / 100).toFixed(2);
    return [timeOf(n), symbol, n % 2 === 0 ? 'buy' : 'sell', 100, price, 1.25].join(',');
  });
  writeFileSync(path(name), ['When,Symbol,Side,Quantity,Price,Fee', ...lines].join('\n'));
}

const MAPPING = {
  name: 'broker',
  target: 'fills',
  fields: {
    executed_at: 'When',
    symbol: 'Symbol',
    side: 'Side',
    quantity: 'Quantity',
    price: 'Price',
    fees: 'Fee',
    market: { value: 'stock' },
    currency: { value: 'USD' },
  },
};

/** Closed trades of cTrader, with the ids of their positions. */
function writeClosedTrades(name: string, count: number): void {
  const header =
    'ID,Symbol,Opening Direction,Opening Time (UTC+0),Closing Time (UTC+0),Entry Price,Closing Price,Closing Quantity,Gross EUR,Commission,Swap,Net EUR,Balance EUR';
  const timed = (n: number, seconds: number) => {
    const [date = '', time] = timeOf(n, seconds).split(' ');
    return `${date.split('-').reverse().join('/')} ${time}.000`;
  };
  const lines = Array.from({ length: count }, (_, n) => {
    const gross = (((n * 104_729) % 401) - 200) / 10;
    const [from, to] = [1.08, 1.08 + gross / 1000].map((price) => price.toFixed(5));
    const money = [gross, -0.35, 0, gross - 0.35, 10_000].map((amount) => amount.toFixed(2));
    return [
      `PID${n + 1}`,
      'EURUSD',
      'Buy',
      timed(n, 0),
      timed(n, 300),
      from,
      to,
      '0.05 Lots',
      ...money,
    ].join();
  });
  writeFileSync(path(name), [header, ...lines].join('\n'));
}

/** Closed trades without ids, of which TradeZella's export has more columns. */
function writeSheetTrades(name: string, count: number): void {
  const lines = Array.from({ length: count }, (_, n) => {
    const symbol = INSTRUMENTS[n % INSTRUMENTS.length];
    const entry = 50 + ((n * 7919) % 40_000) / 100;
    const exit = entry + (((n * 104_729) % 401) - 200) / 100;
    const prices = [entry.toFixed(2), exit.toFixed(2)];
    return [timeOf(n), timeOf(n, 300), symbol, 'long', 100, ...prices, 2.5].join(',');
  });
  writeFileSync(
    path(name),
    ['Opened,Closed,Symbol,Side,Quantity,Entry,Exit,Fees', ...lines].join('\n'),
  );
}

const TRADES_MAPPING = {
  name: 'sheet',
  target: 'trades',
  fields: {
    executed_at: 'Opened',
    closed_at: 'Closed',
    symbol: 'Symbol',
    side: 'Side',
    quantity: 'Quantity',
    entry_price: 'Entry',
    exit_price: 'Exit',
    fees: 'Fees',
    market: { value: 'stock' },
    currency: { value: 'USD' },
  },
};

/** Records of the journal itself. */
function writeRecords(name: string, count: number): void {
  const lines = Array.from({ length: count }, (_, n) => {
    const entry_price = 50 + ((n * 7919) % 40_000) / 100;
    return JSON.stringify({
      id: `t-${n}`,
      account: 'main',
      symbol: INSTRUMENTS[n % INSTRUMENTS.length],
      market: 'stock',
      side: 'long',
      status: 'closed',
      executed_at: `${timeOf(n).replace(' ', 'T')}Z`,
      closed_at: `${timeOf(n, 300).replace(' ', 'T')}Z`,
      quantity: 100,
      entry_price,
      exit_price: entry_price + 0.5,
      fees: 2.5,
    });
  });
  writeFileSync(path(name), lines.join('\n'));
}

const imported = (file: string, ...options: string[]) => ['import', file, ...options];

function cases(): Case[] {
  writeFills(path('ids.csv'), 0, ROWS / 2);
  writeMappedFills('fills.csv', ROWS);
  writeMappedFills('few.csv', FEW);
  writeFileSync(path('map.json'), JSON.stringify(MAPPING));
  writeClosedTrades('closed.csv', ROWS);
  writeSheetTrades('sheet.csv', ROWS);
  writeFileSync(path('trades.json'), JSON.stringify(TRADES_MAPPING));
  writeRecords('trades.jsonl', ROWS);
  const map = ['--map', path('map.json'), '--yes'];
  const tradesMap = ['--map', path('trades.json'), '--yes'];
  const [ids, fills, few, closed, sheet, records] = [
    'ids.csv',
    'fills.csv',
    'few.csv',
    'closed.csv',
    'sheet.csv',
    'trades.jsonl',
  ].map(path) as [string, string, string, string, string, string];
  return [
    { name: 'fills with ids', before: [], measured: imported(ids) },
    {
      name: 'fills with ids, again',
      before: [imported(ids)],
      measured: imported(again('ids.csv')),
    },
    {
      name: 'fills with ids, one tenth new',
      before: [imported(most('ids.csv'))],
      measured: imported(ids),
    },
    { name: 'fills without ids', before: [], measured: imported(fills, ...map) },
    {
      name: 'fills without ids, again',
      before: [imported(fills, ...map)],
      measured: imported(again('fills.csv'), ...map),
    },
    {
      name: 'fills without ids, one tenth new',
      before: [imported(most('fills.csv'), ...map)],
      measured: imported(fills, ...map),
    },
    { name: 'closed trades with ids', before: [], measured: imported(closed) },
    {
      name: 'closed trades with ids, again',
      before: [imported(closed)],
      measured: imported(again('closed.csv')),
    },
    { name: 'closed trades without ids', before: [], measured: imported(sheet, ...tradesMap) },
    {
      name: 'closed trades without ids, again',
      before: [imported(sheet, ...tradesMap)],
      measured: imported(again('sheet.csv'), ...tradesMap),
    },
    { name: 'records', before: [], measured: imported(records, '--as', 'trades') },
    {
      name: `change of the zone of ${FEW} fills`,
      before: [imported(few, ...map)],
      measured: ['import', 'change', '1', '--timezone', 'America/New_York'],
    },
    {
      name: 'undo of the last tenth of fills without ids',
      before: [imported(most('fills.csv'), ...map), imported(fills, ...map)],
      measured: ['import', 'undo', '2'],
    },
  ].filter(({ name }) => name.includes(values.only));
}

/** @returns processor time in seconds */
function run(program: string, home: string, args: readonly string[]): number {
  const command = [
    '--max-semi-space-size=32',
    '--require',
    meter,
    program,
    ...args,
    '--home',
    home,
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
  return Number(/CPU (\d+)/.exec(stderr)?.[1]) / 1e6;
}

const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

/** The journal before the measured command. */
function prepared(program: string, { before }: Case, index: number): string | undefined {
  if (before.length === 0) return undefined;
  const home = path(`home-${index}`);
  rmSync(home, { recursive: true, force: true });
  for (const command of before) run(program, home, command);
  return home;
}

function measure(tried: Case): void {
  const homes = programs.map((program, index) => prepared(program, tried, index));
  const times = programs.map((): number[] => []);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [index, program] of programs.entries()) {
      const home = path('home');
      rmSync(home, { recursive: true, force: true });
      const before = homes[index];
      if (before !== undefined) {
        mkdirSync(home, { mode: 0o700 });
        copyFileSync(join(before, 'journal.db'), join(home, 'journal.db'));
      }
      times[index]?.push(run(program, home, tried.measured));
    }
  }

  const medians = times.map(median);
  const shown = medians.map((time, index) => {
    const change =
      index === 0 ? '' : ` (${(100 * (time / (medians[0] as number) - 1)).toFixed(1)} %)`;
    return `${time.toFixed(2)} s${change}`;
  });
  console.log(`${tried.name}: ${shown.join(', ')}`);
}

try {
  if (programs.length > 1) console.log(programs.map((program) => dirname(program)).join(', '));
  for (const tried of cases()) measure(tried);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
