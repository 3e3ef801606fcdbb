/**
 * Rows with a date and no time: they hold the start of their day in the user's time zone.
 */
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../time.ts';
import type { User } from './journal.ts';

/**
 * The starts of a zone's days, as instants of the journal. Readers order rows of a day by
 * milliseconds within its first second.
 */
export class DayStarts {
  readonly #clock: ZoneClock;
  readonly #starts = new Map<string, string>();

  constructor(timeZone: string) {
    this.#clock = new ZoneClock(timeZone);
  }

  dateOf(instant: string): string {
    return this.#clock.dateOf(fromInstantText(instant));
  }

  /** @param like an instant with the milliseconds to keep */
  startOf(date: string, like = START): string {
    let start = this.#starts.get(date);
    if (start === undefined) {
      start = toInstantText(this.#clock.startOfDay(date)).slice(0, -START.length);
      this.#starts.set(date, start);
    }
    return start + like.slice(-START.length);
  }

  /** The day that starts at an instant; undefined if none does. */
  dayFrom(instant: string): string | undefined {
    const date = this.dateOf(instant);
    return this.startOf(date, instant) === instant ? date : undefined;
  }
}

const START = '.000Z';

/** Numbers of rows without a time that don't hold the start of a day. */
export type MisplacedDays = Record<
  'fills' | 'executions' | 'trades' | 'cash_flows',
  number
>;

const BY_INSTANT = (table: 'fills' | 'executions') =>
  `SELECT executed_at AS instant, count(*) AS rows FROM ${table}
   WHERE user_id = ${TEXT} AND has_time = 0 GROUP BY executed_at`;

const CASH_FLOWS = `SELECT at AS instant, count(*) AS rows FROM cash_flows
  WHERE user_id = ${TEXT} AND has_time = 0 GROUP BY at`;

/**
 * Without those that give way to a time of the same trade, so that it never closes before
 * it opens.
 */
const EXECUTIONS = `SELECT e.executed_at AS instant, count(*) AS rows FROM executions AS e
  WHERE e.user_id = ${TEXT} AND e.has_time = 0 AND NOT EXISTS (SELECT 1 FROM executions AS o
    WHERE o.user_id = e.user_id AND o.trade_id = e.trade_id AND o.executed_at = e.executed_at
      AND o.has_time = 1)
  GROUP BY e.executed_at`;

const TRADES = `SELECT id, executed_at, closed_at FROM trades WHERE user_id = ${TEXT} AND has_time = 0`;

const HAS_EXECUTIONS = `SELECT 1 FROM executions WHERE user_id = ${TEXT} AND trade_id = ${TEXT} LIMIT 1`;

/** Counts rows that another program moved, or whose user's time zone it changed. */
export function misplacedDays(
  reader: Reader,
  user: Pick<User, 'id' | 'timezone'>,
): MisplacedDays {
  const { id, timezone } = user;
  const days = new DayStarts(timezone);
  const isDay = (instant: unknown) =>
    typeof instant === 'string' && days.dayFrom(instant) !== undefined;

  const count = (sql: string) => {
    let misplaced = 0;
    for (const { instant, rows } of reader.all(sql, id)) {
      if (!isDay(instant)) misplaced += Number(rows);
    }
    return misplaced;
  };

  let trades = 0;
  for (const { id: trade, executed_at, closed_at } of reader.all(TRADES, id)) {
    // One of both ends may have a time. Those with executions follow them.
    if (isDay(executed_at) || isDay(closed_at)) continue;
    if (!reader.get(HAS_EXECUTIONS, id, String(trade))) trades++;
  }

  const executions = count(BY_INSTANT('executions')) === 0 ? 0 : count(EXECUTIONS);
  return {
    fills: count(BY_INSTANT('fills')),
    executions,
    trades,
    cash_flows: count(CASH_FLOWS),
  };
}
