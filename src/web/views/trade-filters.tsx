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
  mistake: 'mistakes',
  tag: 'tags',
  account: 'accounts',
  symbol: 'symbols',
};

/** What of the address is not a filter. */
const NOT_FILTERS = ['sort', 'order', 'date_field'];

/** What is filtered by most; the rest shows when it is wanted. */
const USUAL = ['outcome', 'side', 'underlying', 'setup'];
const OTHERS = ['mistake', 'tag', 'status', 'account', 'symbol'];

export function TradeFilters({ place: { query } }: { place: Place }) {
  const { me } = useSession();
  const knowsLabels = me.endpoints.includes('/v1/labels');
  const labels = useAnswer<{ data: Labels }>(knowsLabels ? 'labels' : null).body?.data;
  const [showsAll, setShowsAll] = useState(OTHERS.some((name) => query[name]));
  const set = (name: string, value: string) => go(hrefOf('trades', { ...query, [name]: value }), { replace: true });
  const isFiltered = Object.keys(query).some((name) => !NOT_FILTERS.includes(name));
  const filter = (name: string) => {
    const props = { name, label: labelOf(name), value: query[name], onSet: set };
    const choices = CHOICES[name];
    if (choices) return <ChoiceFilter key={name} {...props} choices={choices} />;
    return <TextFilter key={name} {...props} offers={labels?.[LABELS[name] ?? '']?.map(({ value }) => value) ?? []} />;
  };
  return (
    <search>
      <form class={showsAll ? 'filters all' : 'filters'} onSubmit={(event) => event.preventDefault()}>
        <TextFilter name="q" label="Search" value={query['q']} onSet={set} />
        {USUAL.map(filter)}
        <DateFilter name="start" label="From" value={query['start']} onSet={set} />
        <DateFilter name="end" label="To" value={query['end']} onSet={set} />
        {showsAll && OTHERS.map(filter)}
        <button type="button" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Fewer filters' : 'More filters'}
        </button>
        {isFiltered && (
          <a class="clear" href={hrefOf('trades', { sort: query['sort'], order: query['order'] })}>
            Clear all
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
}: FilterProps & { choices: (typeof CHOICES)[string] }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onSet(name, event.currentTarget.value)}>
        <option value="">Any</option>
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

/** Sets its filter when it is left, or on Enter. */
function TextFilter({ name, label, value = '', offers = [], onSet }: FilterProps & { offers?: readonly string[] }) {
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
