/** `init`: a new journal with its first user. */
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UserError } from '../errors.ts';
import { createJournal } from '../journal-write/open.ts';
import { addUser, newUser, refuseLiveKeys } from '../journal-write/users.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { note } from './shared/output.ts';
import { addUserOptions, type UserOptions, userChangesOf } from './user.ts';

export function registerInit(program: Command): void {
  addUserOptions(program.command('init').description('create a journal with the user "me"'))
    .addHelpText('after', '\nExample:\n  $ journal-api init --timezone America/New_York --base-currency USD')
    .action((_options, command: Command) => init(command.optsWithGlobals()));
}

function init(options: GlobalOptions & UserOptions): void {
  const { journal, keys } = filesOf(options);
  const user = newUser('me', userChangesOf(options));
  const now = Date.now();
  if (fileExists(journal)) {
    throw new UserError(
      `${journal} already exists; change its user's settings with "journal-api user set me", or pass another --home`,
    );
  }
  refuseLiveKeys(keys, user.id, now);
  createJournal(journal, (db) => addUser(db, user, now)).close();
  note(`Created ${journal} with the user "me" (${user.timezone}, ${user.base_currency}).`);
  note('Next: fill it with "journal-api import FILE", then give a program access with "journal-api key create".');
}
