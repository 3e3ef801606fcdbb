/** The table of trades: sorted and filtered by the API; the address holds how. */
import { Problem } from '../components/problem.tsx';
import type { Place } from '../router.ts';
import { TradeFilters } from './trade-filters.tsx';
import { FIELDS, type TradeRecord, TradeTable } from './trade-table.tsx';
import { usePages } from './use-pages.ts';

export function Trades({ place }: { place: Place }) {
  const pages = usePages<TradeRecord>('trades', { ...place.query, fields: FIELDS.join(',') });
  return (
    <div class="view">
      <div class="view-head">
        <h1>Trades</h1>
      </div>
      <TradeFilters place={place} />
      {pages.failure && <Problem failure={pages.failure} />}
      <TradeTable place={place} pages={pages} />
    </div>
  );
}
