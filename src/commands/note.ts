/** `note`: adds a text to a trade's journal or to today's session. */
import { type Command, Option } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import { writtenValue } from '../import/parse/written.ts';
import { noteOnDay, noteOnTrade, tradeNamed } from '../import/write/annotate.ts';
import { edit } from '../import/write/edit.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { tradeJournals } from '../journal/resources/trade-journals.ts';
import { type EditOptions, lineOf, showEdit } from './edits.ts';

interface Options extends GlobalOptions, EditOptions {
  trade?: string;
  phase?: string;
}

export function registerNote(program: Command): void {
  program
    .command('note')
    .description("add a text to a trade's journal, or to today's session")
    .argument('<text>', 'the text, in Markdown')
    .option('--trade <trade>', '"last" for the trade entered last; its id; or a symbol for its last trade')
    .addOption(new Option('--phase <phase>', 'phase of the entry (default: during for an open trade, else post_trade)'))
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--user <id>', 'owner of the journal (default: me, else the only user)')
    .option('--json', 'the result as JSON')
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
  const { journal, backups } = filesOf(options);
  const target = { journal, backups, user: options.user, dryRun: options.dryRun, now: Date.now() };
  const resource = trade === undefined ? sessions : tradeJournals;
  const report = edit(target, { name: 'note', line: lineOf(), resource }, (own) => {
    if (trade === undefined) noteOnDay(own, text);
    else noteOnTrade(own, tradeNamed(own.db, own.user.id, trade, true), text, meant);
  });
  showEdit(report, options.json === true);
}
