/** What imports take, and the same file again: by the built program, into a new journal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cost, PROGRAM, run } from '../processes.ts';
import type { Question } from '../question.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const FILLS = 100_000;
const TRADES = 100_000;
const NOTES = 1000;
const CANDLES = 500_000;
const MEASURED_TRADES = 2000;

export const imports: Question = async (folder) => {
  const rows: string[][] = [];
  const home = (name: string) => ['--home', join(folder, `home-${name}`)];
  const importing = (path: string, name: string) =>
    run([PROGRAM, 'import', join(folder, path), ...home(name)]);
  const twice = async (what: string, path: string, name: string) => {
    const first = await importing(path, name);
    rows.push(rowOf(what, first, await importing(path, name)));
  };

  writeFileSync(join(folder, 'Performance.csv'), fills(0, FILLS / 2));
  await twice(
    `${FILLS.toLocaleString('en')} fills, Tradovate's CSV`,
    'Performance.csv',
    'fills',
  );
  writeFileSync(join(folder, 'day.csv'), fills(FILLS / 2, PAIRS_A_DAY));
  await twice(`one more day, ${2 * PAIRS_A_DAY} fills`, 'day.csv', 'fills');

  writeFileSync(join(folder, 'trades.jsonl'), records());
  const what = `${TRADES.toLocaleString('en')} closed trades, JSON Lines`;
  await twice(what, 'trades.jsonl', 'trades');

  mkdirSync(join(folder, 'vault'));
  for (let n = 0; n < NOTES; n++)
    writeFileSync(join(folder, 'vault', `${dayOf(n)}.md`), noteOf(dayOf(n)));
  await twice(`${NOTES.toLocaleString('en')} day notes`, 'vault', 'notes');

  mkdirSync(join(folder, 'moves'));
  writeFileSync(join(folder, 'moves', 'trades.jsonl'), tradesOnCandles());
  await importing('moves/trades.jsonl', 'candles');
  const file = join(folder, 'CME_MINI_MNQ1!, 1.csv');
  writeFileSync(file, candles());
  const excursions = await run([PROGRAM, 'excursions', file, ...home('candles')]);
  const size = `${CANDLES.toLocaleString('en')} candles`;
  rows.push(rowOf(`\`excursions\`: ${size} for ${MEASURED_TRADES} trades`, excursions));
  return { columns: ['What', 'CPU s', 'at most MB', 'again, CPU s'], rows };
};

function rowOf(what: string, { cpu, peak }: Cost, again?: Cost): string[] {
  const seconds = (time: number) => (time / 1000).toFixed(1);
  return [what, seconds(cpu), peak.toFixed(0), again ? seconds(again.cpu) : ''];
}

const PAIRS_A_DAY = 40;
const ROOTS = [
  'MES',
  'MNQ',
  'M2K',
  'MYM',
  'MCL',
  'MGC',
  'SIL',
  'ZN',
  'ZB',
  'ZC',
  'CL',
  'GC',
];

/** Pairs of fills, two to three a trade. @param from number of the first pair */
function fills(from: number, pairs: number): string {
  const rows = Array.from({ length: pairs }, (_, index) => {
    const n = from + index;
    const day = Math.floor(n / PAIRS_A_DAY);
    const at = Date.UTC(2021, 0, 4 + day, 14) + (n % PAIRS_A_DAY) * 5 * MINUTE_MS;
    const expiration = 'HMUZ'[Math.floor(day / 90) % 4];
    const symbol = `${ROOTS[n % ROOTS.length]}${expiration}${(21 + Math.floor(day / 365)) % 10}`;
    const price = 4000 + ((n * 7919) % 400) / 4;
    const points = (((n * 104_729) % 41) - 20) / 4;
    const money = points < 0 ? `$(${-points * 5})` : `$${points * 5}`;
    const prices = [price, price + points, money];
    return [
      symbol,
      2 * n + 1,
      2 * n + 2,
      1,
      ...prices,
      clock(at),
      clock(at + MINUTE_MS),
    ].join();
  });
  const head =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
  return [head, ...rows].join('\n');
}

function clock(ms: number): string {
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(
    new Date(ms).toISOString(),
  ) as unknown as string[];
  return `${month}/${day}/${year} ${time}`;
}

function records(): string {
  return Array.from({ length: TRADES }, (_, n) => {
    const opened = Date.UTC(2016, 0, 4, 14, 30) + n * 30 * MINUTE_MS;
    const entry = 50 + ((n * 7919) % 40_000) / 100;
    const points = (((n * 104_729) % 401) - 200) / 100;
    return JSON.stringify({
      id: `t-${n}`,
      account: n % 3 === 0 ? 'ira' : 'main',
      symbol: ROOTS[n % ROOTS.length],
      market: 'stock',
      side: 'long',
      status: 'closed',
      executed_at: new Date(opened).toISOString(),
      closed_at: new Date(opened + MINUTE_MS * (1 + (n % 240))).toISOString(),
      quantity: 10,
      entry_price: entry,
      exit_price: Math.round((entry + points) * 100) / 100,
      currency: 'USD',
      gross_pnl: Math.round(points * 1000) / 100,
      fees: 1.3,
      initial_risk: 100,
      setup: n % 2 === 0 ? 'breakout' : 'pullback',
      tags: n % 2 === 0 ? ['a-plus', 'morning'] : [],
      notes: n % 5 === 0 ? 'Waited for the retest of the level; "good enough".' : null,
    });
  }).join('\n');
}

const dayOf = (n: number) =>
  new Date(Date.UTC(2022, 0, 3) + n * DAY_MS).toISOString().slice(0, 10);

const noteOf = (day: string) => `---
type: day
date: ${day}
mood: calm
energy: 4
---
## Plan
Short the opening range if it fails.

## Lesson
One entry, one stop.
`;

const FIRST = Date.parse('2026-01-05T00:00:00Z');

/** A walk of whole ticks, the same in each run. */
const steps = Array.from(
  { length: CANDLES + 1 },
  (_, i) => (((i * 7919) % 13) - 6) * 0.25,
);
let price = 20_000;
const prices = steps.map((step) => {
  price += step;
  return price;
});

function candles(): string {
  const rows = Array.from({ length: CANDLES }, (_, i) => {
    const [open, close] = [prices[i] as number, prices[i + 1] as number];
    const [high, low] = [Math.max(open, close) + 0.5, Math.min(open, close) - 0.5];
    return [FIRST / 1000 + i * 60, open, high, low, close, i % 97].join();
  });
  return ['time,open,high,low,close,Volume', ...rows].join('\n');
}

/** Trades of up to four hours. */
function tradesOnCandles(): string {
  return Array.from({ length: MEASURED_TRADES }, (_, n) => {
    const first = Math.floor((n * (CANDLES - 300)) / MEASURED_TRADES);
    const minutes = [first, first + 1 + ((n * 7907) % 240)];
    const executions = minutes.map((minute, index) => ({
      executed_at: new Date(FIRST + minute * MINUTE_MS + 20_000).toISOString(),
      side: index === 0 ? 'buy' : 'sell',
      quantity: 1 + (n % 10),
      price: prices[minute],
      fees: 0.5,
    }));
    return JSON.stringify({
      id: `t${n}`,
      symbol: 'MNQH6',
      underlying: 'MNQ',
      market: 'future',
      multiplier: 2,
      currency: 'USD',
      executions,
    });
  }).join('\n');
}
