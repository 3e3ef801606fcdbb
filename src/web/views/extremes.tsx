/** Streaks, best and worst trade, holding times, and both sides. */
import { Card } from '../components/card.tsx';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { withoutFigureFilters } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import { hrefOf, type Place } from '../router.ts';
import { hidesMoney, useResponse, useSession, useUnit } from '../session.ts';
import type { Analytics, Page, Trade } from '../types.ts';

type TradeInR = Pick<Trade, 'id' | 'r_multiple'>;

/** The trades with the highest and the lowest R. @param analytics null asks for none */
function useExtremesInR(analytics: Analytics | null, place: Place): { best?: TradeInR; worst?: TradeInR } {
  const mayAsk = useSession().me.key.scopes.includes('trades:read') && !place.query['where'];
  const { start_date: start = null, end_date: end = null } = analytics?.period ?? {};
  const { period: _, start: __, end: ___, ...filters } = withoutFigureFilters(place.query);
  const query = { ...filters, start, end, status: 'closed', date_field: 'closed_at', sort: 'r_multiple', limit: 1 };
  const path = analytics !== null && mayAsk ? 'trades' : null;
  const [best] = useResponse<Page<TradeInR>>(path, { ...query, order: 'desc' }).body?.data ?? [];
  const [worst] = useResponse<Page<TradeInR>>(path, { ...query, order: 'asc' }).body?.data ?? [];
  return { ...(best && { best }), ...(worst && { worst }) };
}

export function Extremes({ analytics, place }: { analytics: Analytics; place: Place }) {
  const { performance, breakdowns } = analytics;
  const { format, me, isReport } = useSession();
  const unit = useUnit();
  const { largest_win: best, largest_loss: worst, streaks, holding_seconds: held } = performance;
  const mayList = me.key.scopes.includes('trades:read') && !isReport;
  const isInR = hidesMoney(me);
  const inR = useExtremesInR(isInR ? analytics : null, place);
  const linked = (result: number, id: string, text: string) => (
    <>
      <span class={toneOf(result)}>{text}</span>
      {mayList && (
        <>
          {' · '}
          <a href={hrefOf('trades', {}, id)}>show</a>
        </>
      )}
    </>
  );
  const extreme = (trade: typeof best) => trade && linked(trade.net_pnl, trade.trade_id, format.gain(trade.net_pnl));
  const extremeInR = (trade: TradeInR | undefined) =>
    trade?.r_multiple == null ? null : linked(trade.r_multiple, trade.id, format.r(trade.r_multiple));
  const current = streaks.current;
  const sides = breakdowns.side.map(
    ({ key, trades, net_pnl, total_r, win_rate }) =>
      [
        key === 'long' ? 'Long' : 'Short',
        <>
          <span class={toneOf(isInR ? total_r : net_pnl)}>{isInR ? format.r(total_r) : format.gain(net_pnl)}</span> in{' '}
          {plural(trades, unit)}, {format.percent(win_rate)} won
        </>,
      ] as const,
  );
  const facts: readonly Fact[] = [
    ...(isInR
      ? ([
          ['Best trade', extremeInR(inR.best)],
          ['Worst trade', extremeInR(inR.worst)],
        ] as const)
      : ([
          [`Best ${unit}`, extreme(best)],
          [`Worst ${unit}`, extreme(worst)],
        ] as const)),
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
