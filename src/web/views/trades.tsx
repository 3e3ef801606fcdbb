/** The table of trades: sorted and filtered by the API; the address holds how. */
import { FilterBar } from '../components/filter-bar.tsx';
import { Problem } from '../components/problem.tsx';
import { withoutFigureFilters } from '../filters.ts';
import type { Place } from '../router.ts';
import { useSession } from '../session.ts';
import { csvOf } from './trade-csv.ts';
import { TradeFilters } from './trade-filters.tsx';
import { FIELDS, type TradeRecord, TradeTable } from './trade-table.tsx';
import { TradeTotals } from './trade-totals.tsx';
import { usePages } from './use-pages.ts';

export function Trades({ place }: { place: Place }) {
  const { me } = useSession();
  const pages = usePages<TradeRecord>('trades', { ...withoutFigureFilters(place.query), fields: FIELDS.join(',') });
  return (
    <div class="view">
      <div class="view-head">
        <h1>Trades</h1>
        {pages.records.length > 0 && (
          <button
            type="button"
            class="quiet"
            title="The rows that are loaded, with amounts and times as the API gives them"
            onClick={() => download(`trades-${me.user.id}.csv`, csvOf(pages.records))}
          >
            Save as CSV
          </button>
        )}
      </div>
      <FilterBar place={place} />
      <TradeFilters place={place} />
      {pages.failure && <Problem failure={pages.failure} />}
      <TradeTotals place={place} pages={pages} />
      <TradeTable place={place} pages={pages} />
    </div>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
