/**
 * Whether winners are cut and losers kept: results of trades compared with their best and
 * worst moments. The order of these within a trade is unknown, so only the bounds depend
 * on it. Formulas: docs/analytics.md.
 */
import type * as z from 'zod';
import { roundMoney, roundRatio, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { type Accumulator, type ClosedTrade, IN_BASE } from './closed-trade.ts';
import { meanOf, medianOf } from './statistics.ts';

/** Fewer show too little. */
const LEAST_TRADES = 30;
const TARGETS = [0.5, 1, 1.5, 2, 2.5, 3];
const STOPS = [0.5, 0.75, 1, 1.25, 1.5];
/** Beyond the trader's own stop, what trades would have done is unknown. */
const OWN_STOP = 1;

const gaveBack = (r: string) =>
  f.object(
    {
      trades: f.count('Number of trades'),
      net_pnl: f.money(`Their net P&L, ${IN_BASE}`),
    },
    `Losing trades that had been ${r} ahead`,
  );

const totals = (what: string, description: string) =>
  f.list(
    f.item({
      r: f.ratio(`The ${what}, in R`),
      total_r: f.orNull(f.ratio('Sum of R of the sample with it; null if it is unknown')),
    }),
    description,
  );

export const exitsRecord = f.object(
  () => ({
    sample: f.count('Closed trades with mae, mfe and a risk'),
    uncertain: f.count(
      'Those of the sample that may have gone further: mae_bound or mfe_bound differs',
    ),
    reason: f.orNull(f.ours('Reason for missing figures; null if there are figures')),
    total_r: f.orNull(f.ratio('Sum of their actual R')),
    kept: f.orNull(
      f.object(
        { mean: f.ratio('Mean, at most 1'), median: f.ratio('Median') },
        'Share of the best unrealised profit that winners kept: net P&L over mfe; null without a winner',
      ),
    ),
    heat: f.orNull(
      f.object(
        { mean_r: f.ratio('Mean, in R'), median_r: f.ratio('Median') },
        'Largest unrealised loss of winners: mae over risk; null without a winner',
      ),
    ),
    gave_back: f.orNull(
      f.object(
        { half_r: gaveBack('half an R'), one_r: gaveBack('1 R') },
        'Winners that became losers',
      ),
    ),
    targets: totals(
      'target',
      'With a target: trades that reached it end there, all others end unchanged; unknown beyond the best of the losers',
    ),
    stops: totals(
      'stop',
      'With a stop: trades that reached it end there, all others end unchanged; unknown beyond 1 R, because own stops ended trades there',
    ),
    both: f.list(
      f.item({
        target: f.ratio('The target, in R'),
        stop: f.ratio('The stop, in R'),
        low: f.orNull(
          f.ratio(
            'Sum of R if trades that reached both reached the stop first; null if either is unknown',
          ),
        ),
        high: f.orNull(
          f.ratio('Sum of R if they reached the target first; null like low'),
        ),
      }),
      'With both: bounds, because the order within a trade is unknown',
    ),
  }),
  'Exits compared with mae and mfe. Fees are those of the trade; a touched price counts as filled',
);

export type ExitsResult = z.infer<typeof exitsRecord>;

/**
 * Best and worst open result of a trade over its risk, before fees; and its R, after
 * fees.
 */
interface Excursion {
  best: number;
  worst: number;
  fees: number;
  r: number;
}

/** Total R of all trades with one way of exiting. */
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
  #uncertain = 0;
  readonly #kept: number[] = [];
  readonly #heat: number[] = [];
  readonly #gaveBack = [0.5, 1].map((level) => ({ level, trades: 0, net: new Sum() }));
  /** Best open result of the losers, in R; Infinity without any. */
  #bestOfLosers = Number.POSITIVE_INFINITY;
  readonly #asTheyWere = new Total(null, ({ r }) => r);
  readonly #targets = TARGETS.map(
    (r) => new Total(r, (one, target) => withTarget(one, target) ?? one.r),
  );
  readonly #stops = STOPS.map(
    (r) => new Total(r, (one, stop) => withStop(one, stop) ?? one.r),
  );
  readonly #both = PAIRS.map((pair) => ({
    pair,
    low: new Total(
      pair,
      (one, { target, stop }) => withStop(one, stop) ?? withTarget(one, target) ?? one.r,
    ),
    high: new Total(
      pair,
      (one, { target, stop }) => withTarget(one, target) ?? withStop(one, stop) ?? one.r,
    ),
  }));

  add(trade: ClosedTrade): void {
    const { mae, mfe, maeBound, mfeBound, risk, r, gross, fees, outcome } = trade;
    if (mae === null || mfe === null || risk === null || r === null) return;

    this.#sample++;
    if ((maeBound ?? mae) !== mae || (mfeBound ?? mfe) !== mfe) this.#uncertain++;
    // A trade went at least as far as its result, even if the platform recorded less.
    const most = Math.max(mfe, gross);
    const excursion = {
      best: roundRatio(most / risk),
      worst: roundRatio(Math.max(Math.abs(mae), -gross) / risk),
      fees: fees / risk,
      r,
    };

    this.#addToTotals(excursion);
    if (outcome === 'win') {
      this.#kept.push(Math.min(trade.net / most, 1));
      this.#heat.push(excursion.worst);
    } else if (outcome === 'loss') {
      this.#addLoss(excursion.best, trade.net);
    }
  }

  #addToTotals(excursion: Excursion): void {
    this.#asTheyWere.add(excursion);
    for (const total of this.#targets) total.add(excursion);
    for (const total of this.#stops) total.add(excursion);
    for (const { low, high } of this.#both) {
      low.add(excursion);
      high.add(excursion);
    }
  }

  #addLoss(best: number, net: number): void {
    const before =
      this.#bestOfLosers === Number.POSITIVE_INFINITY ? 0 : this.#bestOfLosers;
    this.#bestOfLosers = Math.max(before, best);
    for (const gaveBack of this.#gaveBack) {
      if (best < gaveBack.level) continue;
      gaveBack.trades++;
      gaveBack.net.add(net);
    }
  }

  result(): ExitsResult {
    const [sample, uncertain] = [this.#sample, this.#uncertain];
    if (sample < LEAST_TRADES) {
      const reason = `fewer than ${LEAST_TRADES} closed trades with mae, mfe and a risk; add them by "journal-api excursions" and "annotate", or choose a longer period`;
      const nothing = {
        total_r: null,
        kept: null,
        heat: null,
        gave_back: null,
        targets: [],
        stops: [],
        both: [],
      };
      return { sample, uncertain, reason, ...nothing };
    }

    const [kept, heat] = [middleOf(this.#kept), middleOf(this.#heat)];
    const isKnown = ({ target = 0, stop = 1 }) =>
      target <= this.#bestOfLosers && stop <= OWN_STOP;
    const gaveBack = this.#gaveBack.map(({ trades, net }) => ({
      trades,
      net_pnl: roundMoney(net.value),
    }));

    return {
      sample,
      uncertain,
      reason: null,
      total_r: this.#asTheyWere.r,
      kept,
      heat: heat && { mean_r: heat.mean, median_r: heat.median },
      gave_back: { half_r: gaveBack[0], one_r: gaveBack[1] } as ExitsResult['gave_back'],
      targets: this.#targets.map(({ way, r }) => ({
        r: way,
        total_r: isKnown({ target: way }) ? r : null,
      })),
      stops: this.#stops.map(({ way, r }) => ({
        r: way,
        total_r: isKnown({ stop: way }) ? r : null,
      })),
      both: this.#both.map(({ pair, low, high }) => ({
        ...pair,
        ...(isKnown(pair) ? { low: low.r, high: high.r } : { low: null, high: null }),
      })),
    };
  }
}

/** R of a trade with a target or a stop; undefined if the trade never reached it. */
const withTarget = ({ best, fees }: Excursion, r: number) =>
  best >= r ? r - fees : undefined;
const withStop = ({ worst, fees }: Excursion, r: number) =>
  worst >= r ? -r - fees : undefined;

function middleOf(values: readonly number[]): { mean: number; median: number } | null {
  const [mean, median] = [meanOf(values), medianOf(values)];
  return mean === null || median === null
    ? null
    : { mean: roundRatio(mean), median: roundRatio(median) };
}
