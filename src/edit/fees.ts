/**
 * Changes of the trader's own fees: each is listed as an import, so that it can be undone
 * like one.
 */
import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import { type MadeTrades, makeTrades, walkBefore } from '../import/fills/make-trades.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { type OfUser, readOf } from '../journal-write/open.ts';
import { roundMoney } from '../money.ts';
import {
  type FeeRate,
  feeRatesOf,
  isFor,
  isRemoval,
} from '../statements/account-settings.ts';
import { FillTable } from '../statements/fills.ts';
import { type LineReport, withLine } from './edit.ts';

export interface FeesReport extends LineReport {
  fees: FeeRate[];
  trades: MadeTrades['trades'];
  /** Fees added to all trades, by currency. */
  added: { currency: string; amount: number }[];
  /** Symbols of the change without a fill that it applies to. */
  unused: string[];
}

/**
 * @param changes one per symbol; without amounts the fee is removed
 * @param title shown by "import list"
 * @throws UserError if a fee to remove doesn't exist; nothing is changed then
 */
export function changeFees(
  options: TargetOptions,
  changes: readonly FeeRate[],
  title: string,
): FeesReport {
  const account = changes[0]?.account ?? null;
  return withLine(
    options,
    { format: 'fees', line: title, account },
    ({ db, user, settings, importId }) => {
      const fills = new FillTable(db, user.id);
      const before = fills.feeRates.inForce();
      refuseUnknown(changes, before);

      const other = changes.filter(
        (rate) => !before.some((known) => isSameRate(known, rate)),
      );
      const feeless = fills.feeless();
      const unused = changes.filter((rate) => !feeless.some((fill) => isFor(rate, fill)));
      const walked = walkBefore(
        feeless.filter((fill) => other.some((rate) => isFor(rate, fill))),
        fills,
      );
      const feesBefore = feesByCurrency(db, user.id);
      for (const rate of other) fills.feeRates.add(importId, rate);
      const { trades } = makeTrades(db, walked, fills, {
        ...settings,
        areLegsSame: true,
      });
      const added = [...feesByCurrency(db, user.id)]
        .map(([currency, fees]) => ({
          currency,
          amount: roundMoney(fees - (feesBefore.get(currency) ?? 0)),
        }))
        .filter(({ amount }) => amount !== 0);

      return {
        report: {
          fees: fills.feeRates.inForce(),
          trades,
          added,
          unused: unused.map(({ symbol }) => symbol ?? ''),
        },
        changed: other.length,
        trades: trades.added + trades.changed,
      };
    },
  );
}

/** A user's fees in force. Writes nothing. */
export function listFees(options: OfUser): FeeRate[] {
  return readOf(options, (reader, { id }) => feeRatesOf(reader, id));
}

function refuseUnknown(changes: readonly FeeRate[], known: readonly FeeRate[]): void {
  for (const change of changes) {
    if (!isRemoval(change) || known.some((rate) => isSameKey(rate, change))) continue;
    const of = change.symbol === null ? 'for every symbol' : `of ${change.symbol}`;
    const where = change.account === null ? '' : ` in account ${change.account}`;
    throw new UserError(
      `there is no fee ${of}${where} to remove; "journal-api fees list" shows all fees`,
    );
  }
}

function isSameKey(a: FeeRate, b: FeeRate): boolean {
  return lower(a.symbol) === lower(b.symbol) && lower(a.account) === lower(b.account);
}

function isSameRate(a: FeeRate, b: FeeRate): boolean {
  return (
    isSameKey(a, b) &&
    (['per_contract', 'per_order', 'percent'] as const).every(
      (name) => a[name] === b[name],
    )
  );
}

function lower(text: string | null): string | undefined {
  return text?.toLowerCase();
}

function feesByCurrency(db: Database.Database, user: string): Map<string, number> {
  const sums = db
    .prepare<[string], { currency: string; fees: number }>(
      'SELECT currency, total(fees) AS fees FROM trades WHERE user_id = ? GROUP BY currency',
    )
    .all(user);
  return new Map(sums.map(({ currency, fees }) => [currency, fees]));
}
