/**
 * A period of one day: its curve by exit, its session, its trades or positions, and what
 * was written about them.
 */
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { type Column, Scroll, Table, useResultColumns } from '../components/table.tsx';
import { Unfold } from '../components/unfold.tsx';
import { daysOf } from '../days.ts';
import { closedTradesOf } from '../filters.ts';
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
import type { FirstFigures } from '../types.ts';
import { type Closed, DayNotes } from './day-notes.tsx';
import {
  POSITION_FIELDS,
  type PositionRecord,
  type TableRow,
  TRADE_FIELDS,
  type TradeRecord,
  usePositionRows,
  useTradeRows,
  useUnfolded,
  withLegs,
} from './position-rows.ts';
import { useRecords } from './use-pages.ts';
import { SessionOfDay } from './written.tsx';

/** Trades of a day in its curve and its list; the table of trades has the others. */
const MOST = 500;

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
  const query = {
    ...closedTradesOf(place.query, date, date),
    where: place.query['where'],
  };
  const { rows, isCut, closed } = useDayRows(
    me.key.scopes.includes('trades:read'),
    query,
  );
  const { steps, by } = useSteps(
    figures,
    asked,
    rows,
    isCut || Boolean(place.query['exclude']),
  );

  return (
    <>
      <div class="grid stack first">
        <Card title={by === 'day' ? 'Equity curve' : `Equity curve, by ${by}`}>
          <EquityCurve steps={steps} by={by} />
        </Card>
        {!isReport && <SessionOfDay date={date} place={place} />}
      </div>
      {/* A report lists them day by day. */}
      {!isReport && (
        <DayTrades
          rows={rows}
          isCut={isCut}
          isEmpty={figures.performance.trades === 0}
          place={place}
          all={hrefOf('trades', query)}
        />
      )}
      {!isReport && <DayNotes closed={closed} />}
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
  records: readonly TableRow[],
  areOthers: boolean,
): Pick<EquityCurveProps, 'steps' | 'by'> {
  const { format } = useSession();
  const results = useResults();
  const isByTrade = records.length > 0 && !areOthers;
  const [day] = figures.realised;
  const exits = !results.isInR && day !== undefined && day.exits > 1 ? day.exits : 0;
  const { body, isPrevious } = useFigures(exits > 0 ? asked : null, 'realised_steps');
  const steps = isPrevious ? [] : (body?.data.realised_steps ?? []);
  const areAll = exits > 0 && steps.reduce((sum, step) => sum + step.exits, 0) === exits;

  if (areAll && steps.length > 1)
    return { by: 'exit', steps: exitSteps(steps, records, format) };
  if (results.isInR && isByTrade)
    return { by: 'trade', steps: tradeSteps(records, format, results) };
  return { by: 'day', steps: dailySteps(daysOf(figures, results), format) };
}

const idsIn = (legs: PositionRecord['legs']) => legs.map(({ id }) => id);

/** The trades or positions that closed on the day, in that order. */
function useDayRows(
  mayRead: boolean,
  query: Record<string, string | null | undefined>,
): { rows: readonly TableRow[]; isCut: boolean; closed: readonly Closed[] } {
  const isByPosition = useUnit() === 'position';
  const order = { status: 'closed', sort: 'closed_at', order: 'asc' };
  const trades = useRecords<TradeRecord>(
    mayRead && !isByPosition ? 'trades' : null,
    { ...query, ...order, fields: TRADE_FIELDS.join(',') },
    MOST,
  );
  const positions = useRecords<PositionRecord>(
    mayRead && isByPosition ? 'positions' : null,
    { ...query, ...order, fields: POSITION_FIELDS.join(',') },
    MOST,
  );
  const ofTrades = useTradeRows(trades.records);
  const ofPositions = usePositionRows(positions.records);
  const idsOf = new Map(
    positions.records.map(({ id, kind, legs }) => [id + kind, idsIn(legs)]),
  );
  const rows = isByPosition ? ofPositions : ofTrades;
  const closed = rows.map((row) => ({
    row,
    ids: idsOf.get(`${row.id}${row.kind}`) ?? [row.id],
  }));
  return { rows, closed, isCut: isByPosition ? positions.isCut : trades.isCut };
}

interface DayTradesProps {
  rows: readonly TableRow[];
  isCut: boolean;
  /** Whether no trade closes on the day. */
  isEmpty: boolean;
  place: Place;
  /** The same in the table of trades. */
  all: string;
}

function DayTrades({ rows, isCut, isEmpty, place, all }: DayTradesProps) {
  const { format } = useSession();
  const unit = useUnit();
  const { legsOf, toggle } = useUnfolded();
  const columns: Column<TableRow>[] = [
    {
      name: 'Closed',
      class: 'whole',
      write: ({ closed_at, has_time }) => (has_time ? format.shortTime(closed_at) : ''),
    },
    {
      name: 'Symbol',
      isHeading: true,
      write: (row) => (
        <>
          {row.isGroup && (
            <Unfold
              name={row.name}
              isOpen={legsOf(row) !== undefined}
              onToggle={() => toggle(row)}
            />
          )}
          <a class={row.isLeg ? 'leg' : undefined} href={row.href}>
            {row.name}
          </a>
        </>
      ),
    },
    { name: 'Side', class: 'optional', write: ({ side }) => side },
    { name: 'Setup', class: 'optional', write: ({ setup }) => setup },
    ...useResultColumns(),
  ];

  const title = unit === 'position' ? 'Positions' : 'Trades';
  if (isEmpty) {
    return (
      <Card title={title} class="wide">
        <p class="nothing">
          None closed on this day: its P&L is of exits and costs of others.
        </p>
      </Card>
    );
  }

  return (
    <Card title={title} class="wide">
      <Scroll label={`${title} of the day`}>
        <Table
          caption={`${title} closed on this day`}
          columns={columns}
          rows={withLegs(rows, legsOf)}
        />
      </Scroll>
      {place.query['exclude'] && (
        <p class="fine">With the trades that the figures exclude.</p>
      )}
      <a class="more" href={all}>
        {isCut
          ? `The first ${MOST} ${unit}s. Show all`
          : `Show in the table of ${unit === 'position' ? 'positions' : 'trades'}`}
      </a>
    </Card>
  );
}
