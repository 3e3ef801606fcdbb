/** Which trade an entry is about that names a symbol and a time instead of an id. */
import type Database from 'better-sqlite3';
import type { Values } from '../../journal-write/record.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { addDays, parseInstant, toInstantText, ZoneClock } from '../../time.ts';

interface Candidate {
  id: string;
  side: string;
  executed_at: string;
  closed_at: string | null;
}

const NAMED = 5;

export class TradeFinder {
  readonly #user: string;
  readonly #clock: ZoneClock;
  readonly #find: Database.Statement;

  /** @param zone that days are days in */
  constructor(db: Database.Database, user: string, zone: string) {
    this.#user = user;
    this.#clock = new ZoneClock(zone);
    this.#find = db.prepare(
      'SELECT id, side, executed_at, closed_at FROM trades WHERE user_id = ? AND symbol = ? COLLATE NOCASE ORDER BY executed_at, id',
    );
  }

  /**
   * The entry with its trade_id, and without what led to it: a symbol and when the trade was entered, or was open, to the
   * minute; the start of a day is the whole day.
   * @throws RowError that names the trades it could be, where that is not one
   */
  resolved({ symbol, executed_at: time, ...entry }: Values): Values {
    if (typeof entry['trade_id'] === 'string' || typeof symbol !== 'string') return entry;
    const all = this.#find.all(this.#user, symbol) as Candidate[];
    const at = time === undefined || time === null ? undefined : instantOf(time);
    const fitting = at === undefined ? all : this.#at(all, at);
    const [only] = fitting;
    if (only && fitting.length === 1) return { ...entry, trade_id: only.id };
    const when = at === undefined ? '' : ` at ${toInstantText(at)}`;
    const named = (fitting.length > 0 ? fitting : [])
      .slice(0, NAMED)
      .map((one) => `${one.id} (${one.side}, ${one.executed_at})`);
    const more = fitting.length - named.length;
    throw new RowError(
      'trade_id',
      fitting.length === 0
        ? `is missing, and there is no trade in ${symbol}${when}`
        : `is missing, and there are ${fitting.length} trades in ${symbol}${when}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}; name one of them`,
    );
  }

  /** Those entered then, else those that were open then. */
  #at(all: readonly Candidate[], at: number): Candidate[] {
    const [from, to] = this.#span(at);
    const entered = all.filter(({ executed_at }) => executed_at >= from && executed_at < to);
    if (entered.length > 0) return entered;
    return all.filter(({ executed_at, closed_at }) => executed_at < to && (closed_at === null || closed_at >= from));
  }

  #span(at: number): [from: string, to: string] {
    const day = this.#clock.dateOf(at);
    const isDay = this.#clock.startOfDay(day) === at;
    const from = isDay ? at : Math.floor(at / 60_000) * 60_000;
    const to = isDay ? this.#clock.startOfDay(addDays(day, 1)) : from + 60_000;
    return [toInstantText(from), toInstantText(to)];
  }
}

function instantOf(time: unknown): number {
  const at = typeof time === 'string' ? parseInstant(time) : undefined;
  if (at !== undefined) return at;
  throw new RowError(
    'executed_at',
    `must be a date and time with its offset, such as 2026-11-20T14:30:00Z; got ${quote(time)}`,
  );
}
