/**
 * Time, processor time and memory of the built program to import many fills, then one more day: node bench/import.ts [FILLS]
 * The fills are pairs of Tradovate's Performance export, of 20 contracts over five years, two to three fills per trade.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PAIRS_A_DAY = 40;
const ROOTS = ['MES', 'MNQ', 'M2K', 'MYM', 'MCL', 'MGC', 'SIL', 'ZN', 'ZB', 'ZC', 'ZS', 'CL', 'GC', 'ES', 'NQ'];
const HEADER = 'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';

const count = Math.floor(Number(process.argv[2] ?? 100_000) / 2);
const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const program = new URL('../dist/program.cjs', import.meta.url).pathname;
const meter = join(folder, 'meter.cjs');
writeFileSync(
  meter,
  `process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('PEAK ' + maxRSS + ' CPU ' + (userCPUTime + systemCPUTime) + '\\n');
  });`,
);

/** @param from number of the first pair */
function file(name: string, from: number, pairs: number): string {
  const rows = Array.from({ length: pairs }, (_, index) => row(from + index));
  const path = join(folder, name);
  writeFileSync(path, [HEADER, ...rows].join('\n'));
  return path;
}

function row(n: number): string {
  const day = Math.floor(n / PAIRS_A_DAY);
  const at = Date.UTC(2021, 0, 4 + day, 14) + (n % PAIRS_A_DAY) * 300_000;
  const symbol = `${ROOTS[n % ROOTS.length]}${'HMUZ'[Math.floor(day / 90) % 4]}${(21 + Math.floor(day / 365)) % 10}`;
  const price = 4000 + ((n * 7919) % 400) / 4;
  const points = (((n * 104_729) % 41) - 20) / 4;
  const pnl = points * 5;
  const time = (ms: number) => {
    const [date, clock] = new Date(ms).toISOString().slice(0, 19).split('T') as [string, string];
    const [year, month, dayOfMonth] = date.split('-');
    return `${month}/${dayOfMonth}/${year} ${clock}`;
  };
  const money = pnl < 0 ? `$(${-pnl})` : `$${pnl}`;
  return [symbol, 2 * n + 1, 2 * n + 2, 1, price, price + points, money, time(at), time(at + 60_000)].join(',');
}

function timed(what: string, path: string): void {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--require', meter, program, 'import', path, '--home', folder, '--json'],
    { encoding: 'utf8' },
  );
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(stderr);
  const [file] = JSON.parse(stdout).files;
  const [, peak, cpu] = (/PEAK (\d+) CPU (\d+)/.exec(stderr) ?? []).map(Number) as [number, number, number];
  console.log(
    `${what}: ${seconds.toFixed(2)} s, ${(cpu / 1e6).toFixed(2)} s of processor time, ${file.platform.new_fills} new fills, ${file.added} trades added, at most ${(peak / 1024).toFixed(0)} MB`,
  );
}

try {
  timed(`${2 * count} fills`, file('all.csv', 0, count));
  timed('one more day', file('day.csv', count, PAIRS_A_DAY));
  timed('the same day again', join(folder, 'day.csv'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
