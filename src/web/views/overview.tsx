/** A window in pictures: how much was made, when, with what, and how. */
import { useState } from 'preact/hooks';
import { BarTable } from '../components/bar-table.tsx';
import { Card } from '../components/card.tsx';
import { Figure } from '../components/figure.tsx';
import { Loading } from '../components/loading.tsx';
import { Command, Problem } from '../components/problem.tsx';
import { WindowPicker } from '../components/window-picker.tsx';
import { FIGURES, NET } from '../figures.ts';
import { plural, toneOf, word } from '../format.ts';
import { Calendar } from '../pictures/calendar.tsx';
import { EquityCurve } from '../pictures/equity-curve.tsx';
import { Heatmap, type HourRow } from '../pictures/heatmap.tsx';
import { RHistogram } from '../pictures/r-histogram.tsx';
import { go, hrefOf, type Place } from '../router.ts';
import { useAnswer, useSession } from '../session.ts';
import type { Analytics, FirstFigures, Performance, Row } from '../types.ts';
import { DayTrades } from './day-trades.tsx';
import { EmptyJournal } from './empty-journal.tsx';
import { LeftOut, Mistakes, Rules } from './habits.tsx';
import { apiWindow, windowName, windowQuery } from './windows.ts';

export function Overview({ place }: { place: Place }) {
  const { me } = useSession();
  const window = apiWindow(place.query);
  const sections = 'performance,daily,previous,open,missed';
  const answer = useAnswer<{ data: FirstFigures }>('analytics/summary', { ...window, sections });
  const extent = me.extent.trades;
  return (
    <div class={answer.isLoading ? 'view stale' : 'view'}>
      <div class="view-head">
        <h1>Overview</h1>
        <WindowPicker place={place} {...(extent ? { firstDay: extent.first, lastDay: extent.last } : {})} />
      </div>
      {answer.failure && <Problem failure={answer.failure} />}
      {answer.body ? (
        <Window figures={answer.body.data} place={place} isCurrent={!answer.isLoading} />
      ) : (
        !answer.failure && <Loading lines={6} />
      )}
    </div>
  );
}

interface WindowProps {
  figures: FirstFigures;
  place: Place;
  /** Whether the figures are those of the place. */
  isCurrent: boolean;
}

function Window({ figures, place, isCurrent }: WindowProps) {
  if (figures.performance.trades === 0) return <Nothing figures={figures} place={place} />;
  return (
    <>
      <Headline figures={figures} />
      <Card title="Equity curve" class="wide">
        <EquityCurve daily={figures.daily} />
      </Card>
      <Days figures={figures} place={place} />
      <Details figures={figures} place={place} isCurrent={isCurrent} />
    </>
  );
}

/** What takes the API longer: it is asked for once the curve is there, which need not wait for it. */
function Details({ figures, place, isCurrent }: WindowProps) {
  const answer = useAnswer<{ data: Analytics }>(isCurrent ? 'analytics/summary' : null, {
    ...apiWindow(place.query),
    sections: 'breakdowns,groups,mistakes,rules,data_quality',
    group_by: 'weekday,hour',
  });
  if (answer.failure) return <Problem failure={answer.failure} />;
  if (!answer.body) return <Loading lines={6} />;
  const analytics = { ...answer.body.data, ...figures };
  return (
    <div class={answer.isLoading ? 'details stale' : 'details'}>
      <Breakdowns analytics={analytics} />
      <LeftOut analytics={analytics} />
    </div>
  );
}

/** No figures: since there are no trades at all, none in the window, or none that can be counted. */
function Nothing({ figures, place }: { figures: FirstFigures; place: Place }) {
  const { me, format } = useSession();
  const extent = me.extent.trades;
  const answer = useAnswer<{ data: Pick<Analytics, 'data_quality'> }>(extent ? 'analytics/summary' : null, {
    ...apiWindow(place.query),
    sections: 'data_quality',
  });
  if (!extent) return <EmptyJournal />;
  const quality = answer.body?.data.data_quality;
  return (
    <section class="problem">
      {quality && quality.without_rate > 0 ? (
        <>
          <h2>No trade of this window can be counted</h2>
          <p>
            {plural(quality.without_rate, 'trade')} in {quality.currencies_left_out.join(', ')}, without an exchange
            rate (fx_rate) to {me.user.base_currency}. <a href={hrefOf('trades')}>Show the trades</a>.
          </p>
          {quality.currencies_left_out.length === 1 && (
            <>
              <p>If all your trades are in {quality.currencies_left_out[0]}:</p>
              <Command text={`journal-api user set ${me.user.id} --base-currency ${quality.currencies_left_out[0]}`} />
            </>
          )}
        </>
      ) : (
        <>
          <h2>No trades were closed in this window</h2>
          <p>
            The journal's trades are from {format.day(extent.first)} to {format.day(extent.last)}.{' '}
            {windowName(place.query) !== 'all' && <a href={hrefOf('overview', { period: 'all' })}>Show all of them</a>}
          </p>
        </>
      )}
      {figures.open.trades > 0 && (
        <p>
          {plural(figures.open.trades, 'trade is', 'trades are')} still open:{' '}
          <a href={hrefOf('trades', { status: 'open' })}>in the table</a>.
        </p>
      )}
    </section>
  );
}

