/**
 * A day in the journal: its session, and the trades entered on it with their journal
 * entries.
 */
import { factsOf } from '../../journal/fields.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import {
  groupJournals,
  missedTrades,
  sessions,
  tradeJournals,
  weeklyReviews,
} from '../../journal/resources/journals.ts';
import { tradeGroups, trades } from '../../journal/resources/trades.ts';
import { FROM_SQL } from '../../journal/stored-value.ts';
import type { Values } from '../../journal-write/record.ts';
import { type Reader, type Row, TEXT } from '../../sqlite/reader.ts';
import {
  addDays,
  fromInstantText,
  localText,
  toInstantText,
  ZoneClock,
} from '../../time.ts';
import { DayRecords, type EntriesOf, missedOrder } from '../day-records.ts';
import type { Attachment } from '../note-pictures.ts';
import { fieldsOf, type Scope } from '../reading/field-names.ts';
import {
  OF_ENTRY,
  OF_GROUP,
  OF_GROUP_ENTRY,
  OF_MISSED,
  OF_SESSION,
  OF_TRADE,
  OF_WEEK,
} from '../reading/stored-fields.ts';
import { isPrintable } from '../reading/trader-values.ts';

/** A trade, or a group of legs as one. */
export interface StoredTrade {
  id: string;
  isGroup?: boolean;
  /** Ids of the legs of a group. */
  legs?: readonly string[];
  /** Whether the section of its group is above. */
  isLeg?: boolean;
  symbol: string;
  /** Of a group, its strategy or name. */
  side: string;
  executed_at: string;
  /** Whether the entry has a time, not only a date. */
  hasTime: boolean;
  /** Fields of the trade and of its entry, without empty ones. */
  values: Values;
  /** Of the entry. */
  attachments: readonly Attachment[];
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

/** Facts of a trade that its note shows. */
interface TradeFacts {
  id: string;
  symbol: string;
  side: string;
  executed_at: string;
  has_time: boolean;
  status: string;
  currency: string;
  net_pnl: number;
  r_multiple?: number;
  group_id?: string;
}

const FACTS = [
  'id',
  'symbol',
  'side',
  'executed_at',
  'has_time',
  'status',
  'currency',
  'net_pnl',
  'r_multiple',
  'group_id',
] as const satisfies readonly (keyof TradeFacts)[];

const BY_ID = `id = ${TEXT}`;

export function storedDay(reader: Reader, user: User, date: string): StoredDay {
  return new DayReader(reader, user, date).read();
}

class DayReader {
  readonly #reader: Reader;
  readonly #user: string;
  readonly #date: string;
  readonly #records: DayRecords;
  /** The first instant of the day, and that of the next. */
  readonly #span: readonly [string, string];

  constructor(reader: Reader, { id, timezone }: User, date: string) {
    this.#reader = reader;
    this.#user = id;
    this.#date = date;
    this.#records = new DayRecords(reader, id);

    const clock = new ZoneClock(timezone);
    const [start, end] = [date, addDays(date, 1)].map((day) => clock.startOfDay(day));
    this.#span = [toInstantText(start as number), toInstantText(end as number)];
  }

  read(): StoredDay {
    const missed = `side IS NOT NULL AND ${within('missed_at')}
      ORDER BY missed_at, ${missedOrder('id')}`;
    return {
      date: this.#date,
      session: flat(
        'session',
        this.#byId(sessions, OF_SESSION, this.#records.sessionOf(this.#date)),
      ),
      trades: this.#sections(),
      missed: this.#rows(
        missedTrades,
        OF_MISSED,
        missed,
        ...this.#span,
      ) as StoredMissed[],
    };
  }

  /**
   * In the order of entry. The legs that open a group are one, and have sections of their
   * own below it if there is anything in them.
   */
  #sections(): StoredTrade[] {
    const all = this.#trades();
    const seen = new Set<string>();

