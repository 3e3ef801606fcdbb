/**
 * The tables of docs/analytics.md on false positives: journals of simulated traders with labels independent of results, and some with one
 * effect: node bench/chance.ts [JOURNALS] (default: 1,000 each)
 */

import { Results } from '../src/journal/analytics/closed-trade.ts';
import { chancesOf, holm } from '../src/journal/analytics/permutation-test.ts';
import { tQuantile, twoSidedP } from '../src/journal/analytics/statistics.ts';
import { toEnd } from '../src/sqlite/read-queue.ts';
import { closed } from './closed-trade.ts';
import { type Draw, deviationOf, label, TRADERS, TRUE_MEANS, uniform } from './traders.ts';

const journals = Number(process.argv[2] ?? 1000);
const percent = (part: number, digits = 1) => `${((100 * part) / journals).toFixed(digits)} %`;
const seeds = Array.from({ length: journals }, (_, i) => i);

function table(head: string[], rows: (trader: string) => string[]): void {
  console.log(`\n| Trader | ${head.join(' | ')} |\n|---|${head.map(() => '---').join('|')}|`);
  for (const name of Object.keys(TRADERS)) console.log(`| ${name} | ${rows(name).join(' | ')} |`);
}

interface Row {
  trades: number;
  net: number;
  squares: number;
}

/** A journal of ten setups; one has a fifth of the trades and is worse by a part of the standard deviation. */
function setups(name: string, trades: number, next: Draw, worse = 0): { results: Results; rows: Row[] } {
  const results = new Results();
  const rows = Array.from({ length: 10 }, () => ({ trades: 0, net: 0, squares: 0 }));
  const shift = worse * deviationOf(name);
  for (let i = 0; i < trades; i++) {
    const which = next() < 0.2 ? 9 : label(next, 9);
    const net = (TRADERS[name] as (next: Draw) => number)(next) - (which === 9 ? shift : 0);
    results.add(closed({ net, closedMs: i * 60_000 }));
    const row = rows[which] as Row;
    row.trades++;
    row.net += net;
    row.squares += net * net;
  }
  return { results, rows };
}

/** Welch's t-test of a row and the rest, as used by other programs. */
function welch(row: Row, rows: Row[]): number | null {
  const rest = { trades: -row.trades, net: -row.net, squares: -row.squares };
  for (const one of rows) for (const key of ['trades', 'net', 'squares'] as const) rest[key] += one[key];
  const [a, b] = [row, rest].map(({ trades: n, net, squares }) => ({
    n,
    mean: net / n,
    share: (squares - (net * net) / n) / (n - 1) / n,
  })) as [Record<'n' | 'mean' | 'share', number>, Record<'n' | 'mean' | 'share', number>];
  if (row.trades < 2) return null;
  const both = a.share + b.share;
  const df = both ** 2 / (a.share ** 2 / (a.n - 1) + b.share ** 2 / (b.n - 1));
  return twoSidedP((a.mean - b.mean) / Math.sqrt(both), df);
}

console.log('Journals without any effect in which a row of ten setups stands out');
table(['50 trades', '200 trades', '1,000 trades', "1,000, by Welch's t-test"], (name) => [
  ...[50, 200, 1000].map((trades) => {
    const shown = seeds.filter((seed) => {
      const { results, rows } = setups(name, trades, uniform(seed));
      return holm(toEnd(chancesOf(results, rows))).includes(true);
    });
    return percent(shown.length);
  }),
  percent(
    seeds.filter((seed) => {
      const { rows } = setups(name, 1000, uniform(seed));
      return holm(rows.map((row) => welch(row, rows))).includes(true);
    }).length,
  ),
]);

console.log(
  '\nJournals in which a setup stands out; it has 200 of 1,000 trades and is worse by a number of standard deviations',
);
table(['0.2', '0.3', '0.5'], (name) =>
  [0.2, 0.3, 0.5].map((worse) => {
    const found = seeds.filter((seed) => {
      const { results, rows } = setups(name, 1000, uniform(seed), worse);
      return holm(toEnd(chancesOf(results, rows)))[9];
    });
    return percent(found.length);
  }),
);

console.log(
  "\nConfidence intervals of expectancy by Student's t that contain the true mean: too low / correct / too high",
);
table(['20 trades', '50 trades', '200 trades'], (name) => {
  const draw = TRADERS[name] as (next: Draw) => number;
  const truth = TRUE_MEANS[name] as number;
  return [20, 50, 200].map((n) => {
    let [low, high] = [0, 0];
    for (const seed of seeds.flatMap((seed) => Array.from({ length: 20 }, (_, i) => 20 * seed + i))) {
      const next = uniform(seed);
      const values = Array.from({ length: n }, () => draw(next));
      const mean = values.reduce((sum, value) => sum + value, 0) / n;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
      const half = tQuantile(n - 1) * Math.sqrt(variance / n);
      if (mean + half < truth) low++;
      if (mean - half > truth) high++;
    }
    const share = (part: number) => `${((5 * part) / journals).toFixed(1)} %`;
    return `${share(low)} / ${share(20 * journals - low - high)} / ${share(high)}`;
  });
});
