/** The review of a week as a note, with the week's figures, days, best and worst trade. Only reads the journal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { type Analytics, analyticsOf, type Question } from '../journal/analytics/index.ts';
import { lastDaysTo } from '../journal/analytics/period.ts';
import type { User } from '../journal/journal.ts';
import { readJournal } from '../journal-write/read.ts';
import { toEnd } from '../sqlite/read-queue.ts';
import { addDays, toInstantText, weekName, ZoneClock } from '../time.ts';
import { printWeek } from './notes/print-week.ts';
import { extremesOf, resultText, storedWeek } from './write/stored-day.ts';

export function printedWeek(journal: string, user: User, monday: string): string {
  return readJournal(journal, (reader) => {
    const clock = new ZoneClock(user.timezone);
    const [from, to] = [clock.startOfDay(monday), clock.startOfDay(addDays(monday, 7))];
    const question: Question = {
      ...{ asked: lastDaysTo(clock, 7, addDays(monday, 6)), filters: {}, unit: 'trade' },
      ...{ sections: ['performance', 'daily'], groupBy: [], top: null, now: to },
    };
    const { data } = toEnd(analyticsOf(reader, user, question));
    const extremes = extremesOf(reader, user, toInstantText(from), toInstantText(to));
    return printWeek(monday, storedWeek(reader, user, monday), figuresOf(data, user, extremes));
  });
}

function figuresOf({ performance, daily = [] }: Analytics, user: User, [best, worst]: readonly string[]): string[] {
  const { trades = 0, net_pnl = 0, win_rate = null, total_r = null } = performance ?? {};
  const money = (amount: number) => resultText(amount, user.base_currency, null);
  const counted = (count: number) => `${count} ${count === 1 ? 'trade' : 'trades'}`;
  const won = win_rate === null ? '' : `, ${Math.round(100 * win_rate)} % won`;
  const r = total_r === null ? '' : `, ${total_r.toFixed(1)} R`;
  return [
    `${counted(trades)}, ${money(net_pnl)}${won}${r}`,
    ...daily.map((day) => `- ${day.date}: ${counted(day.trades)}, ${money(day.net_pnl)}`),
    ...(best === undefined ? [] : [`- Best: ${best}`, `- Worst: ${worst}`]),
  ];
}

/** @returns the new file; undefined if it exists, and is unchanged */
export function writeWeek(journal: string, user: User, monday: string, folder: string): string | undefined {
  const file = join(folder, `${weekName(monday)}.md`);
  const text = printedWeek(journal, user, monday);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw new UserError(`can't write ${file}: ${messageOf(error)}`);
  }
}
