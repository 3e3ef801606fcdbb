import type { Reader, Row } from '../sqlite/reader.ts';
import { isDate, ZoneClock } from '../time.ts';
import { performanceOf } from './analytics/index.ts';
import { daysFromTo } from './analytics/statistics.ts';
import type { User } from './journal.ts';
import { DamagedRecord } from './stored-value.ts';

/**
 * Adds `metrics` to records of days or weeks: figures of the trades closed from the first to the last day, both included. The
 * analytics computes them with the same code.
 *
 * @param days the fields with the first and the last day
 */
export function* withMetrics(
  reader: Reader,
  user: User,
  days: { from: string; to: string },
  records: readonly Row[],
): Generator<void, Row[]> {
  const clock = new ZoneClock(user.timezone);
  const result: Row[] = [];
  for (const record of records) {
    const [first, last] = [String(record[days.from]), String(record[days.to])];
    if (!isDate(first) || !isDate(last)) throw new DamagedRecord();
    const interval = daysFromTo(clock, first, last);
    const { trades, net_pnl, win_rate, total_r, max_drawdown } = yield* performanceOf(reader, user, interval, {
      filters: {},
      unit: 'trade',
    });
    const metrics = { trades, net_pnl, win_rate, total_r, max_drawdown: max_drawdown?.amount ?? null };
    result.push({ ...record, metrics });
    yield;
  }
  return result;
}
