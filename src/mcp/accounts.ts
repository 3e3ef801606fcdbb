/** The accounts that an answer mixes. */
import { visibleText } from '../http/visible-text.ts';
import type { Api, Query } from './api.ts';
import { NO_KEY } from './arguments.ts';
import { pick, type Row, rowOf, rowsOf } from './compact.ts';

const MOST_SHOWN = 8;

/** Whether figures may come from several accounts. */
export async function mayMix({ account }: Query, api: Api): Promise<boolean> {
  if (account !== undefined || !(await api.me()).key.scopes.includes('analytics:read'))
    return false;
  const labels = await api.labels();
  return labels === undefined || (labels['accounts']?.length ?? 0) > 1;
}

/** Trades and net P&L of closed trades by account, if figures come from several. */
export async function accountsIn(query: Query, api: Api): Promise<Mixed> {
  if (!(await mayMix(query, api))) return {};
  const asked = { ...query, ...BY_ACCOUNT, sections: 'groups' };
  const { groups } = await api.data('/v1/analytics/summary', asked);
  return mixed(rowsOf(groups));
}

export const BY_ACCOUNT: Query = { group_by: 'account' };

interface Mixed {
  accounts?: Row;
  hint?: string;
}

/** @param rows by account; without net P&L if the key hides money */
export function mixed(rows: readonly Row[]): Mixed {
  if (rows.length < 2) return {};

  const most = rows.toSorted((a, b) => Number(b['trades']) - Number(a['trades']));
  const shown = most.slice(0, MOST_SHOWN).map((row) => {
    const { account = null } = rowOf(row['by']);
    const figures = Object.values(pick(['trades', 'net_pnl'], row));
    return [
      account === null ? NO_KEY : visibleText(String(account)),
      figures.flatMap((n) => n ?? []),
    ];
  });
  const all = rows.length > MOST_SHOWN ? ` (${MOST_SHOWN} shown)` : '';

  return {
    accounts: Object.fromEntries(shown),
    hint: `rows mix ${rows.length} accounts${all}; filter with account`,
  };
}
