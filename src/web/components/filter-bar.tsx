/**
 * The filters as chips, and a form that adds one: only these, or without these. The address holds
 * them.
 */
import { useState } from 'preact/hooks';
import {
  DIMENSIONS,
  FIELD,
  type Filter,
  filtersOf,
  isForFigures,
  type Key,
  keysOf,
  nameOf,
  nameOfKey,
  OF_POSITIONS,
  withFilter,
  withoutFilter,
} from '../filters.ts';
import { go, hrefOf, type Place } from '../router.ts';
import { useFigures, useResponse, useSession, useUnit } from '../session.ts';
import type { Labels } from '../types.ts';

export function FilterBar({ place }: { place: Place }) {
  const [isOpen, setOpen] = useState(false);
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
              onClick={() => set({ ...query, unit: isByPosition ? 'trade' : 'position' })}
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
          onAdd={(filter) => {
            set(withFilter(query, filter));
            setOpen(false);
          }}
        />
      )}
    </search>
  );
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

function FilterForm({
  view,
  onAdd,
}: {
  view: Place['view'];
  onAdd: (filter: Filter) => void;
}) {
  const { me, format } = useSession();
  const unit = useUnit();
  const [dimension, setDimension] = useState('setup');
  const labels = useResponse<{ data: Labels }>(
    me.endpoints.includes('/v1/labels') ? 'labels' : null,
  ).body?.data;
  const { labels: list, endings = [''] } = DIMENSIONS[dimension] ?? {};
  const keys = keysOf(dimension);
  // Without a list of labels, the keys come from the groups of all trades.
  const mayGroup = !keys && !list && me.endpoints.includes('/v1/analytics/summary');
  const groups = useFigures(mayGroup ? { group_by: dimension } : null, 'groups').body
    ?.data.groups;
  const offers = list
    ? (labels?.[list] ?? []).flatMap(({ value }) =>
        endings.map((ending) => value + ending),
      )
    : (groups ?? []).flatMap(
        ({ by }) => ((by as Record<string, Key>)[dimension] ?? []) as string | never[],
      );

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
        <label key={dimension}>
          Is
          <select name="key">
            {keys.map((key, place) =>
              unit === 'trade' && OF_POSITIONS.includes(key) ? null : (
                <option key={String(key)} value={String(place)}>
                  {nameOfKey(dimension, key, format)}
                </option>
              ),
            )}
          </select>
        </label>
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
