/** Items of the journal: entry, session, review, missed trade. */
import type { ComponentChildren } from 'preact';
import { plural, toneOf, word } from '../format.ts';
import { daysLater } from '../periods.ts';
import { hrefOf } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { JournalRow, MissedTrade, Page, Session, WeeklyReview } from '../types.ts';
import { Attachments, Checks, Labels, Text, Texts } from './journal-parts.tsx';

interface ItemProps {
  kind: string;
  title: ComponentChildren;
  when: string;
  children: ComponentChildren;
}

function Item({ kind, title, when, children }: ItemProps) {
  return (
    <article
      class={`item box item-${kind.toLowerCase().replace(' ', '-')}`}
      tabIndex={-1}
    >
      <header class="row">
        <span class="item-kind">{kind}</span>
        <h3>{title}</h3>
        <span class="item-when fine">{when}</span>
      </header>
      {children}
    </article>
  );
}

/** An entry, from the feed or with its trade. */
type Entry = Omit<JournalRow, 'type' | 'symbol' | 'trade_id' | 'group_id'> &
  Partial<Pick<JournalRow, 'type' | 'symbol' | 'trade_id' | 'group_id'>>;

export function EntryItem({ entry }: { entry: Entry }) {
  const { format } = useSession();
  const about = entry.symbol ?? null;

  return (
    <Item
      kind="Entry"
      when={format.instant(entry.created_at)}
      title={
        <>
          {about !== null &&
            (entry.trade_id ? (
              <a href={hrefOf('trades', {}, entry.trade_id)}>{about}</a>
            ) : (
              <bdi>{about}</bdi>
            ))}
          {about !== null && ' · '}
          <bdi>{entry.title ?? word(entry.phase)}</bdi>
        </>
      }
    >
      {entry.title && <p class="fine">{word(entry.phase)}</p>}
      {entry.body && <Text text={entry.body} />}
      <Texts texts={lessonsOf(entry)} />
      <FollowedPlan isFollowed={entry.followed_plan} />
      <Checks
        title="Rules"
        checks={entry.rules.map(({ rule, followed }) => ({ text: rule, met: followed }))}
      />
      <Labels tags={entry.tags} mistakes={entry.mistakes} emotions={entry.emotions} />
      <Attachments attachments={entry.attachments} />
    </Item>
  );
}

interface EntryListProps {
  /** Null if the key can't read them. */
  entries: readonly Entry[] | null;
  about: string;
}

/** The journal entries about a trade or a group. */
export function EntryList({ entries, about }: EntryListProps) {
  return (
    <section class="entries stack">
      <h2>Journal entries</h2>
      {entries === null && (
        <p class="nothing">This key can't read journal entries (journals:read).</p>
      )}
      {entries?.length === 0 && <p class="nothing">No journal entries for {about}.</p>}
      {entries?.map((entry) => (
        <EntryItem key={entry.id} entry={entry} />
      ))}
    </section>
  );
}

const lessonsOf = ({
  went_well,
  went_wrong,
  lesson,
}: Pick<JournalRow, 'went_well' | 'went_wrong' | 'lesson'>) => ({
  'Went well': went_well,
  'Went wrong': went_wrong,
  Lesson: lesson,
});

function FollowedPlan({ isFollowed }: { isFollowed: boolean | null | undefined }) {
  if (isFollowed == null) return null;
  return (
    <Checks
      title="Plan"
      checks={[{ text: isFollowed ? 'Followed' : 'Not followed', met: isFollowed }]}
    />
  );
}

interface Metrics {
  trades: number;
  realised_pnl: number;
  win_rate: number | null;
  total_r: number | null;
}

function MetricsLine({ metrics }: { metrics: Metrics }) {
  const { format } = useSession();
  const { trades, realised_pnl, win_rate, total_r } = metrics;
  if (trades === 0 && !realised_pnl) return <p class="metrics row muted">No trades</p>;

  return (
    <p class="metrics row muted">
      {/* A key may hide it. */}
      {realised_pnl !== undefined && (
        <strong class={toneOf(realised_pnl)}>{format.gain(realised_pnl)}</strong>
      )}
      <span>{trades === 0 ? 'no trade closed' : plural(trades, 'trade')}</span>
      {trades > 0 && <span>{format.percent(win_rate)} won</span>}
      {total_r !== null && <span>{format.r(total_r)}</span>}
    </p>
  );
}

