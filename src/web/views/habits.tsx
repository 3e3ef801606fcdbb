/** Results by behaviour, runs and extremes, and the trades of the period one by one. */
import type { ComponentChildren } from 'preact';
import type { Query } from '../api.ts';
import { BarTable } from '../components/bar-table.tsx';
import { Card, OneByOne } from '../components/card.tsx';
import { Loading, Problem } from '../components/problem.tsx';
import { type Fact, FactList } from '../components/table.tsx';
import { closedTradesOf, linkTo, nameOf, nameOfKey } from '../filters.ts';
import { capitalised, plural, toneOf } from '../format.ts';
import { Excursions } from '../pictures/excursions.tsx';
import { Histogram } from '../pictures/histogram.tsx';
import { Rolling } from '../pictures/money-plots.tsx';
import { useResults } from '../results.ts';
import { hrefOf, type Place } from '../router.ts';
import { useFigures, useResponse, useSession, useUnit } from '../session.ts';
import type { Analytics, Key, Page, Row, Trade } from '../types.ts';
import { useRecords } from './use-pages.ts';

/** Each with its hint if no trade has a key. */
const CHOICES: Readonly<Record<string, string>> = {
  after: '',
  since_loss: '',
  trade_of_day: '',
  size: '',
  emotion:
    'No journal entry of these trades has an emotion. In a day note: emotions:: calm',
  sleep:
    "No session of these days has hours slept. In a day note's properties: sleep_hours: 7.5",
  mood: "No session of these days has a mood. In a day note's properties: mood: calm",
  energy:
    "No session of these days has an energy level. In a day note's properties: energy: 4",
};

interface BehaviourProps {
  asked: Query;
  place: Place;
}

/**
 * Results by the trader's behaviour around the entry: a dimension is loaded when it is
 * chosen.
 */
export function Behaviour(props: BehaviourProps) {
  return (
    <OneByOne names={Object.keys(CHOICES)} titleOf={nameOf} class="choices">
      {(by, buttons) => (
        <ByBehaviour {...props} by={by}>
          {buttons}
        </ByBehaviour>
      )}
    </OneByOne>
  );
}

function ByBehaviour({
  asked,
  place,
  by,
  children,
}: BehaviourProps & { by: string; children: ComponentChildren }) {
  const { format, isReport } = useSession();
  const { body, failure, isLoading } = useFigures({ ...asked, group_by: by }, 'groups');
  const rows = (body?.data.groups ?? []).map(
    ({ by: keys, ...row }) =>
      ({ ...row, key: (keys as Record<string, Key>)[by] ?? null }) as Row,
  );
  const isEmpty = rows.every(({ key }) => key === null);
  const name = nameOf(by);
  if (isReport && isEmpty) return null;

  return (
    <Card title={isReport ? name : 'Around the entry'}>
      {children}
      {failure && <Problem failure={failure} />}
      {!body && !failure && <Loading lines={4} />}
      {body && isEmpty && !isLoading && (
        <p class="nothing">{CHOICES[by] || 'No trades in this period.'}</p>
      )}
      {body && !(isEmpty && !isLoading) && (
        <div class={isLoading ? 'stale' : ''}>
          <BarTable
            caption={`Net P&L by ${name.toLowerCase()}`}
            of={name}
            rows={rows}
            hrefOf={({ key }) => linkTo(place.query, by, key)}
            nameOf={({ key }) => capitalised(nameOfKey(by, key, format))}
            most={12}
          />
        </div>
      )}
    </Card>
  );
}

interface HabitsProps {
  analytics: Analytics;
  place: Place;
}

/** The list of trades can't be filtered by what trades did, so it would show others. */
function takesFilters(query: Place['query']): boolean {
  return !query['where'] && !query['exclude'];
}

type TradeInR = Pick<Trade, 'id' | 'r_multiple'>;

/** The trade with the highest or the lowest R. */
function useExtremeInR(
  { analytics: { period }, place: { query } }: HabitsProps,
  order: 'asc' | 'desc',
) {
  const { me } = useSession();
  const { isInR } = useResults();
  const mayAsk = isInR && me.key.scopes.includes('trades:read') && takesFilters(query);

  return useResponse<Page<TradeInR>>(mayAsk ? 'trades' : null, {
    ...closedTradesOf(query, period.start_date, period.end_date),
    status: 'closed',
    sort: 'r_multiple',
    limit: 1,
    order,
  }).body?.data[0];
}

