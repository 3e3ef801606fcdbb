/** The filters of the table, named as the API names them. Labels that the journal uses are offered. */
import { useState } from 'preact/hooks';
import { go, hrefOf, type Place } from '../router.ts';
import { useAnswer, useSession } from '../session.ts';
import type { Labels } from '../types.ts';

/** Filters that take one of a few values: first what is shown, then the value. */
const CHOICES: Record<string, readonly (readonly [label: string, value: string])[]> = {
  side: [
    ['Long', 'long'],
    ['Short', 'short'],
  ],
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

/** Filters that take a label, and the list of labels it is one of. */
const LABELS: Record<string, string> = {
  underlying: 'underlyings',
  setup: 'setups',
  tag: 'tags',
  mistake: 'mistakes',
  account: 'accounts',
};

/** What of the address is not a filter. */
const NOT_FILTERS = ['sort', 'order', 'date_field'];

export function TradeFilters({ place: { query } }: { place: Place }) {
  const { me } = useSession();
  const knowsLabels = me.endpoints.includes('/v1/labels');
  const labels = useAnswer<{ data: Labels }>(knowsLabels ? 'labels' : null).body?.data;
  const set = (name: string, value: string) => go(hrefOf('trades', { ...query, [name]: value }), { replace: true });
  const isFiltered = Object.keys(query).some((name) => !NOT_FILTERS.includes(name));
  return (
    <search>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter name="q" label="Search" value={query['q']} onSet={set} />
        {Object.entries(CHOICES).map(([name, choices]) => (
          <label key={name}>
            {labelOf(name)}
            <select value={query[name] ?? ''} onChange={(event) => set(name, event.currentTarget.value)}>
              <option value="">Any</option>
              {choices.map(([label, value]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ))}
        {Object.entries(LABELS).map(([name, list]) => (
          <TextFilter
            key={name}
            name={name}
            label={labelOf(name)}
            value={query[name]}
            offers={labels?.[list]?.map(({ value }) => value) ?? []}
            onSet={set}
          />
        ))}
        {query['symbol'] && <TextFilter name="symbol" label="Symbol" value={query['symbol']} onSet={set} />}
        {(['start', 'end'] as const).map((name) => (
          <label key={name}>
            {name === 'start' ? 'From' : 'To'}
            <input type="date" value={query[name] ?? ''} onChange={(event) => set(name, event.currentTarget.value)} />
          </label>
        ))}
        {isFiltered && (
          <a class="clear" href={hrefOf('trades', { sort: query['sort'], order: query['order'] })}>
            Clear all
          </a>
        )}
      </form>
    </search>
  );
}

interface TextFilterProps {
  name: string;
  label: string;
  value: string | undefined;
  offers?: readonly string[];
  onSet: (name: string, value: string) => void;
}

/** Sets its filter when it is left, or on Enter. */
function TextFilter({ name, label, value = '', offers = [], onSet }: TextFilterProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const settle = () => {
    if (typed !== null && typed.trim() !== value) onSet(name, typed.trim());
    setTyped(null);
  };
  return (
    <label>
      {label}
      <input
        type={name === 'q' ? 'search' : 'text'}
        name={name}
        value={typed ?? value}
        list={offers.length > 0 ? `offers-${name}` : undefined}
        placeholder={name === 'q' ? 'notes, tags, symbols …' : 'Any'}
        autocomplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={settle}
        onKeyDown={(event) => event.key === 'Enter' && settle()}
      />
      {offers.length > 0 && (
        <datalist id={`offers-${name}`}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
    </label>
  );
}

function labelOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
