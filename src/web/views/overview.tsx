/**
 * A period: on the first screen the main figures, the curve and what costs or pays; then
 * the rest in parts that fold.
 */
import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Query } from '../api.ts';
import { Balances } from '../components/balances.tsx';
import { Card, Fold } from '../components/card.tsx';
import { FilterBar } from '../components/filter-bar.tsx';
import { PeriodPicker } from '../components/period-picker.tsx';
import { Awaited, Loading } from '../components/problem.tsx';
import { daysOf, hasFigures } from '../days.ts';
import { carried, filtersOf } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import { apiPeriod, nameOfSpan } from '../periods.ts';
import { Calendar } from '../pictures/calendar.tsx';
import { dailySteps, EquityCurve } from '../pictures/equity-curve.tsx';
import { useResults } from '../results.ts';
import { hrefOf, type Place } from '../router.ts';
import { UnitContext, useFigures, useSession, WaitContext } from '../session.ts';
import type { Analytics, FirstFigures } from '../types.ts';
import { Breakdowns } from './breakdowns.tsx';
import { Day } from './day.tsx';
import { Behaviour, Extremes, Recent } from './habits.tsx';
import { Headline, WhatIf } from './headline.tsx';
import { Limits } from './limits.tsx';
import { Excluded, NoFigures, NotReconciled } from './no-figures.tsx';
import { Outlook } from './outlook.tsx';
import { WhatCosts, WhatNow } from './what-now.tsx';
import { useMonday, Written } from './written.tsx';

export function Overview({ place }: { place: Place }) {
  const { me } = useSession();
  const { isInR } = useResults();
  const response = useFirstFigures(place);
  const { body, isLoading } = response;
  // The place of the figures in view, also while the next ones are loading.
  const shown = useKept(place, !response.isPrevious);
  const isPainted = useAfterPaint(body) === body;
  const extent = me.extent.trades;

  return (
    <div class={isLoading ? 'view stack stale' : 'view stack'}>
      <div class="view-head row">
        <h1>Overview</h1>
        <FilterBar place={place} />
        <PeriodPicker
          place={place}
          {...(extent ? { firstDay: extent.first, lastDay: extent.last } : {})}
        />
      </div>
      {body?.hint && hasFigures(body.data, isInR) && <p class="fine">{body.hint}</p>}
      {body && shown ? (
        <WaitContext.Provider value={isLoading || !isPainted}>
          <Period figures={body.data} place={shown} isPainted={isPainted} />
        </WaitContext.Provider>
      ) : (
        <Awaited failure={response.failure} />
      )}
    </div>
  );
}

/** The first request: fast for the API. */
export function useFirstFigures(place: Place) {
  return useFigures(
    askedOf(place),
    'performance',
    'daily',
    'realised',
    'open',
    'missed',
    'limits',
  );
}

interface Shown {
  figures: FirstFigures;
  /** The place of these figures. */
  place: Place;
}

/**
 * The first figures. After their paint, the rest is drawn and requested in the order in
 * which the API computes it; nothing is drawn again that hasn't changed.
 */
function Period({ figures, place, isPainted }: Shown & { isPainted: boolean }) {
  const { isInR } = useResults();
  const isEmpty = !hasFigures(figures, isInR);
  const isFiltered = filtersOf(place.query).some(
    ({ dimension }) => dimension !== 'account',
  );
  const previous = useFigures(isEmpty ? null : askedOf(place), 'previous');
  const now = useMemo(() => ({ figures, place }), [figures, place]);
  const late = useKept(now, isPainted);
  const parts = useMemo(() => late && <Parts {...late} />, [late]);
  if (isEmpty) {
    return (
      <>
        <Limits limits={figures.limits} isFiltered={isFiltered} />
        <NoFigures figures={figures} place={place} />
        <Written figures={figures} place={place} />
      </>
    );
  }

  return (
    <UnitContext.Provider
      value={place.query['unit'] === 'position' ? 'position' : 'trade'}
    >
      <Limits limits={figures.limits} isFiltered={isFiltered} />
      <Headline
        figures={figures}
        previous={previous.isLoading ? undefined : previous.body?.data.previous}
        asked={askedOf(place)}
      />
      <AboutPositions place={place} />
      {parts ?? <Loading lines={6} />}
    </UnitContext.Provider>
  );
}

/** Which positions count, and which legs they lack. */
function AboutPositions({ place: { query } }: { place: Place }) {
  const { accounts, since } = useSession().me.key.shows;
  const isFiltered = filtersOf(query).length > 0;
  const lacksLegs = accounts !== null || since !== null;
  if (query['unit'] !== 'position' || !(isFiltered || lacksLegs)) return null;

  return (
    <p class="fine">
      {isFiltered && 'A position with a leg that matches the filters counts whole. '}
      {lacksLegs && 'Legs that this key hides are missing from the sums.'}
    </p>
  );
}

