/** The ending cash of MetaTrader's reports. */
import type { StatedCash } from '../fills/reading.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import { amountOf } from './metatrader-tester.ts';

interface Account {
  account: string | null;
  currency: string;
}

/** Label of the balance in the summary, in the languages of the terminal that are known. */
const BALANCE = /^(?:Balance|Solde|Saldo|Bilanz|Kontostand|Баланс|残高|余额) ?:$/;

/** The balance that a report states below its rows. */
export function endingCash(rows: readonly CsvRow[], account: Account): StatedCash[] {
  for (const { cells } of rows) {
    const at = cells.findIndex((cell) => BALANCE.test(cell));
    if (at === -1) continue;

    const amount = cells
      .slice(at + 1)
      .map(amountOf)
      .find((value) => value !== undefined);
    if (amount !== undefined) return [{ ...account, amount, at: null }];
  }

  return [];
}
