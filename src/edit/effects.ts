/**
 * What a change of trades does: what keys that show only some trades would show, net P&L
 * of days, notes with headings of old times, and which fields differ.
 */
import type Database from 'better-sqlite3';
import { activeKeys, hasFlows, showsFlows } from '../import/steps/first-shown.ts';
import { factsOf } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import { trades } from '../journal/resources/trades.ts';
import type { StoredKey } from '../keys/store.ts';
import { roundMoney } from '../money.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../time.ts';

/** Numbers of trades that a key shows before and after a change. */
export interface ShownByKey {
  id: string;
  name: string;
  before: number;
  after: number;
  /** Whether it would show a trade or cash flow that it doesn't show now. */
  shows_more: boolean;
  /** Whether it would show the first cash flows of the journal. */
  first_cash_flows?: true;
}

/**
 * Facts of a trade that decide who sees it, by a number that the change keeps; of a cash
 * flow by one below 0.
 */
type Facts = { sequence: number; account: string | null; executed_at: string };

/**
 * Call it before the change.
 * @param keys the key store's path
 * @returns finds keys that show other trades since, and those that name an account
 */
export function liveKeys(
  db: Database.Database,
  user: User,
  keys: string | undefined,
  now: number,
): (accounts?: readonly string[]) => ShownByKey[] {
  const active = activeKeys(user, keys, now);
  const live = active.filter(
    ({ lens }) => (lens?.accounts ?? lens?.since ?? null) !== null,
  );
  const hadFlows = hasFlows(db, user);
  // A trade that keeps its row is the same; one made again is another, and counts as
  // more.
  const facts = db.prepare<[{ user: string }], Facts>(
    `SELECT rowid AS sequence, account, executed_at FROM trades WHERE user_id = @user
     UNION ALL SELECT -rowid, account, at FROM cash_flows WHERE user_id = @user`,
  );
  const all = () => (live.length === 0 ? [] : facts.all({ user: user.id }));
  const clock = new ZoneClock(user.timezone);

  const shownBy = (key: StoredKey, trades: readonly Facts[]) => {
    const { lens } = key;
    const named = lens?.accounts?.map((account) => account.toLowerCase());
    const since = lens?.since == null ? '' : toInstantText(clock.startOfDay(lens.since));
    const isShown = ({ sequence, account, executed_at }: Facts) =>
      (sequence > 0 || showsFlows(key)) &&
      (!named || (account !== null && named.includes(account.toLowerCase()))) &&
      executed_at >= since;
    return new Set(trades.filter(isShown).map(({ sequence }) => sequence));
  };

  const earlier = all();
  return (accounts = []) => {
    const later = all();
    const tradesIn = (shown: ReadonlySet<number>) =>
      [...shown].filter((sequence) => sequence > 0).length;
    const limited = live.flatMap((key): ShownByKey[] => {
      const [before, after] = [shownBy(key, earlier), shownBy(key, later)];
      const isNew = [...after].some((sequence) => !before.has(sequence));
      const named = key.lens?.accounts?.map((account) => account.toLowerCase());
      const isNamed = accounts.some((account) => named?.includes(account.toLowerCase()));
      if (!isNew && !isNamed && before.size === after.size) return [];

      const [was, is] = [tradesIn(before), tradesIn(after)];
      return [{ id: key.id, name: key.name, before: was, after: is, shows_more: isNew }];
    });
    if (hadFlows || !hasFlows(db, user)) return limited;

    const first = active.filter(showsFlows).map(
      ({ id, name }): ShownByKey => ({
        id,
        name,
        before: 0,
        after: 0,
        shows_more: true,
        first_cash_flows: true,
      }),
    );
    return [
      ...first,
      ...limited.filter(({ id }) => !first.some((other) => other.id === id)),
    ];
  };
}

export interface DayChange {
  date: string;
  before: number;
  after: number;
}

/**
 * Call it before the change.
 * @returns finds days whose net P&L of closed trades differs since, in the base currency
 */
export function dailyNet(db: Database.Database, user: User): () => DayChange[] {
  const clock = new ZoneClock(user.timezone);
  const closed = db.prepare<string[], { closed_at: string; net: number }>(
    `SELECT closed_at, net_pnl * CASE WHEN currency = ? THEN 1 ELSE fx_rate END AS net FROM trades
     WHERE user_id = ? AND status = 'closed' AND (currency = ? OR fx_rate IS NOT NULL)`,
  );

  const byDay = () => {
    const rows = closed.all(user.base_currency, user.id, user.base_currency);
    const days = new Map<string, number>();
    for (const { closed_at, net } of rows) {
      const day = clock.dateOf(fromInstantText(closed_at));
      days.set(day, (days.get(day) ?? 0) + net);
    }

    return days;
  };

  const before = byDay();
  return () => {
    const after = byDay();
    return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((date) => {
      const [was, is] = [
        roundMoney(before.get(date) ?? 0),
        roundMoney(after.get(date) ?? 0),
      ];
      return was === is ? [] : [{ date, before: was, after: is }];
    });
  };
}

