/**
 * What is set for accounts: their limits, as their firms state them, with the trading days
 * that they are about; and their starting balances.
 */

import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import { DAY, dayNumber, isTimeZone, ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { storedNumber, storedText } from '../stored-value.ts';

/** When the floor rises: never, at the end of a day, or with each new high. */
export const TRAILING = ['static', 'eod', 'intraday'] as const;

/** Amounts are in the account's currency. */
export interface AccountRules {
  /** At the start. */
  balance: number;
  max_loss: number;
  trailing: (typeof TRAILING)[number];
  /** The floor never rises above it. */
  locks_at: number | null;
  daily_loss: number | null;
  /** Profit. */
  target: number | null;
  /** Maximum share of the best day in the whole profit. */
  best_day: number | null;
  min_days: number | null;
  /** Profit of a day that counts. */
  min_day_profit: number | null;
  /** Local time, such as 17:00; null: midnight. */
  day_ends: string | null;
  /** Null: the user's. */
  timezone: string | null;
  /** The first day. */
  since: string | null;
  /** Null: the currency of its trades. */
  currency: string | null;
}

const AMOUNTS = [
  ...([
    'balance',
    'max_loss',
    'locks_at',
    'daily_loss',
    'target',
    'best_day',
    'min_days',
    'min_day_profit',
  ] as const),
];
const TEXTS = ['trailing', 'day_ends', 'timezone', 'since', 'currency'] as const;
export const RULES: readonly (keyof AccountRules)[] = [...AMOUNTS, ...TEXTS];

/** The rules of an account by one import; null if it removed them. */
export interface RuleChange {
  account: string;
  rules: AccountRules | null;
}

/** All changes of a user's limits, the earliest first. */
export function ruleChangesOf(
  reader: Reader,
  user: string,
): (RuleChange & { import: number })[] {
  const rows = reader.all<Row & { import_id: number }>(
    `SELECT import_id, account, ${RULES.join(', ')} FROM account_limits WHERE user_id = ${TEXT} ORDER BY import_id, account`,
    user,
  );
  return rows.map((row) => {
    const entriesOf = (
      names: readonly (keyof AccountRules)[],
      read: (value: unknown) => unknown,
    ) => names.map((name) => [name, row[name] === null ? null : read(row[name])]);
    const rules = Object.fromEntries([
      ...entriesOf(AMOUNTS, storedNumber),
      ...entriesOf(TEXTS, storedText),
    ]) as AccountRules;

    return {
      import: row.import_id,
      account: storedText(row['account']),
      rules: rules.balance === null ? null : rules,
    };
  });
}

/** The limits in force, by account in lower case, in the order of these. */
export function rulesInForce<T extends RuleChange>(
  changes: readonly T[],
): Map<string, T & { rules: AccountRules }> {
  const latest = new Map(changes.map((change) => [foldCase(change.account), change]));
  const inForce = [...latest].filter(
    (pair): pair is [string, T & { rules: AccountRules }] => pair[1].rules !== null,
  );
  return new Map(inForce.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Days of an account, by number: each ends at one local time, and has the date of its
 * last moment.
 */
export class TradingDays {
  readonly #clock: ZoneClock;
  /** From the end of a day to the midnight after it. */
  readonly #shift: number;
  /** The last one used. */
  #known = { day: 0, from: 0, to: 0 };

  /** @returns undefined for an unknown time zone */
  static of({ day_ends, timezone }: AccountRules, user: User): TradingDays | undefined {
    const zone = timezone ?? user.timezone;
    return isTimeZone(zone)
      ? new TradingDays(new ZoneClock(zone), day_ends ?? '00:00')
      : undefined;
  }

  private constructor(clock: ZoneClock, ends: string) {
    const [hours = 0, minutes = 0] = ends.split(':').map(Number);
    this.#clock = clock;
    this.#shift = (DAY - (hours * 60 + minutes) * 60_000) % DAY;
  }

  dayOf(epochMs: number): number {
    const { day, from, to } = this.#known;
    if (epochMs >= from && epochMs < to) return day;

    let found = Math.floor((epochMs + this.#clock.offsetAt(epochMs) + this.#shift) / DAY);
    // A clock set back at that time passes it twice: the day ends at the first.
    if (epochMs >= this.endOf(found)) found++;
    // One set forward at that time skips it.
    else if (epochMs < this.endOf(found - 1)) found--;

    this.#known = { day: found, from: this.endOf(found - 1), to: this.endOf(found) };
    return found;
  }

  /** The first instant after a day. */
  endOf(day: number): number {
    return this.#clock.instantOf((day + 1) * DAY - this.#shift);
  }

  startOf(date: string): number {
    return this.endOf(dayNumber(date) - 1);
  }
}

// Starting balances. Each change is a row of its import, whose undo deletes it.

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
