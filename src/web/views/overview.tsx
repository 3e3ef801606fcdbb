/** A period: main figures, curve, calendar, then leaks, simulation, exits and breakdowns. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { FilterBar } from '../components/filter-bar.tsx';
import { apiPeriod, PeriodPicker, periodQuery } from '../components/period-picker.tsx';
import { Loading, Problem } from '../components/problem.tsx';
import { carried } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import { Calendar } from '../pictures/calendar.tsx';
import { EquityCurve } from '../pictures/equity-curve.tsx';
import { go, hrefOf, type Place } from '../router.ts';
import { hidesMoney, useResponse, useSession, WaitContext } from '../session.ts';
import type { Analytics, FirstFigures, OutlookFigures } from '../types.ts';
import { Breakdowns } from './breakdowns.tsx';
import { DayTrades } from './day-trades.tsx';
import { Extremes } from './extremes.tsx';
import { Behaviour, Excluded } from './habits.tsx';
import { Headline } from './headline.tsx';
import { NoFigures } from './no-figures.tsx';
import { Outlook } from './outlook.tsx';
import { Recent } from './recent.tsx';
import { WhatIf } from './what-if.tsx';

export function Overview({ place }: { place: Place }) {
  const { me } = useSession();
  const response = useResponse<{ data: FirstFigures; hint?: string }>('analytics/summary', {
    ...apiPeriod(place.query),
    ...carried(place.query),
    sections: 'performance,daily,open,missed',
  });
  const { body, isLoading } = response;
  // The place of the figures in view, also while the next ones are loading.
  const shown = useKept(place, !response.isPrevious);
  const isPainted = useAfterPaint(body) === body;
  const extent = me.extent.trades;
  return (
    <div class={isLoading ? 'view stale' : 'view'}>
      <div class="view-head">
        <h1>Overview</h1>
        <PeriodPicker place={place} {...(extent ? { firstDay: extent.first, lastDay: extent.last } : {})} />
      </div>
      <FilterBar place={place} />
      {response.failure && <Problem failure={response.failure} />}
      {body?.hint && body.data.performance.trades > 0 && <p class="fine">{body.hint}</p>}
      {body && shown ? (
        <WaitContext.Provider value={isLoading || !isPainted}>
          <Period figures={body.data} place={shown} isPainted={isPainted} />
        </WaitContext.Provider>
      ) : (
        !response.failure && <Loading lines={6} />
      )}
    </div>
  );
}

interface Shown {
  figures: FirstFigures;
  /** The place of these figures. */
  place: Place;
}

/**
 * The first figures. After their paint, the rest is drawn and requested in the order in which the API computes it; nothing is
 * drawn again that hasn't changed.
 */
function Period({ figures, place, isPainted }: Shown & { isPainted: boolean }) {
  const isInR = hidesMoney(useSession().me);
  const asked = askedOf(place);
  const path = figures.performance.trades > 0 ? 'analytics/summary' : null;
  const previous = useResponse<{ data: Pick<Analytics, 'previous'> }>(path, { ...asked, sections: 'previous' });
  const details = useResponse<{ data: Analytics }>(path, {
    ...asked,
    sections: 'breakdowns,groups,mistakes,rules,data_quality',
    group_by: 'weekday,hour',
  });
  // The slowest, so after all others: the cards of the details ask before their parent does.
  const isDetailed = details.body !== undefined && !details.isLoading;
  const outlook = useResponse<{ data: OutlookFigures }>(isDetailed && !isInR ? path : null, {
    ...asked,
    sections: 'leaks,simulation,exits',
  });
  const now = useMemo(() => ({ figures, place }), [figures, place]);
  const late = useKept(now, isPainted);
  const days = useMemo(() => late && <Days {...late} />, [late]);
  const cards = useMemo(
    () => late && details.body && <Details analytics={details.body.data} {...late} />,
    [late, details.body],
  );
  if (figures.performance.trades === 0) return <NoFigures figures={figures} place={place} />;
  return (
    <>
      <Headline figures={figures} previous={previous.isLoading ? undefined : previous.body?.data.previous} />
      {late ? (
        <>
          {isInR ? <p class="fine">This key hides amounts: results are in R.</p> : days}
          {details.failure && <Problem failure={details.failure} />}
          {!details.body && !details.failure && <Loading lines={6} />}
          {details.body && (
            <div class={details.isLoading ? 'details stale' : 'details'}>
              {!isInR && <Outlook response={outlook} place={late.place} />}
              {cards}
            </div>
          )}
        </>
      ) : (
        <Loading lines={6} />
      )}
    </>
  );
}

/** The API's parameters for the figures of a place. */
function askedOf({ query }: Place): Query {
  return { ...apiPeriod(query), ...carried(query) };
}

/** The value, one painted frame later; undefined at first. */
function useAfterPaint<T>(value: T): T | undefined {
  const [late, setLate] = useState<T>();
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setLate(value));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value]);
  return late;
}

/** The value if it may be taken, else the last one taken. */
function useKept<T>(value: T, mayTake: boolean): T | undefined {
  const kept = useRef<T>(undefined);
  if (mayTake) kept.current = value;
  return kept.current;
}

function Details({ analytics: details, figures, place }: Shown & { analytics: Analytics }) {
  const isInR = hidesMoney(useSession().me);
  const analytics = { ...details, ...figures };
  return (
    <>
      <div class="grid pairs extra">
        <Behaviour asked={askedOf(place)} place={place} />
        {!isInR && <Extremes analytics={analytics} />}
        {!isInR && <Recent analytics={analytics} place={place} />}
      </div>
      <Breakdowns analytics={analytics} place={place} />
      {!isInR && <Excluded analytics={analytics} />}
    </>
  );
}

/** The what-if, the curve and the calendar. */
function Days({ figures: { daily, performance, what_if }, place }: Shown) {
  const { format } = useSession();
  const chosen = place.query['day'] ?? null;
  const choose = (day: string) =>
    go(
      hrefOf('overview', {
        ...carried(place.query),
        ...periodQuery(place.query),
        day: day === chosen ? undefined : day,
      }),
      { replace: true },
    );
  const { best_day, worst_day, winning_days, trading_days } = performance;
  return (
    <>
      {what_if && <WhatIf whatIf={what_if} />}
      <Card title="Equity curve" class="wide">
        <EquityCurve daily={daily} />
      </Card>
      <Card
        title="Calendar"
        class="wide"
        aside={
          <p class="card-aside">
            {winning_days} of {plural(trading_days, 'day')} up
            {best_day && (
              <>
                {' '}
                · best <span class={toneOf(best_day.net_pnl)}>{format.gain(best_day.net_pnl)}</span>
              </>
            )}
            {worst_day && (
              <>
                {' '}
                · worst <span class={toneOf(worst_day.net_pnl)}>{format.gain(worst_day.net_pnl)}</span>
              </>
            )}
          </p>
        }
      >
        <Calendar daily={daily} chosen={chosen} onChoose={choose} />
        {chosen && <DayTrades date={chosen} onClose={() => choose(chosen)} />}
      </Card>
    </>
  );
}
