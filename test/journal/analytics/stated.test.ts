/** Files with their own figures: the analytics has the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPaths } from '../../../src/import/index.ts';
import { loadAll } from '../../../src/import/on-demand.ts';
import { NOW, temporaryFolder, World } from '../../helpers.ts';
import { exportsWith } from '../../import/exports.ts';

await loadAll();

test.each(
  exportsWith(
    ['freqtrade-backtest/backtest-result.json', 1e-7],
    // Its draws have a profit ratio of 0; in money they are 0.00000501 each.
    ['freqtrade-backtest/backtest-result.json', 0.0000051],
  ),
)(
  '$label, a backtest: profit, wins, profit factor, holding times, days, drawdown',
  async ({ path, holds: tolerance }) => {
    const stated = JSON.parse(readFileSync(path(), 'utf8')).strategy.StrategyTestV3;
    const file = join(temporaryFolder(), 'trades.json');
    const trades = stated.trades.map((trade: any, i: number) => ({
      id: `bt-${i}`,
      symbol: trade.pair,
      market: 'crypto',
      side: trade.is_short ? 'short' : 'long',
      status: 'closed',
      executed_at: trade.open_date.replace(' ', 'T'),
      closed_at: trade.close_date.replace(' ', 'T'),
      quantity: trade.amount,
      entry_price: trade.open_rate,
      exit_price: trade.close_rate,
      gross_pnl: trade.profit_abs,
    }));
    writeFileSync(file, JSON.stringify(trades));
    const world = new World({ base_currency: 'BTC', breakeven_tolerance: tolerance });
    importPaths({ paths: [file], journal: world.files.journal, now: NOW });

    const { body } = await world.ask('/v1/analytics/summary', { key: world.key() });
    const ours = body.data.performance;
    expect(ours).toMatchObject({
      currency: 'BTC',
      trades: stated.total_trades,
      wins: stated.wins,
      losses: stated.losses,
      breakevens: stated.draws,
      holding_seconds: {
        mean: expect.closeTo(stated.holding_avg_s, -2),
        wins_mean: expect.closeTo(stated.winner_holding_avg_s, -2),
        losses_mean: expect.closeTo(stated.loser_holding_avg_s, -2),
      },
      best_day: { net_pnl: expect.closeTo(stated.backtest_best_day_abs, 7) },
      worst_day: { net_pnl: expect.closeTo(stated.backtest_worst_day_abs, 7) },
    });
    // In the real file, a win and a loss close at one instant at the end of the largest fall: one step in both programs.
    expect(ours.max_drawdown.amount).toBeCloseTo(stated.max_drawdown_abs, 8);
    // Each trade's profit has 8 decimals, so the sum may differ by half of the last one per trade.
    expect(Math.abs(ours.net_pnl - stated.profit_total_abs)).toBeLessThan(
      stated.total_trades * 0.5e-8,
    );
    expect(ours.profit_factor).toBeCloseTo(stated.profit_factor, 2);
  },
);
