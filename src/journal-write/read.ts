/** The journal read by a command, which may put right first what a killed writer left. The service never does. */
import { UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { openFile } from './open.ts';

/** Rolls back an unfinished transaction: only a handle that may write can. Does nothing where there is none. */
export function recoverJournal(path: string): void {
  if (fileExists(path) && fileExists(`${path}-journal`)) openFile(path).close();
}

/** @throws UserError where the journal can't be used, with what to do */
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

/** Why a command can't read the journal, and what to do: never to make a new one where there is a file. */
function unusable(path: string, reason: FileUnavailable): UserError {
  // Where SQLite itself did not fail, the reason says what to do.
  const failed = reason.cause !== undefined;
  const advice = !fileExists(path)
    ? ' (create one with "journal-api init")'
    : failed
      ? ' ("journal-api check" says more; if it is damaged, restore a backup)'
      : '';
  return new UserError(`the journal ${path} can't be used: ${reason.message}${advice}`, { cause: reason });
}
