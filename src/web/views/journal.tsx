/**
 * Entries, sessions, reviews and missed trades in one feed, newest first, with search.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../components/problem.tsx';
import { go, hrefOf, type Place } from '../router.ts';
import { useSession } from '../session.ts';
import type { JournalRow, MissedTrade, Session, WeeklyReview } from '../types.ts';
import { EntryItem, MissedItem, ReviewItem, SessionItem } from './journal-items.tsx';
import { mergedFeed, source, usePages } from './use-pages.ts';

const KINDS = {
  entries: 'Entries',
  sessions: 'Sessions',
  reviews: 'Reviews',
  missed: 'Missed trades',
} as const;
type Kind = keyof typeof KINDS;

const SCOPES: Record<Kind, string> = {
  entries: 'journals:read',
  sessions: 'sessions:read',
  reviews: 'reviews:read',
  missed: 'missed_trades:read',
};

/** Items rendered at first, and again at each end of the feed. */
const STEP = 20;

export function Journal({ place }: { place: Place }) {
  const { q = '' } = place.query;
  const kind = Object.hasOwn(KINDS, place.query['kind'] ?? '')
    ? (place.query['kind'] as Kind)
    : null;

  return (
    <div class="view stack narrow">
      <div class="view-head row">
        <h1>Journal</h1>
        <nav class="segments row no-print" aria-label="Kind">
          <a
            href={hrefOf('journal', { q })}
            aria-current={kind === null ? 'true' : undefined}
          >
            All
          </a>
          {Object.entries(KINDS).map(([name, label]) => (
            <a
              key={name}
              href={hrefOf('journal', { q, kind: name })}
              aria-current={kind === name ? 'true' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      </div>
      <search class="no-print">
        <form
          class="filters row"
          onSubmit={(event) => {
            event.preventDefault();
            const typed = String(new FormData(event.currentTarget).get('q')).trim();
            go(hrefOf('journal', { q: typed, kind }));
          }}
        >
          <label>
            Search
            <input
              type="search"
              name="q"
              defaultValue={q}
              key={q}
              placeholder='all words, or "a phrase"'
              autocomplete="off"
            />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      <Feed key={`${q} ${kind}`} q={q} kind={kind} />
    </div>
  );
}

function Feed({ q, kind }: { q: string; kind: Kind | null }) {
  const { me, format } = useSession();
  const path = (name: Kind, of: string) =>
    (kind === null || kind === name) && me.key.scopes.includes(SCOPES[name]) ? of : null;
  const query = { q, limit: 50 };
  const entries = usePages<JournalRow>(path('entries', 'journal-rows'), query);
  const sessions = usePages<Session>(path('sessions', 'sessions'), query);
  const reviews = usePages<WeeklyReview>(path('reviews', 'weekly-reviews'), query);
  const missed = usePages<MissedTrade>(path('missed', 'missed-trades'), query);
  const [wanted, setWanted] = useState(STEP);
  const sources = [
    source({
      pages: entries,
      dateOf: (row) => format.dayOf(row.created_at),
      draw: (row) => <EntryItem entry={row} />,
    }),
    source({
      pages: sessions,
      dateOf: (row) => row.date,
      draw: (row) => <SessionItem session={row} />,
    }),
    source({
      pages: reviews,
      dateOf: (row) => row.period_end,
      draw: (row) => <ReviewItem review={row} />,
    }),
    source({
      pages: missed,
      dateOf: (row) => format.dayOf(row.missed_at),
      draw: (row) => <MissedItem missed={row} />,
    }),
  ];
  const feed = mergedFeed(sources, wanted);
  const end = useEndInView(() => setWanted(feed.items.length + STEP));

  useEffect(() => {
    if (feed.items.length < wanted) feed.more();
  });
  return (
    <section
      aria-busy={feed.isLoading}
      aria-label="Entries, newest first"
      class="feed stack"
    >
      <h2 class="unseen">Entries, newest first</h2>
      {feed.failure && <Problem failure={feed.failure} />}
      {feed.items.map(({ id, draw }) => (
        <div key={id}>{draw()}</div>
      ))}
      {feed.items.length === 0 && !feed.isLoading && !feed.failure && (
        <p class="nothing">
          {nothingOf(
            q,
            kind === null ? (Object.keys(KINDS) as Kind[]) : [kind],
            me.key.scopes,
          )}
        </p>
      )}
      <div ref={end} class="fine" role="status">
        {feed.isLoading ? 'Loading …' : ''}
      </div>
    </section>
  );
}

/** How to write the first of each kind. */
const FIRST: Record<Kind, string> = {
  entries: 'about a trade of today, or the day, run: journal-api day --edit',
  sessions: 'about today, run: journal-api day --edit',
  reviews: 'about this week, run: journal-api week --edit',
  missed: 'about one of today, under “## Missed trades”, run: journal-api day --edit',
};

/** Why the feed is empty, and what to do. */
function nothingOf(q: string, kinds: readonly Kind[], scopes: readonly string[]): string {
  const withheld = kinds.filter((name) => !scopes.includes(SCOPES[name]));
  const names = withheld.map((name) => KINDS[name].toLowerCase()).join(', ');
  const needed = withheld.map((name) => SCOPES[name]).join(', ');
  const hidden =
    withheld.length === 0 ? '' : ` This key can't read ${names} (${needed}).`;
  if (withheld.length === kinds.length) return hidden.trim();
  if (q) return `No match for “${q}”; search for fewer words.${hidden}`;

  const [kind = 'entries'] = kinds;
  const name = kinds.length === 1 ? KINDS[kind].toLowerCase() : 'entries';
  return `No ${name} yet. To write ${FIRST[kind]}.${hidden}`;
}

/** Calls back near the end of the feed. */
function useEndInView(onEnd: () => void) {
  const end = useRef<HTMLDivElement>(null);
  const call = useRef(onEnd);
  call.current = onEnd;
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && call.current(),
      {
        rootMargin: '800px',
      },
    );
    observer.observe(end.current as HTMLDivElement);
    return () => observer.disconnect();
  }, []);

  return end;
}