/** The API's parameters for the figures of a place. */
export function askedOf({ query }: Place): Query {
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

/** Everything below the headline. */
function Parts({ figures, place }: Shown) {
  const { isInR } = useResults();
  const { what_if, period } = figures;
  const isOneDay = period.start_date !== null && period.start_date === period.end_date;

  return (
    <>
      {what_if && <WhatIf whatIf={what_if} />}
      {isOneDay ? (
        <Day
          date={period.start_date as string}
          figures={figures}
          place={place}
          asked={askedOf(place)}
        />
      ) : (
        <FirstCards figures={figures} place={place} />
      )}
      {!isOneDay && (!isInR || figures.performance.r_sample > 0) && (
        <Fold title="Calendar" about="days and weeks, each a link to its figures" isOpen>
          {() => <Days figures={figures} place={place} />}
        </Fold>
      )}
      {!isInR && !isOneDay && (
        <Fold
          title="Outlook"
          about="a simulation of the next 250 trades, and other exits"
          isForPaper={false}
        >
          {() => <Outlook asked={askedOf(place)} />}
        </Fold>
      )}
      <Fold
        title="Behaviour"
        about="what costs and pays; results after a loss, by size, sleep and mood; runs, extremes"
        isForPaper={false}
      >
        {() => (
          <Details
            figures={figures}
            place={place}
            sections={['breakdowns']}
            draw={Habits}
          />
        )}
      </Fold>
      <Fold
        title="Reports"
        about="by setup, instrument, weekday, hour, month and R; mistakes and rules"
      >
        {() => (
          <Details
            figures={figures}
            place={place}
            sections={['breakdowns', 'groups', 'mistakes', 'rules']}
            draw={Breakdowns}
          />
        )}
      </Fold>
      <Details
        figures={figures}
        place={place}
        sections={['data_quality']}
        draw={NotCounted}
      />
    </>
  );
}

/** The equity curve of several days, and the notes of a week or what to do now. */
function FirstCards({ figures, place }: Shown) {
  const { format } = useSession();
  const results = useResults();
  const isWeek = useMonday(place) !== null;

  return (
    <div class="grid stack first">
      <Card title="Equity curve">
        {results.isInR && figures.performance.r_sample === 0 ? (
          <p class="nothing">
            No trade of this period has a risk, and R needs one. The owner sets stops or
            risks: <code>journal-api annotate TRADE --stop PRICE</code>
          </p>
        ) : (
          <EquityCurve steps={dailySteps(daysOf(figures, results), format)} by="day" />
        )}
        <Balances asked={askedOf(place)} performance={figures.performance} />
      </Card>
      {isWeek ? (
        <Written figures={figures} place={place} />
      ) : (
        <WhatNow asked={askedOf(place)} place={place} />
      )}
    </div>
  );
}

interface DetailsProps extends Shown {
  sections: readonly (keyof Analytics)[];
  draw: (props: { analytics: Analytics; place: Place }) => ComponentChildren;
}

/** A part of the overview with its sections of the figures. */
export function Details({ figures, place, sections, draw: Draw }: DetailsProps) {
  const groups = sections.includes('groups') ? { group_by: 'weekday,hour' } : {};
  const { body, failure, isLoading } = useFigures(
    { ...askedOf(place), ...groups },
    ...sections,
  );
  if (!body) return <Awaited failure={failure} />;

  return (
    <div class={isLoading ? 'details stack stale' : 'details stack'}>
      <Draw analytics={{ ...(body.data as Analytics), ...figures }} place={place} />
    </div>
  );
}

export function Habits({ analytics, place }: { analytics: Analytics; place: Place }) {
  const { isReport } = useSession();
  const { isInR } = useResults();
  return (
    <div class="grid stack pairs">
      {!isInR && !isReport && <WhatCosts asked={askedOf(place)} place={place} />}
      <Behaviour asked={askedOf(place)} place={place} />
      <Extremes analytics={analytics} place={place} />
      {!isInR && <Recent analytics={analytics} place={place} />}
    </div>
  );
}

/** Trades and amounts excluded from figures, each with the reason. */
export function NotCounted({ analytics }: { analytics: Analytics }) {
  const { isInR } = useResults();
  return (
    <>
      <NotReconciled quality={analytics.data_quality} />
      {!isInR && <Excluded analytics={analytics} />}
    </>
  );
}

export function Days({ figures, place }: Shown) {
  const { isReport } = useSession();
  const results = useResults();
  const { gain } = results;
  const days = daysOf(figures, results);
  const ranked = days.map(({ result }) => result).sort((a, b) => b - a);
  const [best, worst] = [ranked[0], ranked.at(-1)];
  const up = ranked.filter((result) => result > 0).length;
  const links = {
    hrefOfDay: (period: string) =>
      isReport ? `#${period}` : hrefOf('overview', { ...carried(place.query), period }),
    hrefOfWeek: (first: string) =>
      hrefOf('overview', {
        ...carried(place.query),
        period: nameOfSpan({ unit: 'week', first }),
      }),
  };

  return (
    <Card
      title="Days"
      aside={
        <p class="card-aside muted">
          {up} of {plural(days.length, 'day')} up
          {Object.entries({ best, worst }).map(
            ([name, result]) =>
              result !== undefined && (
                <Fragment key={name}>
                  {' '}
                  · {name} <span class={toneOf(result)}>{gain(result)}</span>
                </Fragment>
              ),
          )}
        </p>
      }
    >
      <Calendar days={days} {...links} />
    </Card>
  );
}
