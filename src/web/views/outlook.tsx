/** Leaks, simulation and exits: the figures that take longest. */
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { Loading, Problem } from '../components/problem.tsx';
import { DIMENSIONS, type Key, nameOfKey, withFilter } from '../filters.ts';
import { plural, toneOf, word } from '../format.ts';
import { ExitCurves } from '../pictures/exit-curves.tsx';
import { Fan } from '../pictures/fan.tsx';
import { hrefOf, type Place } from '../router.ts';
import { useResponse, useSession, useUnit } from '../session.ts';
import type { OutlookFigures } from '../types.ts';

/** The groups of trades that cost or pay beyond chance. */
export function WhatCosts({ asked, place }: { asked: Query; place: Place }) {
  const { body, failure, isLoading } = useResponse<{ data: Pick<OutlookFigures, 'leaks'> }>('analytics/summary', {
    ...asked,
    sections: 'leaks',
  });
  return (
    <Card title="What costs, what pays" class={isLoading && body ? 'stale' : ''}>
      {failure && <Problem failure={failure} />}
      {body ? <Leaks leaks={body.data.leaks} place={place} /> : !failure && <Loading lines={8} />}
    </Card>
  );
}

export function Outlook({ asked }: { asked: Query }) {
  const { body, failure, isLoading } = useResponse<{ data: OutlookFigures }>('analytics/summary', {
    ...asked,
    sections: 'simulation,exits',
  });
  if (failure) return <Problem failure={failure} />;
  if (!body) return <Loading lines={6} />;
  return (
    <div class={isLoading ? 'grid stale' : 'grid'}>
      <Card title="The next 250 trades">
        <Simulation simulation={body.data.simulation} />
      </Card>
      <Card title="Exits">
        <Exits exits={body.data.exits} />
      </Card>
    </div>
  );
}

type LeakRow = OutlookFigures['leaks']['costs'][number];

function Leaks({ leaks, place }: { leaks: OutlookFigures['leaks']; place: Place }) {
  const { tried, reason, costs, gains } = leaks;
  if (reason !== null) return <p class="nothing">No test yet: {reason}.</p>;
  if (costs.length + gains.length === 0) {
    return (
      <p class="nothing">
        None of {plural(tried, 'group')} of trades (by setup, weekday, hour, size, after a loss …) differs from the rest
        by more than chance.
      </p>
    );
  }
  return (
    <>
      <p class="lead">
        {plural(tried, 'group')} of trades tested. These differ from the rest by more than chance; 1 in 20 such findings
        is wrong.
      </p>
      <LeakTable title="Costs" rows={costs} place={place} />
      <LeakTable title="Pays" rows={gains} place={place} />
    </>
  );
}

function LeakTable({ title, rows, place }: { title: string; rows: readonly LeakRow[]; place: Place }) {
  const { format } = useSession();
  const unit = useUnit();
  if (rows.length === 0) return null;
  const nameOf = (by: LeakRow['by']) =>
    Object.entries(by)
      .map(([name, key]) => `${DIMENSIONS[name]?.name ?? word(name)}: ${nameOfKey(name, key as Key, format)}`)
      .join(', ');
  const only = (by: LeakRow['by']) =>
    Object.entries(by).reduce<Record<string, string | undefined>>(
      (query, [dimension, key]) => withFilter(definedOf(query), { dimension, key: key as Key, isWithout: false }),
      place.query,
    );
  return (
    <table class="plain">
      <caption class="leak-title">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{word(unit)}s</th>
          <th scope="col" class="number">
            Each
          </th>
          <th scope="col" class="number">
            Rest, each
          </th>
          <th scope="col" class="number optional">
            Total without
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={JSON.stringify(row.by)}>
            <th scope="row">
              <a href={hrefOf('overview', only(row.by))}>{nameOf(row.by)}</a>{' '}
              <span class="fine">{plural(row.trades, unit)}</span>
            </th>
            <td class={`number ${toneOf(row.expectancy)}`}>{format.gain(row.expectancy)}</td>
            <td class={`number ${toneOf(row.expectancy_rest)}`}>{format.gain(row.expectancy_rest)}</td>
            <td class={`number optional ${toneOf(row.net_pnl_without)}`}>{format.gain(row.net_pnl_without)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function definedOf(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function Simulation({ simulation }: { simulation: OutlookFigures['simulation'] }) {
  const { format } = useSession();
  const unit = useUnit();
  const { reason, losing_run, drawdown, chance_of_losing, path, sample } = simulation;
  if (reason !== null || !losing_run || !drawdown) return <p class="nothing">No simulation yet: {reason}.</p>;
  return (
    <>
      <p class="lead">
        If the next 100 {unit}s resemble these {format.count(sample)}, expect{' '}
        {plural(losing_run.next_100.median, 'loss', 'losses')} in a row (1 in 20 simulations: more than{' '}
        {format.count(losing_run.next_100.p95)}) and a drawdown of{' '}
        <strong class="loss">{format.money(drawdown.next_100.median)}</strong> (1 in 20: more than{' '}
        <strong class="loss">{format.money(drawdown.next_100.p95)}</strong>).
      </p>
      <Fan path={path} />
      {chance_of_losing ? (
        <p class="fine">
          Chance of losing, at any time within 250 trades, 10 % of the balance:{' '}
          {format.percent(chance_of_losing.ten_percent)}; 20 %: {format.percent(chance_of_losing.twenty_percent)}; 30 %:{' '}
          {format.percent(chance_of_losing.thirty_percent)}.
        </p>
      ) : (
        <p class="fine">
          Percentages need a balance: <code>journal-api user set me --starting-balance 25000</code>
        </p>
      )}
    </>
  );
}

function Exits({ exits }: { exits: OutlookFigures['exits'] }) {
  const { format } = useSession();
  const { reason, sample, uncertain, kept, heat, gave_back, targets, stops, total_r } = exits;
  if (reason !== null || !kept) {
    return (
      <p class="nothing">
        No figures yet: {reason ?? 'no winner has an MFE'}. MAE and MFE come from exports that have them, or from
        candles: <code>journal-api excursions FILE</code>.
      </p>
    );
  }
  return (
    <>
      <p class="lead">
        Winners kept <strong>{format.percent(kept.median)}</strong> of their MFE
        {heat && <>, after {format.decimal(heat.median_r)} R against them</>} (medians of {plural(sample, 'trade')}).
        {gave_back && gave_back.half_r.trades > 0 && (
          <>
            {' '}
            {plural(gave_back.half_r.trades, 'loser')} had been up half an R, {format.count(gave_back.one_r.trades)} a
            whole R.
          </>
        )}
        {uncertain > 0 && ` By their candles, ${format.count(uncertain)} may have gone further.`}
      </p>
      <ExitCurves targets={targets} stops={stops} actual={total_r} />
    </>
  );
}
