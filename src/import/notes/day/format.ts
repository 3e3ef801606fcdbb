/** Day notes as a format. */
import { reading } from '../../fills/reading.ts';
import { assumedZone } from '../../parse/times.ts';
import type { Format } from '../../table/format.ts';
import { markdown } from '../format.ts';
import { readDays } from './read-days.ts';
import { withoutPrinted } from './without-printed.ts';

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
