import { UserError } from '../errors.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/read-only-file.ts';
import type { Reader } from '../sqlite/reader.ts';
import { isTimeZone } from '../time.ts';
import { findUser, listUsers, openJournal, type User } from './journal.ts';

/**
 * The user a command is about: the one named, else "me", else the only one.
 * @throws UserError that lists the users, or says what is wrong with the user or the journal
 */
export function userFor(journalPath: string, named: string | undefined): User {
  const journal = openJournal(journalPath);
  try {
    return journal.read((reader) => usable(chosenUser(reader, named)));
  } catch (error) {
    throw error instanceof FileUnavailable ? unusable(journalPath, error) : error;
  } finally {
    journal.close();
  }
}

function chosenUser(reader: Reader, named: string | undefined): User {
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
}

/** The journal itself can't know which zones there are, and another program may have written one that is none. */
function usable(user: User): User {
  if (isTimeZone(user.timezone)) return user;
  throw new UserError(
    `the user "${user.id}" has the timezone "${user.timezone}", which is no IANA name such as America/New_York; set one with "journal-api user set ${user.id} --timezone ZONE"`,
  );
}

/** Why a command can't read the journal, and what to do: never to make a new one where there is a file. */
export function unusable(path: string, reason: FileUnavailable): UserError {
  // Where SQLite itself did not fail, the reason says what to do.
  const failed = reason.cause !== undefined;
  const advice = !fileExists(path)
    ? ' (make one with "journal-api init")'
    : failed
      ? ' ("journal-api check" says more; if it is damaged, restore a backup)'
      : '';
  return new UserError(`the journal ${path} can't be used: ${reason.message}${advice}`);
}
