/** Changes of the trader's own fees: each is listed as an import, so that it can be undone like one. */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import { type FeeRate, feeRatesOf, isFor } from '../../import-tables/fee-rates.ts';
import { FillTable } from '../../import-tables/fills.ts';
import { ImportTable } from '../../import-tables/imports.ts';
import { readJournal, userFor } from '../../journal-write/read.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { roundMoney } from '../../money.ts';
import { toInstantText } from '../../time.ts';
import { type MadeTrades, makeTrades, walkBefore } from '../fills/make-trades.ts';
import { inTransaction, refuseMissing, type TargetJournal, type TargetOptions } from '../write/target-journal.ts';

export interface FeesReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** The change's id in the list of imports; null if nothing changed. */
  import: number | null;
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
export function changeFees(options: TargetOptions, changes: readonly FeeRate[], title: string): FeesReport {
  return inTransaction(options, (target) => {
    const report = changed(target, options, changes, title);
    return { result: report, commit: report.import === null ? null : { changesFills: false } };
  });
}

/** A user's fees in force. Writes nothing. */
export function listFees(options: Pick<TargetOptions, 'journal' | 'user'>): FeeRate[] {
  refuseMissing(options);
  const { id } = userFor(options.journal, options.user);
  return readJournal(options.journal, (reader) => feeRatesOf(reader, id));
}

function changed(
  target: TargetJournal,
  { journal, now: at, dryRun = false }: TargetOptions,
  changes: readonly FeeRate[],
  title: string,
): FeesReport {
  const db = target.open();
  const { user } = target;
  const now = toInstantText(at);
  const settings: WriteSettings = { user, timeZone: undefined, account: undefined, now };
  const [fills, imports] = [new FillTable(db, user.id), new ImportTable(db, user.id)];
  const before = fills.feeRates.inForce();
  refuseUnknown(changes, before);
  const other = changes.filter((rate) => !before.some((own) => isSameRate(own, rate)));
  const feeless = fills.feeless();
  const concerned = feeless.filter((fill) => other.some((rate) => isFor(rate, fill)));
  const unused = changes.filter((rate) => !feeless.some((fill) => isFor(rate, fill))).map(({ symbol }) => symbol ?? '');
  const walked = walkBefore(concerned, fills);
  const feesBefore = feesByCurrency(db, user.id);
  const account = changes[0]?.account ?? null;
  const id = imports.add({ imported_at: now, file: title, format: 'fees', resource: 'fees', account });
  for (const rate of other) fills.feeRates.add(id, rate);
  const { trades } = makeTrades(db, walked, fills, { ...settings, areLegsSame: true });
  imports.complete(id, {
    ...{ sha256: null, rows: other.length, fills: 0, records: 0 },
    ...{ trades: trades.added + trades.changed, skipped: {} },
  });
  const added = [...feesByCurrency(db, user.id)]
    .map(([currency, fees]) => ({ currency, amount: roundMoney(fees - (feesBefore.get(currency) ?? 0)) }))
    .filter(({ amount }) => amount !== 0);
  return {
    ...{ dry_run: dryRun, journal, user: user.id, import: other.length > 0 ? id : null },
    ...{ fees: fills.feeRates.inForce(), trades, added, unused },
  };
}

function refuseUnknown(changes: readonly FeeRate[], known: readonly FeeRate[]): void {
  for (const change of changes) {
    if (!isRemoval(change) || known.some((own) => isSameKey(own, change))) continue;
    const of = change.symbol === null ? 'for every symbol' : `of ${change.symbol}`;
    const where = change.account === null ? '' : ` in account ${change.account}`;
    throw new UserError(`there is no fee ${of}${where} to remove; "journal-api fees list" shows all fees`);
  }
}

function isRemoval({ per_contract, per_order, percent }: FeeRate): boolean {
  return per_contract === null && per_order === null && percent === null;
}

function isSameKey(a: FeeRate, b: FeeRate): boolean {
  return lower(a.symbol) === lower(b.symbol) && lower(a.account) === lower(b.account);
}

function isSameRate(a: FeeRate, b: FeeRate): boolean {
  return isSameKey(a, b) && (['per_contract', 'per_order', 'percent'] as const).every((name) => a[name] === b[name]);
}

function lower(text: string | null): string | undefined {
  return text?.toLowerCase();
}

function feesByCurrency(db: Database.Database, user: string): Map<string, number> {
  const sums = db
    .prepare('SELECT currency, total(fees) AS fees FROM trades WHERE user_id = ? GROUP BY currency')
    .all(user);
  return new Map((sums as { currency: string; fees: number }[]).map(({ currency, fees }) => [currency, fees]));
}
