/**
 * A gauge for each account with limits: what is left today and in all, whatever the
 * period.
 */
import { Card } from '../components/card.tsx';
import { capitalised } from '../format.ts';
import {
  balanceInWords,
  basisInWords,
  bufferInWords,
  standingInWords,
  whyNoLimits,
} from '../limits-in-words.ts';
import { UnitContext, useSession } from '../session.ts';
import type { AccountLimits } from '../types.ts';

interface LimitsProps {
  limits: readonly AccountLimits[];
  /** By anything but the account. */
  isFiltered: boolean;
}

export function Limits({ limits, isFiltered }: LimitsProps) {
  if (useSession().isReport || limits.length === 0) return null;

  return (
    // Their trades are single, whatever the period counts.
    <UnitContext.Provider value="trade">
      <Card title="Limits" class="limits">
        <div class="limits-accounts stack">
          {limits.map((ofAccount) => (
            <Account key={ofAccount.account} limits={ofAccount} />
          ))}
        </div>
        <p class="fine">
          {basisInWords(limits)}
          {isFiltered && ' Filters don’t apply here, except the account.'}
        </p>
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
      <div>
        <h3>{account}</h3>
        <p class="nothing">No figures: {reason}.</p>
      </div>
    );
  }

  const words = bufferInWords(limits, format);
  const isOut = breached !== null;

  return (
    <div>
      <h3>{account}</h3>
      {words.length > 0 && (
        <div class="gauges stack">
          <Gauge
            words={words[0] as string}
            left={room ?? 0}
            of={max_loss ?? 0}
            isOut={isOut}
          />
          {day?.limit && day.room !== null && (
            <Gauge
              words={words.at(-1) as string}
              left={day.room}
              of={day.limit}
              isOut={isOut}
            />
          )}
        </div>
      )}
      <p class={isOut ? 'fine loss' : 'fine'}>
        {sentence([
          ...standingInWords(limits, format),
          ...balanceInWords(limits, format),
        ])}
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
      <p>{capitalised(words)}</p>
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
