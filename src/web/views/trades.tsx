/** The table of trades, sorted and filtered by the API as the address states. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { FilterBar } from '../components/filter-bar.tsx';
import { Problem } from '../components/problem.tsx';
import { filtersOf, withoutFigureFilters } from '../filters.ts';
import { plural, toneOf, word } from '../format.ts';
import { go, hrefOf, type Place } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { Analytics } from '../types.ts';
import { csvOf } from './trade-csv.ts';
import { FIELDS, type TradeRecord, TradeTable } from './trade-table.tsx';
import { type Pages, usePages } from './use-pages.ts';

// Search, outcome, days and order of the table, named as the API names them.

/** Filters with a few values: label, then value. */
const CHOICES: Record<string, readonly (readonly [label: string, value: string])[]> = {
  outcome: [
    ['Wins', 'win'],
    ['Losses', 'loss'],
    ['Breakevens', 'breakeven'],
  ],
  status: [
    ['Open', 'open'],
    ['Closed', 'closed'],
  ],
};

/** Sort fields, named as the table's columns: for narrow screens, which have fewer columns. */
const SORTS: readonly (readonly [label: string, value: string])[] = [
  ['Opened', 'executed_at'],
  ['Closed', 'closed_at'],
  ['Net P&L', 'net_pnl_base'],
  ['R', 'r_multiple'],
  ['Held', 'holding_seconds'],
];

const OWN = ['q', 'outcome', 'status', 'start', 'end'];

function TradeFilters({ place: { query } }: { place: Place }) {
  const set = (name: string, value: string) => go(hrefOf('trades', { ...query, [name]: value }), { replace: true });
  const isFiltered = OWN.some((name) => query[name]);
  return (
    <search aria-label="Search and sort">
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter name="q" label="Search" value={query['q']} onSet={set} />
        {Object.entries(CHOICES).map(([name, choices]) => (
          <ChoiceFilter
            key={name}
            name={name}
            label={word(name)}
            value={query[name]}
            onSet={set}
            choices={[['Any', ''], ...choices]}
          />
        ))}
        <DateFilter name="start" label="From" value={query['start']} onSet={set} />
        <DateFilter name="end" label="To" value={query['end']} onSet={set} />
        <div class="sort-by">
          <ChoiceFilter
            name="sort"
            label="Sort by"
            value={query['sort'] ?? 'executed_at'}
            onSet={set}
            choices={SORTS}
          />
          <ChoiceFilter
            name="order"
            label="Order"
            value={query['order'] ?? 'desc'}
            onSet={set}
            choices={[
              ['Highest first', 'desc'],
              ['Lowest first', 'asc'],
            ]}
          />
        </div>
        {isFiltered && (
          <a
            class="clear"
            href={hrefOf('trades', { ...query, ...Object.fromEntries(OWN.map((name) => [name, undefined])) })}
          >
            Clear search
          </a>
        )}
      </form>
    </search>
  );
}

interface FilterProps {
  name: string;
  label: string;
  value: string | undefined;
  onSet: (name: string, value: string) => void;
}

function ChoiceFilter({
  name,
  label,
  value = '',
  choices,
  onSet,
}: FilterProps & { choices: readonly (readonly [label: string, value: string])[] }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onSet(name, event.currentTarget.value)}>
        {choices.map(([shown, choice]) => (
          <option key={choice} value={choice}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

function DateFilter({ name, label, value = '', onSet }: FilterProps) {
  return (
    <label>
      {label}
      <input type="date" value={value} onChange={(event) => onSet(name, event.currentTarget.value)} />
    </label>
  );
}

/** Sets its filter on blur or Enter. */
function TextFilter({ name, label, value = '', onSet }: FilterProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const settle = () => {
    if (typed !== null && typed.trim() !== value) onSet(name, typed.trim());
    setTyped(null);
  };
  return (
    <label>
      {label}
      <input
        type="search"
        name={name}
        value={typed ?? value}
        placeholder="notes, tags, symbols …"
        autocomplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={settle}
        onKeyDown={(event) => event.key === 'Enter' && settle()}
      />
    </label>
  );
}

// Totals of the filtered trades: of the rows if all are loaded, else from the API.

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

function TradeTotals({ place, pages }: { place: Place; pages: Pages<TradeRecord> }) {
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

// Saves all trades of the filters as CSV: loads the pages that are missing, then offers the file.

/** Trades in a file: 100 requests, which the default rate limit lets through in a minute. */
const MOST = 10_000;

function SaveCsv({ pages }: { pages: Pages<TradeRecord> }) {
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
    download(`trades-${me.user.id}.csv`, csvOf(records));
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
          The first {format.count(records.length)} trades. For all: <code>journal-api get trades --all --csv</code>
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

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

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
