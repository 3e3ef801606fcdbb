/** Exits a second time: trade by trade, in exact fractions. */
import { Exact } from './exact.ts';
import { meanOf, money, orNull, ratio } from './figure.ts';
import {
  type Chosen,
  type Counted,
  counted,
  type Journal,
  median,
  riskOf,
  type Span,
} from './reference.ts';

/** Levels from one to another, in steps. */
const levels = (from: number, to: number, step: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, i) => from + i * step);

interface Left {
  one: Counted;
  best: Exact;
  worst: Exact;
  /** Its best result in money. */
  most: Exact;
  fees: Exact;
  r: Exact;
}

const larger = (a: Exact, b: Exact) => (a.compare(b) > 0 ? a : b);

/** Excursions of a trade; empty if unknown. */
function leftOf(journal: Journal, one: Counted, { unit }: Chosen): Left[] {
  const [trade, another] = one.trades;
  if (another || !trade || trade.mae === null || trade.mfe === null || one.r === null)
    return [];
  const group =
    unit === 'position'
      ? journal.groups.find(({ id }) => id === one.group_id)
      : undefined;
  const risk = group ? Exact.of(group.initial_risk!) : riskOf(trade)!;
  const gross = Exact.of(trade.gross_pnl);
  const most = larger(larger(Exact.of(trade.mfe), gross), Exact.zero);
  return [
    {
      one,
      most,
      best: most.over(risk).rounded(6),
      worst: larger(Exact.of(trade.mae).abs(), gross.negated()).over(risk).rounded(6),
      fees: Exact.of(trade.fees).over(risk),
      r: one.r,
    },
  ];
}

export function exits(journal: Journal, span: Span, chosen: Chosen) {
  const known = counted(journal, span, chosen).flatMap((one) =>
    leftOf(journal, one, chosen),
  );
  const sample = known.length;
  const uncertain = known.filter(({ one }) => {
    const [trade] = one.trades;
    return [
      [trade?.mae, trade?.mae_bound],
      [trade?.mfe, trade?.mfe_bound],
    ].some(([reached, bound]) => bound != null && reached !== bound);
  }).length;
  if (sample < 30) {
    const reason =
      'fewer than 30 closed trades with mae, mfe and a risk; add them by "journal-api excursions" and "annotate", or choose a longer period';
    return {
      sample,
      uncertain,
      reason,
      total_r: null,
      kept: null,
      heat: null,
      gave_back: null,
      targets: [],
      stops: [],
      both: [],
    };
  }
  const winners = known.filter(({ one }) => one.outcome === 'win');
  const losers = known.filter(({ one }) => one.outcome === 'loss');
  const kept = winners.map(({ one, most }) => {
    const [trade] = one.trades;
    const share = Exact.of(trade!.gross_pnl).minus(Exact.of(trade!.fees)).over(most);
    return share.compare(Exact.of(1)) > 0 ? Exact.of(1) : share;
  });
  const heat = winners.map(({ worst }) => worst);
  const been = (level: number) => {
    const those = losers.filter(({ best }) => best.compare(Exact.of(level)) >= 0);
    return {
      trades: those.length,
      net_pnl: money(Exact.sum(those.map(({ one }) => one.net))),
    };
  };
  const total = (of: (left: Left) => Exact) => ratio(Exact.sum(known.map(of)));
  const at = (level: number, { fees }: Left) => Exact.of(level).minus(fees);
  const reached = (extreme: Exact, level: number) =>
    extreme.compare(Exact.of(level)) >= 0;
  /** A stop not wider than the trader's own, and a target that some loser reached. */
  const isKnown = (target: number, stop: number) =>
    stop <= 1 &&
    (target === 0 ||
      losers.length === 0 ||
      losers.some(({ best }) => reached(best, target)));
  const targets = levels(0.5, 3, 0.5);
  const stops = levels(0.5, 1.5, 0.25);
  return {
    sample,
    uncertain,
    reason: null,
    total_r: total(({ r }) => r),
    kept:
      winners.length === 0
        ? null
        : { mean: orNull(meanOf(kept), ratio), median: orNull(median(kept), ratio) },
    heat:
      winners.length === 0
        ? null
        : { mean_r: orNull(meanOf(heat), ratio), median_r: orNull(median(heat), ratio) },
    gave_back: { half_r: been(0.5), one_r: been(1) },
    targets: targets.map((r) => ({
      r,
      total_r: isKnown(r, 1)
        ? total((left) => (reached(left.best, r) ? at(r, left) : left.r))
        : null,
    })),
    stops: stops.map((r) => ({
      r,
      total_r: isKnown(0, r)
        ? total((left) => (reached(left.worst, r) ? at(-r, left) : left.r))
        : null,
    })),
    both: targets.flatMap((target) =>
      stops.map((stop) => {
        // All orders in which a trade may have reached the two.
        const ends = (left: Left) => {
          const [gain, loss] = [at(target, left), at(-stop, left)];
          const [up, down] = [reached(left.best, target), reached(left.worst, stop)];
          return up && down
            ? [loss, gain]
            : up
              ? [gain, gain]
              : down
                ? [loss, loss]
                : [left.r, left.r];
        };
        if (!isKnown(target, stop)) return { target, stop, low: null, high: null };
        return {
          target,
          stop,
          low: total((left) => ends(left)[0]!),
          high: total((left) => ends(left)[1]!),
        };
      }),
    ),
  };
}