function Headline({ figures }: { figures: FirstFigures }) {
  const { format, me } = useSession();
  const { performance, previous, daily, period } = figures;
  const [first, last] = [period.start_date ?? daily[0]?.date, period.end_date ?? daily.at(-1)?.date];
  const before = (write: (of: Performance) => string) =>
    previous && previous.trades > 0 ? `before: ${write(previous)}` : undefined;
  return (
    <section class="headline card" aria-label="Figures">
      <div>
        <dl>
          <Figure
            class="figure-main"
            name={NET.name}
            formula={NET.formula}
            value={NET.write(performance, format)}
            tone={NET.tone?.(performance) ?? ''}
            beside={before((of) => NET.write(of, format))}
          />
        </dl>
        <p class="fine">
          {format.day(first)} – {format.day(last)}, in {performance.currency}
          {me.user.name ? `, ${me.user.name}` : ''}
        </p>
      </div>
      <dl class="figures">
        {FIGURES.map(({ name, formula, write, tone, range }) => (
          <Figure
            key={name}
            name={name}
            formula={formula}
            value={write(performance, format)}
            tone={tone?.(performance) ?? ''}
            range={range?.(performance, format) ?? null}
            beside={before((of) => write(of, format))}
          />
        ))}
      </dl>
    </section>
  );
}

function Days({ figures: { daily, performance }, place }: { figures: FirstFigures; place: Place }) {
  const { format } = useSession();
  const chosen = place.query['day'] ?? null;
  const choose = (day: string) =>
    go(hrefOf('overview', { ...windowQuery(place.query), day: day === chosen ? undefined : day }), { replace: true });
  const { best_day, worst_day, winning_days, trading_days } = performance;
  return (
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
  );
}

const HOLDING_TIMES: Record<string, string> = {
  under_1m: 'Under 1 min',
  '1m_to_5m': '1 to 5 min',
  '5m_to_15m': '5 to 15 min',
  '15m_to_1h': '15 min to 1 h',
  '1h_to_4h': '1 to 4 h',
  '4h_to_1d': '4 h to 1 day',
  '1d_to_1w': '1 day to 1 week',
  over_1w: 'Over 1 week',
};

function Breakdowns({ analytics }: { analytics: Analytics }) {
  const { breakdowns, performance, period, groups } = analytics;
  const window = { date_field: 'closed_at', status: 'closed', start: period.start_date, end: period.end_date };
  const listed = (filter: string) => (row: Row) =>
    row.key === null ? undefined : hrefOf('trades', { ...window, [filter]: String(row.key) });
  const holding = Object.keys(HOLDING_TIMES).flatMap((key) => breakdowns.holding_time.filter((row) => row.key === key));
  const hours = groups.map(({ by, trades, net_pnl }) => ({
    ...(by as Pick<HourRow, 'weekday' | 'hour'>),
    trades,
    net_pnl,
  }));
  return (
    <div class="grid">
      <Card title="By setup">
        <BarTable
          caption="Net P&L by setup"
          of="Setup"
          rows={breakdowns.setup}
          hrefOf={listed('setup')}
          nameOf={({ key }) => (key === null ? 'No setup' : String(key))}
          most={9}
        />
      </Card>
      <SymbolCard analytics={analytics} listed={listed} />
      <Card title="By weekday and hour" class="wide">
        {hours.length > 0 ? <Heatmap rows={hours} /> : <p class="nothing">No trades in this window.</p>}
      </Card>
      <Card title="By holding time">
        <BarTable
          caption="Net P&L by holding time"
          of="Held"
          rows={holding}
          nameOf={({ key }) => HOLDING_TIMES[String(key)] ?? word(String(key))}
        />
      </Card>
      <Card title="Distribution of R">
        <RHistogram rows={breakdowns.r_multiple} without={performance.trades - performance.r_sample} />
      </Card>
      <Mistakes analytics={analytics} hrefOf={listed('mistake')} />
      <Rules analytics={analytics} />
    </div>
  );
}

interface SymbolCardProps {
  analytics: Analytics;
  listed: (filter: string) => (row: Row) => string | undefined;
}

function SymbolCard({ analytics: { breakdowns }, listed }: SymbolCardProps) {
  const [by, setBy] = useState<'underlying' | 'symbol'>('underlying');
  return (
    <Card
      title={by === 'symbol' ? 'By symbol' : 'By underlying'}
      aside={
        <fieldset class="segments small">
          <legend class="unseen">Count by</legend>
          {(['underlying', 'symbol'] as const).map((name) => (
            <button type="button" key={name} aria-pressed={by === name} onClick={() => setBy(name)}>
              {word(name)}
            </button>
          ))}
        </fieldset>
      }
    >
      <BarTable
        caption={`Net P&L by ${by}`}
        of={word(by)}
        rows={breakdowns[by]}
        hrefOf={listed(by)}
        nameOf={({ key }) => String(key)}
        most={9}
      />
    </Card>
  );
}
