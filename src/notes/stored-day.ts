/** A day in the journal: its session, and the trades entered on it with their journal entries. */

import type { User } from '../journal/journal.ts';
import { FROM_SQL } from '../journal/stored-value.ts';
import type { Values } from '../journal-write/record.ts';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { addDays, fromInstantText, localText, toInstantText, ZoneClock } from '../time.ts';

// The records of a day note: the day's session, journal entries of its trades, missed trades.

/**
 * Fields of a day note's section that belong to the trade; the others belong to its journal entry.
 */
export const TRADE_FIELDS: readonly string[] =
  'setup stop_loss take_profit initial_risk timeframe rating tags mistakes'.split(' ');

/** Prefix of the ids of records that day notes created. */
const MADE = 'day:';

/** Trades have ids of up to 128 characters. */
const LONGEST = 120;

const RECORDS = `WHERE user_id = ${TEXT} AND`;
const ENTRIES = `SELECT id FROM trade_journals ${RECORDS} trade_id = ${TEXT} AND phase = 'post_trade' ORDER BY created_at, id`;

const STATED = `SELECT min(import_id) AS first FROM import_records ${RECORDS} resource = ${TEXT} AND record_id = ${TEXT}`;

/** In the order in which notes made them: ~2 before ~10, and before those of others. */
const missedOrder = (id: string) => `${id} LIKE '${MADE}%' DESC, length(${id}), ${id}`;

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

  /** @param before a line of the list of imports: records that later ones added aren't found */
  constructor(reader: Reader, user: string, before?: number) {
    this.#reader = reader;
    this.#user = user;
    this.#before = before;
  }

  /**
   * The id of the day's session: the one that a note created, else the first; undefined without
   * one.
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
   * The id of a trade's journal entry: the one that a note created, else the only post-trade one.
   */
  entryOf(trade: string): string | undefined {
    const all = this.#known('trade-journals', ENTRIES, trade);
    return all.length === 1 || all.some((id) => id.startsWith(MADE)) ? chosen(all) : undefined;
  }

  /**
   * The id of a missed trade; undefined if it is new. Each id is returned once: several may have
   * one time, symbol and side. A note that was read in another zone states the same ones at other
   * times.
   */
  missedOf(values: Values, note: MissedPlace): string | undefined {
    const at = localText(values['missed_at'] as string, note.zone);
    const ofNote = this.#missedIn(note, values);
    const same = ofNote.find(
      (known) => localText(known.missed_at, known.zone ?? note.userZone) === at,
    );
    return this.#once(same?.id ?? this.#missedAt(values));
  }

  /** The same of those that are left, by their line: the user's zone may have changed since. */
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
    const left = this.#missed.get(key.join()) ?? this.#known('missed-trades', sql, ...key);
    this.#missed.set(key.join(), left);
    return left.find((id) => !this.#returned.has(id));
  }

  /** Those of a symbol and side that a note stated before, as its latest import read them. */
  #missedIn({ path }: MissedPlace, { symbol, side }: Values): NotedMissed[] {
    const known = this.#reader.all(
      `SELECT m.id, m.missed_at, r.place, coalesce(i.timezone, i.options ->> 'timezone') AS zone, max(r.import_id)
       FROM missed_trades AS m JOIN import_records AS r ON r.user_id = m.user_id AND r.resource = 'missed-trades' AND r.record_id = m.id
         JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
       WHERE m.user_id = ${TEXT} AND r.path = ${TEXT} AND r.kind = 'stated' AND m.symbol = ${TEXT} AND m.side = ${TEXT}
       GROUP BY m.id ORDER BY ${MISSED_ORDER}`,
      ...[this.#user, path, symbol as string, side as string],
    ) as unknown as NotedMissed[];
    return known.filter(({ id }) => !this.#returned.has(id) && !this.#isLater('missed-trades', id));
  }

  newSession(date: string): string {
    return `${MADE}${date}`;
  }

  /**
   * A free id: an entry keeps its id if its trade's id changes, and another trade may take that id.
   */
  newEntry(trade: string): string {
    return this.#free(`${MADE}${trade.slice(-LONGEST)}`, 'trade_journals');
  }

  newMissed(date: string, time: string, symbol: string): string {
    const own = symbol.replaceAll(/[^A-Za-z0-9._-]/g, '-');
    return this.#free(`${MADE}${date}.${time}-${own}`, 'missed_trades');
  }

  /** An id that no record has, and that wasn't returned before. */
  #free(id: string, table: string): string {
    const isThere = (own: string) =>
      this.#ids(`SELECT id FROM ${table} ${RECORDS} id = ${TEXT}`, own).length > 0;
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

    const first = this.#reader.get(STATED, this.#user, resource, id)?.['first'] as number | null;
    return first !== null && first > this.#before;
  }

  #ids(sql: string, ...values: string[]): string[] {
    return this.#reader.all(sql, this.#user, ...values).map(({ id }) => id as string);
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

