/**
 * The filters as chips, and a form that adds one: only these, or without these. The
 * address holds them.
 */
import { useState } from 'preact/hooks';
import {
  DIMENSIONS,
  FIELD,
  type Filter,
  filtersOf,
  GROUP_SIDES,
  isForFigures,
  keysOf,
  nameOf,
  nameOfKey,
  withFilter,
  withoutFilter,
} from '../filters.ts';
import { useEscape } from '../keys.tsx';
import { go, hrefOf, type Place } from '../router.ts';
import { useFigures, useResponse, useSession } from '../session.ts';
import type { Key, Labels } from '../types.ts';

export function FilterBar({ place }: { place: Place }) {
  const [isOpen, setOpen] = useState(false);
  useEscape(isOpen, () => setOpen(false));
  const { query, view } = place;
  const filters = filtersOf(query);
  const isByPosition = query['unit'] === 'position';
  const set = (changed: Readonly<Record<string, string | undefined>>) =>
    go(hrefOf(view, changed), { replace: true });

  return (
    <search class="filter-bar stack" aria-label="Filters">
      <ul class="chips row">
        {filters.map((filter) => (
          <Chip
            key={`${filter.dimension} ${filter.isWithout} ${filter.key}`}
            filter={filter}
            isIdle={view === 'trades' && isForFigures(filter)}
            onRemove={() => set(withoutFilter(query, filter))}
          />
        ))}
        <li>
          <button
            type="button"
            class="chip-button no-print"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            Filter
          </button>
        </li>
        {view === 'overview' && (
          <li>
            <button
              type="button"
              class="chip-button no-print"
              aria-pressed={isByPosition}
              title="Count the legs of a group as one trade"
              onClick={() =>
                set(isByPosition ? byTrade(query) : { ...query, unit: 'position' })
              }
            >
              By position
            </button>
          </li>
        )}
        {filters.length > 1 && (
          <li>
            <a class="no-print" href={hrefOf(view, { ...query, ...NO_FILTERS })}>
              Clear filters
            </a>
          </li>
        )}
      </ul>
      {isOpen && (
        <FilterForm
          view={view}
          isByPosition={isByPosition}
          onAdd={(filter) => {
            set(withFilter(query, filter));
            setOpen(false);
          }}
        />
      )}
    </search>
  );
}

/** Without the sides that no single trade has, which the API refuses. */
function byTrade(query: Place['query']): Readonly<Record<string, string | undefined>> {
  const all: Readonly<Record<string, string | undefined>> = { ...query, unit: 'trade' };
  return filtersOf(query)
    .filter(({ dimension, key }) => dimension === 'side' && GROUP_SIDES.includes(key))
    .reduce(withoutFilter, all);
}

const NO_FILTERS = Object.fromEntries(
  [...Object.keys(DIMENSIONS), 'where', 'exclude'].map((name) => [name, undefined]),
);

interface ChipProps {
  filter: Filter;
  /** True if this view can't apply it. */
  isIdle: boolean;
  onRemove: () => void;
}

function Chip({ filter, isIdle, onRemove }: ChipProps) {
  const { format } = useSession();
  const { dimension, key, isWithout } = filter;

  return (
    <li class={`chip ${isWithout ? 'chip-without' : ''} ${isIdle ? 'muted' : ''}`}>
      <span>
        {isWithout ? 'without ' : ''}
        {nameOf(dimension)}: <bdi>{nameOfKey(dimension, key, format)}</bdi>
        {isIdle && ' (figures only)'}
      </span>
      <button type="button" class="quiet no-print" onClick={onRemove}>
        <span aria-hidden="true">×</span>
        <span class="unseen">Remove this filter</span>
      </button>
    </li>
  );
}

interface FilterFormProps {
  view: Place['view'];
  isByPosition: boolean;
  onAdd: (filter: Filter) => void;
}

function FilterForm({ view, isByPosition, onAdd }: FilterFormProps) {
  const { me } = useSession();
  const [dimension, setDimension] = useState('setup');
  const labels = useResponse<{ data: Labels }>(
    me.endpoints.includes('/v1/labels') ? 'labels' : null,
  ).body?.data;
  const keys = keysOf(dimension);
  const offers = useOffers(dimension, labels);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement, event.submitter);
    const typed = String(form.get('key') ?? '').trim();
    if (typed === '') return;
    // The option's value is the index of its key: keys may be numbers, booleans or null.
    const key: Key = keys ? (keys[Number(typed)] ?? null) : typed;
    onAdd({ dimension, key, isWithout: form.get('how') === 'without' });
  };

  return (
    <form class="filters filter-form row no-print" onSubmit={submit}>
      <label>
        Filter by
        <select
          value={dimension}
          onChange={(event) => setDimension(event.currentTarget.value)}
        >
          {Object.entries(DIMENSIONS).map(([name, { name: shown }]) => (
            <option key={name} value={name}>
              {shown}
            </option>
          ))}
          {(labels?.fields ?? []).map(({ value }) => (
            <option key={value} value={FIELD + value}>
              {value}
            </option>
          ))}
        </select>
      </label>
      {keys ? (
        <KeyChoice
          key={dimension}
          dimension={dimension}
          keys={keys}
          isByPosition={isByPosition}
        />
      ) : (
        <label key={dimension}>
          Is
          <input name="key" list="filter-offers" autocomplete="off" required />
        </label>
      )}
      <datalist id="filter-offers">
        {offers.map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
      <button type="submit" name="how" value="only">
        Only these
      </button>
      {view === 'overview' && (
        <button type="submit" name="how" value="without">
          Without these
        </button>
      )}
    </form>
  );
}

/**
 * Keys of a dimension without a fixed list: labels, or the keys of the groups of all
 * trades.
 */
function useOffers(dimension: string, labels: Labels | undefined): string[] {
  const { me } = useSession();
  const { labels: list, endings = [''] } = DIMENSIONS[dimension] ?? {};
  const mayGroup =
    !keysOf(dimension) && !list && me.endpoints.includes('/v1/analytics/summary');
  const groups = useFigures(mayGroup ? { group_by: dimension } : null, 'groups').body
    ?.data.groups;
  if (list)
    return (labels?.[list] ?? []).flatMap(({ value }) =>
      endings.map((ending) => value + ending),
    );

  return (groups ?? []).flatMap(
    ({ by }) => ((by as Record<string, Key>)[dimension] ?? []) as string | never[],
  );
}

interface KeyChoiceProps {
  dimension: string;
  keys: readonly Key[];
  isByPosition: boolean;
}

/** A choice of keys; the value of an option is the index of its key. */
function KeyChoice({ dimension, keys, isByPosition }: KeyChoiceProps) {
  const { format } = useSession();

  return (
    <label>
      Is
      <select name="key">
        {keys.map((key, place) =>
          !isByPosition && GROUP_SIDES.includes(key) ? null : (
            <option key={String(key)} value={String(place)}>
              {nameOfKey(dimension, key, format)}
            </option>
          ),
        )}
      </select>
    </label>
  );
}
