/** `week`: prints the review of a week with its figures, writes it to a folder of notes, or edits it. */
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { User } from '../journal/journal.ts';
import { userFor } from '../journal-write/read.ts';
import { isDate, startOfUnit, ZoneClock } from '../time.ts';
import { note, visible } from './shared/output.ts';

interface Options extends GlobalOptions {
  edit?: boolean;
  out?: string;
  user?: string;
}

export function registerWeek(program: Command): void {
  program
    .command('week')
    .description("print a week's review with its figures; or edit it and store the changes")
    .argument('[week]', 'a day of the week, such as 2026-11-20, this_week or last_week (default: this_week)')
    .option('--edit', 'open the review in $VISUAL or $EDITOR and import the saved text')
    .option('--out <folder>', 'write the review to FOLDER/2026-W47.md, unless it exists')
    .option('--user <id>', 'owner of the journal (default: me, else the only user)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ journal-api week last_week --edit\n  $ journal-api week --out ~/Vault/Journal',
    )
    .action((named: string | undefined, _options, command: Command) => week(named, command.optsWithGlobals()));
}

async function week(named: string | undefined, options: Options): Promise<void> {
  const { edit, out } = options;
  if (edit && out !== undefined) throw new UsageError('--edit and --out exclude each other; remove one');
  const files = filesOf(options);
  const user = userFor(files.journal, options.user);
  const monday = mondayOf(named, user);
  const { printedWeek, weekName, writeWeek } = await import('../import/week-notes.ts');
  if (out !== undefined) {
    const file = writeWeek(files.journal, user, monday, resolve(out));
    return note(file ? `${file}: written` : `${join(resolve(out), `${weekName(monday)}.md`)} is unchanged: it exists`);
  }
  const printed = printedWeek(files.journal, user, monday);
  if (edit) (await import('./shared/edit-note.ts')).editNote(files, user, weekName(monday), printed);
  else process.stdout.write(process.stdout.isTTY ? visible(printed) : printed);
}

function mondayOf(named: string | undefined, { timezone }: User): string {
  const today = new ZoneClock(timezone).dateOf(Date.now());
  if (named === undefined || named === 'this_week') return startOfUnit(today, 'week');
  if (named === 'last_week') return startOfUnit(today, 'week', -1);
  if (isDate(named) && named >= '0002' && named < '9998') return startOfUnit(named, 'week');
  throw new UsageError(`the week must be a day in it, such as 2026-11-20, this_week or last_week; got "${named}"`);
}
