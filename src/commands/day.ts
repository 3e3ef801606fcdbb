/** `day`: prints the note of a day, writes it to a folder of notes, or edits it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { User } from '../journal/journal.ts';
import { userFor } from '../journal-write/read.ts';
import { isDate, ZoneClock } from '../time.ts';
import { note, visible } from './shared/output.ts';

interface Options extends GlobalOptions {
  edit?: boolean;
  out?: string;
  period?: string;
  user?: string;
}

export function registerDay(program: Command): void {
  program
    .command('day')
    .description("print a day's note, with a section for each trade; or edit it and store the changes")
    .argument('[date]', 'the day, such as 2026-11-20, today or yesterday (default: today)')
    .option('--edit', 'open the note in $VISUAL, $EDITOR or the usual editor, and import the saved text')
    .option('--out <folder>', 'write the note to FOLDER/DATE.md; an existing note gets sections for missing trades')
    .option('--period <period>', 'with --out: a note for each day with trades, such as last_week, 30d or 2026-11')
    .option('--user <id>', 'owner of the journal (default: me, else the only user)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ journal-api day --edit\n  $ journal-api day 2026-11-20 > note.md\n  $ journal-api day --period last_week --out ~/Vault/Journal',
    )
    .action((date: string | undefined, _options, command: Command) => day(date, command.optsWithGlobals()));
}

async function day(named: string | undefined, options: Options): Promise<void> {
  const { edit, out, period } = options;
  if (edit && (out !== undefined || period !== undefined))
    throw new UsageError('--edit takes one day; remove --out and --period');
  if (period !== undefined && (out === undefined || named !== undefined)) {
    throw new UsageError('--period needs --out and no date, as in: journal-api day --period last_week --out notes');
  }
  const files = filesOf(options);
  const user = userFor(files.journal, options.user);
  const { daysOf, printedDay, writeNotes } = await import('../import/day-notes.ts');
  if (out === undefined) {
    const date = dateOf(named, user);
    const printed = printedDay(files.journal, user, date);
    if (edit) (await import('./shared/edit-note.ts')).editNote(files, user, date, printed);
    else process.stdout.write(process.stdout.isTTY ? visible(printed) : printed);
    return;
  }
  const dates = period === undefined ? [dateOf(named, user)] : daysOf(files.journal, user, period, Date.now());
  if (!dates) throw new UsageError(`--period takes a period such as last_week, 30d, 2026-11 or all; got "${period}"`);
  for (const { file, trades, isNew, refused, results = [] } of writeNotes(files.journal, user, dates, resolve(out))) {
    if (refused !== undefined) note(`${file} is unchanged: ${refused}`);
    else if (isNew || trades > 0)
      note(`${file}: ${trades} ${trades === 1 ? 'trade' : 'trades'} ${isNew ? 'written' : 'added'}`);
    for (const line of results) note(`${file}: ${line}`);
  }
  if (dates.length === 0) note('no trades were entered in this period');
}

function dateOf(named: string | undefined, { timezone }: User): string {
  const clock = new ZoneClock(timezone);
  if (named === undefined || named === 'today') return clock.dateOf(Date.now());
  if (named === 'yesterday') return clock.dateOf(clock.startOfDay(clock.dateOf(Date.now())) - 1);
  if (isDate(named) && named >= '0002' && named < '9998') return named;
  throw new UsageError(`the day must be a date, such as 2026-11-20; got "${named}"`);
}
