/** A gauge for each account with limits: the room left today and in all, whatever the period. */
import { Card } from '../components/card.tsx';
import { Problem } from '../components/problem.tsx';
import { capitalised } from '../format.ts';
import { BASIS, roomInWords, standingInWords, whyNoLimits } from '../limits-in-words.ts';
import type { Place } from '../router.ts';
import { UnitContext, useFigures, useSession } from '../session.ts';
import type { AccountLimits } from '../types.ts';

export function Limits({ place }: { place: Place }) {
  const { isReport } = useSession();
  const { account } = place.query;
  const { body, failure } = useFigures(isReport ? null : { account }, 'limits');
  if (failure) return <Problem failure={failure} />;
  if (!body || body.data.limits.length === 0) return null;

  return (
    // Their trades are single, whatever the period counts.
    <UnitContext.Provider value="trade">
      <Card title="Limits" aside={<p class="card-aside muted">{BASIS}</p>} class="limits">
        {body.data.limits.map((own) => (
          <Account key={own.account} limits={own} />
        ))}
      </Card>
    </UnitContext.Provider>
  );
}

function Account({ limits }: { limits: AccountLimits }) {
  const { format } = useSession();
  const { account, day, room, max_loss, breached } = limits;
  const reason = whyNoLimits(limits);
  if (reason !== undefined) {
    return (
      <div class="limits-account">
        <h3>{account}</h3>
        <p class="nothing">No figures: {reason}.</p>
      </div>
    );
  }

  const words = roomInWords(limits, format);
  const isOut = breached !== null;

  return (
    <div class="limits-account">
      <h3>{account}</h3>
      {words.length > 0 && (
        <div class="gauges stack">
          {day?.limit && day.room !== null && (
            <Gauge
              words={words[0] as string}
              left={day.room}
              of={day.limit}
              isOut={isOut}
            />
          )}
          <Gauge
            words={words.at(-1) as string}
            left={room ?? 0}
            of={max_loss ?? 0}
            isOut={isOut}
          />
        </div>
      )}
      <p class={isOut ? 'fine loss' : 'fine'}>
        {sentence(standingInWords(limits, format))}
      </p>
    </div>
  );
}

/** The words say the same as the bar. */
function Gauge({
  words,
  left,
  of,
  isOut,
}: {
  words: string;
  left: number;
  of: number;
  isOut: boolean;
}) {
  const share = of > 0 ? Math.min(Math.max(left / of, 0), 1) : 0;
  return (
    <div>
      <p>{sentence([words])}</p>
      <div
        class={isOut || share < LITTLE ? 'gauge loss' : 'gauge accent'}
        aria-hidden="true"
      >
        <span style={{ '--share': `${share * 100}%` }} />
      </div>
    </div>
  );
}

/** A fifth of the limit is little. */
const LITTLE = 0.2;

function sentence(parts: readonly string[]): string {
  return `${capitalised(parts.join('; ') || 'no limit reached')}.`;
}
