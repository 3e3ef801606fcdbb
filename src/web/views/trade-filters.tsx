/** Search, outcome, days and order of the table, named as the API names them. */
import { useState } from 'preact/hooks';
import { word } from '../format.ts';
import { go, hrefOf, type Place } from '../router.ts';

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

export function TradeFilters({ place: { query } }: { place: Place }) {
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
