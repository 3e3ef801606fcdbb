/** Rows with a date and no time: they hold the start of their day in the user's time zone. */
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../time.ts';
import type { User } from './journal.ts';

/** Length of an instant's text up to its second. */
const SECOND = 19;

/** The starts of a zone's days, as instants of the journal. */
export class DayStarts {
  readonly #clock: ZoneClock;
  readonly #starts = new Map<string, string>();

  constructor(timeZone: string) {
    this.#clock = new ZoneClock(timeZone);
  }

  startOf(date: string): string {
    let start = this.#starts.get(date);
    if (start === undefined) {
      start = toInstantText(this.#clock.startOfDay(date));
      this.#starts.set(date, start);
    }
    return start;
  }

  /** The day that starts at an instant; undefined if none does. Milliseconds after it order rows of one day. */
  dayFrom(instant: string): string | undefined {
    const date = this.#clock.dateOf(fromInstantText(instant));
    return this.startOf(date).slice(0, SECOND) === instant.slice(0, SECOND) ? date : undefined;
  }

  /** The start of a day, with the milliseconds of an instant. */
  startLike(instant: string, date: string): string {
    return this.startOf(date).slice(0, SECOND) + instant.slice(SECOND);
  }
}

/** Numbers of rows without a time that don't hold the start of a day. */
export type MisplacedDays = Record<'fills' | 'executions' | 'trades', number>;

/** A day gives way to a time of the same trade, so that it never closes before it opens. */
const BY_INSTANT = {
  fills: `SELECT executed_at AS instant, count(*) AS rows FROM fills
    WHERE user_id = ${TEXT} AND has_time = 0 GROUP BY executed_at`,
  executions: `SELECT e.executed_at AS instant, count(*) AS rows FROM executions AS e INDEXED BY executions_days
    WHERE e.user_id = ${TEXT} AND e.has_time = 0 AND NOT EXISTS (SELECT 1 FROM executions AS o
      WHERE o.user_id = e.user_id AND o.trade_id = e.trade_id AND o.executed_at = e.executed_at
        AND o.has_time = 1)
    GROUP BY e.executed_at`,
} as const;

/** Trades without executions: one of both ends may have a time. */
const WITHOUT_EXECUTIONS = `SELECT executed_at, closed_at FROM trades AS t
  WHERE user_id = ${TEXT} AND has_time = 0 AND NOT EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id)`;

/** Counts rows that another program moved, or whose user's time zone it changed. */
export function misplacedDays(reader: Reader, { id, timezone }: Pick<User, 'id' | 'timezone'>): MisplacedDays {
  const days = new DayStarts(timezone);
  const isDay = (instant: unknown) => typeof instant === 'string' && days.dayFrom(instant) !== undefined;
  const count = (sql: string) => {
    let misplaced = 0;
    for (const { instant, rows } of reader.all(sql, id)) if (!isDay(instant)) misplaced += Number(rows);
    return misplaced;
  };
  let trades = 0;
  for (const { executed_at, closed_at } of reader.all(WITHOUT_EXECUTIONS, id)) {
    if (!isDay(executed_at) && !isDay(closed_at)) trades++;
  }
  return { fills: count(BY_INSTANT.fills), executions: count(BY_INSTANT.executions), trades };
}
