/** The table of trades: sorted and filtered by the API; the address holds how. */
import { Problem } from '../components/problem.tsx';
import type { Place } from '../router.ts';
import type { Trade } from '../types.ts';
import { TradeFilters } from './trade-filters.tsx';
import { TradeTable } from './trade-table.tsx';
import { usePages } from './use-pages.ts';

/** What the table shows of a trade. */
const FIELDS = [
  'symbol',
  'side',
  'status',
  'executed_at',
  'holding_seconds',
  'quantity',
  'entry_price',
  'exit_price',
  'currency',
  'net_pnl',
  'r_multiple',
  'setup',
  'mistakes',
] as const;

export type TradeRecord = Pick<Trade, 'id' | (typeof FIELDS)[number]>;

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
