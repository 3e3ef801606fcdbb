import { UserError } from '../errors.ts';
import { findUser, listUsers, type User } from '../journal/journal.ts';
import type { Reader } from '../sqlite/reader.ts';
import { isTimeZone } from '../time.ts';
import { readJournal } from './read.ts';

/**
 * The user of a command: the named one, else "me", else the only one.
 * @throws UserError that lists the users, or names the problem of the user or the journal
 */
export function userFor(journalPath: string, named: string | undefined): User {
  return readJournal(journalPath, (reader) => usable(chosenUser(reader, named)));
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
      ? `choose a user with --user; the journal's users are: ${known}`
      : `there is no user "${named}" in the journal; its users are: ${known}`,
  );
}

/** Rejects an invalid time zone: the schema can't check it, and another program may have written one. */
function usable(user: User): User {
  if (isTimeZone(user.timezone)) return user;
  throw new UserError(
    `the user "${user.id}" has the timezone "${user.timezone}", which is not a valid IANA time zone such as America/New_York; set one with "journal-api user set ${user.id} --timezone ZONE"`,
  );
}
