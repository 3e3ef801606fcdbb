/** Rates by day, and the trades that lack one filled from them. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import type { Values } from '../../journal-write/record.ts';
import { addDays, fromInstantText, ZoneClock } from '../../time.ts';

/** Over weekends and holidays the last rate before counts, but none that is older: Easter and Christmas leave four days out. */
const DAYS_BACK = 7;

export class DailyRates {
  readonly #byCurrency = new Map<string, Map<string, number>>();

  /** @returns the rate that is there already, where it is another one */
  add(currency: string, date: string, rate: number): number | undefined {
    let own = this.#byCurrency.get(currency);
    if (!own) {
      own = new Map();
      this.#byCurrency.set(currency, own);
    }
    const before = own.get(date);
    if (before !== undefined && before !== rate) return before;
    own.set(date, rate);
    return undefined;
  }

  /** The rate of a day, else the last one of the week before. */
  at(currency: string, date: string): number | undefined {
    const own = this.#byCurrency.get(currency);
    for (let back = 0; own && back <= DAYS_BACK; back++) {
      const rate = own.get(addDays(date, -back));
      if (rate !== undefined) return rate;
    }
    return undefined;
  }
}

/** What came of rates. */
export interface RateReport {
  /** Trades that got a rate. */
  filled: number;
  /** Closed trades that still have none, by currency, with the first and the last day of them. */
  missing: { currency: string; trades: number; first: string; last: string }[];
}

interface Rateless {
  id: string;
  currency: string;
  closed_at: string;
}

/**
 * Gives each closed trade without a rate that of its closing day in the user's zone. A rate that is there stays.
 * @param put writes fields of a trade
 */
export function fillRates(
  db: Database.Database,
  user: User,
  rates: DailyRates,
  put: (values: Values) => void,
): RateReport {
  const clock = new ZoneClock(user.timezone);
  const report: RateReport = { filled: 0, missing: [] };
  const missing = new Map<string, RateReport['missing'][number]>();
  const trades = db
    .prepare(
      `SELECT id, currency, closed_at FROM trades
       WHERE user_id = ? AND status = 'closed' AND fx_rate IS NULL AND currency <> ? ORDER BY closed_at, id`,
    )
    .all(user.id, user.base_currency) as Rateless[];
  for (const { id, currency, closed_at } of trades) {
    const day = clock.dateOf(fromInstantText(closed_at));
    const rate = rates.at(currency, day);
    if (rate !== undefined) {
      put({ id, fx_rate: rate });
      report.filled++;
      continue;
    }
    const own = missing.get(currency) ?? { currency, trades: 0, first: day, last: day };
    missing.set(currency, { ...own, trades: own.trades + 1, last: day });
  }
  report.missing.push(...missing.values());
  return report;
}
