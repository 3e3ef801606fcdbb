/** Exchange rates that users set: lists, sets and removes them. */
import { UserError } from '../errors.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { type OfUser, readOf } from '../journal-write/open.ts';
import { compare } from '../journal-write/record.ts';
import { Reader } from '../sqlite/reader.ts';
import {
  type AppliedRates,
  addRates,
  applyRates,
  type RateChange,
  rateChangesOf,
  setRatesOf,
} from '../statements/exchange-rates.ts';
import { type LineReport, withLine } from './edit.ts';

export type RatesReport = LineReport & AppliedRates;

/** @throws UserError for a rate of the base currency itself */
export function setRates(
  options: TargetOptions,
  rates: ReadonlyMap<string, number>,
  from: string | undefined,
  line: string,
): RatesReport {
  return changeRates(options, line, (base) => {
    if (rates.has(base))
      throw new UserError(`${base} is your base currency, whose rate is 1; omit it`);
    return [...rates].map(([currency, rate]) => ({
      currency,
      base,
      kind: 'set',
      days: { [from ?? '']: rate },
    }));
  });
}

/** @throws UserError if no rate of the currency is set */
export function removeRates(
  options: TargetOptions,
  currencies: readonly string[],
  line: string,
): RatesReport {
  return changeRates(options, line, (base, before) => {
    const set = setRatesOf(before).map(({ change }) => change);
    return currencies.map((currency) => {
      if (set.some((change) => change.currency === currency && change.base === base))
        return { currency, base, kind: 'removed', days: {} };

      const table = before.find(
        (change) => change.currency === currency && change.kind === 'table',
      );
      throw new UserError(
        table
          ? `no rate of ${currency} is set; those of a table are removed with "journal-api import undo ${table.import}"`
          : `there is no rate of ${currency} to remove; "journal-api rates list" shows all rates`,
      );
    });
  });
}

function changeRates(
  options: TargetOptions,
  line: string,
  changesOf: (base: string, before: ReturnType<typeof rateChangesOf>) => RateChange[],
): RatesReport {
  return withLine(options, { format: 'rates', line }, ({ db, user, importId }) => {
    const before = rateChangesOf(new Reader(db), user.id);
    const changes = changesOf(user.base_currency, before);

    const inForce = (all: readonly RateChange[]) =>
      JSON.stringify(
        setRatesOf(all)
          .map(({ change, from, rate }) => [change.currency, change.base, from, rate])
          .sort(),
      );

    const isSame = inForce(before) === inForce([...before, ...changes]);
    if (!isSame) addRates(db, user.id, importId, changes);
    const report = applyRates(db, user);

    return {
      report,
      changed: isSame ? 0 : changes.length,
      trades: report.filled + report.cleared,
    };
  });
}

/** Rates in force: a set one from a day on, or a table of days. */
export interface ListedRate {
  currency: string;
  base: string;
  kind: 'set' | 'table';
  /** The first day; null for all days. */
  from: string | null;
  /** The last day of a table. */
  to: string | null;
  /** Null for a table. */
  rate: number | null;
  /** Number of days of a table. */
  days: number | null;
  import: number;
  /** False: the user's base currency is another one now. */
  is_used: boolean;
}

export function listRates(options: OfUser): ListedRate[] {
  const [changes, { base_currency }] = readOf(
    options,
    (reader, user) => [rateChangesOf(reader, user.id), user] as const,
  );
  const listed = ({ currency, base, import: line }: (typeof changes)[number]) => ({
    currency,
    base,
    import: line,
    is_used: base === base_currency,
  });

  const set = setRatesOf(changes).map(
    ({ change, from, rate }): ListedRate => ({
      ...listed(change),
      kind: 'set',
      from: from === '' ? null : from,
      to: null,
      rate,
      days: null,
    }),
  );
  const tables = changes.flatMap((change): ListedRate[] => {
    const days = Object.keys(change.days).sort();
    if (change.kind !== 'table') return [];
    const [from = null, to = null] = [days[0], days.at(-1)];
    return [
      { ...listed(change), kind: 'table', from, to, rate: null, days: days.length },
    ];
  });
  return [...set, ...tables].sort((a, b) => compare(a.currency, b.currency));
}
