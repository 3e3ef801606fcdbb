/** A period of one day: its curve by trade, its session, and its trades or positions. */
import { Card } from '../components/card.tsx';
import { Loading, Problem } from '../components/problem.tsx';
import { Scroll, Table, useResultColumns } from '../components/table.tsx';
import { carried, closedTradesOf, type Key } from '../filters.ts';
import { INSTRUMENT_FIELDS, instrumentName } from '../format.ts';
import { dailySteps, EquityCurve, tradeSteps } from '../pictures/equity-curve.tsx';
import { useResults } from '../results.ts';
import { hrefOf, type Place } from '../router.ts';
import { useFigures, useSession, useUnit } from '../session.ts';
import type { Analytics, FirstFigures, Trade } from '../types.ts';
import { SessionItem, useSessionsOf } from './journal-items.tsx';
import { useRecords } from './use-pages.ts';

const FIELDS = [
  ...INSTRUMENT_FIELDS,
  ...([
    'side',
    'setup',
    'closed_at',
    'has_time',
    'currency',
    'net_pnl',
    'net_pnl_base',
    'r_multiple',
    'group_id',
  ] as const),
] as const;

/** Trades of a day in its curve and its list; the table of trades has the others. */
const MOST = 500;

type DayTrade = Pick<Trade, 'id' | (typeof FIELDS)[number]>;

interface DayProps {
  date: string;
  figures: FirstFigures;
  place: Place;
}

/** The curve and the session, side by side. */
export function Day({ date, figures: { daily }, place }: DayProps) {
  const { format, me, isReport } = useSession();
  const query = { ...closedTradesOf(place.query, date, date), where: place.query['where'] };
  const { records, isCut } = useRecords<DayTrade>(
    me.key.scopes.includes('trades:read') ? 'trades' : null,
    { ...query, status: 'closed', sort: 'closed_at', order: 'asc', fields: FIELDS.join(',') },
    MOST,
  );
  const results = useResults();
  const unit = useUnit();
  // Of positions and without some trades, only the figures of the whole day are known.
  const isByTrade = records.length > 0 && !isCut && unit === 'trade' && !place.query['exclude'];
  const steps = isByTrade
    ? tradeSteps(records, format, results)
    : dailySteps(daily, format, results);

  return (
    <>
      <div class="grid stack first">
        <Card title={isByTrade ? 'Equity curve, by trade' : 'Equity curve'}>
          <EquityCurve steps={steps} by={isByTrade ? 'trade' : 'day'} />
        </Card>
        {!isReport && <SessionOfDay date={date} />}
      </div>
      {/* A report lists them day by day. */}
      {!isReport && (
        <DayTrades records={records} isCut={isCut} place={place} all={hrefOf('trades', query)} />
      )}
    </>
  );
}

/** What was written about the day, or how to write it. */
function SessionOfDay({ date }: { date: string }) {
  const sessions = useSessionsOf(date);
  return (
    <Card title="Session">
      {sessions?.map((session) => (
        <SessionItem key={session.id} session={session} />
      ))}
      <p class="fine no-print">
        {sessions?.length === 0 && (
          <>
            No session yet. A note named {date}.md with one line, such as “Mood: calm”, is enough.{' '}
          </>
        )}
        To write about this day: <code>journal-api day {date} --edit</code>
      </p>
    </Card>
  );
}

interface DayTradesProps {
  records: readonly DayTrade[];
  isCut: boolean;
  place: Place;
  /** The same in the table of trades. */
  all: string;
}

/** A trade, or the trades of a group as one position. */
interface Line extends Pick<Trade, 'r_multiple' | 'net_pnl'> {
  closed?: string;
  name: string;
  href: string;
  side?: string;
  setup?: string | null;
  currency?: string;
}

function DayTrades({ records, isCut, place, all }: DayTradesProps) {
  const { format } = useSession();
  const isByPosition = useUnit() === 'position';
  const { period, start, end } = place.query;
  // The API's own figures: a position counts on the day its last leg closes, with the legs closed
  // before.
  const asked = { ...carried(place.query), period, start, end, group_by: 'group,strategy' };
  const positions = useFigures(isByPosition ? asked : null, 'groups');
  const lines: Line[] = [
    ...records
      .filter(({ group_id }) => !isByPosition || group_id === null)
      .map((trade) => ({
        ...trade,
        closed: trade.has_time ? format.shortTime(trade.closed_at) : '',
        name: instrumentName(trade, format),
        href: hrefOf('trades', {}, trade.id),
      })),
    ...(positions.body?.data.groups ?? []).flatMap(positionLine),
  ];
  const columns = [
    { name: 'Closed', write: ({ closed }: Line) => closed },
    { name: 'Symbol', isHeading: true, write: ({ href, name }: Line) => <a href={href}>{name}</a> },
    { name: 'Side', write: ({ side }: Line) => side },
    { name: 'Setup', write: ({ setup }: Line) => setup },
    ...useResultColumns(),
  ];

  return (
    <Card title={isByPosition ? 'Positions' : 'Trades'} class="wide">
      {positions.failure && <Problem failure={positions.failure} />}
      {positions.isLoading ? (
        <Loading />
      ) : (
        <Scroll label="Trades of the day">
          <Table caption="Trades closed on this day" columns={columns} rows={lines} />
        </Scroll>
      )}
      {place.query['exclude'] && <p class="fine">With the trades that the figures exclude.</p>}
      <a class="more" href={all}>
        {isCut ? `The first ${MOST} trades. Show all` : 'Show in the table of trades'}
      </a>
    </Card>
  );
}

function positionLine({ by, average_r, net_pnl }: Analytics['groups'][number]): Line[] {
  const { group, strategy } = by as Record<string, Key>;
  if (typeof group !== 'string') return [];
  const href = hrefOf('trades', { group_id: group });
  const name = typeof strategy === 'string' ? strategy : 'Group of trades';
  return [{ name, href, r_multiple: average_r, net_pnl }];
}
