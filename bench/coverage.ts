/**
 * Coverage of the simulation: journals of simulated traders, each with 250 further trades from the same distribution, and known Kelly
 * fractions: node bench/coverage.ts [JOURNALS] (default: 1,000 each)
 */
import { kellyOf, Simulation } from '../src/journal/analytics/simulation.ts';
import { toEnd } from '../src/sqlite/read-queue.ts';
import { type Draw, TRADERS, uniform } from './traders.ts';

const journals = Number(process.argv[2] ?? 1000);
const SIZES = [30, 100, 300, 1000];
const percent = (part: number, of = journals) => `${((100 * part) / of).toFixed(1)} %`;

function table(title: string, traders: Record<string, (next: Draw) => number>, cell: Cell): void {
  console.log(`\n${title}\n\n| Trader | ${SIZES.map((n) => `${n} trades`).join(' | ')} |\n|---|---|---|---|---|`);
  for (const [name, draw] of Object.entries(traders)) {
    console.log(`| ${name} | ${SIZES.map((n) => cell(draw, n)).join(' | ')} |`);
  }
}

type Cell = (draw: (next: Draw) => number, n: number) => string;

/** The further trades: net P&L, maximum drawdown and longest losing run. */
function futureOf(draw: (next: Draw) => number, next: Draw) {
  let [net, peak, fall, run, longest] = [0, 0, 0, 0, 0];
  for (let i = 0; i < 250; i++) {
    const one = draw(next);
    net += one;
    peak = Math.max(peak, net);
    fall = Math.max(fall, peak - net);
    run = one < 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return { net, fall, longest };
}

table(
  'Of 250 further trades: net between p5 and p95 (90 %) / deepest fall at most p95 (95 %) / longest run of losses at most p95 (95 %)',
  TRADERS,
  (draw, n) => {
    const held = { net: 0, fall: 0, longest: 0 };
    for (let seed = 0; seed < journals; seed++) {
      const next = uniform(seed);
      const simulation = new Simulation();
      for (let i = 0; i < n; i++) {
        const net = draw(next);
        simulation.add({ net, r: null, closedMs: i * 60_000, outcome: net < 0 ? 'loss' : 'win' } as never);
      }
      const { path, drawdown, losing_run } = toEnd(simulation.result(null));
      const { net, fall, longest } = futureOf(draw, next);
      const end = path.at(-1) as (typeof path)[number];
      if (net >= end.p5 && net <= end.p95) held.net++;
      if (fall <= (drawdown as NonNullable<typeof drawdown>).next_250.p95) held.fall++;
      if (longest <= (losing_run as NonNullable<typeof losing_run>).next_250.p95) held.longest++;
    }
    return Object.values(held)
      .map((count) => percent(count))
      .join(' / ');
  },
);

/** With bounded losses, because without a bound no fraction is correct. */
const BOUNDED: Record<string, (next: Draw) => number> = {
  'wins 1 R in 55 %, else loses it': (next) => (next() < 0.55 ? 1 : -1),
  'trend follower': TRADERS['trend follower'] as (next: Draw) => number,
  'spread seller: 0.3 R in 80 %, else loses 0 to 1 R': (next) => (next() < 0.8 ? 0.3 : -next()),
};

const truths = new Map(
  Object.values(BOUNDED).map((draw) => {
    const next = uniform(1);
    const { fraction } = toEnd(kellyOf(Array.from({ length: 4_000_000 }, () => draw(next)))) as { fraction: number };
    return [draw, fraction];
  }),
);

table("Kelly's fraction within its interval of 95 % (20 times as many journals)", BOUNDED, (draw, n) => {
  const truth = truths.get(draw) as number;
  let held = 0;
  for (let seed = 0; seed < 20 * journals; seed++) {
    const next = uniform(seed + 1e6);
    const kelly = toEnd(kellyOf(Array.from({ length: n }, () => draw(next))));
    if (kelly && truth >= kelly.low && truth <= kelly.high) held++;
  }
  return percent(held, 20 * journals);
});