export function SessionItem({ session }: { session: Session }) {
  const { format } = useSession();
  const { market_context: market, review } = session;
  const mind = [
    session.mood && <bdi>{word(session.mood)}</bdi>,
    session.energy !== null &&
      `${session.mood ? 'energy' : 'Energy'} ${session.energy} of 5`,
    session.sleep_hours !== null && `${format.price(session.sleep_hours)} h of sleep`,
  ].filter((part) => part);
  const context =
    market && [market.bias, market.condition, ...market.news].filter((part) => part);

  return (
    <Item
      kind="Session"
      when={format.day(session.date)}
      title={session.name ?? 'Trading day'}
    >
      <MetricsLine metrics={session.metrics} />
      {mind.length > 0 && (
        <p class="fine">
          {mind.flatMap((part, i) => (i === 0 ? [part] : [' · ', part]))}
        </p>
      )}
      <Texts
        texts={{
          Plan: session.plan,
          Market: context?.join(' · '),
          'Market notes': market?.notes,
          Notes: session.notes,
        }}
      />
      <Checks title="Goals" checks={session.goals} />
      {review && <Texts texts={lessonsOf(review)} />}
      <FollowedPlan isFollowed={review?.followed_plan} />
      <Labels
        tags={session.tags}
        mistakes={review?.mistakes ?? []}
        fields={session.fields}
      />
      <Attachments attachments={session.attachments} />
    </Item>
  );
}

/**
 * The sessions of a day; undefined before they are loaded, and if the key can't read
 * them.
 */
export function useSessionsOf(date: string): readonly Session[] | undefined {
  const mayRead = useSession().me.key.scopes.includes('sessions:read');
  return useResponse<Page<Session>>(mayRead ? 'sessions' : null, {
    start: date,
    end: date,
  }).body?.data;
}

/**
 * The reviews of a week; undefined before they are loaded, and if the key can't read
 * them.
 */
export function useReviewsOf(monday: string): readonly WeeklyReview[] | undefined {
  const mayRead = useSession().me.key.scopes.includes('reviews:read');
  const days = { start: monday, end: daysLater(monday, 6) };
  return useResponse<Page<WeeklyReview>>(mayRead ? 'weekly-reviews' : null, days).body
    ?.data;
}

export function ReviewItem({ review }: { review: WeeklyReview }) {
  const { format } = useSession();
  return (
    <Item
      kind="Review"
      when={`${format.shortDay(review.period_start)} – ${format.date(review.period_end)}`}
      title={review.rating === null ? 'Week' : `Week, rated ${review.rating} out of 5`}
    >
      <MetricsLine metrics={review.metrics} />
      {review.summary && <Text text={review.summary} />}
      <Texts texts={{ ...lessonsOf(review), 'Focus next': review.focus }} />
      <Checks title="Goals" checks={review.goals} />
      <Checks
        title="Goals for the next week"
        checks={review.next_goals?.map((text) => ({ text, met: null }))}
      />
      <Labels mistakes={review.mistakes} fields={review.fields} />
      <Attachments attachments={review.attachments} />
    </Item>
  );
}

const HYPOTHETICAL = {
  would_win: 'would have won',
  would_lose: 'would have lost',
  would_breakeven: 'would have broken even',
  unknown: 'outcome unknown',
} as const;

export function MissedItem({ missed }: { missed: MissedTrade }) {
  const { format } = useSession();
  const outcome = HYPOTHETICAL[missed.hypothetical_outcome];
  const amounts = [
    missed.hypothetical_pnl == null
      ? null
      : format.gain(missed.hypothetical_pnl, missed.currency),
    missed.hypothetical_r === null ? null : format.r(missed.hypothetical_r),
  ].filter((amount) => amount !== null);

  return (
    <Item
      kind="Missed trade"
      when={format.instant(missed.missed_at)}
      title={`${missed.symbol}, ${missed.side}: ${word(missed.miss_type).toLowerCase()}`}
    >
      <p class="metrics row muted">
        <span>{word(outcome)}</span>
        {amounts.map((amount) => (
          <span key={amount}>{amount}</span>
        ))}
      </p>
      {missed.reason && <Text text={missed.reason} />}
      <Texts texts={{ Lesson: missed.lesson, Notes: missed.notes }} />
      <Labels setup={missed.setup} tags={missed.tags} emotions={missed.emotions} />
    </Item>
  );
}
