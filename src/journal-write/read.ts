/**
 * Reads a journal for a command, which may first recover from a killed writer. The
 * service never does.
 */
import { UserError } from '../errors.ts';
import { findUser, listUsers, openJournal, type User } from '../journal/journal.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { isTimeZone } from '../time.ts';
import { openFile, refuseMissing } from './open.ts';

/** Rolls back an unfinished transaction, if any: that needs a writable handle. */
export function recoverJournal(path: string): void {
  if (fileExists(path) && fileExists(`${path}-journal`)) openFile(path).close();
}

/** @throws UserError with a remedy if the journal can't be used */
export function readJournal<T>(path: string, read: (reader: Reader) => T): T {
  recoverJournal(path);
  const journal = openJournal(path);
  try {
    return journal.read(read);
  } catch (error) {
    throw error instanceof FileUnavailable ? unusable(path, error) : error;
  } finally {
    journal.close();
  }
}

/**
 * Why a command can't read the journal, and a remedy: never a new journal if the file
 * exists.
 */
function unusable(path: string, reason: FileUnavailable): UserError {
  // Unless SQLite itself failed, the reason includes the remedy.
  const details =
    reason.cause === undefined
      ? ''
      : ' ("journal-api check" shows details; if it is damaged, restore a backup)';
  const advice = fileExists(path) ? details : ' (create one with "journal-api init")';
  return new UserError(`the journal ${path} can't be used: ${reason.message}${advice}`, {
    cause: reason,
  });
}

// The user of a command.

/**
 * The user of a command: the named one, else "me", else the only one.
 * @throws UserError that lists the users, or names the problem of the user or the journal
 */
export function userFor(journalPath: string, named: string | undefined): User {
  return readJournal(journalPath, (reader) => userIn(reader, named));
}

/** The same within a read: each opening of a journal parses its whole schema. */
export function userIn(reader: Reader, named: string | undefined): User {
  return usable(chosenUser(reader, named));
}

export interface OfUser {
  journal: string;
  user?: string | undefined;
}

/**
 * Reads what a user has in a journal.
 * @throws UserError if there is no such journal or user
 */
export function readOf<T>(options: OfUser, read: (reader: Reader, user: User) => T): T {
  refuseMissing(options.journal);
  return readJournal(options.journal, (reader) =>
    read(reader, userIn(reader, options.user)),
  );
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

/**
 * Rejects an invalid time zone: the schema can't check it, and another program may have
 * written one.
 */
function usable(user: User): User {
  if (isTimeZone(user.timezone)) return user;
  throw new UserError(
    `the user "${user.id}" has the timezone "${user.timezone}", ` +
      'which is not a valid IANA time zone such as America/New_York; ' +
      `set one with "journal-api user set ${user.id} --timezone ZONE"`,
  );
}
