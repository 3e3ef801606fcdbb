/** `upgrade`: an older journal brought to this version's schema. */
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { upgradeJournal } from '../journal-write/migrate.ts';
import { note } from './output.ts';

export function registerUpgrade(program: Command): void {
  program
    .command('upgrade')
    .description("upgrade an older journal to this version's schema, after making a backup beside it")
    .addHelpText('after', '\nExample:\n  $ journal-api upgrade')
    .action(async (_options, command: Command) => {
      const { journal } = filesOf(command.optsWithGlobals<GlobalOptions>());
      const { from, to, backup, notes } = await upgradeJournal(journal);
      for (const words of notes) note(words);
      if (backup === null) note(`The journal ${journal} already has version ${to}, the newest; nothing to do.`);
      else note(`Upgraded the journal ${journal} from version ${from} to ${to}. The old one was kept as ${backup}.`);
    });
}
