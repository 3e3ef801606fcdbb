/** Chooses the window; the choice stands in the address. */
import { useState } from 'preact/hooks';
import { go, hrefOf, type Place } from '../router.ts';
import { WINDOWS, windowName } from '../views/windows.ts';

export function WindowPicker({ place, firstDay, lastDay }: { place: Place; firstDay?: string; lastDay?: string }) {
  const name = windowName(place.query);
  const [isChoosing, setChoosing] = useState(name === null);
  return (
    <div class="window-picker">
      <nav class="segments" aria-label="Window">
        {Object.entries(WINDOWS).map(([period, label]) => (
          <a
            key={period}
            href={hrefOf('overview', { period })}
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
          From – to
        </button>
      </nav>
      <button type="button" class="quiet print-button" onClick={() => print()}>
        Print
      </button>
      {isChoosing && <DaysForm place={place} firstDay={firstDay} lastDay={lastDay} />}
    </div>
  );
}

interface DaysFormProps {
  place: Place;
  firstDay: string | undefined;
  lastDay: string | undefined;
}

function DaysForm({ place, firstDay, lastDay }: DaysFormProps) {
  const { start, end } = place.query;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const days = new FormData(event.currentTarget as HTMLFormElement);
    const from = String(days.get('start') ?? '');
    const to = String(days.get('end') ?? '');
    // The wrong way round is still plain what is meant.
    const [first, last] = from && to && from > to ? [to, from] : [from, to];
    go(hrefOf('overview', { start: first, end: last }));
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
