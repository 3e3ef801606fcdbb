/**
 * Writes journal days and reviews of weeks as notes: prints one, or fills a folder of
 * notes. Only reads the journal.
 */
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf, UserError } from '../errors.ts';
import {
  type Analytics,
  analyticsOf,
  type Question,
} from '../journal/analytics/index.ts';
import { lastDaysTo, periodOf } from '../journal/analytics/period.ts';
import { unitFor } from '../journal/analytics/positions.ts';
import type { User } from '../journal/journal.ts';
import { readJournal } from '../journal-write/open.ts';
import { decode } from '../parse/open-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import { addDays, toInstantText, weekName, ZoneClock } from '../time.ts';
import { TradeFinder } from './find-trade.ts';
import type { TradeClues } from './note.ts';
import { printDay, printWeek, sectionsFor, withResults } from './printing/print-note.ts';
import {
  daysWithTrades,
  extremesOf,
  resultText,
  type StoredDay,
  storedDay,
  storedWeek,
} from './printing/stored-day.ts';
import { GroupFinder } from './records/find-group.ts';

export interface WrittenNote {
  file: string;
  /** Number of trade sections added. */
  trades: number;
  isNew: boolean;
  /** Changed lines with results of trades. */
  results?: readonly string[];
  /** Why the note is unchanged although it lacks trades. */
  refused?: string;
}

export function printedDay(journal: string, user: User, date: string): string {
  return readJournal(journal, (reader) =>
    printDay(storedDay(reader, user, date), user.timezone),
  );
}

/**
 * Days of a period on which trades were opened.
 * @returns undefined for an unknown period
 */
export function daysOf(
  journal: string,
  user: User,
  period: string,
  now: number,
): string[] | undefined {
  const clock = new ZoneClock(user.timezone);
  const asked = periodOf(clock, period, clock.dateOf(now), null);
  if (!asked) return undefined;
  const { from, to } = asked.span;
  return readJournal(journal, (reader) => daysWithTrades(reader, user, from, to));
}

/**
 * Writes the notes of days into a folder; appends sections for missing trades to existing
 * notes.
 */
export function writeNotes(
  journal: string,
  user: User,
  dates: readonly string[],
  folder: string,
): WrittenNote[] {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new UserError(`can't create the folder ${folder}: ${messageOf(error)}`);
  }
  return readJournal(journal, (reader) =>
    dates.map((date) =>
      writeNote(reader, user, storedDay(reader, user, date), join(folder, `${date}.md`)),
    ),
  );
}

function writeNote(
  reader: Reader,
  user: User,
  day: StoredDay,
  file: string,
): WrittenNote {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats) {
      writeFileSync(file, printDay(day, user.timezone), { flag: 'wx', mode: 0o600 });
      return { file, trades: day.trades.length, isNew: true };
    }
    return stats.isFile()
      ? extendNote(reader, user, day, { file, mode: stats.mode })
      : unchanged(file, "it isn't a regular file");
  } catch (error) {
    throw new UserError(`can't write ${file}: ${messageOf(error)}`);
  }
}

function unchanged(file: string, refused: string): WrittenNote {
  return { file, trades: 0, isNew: false, refused };
}

/** Appends sections of missing trades, and puts results in their lines. */
function extendNote(
  reader: Reader,
  user: User,
  day: StoredDay,
  { file, mode }: { file: string; mode: number },
): WrittenNote {
  const bytes = readFileSync(file);
  const text = decode(bytes);
  const trades = new TradeFinder(reader, user.id, user.timezone);
  const groups = new GroupFinder(reader, user.id, trades);
  const markFor = (clues: TradeClues) => groups.markFor(clues);
  const added =
    text === undefined ? undefined : sectionsFor(text, day, user.timezone, markFor);
  if (!added)
    return unchanged(file, "sections can't be added at its end; correct the note");

  // With its byte order mark; other encodings only get sections.
  const whole = bytes.toString();
  const { text: updated, changed } = withResults(whole, day);
  if (changed.length > 0 && Buffer.from(whole).equals(bytes))
    replaceText(file, `${updated}${added.text}`, mode);
  else if (added.trades > 0) appendFileSync(file, added.text);

  return { file, trades: added.trades, isNew: false, results: changed };
}

/** Whole or not at all: a full disk must not cut a note. */
function replaceText(file: string, text: string, mode: number): void {
  const written = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(written, text, { flag: 'wx', mode: 0o600 });
    chmodSync(written, mode & 0o777);
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

// The review of a week, with the week's figures, days, best and worst trade.

export function printedWeek(journal: string, user: User, monday: string): string {
  return readJournal(journal, (reader) => {
    const clock = new ZoneClock(user.timezone);
    const [from, to] = [clock.startOfDay(monday), clock.startOfDay(addDays(monday, 7))];
    const question: Question = {
      asked: lastDaysTo(clock, 7, addDays(monday, 6)),
      filters: {},
      unit: unitFor(reader, user),
      sections: ['performance', 'daily'],
      groupBy: [],
      top: null,
      now: to,
    };
    const { data } = analyticsOf(reader, user, question);
    const extremes = extremesOf(reader, user, toInstantText(from), toInstantText(to));

    return printWeek(
      monday,
      storedWeek(reader, user, monday),
      figuresOf(data, user, extremes),
    );
  });
}

function figuresOf(
  { performance, daily = [] }: Analytics,
  user: User,
  [best, worst]: readonly string[],
): string[] {
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
export function writeWeek(
  journal: string,
  user: User,
  monday: string,
  folder: string,
): string | undefined {
  const file = join(folder, `${weekName(monday)}.md`);
  const text = printedWeek(journal, user, monday);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return file;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw new UserError(`can't write ${file}: ${messageOf(error)}`);
  }
}
