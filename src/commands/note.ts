/** `note`: adds a text to a trade's journal or to today's session. */

import { noteOnDay, noteOnTrade, tradeNamed } from '../edit/annotate.ts';
import { UsageError } from '../errors.ts';
import { tradeJournals } from '../journal/resources/journals.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { writtenValue } from '../parse/written.ts';
import type { JournalCommand, Options } from './shared/command.ts';
import { runEdit } from './shared/edits.ts';

interface NoteOptions extends Options {
  trade?: string;
  phase?: string;
}

export function registerNote(program: JournalCommand): void {
  program
    .command('note')
    .changesRecords()
    .description("add a text to a trade's journal, or to today's session")
    .argument('<text>', 'the text, in Markdown')
    .option(
      '--trade <trade>',
      '"last" for the trade entered last; its id; or a symbol for its last trade',
    )
    .option(
      '--phase <phase>',
      'phase of the entry (default: during for an open trade, else post_trade)',
    )
    .explained(
      "Without --trade, the text goes to the notes of today's session, " +
        'created if necessary. "journal-api import undo" reverts it.',
    )
    .examples(
      'journal-api note "Chased the open, no plan." --trade last',
      'journal-api note "Waited for the retest." --trade MNQ --phase review',
      'journal-api note "FOMC at 14:00: no trades before it."',
    )
    .runs(run);
}

function run(typed: string, options: NoteOptions): void {
  const text = typed.trim();
  if (text === '')
    throw new UsageError('empty text; pass one, such as "Waited for the retest."');

  const { trade, phase } = options;
  if (phase !== undefined && trade === undefined)
    throw new UsageError(
      '--phase needs a trade; name it with --trade, such as --trade last',
    );

  const field = tradeJournals.record.shape.phase;
  const meant = phase === undefined ? null : String(writtenValue(field, phase));
  if (meant !== null && !field.safeParse(meant).success) {
    throw new UsageError(
      `--phase must be one of ${field.options.join(', ')}; got "${phase}"`,
    );
  }

  runEdit('note', trade === undefined ? sessions : tradeJournals, options, (edit) => {
    if (trade === undefined) noteOnDay(edit, text);
    else noteOnTrade(edit, tradeNamed(edit.db, edit.user.id, trade, true), text, meant);
  });
}
