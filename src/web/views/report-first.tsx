/**
 * The first page of a report, for a minute's reading: the result, the main figures, the
 * curve, the calendar, the best and the worst trades with their notes, and what stands
 * out.
 */
import { Balances } from '../components/balances.tsx';
import { Card } from '../components/card.tsx';
import { daysOf } from '../days.ts';
import { instrumentName, plural, toneOf } from '../format.ts';
import { dailySteps, EquityCurve } from '../pictures/equity-curve.tsx';
import { useResults } from '../results.ts';
import type { Place } from '../router.ts';
import { useFigures, useSession, useUnit } from '../session.ts';
import type { FirstFigures, Performance, TradeDetail } from '../types.ts';
import { Day } from './day.tsx';
import { entriesOf, textsOf, useDetails } from './day-notes.tsx';
import { Headline } from './headline.tsx';
import { askedOf, Days } from './overview.tsx';
import { nameOfGroup } from './position-rows.ts';
import { type Closed, idsOf, isGroup, useClosed } from './report-days.tsx';
import { WhatNow } from './what-now.tsx';

interface FirstPageProps {
  figures: FirstFigures;
  place: Place;
}

export function FirstPage({ figures, place }: FirstPageProps) {
  const { isInR } = useResults();
  const asked = askedOf(place);
  const previous = useFigures(asked, 'previous').body?.data.previous;
  const hasResults = !isInR || figures.performance.r_sample > 0;

  return (
    <>
      <Result figures={figures} />
      <Headline figures={figures} previous={previous} asked={asked} />
      {hasResults && <Curve figures={figures} place={place} />}
      {hasResults && <BestAndWorst figures={figures} />}
      <WhatNow asked={asked} place={place} />
    </>
  );
}

/** Of one day its exits; else its days, and the calendar. */
function Curve({ figures, place }: FirstPageProps) {
  const { format } = useSession();
  const results = useResults();
  const { start_date: start, end_date: end } = figures.period;
  if (start !== null && start === end)
    return <Day date={start} figures={figures} place={place} asked={askedOf(place)} />;

  return (
    <>
      <Card title="Equity curve">
        <EquityCurve steps={dailySteps(daysOf(figures, results), format)} by="day" />
        <Balances asked={askedOf(place)} performance={figures.performance} />
      </Card>
      <Days figures={figures} place={place} />
    </>
  );
}

/**
 * In percent of the balance and in R, as far as they exist; else what the report shows.
 */
function Result({ figures: { performance } }: Pick<FirstPageProps, 'figures'>) {
  const { format } = useSession();
  const { isInR } = useResults();
  const unit = useUnit();
  const { total_r, r_sample, trades } = performance;
  // A key that hides money has no return.
  const percent = (performance as Partial<Performance>).return?.time_weighted ?? null;

  if (percent === null && r_sample === 0) return <Missing isInR={isInR} />;

  return (
    <p class="result row">
      {percent !== null && (
        <span>
          <strong class={toneOf(percent)}>{format.signedPercent(percent)}</strong> return
          on the balance
        </span>
      )}
      {r_sample > 0 && (
        <span>
          <strong class={toneOf(total_r)}>{format.r(total_r)}</strong> in {r_sample} of{' '}
          {plural(trades, unit)}
        </span>
      )}
    </p>
  );
}

function Missing({ isInR }: { isInR: boolean }) {
  return (
    <p class="card box">
      {isInR
        ? 'Amounts are hidden and no trade has a risk, so this report shows counts, rates and ratios, the trades and what was written. '
        : 'This report shows amounts alone: without a starting balance and risks there are no percentages and no R. '}
      <span class="muted">
        With a stop or a risk a trade has R:{' '}
        <code>journal-api annotate TRADE --stop PRICE</code>
        {!isInR && (
          <>
            ; a balance: <code>journal-api user set me --starting-balance 25000</code>
          </>
        )}
      </span>
    </p>
  );
}

/** Of each. */
const MOST = 3;

/** Ties in the order of closing: that of ids differs from key to key. */
function BestAndWorst({ figures: { period } }: Pick<FirstPageProps, 'figures'>) {
  const { ofTrade } = useResults();
  const unit = useUnit();
  const { records } = useClosed(unit, { start: period.start_date, end: period.end_date });
  const results = records
    .map((closed) => ({ closed, result: ofTrade(closed) ?? 0 }))
    .sort(
      (a, b) => b.result - a.result || compare(a.closed.closed_at, b.closed.closed_at),
    );
  const ranked = {
    Best: results.filter(({ result }) => result > 0).slice(0, MOST),
    Worst: results
      .filter(({ result }) => result < 0)
      .slice(-MOST)
      .reverse(),
  };

  return (
    <div class="grid stack">
      {Object.entries(ranked).map(
        ([name, list]) =>
          list.length > 0 && (
            <Card key={name} title={`${name} ${unit}s`}>
              <ol class="ranked stack">
                {list.map(({ closed }) => (
                  <RankedItem key={closed.id} closed={closed} />
                ))}
              </ol>
            </Card>
          ),
      )}
    </div>
  );
}

const compare = (a: string | null, b: string | null) =>
  Number(`${a}` > `${b}`) - Number(`${a}` < `${b}`);

function RankedItem({ closed }: { closed: Closed }) {
  const { format } = useSession();
  const { isInR, gain, ofTrade } = useResults();
  const { trades: details } = useDetails(idsOf(closed));
  const [first] = details;
  const isOfLegs = isGroup(closed);
  const note = noteOn(details, isOfLegs);
  const day = format.dayOf(closed.closed_at as string);

  return (
    <li>
      <p class="row">
        <strong>
          {isOfLegs
            ? nameOfGroup({ name: null, underlying: null, ...closed })
            : first && instrumentName(first, format)}
        </strong>
        <span class={toneOf(ofTrade(closed))}>{gain(ofTrade(closed))}</span>
        {!isInR && closed.r_multiple !== null && (
          <span>{format.r(closed.r_multiple)}</span>
        )}
        <a href={`#${day}`}>{format.shortDay(day)}</a>
        {closed.setup && <span class="muted">{closed.setup}</span>}
      </p>
      {note !== null && <p class="fine">{note}</p>}
    </li>
  );
}

const MOST_LETTERS = 220;

/** The beginning of what was written about a trade, or a group and its legs. */
function noteOn(trades: readonly TradeDetail[], isGroup: boolean): string | null {
  const ofEntries = entriesOf(trades).flatMap(({ body, lesson, went_wrong }) => [
    body,
    lesson,
    went_wrong,
  ]);
  const text = [...textsOf(trades, isGroup), ...ofEntries].find((one) => one)?.trim();
  if (!text) return null;
  if (text.length <= MOST_LETTERS) return text;

  const end = text.lastIndexOf(' ', MOST_LETTERS);
  return `${text.slice(0, end > 0 ? end : MOST_LETTERS)} …`;
}
