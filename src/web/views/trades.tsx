/**
 * The table of trades, sorted and filtered by the API as the address states, with its
 * totals and its file.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { FilterBar } from '../components/filter-bar.tsx';
import { Problem } from '../components/problem.tsx';
import { filtersOf, withoutFigureFilters } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import type { Place } from '../router.ts';
import { useFigures, useSession } from '../session.ts';
import type { Analytics } from '../types.ts';
import {
  countsPositions,
  POSITION_FIELDS,
  type PositionRecord,
  positionQuery,
  RESULT_FIELDS,
  type TableRow,
  TRADE_FIELDS,
  type TradeRecord,
  usePositionRows,
  useTradeRows,
} from './position-rows.ts';
import { csvOf } from './trade-csv.ts';
import { TradeFilters } from './trade-filters.tsx';
import { TradeTable } from './trade-table.tsx';
import { type Pages, usePages } from './use-pages.ts';

/**
 * Pixels from the top within which the table refreshes: a refresh keeps its first page
 * only, 4,000 pixels high.
 */
const NEAR_TOP = 2000;

export function Trades({ place }: { place: Place }) {
  const filters = withoutFigureFilters(place.query);
  const { refreshes } = useSession();
  const taken = useRef(refreshes);
  if (scrollY < NEAR_TOP) taken.current = refreshes;
  const isByPosition = countsPositions(place);
  const trades = usePages<TradeRecord>(
    isByPosition ? null : 'trades',
    { ...filters, fields: TRADE_FIELDS.join(',') },
    taken.current,
  );
  const positions = usePages<PositionRecord>(
    isByPosition ? 'positions' : null,
    { ...positionQuery(filters), fields: POSITION_FIELDS.join(',') },
    taken.current,
  );
  const ofTrades = useTradeRows(trades.records);
  const ofPositions = usePositionRows(positions.records);
  const pages: Pages<TableRow> = isByPosition
    ? { ...positions, records: ofPositions }
    : { ...trades, records: ofTrades };

  return (
    <div class="view stack">
      <div class="view-head row">
        <h1>Trades</h1>
        {pages.records.length > 0 && (
          <SaveCsv
            key={`${isByPosition} ${JSON.stringify(filters)}`}
            pages={pages}
            isByPosition={isByPosition}
          />
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

/** Totals of the filtered trades: of the rows if all are loaded, else from the API. */
function useTotals(place: Place, { records, hasMore, isLoading }: Pages<TableRow>) {
  const { me } = useSession();
  const isWhole = !hasMore && !isLoading;
  const canAsk =
    me.key.scopes.includes('analytics:read') &&
    !OF_THE_TABLE.some((name) => place.query[name]);
  const filters = withoutFigureFilters(place.query);
  const { sort: _, order: __, date_field: ___, ...asked } = filters;
  const response = useFigures(
    !isWhole && canAsk ? { ...asked, unit: place.query['unit'] } : null,
    'performance',
    'open',
    'data_quality',
  );
  if (isWhole) return totalsOf(records);

  const sent = response.isLoading ? undefined : response.body;
  return sent && totalsIn(sent.data);
}

function TradeTotals({ place, pages }: { place: Place; pages: Pages<TableRow> }) {
  const { format } = useSession();
  const { records, isLoading } = pages;
  const isByPosition = countsPositions(place);
  const totals = useTotals(place, pages);
  const hidesMoney = records.some(({ net_pnl }) => net_pnl === undefined);
  if (hidesMoney || (records.length === 0 && !isLoading)) return null;
  // An empty line until then, so that the table stays where it is.
  if (!totals || records.length === 0) return <p class="totals">{'\u00a0'}</p>;

  return (
    <p class="totals muted" role="status">
      <strong class={toneOf(totals.net)}>{format.gain(totals.net)}</strong> net in{' '}
      {plural(totals.closed, isByPosition ? 'closed position' : 'closed trade')}
      {totals.winRate !== null && <>, {format.percent(totals.winRate)} won</>}
      {totals.open > 0 && <> · {format.count(totals.open)} open</>}
      {totals.withoutRate > 0 && (
        <> · {format.count(totals.withoutRate)} without an exchange rate, excluded</>
      )}
      {filtersOf(place.query).length > 0 && <> · filtered</>}
    </p>
  );
}

function totalsOf(records: readonly TableRow[]): Totals {
  const closed = records.filter(({ status }) => status === 'closed');
  const counted = closed.filter(({ net_pnl_base }) => net_pnl_base != null);

  return {
    closed: counted.length,
    net: counted.reduce((sum, { net_pnl_base }) => sum + (net_pnl_base ?? 0), 0),
    winRate:
      counted.length === 0
        ? null
        : counted.filter(({ outcome }) => outcome === 'win').length / counted.length,
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

/**
 * Trades in a file: 100 requests, which the default rate limit lets through in a minute.
 */
const MOST = 10_000;

/**
 * Saves all trades of the filters as CSV: loads the pages that are missing, then offers
 * the file.
 */
function SaveCsv({
  pages,
  isByPosition,
}: {
  pages: Pages<TableRow>;
  isByPosition: boolean;
}) {
  const { me, format } = useSession();
  const [isSaving, setSaving] = useState(false);
  const [isCut, setCut] = useState(false);
  const { records, hasMore, failure, isLoading, more } = pages;

  useEffect(() => {
    if (!isSaving || isLoading) return;
    if (failure) {
      // The list itself tries again after a wait, such as that of the rate limit.
      if (failure.retryAfter === null) setSaving(false);
      return;
    }
    if (hasMore && records.length < MOST) return more();

    setSaving(false);
    setCut(hasMore);
    download(
      `${isByPosition ? 'positions' : 'trades'}-${me.user.id}.csv`,
      csvOf(cellsOf(records, isByPosition)),
    );
  });
  return (
    <div class="save-csv">
      {isSaving && (
        <span class="fine" role="status">
          {format.count(records.length)} trades loaded
        </span>
      )}
      {!isSaving && isCut && (
        <span class="fine" role="status">
          The first {format.count(records.length)} trades. For all:{' '}
          <code>journal-api get trades --all --csv</code>
        </span>
      )}
      <button
        type="button"
        class="quiet"
        title={`All trades of these filters (up to ${format.count(MOST)}), with amounts and times as in the API`}
        onClick={() => setSaving(!isSaving)}
      >
        {isSaving ? 'Cancel' : 'Save as CSV'}
      </button>
    </div>
  );
}

/** Columns of the file with positions: those that a group has, too. */
const POSITION_COLUMNS = [
  'id',
  'kind',
  'name',
  'side',
  'status',
  'outcome',
  'executed_at',
  'holding_seconds',
  ...RESULT_FIELDS,
] as const satisfies readonly (keyof TableRow)[];

/** The cells of a file: of trades, all fields of the API that the table asks for. */
function cellsOf(
  rows: readonly TableRow[],
  isByPosition: boolean,
): Record<string, unknown>[] {
  const names = isByPosition ? POSITION_COLUMNS : ['id', ...TRADE_FIELDS];
  return rows.map((row) =>
    Object.fromEntries(names.map((name) => [name, row[name as keyof TableRow]])),
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
