/** The cost of mistakes, adherence to rules, trades excluded from the figures, and results by behaviour. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Query } from '../api.ts';
import { BarTable } from '../components/bar-table.tsx';
import { Card } from '../components/card.tsx';
import { Loading, Problem } from '../components/problem.tsx';
import { DIMENSIONS, type Key, nameOfKey, withFilter } from '../filters.ts';
import { plural, toneOf } from '../format.ts';
import { hrefOf, type Place } from '../router.ts';
import { hidesMoney, useResponse, useSession, useUnit } from '../session.ts';
import type { Analytics, Row } from '../types.ts';

interface MistakesProps {
  analytics: Analytics;
  hrefOf: (row: Row) => string | undefined;
}

export function Mistakes({ analytics: { mistakes, breakdowns, performance }, hrefOf }: MistakesProps) {
  const { format } = useSession();
  const unit = useUnit();
  if (mistakes.trades_with_mistakes === 0) {
    return (
      <Card title="What mistakes cost">
        <p class="nothing">No trade in this period is marked with a mistake. In a day note: mistakes:: chased</p>
      </Card>
    );
  }
  const { cost } = mistakes;
  return (
    <Card title="What mistakes cost">
      <p class="lead">
        {cost >= 0 ? 'Without the trades with mistakes, the period would have made ' : 'The trades with mistakes made '}
        <strong class={cost >= 0 ? 'loss' : 'gain'}>{format.money(Math.abs(cost))}</strong>
        {cost >= 0 ? ' more' : ''}: {format.count(mistakes.trades_with_mistakes)} of {plural(performance.trades, unit)}{' '}
        {mistakes.trades_with_mistakes === 1 ? 'has' : 'have'} one.
      </p>
      <BarTable
        caption="Net P&L by mistake"
        of="Mistake"
        rows={[...breakdowns.mistake].sort((a, b) => a.net_pnl - b.net_pnl)}
        hrefOf={hrefOf}
        most={9}
      />
    </Card>
  );
}

export function Rules({ analytics: { rules } }: { analytics: Analytics }) {
  const { format, me } = useSession();
  if (rules.adherence === null) {
    return (
      <Card title="Rules kept">
        <p class="nothing">
          No journal entry of this period has a rule. In a day note: rules:: wait for the close = yes
        </p>
      </Card>
    );
  }
  return (
    <Card title="Rules kept">
      <p class="lead">
        <strong>{format.percent(rules.adherence)}</strong> of {plural(rules.followed + rules.broken, 'rule check')}
      </p>
      <div class="meter" aria-hidden="true">
        <span class="meter-kept" style={{ '--share': `${rules.adherence * 100}%` }} />
      </div>
      {!hidesMoney(me) && (
        <table class="plain">
          <caption class="unseen">Net P&amp;L with rules kept and broken</caption>
          <thead>
            <tr>
              <th scope="col">Trades</th>
              <th scope="col" class="number">
                Checks
              </th>
              <th scope="col" class="number">
                Net P&amp;L
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">All rules kept</th>
              <td class="number">{format.count(rules.followed)}</td>
              <td class={`number ${toneOf(rules.net_pnl_followed)}`}>{format.gain(rules.net_pnl_followed)}</td>
            </tr>
            <tr>
              <th scope="row">A rule broken</th>
              <td class="number">{format.count(rules.broken)}</td>
              <td class={`number ${toneOf(rules.net_pnl_broken)}`}>{format.gain(rules.net_pnl_broken)}</td>
            </tr>
          </tbody>
        </table>
      )}
    </Card>
  );
}

export function Excluded({
  analytics: { data_quality: quality, open, missed, performance },
}: {
  analytics: Analytics;
}) {
  const { format } = useSession();
  const unit = useUnit();
  const of = (count: number) => `${format.count(count)} of ${plural(performance.trades, unit)}`;
  const notes = [
    quality.without_rate > 0 &&
      `Excluded from all figures: ${plural(quality.without_rate, 'trade')} in ${quality.currencies_left_out.join(', ')} without an exchange rate (fx_rate).`,
    open.trades > 0 &&
      `Not counted: ${plural(open.trades, 'open trade')} with ${format.gain(open.realised_pnl)} realised so far.`,
    quality.expired_open > 0 &&
      `Still open after expiration: ${plural(quality.expired_open, 'option')}. To close: journal-api expire --all`,
    performance.r_sample < performance.trades &&
      `Excluded from figures in R: ${of(performance.trades - performance.r_sample)}, without a risk.`,
    quality.without_stop > 0 && `Without a stop price: ${of(quality.without_stop)}.`,
    quality.without_journal > 0 && `Without a journal entry, so without rules: ${of(quality.without_journal)}.`,
    missed.count > 0 &&
      `Never counted: ${plural(missed.count, 'missed trade')} with a hypothetical P&L of ${format.gain(missed.hypothetical_pnl)}.`,
  ].filter((note) => note !== false);
  if (notes.length === 0) return null;
  return (
    <Card title="Excluded trades" class="wide excluded">
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Card>
  );
}

/** Each with its hint if no trade has a key. */
const CHOICES: Readonly<Record<string, string>> = {
  after: '',
  since_loss: '',
  trade_of_day: '',
  size: '',
  emotion: 'No journal entry of these trades has an emotion. In a day note: emotions:: calm',
  sleep: "No session of these days has hours slept. In a day note's properties: sleep_hours: 7.5",
  mood: "No session of these days has a mood. In a day note's properties: mood: calm",
  energy: "No session of these days has an energy level. In a day note's properties: energy: 4",
};

