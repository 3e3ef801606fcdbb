/** Picks a period; the choice is in the address. */
import { useState } from 'preact/hooks';
import { carried } from '../filters.ts';
import { useEscape } from '../keys.tsx';
import { PERIODS, periodName, periodsBeside, titleOf } from '../periods.ts';
import { go, hrefOf, type Place } from '../router.ts';
import { useSession } from '../session.ts';

/** The choice of two days, which is no period's name. */
const DAYS = 'days';

interface PeriodPickerProps {
  place: Place;
  firstDay?: string;
  lastDay?: string;
}

/** A menu of the usual periods, between links to the previous and the next period. */
export function PeriodPicker({ place, firstDay, lastDay }: PeriodPickerProps) {
  const name = periodName(place.query);
  const [isChoosing, setChoosing] = useState(false);
  useEscape(isChoosing, () => setChoosing(false));
  const { format } = useSession();
  const kept = carried(place.query);
  const today = format.dayOf(new Date().toISOString());
  const dayOf = (date: string | undefined) => (date ? format.shortDay(date) : '…');
  const { before, after } = periodsBeside(name, today);
  const isUsual = name === null || Object.hasOwn(PERIODS, name);

  const choose = (chosen: string) => {
    setChoosing(chosen === DAYS);
    if (chosen !== DAYS) go(hrefOf('overview', { ...kept, period: chosen }));
  };

  return (
    <div class="period-picker row no-print">
      <nav class="segments row" aria-label="Period">
        <Step to={before} rel="prev" kept={kept} />
        <select
          aria-label="Period"
          value={isChoosing ? DAYS : (name ?? DAYS)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {!isUsual && <option value={name}>{titleOf(name, today, format)}</option>}
          {Object.entries(PERIODS).map(([period, label]) => (
            <option key={period} value={period}>
              {label}
            </option>
          ))}
          <option value={DAYS}>
            {name === null
              ? `${dayOf(place.query['start'])} – ${dayOf(place.query['end'])}`
              : 'From – to'}
          </option>
        </select>
        {name === null && (
          <button
            type="button"
            aria-expanded={isChoosing}
            onClick={() => setChoosing(!isChoosing)}
          >
            Change
          </button>
        )}
        {after !== null && <Step to={after} rel="next" kept={kept} />}
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

interface StepProps {
  /** The name of a period. */
  to: string;
  rel: 'prev' | 'next';
  kept: ReturnType<typeof carried>;
}

function Step({ to, rel, kept }: StepProps) {
  const { format } = useSession();
  const title = titleOf(to, format.dayOf(new Date().toISOString()), format);
  return (
    <a href={hrefOf('overview', { ...kept, period: to })} rel={rel} title={title}>
      <span aria-hidden="true">{rel === 'prev' ? '‹' : '›'}</span>
      <span class="unseen">{title}</span>
    </a>
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
