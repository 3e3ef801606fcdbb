/** Notes of days out of the journal: one printed, or laid into a folder of notes. Nothing of the journal changes. */
import { appendFileSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { periodOf } from '../journal/analytics/period.ts';
import type { User } from '../journal/journal.ts';
import { readJournal } from '../journal-write/read.ts';
import type { Reader } from '../sqlite/reader.ts';
import { ZoneClock } from '../time.ts';
import { sectionsFor } from './notes/day/add-sections.ts';
import { printDay } from './notes/day/print-day.ts';
import { decode } from './parse/encoding.ts';
import { TradeFinder } from './write/find-trade.ts';
import { daysWithTrades, type StoredDay, storedDay } from './write/stored-day.ts';

export interface WrittenNote {
  file: string;
  /** Sections that it got; of a new note all. */
  trades: number;
  isNew: boolean;
  /** Why it is as it was, though it lacks trades. */
  refused?: string;
}

export function printedDay(journal: string, user: User, date: string): string {
  return readJournal(journal, (reader) => printDay(storedDay(reader, user, date), user.timezone));
}

/** The days of a period on which trades were entered. @returns undefined for a period that there is not */
export function daysOf(journal: string, user: User, period: string, now: number): string[] | undefined {
  const clock = new ZoneClock(user.timezone);
  const asked = periodOf(clock, period, clock.dateOf(now), null);
  if (!asked) return undefined;
  const { from, to } = asked.span;
  return readJournal(journal, (reader) => daysWithTrades(reader, user, from, to));
}

/** Writes the notes of days into a folder; one that is there gets sections for trades that it lacks, at its end. */
export function writeNotes(journal: string, user: User, dates: readonly string[], folder: string): WrittenNote[] {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UserError(`the folder ${folder} can't be made: ${messageOf(error)}`);
  }
  return readJournal(journal, (reader) =>
    dates.map((date) => writeNote(reader, user, storedDay(reader, user, date), join(folder, `${date}.md`))),
  );
}

function writeNote(reader: Reader, user: User, day: StoredDay, file: string): WrittenNote {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  try {
    if (!stats) {
      writeFileSync(file, printDay(day, user.timezone), { flag: 'wx', mode: 0o600 });
      return { file, trades: day.trades.length, isNew: true };
    }
    if (!stats.isFile()) return { file, trades: 0, isNew: false, refused: 'it is a link or no file' };
    const text = decode(readFileSync(file));
    const finder = new TradeFinder(reader, user.id, user.timezone);
    const added = text === undefined ? undefined : sectionsFor(text, day, user.timezone, finder);
    if (!added) return { file, trades: 0, isNew: false, refused: 'its end takes no sections; correct the note' };
    if (added.trades > 0) appendFileSync(file, added.text);
    return { file, trades: added.trades, isNew: false };
  } catch (error) {
    throw new UserError(`${file} can't be written: ${messageOf(error)}`);
  }
}
