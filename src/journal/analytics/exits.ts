/**
 * Whether winners are cut and losers kept: what trades made beside the best and the worst that they went through. The order within a
 * trade is unknown, so nothing here depends on it but bounds. Formulas: docs/analytics.md.
 */
import type * as z from 'zod';
import { roundMoney, roundRatio, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { IN_BASE } from './base-currency.ts';
import { meanOf, medianOf } from './statistics.ts';
import type { Accumulator, ClosedTrade } from './trade-rows.ts';

/** Fewer tell too little. */
const LEAST_TRADES = 30;
const TARGETS = [0.5, 1, 1.5, 2, 2.5, 3];
const STOPS = [0.5, 0.75, 1, 1.25, 1.5];

const gaveBack = (r: string) =>
  f.object(
    { trades: f.count('How many'), net_pnl: f.money(`Their net P&L, ${IN_BASE}`) },
    `Losing trades that had been ${r} ahead`,
  );

const totals = (what: string, description: string) =>
  f.list(
    f.item({ r: f.ratio(`The ${what}, in R`), total_r: f.ratio('Sum of R of all trades of the sample with it') }),
    description,
  );

export const exitsRecord = f.object(
  {
    sample: f.count('Closed trades that have mae, mfe and a risk'),
    reason: f.orNull(f.ours('Why there are no figures; null if there are')),
    total_r: f.orNull(f.ratio('Sum of their R, as they were')),
    kept: f.orNull(
      f.object(
        { mean: f.ratio('Mean, at most 1'), median: f.ratio('Median') },
        'What winners kept of the best they had: net P&L over mfe; null without a winner',
      ),
    ),
    heat: f.orNull(
      f.object(
        { mean_r: f.ratio('Mean, in R'), median_r: f.ratio('Median') },
        'How far winners were behind at worst; null without a winner',
      ),
    ),
    gave_back: f.orNull(
      f.object({ half_r: gaveBack('half an R'), one_r: gaveBack('1 R') }, 'Winners that became losers'),
    ),
    targets: totals('target', 'With a target: trades that reached it end there, all others as they did'),
    stops: totals('stop', 'With a stop: trades that reached it end there, all others as they did'),
    both: f.list(
      f.item({
        target: f.ratio('The target, in R'),
        stop: f.ratio('The stop, in R'),
        low: f.ratio('Sum of R if trades that reached both met the stop first'),
        high: f.ratio('The same if they met the target first'),
      }),
      'With both: bounds, since the order within a trade is unknown',
    ),
  },
  'How trades were left, from their mae and mfe. Fees are those of the trade; a price that was touched counts as filled',
);

export type ExitsResult = z.infer<typeof exitsRecord>;

/** What a trade was worth at its best and at its worst, over its risk, before fees; and what it ended with, after them. */
interface Excursion {
  best: number;
  worst: number;
  fees: number;
  r: number;
}

/** What all trades make with a way to leave them. */
class Total<W> {
  readonly way: W;
  readonly #make: (one: Excursion, way: W) => number;
  readonly #sum = new Sum();

  constructor(way: W, make: (one: Excursion, way: W) => number) {
    this.way = way;
    this.#make = make;
  }

  add(one: Excursion): void {
    this.#sum.add(this.#make(one, this.way));
  }

  get r(): number {
    return roundRatio(this.#sum.value);
  }
}

const PAIRS = TARGETS.flatMap((target) => STOPS.map((stop) => ({ target, stop })));

export class Exits implements Accumulator {
  readonly columns = ['risk', 'excursions'] as const;
  #sample = 0;
  readonly #kept: number[] = [];
  readonly #heat: number[] = [];
  readonly #gaveBack = [0.5, 1].map((level) => ({ level, trades: 0, net: new Sum() }));
  readonly #asTheyWere = new Total(null, ({ r }) => r);
  readonly #targets = TARGETS.map((r) => new Total(r, (one, target) => withTarget(one, target) ?? one.r));
  readonly #stops = STOPS.map((r) => new Total(r, (one, stop) => withStop(one, stop) ?? one.r));
  readonly #both = PAIRS.map((pair) => ({
    pair,
    low: new Total(pair, (one, { target, stop }) => withStop(one, stop) ?? withTarget(one, target) ?? one.r),
    high: new Total(pair, (one, { target, stop }) => withTarget(one, target) ?? withStop(one, stop) ?? one.r),
  }));

  add({ mae, mfe, risk, r, gross, fees, net, outcome }: ClosedTrade): void {
    if (mae === null || mfe === null || risk === null || r === null) return;
    this.#sample++;
    // A trade went at least as far as it ended, whatever prices were looked at.
    const most = Math.max(mfe, gross, 0);
    const [best, worst] = [roundRatio(most / risk), roundRatio(Math.max(Math.abs(mae), -gross) / risk)];
    const one = { best, worst, fees: fees / risk, r };
    this.#asTheyWere.add(one);
    for (const total of this.#targets) total.add(one);
    for (const total of this.#stops) total.add(one);
    for (const { low, high } of this.#both) {
      low.add(one);
      high.add(one);
    }
    if (outcome === 'win') {
      this.#kept.push(Math.min(net / most, 1));
      this.#heat.push(worst);
    } else if (outcome === 'loss') {
      for (const gaveBack of this.#gaveBack) {
        if (best < gaveBack.level) continue;
        gaveBack.trades++;
        gaveBack.net.add(net);
      }
    }
  }

  result(): ExitsResult {
    const sample = this.#sample;
    if (sample < LEAST_TRADES) {
      const reason = `takes at least ${LEAST_TRADES} closed trades that have mae, mfe and a risk; ask for a longer window`;
      const nothing = { total_r: null, kept: null, heat: null, gave_back: null, targets: [], stops: [], both: [] };
      return { sample, reason, ...nothing };
    }
    const [kept, heat] = [middleOf(this.#kept), middleOf(this.#heat)];
    const gaveBack = this.#gaveBack.map(({ trades, net }) => ({ trades, net_pnl: roundMoney(net.value) }));
    return {
      sample,
      reason: null,
      total_r: this.#asTheyWere.r,
      kept,
      heat: heat && { mean_r: heat.mean, median_r: heat.median },
      gave_back: { half_r: gaveBack[0], one_r: gaveBack[1] } as ExitsResult['gave_back'],
      targets: this.#targets.map(({ way, r }) => ({ r: way, total_r: r })),
      stops: this.#stops.map(({ way, r }) => ({ r: way, total_r: r })),
      both: this.#both.map(({ pair, low, high }) => ({ ...pair, low: low.r, high: high.r })),
    };
  }
}

/** What a trade makes with a target or a stop; undefined where it never got there. */
const withTarget = ({ best, fees }: Excursion, r: number) => (best >= r ? r - fees : undefined);
const withStop = ({ worst, fees }: Excursion, r: number) => (worst >= r ? -r - fees : undefined);

function middleOf(values: readonly number[]): { mean: number; median: number } | null {
  const [mean, median] = [meanOf(values), medianOf(values)];
  return mean === null || median === null ? null : { mean: roundRatio(mean), median: roundRatio(median) };
}