    return all.flatMap(({ group_id, trade }): StoredTrade[] => {
      const group = group_id === undefined ? undefined : this.#group(group_id);
      if (!group) return [trade];
      if (seen.has(group.id)) return [];

      seen.add(group.id);
      const legs = all.filter((leg) => leg.group_id === group_id).map((leg) => leg.trade);
      const written = legs.filter(
        ({ values, attachments }) => Object.keys(values).length + attachments.length > 0,
      );
      const { executed_at, hasTime } = trade;
      return [
        { ...group, executed_at, hasTime, legs: legs.map(({ id }) => id) },
        ...written.map((leg) => ({ ...leg, isLeg: true })),
      ];
    });
  }

  #trades(): { group_id: string | undefined; trade: StoredTrade }[] {
    const entered = `${within('executed_at')} ORDER BY executed_at, id`;
    const ofTrades = this.#rows(
      trades,
      FACTS,
      entered,
      ...this.#span,
    ) as unknown as TradeFacts[];
    const values = this.#rows(trades, OF_TRADE, entered, ...this.#span);

    return ofTrades.map((facts, index) => {
      const { id, symbol, side, executed_at, group_id } = facts;
      const hasTime = facts.has_time || executed_at !== this.#span[0];
      const written = this.#written(id, values[index] ?? {}, tradeJournals, OF_ENTRY);
      const result = resultOf(facts);
      return {
        group_id,
        trade: { id, symbol, side, executed_at, hasTime, result, ...written },
      };
    });
  }

  /** A group that was opened on this day; undefined if it was on another. */
  #group(id: string): Omit<StoredTrade, 'executed_at' | 'hasTime'> | undefined {
    const facts = this.#reader.get<GroupFacts>(GROUP, this.#user, id);
    if (!facts || facts.opened_at < this.#span[0] || facts.opened_at >= this.#span[1])
      return undefined;

    const { name, strategy, underlying, status, net_pnl, currency, r_multiple } = facts;
    const values = this.#byId(tradeGroups, OF_GROUP, id);
    const isKnown = status === 'closed' && net_pnl !== null;
    return {
      id,
      isGroup: true,
      symbol: strategy === null ? '' : (underlying ?? ''),
      side: strategy ?? name,
      result: isKnown ? resultText(net_pnl, currency, r_multiple) : undefined,
      ...this.#written(id, values, groupJournals, OF_GROUP_ENTRY),
    };
  }

  /** Its fields and those of its entry. */
  #written(id: string, values: Values, of: EntriesOf, names: readonly string[]) {
    const entryId = this.#records.entryOf(id, of);
    const { attachments = [], ...entry } = this.#byId(of, names, entryId);
    return {
      values: { ...flat('trade', values), ...entry },
      attachments: attachments as Attachment[],
    };
  }

  #rows(
    resource: ListResource,
    names: readonly string[],
    ...where: [string, ...string[]]
  ) {
    return rowsOf(this.#reader, this.#user, resource, names, ...where);
  }

  #byId(
    resource: ListResource,
    names: readonly string[],
    id: string | undefined,
  ): Values {
    return (
      (id === undefined ? undefined : this.#rows(resource, names, BY_ID, id)[0]) ?? {}
    );
  }
}

const within = (time: string) => `${time} >= ${TEXT} AND ${time} < ${TEXT}`;

interface GroupFacts {
  name: string;
  strategy: string | null;
  underlying: string | null;
  status: string;
  opened_at: string;
  currency: string;
  /** Null if legs have several currencies. */
  net_pnl: number | null;
  r_multiple: number | null;
}

const GROUP = `SELECT name, strategy, underlying, status, opened_at, currency, net_pnl, r_multiple
  FROM trade_group_records WHERE user_id = ${TEXT} AND id = ${TEXT}`;

function resultOf({
  status,
  net_pnl,
  currency,
  r_multiple,
}: TradeFacts): string | undefined {
  return status === 'closed' ? resultText(net_pnl, currency, r_multiple) : undefined;
}

/** The fields of a week's review, without empty ones. */
export function storedWeek(reader: Reader, { id: user }: User, monday: string): Values {
  const id = new DayRecords(reader, user).reviewOf(monday);
  if (id === undefined) return {};
  return flat('week', rowsOf(reader, user, weeklyReviews, OF_WEEK, BY_ID, id)[0] ?? {});
}

