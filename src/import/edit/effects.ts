/** What a change of trades does: what keys that show only some trades would show, net P&L of days, notes with headings of old times. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import { listKeys, type StoredKey, stateOf } from '../../keys/store.ts';
import { roundMoney } from '../../money.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../../time.ts';

/** Numbers of trades that a key shows before and after a change. */
export interface ShownByKey {
  id: string;
  name: string;
  before: number;
  after: number;
  /** Whether it would show a trade that it doesn't show now. */
  shows_more: boolean;
}

/** Facts of a trade that decide who sees it, by a number that the change keeps. */
type Facts = { sequence: number; account: string | null; executed_at: string };

export class LiveKeys {
  readonly #db: Database.Database;
  readonly #user: User;
  readonly #keys: StoredKey[];
  readonly #before: Facts[];

  /** Call it before the change. @param keys the key store's path */
  constructor(db: Database.Database, user: User, keys: string | undefined, now: number) {
    this.#db = db;
    this.#user = user;
    const all = keys !== undefined && fileExists(keys) ? listKeys(keys) : [];
    this.#keys = all.filter(
      (key) =>
        key.user_id === user.id &&
        stateOf(key, now) === 'active' &&
        (key.lens?.accounts ?? key.lens?.since ?? null) !== null,
    );
    this.#before = this.#facts();
  }

  /** Keys that show other trades after the change, and those that name an account. */
  changes(accounts: readonly string[] = []): ShownByKey[] {
    const after = this.#facts();
    const clock = new ZoneClock(this.#user.timezone);
    return this.#keys.flatMap(({ id, name, lens }) => {
      const named = lens?.accounts?.map((own) => own.toLowerCase()) ?? null;
      const since = lens?.since == null ? '' : toInstantText(clock.startOfDay(lens.since));
      const shown = (all: readonly Facts[]) =>
        new Set(
          all.flatMap(({ sequence, account, executed_at }) => {
            const isNamed = named === null || (account !== null && named.includes(account.toLowerCase()));
            return isNamed && executed_at >= since ? [sequence] : [];
          }),
        );
      const [before, now] = [shown(this.#before), shown(after)];
      const isNew = [...now].some((own) => !before.has(own));
      const isNamed = accounts.some((own) => named?.includes(own.toLowerCase()));
      if (!isNew && !isNamed && before.size === now.size) return [];
      return [{ id, name, before: before.size, after: now.size, shows_more: isNew }];
    });
  }

  /** A trade that keeps its row is the same; one made again is another, and counts as more. */
  #facts(): Facts[] {
    if (this.#keys.length === 0) return [];
    return this.#db
      .prepare('SELECT rowid AS sequence, account, executed_at FROM trades WHERE user_id = ?')
      .all(this.#user.id) as Facts[];
  }
}

export interface DayChange {
  date: string;
  before: number;
  after: number;
}

/** Net P&L of closed trades by day, in the base currency. */
export function dailyNet(db: Database.Database, user: User): Map<string, number> {
  const clock = new ZoneClock(user.timezone);
  const rows = db
    .prepare(
      `SELECT closed_at, net_pnl * CASE WHEN currency = ? THEN 1 ELSE fx_rate END AS net FROM trades
       WHERE user_id = ? AND status = 'closed' AND (currency = ? OR fx_rate IS NOT NULL)`,
    )
    .all(user.base_currency, user.id, user.base_currency) as { closed_at: string; net: number }[];
  const days = new Map<string, number>();
  for (const { closed_at, net } of rows) {
    const day = clock.dateOf(fromInstantText(closed_at));
    days.set(day, (days.get(day) ?? 0) + net);
  }
  return days;
}

export function dailyChanges(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): DayChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((date) => {
    const [was, is] = [roundMoney(before.get(date) ?? 0), roundMoney(after.get(date) ?? 0)];
    return was === is ? [] : [{ date, before: was, after: is }];
  });
}

export interface NotedDay {
  /** The day of entry before the change. */
  date: string;
  /** Path of the note. */
  note: string;
}

/** Call it before the change. @returns finds notes with entries of trades whose minute of entry has changed since */
export function notedDays(db: Database.Database, user: User): () => NotedDay[] {
  const clock = new ZoneClock(user.timezone);
  const find = db.prepare(
    `SELECT DISTINCT t.rowid AS trade, t.executed_at, r.path FROM import_records AS r
     JOIN trade_journals AS j ON j.user_id = r.user_id AND j.id = r.record_id
     JOIN trades AS t ON t.user_id = j.user_id AND t.id = j.trade_id
     WHERE r.user_id = ? AND r.resource = 'trade-journals' AND r.path IS NOT NULL`,
  );
  type Noted = { trade: number; executed_at: string; path: string };
  const timeOf = db.prepare('SELECT executed_at FROM trades WHERE rowid = ?').pluck();
  const before = find.all(user.id) as Noted[];
  return () => {
    const moved = before.filter(({ trade, executed_at }) => {
      const now = timeOf.get(trade) as string | undefined;
      return now !== undefined && now.slice(0, 16) !== executed_at.slice(0, 16);
    });
    const days = moved.map(({ executed_at, path }) => ({
      date: clock.dateOf(fromInstantText(executed_at)),
      note: path,
    }));
    return [...new Map(days.map((day) => [`${day.date} ${day.note}`, day])).values()];
  };
}
