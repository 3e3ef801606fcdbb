/** `upgrade`: an older journal brought to this version's schema. */
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { upgradeJournal } from '../journal-write/migrate.ts';
import { note } from './output.ts';

export function registerUpgrade(program: Command): void {
  program
    .command('upgrade')
    .description("bring an older journal to this version's schema, after a backup beside it")
    .addHelpText('after', '\nExample:\n  $ journal-api upgrade')
    .action(async (_options, command: Command) => {
      const { journal } = filesOf(command.optsWithGlobals<GlobalOptions>());
      const { from, to, backup, notes } = await upgradeJournal(journal);
      for (const words of notes) note(words);
      if (backup === null) note(`The journal ${journal} is of version ${to}, the newest; nothing to do.`);
      else note(`The journal ${journal} went from version ${from} to ${to}. As it was, it lies at ${backup}.`);
    });
}