/** Results by the trader's behaviour around the entry: one dimension at a time, loaded when chosen; in a report each. */
export function Behaviour({ asked, place }: { asked: Query; place: Place }) {
  const [by, setBy] = useState('after');
  const choices = Object.keys(CHOICES);
  if (useSession().isReport)
    return choices.map((choice) => <ByBehaviour key={choice} {...{ asked, place, by: choice }} />);
  return (
    <ByBehaviour {...{ asked, place, by }}>
      <fieldset class="segments small choices">
        <legend class="unseen">Count by</legend>
        {choices.map((choice) => (
          <button type="button" key={choice} aria-pressed={by === choice} onClick={() => setBy(choice)}>
            {DIMENSIONS[choice]?.name}
          </button>
        ))}
      </fieldset>
    </ByBehaviour>
  );
}

interface ByBehaviourProps {
  asked: Query;
  place: Place;
  by: string;
  /** The choice of another dimension. */
  children?: ComponentChildren;
}

function ByBehaviour({ asked, place, by, children }: ByBehaviourProps) {
  const { format, isReport } = useSession();
  const response = useResponse<{ data: Pick<Analytics, 'groups'> }>('analytics/summary', {
    ...asked,
    sections: 'groups',
    group_by: by,
  });
  const rows = (response.body?.data.groups ?? []).map(
    ({ by: keys, ...row }) => ({ ...row, key: (keys as Record<string, Key>)[by] ?? null }) as unknown as Row,
  );
  const isEmpty = rows.every(({ key }) => key === null);
  const name = DIMENSIONS[by]?.name ?? by;
  if (isReport && isEmpty) return null;
  return (
    <Card title={isReport ? name : 'What you did'}>
      {children}
      {response.failure && <Problem failure={response.failure} />}
      {!response.body && !response.failure && <Loading lines={4} />}
      {response.body && isEmpty && !response.isLoading && (
        <p class="nothing">{CHOICES[by] || 'No trades in this period.'}</p>
      )}
      {response.body && !(isEmpty && !response.isLoading) && (
        <div class={response.isLoading ? 'stale' : ''}>
          <BarTable
            caption={`Net P&L by ${name.toLowerCase()}`}
            of={name}
            rows={rows}
            hrefOf={({ key }) => hrefOf('overview', withFilter(place.query, { dimension: by, key, isWithout: false }))}
            nameOf={({ key }) => sentenceCase(nameOfKey(by, key, format))}
            most={12}
          />
        </div>
      )}
    </Card>
  );
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
