/** `week`: prints the review of a week with its figures, writes it to a folder of notes, or edits it. */
import { join, resolve } from 'node:path';
import { filesOf } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { User } from '../journal/journal.ts';
import { userFor } from '../journal-write/read.ts';
import { startOfUnit, weekName, ZoneClock } from '../time.ts';
import { isCalendarDay, type NoteOptions, printOrEdit } from './day.ts';
import type { JournalCommand } from './shared/command.ts';
import { note } from './shared/output.ts';

export function registerWeek(program: JournalCommand): void {
  program
    .command('week')
    .description("print a week's review with its figures; or edit it and store the changes")
    .argument('[week]', 'a day of the week, such as 2026-11-20, this_week or last_week (default: this_week)')
    .option('--edit', 'open the review in $VISUAL or $EDITOR and import the saved text')
    .option('--out <folder>', 'write the review to FOLDER/2026-W47.md, unless it exists')
    .userOption('owner of the journal')
    .examples('journal-api week last_week --edit', 'journal-api week --out ~/Vault/Journal')
    .runs(week);
}

async function week(named: string | undefined, options: NoteOptions): Promise<void> {
  const { edit, out } = options;
  if (edit && out !== undefined) throw new UsageError('--edit and --out exclude each other; remove one');
  const files = filesOf(options);
  const user = userFor(files.journal, options.user);
  const monday = mondayOf(named, user);
  const { printedWeek, writeWeek } = await import('../import/week-notes.ts');
  if (out !== undefined) {
    const file = writeWeek(files.journal, user, monday, resolve(out));
    return note(file ? `${file}: written` : `${join(resolve(out), `${weekName(monday)}.md`)} is unchanged: it exists`);
  }
  return printOrEdit(options, files, user, weekName(monday), printedWeek(files.journal, user, monday));
}

function mondayOf(named: string | undefined, { timezone }: User): string {
  const today = new ZoneClock(timezone).dateOf(Date.now());
  if (named === undefined || named === 'this_week') return startOfUnit(today, 'week');
  if (named === 'last_week') return startOfUnit(today, 'week', -1);
  if (isCalendarDay(named)) return startOfUnit(named, 'week');
  throw new UsageError(`the week must be a day in it, such as 2026-11-20, this_week or last_week; got "${named}"`);
}
