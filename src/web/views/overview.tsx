/** A period: main figures, curve, calendar, then leaks, simulation, exits and breakdowns. */

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { Figure } from '../components/figure.tsx';
import { FilterBar } from '../components/filter-bar.tsx';
import { Loading } from '../components/loading.tsx';
import { PeriodPicker } from '../components/period-picker.tsx';
import { Problem } from '../components/problem.tsx';
import { FIGURES, NET, TOTAL_R } from '../figures.ts';
import { carried } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import { Calendar } from '../pictures/calendar.tsx';
import { EquityCurve } from '../pictures/equity-curve.tsx';
import { go, hrefOf, type Place } from '../router.ts';
import { hidesMoney, useResponse, useSession, WaitContext } from '../session.ts';
import type { Analytics, FirstFigures, OutlookFigures, Performance, WhatIfFigures } from '../types.ts';
import { Behaviour } from './behaviour.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { DayTrades } from './day-trades.tsx';
import { Extremes } from './extremes.tsx';
import { Excluded } from './habits.tsx';
import { NoFigures } from './no-figures.tsx';
import { Outlook } from './outlook.tsx';
import { apiPeriod, periodQuery } from './periods.ts';
import { Recent } from './recent.tsx';

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

/** The API's parameters for the figures of a place; all but the first ones ignore what is excluded. */
function askedOf({ query }: Place): Query {
  return { ...apiPeriod(query), ...carried(query), exclude: undefined };
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

// The actual period, next to the period without the excluded trades.

type Figures = WhatIfFigures['actual'];

function WhatIf({ whatIf: { excluded, actual, without } }: { whatIf: WhatIfFigures }) {
  const { format } = useSession();
  const rows: readonly (readonly [name: string, write: (of: Figures) => string, tone?: (of: Figures) => string])[] = [
    ['Net P&L', ({ net_pnl }) => format.gain(net_pnl), ({ net_pnl }) => toneOf(net_pnl)],
    ['Trades', ({ trades }) => format.count(trades)],
    ['Win rate', ({ win_rate }) => format.percent(win_rate)],
    ['Profit factor', ({ profit_factor }) => format.decimal(profit_factor)],
    ['Expectancy', ({ expectancy }) => format.gain(expectancy)],
    ['Max drawdown', ({ max_drawdown }) => format.money(max_drawdown && -max_drawdown.amount)],
  ];
  return (
    <Card title="What if" class="wide">
      <p class="lead">
        The excluded {plural(excluded.trades, 'trade')} made{' '}
        <strong class={toneOf(excluded.net_pnl)}>{format.gain(excluded.net_pnl)}</strong>.
      </p>
      <table class="plain what-if">
        <caption class="unseen">Figures with and without the excluded trades</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col" class="number">
              Actual
            </th>
            <th scope="col" class="number">
              Without
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, write, tone]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class={`number ${tone?.(actual) ?? ''}`}>{write(actual)}</td>
              <td class={`number ${tone?.(without) ?? ''}`}>{write(without)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

// The main figures of the period, with those of the previous period.

interface HeadlineProps {
  figures: FirstFigures;
  /** Null if there is no previous period, undefined before its figures are loaded. */
  previous: Performance | null | undefined;
}

function Headline({ figures, previous }: HeadlineProps) {
  const { format, me } = useSession();
  const { performance, daily, period } = figures;
  const main = hidesMoney(me) ? TOTAL_R : NET;
  const [first, last] = [period.start_date ?? daily[0]?.date, period.end_date ?? daily.at(-1)?.date];
  const before = (write: (of: Performance) => string) => {
    // An empty line until then, so that nothing below moves.
    if (previous === undefined && period.start_date !== null) return '\u00a0';
    return previous && previous.trades > 0 ? `before: ${write(previous)}` : undefined;
  };
  return (
    <section class="headline card" aria-label="Figures">
      <div>
        <dl>
          <Figure
            class="figure-main"
            name={main.name}
            formula={main.formula}
            value={main.write(performance, format)}
            tone={main.tone?.(performance) ?? ''}
            previous={before((of) => main.write(of, format))}
          />
        </dl>
        <p class="fine">
          {format.day(first)} – {format.day(last)}, in {performance.currency}
          {me.user.name ? `, ${me.user.name}` : ''}
        </p>
      </div>
      <dl class="figures">
        {FIGURES.filter(({ isMoney }) => !(isMoney && hidesMoney(me))).map(({ name, formula, write, tone, range }) => (
          <Figure
            key={name}
            name={name}
            formula={formula}
            value={write(performance, format)}
            tone={tone?.(performance) ?? ''}
            range={range?.(performance, format) ?? null}
            previous={before((of) => write(of, format))}
          />
        ))}
      </dl>
    </section>
  );
}
