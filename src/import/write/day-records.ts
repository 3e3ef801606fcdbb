/** The records of a day note: the day's session, journal entries of its trades, missed trades. */
import type { Values } from '../../journal-write/record.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';

/** Fields of a day note's section that belong to the trade; the others belong to its journal entry. */
export const TRADE_FIELDS: readonly string[] =
  'setup stop_loss take_profit initial_risk timeframe rating tags mistakes'.split(' ');

/** Prefix of the ids of records that day notes created. */
const MADE = 'day:';

/** Trades have ids of up to 128 characters. */
const LONGEST = 120;

const RECORDS = `WHERE user_id = ${TEXT} AND`;
const ENTRIES = `SELECT id FROM trade_journals ${RECORDS} trade_id = ${TEXT} AND phase = 'post_trade' ORDER BY created_at, id`;

export class DayRecords {
  readonly #reader: Reader;
  readonly #user: string;

  constructor(reader: Reader, user: string) {
    this.#reader = reader;
    this.#user = user;
  }

  /** The id of the day's session: the one that a note created, else the first; undefined without one. */
  sessionOf(date: string): string | undefined {
    return chosen(this.#ids(`SELECT id FROM sessions ${RECORDS} date = ${TEXT} ORDER BY id`, date));
  }

  /** The id of a trade's journal entry: the one that a note created, else the only post-trade one. */
  entryOf(trade: string): string | undefined {
    const all = this.#ids(ENTRIES, trade);
    return all.length === 1 || all.some((id) => id.startsWith(MADE)) ? chosen(all) : undefined;
  }

  /** The id of a missed trade; undefined if it is new. */
  missedOf({ missed_at, symbol, side }: Values): string | undefined {
    const same = `missed_at = ${TEXT} AND symbol = ${TEXT} AND side = ${TEXT}`;
    const [at, what, way] = [missed_at, symbol, side] as string[];
    return chosen(
      this.#ids(`SELECT id FROM missed_trades ${RECORDS} ${same} ORDER BY id`, at ?? '', what ?? '', way ?? ''),
    );
  }

  newSession(date: string): string {
    return `${MADE}${date}`;
  }

  /** A free id: an entry keeps its id if its trade's id changes, and another trade may take that id. */
  newEntry(trade: string): string {
    return this.#free(`${MADE}${trade.slice(-LONGEST)}`, 'trade_journals', new Set());
  }

  /** @param taken ids of new records, not written yet */
  newMissed(date: string, time: string, symbol: string, taken: ReadonlySet<string>): string {
    const own = symbol.replaceAll(/[^A-Za-z0-9._-]/g, '-');
    return this.#free(`${MADE}${date}.${time}-${own}`, 'missed_trades', taken);
  }

  #free(id: string, table: string, taken: ReadonlySet<string>): string {
    const isThere = (own: string) => this.#ids(`SELECT id FROM ${table} ${RECORDS} id = ${TEXT}`, own).length > 0;
    let free = id;
    for (let n = 2; taken.has(free) || isThere(free); n++) free = `${id}~${n}`;
    return free;
  }

  #ids(sql: string, ...values: string[]): string[] {
    return this.#reader.all(sql, this.#user, ...values).map(({ id }) => id as string);
  }
}

function chosen(ids: readonly string[]): string | undefined {
  return ids.find((id) => id.startsWith(MADE)) ?? ids[0];
}