const EXTREME = `SELECT coalesce(iif(kind = 'trade', legs ->> '$[0].symbol', underlying), '') AS symbol,
    coalesce(strategy, side, name) AS side, opened_at AS executed_at, net_pnl, currency, r_multiple
  FROM position_records WHERE user_id = ${TEXT} AND status = 'closed'
    AND closed_at >= ${TEXT} AND closed_at < ${TEXT} AND net_pnl_base IS NOT NULL`;

/**
 * The best and the worst trade closed between two instants, in the base currency, as
 * 2026-11-18 09:41 MNQ short: +120.50 USD, 1.2 R. The legs of a group are one.
 */
export function extremesOf(
  reader: Reader,
  { id: user, timezone }: User,
  from: string,
  to: string,
): string[] {
  const found = ['DESC', 'ASC'].map((order) =>
    reader.get<TradeFacts>(
      `${EXTREME} ORDER BY net_pnl_base ${order}, id LIMIT 1`,
      user,
      from,
      to,
    ),
  );
  return found.flatMap((row) => {
    if (!row) return [];

    const { symbol, side, executed_at, net_pnl, currency, r_multiple } = row;
    const local = localText(executed_at, timezone).slice(0, 16).replace('T', ' ');
    const named = symbol.replaceAll(/[^\p{L}\p{N}./_!: -]/gu, '');
    return `${local} ${named} ${side}: ${resultText(net_pnl, currency, r_multiple)}`;
  });
}

export function resultText(net: number, currency: string, r?: number | null): string {
  // A coin's amounts are small: up to 8 decimals, at least 2.
  const amount =
    Math.abs(net) < 1 ? net.toFixed(8).replace(/0{1,6}$/, '') : net.toFixed(2);
  const inR = typeof r === 'number' ? `, ${r.toFixed(1)} R` : '';
  return `${net > 0 ? '+' : ''}${amount} ${currency}${inR}`;
}

/** The local days on which trades were entered between two instants, the end excluded. */
export function daysWithTrades(
  reader: Reader,
  { id: user, timezone }: User,
  from: number | null,
  to: number | null,
): string[] {
  const clock = new ZoneClock(timezone);
  const first = from === null ? '0' : toInstantText(from);
  const last = to === null ? ':' : toInstantText(to);
  const days = reader
    .all(
      `SELECT executed_at FROM trades WHERE user_id = ${TEXT}
       AND executed_at >= ${TEXT} AND executed_at < ${TEXT} ORDER BY executed_at`,
      user,
      first,
      last,
    )
    .map(({ executed_at }) => clock.dateOf(fromInstantText(executed_at as string)));

  return [...new Set(days)].sort();
}

/** The rows of a resource with the given fields, without empty ones. */
function rowsOf(
  reader: Reader,
  user: string,
  { table, record }: ListResource,
  names: readonly string[],
  condition = '',
  ...values: string[]
): Values[] {
  const sql = `SELECT ${names.join(', ')} FROM ${table} WHERE user_id = ${TEXT} AND ${condition}`;
  return reader.all(sql, user, ...values).map((row) => withoutEmpty(row, record.shape));
}

function withoutEmpty(row: Row, shape: ListResource['record']['shape']): Values {
  const values: Values = {};
  for (const [name, stored] of Object.entries(row)) {
    const convert = FROM_SQL[factsOf(shape[name] as never).kind];
    const value = convert ? convert(stored as never) : stored;
    if (!isNothing(value)) values[name] = value;
  }
  return values;
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || ['[]', '{}'].includes(JSON.stringify(value));
}

/** The members of objects as fields of their own. */
function flat(
  scope: Scope,
  { market_context, review, fields, ...others }: Values,
): Values {
  const values = { ...others };
  const members = new Set(fieldsOf(scope));
  for (const [name, object] of Object.entries({ market_context, review, fields }))
    for (const [member, value] of Object.entries((object ?? {}) as Values)) {
      const isShown =
        name === 'fields' ? isPrintable(member, scope) : members.has(`${name}.${member}`);
      if (isShown && !isNothing(value)) values[`${name}.${member}`] = value;
    }
  return values;
}
