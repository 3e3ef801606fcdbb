/**
 * `day` and `week`: print the note of a day or the review of a week, write it to a folder
 * of notes, or edit it.
 */
import { join, resolve } from 'node:path';
import { type Files, filesOf } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { User } from '../journal/journal.ts';
import { userFor } from '../journal-write/open.ts';
import type { WrittenNote } from '../notes/written-notes.ts';
import { isDate, mondayOfWeek, startOfUnit, weekName, ZoneClock } from '../time.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  visible,
} from './shared/command.ts';

interface NoteOptions extends Options {
  edit?: boolean;
  yes?: boolean;
  out?: string;
}

export function registerDay(program: JournalCommand): void {
  program
    .command('day')
    .description(
      "print a day's note, with a section for each trade; or edit it and store the changes",
    )
    .argument(
      '[date]',
      'the day, such as 2026-11-20, today or yesterday (default: today)',
    )
    .option(
      '--edit',
      'open the note in $VISUAL, $EDITOR or the usual editor, and import the saved text',
    )
    .option(
      '--yes',
      'with --edit: keep the first pictures without asking about keys that show them',
    )
    .option(
      '--out <folder>',
      'write the note to FOLDER/DATE.md; an existing note gets sections for missing trades',
    )
    .option(
      '--period <period>',
      'with --out: a note for each day with trades, such as last_week, 30d or 2026-11',
    )
    .userOption('owner of the journal')
    .examples(
      'journal-api day --edit',
      'journal-api day 2026-11-20 > note.md',
      'journal-api day --period last_week --out ~/Vault/Journal',
    )
    .runs(day);
}

export function registerWeek(program: JournalCommand): void {
  program
    .command('week')
    .description(
      "print a week's review with its figures; or edit it and store the changes",
    )
    .argument(
      '[week]',
      'the week, such as 2026-W47, a day in it, this_week or last_week (default: this_week)',
    )
    .option('--edit', 'open the review in $VISUAL or $EDITOR and import the saved text')
    .option(
      '--yes',
      'with --edit: keep the first pictures without asking about keys that show them',
    )
    .option('--out <folder>', 'write the review to FOLDER/2026-W47.md, unless it exists')
    .userOption('owner of the journal')
    .examples(
      'journal-api week last_week --edit',
      'journal-api week --out ~/Vault/Journal',
    )
    .runs(week);
}

async function day(
  named: string | undefined,
  options: NoteOptions & { period?: string },
): Promise<void> {
  const { edit, out, period } = options;
  if (edit && (out !== undefined || period !== undefined))
    throw new UsageError('--edit takes one day; remove --out and --period');
  if (period !== undefined && (out === undefined || named !== undefined)) {
    throw new UsageError(
      '--period needs --out and no date, as in: journal-api day --period last_week --out notes',
    );
  }

  const files = filesOf(options);
  const user = userFor(files.journal, options.user);
  const { daysOf, printedDay, writeNotes } = await import('../notes/written-notes.ts');
  if (out === undefined) {
    const date = dateOf(named, user);
    return printOrEdit(options, files, user, date, printedDay(files.journal, user, date));
  }

  const dates =
    period === undefined
      ? [dateOf(named, user)]
      : daysOf(files.journal, user, period, Date.now());
  if (!dates)
    throw new UsageError(
      `--period takes a period such as last_week, 30d, 2026-11 or all; got "${period}"`,
    );

  for (const written of writeNotes(files.journal, user, dates, resolve(out)))
    reportNote(written);
  if (dates.length === 0) note('no trades were entered in this period');
}

function reportNote({ file, trades, isNew, refused, results = [] }: WrittenNote): void {
  if (refused !== undefined) note(`${file} is unchanged: ${refused}`);
  else if (isNew || trades > 0)
    note(`${file}: ${counted(trades, 'trade')} ${isNew ? 'written' : 'added'}`);
  for (const line of results) note(`${file}: ${line}`);
}

async function week(named: string | undefined, options: NoteOptions): Promise<void> {
  const { edit, out } = options;
  if (edit && out !== undefined)
    throw new UsageError('--edit and --out exclude each other; remove one');

  const files = filesOf(options);
  const user = userFor(files.journal, options.user);
  const monday = mondayOf(named, user);
  const { printedWeek, writeWeek } = await import('../notes/written-notes.ts');
  if (out !== undefined) {
    const file = writeWeek(files.journal, user, monday, resolve(out));
    return note(
      file
        ? `${file}: written`
        : `${join(resolve(out), `${weekName(monday)}.md`)} is unchanged: it exists`,
    );
  }

  return printOrEdit(
    options,
    files,
    user,
    weekName(monday),
    printedWeek(files.journal, user, monday),
  );
}

function mondayOf(named: string | undefined, { timezone }: User): string {
  const today = new ZoneClock(timezone).dateOf(Date.now());
  if (named === undefined || named === 'this_week') return startOfUnit(today, 'week');
  if (named === 'last_week') return startOfUnit(today, 'week', -1);
  if (isCalendarDay(named)) return startOfUnit(named, 'week');

  const monday = mondayOfWeek(named);
  if (monday !== undefined) return monday;
  throw new UsageError(
    `the week must be named, such as 2026-W47, a day in it, such as 2026-11-20, this_week or last_week; got "${named}"`,
  );
}

/** @param name of the note, without .md */
async function printOrEdit(
  { edit, yes }: NoteOptions,
  files: Files,
  user: User,
  name: string,
  printed: string,
): Promise<void> {
  if (edit) {
    const { editNote } = await import('./shared/edit-note.ts');
    return editNote({ files, user, yes }, name, printed);
  }
  process.stdout.write(process.stdout.isTTY ? visible(printed) : printed);
}

function dateOf(named: string | undefined, { timezone }: User): string {
  const clock = new ZoneClock(timezone);
  if (named === undefined || named === 'today') return clock.dateOf(Date.now());
  if (named === 'yesterday')
    return clock.dateOf(clock.startOfDay(clock.dateOf(Date.now())) - 1);
  if (isCalendarDay(named)) return named;
  throw new UsageError(`the day must be a date, such as 2026-11-20; got "${named}"`);
}

/** Whether a text is a date whose week and neighbours have four-digit years. */
function isCalendarDay(text: string): boolean {
  return isDate(text) && text >= '0002' && text < '9998';
}