export interface NotedDay {
  /** The day of entry before the change. */
  date: string;
  /** Path of the note. */
  note: string;
}

/**
 * Call it before the change.
 * @returns finds notes with entries of trades whose minute of entry has changed since
 */
export function notedDays(db: Database.Database, user: User): () => NotedDay[] {
  const clock = new ZoneClock(user.timezone);
  type Noted = { trade: number; executed_at: string; path: string };
  const find = db.prepare<[string], Noted>(
    `SELECT DISTINCT t.rowid AS trade, t.executed_at, r.path FROM import_records AS r
     JOIN trade_journals AS j ON j.user_id = r.user_id AND j.id = r.record_id
     JOIN trades AS t ON t.user_id = j.user_id AND t.id = j.trade_id
     WHERE r.user_id = ? AND r.resource = 'trade-journals' AND r.path <> ''`,
  );
  const timeOf = db
    .prepare<[number], string>('SELECT executed_at FROM trades WHERE rowid = ?')
    .pluck();
  const before = find.all(user.id);

  return () => {
    const moved = before.filter(({ trade, executed_at }) => {
      const now = timeOf.get(trade);
      return now !== undefined && now.slice(0, 16) !== executed_at.slice(0, 16);
    });
    const days = moved.map(({ executed_at, path }) => ({
      date: clock.dateOf(fromInstantText(executed_at)),
      note: path,
    }));
    return [...new Map(days.map((day) => [`${day.date} ${day.note}`, day])).values()];
  };
}

/** In how many trades a field has a value only since, none any more, or another one. */
export interface FieldDifference {
  field: string;
  gained: number;
  lost: number;
  changed: number;
}

/**
 * Fields that differ between two readings of the same files: not those that follow from
 * others.
 */
const COMPARED = Object.entries(trades.record.shape).flatMap(([name, schema]) =>
  factsOf(schema).derived || ['id', 'created_at', 'updated_at'].includes(name)
    ? []
    : [name],
);

const NOTHING: readonly unknown[] = [null, 0, '', '[]'];

const REMEMBER = `CREATE TEMP TABLE trades_before AS SELECT id, ${COMPARED.join(', ')} FROM trades
  WHERE user_id = @user AND (id IN (SELECT value FROM json_each(@ids)) OR id IN (
    SELECT e.trade_id FROM import_fills AS p
      JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
      JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
    WHERE p.user_id = @user AND p.import_id IN (SELECT value FROM json_each(@imports))))`;

const COMPARE = `SELECT t.id, ${COMPARED.map((name) => `b.${name} AS ${name}_before, t.${name}`).join(', ')}
  FROM temp.trades_before AS b JOIN trades AS t ON t.user_id = ? AND t.id = b.id
  WHERE ${COMPARED.map((name) => `b.${name} IS NOT t.${name}`).join(' OR ')}`;

/**
 * What several changes do to trades that keep their ids, each trade counted once a field.
 */
export class TradeDifferences {
  readonly #found = new Map<string, Map<string, keyof Omit<FieldDifference, 'field'>>>();

  /** Call it before a change. @param records by resource and id */
  begin(
    db: Database.Database,
    user: User,
    change: { imports: readonly number[]; records: Iterable<string> },
  ): void {
    const prefix = `${trades.path} `;
    const ids = [...change.records].flatMap((key) =>
      key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
    );
    db.exec('DROP TABLE IF EXISTS temp.trades_before');
    db.prepare(REMEMBER).run({
      user: user.id,
      ids: JSON.stringify(ids),
      imports: JSON.stringify(change.imports),
    });
  }

  end(db: Database.Database, user: User): void {
    const compared = db.prepare<[string], Record<string, unknown> & { id: string }>(
      COMPARE,
    );
    for (const row of compared.iterate(user.id)) {
      for (const name of COMPARED)
        this.#compare(row.id, name, row[`${name}_before`], row[name]);
    }
    db.exec('DROP TABLE temp.trades_before');
  }

  #compare(id: string, name: string, before: unknown, after: unknown): void {
    if (before === after) return;
    const ofField = this.#found.get(name) ?? new Map();
    this.#found.set(name, ofField);
    if (ofField.has(id)) return;

    if (NOTHING.includes(before)) ofField.set(id, 'gained');
    else ofField.set(id, NOTHING.includes(after) ? 'lost' : 'changed');
  }

  /** In the order of a trade's fields. */
  get fields(): FieldDifference[] {
    return COMPARED.flatMap((field) => {
      const found = this.#found.get(field);
      if (!found) return [];
      const counts = { gained: 0, lost: 0, changed: 0 };
      for (const change of found.values()) counts[change]++;
      return [{ field, ...counts }];
    });
  }
}
