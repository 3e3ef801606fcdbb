/** Fills the missing exchange rates of closed trades. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import type { Values } from '../../journal-write/record.ts';
import { fromInstantText, ZoneClock } from '../../time.ts';
import type { DailyRates } from '../fills/daily-rates.ts';
import type { RateReport } from '../report/import-report.ts';

interface Rateless {
  id: string;
  currency: string;
  closed_at: string;
}

/**
 * Sets the missing rate of each closed trade to that of its closing day in the user's zone. Existing rates stay.
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
  report.missing = [...missing.values()];
  return report;
}
