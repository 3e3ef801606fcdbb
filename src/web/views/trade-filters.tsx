/** Search, outcome, days and order of the table, named as the API names them. */
import { useState } from 'preact/hooks';
import { useEscape } from '../keys.tsx';
import { go, hrefOf, type Place } from '../router.ts';
import type { Trade } from '../types.ts';

/** Label, then value. */
type Choices<Value extends string = string> = readonly (readonly [
  label: string,
  value: Value,
])[];

const OUTCOMES: Choices<NonNullable<Trade['outcome']>> = [
  ['Wins', 'win'],
  ['Losses', 'loss'],
  ['Breakevens', 'breakeven'],
];

const STATUSES: Choices<Trade['status']> = [
  ['Open', 'open'],
  ['Closed', 'closed'],
];

const ORDERS: Choices = [
  ['Highest first', 'desc'],
  ['Lowest first', 'asc'],
];

/**
 * Sort fields, named as the table's columns: for narrow screens, which have fewer
 * columns.
 */
const SORTS: Choices<keyof Trade> = [
  ['Opened', 'executed_at'],
  ['Closed', 'closed_at'],
  ['Net P&L', 'net_pnl_base'],
  ['R', 'r_multiple'],
  ['Held', 'holding_seconds'],
];

const OWN = ['q', 'outcome', 'status', 'start', 'end'];

export function TradeFilters({ place: { query } }: { place: Place }) {
  const set = (name: string, value: string) =>
    go(hrefOf('trades', { ...query, [name]: value }), { replace: true });
  const choice = (name: string, label: string, choices: Choices, byDefault = '') => (
    <label>
      {label}
      <select
        value={query[name] ?? byDefault}
        onChange={(event) => set(name, event.currentTarget.value)}
      >
        {choices.map(([shown, value]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );

  const date = (name: string, label: string) => (
    <label>
      {label}
      <input
        type="date"
        value={query[name] ?? ''}
        onChange={(event) => set(name, event.currentTarget.value)}
      />
    </label>
  );

  const count = OWN.filter((name) => query[name]).length;
  const [isOpen, setOpen] = useState(false);
  useEscape(isOpen, () => setOpen(false));

  return (
    <search class="no-print" aria-label="Search and sort">
      <form
        class={`filters row ${isOpen ? '' : 'folded'}`}
        onSubmit={(event) => event.preventDefault()}
      >
        <TextFilter value={query['q'] ?? ''} onSet={(value) => set('q', value)} />
        <button
          type="button"
          class="more-filters"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Sort and filter{count > 0 && ` (${count})`}
        </button>
        {choice('outcome', 'Outcome', [['Any', ''], ...OUTCOMES])}
        {choice('status', 'Status', [['Any', ''], ...STATUSES])}
        {date('start', 'From')}
        {date('end', 'To')}
        <div class="sort-by">
          {choice('sort', 'Sort by', SORTS, 'executed_at')}
          {choice('order', 'Order', ORDERS, 'desc')}
        </div>
        {count > 0 && (
          <a
            class="clear"
            href={hrefOf('trades', {
              ...query,
              ...Object.fromEntries(OWN.map((name) => [name, undefined])),
            })}
          >
            Clear search
          </a>
        )}
      </form>
    </search>
  );
}

/** Sets its filter on blur or Enter. */
function TextFilter({ value, onSet }: { value: string; onSet: (value: string) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const settle = () => {
    if (typed !== null && typed.trim() !== value) onSet(typed.trim());
    setTyped(null);
  };

  return (
    <label>
      Search
      <input
        type="search"
        name="q"
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
