/** The changes between a printed day note and its edited version. */
import { same, type Values } from '../../../journal-write/record.ts';
import type { NotedDay, NotedDays, NotedTrade } from '../../fills/noted-day.ts';

export function withoutPrinted(saved: NotedDays, printed: NotedDays): NotedDays {
  const before = new Map(printed.days.map((day) => [day.date, day]));
  return { ...saved, days: saved.days.map((day) => changesIn(day, before.get(day.date))) };
}

function changesIn(day: NotedDay, printed: NotedDay | undefined): NotedDay {
  if (!printed) return day;
  const before = new Map(printed.trades.map((trade) => [trade.clues.id, trade]));
  const trades = day.trades.map((trade): NotedTrade => {
    const own = trade.clues.id === undefined ? undefined : before.get(trade.clues.id);
    return own ? { ...trade, values: changed(trade.values, own.values) } : trade;
  });
  return { ...day, values: changed(day.values, printed.values), trades };
}

function changed(values: Values, before: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(value, before[name])));
}
