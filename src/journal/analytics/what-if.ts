/**
 * Figures without some of the trades: those that match a condition, the best, the worst.
 */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { once } from '../once.ts';
import type { Balances } from './balances.ts';
import { type ClosedTrade, IN_BASE } from './closed-trade.ts';
import { visitClosedTrades } from './closed-trades.ts';
import type { Condition, Selection } from './condition.ts';
import {
  type Performance,
  PerformanceAccumulator,
  performanceRecord,
} from './performance.ts';

const figuresRecord = once(() =>
  performanceRecord.pick({
    trades: true,
    net_pnl: true,
    realised_pnl: true,
    win_rate: true,
    profit_factor: true,
    expectancy: true,
    max_drawdown: true,
  }),
);

export const whatIfRecord = f
  .record(() => ({
    excluded: f.object(
      {
        trades: f.count('Excluded trades'),
        net_pnl: f.money(`Their net P&L, ${IN_BASE}`),
      },
      'The trades excluded by exclude, best and worst',
    ),
    actual: figuresRecord().meta({ description: 'Figures of all trades of the period' }),
    without: figuresRecord().meta({
      description: 'The same figures without the excluded trades',
    }),
  }))
  .meta({
    description:
      'Figures with and without the excluded trades, as if this changed no other trade. Only with exclude, best or worst',
  });

/**
 * Excluded trades: those that match the condition, and of the others the numbers with the
 * highest and the lowest net P&L.
 */
export interface Exclusion {
  condition: Condition | null;
  best: number;
  worst: number;
}

/** A selection without the excluded trades, and what it leaves out. */
export interface Remaining {
  selection: Selection;
  /** All trades, excluded ones included. */
  actual: PerformanceAccumulator;
  excluded: z.infer<typeof whatIfRecord>['excluded'];
}

/**
 * Finds the excluded trades in a pass over all of a selection.
 * @param balances at the start of the period
 */
export function withoutExcluded(
  reader: Reader,
  user: User,
  selection: Selection,
  { condition, best, worst }: Exclusion,
  balances: Balances,
): Remaining {
  const actual = new PerformanceAccumulator(user, selection.range, balances);
  const kept: Pick<ClosedTrade, 'id' | 'net'>[] = [];
  const excluded = { trades: 0, net: new Sum() };

  const exclude = (net: number) => {
    excluded.trades++;
    excluded.net.add(net);
  };

  const columns = condition?.columns ?? [];
  const add = (trade: ClosedTrade) => {
    if (condition?.matches(trade)) exclude(trade.net);
    else if (best + worst > 0) kept.push({ id: trade.id, net: trade.net });
  };

  visitClosedTrades(reader, user, selection, [actual, { columns, add }]);
  // Of equal trades the first are best and the last are worst, so that none is both.
  const shown = kept.map((trade, place) => ({
    trade,
    net: roundMoney(trade.net),
    place,
  }));
  const ranked = shown.sort((a, b) => b.net - a.net || a.place - b.place);
  const extremes = ranked.filter(
    (_, rank) => rank < best || rank >= ranked.length - worst,
  );
  const trades = extremes.map(({ trade }) => trade);
  const ids = new Set(trades.map(({ id }) => id));
  for (const { net } of trades) exclude(net);
  const { where = null } = selection;

  return {
    actual,
    excluded: { trades: excluded.trades, net_pnl: roundMoney(excluded.net.value) },
    selection: {
      ...selection,
      where: {
        columns: [...columns, ...(where?.columns ?? [])],
        matches: (trade) =>
          !ids.has(trade.id) &&
          !condition?.matches(trade) &&
          (where?.matches(trade) ?? true),
      },
    },
  };
}

export function figuresOf(
  performance: Performance,
): z.infer<ReturnType<typeof figuresRecord>> {
  const {
    trades,
    net_pnl,
    realised_pnl,
    win_rate,
    profit_factor,
    expectancy,
    max_drawdown,
  } = performance;
  return {
    trades,
    net_pnl,
    realised_pnl,
    win_rate,
    profit_factor,
    expectancy,
    max_drawdown,
  };
}
