/** Ending cash that a file states, next to the journal's at the same instant. */
import type Database from 'better-sqlite3';
import { comparison } from '../../journal/analytics/balance-rows.ts';
import { AccountCash } from '../../journal/analytics/balances.ts';
import type { User } from '../../journal/journal.ts';
import { Reader } from '../../sqlite/reader.ts';
import { UserRows } from '../../sqlite/user-rows.ts';

export interface EndingCash {
  account: string | null;
  currency: string;
  stated: number;
  /** Null if the start of the account is unknown. */
  here: number | null;
  /** Here less stated. */
  difference: number | null;
  /** Whether the start follows from this amount: then both are equal. */
  implies_start: boolean;
  /** Whether futures were open: their daily settlement is stated, and not here. */
  daily_settlement: boolean;
}

export function endingCashOf(
  db: Database.Database,
  user: User,
  importId: number,
): EndingCash[] {
  const [line] = new UserRows(db, user.id).where<{ cash: string | null }>(
    'SELECT cash FROM imports',
    { id: importId },
  );
  if (line?.cash == null) return [];

  const cash = new AccountCash(new Reader(db), user, {});
  return cash.ledgers.all.flatMap((ledger) => {
    const statement = ledger.statements.find((stated) => stated.importId === importId);
    if (statement === undefined) return [];

    const { stated, here, difference, daily_settlement } = comparison(
      cash,
      ledger,
      statement,
    );
    const { account, currency, statements } = ledger;
    const isImplied = cash.starts.get(ledger)?.basis === 'stated';
    return {
      account,
      currency,
      stated: stated as number,
      here,
      difference,
      implies_start: isImplied && statements[0] === statement,
      daily_settlement,
    };
  });
}
