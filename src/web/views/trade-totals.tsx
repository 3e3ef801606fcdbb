/** Totals of the filtered trades: of the rows if all are loaded, else from the API. */
import { filtersOf, withoutFigureFilters } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import type { Place } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { Analytics } from '../types.ts';
import type { TradeRecord } from './trade-table.tsx';
import type { Pages } from './use-pages.ts';

interface Totals {
  closed: number;
  net: number;
  winRate: number | null;
  open: number;
  /** Closed trades without an exchange rate, excluded from the totals. */
  withoutRate: number;
}

/** Filters of the table that the API's figures lack. */
const OF_THE_TABLE = ['q', 'start', 'end', 'status'];

export function TradeTotals({ place, pages }: { place: Place; pages: Pages<TradeRecord> }) {
  const { me, format } = useSession();
  const { records, hasMore, isLoading } = pages;
  const isWhole = !hasMore && !isLoading;
  const canAsk = me.key.scopes.includes('analytics:read') && !OF_THE_TABLE.some((name) => place.query[name]);
  const filters = withoutFigureFilters(place.query);
  const { sort: _, order: __, date_field: ___, ...asked } = filters;
  const response = useResponse<{ data: Pick<Analytics, 'performance' | 'open' | 'data_quality'> }>(
    !isWhole && canAsk ? 'analytics/summary' : null,
    { ...asked, sections: 'performance,open,data_quality' },
  );
  // The key hides money.
  if (records.some(({ net_pnl_base }) => net_pnl_base === undefined)) return null;
  const totals = isWhole
    ? totalsOf(records)
    : response.body && !response.isLoading
      ? totalsIn(response.body.data)
      : null;
  if (!totals || records.length === 0) return null;
  return (
    <p class="totals" role="status">
      <strong class={toneOf(totals.net)}>{format.gain(totals.net)}</strong> net in{' '}
      {plural(totals.closed, 'closed trade')}
      {totals.winRate !== null && <>, {format.percent(totals.winRate)} won</>}
      {totals.open > 0 && <> · {format.count(totals.open)} open</>}
      {totals.withoutRate > 0 && <> · {format.count(totals.withoutRate)} without an exchange rate, excluded</>}
      {filtersOf(place.query).length > 0 && <> · filtered</>}
    </p>
  );
}

function totalsOf(records: readonly TradeRecord[]): Totals {
  const closed = records.filter(({ status }) => status === 'closed');
  const counted = closed.filter(({ net_pnl_base }) => net_pnl_base !== null);
  return {
    closed: counted.length,
    net: counted.reduce((sum, { net_pnl_base }) => sum + (net_pnl_base ?? 0), 0),
    winRate: counted.length === 0 ? null : counted.filter(({ outcome }) => outcome === 'win').length / counted.length,
    open: records.length - closed.length,
    withoutRate: closed.length - counted.length,
  };
}

function totalsIn({
  performance,
  open,
  data_quality,
}: Pick<Analytics, 'performance' | 'open' | 'data_quality'>): Totals {
  return {
    closed: performance.trades,
    net: performance.net_pnl,
    winRate: performance.win_rate,
    open: open.trades,
    withoutRate: data_quality.without_rate,
  };
}
