/** The days of a report: their trades, and what was written. */
import type { VNode } from 'preact';
import { type Column, Scroll, Table, useResultColumns } from '../components/table.tsx';
import { type Formats, instrumentName, plural } from '../format.ts';
import { useSession } from '../session.ts';
import type {
  FirstFigures,
  Me,
  MissedTrade,
  Position,
  Session,
  Trade,
  TradeDetail,
  WeeklyReview,
} from '../types.ts';
import { Notes, useDetails } from './day-notes.tsx';
import { MissedItem, ReviewItem, SessionItem } from './journal-items.tsx';
import { Labels } from './journal-parts.tsx';
import {
  POSITION_FIELDS,
  type PositionRecord,
  rowOfPosition,
  type TableRow,
} from './position-rows.ts';
import { useRecords } from './use-pages.ts';

/**
 * Records of each kind in a report, the latest ones. A file of a thousand trades would be
 * 5 MB.
 */
const MOST = 200;

/** More trades and sessions are printed without their texts, which the file has. */
const MOST_ON_PAPER = 80;

/** Records to count those that are left out. */
const MOST_COUNTED = 100_000;

interface ReportDaysProps extends Pick<FirstFigures, 'period'> {
  unit: Me['unit'];
}

export function ReportDays({
  period: { start_date: start, end_date: end },
  unit,
}: ReportDaysProps) {
  const { format } = useSession();
  const days = { start, end };
  const trades = useClosed(unit, days);
  const sessions = useLatest<Session>('sessions', days);
  const reviews = useLatest<WeeklyReview>('weekly-reviews', days);
  const missed = useLatest<MissedTrade>('missed-trades', days);
  const byDay = Map.groupBy(trades.shown, ({ closed_at }) =>
    format.dayOf(closed_at as string),
  );
  const sessionsByDay = Map.groupBy(sessions.shown, ({ date }) => date);
  const dates = [...new Set([...byDay.keys(), ...sessionsByDay.keys()])].sort();
  const leftOut = Object.entries({
    [unit]: trades,
    session: sessions,
    review: reviews,
    'missed trade': missed,
  }).flatMap(([name, { leftOut }]) =>
    leftOut > 0 ? [plural(leftOut, `older ${name}`)] : [],
  );
  // Sheets of paper, not of a book.
  const isForPaper = trades.shown.length + sessions.shown.length <= MOST_ON_PAPER;
  let number = 0;

  return (
    <div class={isForPaper ? 'report-days stack' : 'report-days stack long'}>
      {dates.length > 0 && <h2>Day by day</h2>}
      {!isForPaper && (
        <p class="fine only-print">
          On paper without texts and reviews: the file has them.
        </p>
      )}
      {leftOut.length > 0 && <p class="fine">Left out: {leftOut.join(', ')}.</p>}
      {dates.map((date) => {
        const first = number + 1;
        const closed = byDay.get(date) ?? [];
        number += closed.length;

        return (
          <section key={date} id={date} class="feed stack">
            <h3>{format.longDay(date)}</h3>
            {sessionsByDay.get(date)?.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
            {closed.length > 0 && <DayOfTrades closed={closed} first={first} />}
          </section>
        );
      })}
      <Items
        title="Weekly reviews"
        items={reviews.shown.map((review) => (
          <ReviewItem key={review.id} review={review} />
        ))}
      />
      <Items
        title="Missed trades"
        items={missed.shown.map((one) => <MissedItem key={one.id} missed={one} />)}
      />
    </div>
  );
}

/** The latest records of a list, oldest first, and the number of the others. */
function useLatest<T>(
  path: string,
  query: Readonly<Record<string, string | null>>,
): { records: readonly T[]; shown: T[]; leftOut: number } {
  const { records } = useRecords<T>(path, query, MOST_COUNTED);
  return {
    records,
    shown: records.slice(0, MOST).reverse(),
    leftOut: Math.max(0, records.length - MOST),
  };
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

const RANKED_FIELDS = ['closed_at', 'net_pnl_base', 'r_multiple', 'setup'] as const;

/** What closed on a day: a trade, or a group with its legs. */
export type Closed = Pick<Trade, 'id' | (typeof RANKED_FIELDS)[number]> &
  Partial<PositionRecord & Pick<Position, 'tags'>>;

/** The latest first. */
export function useClosed(
  unit: Me['unit'],
  days: Readonly<Record<string, string | null>>,
) {
  const fields =
    unit === 'trade' ? RANKED_FIELDS : [...POSITION_FIELDS, 'tags', 'fields'];
  return useLatest<Closed>(`${unit}s`, {
    ...days,
    status: 'closed',
    sort: 'closed_at',
    date_field: 'closed_at',
    fields: fields.join(','),
  });
}

function openedIn(format: Formats) {
  return ({ executed_at, has_time }: ReportRow) =>
    has_time ? format.shortInstant(executed_at) : format.tableDay(executed_at);
}

/** A row: a trade, a group, or a leg, which has no number. */
interface ReportRow
  extends Pick<
    TableRow,
    | 'name'
    | 'executed_at'
    | 'has_time'
    | 'holding_seconds'
    | 'side'
    | 'setup'
    | 'r_multiple'
  > {
  number: number | null;
  tags: readonly string[];
  mistakes: readonly string[];
  /** Absent if the key hides texts. */
  fields?: Trade['fields'] | undefined;
  net_pnl: number | null | undefined;
  currency: string;
}

interface Reported {
  number: number;
  row: ReportRow;
  legs: readonly ReportRow[];
  trades: readonly TradeDetail[];
}

export const isGroup = ({ kind = 'trade' }: Closed) => kind !== 'trade';

export const idsOf = (closed: Closed) =>
  isGroup(closed) ? (closed.legs ?? []).map(({ id }) => id) : [closed.id];

/** With what was written about them. */
function useReported(closed: readonly Closed[], first: number): Reported[] {
  const { format } = useSession();
  const { trades: details } = useDetails(closed.flatMap(idsOf));
  const rowOf = (trade: TradeDetail, number: number | null): ReportRow => ({
    ...trade,
    number,
    name: instrumentName(trade, format),
  });

  return closed.flatMap((item, index): Reported[] => {
    const number = first + index;
    const ids = idsOf(item);
    const trades = details.filter(({ id }) => ids.includes(id));
    const [trade] = trades;
    if (!trade) return [];
    if (!isGroup(item)) return [{ number, row: rowOf(trade, number), legs: [], trades }];

    const group = item as PositionRecord & Pick<Position, 'tags' | 'fields'>;
    const row = {
      ...rowOfPosition(group, format),
      number,
      tags: group.tags,
      fields: group.fields,
    };
    return [{ number, row, legs: trades.map((leg) => rowOf(leg, null)), trades }];
  });
}

/**
 * Trades have numbers, never ids: an id may hold the number of an account or a symbol.
 */
function DayOfTrades({ closed, first }: { closed: readonly Closed[]; first: number }) {
  const { format } = useSession();
  const reported = useReported(closed, first);
  const columns: Column<ReportRow>[] = [
    { name: 'Trade', write: ({ number }) => number },
    {
      name: 'Symbol',
      isHeading: true,
      write: ({ name, number }) =>
        number === null ? <span class="leg">{name}</span> : name,
    },
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
    <div class="feed stack">
      <div class="card box">
        <Scroll label={`Trades ${first} to ${first + closed.length - 1}`}>
          <Table
            caption="Trades closed on this day"
            columns={columns}
            rows={reported.flatMap(({ row, legs }) => [row, ...legs])}
          />
        </Scroll>
      </div>
      {reported.map(({ number, row, legs, trades }) => (
        <Notes
          key={number}
          isGroup={legs.length > 0}
          trades={trades}
          heading={
            <h4>
              Trade {number}: <bdi>{row.name}</bdi>
            </h4>
          }
        />
      ))}
    </div>
  );
}
