/**
 * The records that notes of a day or week are about: their ids in the journal, and new
 * ones.
 */
import { type groupJournals, tradeJournals } from '../journal/resources/journals.ts';
import type { Values } from '../journal-write/record.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { fromInstantText, localText } from '../time.ts';

/** Prefix of the ids of records that day notes created. */
const MADE = 'day:';

/** Trades have ids of up to 128 characters. */
const LONGEST = 120;

const RECORDS = `WHERE user_id = ${TEXT} AND`;

/** Journal entries about trades, or about groups. */
export type EntriesOf = typeof tradeJournals | typeof groupJournals;

const entriesOf = ({ table }: EntriesOf) =>
  `SELECT id FROM ${table} ${RECORDS} ${table === 'trade_journals' ? 'trade_id' : 'group_id'}
   = ${TEXT} AND phase = 'post_trade' ORDER BY created_at, id`;

const STATED = `SELECT min(import_id) AS first FROM import_records
  ${RECORDS} resource = ${TEXT} AND record_id = ${TEXT}`;

/** In the order in which notes made them: ~2 before ~10, and before those of others. */
export const missedOrder = (id: string) =>
  `${id} LIKE '${MADE}%' DESC, length(${id}), ${id}`;

const MISSED_ORDER = missedOrder('m.id');

/** Where a note states a missed trade. */
export interface MissedPlace {
  path: string;
  line: number;
  /** The zone in which the note is read. */
  zone: string;
  userZone: string;
}

interface NotedMissed {
  id: string;
  missed_at: string;
  place: number | null;
  /** Null if none was given. */
  zone: string | null;
}

export class DayRecords {
  readonly #reader: Reader;
  readonly #user: string;
  readonly #before: number | undefined;
  /** The next number to try for an id that isn't free. */
  readonly #next = new Map<string, number>();
  /** Ids of missed trades by time, symbol and side. */
  readonly #missed = new Map<string, string[]>();
  readonly #returned = new Set<string>();

  /**
   * @param before a line of the list of imports: records that later ones added aren't
   * found
   */
  constructor(reader: Reader, user: string, before?: number) {
    this.#reader = reader;
    this.#user = user;
    this.#before = before;
  }

