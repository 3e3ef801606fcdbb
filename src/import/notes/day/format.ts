/** Day notes as a format. */

import { same, type Values } from '../../../journal-write/record.ts';
import { type NotedDay, type NotedDays, type NotedTrade, reading } from '../../fills/reading.ts';
import { assumedZone } from '../../parse/times.ts';
import type { Format } from '../../table/format.ts';
import { markdown } from '../format.ts';
import { readDays } from './read-days.ts';

export const dayNotes: Format = {
  name: markdown.name,
  description: markdown.description,
  notes: true,
  looksLike: () => false,
  read(notes, context) {
    const { zone, note } = assumedZone(context, 'times without an offset');
    const unknown = new Map<string, number>();
    const onUnknown = (name: string) => void unknown.set(name, (unknown.get(name) ?? 0) + 1);
    const read = readDays(notes, { zone, date: context.date }, onUnknown);
    const own = context.printed
      ? withoutPrinted(
          read,
          readDays([context.printed], { zone }, () => {}),
        )
      : read;
    const parts = own.days.reduce((sum, { trades, missed }) => sum + 1 + trades.length + missed.length, 0);
    const left = [...unknown].map(([name, count]) => `${name} (${count})`).join(', ');
    return {
      ...reading({ skipped: new Map(own.skipped), notes: [note] }),
      rows: parts,
      notes: [note, ...(left === '' ? [] : [`properties without a field, with the number of notes: ${left}`])],
      days: own,
    };
  },
};

// The changes between a printed day note and its edited version.

function withoutPrinted(saved: NotedDays, printed: NotedDays): NotedDays {
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
