/** Picks a period; the choice is in the address. */
import { useState } from 'preact/hooks';
import { carried } from '../filters.ts';
import { PERIODS, periodName, periodsBeside, titleOf } from '../periods.ts';
import { go, hrefOf, type Place } from '../router.ts';
import { useSession } from '../session.ts';

export function PeriodPicker({
  place,
  firstDay,
  lastDay,
}: {
  place: Place;
  firstDay?: string;
  lastDay?: string;
}) {
  const name = periodName(place.query);
  const [isChoosing, setChoosing] = useState(false);
  const { format } = useSession();
  const kept = carried(place.query);
  const today = format.dayOf(new Date().toISOString());
  const dayOf = (date: string | undefined) => (date ? format.shortDay(date) : '…');
  const { before, after } = periodsBeside(name, today);

  const step = (period: string, arrow: string) => (
    <a
      href={hrefOf('overview', { ...kept, period })}
      title={titleOf(period, today, format)}
    >
      <span aria-hidden="true">{arrow}</span>
      <span class="unseen">{titleOf(period, today, format)}</span>
    </a>
  );

  return (
    <div class="period-picker row no-print">
      <nav class="segments row" aria-label="Period">
        {step(before, '‹')}
        {name !== null && !Object.hasOwn(PERIODS, name) && (
          <a href={hrefOf('overview', place.query)} aria-current="true">
            {titleOf(name, today, format)}
          </a>
        )}
        {after !== null && step(after, '›')}
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
          {name === null
            ? `${dayOf(place.query['start'])} – ${dayOf(place.query['end'])}`
            : 'From – to'}
        </button>
      </nav>
      <button type="button" class="quiet print-button" onClick={() => print()}>
        Print
      </button>
      {isChoosing && (
        <DaysForm
          place={place}
          firstDay={firstDay}
          lastDay={lastDay}
          onChosen={() => setChoosing(false)}
        />
      )}
    </div>
  );
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
    <form class="days-form row box" onSubmit={submit}>
      <label>
        From{' '}
        <input
          type="date"
          name="start"
          defaultValue={start ?? ''}
          min={firstDay}
          max={lastDay}
        />
      </label>
      <label>
        to <input type="date" name="end" defaultValue={end ?? ''} min={firstDay} />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}
