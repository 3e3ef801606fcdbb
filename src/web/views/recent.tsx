/** The last trades of the period one by one: how the mean of 20 moved, and how results spread if trades have no R. */
import { Card } from '../components/card.tsx';
import { withoutFigureFilters } from '../filters.ts';
import { Excursions } from '../pictures/excursions.tsx';
import { Histogram } from '../pictures/histogram.tsx';
import { Rolling } from '../pictures/rolling.tsx';
import type { Place } from '../router.ts';
import { useAnswer, useSession } from '../session.ts';
import type { Analytics, Page, Trade } from '../types.ts';

/** One page of the API. */
const LAST = 100;
const ROLLING = 20;
const FIELDS = ['net_pnl_base', 'r_multiple', 'risk', 'mae', 'mfe'] as const;

export function Recent({ analytics, place }: { analytics: Analytics; place: Place }) {
  const { me } = useSession();
  const { start_date, end_date } = analytics.period;
  const { period: _, start: __, end: ___, day: ____, ...filters } = withoutFigureFilters(place.query);
  // The list of trades can't be filtered by what trades did.
  const mayAsk = me.key.scopes.includes('trades:read') && !place.query['where'];
  const answer = useAnswer<Page<Pick<Trade, 'id' | (typeof FIELDS)[number]>>>(mayAsk ? 'trades' : null, {
    ...filters,
    ...{ status: 'closed', sort: 'closed_at', date_field: 'closed_at', limit: LAST, fields: FIELDS.join(',') },
    ...{ start: start_date, end: end_date },
  });
  if (!mayAsk || !answer.body) return null;
  const results = answer.body.data
    .flatMap(({ net_pnl_base }) => (net_pnl_base === null ? [] : [net_pnl_base]))
    .reverse();
  const excursions = answer.body.data.flatMap(({ id, r_multiple: r, risk, mae, mfe }) =>
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
            The last {excursions.length} trades that have both and a risk. A trade on the line kept all it had.
          </p>
        </Card>
      )}
      {analytics.performance.r_sample === 0 && (
        <Card title={results.length === LAST ? `Net P&L of the last ${LAST} trades` : 'Net P&L of trades'}>
          <Histogram values={results} />
        </Card>
      )}
    </>
  );
}
