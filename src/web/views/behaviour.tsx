/** Results by the trader's behaviour around the entry: one dimension at a time, loaded when chosen. */
import { useState } from 'preact/hooks';
import type { Query } from '../api.ts';
import { BarTable } from '../components/bar-table.tsx';
import { Card } from '../components/card.tsx';
import { Loading } from '../components/loading.tsx';
import { Problem } from '../components/problem.tsx';
import { DIMENSIONS, type Key, nameOfKey, withFilter } from '../filters.ts';
import { hrefOf, type Place } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { Analytics, Row } from '../types.ts';

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

export function Behaviour({ asked, place }: { asked: Query; place: Place }) {
  const { format } = useSession();
  const [by, setBy] = useState('after');
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
  return (
    <Card title="What you did">
      <fieldset class="segments small choices">
        <legend class="unseen">Count by</legend>
        {Object.keys(CHOICES).map((choice) => (
          <button type="button" key={choice} aria-pressed={by === choice} onClick={() => setBy(choice)}>
            {DIMENSIONS[choice]?.name}
          </button>
        ))}
      </fieldset>
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