export interface StoredTrade {
  id: string;
  symbol: string;
  side: string;
  executed_at: string;
  /** Whether the entry has a time, not only a date. */
  hasTime: boolean;
  /** Fields of the trade and of its entry, without empty ones. */
  values: Values;
  /** Addresses of the entry's attachments. */
  attached: ReadonlySet<string>;
  /** +120.50 USD, 1.2 R; undefined while it is open. */
  result: string | undefined;
}

/** A missed trade, with its fields without empty ones. */
export type StoredMissed = Values & { missed_at: string; symbol: string; side: string };

export interface StoredDay {
  date: string;
  /** Fields of the session; those within objects are named like review.lesson. */
  session: Values;
  trades: StoredTrade[];
  missed: StoredMissed[];
}

const OF_TRADE = [
  'id',
  'symbol',
  'side',
  'executed_at',
  'has_time',
  ...TRADE_FIELDS,
  ...'status currency net_pnl r_multiple'.split(' '),
];
const OF_ENTRY =
  'body went_well went_wrong lesson confidence execution_rating followed_plan emotions rules attachments'.split(
    ' ',
  );
const OF_SESSION = 'name plan notes mood energy sleep_hours goals tags market_context review'.split(
  ' ',
);
const MEMBERS = 'bias condition went_well went_wrong lesson followed_plan rating mistakes'.split(
  ' ',
);
const OF_MISSED = (
  'missed_at symbol side market setup miss_type reason planned_entry planned_stop planned_target planned_quantity hypothetical_outcome ' +
  'hypothetical_r hypothetical_pnl currency emotions lesson notes tags'
).split(' ');
const JSONS =
  'tags mistakes emotions rules attachments goals next_goals market_context review'.split(' ');

export function storedDay(reader: Reader, { id: user, timezone }: User, date: string): StoredDay {
  const records = new DayRecords(reader, user);
  const id = records.sessionOf(date);
  const [session] =
    id === undefined ? [] : rowsOf(reader, 'sessions', OF_SESSION, `id = ${TEXT}`, user, id);
  const clock = new ZoneClock(timezone);
  const span = [date, addDays(date, 1)].map((day) => toInstantText(clock.startOfDay(day))) as [
    string,
    string,
  ];
  const within = (time: string) => `${time} >= ${TEXT} AND ${time} < ${TEXT}`;
  const order = `${within('executed_at')} ORDER BY executed_at, id`;
  const missed = `side IS NOT NULL AND ${within('missed_at')} ORDER BY missed_at, ${missedOrder('id')}`;
  const trades = rowsOf(reader, 'trades', OF_TRADE, order, user, ...span).map(
    (row): StoredTrade => {
      const {
        id: own,
        symbol,
        side,
        executed_at,
        has_time,
        status,
        currency,
        net_pnl,
        r_multiple,
        ...values
      } = row;
      const entry = records.entryOf(own as string);
      const [found = {}] =
        entry === undefined
          ? []
          : rowsOf(reader, 'trade_journals', OF_ENTRY, `id = ${TEXT}`, user, entry);
      const { attachments = [], ...written } = found;
      const urls = (attachments as { url: string }[]).map(({ url }) => url);
      return {
        id: own,
        symbol,
        side,
        executed_at,
        hasTime: has_time === 1 || executed_at !== span[0],
        values: { ...values, ...written },
        attached: new Set(urls),
        result:
          status === 'closed'
            ? resultText(net_pnl as number, currency as string, r_multiple)
            : undefined,
      } as StoredTrade;
    },
  );
  const ofMissed = rowsOf(
    reader,
    'missed_trades',
    OF_MISSED,
    missed,
    user,
    ...span,
  ) as StoredMissed[];
  return { date, session: flat(session ?? {}), trades, missed: ofMissed };
}

