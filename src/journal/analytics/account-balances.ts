/**
 * Starting balances of accounts. Each change is a row of its import, whose undo deletes
 * it.
 */
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import { storedNumber, storedText } from '../stored-value.ts';

/** The starting balance of an account by one import; null if it removed it. */
export interface BalanceChange {
  account: string;
  starting_balance: number | null;
  currency: string;
}

/** All changes of a user's balances, the earliest first. */
export function balanceChangesOf(
  reader: Reader,
  user: string,
): (BalanceChange & { import: number })[] {
  const rows = reader.all<Row & { import_id: number }>(
    `SELECT import_id, account, starting_balance, currency FROM account_balances
     WHERE user_id = ${TEXT} ORDER BY import_id, account`,
    user,
  );
  return rows.map(({ import_id, account, starting_balance: balance, currency }) => ({
    import: import_id,
    account: storedText(account),
    starting_balance: balance === null ? null : storedNumber(balance),
    currency: storedText(currency),
  }));
}

/** The balances in force, by account in lower case. */
export function balancesInForce<T extends BalanceChange>(
  changes: readonly T[],
): Map<string, T> {
  const latest = new Map(changes.map((change) => [foldCase(change.account), change]));
  for (const [account, { starting_balance }] of latest)
    if (starting_balance === null) latest.delete(account);
  return latest;
}
