/** A random journal with so many trades that what needs many has enough: each again and again, an hour later each time. */
import type { Journal } from './reference.ts';

export function widened(journal: Journal, least: number): Journal {
  const closed = journal.trades.filter(({ closed_at }) => closed_at !== null);
  if (closed.length === 0) return journal;
  const times = Math.ceil(least / closed.length);
  const copies = Array.from({ length: times }, (_, i) =>
    closed.map((trade) => ({
      ...trade,
      id: `${trade.id}.${i}`,
      executed_at: later(trade.executed_at, i),
      closed_at: later(trade.closed_at as string, i),
      group_id: trade.group_id && i > 0 ? null : trade.group_id,
    })),
  );
  return { ...journal, trades: [...journal.trades, ...copies.flat()] };
}

const later = (at: string, hours: number) => new Date(Date.parse(at) + hours * 3_600_000).toISOString();
