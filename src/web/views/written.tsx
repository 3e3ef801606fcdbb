/** What was written about a day or a week, or how to write it. */
import type { ComponentChildren } from 'preact';
import { Card } from '../components/card.tsx';
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

/** Of a period of one day or week; nothing for others, and in a report, which lists all. */
export function Written({ figures: { period }, place }: WrittenProps) {
  const { format, isReport } = useSession();
  const { start_date: first, end_date: last } = period;
  if (isReport || first === null) return null;
  if (first === last) return <SessionOfDay date={first} />;

  const monday = weekOf(place.query, format.dayOf(new Date().toISOString()));
  return monday === null ? null : <ReviewOfWeek monday={monday} />;
}

export function SessionOfDay({ date }: { date: string }) {
  const sessions = useSessionsOf(date);
  return (
    <Card title="Session">
      {sessions?.map((session) => (
        <SessionItem key={session.id} session={session} />
      ))}
      <HowTo command={`journal-api day ${date} --edit`} about="day">
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

function ReviewOfWeek({ monday }: { monday: string }) {
  const reviews = useReviewsOf(monday);
  const name = nameOfSpan({ unit: 'week', first: monday });
  return (
    <Card title="Review">
      {reviews?.map((review) => (
        <ReviewItem key={review.id} review={review} />
      ))}
      <HowTo command={`journal-api week ${name} --edit`} about="week">
        {reviews?.length === 0 && <>No review yet. A note named {name}.md is one. </>}
      </HowTo>
    </Card>
  );
}

interface HowToProps {
  command: string;
  about: string;
  children: ComponentChildren;
}

function HowTo({ command, about, children }: HowToProps) {
  return (
    <p class="fine no-print">
      {children}
      To write about this {about}: <code>{command}</code>
    </p>
  );
}
