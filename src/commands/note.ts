/** `note`: adds a text to a trade's journal or to today's session. */
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { noteOnDay, noteOnTrade, tradeNamed } from '../import/edit/annotate.ts';
import { writtenValue } from '../import/parse/written.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { tradeJournals } from '../journal/resources/trade-journals.ts';
import { type EditOptions, runEdit, withEditOptions } from './shared/edits.ts';

interface Options extends EditOptions {
  trade?: string;
  phase?: string;
}

export function registerNote(program: Command): void {
  withEditOptions(program.command('note'))
    .description("add a text to a trade's journal, or to today's session")
    .argument('<text>', 'the text, in Markdown')
    .option('--trade <trade>', '"last" for the trade entered last; its id; or a symbol for its last trade')
    .addOption(new Option('--phase <phase>', 'phase of the entry (default: during for an open trade, else post_trade)'))
    .addHelpText(
      'after',
      `
Without --trade, the text goes to the notes of today's session, created if necessary. "journal-api import undo" reverts it.

Examples:
  $ journal-api note "Chased the open, no plan." --trade last
  $ journal-api note "Waited for the retest." --trade MNQ --phase review
  $ journal-api note "FOMC at 14:00: no trades before it."`,
    )
    .action((text: string, _options, command: Command) => run(text.trim(), command.optsWithGlobals()));
}

function run(text: string, options: Options): void {
  if (text === '') throw new UsageError('empty text; pass one, such as "Waited for the retest."');
  const { trade, phase } = options;
  if (phase !== undefined && trade === undefined)
    throw new UsageError('--phase needs a trade; name it with --trade, such as --trade last');
  const field = tradeJournals.record.shape.phase;
  const meant = phase === undefined ? null : String(writtenValue(field, phase));
  if (meant !== null && !field.safeParse(meant).success) {
    throw new UsageError(`--phase must be one of ${field.options.join(', ')}; got "${phase}"`);
  }
  runEdit('note', trade === undefined ? sessions : tradeJournals, options, (own) => {
    if (trade === undefined) noteOnDay(own, text);
    else noteOnTrade(own, tradeNamed(own.db, own.user.id, trade, true), text, meant);
  });
}
