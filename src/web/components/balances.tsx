/**
 * Balances of accounts and their cash flows, below the curve: on request, and in reports.
 */
import { useState } from 'preact/hooks';
import type { Query } from '../api.ts';
import { cashInWords } from '../cash-in-words.ts';
import { useFigures, useSession } from '../session.ts';
import type { Performance } from '../types.ts';

interface BalancesProps {
  asked: Query;
  performance: Performance;
}

/** Nothing without cash flows. */
export function Balances({ asked, performance }: BalancesProps) {
  const { isReport } = useSession();
  const [isOpen, setOpen] = useState(isReport);
  if (!hasBalances(performance)) return null;
  if (isOpen) return <Lines asked={asked} />;

  return (
    <button type="button" class="quiet no-print" onClick={() => setOpen(true)}>
      Balance and cash flows
    </button>
  );
}

/** A service of an earlier version has no returns. */
function hasBalances({ return: returns }: Partial<Performance>): boolean {
  if (returns === undefined) return false;
  return (
    returns.rests_on === 'accounts' ||
    (returns.reason ?? '').startsWith('starting balance of')
  );
}

function Lines({ asked }: { asked: Query }) {
  const { format } = useSession();
  const { body } = useFigures(asked, 'balance');
  return (
    <div class="stack">
      {body?.data.balance?.map((row) => (
        <p key={`${row.account} ${row.currency}`} class="fine">
          {cashInWords(row, format)}
        </p>
      ))}
    </div>
  );
}
