/** Results by label, instrument and time, as tables with bars. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { BarTable } from '../components/bar-table.tsx';
import { Card } from '../components/card.tsx';
import { DIMENSIONS, nameOfKey, withFilter } from '../filters.ts';
import { Heatmap, type HourRow } from '../pictures/heatmap.tsx';
import { RHistogram } from '../pictures/histogram.tsx';
import { hrefOf, type Place } from '../router.ts';
import { hidesMoney, useSession } from '../session.ts';
import type { Analytics, Row } from '../types.ts';
import { Mistakes, Rules } from './habits.tsx';

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
  const { me } = useSession();
  const { breakdowns, performance, groups } = analytics;
  const hours = groups.map(({ by, trades, net_pnl }) => ({
    ...(by as Pick<HourRow, 'weekday' | 'hour'>),
    trades,
    net_pnl,
  }));
  // Fills without a time of day are at midnight.
  const hasTimes = hours.some(({ hour }) => hour !== 0);
  return (
    <div class="grid">
      <Choice analytics={analytics} place={place} dimensions={OF_LABEL} />
      <Choice analytics={analytics} place={place} dimensions={OF_INSTRUMENT} />
      {!hidesMoney(me) && (
        <Card title="By weekday and hour" class="wide">
          {hours.length === 0 ? (
            <p class="nothing">No trades in this period.</p>
          ) : (
            <>
              <Heatmap rows={hours} />
              {!hasTimes && <p class="fine">These trades have no times of day, so hours of entry are unknown.</p>}
            </>
          )}
        </Card>
      )}
      <Choice analytics={analytics} place={place} dimensions={hasTimes ? OF_TIME : ['month']} />
      <Card title="Distribution of R">
        <RHistogram rows={breakdowns.r_multiple} without={performance.trades - performance.r_sample} />
      </Card>
      {!hidesMoney(me) && <Mistakes analytics={analytics} hrefOf={(row) => linkOf(place, 'mistake', row)} />}
      <Rules analytics={analytics} />
    </div>
  );
}

/** The period, filtered by a row's key; undefined without one. */
function linkOf(place: Place, dimension: string, { key }: Row): string | undefined {
  if (key === null) return undefined;
  return hrefOf('overview', withFilter(place.query, { dimension, key, isWithout: false }));
}

interface ChoiceProps extends BreakdownsProps {
  dimensions: readonly Breakdown[];
}

/** One dimension at a time; in a report each with rows. */
function Choice({ dimensions, ...props }: ChoiceProps) {
  const [chosen, setBy] = useState<Breakdown | undefined>();
  const { isReport } = useSession();
  const by = chosen ?? (dimensions[0] as Breakdown);
  const isForPaper = dimensions === OF_LABEL || dimensions === OF_INSTRUMENT;
  if (isReport) return dimensions.map((name) => <ByDimension key={name} {...props} by={name} />);
  return (
    <ByDimension
      {...{ ...props, by, isForPaper }}
      aside={
        dimensions.length > 1 && (
          <fieldset class="segments small">
            <legend class="unseen">Count by</legend>
            {dimensions.map((name) => (
              <button type="button" key={name} aria-pressed={by === name} onClick={() => setBy(name)}>
                {titleOf(name)}
              </button>
            ))}
          </fieldset>
        )
      }
    />
  );
}

interface ByDimensionProps extends BreakdownsProps {
  by: Breakdown;
  isForPaper?: boolean;
  aside?: ComponentChildren;
}

function ByDimension({ analytics: { breakdowns }, place, by, isForPaper = true, aside }: ByDimensionProps) {
  const { format } = useSession();
  const rows = breakdowns[by] as readonly Row[];
  return (
    <Card title={`By ${titleOf(by).toLowerCase()}`} class={isForPaper ? '' : 'no-print'} aside={aside}>
      <BarTable
        caption={`Net P&L by ${titleOf(by).toLowerCase()}`}
        of={titleOf(by)}
        rows={by === 'holding_time' ? inOrder(by, rows) : by === 'month' ? rows.slice(-LAST_MONTHS) : rows}
        {...(by === 'month' ? {} : { hrefOf: (row: Row) => linkOf(place, by, row) })}
        nameOf={({ key }) => (by === 'month' ? format.monthAndYear(`${key}-01`) : nameOfKey(by, key, format))}
        most={by === 'month' ? LAST_MONTHS : 9}
      />
      {by === 'month' && rows.length > LAST_MONTHS && <p class="fine">The last {LAST_MONTHS} months with trades.</p>}
    </Card>
  );
}

function titleOf(name: Breakdown): string {
  return DIMENSIONS[name]?.name ?? 'Month';
}

function inOrder(dimension: string, rows: readonly Row[]): Row[] {
  return (DIMENSIONS[dimension]?.keys ?? []).flatMap((key) => rows.filter((row) => row.key === key));
}
