/** Simulation and exits: figures that take long. */
import type { Query } from '../api.ts';
import { ExitBars } from '../components/bar-table.tsx';
import { Card } from '../components/card.tsx';
import { Awaited } from '../components/problem.tsx';
import { plural } from '../format.ts';
import { Fan } from '../pictures/money-plots.tsx';
import { useFigures, useSession, useUnit } from '../session.ts';
import type { OutlookFigures } from '../types.ts';

export function Outlook({ asked }: { asked: Query }) {
  const { body, failure, isLoading } = useFigures(asked, 'simulation', 'exits');
  if (!body) return <Awaited failure={failure} />;

  return (
    <div class={isLoading ? 'grid stack stale' : 'grid stack'}>
      <Card title="The next 250 trades">
        <Simulation simulation={body.data.simulation} />
      </Card>
      <Card title="Exits">
        <Exits exits={body.data.exits} />
      </Card>
    </div>
  );
}

function Simulation({ simulation }: { simulation: OutlookFigures['simulation'] }) {
  const { format, me } = useSession();
  const unit = useUnit();
  const { reason, losing_run, drawdown, chance_of_losing, path, sample } = simulation;
  if (reason !== null || !losing_run || !drawdown)
    return <p class="nothing">No simulation yet: {reason}.</p>;

  return (
    <>
      <p class="lead">
        If the next 100 {unit}s resemble these {format.count(sample)}, expect{' '}
        {plural(losing_run.next_100.median, 'loss', 'losses')} in a row (1 in 20
        simulations: more than {format.count(losing_run.next_100.p95)}) and a drawdown of{' '}
        <strong class="loss">{format.money(drawdown.next_100.median)}</strong> (1 in 20:
        more than <strong class="loss">{format.money(drawdown.next_100.p95)}</strong>).
      </p>
      <Fan path={path} />
      {chance_of_losing ? (
        <p class="fine">
          Chance of losing, at any time within 250 trades, 10% of the balance:{' '}
          {format.percent(chance_of_losing.ten_percent)}; 20%:{' '}
          {format.percent(chance_of_losing.twenty_percent)}; 30%:{' '}
          {format.percent(chance_of_losing.thirty_percent)}.
        </p>
      ) : (
        <p class="fine">
          Percentages need a balance:{' '}
          <code>
            {me.user.starting_balance === null
              ? 'journal-api user set me --starting-balance 25000'
              : 'journal-api account set NAME --starting-balance 25000'}
          </code>
        </p>
      )}
    </>
  );
}

function Exits({ exits }: { exits: OutlookFigures['exits'] }) {
  const { format } = useSession();
  const { reason, sample, uncertain, kept, heat, gave_back, targets, stops, total_r } =
    exits;
  if (reason !== null || !kept) {
    return (
      <p class="nothing">
        No figures yet: {reason ?? 'no winner has an MFE'}. MAE and MFE come from exports
        that have them, or from candles: <code>journal-api excursions FILE</code>.
      </p>
    );
  }

  return (
    <>
      <p class="lead">
        Winners kept <strong>{format.percent(kept.median)}</strong> of their MFE
        {heat && <>, after {format.decimal(heat.median_r)} R against them</>} (medians of{' '}
        {plural(sample, 'trade')}).
        {gave_back && gave_back.half_r.trades > 0 && (
          <>
            {' '}
            {plural(gave_back.half_r.trades, 'loser')} had been up half an R,{' '}
            {format.count(gave_back.one_r.trades)} a whole R.
          </>
        )}
        {uncertain > 0 &&
          ` By their candles, ${format.count(uncertain)} may have gone further.`}
      </p>
      <ExitBars targets={targets} stops={stops} actual={total_r} />
    </>
  );
}