const OF_WEEK = 'summary went_well went_wrong lesson focus goals next_goals rating mistakes'.split(
  ' ',
);

/** The fields of a week's review, without empty ones. */
export function storedWeek(reader: Reader, { id: user }: User, monday: string): Values {
  const id = new DayRecords(reader, user).reviewOf(monday);
  return (
    (id === undefined
      ? undefined
      : rowsOf(reader, 'weekly_reviews', OF_WEEK, `id = ${TEXT}`, user, id)[0]) ?? {}
  );
}

/**
 * The best and the worst trade closed between two instants, in the base currency, as 2026-11-18
 * 09:41 MNQ short: +120.50 USD, 1.2 R.
 */
export function extremesOf(
  reader: Reader,
  { id: user, timezone }: User,
  from: string,
  to: string,
): string[] {
  const clock = new ZoneClock(timezone);
  const found = ['DESC', 'ASC'].map((order) =>
    reader.get(
      `SELECT id, symbol, side, executed_at, net_pnl, currency, r_multiple FROM trade_records WHERE user_id = ${TEXT} AND status = 'closed'
       AND closed_at >= ${TEXT} AND closed_at < ${TEXT} AND net_pnl_base IS NOT NULL ORDER BY net_pnl_base ${order}, id LIMIT 1`,
      user,
      from,
      to,
    ),
  );
  return found.flatMap((row) => {
    if (!row) return [];
    const at = fromInstantText(row['executed_at'] as string);
    const local = toInstantText(at + clock.offsetAt(at))
      .slice(0, 16)
      .replace('T', ' ');
    const symbol = String(row['symbol']).replaceAll(/[^\p{L}\p{N}./_!: -]/gu, '');
    return `${local} ${symbol} ${row['side']}: ${resultText(row['net_pnl'] as number, row['currency'] as string, row['r_multiple'])}`;
  });
}

export function resultText(net: number, currency: string, r: unknown): string {
  // A coin's amounts are small: up to 8 decimals, at least 2.
  const amount = Math.abs(net) < 1 ? net.toFixed(8).replace(/0{1,6}$/, '') : net.toFixed(2);
  return `${net > 0 ? '+' : ''}${amount} ${currency}${typeof r === 'number' ? `, ${r.toFixed(1)} R` : ''}`;
}

/** The local days on which trades were entered between two instants, the end excluded. */
export function daysWithTrades(
  reader: Reader,
  { id: user, timezone }: User,
  from: number | null,
  to: number | null,
): string[] {
  const clock = new ZoneClock(timezone);
  const sql = `SELECT executed_at FROM trades WHERE user_id = ${TEXT} AND executed_at >= ${TEXT} AND executed_at < ${TEXT} ORDER BY executed_at`;
  const [first, last] = [
    from === null ? '0' : toInstantText(from),
    to === null ? ':' : toInstantText(to),
  ];
  const days = reader
    .all(sql, user, first, last)
    .map(({ executed_at }) => clock.dateOf(fromInstantText(executed_at as string)));
  return [...new Set(days)].sort();
}

function rowsOf(
  reader: Reader,
  table: string,
  columns: readonly string[],
  condition: string,
  ...values: string[]
): Values[] {
  const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE user_id = ${TEXT} AND ${condition}`;
  return reader.all(sql, ...values).map(withoutEmpty);
}

function withoutEmpty(row: Row): Values {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, stored]) => {
      const kind = JSONS.includes(name) ? 'json' : name === 'followed_plan' ? 'flag' : '';
      const value = FROM_SQL[kind] ? FROM_SQL[kind](stored as never) : stored;
      return isNothing(value) ? [] : [[name, value]];
    }),
  );
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function flat({ market_context: market = {}, review = {}, ...session }: Values): Values {
  const values = { ...session };
  for (const [name, object] of Object.entries({ market_context: market, review })) {
    for (const [member, value] of Object.entries(object as Values)) {
      if (MEMBERS.includes(member) && !isNothing(value)) values[`${name}.${member}`] = value;
    }
  }
  return values;
}
