/** The records that a day's note is about: the session of a day, the entry of a trade. */
import type Database from 'better-sqlite3';
import type { Values } from '../../journal-write/record.ts';
import { TEXT } from '../../sqlite/reader.ts';

/** Ids of what notes of days made begin so. */
const MADE = 'day:';

/** Trades have ids of up to 128 characters. */
const LONGEST = 120;

export class DayRecords {
  readonly #user: string;
  readonly #sessions: Database.Statement;
  readonly #entries: Database.Statement;
  readonly #entry: Database.Statement;
  readonly #missed: Database.Statement;
  readonly #missedAt: Database.Statement;

  constructor(db: Database.Database, user: string) {
    this.#user = user;
    const ids = (table: string, condition: string) =>
      db.prepare(`SELECT id FROM ${table} WHERE user_id = ${TEXT} AND ${condition}`).pluck();
    this.#sessions = ids('sessions', `date = ${TEXT} ORDER BY date, id`);
    this.#entries = ids('trade_journals', `trade_id = ${TEXT} AND phase = 'post_trade' ORDER BY created_at, id`);
    this.#entry = ids('trade_journals', `id = ${TEXT}`);
    this.#missed = ids('missed_trades', `id = ${TEXT}`);
    this.#missedAt = ids('missed_trades', `missed_at = ${TEXT} AND symbol = ${TEXT} AND side = ${TEXT} ORDER BY id`);
  }

  /** The id of the day's session: the one that a note made, else the first; undefined without one. */
  sessionOf(date: string): string | undefined {
    return chosen(this.#sessions.all(this.#user, date) as string[]);
  }

  /** The id of a trade's entry: the one that a note made, else the only one of after the trade. */
  entryOf(trade: string): string | undefined {
    const all = this.#entries.all(this.#user, trade) as string[];
    return all.length === 1 || all.some((id) => id.startsWith(MADE)) ? chosen(all) : undefined;
  }

  /** The id of a missed trade; undefined where it is new. */
  missedOf({ missed_at, symbol, side }: Values): string | undefined {
    return chosen(this.#missedAt.all(this.#user, missed_at, symbol, side) as string[]);
  }

  newSession(date: string): string {
    return `${MADE}${date}`;
  }

  /** An entry stays with its trade when a walk gives that another id, which may be that of another trade by now. */
  newEntry(trade: string): string {
    return this.#free(`${MADE}${trade.slice(-LONGEST)}`, this.#entry, new Set());
  }

  /** @param taken ids of new ones, not written yet */
  newMissed(date: string, time: string, symbol: string, taken: ReadonlySet<string>): string {
    const own = symbol.replaceAll(/[^A-Za-z0-9._-]/g, '-');
    return this.#free(`${MADE}${date}.${time}-${own}`, this.#missed, taken);
  }

  #free(id: string, find: Database.Statement, taken: ReadonlySet<string>): string {
    let free = id;
    for (let n = 2; taken.has(free) || find.get(this.#user, free) !== undefined; n++) free = `${id}~${n}`;
    return free;
  }
}

function chosen(ids: readonly string[]): string | undefined {
  return ids.find((id) => id.startsWith(MADE)) ?? ids[0];
}
