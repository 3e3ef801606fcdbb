/** The days of a report: their trades, and what was written. */
import type { VNode } from 'preact';
import { type Column, Scroll, Table, useResultColumns } from '../components/table.tsx';
import { type Formats, instrumentName, plural } from '../format.ts';
import { useSession } from '../session.ts';
import type {
  FirstFigures,
  MissedTrade,
  Session,
  Trade,
  TradeDetail,
  WeeklyReview,
} from '../types.ts';
import { EntryItem, MissedItem, ReviewItem, SessionItem } from './journal-items.tsx';
import { Labels, Text } from './journal-parts.tsx';
import { useRecords } from './use-pages.ts';

/** Records of each kind in a report, the latest ones. A file of a thousand trades would be 5 MB. */
const MOST = 200;

/** Records to count those that are left out. */
const MOST_COUNTED = 100_000;

export function ReportDays({
  period: { start_date: start, end_date: end },
}: Pick<FirstFigures, 'period'>) {
  const { format } = useSession();
  const days = { start, end };
  const trades = useLatest<Pick<Trade, 'id' | 'closed_at'>>('trades', {
    ...days,
    status: 'closed',
    sort: 'closed_at',
    date_field: 'closed_at',
    fields: 'closed_at',
  });
  const sessions = useLatest<Session>('sessions', days);
  const reviews = useLatest<WeeklyReview>('weekly-reviews', days);
  const missed = useLatest<MissedTrade>('missed-trades', days);
  const byDay = Map.groupBy(trades.shown, ({ closed_at }) => format.dayOf(closed_at as string));
  const sessionsByDay = Map.groupBy(sessions.shown, ({ date }) => date);
  const dates = [...new Set([...byDay.keys(), ...sessionsByDay.keys()])].sort();
  const leftOut = Object.entries({
    trade: trades,
    session: sessions,
    review: reviews,
    'missed trade': missed,
  }).flatMap(([name, { leftOut }]) => (leftOut > 0 ? [plural(leftOut, `older ${name}`)] : []));
  let number = 0;

  return (
    <>
      {dates.length > 0 && <h2>Day by day</h2>}
      {leftOut.length > 0 && <p class="fine">Left out: {leftOut.join(', ')}.</p>}
      {dates.map((date) => {
        const first = number + 1;
        const ids = (byDay.get(date) ?? []).map(({ id }) => id);
        number += ids.length;

        return (
          <section key={date} id={date} class="feed stack">
            <h3>{format.longDay(date)}</h3>
            {sessionsByDay.get(date)?.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
            {ids.length > 0 && <DayOfTrades ids={ids} first={first} />}
          </section>
        );
      })}
      <Items
        title="Weekly reviews"
        items={reviews.shown.map((review) => <ReviewItem key={review.id} review={review} />)}
      />
      <Items
        title="Missed trades"
        items={missed.shown.map((one) => <MissedItem key={one.id} missed={one} />)}
      />
    </>
  );
}

/** The latest records of a list, oldest first, and the number of the others. */
function useLatest<T>(
  path: string,
  query: Readonly<Record<string, string | null>>,
): { shown: T[]; leftOut: number } {
  const { records } = useRecords<T>(path, query, MOST_COUNTED);
  return { shown: records.slice(0, MOST).reverse(), leftOut: Math.max(0, records.length - MOST) };
}

function Items({ title, items }: { title: string; items: readonly VNode[] }) {
  if (items.length === 0) return null;
  return (
    <section class="feed stack">
      <h2>{title}</h2>
      {items}
    </section>
  );
}

function openedIn(format: Formats) {
  return ({ executed_at, has_time }: TradeDetail) =>
    has_time ? format.shortInstant(executed_at) : format.tableDay(executed_at);
}

/** Trades have numbers, never ids: an id may hold the number of an account or a symbol. */
function DayOfTrades({ ids, first }: { ids: readonly string[]; first: number }) {
  const { api, format } = useSession();
  const trades = ids.flatMap((id, index) => {
    const trade = api.remembered<{ data: TradeDetail }>(`trades/${encodeURIComponent(id)}`)?.data;
    return trade ? [{ number: first + index, trade }] : [];
  });
  const columns: Column<TradeDetail & { number: number }>[] = [
    { name: 'Trade', write: ({ number }) => number },
    { name: 'Symbol', isHeading: true, write: (trade) => instrumentName(trade, format) },
    { name: 'Side', class: 'optional', write: ({ side }) => side },
    { name: 'Opened', class: 'optional', write: openedIn(format) },
    {
      name: 'Held',
      class: 'optional',
      write: ({ holding_seconds }) => format.shortDuration(holding_seconds),
    },
    {
      name: 'Setup',
      write: ({ setup, tags, mistakes, fields }) => (
        <>
          {setup}
          <Labels tags={tags} mistakes={mistakes} fields={fields} />
        </>
      ),
    },
    ...useResultColumns(),
  ];

  return (
    <>
      <div class="card box">
        <Scroll label={`Trades ${first} to ${first + ids.length - 1}`}>
          <Table
            caption="Trades closed on this day"
            columns={columns}
            rows={trades.map(({ number, trade }) => ({ ...trade, number }))}
          />
        </Scroll>
      </div>
      {trades.map(({ number, trade }) => (
        <Written key={number} number={number} trade={trade} />
      ))}
    </>
  );
}

/** Notes and entries of a trade. */
function Written({ number, trade }: { number: number; trade: TradeDetail }) {
  const { format } = useSession();
  const entries = [...(trade.journals ?? []), ...(trade.group_journals ?? [])];
  if (entries.length === 0 && !trade.notes) return null;

  return (
    <section class="feed stack">
      <h4>
        Trade {number}: <bdi>{instrumentName(trade, format)}</bdi>
      </h4>
      {trade.notes && <Text text={trade.notes} />}
      {entries.map((entry) => (
        <EntryItem key={entry.id} entry={entry} />
      ))}
    </section>
  );
}