  /**
   * The id of the day's session: the one that a note created, else the first; undefined
   * without one.
   */
  sessionOf(date: string): string | undefined {
    return chosen(
      this.#known(
        'sessions',
        `SELECT id FROM sessions ${RECORDS} date = ${TEXT} ORDER BY id`,
        date,
      ),
    );
  }

  /** The id of the review of a week that begins on a Monday. */
  reviewOf(monday: string): string | undefined {
    return this.#known(
      'weekly-reviews',
      `SELECT id FROM weekly_reviews ${RECORDS} period_start = ${TEXT} ORDER BY id NOT LIKE 'week:%', id`,
      monday,
    )[0];
  }

  /**
   * The id of the journal entry of a trade or group: the one that a note created, else
   * the only post-trade one.
   */
  entryOf(about: string, entries: EntriesOf = tradeJournals): string | undefined {
    const all = this.#known(entries.path, entriesOf(entries), about);
    return all.length === 1 || all.some((id) => id.startsWith(MADE))
      ? chosen(all)
      : undefined;
  }

  /**
   * The id of a missed trade; undefined if it is new. Each id is returned once: several
   * may have one time, symbol and side. A note that was read in another zone states the
   * same ones at other times.
   */
  missedOf(values: Values, note: MissedPlace): string | undefined {
    const at = localText(values['missed_at'] as string, note.zone);
    const ofNote = this.#missedIn(note, values);
    const same = ofNote.find(
      (known) => localText(known.missed_at, known.zone ?? note.userZone) === at,
    );
    return this.#once(same?.id ?? this.#missedAt(values));
  }

  /**
   * The same of those that are left, by their line: the user's zone may have changed
   * since.
   */
  missedOnLine(values: Values, note: MissedPlace): string | undefined {
    const known = this.#missedIn(note, values).filter(
      ({ zone, place }) => zone === null && place === note.line,
    );
    return this.#once(known.find(({ missed_at }) => isShifted(missed_at, values))?.id);
  }

  /** Of an edited note, which has a section per missed trade in their order. */
  missedAt(values: Values): string | undefined {
    return this.#once(this.#missedAt(values));
  }

  #once(id: string | undefined): string | undefined {
    if (id !== undefined) this.#returned.add(id);
    return id;
  }

  #missedAt({ missed_at, symbol, side }: Values): string | undefined {
    const key = [missed_at, symbol, side] as string[];
    const same = `missed_at = ${TEXT} AND symbol = ${TEXT} AND side = ${TEXT}`;
    const sql = `SELECT id FROM missed_trades AS m ${RECORDS} ${same} ORDER BY ${MISSED_ORDER}`;
    const left =
      this.#missed.get(key.join()) ?? this.#known('missed-trades', sql, ...key);
    this.#missed.set(key.join(), left);
    return left.find((id) => !this.#returned.has(id));
  }

  /**
   * Those of a symbol and side that a note stated before, as its latest import read them.
   */
  #missedIn({ path }: MissedPlace, { symbol, side }: Values): NotedMissed[] {
    const known = this.#reader.all<NotedMissed>(
      `SELECT m.id, m.missed_at, r.place,
         coalesce(i.timezone, i.options ->> 'timezone') AS zone, max(r.import_id)
       FROM missed_trades AS m
         JOIN import_records AS r ON r.user_id = m.user_id
           AND r.resource = 'missed-trades' AND r.record_id = m.id
         JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
       WHERE m.user_id = ${TEXT} AND r.path = ${TEXT} AND r.kind = 'stated'
         AND m.symbol = ${TEXT} AND m.side = ${TEXT}
       GROUP BY m.id ORDER BY ${MISSED_ORDER}`,
      this.#user,
      path,
      symbol as string,
      side as string,
    );
    return known.filter(
      ({ id }) => !this.#returned.has(id) && !this.#isLater('missed-trades', id),
    );
  }

  newSession(date: string): string {
    return `${MADE}${date}`;
  }

  /**
   * A free id: an entry keeps its id if its trade's id changes, and another trade may
   * take that id.
   */
  newEntry(about: string, { table }: EntriesOf = tradeJournals): string {
    return this.#free(`${MADE}${about.slice(-LONGEST)}`, table);
  }

  newMissed(date: string, time: string, symbol: string): string {
    const named = symbol.replaceAll(/[^A-Za-z0-9._-]/g, '-');
    return this.#free(`${MADE}${date}.${time}-${named}`, 'missed_trades');
  }

  /** An id that no record has, and that wasn't returned before. */
  #free(id: string, table: string): string {
    const isThere = (known: string) =>
      this.#ids(`SELECT id FROM ${table} ${RECORDS} id = ${TEXT}`, known).length > 0;
    const numbered = (n: number) => (n === 1 ? id : `${id}~${n}`);
    let n = this.#next.get(id) ?? 1;
    while (isThere(numbered(n))) n++;
    this.#next.set(id, n + 1);
    return numbered(n);
  }

  #known(resource: string, sql: string, ...values: string[]): string[] {
    const ids = this.#ids(sql, ...values);
    if (this.#before === undefined) return ids;
    return ids.filter((id) => !this.#isLater(resource, id));
  }

  #isLater(resource: string, id: string): boolean {
    if (this.#before === undefined) return false;

    const ids = [this.#user, resource, id];
    const { first } = this.#reader.only<{ first: number | null }>(STATED, ...ids);
    return first !== null && first > this.#before;
  }

  #ids(sql: string, ...values: string[]): string[] {
    return this.#reader
      .all<{ id: string }>(sql, this.#user, ...values)
      .map(({ id }) => id);
  }
}

/** Whether a time is that of another zone. */
function isShifted(before: string, { missed_at: now }: Values): boolean {
  const apart = Math.abs(fromInstantText(before) - fromInstantText(now as string));
  return apart % QUARTER_HOUR === 0 && apart <= MOST_APART;
}

const QUARTER_HOUR = 900_000;

/** The farthest two zones are apart. */
const MOST_APART = 26 * 4 * QUARTER_HOUR;

function chosen(ids: readonly string[]): string | undefined {
  return ids.find((id) => id.startsWith(MADE)) ?? ids[0];
}
