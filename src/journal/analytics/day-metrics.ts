/**
 * Metrics of sessions and weekly reviews: the trades closed on their days, and the exits
 * on them.
 */
import type * as z from 'zod';
import type { Reader } from '../../sqlite/reader.ts';
import { fromInstantText } from '../../time.ts';
import type { User } from '../journal.ts';
import type { metrics } from '../resource.ts';
import { type Range, Where } from '../where.ts';
import type { ClosedTrade, RealisedExit } from './closed-trade.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { Drawdown } from './equity-curve.ts';
import { COLUMNS_OF_EXITS, visitLate, visitOthers } from './other-exits.ts';
import { isWithoutRate } from './positions.ts';
import { RealisedCurve } from './realised.ts';
import { Tally } from './tally.ts';
import { TradeRows } from './trade-rows.ts';
import { unmatchedCloses, unmatchedExits } from './unmatched.ts';

type Metrics = z.infer<ReturnType<typeof metrics>>;

/** With both bounds. */
export interface Days extends Range {
  from: string;
  to: string;
}

/** The metrics of each of several periods. */
export function metricsOf(
  reader: Reader,
  user: User,
  periods: readonly Days[],
): Metrics[] {
  const reading = new TradeRows(reader, user, COLUMNS_OF_EXITS);
  const others = tradesWithExits(reader, user, periods, reading);
  const unmatched = unmatchedIn(reader, user, periods);

  return periods.map((range) => {
    const tally = new Tally();
    const drawdown = new Drawdown(null);
    const realised = new RealisedCurve(range, null);

    const add = (trade: ClosedTrade) => {
      tally.add(trade);
      drawdown.add(trade.net, tally.net.sum, trade.closedMs);
      realised.add(trade);
    };

    const selection = { range, filters: {}, unit: 'trade' } as const;
    visitClosedTrades(reader, user, selection, [
      { columns: ['risk', ...COLUMNS_OF_EXITS], add },
    ]);
    realised.addUnmatched(unmatched);

    const end = fromInstantText(range.to);
    // Not those that closed by then, which the pass has counted; NaN is open.
    for (const trade of others) if (!(trade.closedMs < end)) realised.addExits(trade);
    visitLate(user, range.from, reading, (exits) => realised.addExits({ exits }));

    return {
      trades: tally.trades,
      trades_entered: enteredIn(reader, user, range),
      net_pnl: tally.netPnl,
      realised_pnl: realised.net,
      win_rate: tally.winRate,
      total_r: tally.totalR,
      max_drawdown: drawdown.result()?.amount ?? null,
    };
  });
}

function enteredIn(reader: Reader, user: User, range: Range): number {
  const where = new Where(user.id).range('executed_at', range);
  const sql = `SELECT count(*) AS entered FROM trades WHERE ${where.sql}`;
  return reader.only<{ entered: number }>(sql, ...where.values).entered;
}

/** Exits without an opening, from the first of the periods to the last. */
function unmatchedIn(
  reader: Reader,
  user: User,
  periods: readonly Days[],
): RealisedExit[] {
  const froms = periods.map(({ from }) => from).sort();
  const [from] = froms;
  const to = periods
    .map((span) => span.to)
    .sort()
    .at(-1);
  if (from === undefined || to === undefined) return [];

  return unmatchedExits(
    user,
    unmatchedCloses(reader, user, { range: { from, to }, filters: {} }),
  );
}

/**
 * Trades that may have exits in one of the periods and close after it, read once for all.
 */
function tradesWithExits(
  reader: Reader,
  user: User,
  periods: readonly Days[],
  reading: TradeRows,
): ClosedTrade[] {
  const ends = periods.map(({ to }) => to).sort();
  const [first, last] = [ends[0], ends.at(-1)];
  if (first === undefined || last === undefined) return [];

  const found: ClosedTrade[] = [];
  const selection = { range: { from: null, to: last }, filters: {}, closedFrom: first };

  visitOthers(reader, user, selection, reading, null, (trade) => {
    if (trade && !isWithoutRate(trade)) found.push(trade);
  });
  return found;
}
