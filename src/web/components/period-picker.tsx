/** The periods on offer, and their picker; the choice is in the address. */
import { useState } from 'preact/hooks';
import { carried } from '../filters.ts';
import type { Formats } from '../format.ts';
import { go, hrefOf, type Place } from '../router.ts';
import { useSession } from '../session.ts';

export function PeriodPicker({ place, firstDay, lastDay }: { place: Place; firstDay?: string; lastDay?: string }) {
  const name = periodName(place.query);
  const [isChoosing, setChoosing] = useState(false);
  const { format } = useSession();
  const kept = carried(place.query);
  const { before, after } = monthsBeside(place.query, format.dayOf(new Date().toISOString()));
  const month = (period: string, arrow: string) => (
    <a href={hrefOf('overview', { ...kept, period })} title={format.month(`${period}-01`)}>
      <span aria-hidden="true">{arrow}</span>
      <span class="unseen">{format.month(`${period}-01`)}</span>
    </a>
  );
  return (
    <div class="period-picker">
      <nav class="segments" aria-label="Period">
        {month(before, '‹')}
        {name !== null && !Object.hasOwn(PERIODS, name) && (
          <a href={hrefOf('overview', place.query)} aria-current="true">
            {/^\d{4}-\d\d$/.test(name) ? format.monthAndYear(`${name}-01`) : name}
          </a>
        )}
        {after !== null && month(after, '›')}
        {Object.entries(PERIODS).map(([period, label]) => (
          <a
            key={period}
            href={hrefOf('overview', { ...kept, period })}
            aria-current={period === name ? 'true' : undefined}
            onClick={() => setChoosing(false)}
          >
            {label}
          </a>
        ))}
        <button
          type="button"
          aria-expanded={isChoosing}
          aria-pressed={name === null}
          onClick={() => setChoosing(!isChoosing)}
        >
          {name === null ? daysOf(place, format) : 'From – to'}
        </button>
      </nav>
      <button type="button" class="quiet print-button" onClick={() => print()}>
        Print
      </button>
      {isChoosing && (
        <DaysForm place={place} firstDay={firstDay} lastDay={lastDay} onChosen={() => setChoosing(false)} />
      )}
    </div>
  );
}

function daysOf({ query: { start, end } }: Place, format: Formats): string {
  return `${start ? format.shortDay(start) : '…'} – ${end ? format.shortDay(end) : '…'}`;
}

interface DaysFormProps {
  place: Place;
  firstDay: string | undefined;
  lastDay: string | undefined;
  onChosen: () => void;
}

function DaysForm({ place, firstDay, lastDay, onChosen }: DaysFormProps) {
  const { start, end } = place.query;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const days = new FormData(event.currentTarget as HTMLFormElement);
    const from = String(days.get('start') ?? '');
    const to = String(days.get('end') ?? '');
    // Swapped days are put in order.
    const [first, last] = from && to && from > to ? [to, from] : [from, to];
    go(hrefOf('overview', { ...carried(place.query), start: first, end: last }));
    onChosen();
  };
  return (
    <form class="days-form" onSubmit={submit}>
      <label>
        From <input type="date" name="start" defaultValue={start ?? ''} min={firstDay} max={lastDay} />
      </label>
      <label>
        to <input type="date" name="end" defaultValue={end ?? ''} min={firstDay} />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

/** The periods on offer, as in the address and in API requests. */
const PERIODS = {
  today: 'Today',
  this_week: 'This week',
  this_month: 'This month',
  last_month: 'Last month',
  '30d': '30 days',
  '90d': '90 days',
  this_year: 'This year',
  all: 'All',
} as const;

const DEFAULT_PERIOD = '90d';

type PlaceQuery = Readonly<Record<string, string>>;

/** One of the names above, or a month such as 2026-10; null if the address has days of its own. */
export function periodName({ period, start, end }: PlaceQuery): string | null {
  if (start || end) return null;
  return period ?? DEFAULT_PERIOD;
}

/** The part of a place's query that names the period. */
export function periodQuery({ period, start, end }: PlaceQuery): Record<string, string | undefined> {
  return { period, start, end };
}

/** The API's parameters for it. */
export function apiPeriod(query: PlaceQuery): Record<string, string | undefined> {
  const name = periodName(query);
  if (name === null) return { start: query['start'], end: query['end'] };
  return name === 'all' ? {} : { period: name };
}

/** The month of a period, such as 2026-10; else null. @param today 2026-11-20 */
function monthOf(name: string | null, today: string): string | null {
  if (name === 'this_month') return today.slice(0, 7);
  if (name === 'last_month') return monthBeside(today.slice(0, 7), -1);
  return name !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(name) ? name : null;
}

/** The months before and after the period's month; for any other period, this month. None begins after today. */
function monthsBeside(query: PlaceQuery, today: string): { before: string; after: string | null } {
  const current = monthOf(periodName(query), today);
  const thisMonth = today.slice(0, 7);
  if (current === null) return { before: thisMonth, after: null };
  const after = monthBeside(current, 1);
  return { before: monthBeside(current, -1), after: after > thisMonth ? null : after };
}

function monthBeside(month: string, step: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + step)).toISOString().slice(0, 7);
}
