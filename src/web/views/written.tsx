/** What was written about a day or a week, or how to write it. */
import type { ComponentChildren } from 'preact';
import { Card } from '../components/card.tsx';
import { Loading } from '../components/problem.tsx';
import { filtersOf } from '../filters.ts';
import { nameOfSpan, weekOf } from '../periods.ts';
import type { Place } from '../router.ts';
import { useSession } from '../session.ts';
import type { FirstFigures } from '../types.ts';
import {
  ReviewItem,
  SessionItem,
  useReviewsOf,
  useSessionsOf,
} from './journal-items.tsx';

interface WrittenProps {
  figures: FirstFigures;
  place: Place;
}

/**
 * Of a period of one day or week; nothing for others, and in a report, which lists all.
 */
export function Written({ figures: { period }, place }: WrittenProps) {
  const { isReport } = useSession();
  const monday = useMonday(place);
  const { start_date: first, end_date: last } = period;
  if (isReport || first === null) return null;
  if (first === last) return <SessionOfDay date={first} place={place} />;

  return monday === null ? null : <ReviewOfWeek monday={monday} place={place} />;
}

/** Of a place whose period is a week; else null. */
export function useMonday({ query }: Place): string | null {
  const { format } = useSession();
  return weekOf(query, format.dayOf(new Date().toISOString()));
}

interface OfPlace {
  place: Place;
}

export function SessionOfDay({ date, place }: OfPlace & { date: string }) {
  const sessions = useSessionsOf(date);
  const mayRead = useSession().me.key.scopes.includes('sessions:read');
  return (
    <Card title="Session">
      {sessions?.map((session) => (
        <SessionItem key={session.id} session={session} />
      ))}
      <Unfiltered place={place} about="day" />
      <HowTo
        command={`journal-api day ${date} --edit`}
        about="day"
        isAwaited={sessions === undefined && mayRead}
      >
        {sessions?.length === 0 && (
          <>
            No session yet. A note named {date}.md with one line, such as “Mood: calm”, is
            enough.{' '}
          </>
        )}
      </HowTo>
    </Card>
  );
}

function ReviewOfWeek({ monday, place }: OfPlace & { monday: string }) {
  const reviews = useReviewsOf(monday);
  const mayRead = useSession().me.key.scopes.includes('reviews:read');
  const name = nameOfSpan({ unit: 'week', first: monday });
  return (
    <Card title="Review">
      {reviews?.map((review) => (
        <ReviewItem key={review.id} review={review} />
      ))}
      <Unfiltered place={place} about="week" />
      <HowTo
        command={`journal-api week ${name} --edit`}
        about="week"
        isAwaited={reviews === undefined && mayRead}
      >
        {reviews?.length === 0 && <>No review yet. A note named {name}.md is one. </>}
      </HowTo>
    </Card>
  );
}

/** Sessions and reviews belong to no account, symbol or setup. */
function Unfiltered({ place: { query }, about }: OfPlace & { about: string }) {
  if (filtersOf(query).length === 0) return null;
  return <p class="fine">Of the whole {about}: filters don’t apply here.</p>;
}

interface HowToProps {
  command: string;
  about: string;
  /** Whether the texts above it are still loading: it doesn't move. */
  isAwaited: boolean;
  children: ComponentChildren;
}

function HowTo({ command, about, isAwaited, children }: HowToProps) {
  if (isAwaited) return <Loading lines={5} />;
  return (
    <p class="fine no-print">
      {children}
      To write about this {about}: <code>{command}</code>
    </p>
  );
}
