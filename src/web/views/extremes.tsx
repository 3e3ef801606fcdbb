/** Streaks, best and worst trade, holding times, and both sides. */
import { Card } from '../components/card.tsx';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { plural, toneOf } from '../format.ts';
import { hrefOf } from '../router.ts';
import { useSession, useUnit } from '../session.ts';
import type { Analytics } from '../types.ts';

export function Extremes({ analytics: { performance, breakdowns } }: { analytics: Analytics }) {
  const { format, me, isReport } = useSession();
  const unit = useUnit();
  const { largest_win: best, largest_loss: worst, streaks, holding_seconds: held } = performance;
  const mayList = me.key.scopes.includes('trades:read') && !isReport;
  const extreme = (trade: typeof best) =>
    trade && (
      <>
        <span class={toneOf(trade.net_pnl)}>{format.gain(trade.net_pnl)}</span>
        {mayList && (
          <>
            {' · '}
            <a href={hrefOf('trades', {}, trade.trade_id)}>show</a>
          </>
        )}
      </>
    );
  const current = streaks.current;
  const sides = breakdowns.side.map(
    ({ key, trades, net_pnl, win_rate }) =>
      [
        key === 'long' ? 'Long' : 'Short',
        <>
          <span class={toneOf(net_pnl)}>{format.gain(net_pnl)}</span> in {plural(trades, unit)},{' '}
          {format.percent(win_rate)} won
        </>,
      ] as const,
  );
  const facts: readonly Fact[] = [
    [`Best ${unit}`, extreme(best)],
    [`Worst ${unit}`, extreme(worst)],
    [
      `Best five ${unit}s`,
      performance.best_five_share === null ? null : `${format.percent(performance.best_five_share)} of net P&L`,
    ],
    ['Longest winning run', plural(streaks.longest_win, unit)],
    ['Longest losing run', plural(streaks.longest_loss, unit)],
    [
      'Current run',
      current === 0
        ? null
        : `${plural(Math.abs(current), current > 0 ? 'win' : 'loss', current > 0 ? 'wins' : 'losses')}`,
    ],
    ['Winners held, median', held.wins_median === null ? null : format.duration(held.wins_median)],
    ['Losers held, median', held.losses_median === null ? null : format.duration(held.losses_median)],
    ...sides,
  ];
  return (
    <Card title="Runs and extremes">
      <FactList facts={facts} />
    </Card>
  );
}
