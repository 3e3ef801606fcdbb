/** A period of one day: its curve by exit, its session, and its trades or positions. */
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { Loading, Problem } from '../components/problem.tsx';
import { Scroll, Table, useResultColumns } from '../components/table.tsx';
import { daysOf } from '../days.ts';
import { carried, closedTradesOf, type Key } from '../filters.ts';
import { INSTRUMENT_FIELDS, instrumentName } from '../format.ts';
import {
  dailySteps,
  EquityCurve,
  type EquityCurveProps,
  exitSteps,
  tradeSteps,
} from '../pictures/equity-curve.tsx';
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
  /** The request for the figures. */
  asked: Query;
}

/** The curve and the session, side by side. */
export function Day({ date, figures, place, asked }: DayProps) {
  const { me, isReport } = useSession();
  const query = { ...closedTradesOf(place.query, date, date), where: place.query['where'] };
  const { records, isCut } = useRecords<DayTrade>(
    me.key.scopes.includes('trades:read') ? 'trades' : null,
    { ...query, status: 'closed', sort: 'closed_at', order: 'asc', fields: FIELDS.join(',') },
    MOST,
  );
  const { steps, by } = useSteps(figures, asked, records, isCut || Boolean(place.query['exclude']));

  return (
    <>
      <div class="grid stack first">
        <Card title={by === 'day' ? 'Equity curve' : `Equity curve, by ${by}`}>
          <EquityCurve steps={steps} by={by} />
        </Card>
        {!isReport && <SessionOfDay date={date} />}
      </div>
      {/* A report lists them day by day. */}
      {!isReport && (
        <DayTrades
          records={records}
          isCut={isCut}
          isEmpty={figures.performance.trades === 0}
          place={place}
          all={hrefOf('trades', query)}
        />
      )}
    </>
  );
}

/**
 * The steps of the day's curve: its exits, or in R its trades; else the day as a whole.
 * @param areOthers whether the figures count other trades than the records
 */
function useSteps(
  figures: FirstFigures,
  asked: Query,
  records: readonly DayTrade[],
  areOthers: boolean,
): Pick<EquityCurveProps, 'steps' | 'by'> {
  const { format } = useSession();
  const results = useResults();
  const isByTrade = useUnit() === 'trade' && records.length > 0 && !areOthers;
  const [day] = figures.realised;
  const exits = !results.isInR && day !== undefined && day.exits > 1 ? day.exits : 0;
  const { body, isPrevious } = useFigures(exits > 0 ? asked : null, 'realised_steps');
  const steps = isPrevious ? [] : (body?.data.realised_steps ?? []);
  const areAll = exits > 0 && steps.reduce((sum, step) => sum + step.exits, 0) === exits;

  if (areAll && steps.length > 1) return { by: 'exit', steps: exitSteps(steps, records, format) };
  if (results.isInR && isByTrade)
    return { by: 'trade', steps: tradeSteps(records, format, results) };
  return { by: 'day', steps: dailySteps(daysOf(figures, results), format) };
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
  /** Whether no trade closes on the day. */
  isEmpty: boolean;
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

function DayTrades({ records, isCut, isEmpty, place, all }: DayTradesProps) {
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

  const title = isByPosition ? 'Positions' : 'Trades';
  if (isEmpty) {
    return (
      <Card title={title} class="wide">
        <p class="nothing">None closed on this day: its exits are of others.</p>
      </Card>
    );
  }

  return (
    <Card title={title} class="wide">
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
