/**
 * Results by label, instrument and time, as tables with bars; the cost of mistakes, and
 * adherence to rules.
 */
import type { ComponentChildren } from 'preact';
import { BarTable } from '../components/bar-table.tsx';
import { Card, OneByOne } from '../components/card.tsx';
import { type Column, Table, useNetColumn } from '../components/table.tsx';
import { keysOf, linkTo, nameOf, nameOfKey } from '../filters.ts';
import { plural } from '../format.ts';
import { Heatmap, type HourRow } from '../pictures/heatmap.tsx';
import { RHistogram } from '../pictures/histogram.tsx';
import { useResults } from '../results.ts';
import type { Place } from '../router.ts';
import { useSession, useUnit } from '../session.ts';
import type { Analytics, Row } from '../types.ts';

interface BreakdownsProps {
  analytics: Analytics;
  place: Place;
}

/** The breakdowns of a card, which shows one at a time. */
const OF_INSTRUMENT = ['underlying', 'symbol', 'market', 'side'] as const;
const OF_LABEL = ['setup', 'tag', 'account'] as const;
const OF_TIME = ['month', 'holding_time'] as const;

const LAST_MONTHS = 12;

type Breakdown = (typeof OF_INSTRUMENT | typeof OF_LABEL | typeof OF_TIME)[number];

export function Breakdowns({ analytics, place }: BreakdownsProps) {
  const { isInR } = useResults();
  const { breakdowns, performance, groups } = analytics;
  const hours = groups.map(({ by, trades, net_pnl }) => ({
    ...(by as Pick<HourRow, 'weekday' | 'hour'>),
    trades,
    net_pnl,
  }));
  // Fills without a time of day are at midnight.
  const hasTimes = hours.some(({ hour }) => hour !== 0);

  const choice = (names: readonly Breakdown[], isForPaper = true) => (
    <OneByOne names={names} titleOf={nameOf}>
      {(by, buttons) => (
        <ByDimension
          analytics={analytics}
          place={place}
          by={by}
          isForPaper={isForPaper}
          aside={buttons}
        />
      )}
    </OneByOne>
  );

  return (
    <div class="grid stack">
      {choice(OF_LABEL)}
      {choice(OF_INSTRUMENT)}
      {!isInR && (
        <Card title="By weekday and hour" class="wide">
          {hours.length === 0 ? (
            <p class="nothing">No trades in this period.</p>
          ) : (
            <>
              <Heatmap rows={hours} />
              {!hasTimes && (
                <p class="fine">
                  These trades have no times of day, so hours of entry are unknown.
                </p>
              )}
            </>
          )}
        </Card>
      )}
      {choice(hasTimes ? OF_TIME : ['month'], false)}
      <Card title="Distribution of R">
        <RHistogram
          rows={breakdowns.r_multiple}
          without={performance.trades - performance.r_sample}
        />
      </Card>
      {!isInR && <Mistakes analytics={analytics} place={place} />}
      <Rules analytics={analytics} />
    </div>
  );
}

interface ByDimensionProps extends BreakdownsProps {
  by: Breakdown;
  isForPaper: boolean;
  aside: ComponentChildren;
}

function ByDimension({
  analytics: { breakdowns },
  place,
  by,
  isForPaper,
  aside,
}: ByDimensionProps) {
  const { format, isReport } = useSession();
  const rows: readonly Row[] = breakdowns[by];
  const isMonth = by === 'month';
  const ordered = by === 'holding_time' ? inOrder(by, rows) : rows;
  const shown = isMonth ? rows.slice(-LAST_MONTHS) : ordered;

  return (
    <Card
      title={`By ${nameOf(by).toLowerCase()}`}
      class={isForPaper || isReport ? '' : 'no-print'}
      aside={aside}
    >
      <BarTable
        caption={`Net P&L by ${nameOf(by).toLowerCase()}`}
        of={nameOf(by)}
        rows={shown}
        {...(isMonth ? {} : { hrefOf: linksOf(place, by) })}
        nameOf={({ key }) =>
          isMonth ? format.monthAndYear(`${key}-01`) : nameOfKey(by, key, format)
        }
        most={isMonth ? LAST_MONTHS : 9}
      />
      {isMonth && rows.length > LAST_MONTHS && (
        <p class="fine">The last {LAST_MONTHS} months with trades.</p>
      )}
    </Card>
  );
}

/** The period, filtered by a row's key; undefined without one. */
function linksOf({ query }: Place, dimension: string) {
  return ({ key }: Row) => (key === null ? undefined : linkTo(query, dimension, key));
}

function inOrder(dimension: string, rows: readonly Row[]): Row[] {
  return (keysOf(dimension) ?? []).flatMap((key) =>
    rows.filter((row) => row.key === key),
  );
}

function Mistakes({
  analytics: { mistakes, breakdowns, performance },
  place,
}: BreakdownsProps) {
  const { format } = useSession();
  const unit = useUnit();
  const { cost, trades_with_mistakes: marked } = mistakes;
  if (marked === 0) {
    return (
      <Card title="What mistakes cost">
        <p class="nothing">
          No trade in this period is marked with a mistake. In a day note: mistakes::
          chased
        </p>
      </Card>
    );
  }

  return (
    <Card title="What mistakes cost">
      <p class="lead">
        {cost >= 0
          ? 'Without the trades with mistakes, the period would have made '
          : 'The trades with mistakes made '}
        <strong class={cost >= 0 ? 'loss' : 'gain'}>
          {format.money(Math.abs(cost))}
        </strong>
        {cost >= 0 ? ' more' : ''}: {format.count(marked)} of{' '}
        {plural(performance.trades, unit)} {marked === 1 ? 'has' : 'have'} one.
      </p>
      <BarTable
        caption="Net P&L by mistake"
        of="Mistake"
        rows={[...breakdowns.mistake].sort((a, b) => a.net_pnl - b.net_pnl)}
        hrefOf={linksOf(place, 'mistake')}
        most={9}
      />
    </Card>
  );
}

interface Kept {
  name: string;
  checks: number;
  net_pnl: number;
}

function Rules({ analytics: { rules } }: { analytics: Analytics }) {
  const { format } = useSession();
  const { isInR } = useResults();
  const columns: Column<Kept>[] = [
    { name: 'Trades', isHeading: true, write: ({ name }) => name },
    { name: 'Checks', class: 'number', write: ({ checks }) => format.count(checks) },
    ...useNetColumn(),
  ];
  if (rules.adherence === null) {
    return (
      <Card title="Rules kept">
        <p class="nothing">
          No journal entry of this period has a rule. In a day note: rules:: wait for the
          close = yes
        </p>
      </Card>
    );
  }

  return (
    <Card title="Rules kept">
      <p class="lead">
        <strong>{format.percent(rules.adherence)}</strong> of{' '}
        {plural(rules.followed + rules.broken, 'rule check')}
      </p>
      <div class="gauge of-rules gain" aria-hidden="true">
        <span style={{ '--share': `${rules.adherence * 100}%` }} />
      </div>
      {!isInR && (
        <Table
          caption="Net P&L with rules kept and broken"
          columns={columns}
          rows={[
            {
              name: 'All rules kept',
              checks: rules.followed,
              net_pnl: rules.net_pnl_followed,
            },
            {
              name: 'A rule broken',
              checks: rules.broken,
              net_pnl: rules.net_pnl_broken,
            },
          ]}
        />
      )}
    </Card>
  );
}
