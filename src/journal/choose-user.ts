import { UserError } from '../errors.ts';
import { FileUnavailable } from '../read-only-file.ts';
import { findUser, listUsers, openJournal, type User } from './journal.ts';

/**
 * The user a command is about: the one named, else "me", else the only one.
 * @throws UserError that lists the users, or says that there is no journal
 */
export function userFor(journalPath: string, named: string | undefined): User {
  const journal = openJournal(journalPath);
  try {
    return journal.read((reader) => {
      const chosen = findUser(reader, named ?? 'me');
      if (chosen) return chosen;
      const users = listUsers(reader);
      const [only] = users;
      if (named === undefined && only && users.length === 1) return only;
      const known = users.map((user) => user.id).join(', ') || 'none';
      throw new UserError(
        named === undefined
          ? `say whose records are meant with --user; the journal's users are: ${known}`
          : `there is no user "${named}" in the journal; its users are: ${known}`,
      );
    });
  } catch (error) {
    if (error instanceof FileUnavailable) {
      throw new UserError(
        `the journal ${journalPath} can't be used: ${error.message} (a new one is made by "journal-api init")`,
      );
    }
    throw error;
  } finally {
    journal.close();
  }
}
