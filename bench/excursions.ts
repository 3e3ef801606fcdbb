/**
 * Processor time of `excursions`: node bench/excursions.ts [CANDLES] [TRADES] [ROUNDS]. Candles of a minute with times since 1970, and
 * trades of one to ten contracts over up to four hours, in a new journal; and, of that, the rows of the file with and without the parser.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { addExcursions } from '../src/edit/excursions.ts';
import { importPaths } from '../src/import/index.ts';
import { csvRows } from '../src/import/parse/csv-rows.ts';

const [candles = 500_000, trades = 2000, rounds = 3] = process.argv.slice(2).map(Number);
const START = Date.parse('2026-01-05T00:00:00Z');
const MINUTE = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));

/** A walk of whole ticks, the same in each run. */
const prices = new Float64Array(candles + 1);
prices[0] = 20_000;
for (let i = 1; i <= candles; i++)
  prices[i] = (prices[i - 1] as number) + (((i * 7919) % 13) - 6) * 0.25;
const rows = Array.from({ length: candles }, (_, i) => {
  const [open, close] = [prices[i] as number, prices[i + 1] as number];
  return [
    START / 1000 + i * 60,
    open,
    Math.max(open, close) + 0.5,
    Math.min(open, close) - 0.5,
    close,
    i % 97,
  ].join(',');
});
const text = `time,open,high,low,close,Volume\n${rows.join('\n')}\n`;
const file = join(folder, 'CME_MINI_MNQ1!, 1.csv');
writeFileSync(file, text);

const lines = Array.from({ length: trades }, (_, n) => {
  const first = Math.floor((n * (candles - 300)) / trades);
  const last = first + 1 + ((n * 7907) % 240);
  const at = (minute: number) => new Date(START + minute * MINUTE + 20_000).toISOString();
  const quantity = 1 + (n % 10);
  const sides = n % 2 === 0 ? ['buy', 'sell'] : ['sell', 'buy'];
  const executions = [first, last].map((minute, index) => ({
    ...{ executed_at: at(minute), side: sides[index], quantity, price: prices[minute], fees: 0.5 },
  }));
  const contract = {
    symbol: 'MNQH6',
    underlying: 'MNQ',
    market: 'future',
    multiplier: 2,
    currency: 'USD',
  };
  return JSON.stringify({ id: `t${n}`, ...contract, executions });
});
writeFileSync(join(folder, 'trades.jsonl'), lines.join('\n'));

function seconds(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const times: Record<string, number[]> = {
  excursions: [],
  'rows without the parser': [],
  'rows with the parser': [],
};
for (let round = 0; round < rounds; round++) {
  const journal = join(folder, `${round}.db`);
  importPaths({ paths: [join(folder, 'trades.jsonl')], journal, now: Date.now(), note: () => {} });
  let report: ReturnType<typeof addExcursions> | undefined;
  times['excursions']?.push(
    seconds(() => {
      report = addExcursions({ journal, now: Date.now(), files: [file] });
    }),
  );
  if (report?.trades !== trades) throw new Error(JSON.stringify(report));
  times['rows without the parser']?.push(seconds(() => void csvRows(text, ',')));
  times['rows with the parser']?.push(
    seconds(() => void parse(text, { relax_column_count: true })),
  );
}
for (const [name, own] of Object.entries(times)) {
  console.log(`${name}: ${own.map((time) => time.toFixed(2)).join(', ')} s of processor time`);
}
rmSync(folder, { recursive: true });
