/**
 * Coverage of the simulation and of the confidence intervals: journals of simulated traders, whose days share none or 30 % of the
 * variance, each with further trades of the same kind: node bench/coverage.ts [JOURNALS [intervals]] (default: 300 each; intervals takes a
 * few seconds, all a quarter of an hour)
 */

import { kellyOf, Simulation } from '../src/journal/analytics/simulation.ts';
import { Moments, meanInterval, wilson } from '../src/journal/analytics/statistics.ts';
import { closed } from '../test/journal/analytics/closed-trade.ts';
import {
  type Draw,
  deviationOf,
  normal,
  TRADERS,
  TRUE_MEANS,
  uniform,
} from '../test/journal/analytics/traders.ts';

const journals = Number(process.argv[2] ?? 300);
const SIZES = [30, 100, 300, 1000];
const percent = (part: number, of: number) => `${((100 * part) / of).toFixed(0)} %`;

interface Result {
  net: number;
  day: number;
}

/** Trades of a trader, one to three a day. */
function resultsOf(name: string, alike: number, count: number, next: Draw): Result[] {
  const results: Result[] = [];
  const deviation = deviationOf(name);
  const mean = TRUE_MEANS[name] as number;
  for (let day = 0; results.length < count; day++) {
    const common =
      mean * (1 - Math.sqrt(1 - alike)) + deviation * Math.sqrt(alike) * normal(next);
    for (
      let left = 1 + Math.floor(3 * next());
      left > 0 && results.length < count;
      left--
    ) {
      results.push({
        day,
        net:
          common + Math.sqrt(1 - alike) * (TRADERS[name] as (next: Draw) => number)(next),
      });
    }
  }
  return results;
}

/** The further trades: net P&L, maximum drawdown and longest losing run. */
function futureOf(results: readonly Result[]) {
  let [net, peak, fall, run, longest] = [0, 0, 0, 0, 0];
  for (const one of results) {
    net += one.net;
    peak = Math.max(peak, net);
    fall = Math.max(fall, peak - net);
    run = one.net < 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return { net, fall, longest };
}

type Cell = (name: string, alike: number, n: number) => string;

function table(title: string, cell: Cell): void {
  console.log(`\n${title}, ${journals} journals each\n`);
  console.log(
    `| Trader | ${SIZES.map((n) => `${n} trades`).join(' | ')} |\n|---|---|---|---|---|`,
  );
  for (const name of Object.keys(TRADERS)) {
    for (const alike of [0, 0.3]) {
      const cells = SIZES.map((n) => cell(name, alike, n));
      console.log(
        `| ${name}, days ${alike === 0 ? 'not alike' : 'alike'} | ${cells.join(' | ')} |`,
      );
    }
  }
}

table(
  'Confidence intervals without the true value (5 %): expectancy / win rate',
  (name, alike, n) => {
    const mean = TRUE_MEANS[name] as number;
    const draws = uniform(0);
    const many = resultsOf(name, alike, 400_000, draws);
    const share = many.filter(({ net }) => net > 0).length / many.length;
    let [ofMean, ofShare] = [0, 0];
    for (let seed = 1; seed <= journals; seed++) {
      const [nets, wins] = [new Moments(), new Moments()];
      for (const { net, day } of resultsOf(name, alike, n, uniform(seed))) {
        nets.add(net, day);
        wins.add(net > 0 ? 1 : 0, day);
      }
      const [interval, ofWins] = [meanInterval(nets), wilson(wins)];
      if (!interval || mean < interval[0] || mean > interval[1]) ofMean++;
      if (!ofWins || share < ofWins[0] || share > ofWins[1]) ofShare++;
    }
    return `${percent(ofMean, journals)} / ${percent(ofShare, journals)}`;
  },
);

/** With known fractions: a win of 1 R in 55 %, and 0.3 R in 80 %, else a loss of 0 to 1 R. */
const KELLY: Record<string, { draw: (next: Draw) => number; fraction: number }> = {
  'wins 1 R in 55 %, else loses it': {
    draw: (next) => (next() < 0.55 ? 1 : -1),
    fraction: 0.1,
  },
};
console.log(
  `\nKelly's interval without the true fraction (5 %), 20 times as many journals\n`,
);
for (const [name, { draw, fraction }] of Object.entries(KELLY)) {
  const cells = SIZES.map((n) => {
    let missed = 0;
    for (let seed = 0; seed < 20 * journals; seed++) {
      const next = uniform(seed);
      const found = kellyOf(
        Array.from({ length: n }, () => draw(next)),
        Array.from({ length: n }, (_, i) => i >> 1),
      );
      if (!found || fraction < found.low || fraction > found.high) missed++;
    }
    return percent(missed, 20 * journals);
  });
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}

if (process.argv[3] !== 'intervals') {
  table(
    'Next 100 trades outside p5 to p95 (10 %) / deepest fall above p95 (5 %) / longest run of losses above p95 (5 %)',
    (name, alike, n) => {
      const missed = { net: 0, fall: 0, longest: 0 };
      let simulated = 0;
      for (let seed = 0; seed < journals; seed++) {
        const next = uniform(seed);
        const simulation = new Simulation();
        for (const { net, day } of resultsOf(name, alike, n, next)) {
          simulation.add(closed({ net, closedMs: day * 86_400_000 }));
        }
        const { path, drawdown, losing_run } = simulation.result(null);
        const end = path.find(({ trades }) => trades === 100);
        if (!end || !drawdown || !losing_run) continue;
        simulated++;
        const { net, fall, longest } = futureOf(resultsOf(name, alike, 100, next));
        if (net < end.p5 || net > end.p95) missed.net++;
        if (fall > drawdown.next_100.p95) missed.fall++;
        if (longest > losing_run.next_100.p95) missed.longest++;
      }
      return Object.values(missed)
        .map((count) => percent(count, simulated))
        .join(' / ');
    },
  );
}
