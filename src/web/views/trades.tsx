/** The table of trades, sorted and filtered by the API as the address states. */
import { useRef } from 'preact/hooks';
import { FilterBar } from '../components/filter-bar.tsx';
import { Problem } from '../components/problem.tsx';
import { withoutFigureFilters } from '../filters.ts';
import type { Place } from '../router.ts';
import { useSession } from '../session.ts';
import { SaveCsv } from './save-csv.tsx';
import { TradeFilters } from './trade-filters.tsx';
import { FIELDS, type TradeRecord, TradeTable } from './trade-table.tsx';
import { TradeTotals } from './trade-totals.tsx';
import { usePages } from './use-pages.ts';

/** Pixels from the top within which the table refreshes: a refresh keeps its first page only, 4,000 pixels high. */
const NEAR_TOP = 2000;

export function Trades({ place }: { place: Place }) {
  const filters = withoutFigureFilters(place.query);
  const { refreshes } = useSession();
  const taken = useRef(refreshes);
  if (scrollY < NEAR_TOP) taken.current = refreshes;
  const pages = usePages<TradeRecord>('trades', { ...filters, fields: FIELDS.join(',') }, taken.current);
  return (
    <div class="view">
      <div class="view-head">
        <h1>Trades</h1>
        {pages.records.length > 0 && <SaveCsv key={JSON.stringify(filters)} pages={pages} />}
      </div>
      <FilterBar place={place} />
      <TradeFilters place={place} />
      {pages.failure && <Problem failure={pages.failure} />}
      <TradeTotals place={place} pages={pages} />
      <TradeTable place={place} pages={pages} />
    </div>
  );
}
