/** `upgrade`: upgrades an older journal to this version's schema. */
import { filesOf, type GlobalOptions } from '../config.ts';
import { upgradeJournal } from '../journal-write/migrate.ts';
import { MIGRATION_STEPS } from '../statements/migration-steps.ts';
import { type JournalCommand, note } from './shared/command.ts';

export function registerUpgrade(program: JournalCommand): void {
  program
    .command('upgrade')
    .description(
      "upgrade an older journal to this version's schema, after a backup next to it",
    )
    .examples('journal-api upgrade')
    .runs(async (options: GlobalOptions) => {
      const { journal } = filesOf(options);
      const { from, to, backup, notes } = await upgradeJournal(journal, {
        steps: MIGRATION_STEPS,
        note,
      });
      notes.forEach(note);

      if (backup === null)
        note(`The journal ${journal} already has the newest version, ${to}.`);
      else
        note(
          `Upgraded the journal ${journal} from version ${from} to ${to}. The backup is ${backup}.`,
        );

      // Their reader may be newer even if the schema isn't.
      const { noticesAfterUpgrade } = await import('./shared/rereading.ts');
      (await noticesAfterUpgrade(journal)).forEach(note);
    });
}
