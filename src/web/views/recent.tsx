/** The trades of the period one by one: the rolling mean of 20, and the spread of results if trades have no R. */
import { Card } from '../components/card.tsx';
import { withoutFigureFilters } from '../filters.ts';
import { Excursions } from '../pictures/excursions.tsx';
import { Histogram } from '../pictures/histogram.tsx';
import { Rolling } from '../pictures/rolling.tsx';
import type { Place } from '../router.ts';
import { useSession } from '../session.ts';
import type { Analytics, Trade } from '../types.ts';
import { useRecords } from './use-pages.ts';

/** Trades to load, at 100 per request. */
const MOST = 500;
const ROLLING = 20;
const FIELDS = ['net_pnl_base', 'r_multiple', 'risk', 'mae', 'mfe'] as const;

export function Recent({ analytics, place }: { analytics: Analytics; place: Place }) {
  const { me, format } = useSession();
  const { start_date, end_date } = analytics.period;
  const { period: _, start: __, end: ___, ...filters } = withoutFigureFilters(place.query);
  // The list of trades can't be filtered by what trades did.
  const mayAsk = me.key.scopes.includes('trades:read') && !place.query['where'];
  const { records, isCut } = useRecords<Pick<Trade, 'id' | (typeof FIELDS)[number]>>(
    mayAsk ? 'trades' : null,
    {
      ...filters,
      ...{ status: 'closed', sort: 'closed_at', date_field: 'closed_at', fields: FIELDS.join(',') },
      ...{ start: start_date, end: end_date },
    },
    MOST,
  );
  if (!mayAsk || records.length === 0) return null;
  const results = records.flatMap(({ net_pnl_base }) => (net_pnl_base === null ? [] : [net_pnl_base])).reverse();
  const excursions = records.flatMap(({ id, r_multiple: r, risk, mae, mfe }) =>
    r === null || risk === null || mae === null || mfe === null
      ? []
      : [{ id, r, mae: -Math.abs(mae) / risk, mfe: Math.max(0, mfe) / risk }],
  );
  return (
    <>
      <Card title={`Mean of ${ROLLING} trades, rolling`}>
        {results.length < ROLLING + 1 ? (
          <p class="nothing">Needs more than {ROLLING} closed trades.</p>
        ) : (
          <Rolling results={results} length={ROLLING} />
        )}
      </Card>
      {excursions.length > 0 && (
        <Card title="Results against MAE and MFE">
          <Excursions trades={excursions} />
          <p class="fine">
            {format.count(excursions.length)} trades with both and a risk
            {isCut && <>, of the last {format.count(MOST)}</>}. A trade on the line kept its whole MFE.
          </p>
        </Card>
      )}
      {analytics.performance.r_sample === 0 && (
        <Card title={isCut ? `Net P&L of the last ${MOST} trades` : 'Net P&L of trades'}>
          <Histogram values={results} />
        </Card>
      )}
    </>
  );
}