/** Streaks, best and worst trade, holding times, and both sides. */
export function Extremes(props: HabitsProps) {
  const { performance, breakdowns } = props.analytics;
  const { format, me, isReport } = useSession();
  const unit = useUnit();
  const { streaks, holding_seconds: held, best_five_share } = performance;
  const mayList = me.key.scopes.includes('trades:read') && !isReport;
  const { isInR, ofRow, gain } = useResults();
  const inR = [useExtremeInR(props, 'desc'), useExtremeInR(props, 'asc')];

  const linked = (result: number, id: string, text: string) => (
    <>
      <span class={toneOf(result)}>{text}</span>
      {mayList && (
        <>
          {' · '}
          <a href={hrefOf('trades', {}, id)}>show</a>
        </>
      )}
    </>
  );

  const [best, worst] = isInR
    ? inR.map(
        (trade) =>
          trade?.r_multiple != null &&
          linked(trade.r_multiple, trade.id, format.r(trade.r_multiple)),
      )
    : [performance.largest_win, performance.largest_loss].map(
        (trade) =>
          trade && linked(trade.net_pnl, trade.trade_id, format.gain(trade.net_pnl)),
      );
  const duration = (seconds: number | null) =>
    seconds === null ? null : format.duration(seconds);
  const facts: readonly Fact[] = [
    [isInR ? 'Best trade' : `Best ${unit}`, best || null],
    [isInR ? 'Worst trade' : `Worst ${unit}`, worst || null],
    [
      `Best five ${unit}s`,
      best_five_share === null ? null : `${format.percent(best_five_share)} of net P&L`,
    ],
    ['Longest winning run', plural(streaks.longest_win, unit)],
    ['Longest losing run', plural(streaks.longest_loss, unit)],
    ['Current run', runInWords(streaks.current)],
    ['Winners held, median', duration(held.wins_median)],
    ['Losers held, median', duration(held.losses_median)],
    ...breakdowns.side.map(
      ({ key, trades, win_rate, ...results }): Fact => [
        capitalised(nameOfKey('side', key, format)),
        <>
          <span class={toneOf(ofRow(results))}>{gain(ofRow(results))}</span> in{' '}
          {plural(trades, unit)},{' '}
          <span class="whole">{format.percent(win_rate)} won</span>
        </>,
      ],
    ),
  ];

  return (
    <Card title="Runs and extremes">
      <FactList facts={facts} />
    </Card>
  );
}

/** @param run above 0 wins, below 0 losses */
function runInWords(run: number): string | null {
  if (run === 0) return null;
  return run > 0 ? plural(run, 'win') : plural(-run, 'loss', 'losses');
}

/** Trades to load, at 100 per request. */
const MOST = 500;
const ROLLING = 20;
const FIELDS = ['net_pnl_base', 'r_multiple', 'risk', 'mae', 'mfe'] as const;

/** The rolling mean of 20 trades, and the spread of results if trades have no R. */
export function Recent({ analytics: { period, performance }, place }: HabitsProps) {
  const { me, format } = useSession();
  const mayAsk = me.key.scopes.includes('trades:read') && takesFilters(place.query);
  const { records, isCut } = useRecords<Pick<Trade, 'id' | (typeof FIELDS)[number]>>(
    mayAsk ? 'trades' : null,
    {
      ...closedTradesOf(place.query, period.start_date, period.end_date),
      status: 'closed',
      sort: 'closed_at',
      fields: FIELDS.join(','),
    },
    MOST,
  );
  if (!mayAsk || records.length === 0) return null;

  const results = records
    .flatMap(({ net_pnl_base }) => (net_pnl_base === null ? [] : [net_pnl_base]))
    .reverse();
  const excursions = records.flatMap(({ id, r_multiple: r, risk, mae, mfe }) =>
    r === null || risk === null || mae === null || mfe === null
      ? []
      : [{ id, r, mae: -Math.abs(mae) / risk, mfe: Math.max(0, mfe) / risk }],
  );

  return (
    <>
      <Card title={`Mean of ${ROLLING} trades, rolling`}>
        {results.length < ROLLING + 1 ? (
          <p class="nothing">Needs more than {ROLLING} closed trades.</p>
        ) : (
          <Rolling results={results} length={ROLLING} />
        )}
      </Card>
      {excursions.length > 0 && (
        <Card title="Results against MAE and MFE">
          <Excursions trades={excursions} />
          <p class="fine">
            {format.count(excursions.length)} trades with both and a risk
            {isCut && <>, of the last {format.count(MOST)}</>}. A trade on the line kept
            its whole MFE.
          </p>
        </Card>
      )}
      {performance.r_sample === 0 && (
        <Card title={isCut ? `Net P&L of the last ${MOST} trades` : 'Net P&L of trades'}>
          <Histogram values={results} />
        </Card>
      )}
    </>
  );
}
