/** What a change of trades does to days: their net P&L, and notes with headings of old times. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import { roundMoney } from '../../money.ts';
import { fromInstantText, ZoneClock } from '../../time.ts';

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
    const days = moved.map(({ executed_at, path }) => [
      `${clock.dateOf(fromInstantText(executed_at))} ${path}`,
      executed_at,
      path,
    ]);
    return [
      ...new Map(
        days.map(([key, at, note]) => [
          key,
          { date: clock.dateOf(fromInstantText(at as string)), note: note as string },
        ]),
      ).values(),
    ];
  };
}
