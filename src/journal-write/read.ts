/** Reads a journal for a command, which may first recover from a killed writer. The service never does. */
import { UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { openFile } from './open.ts';

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

/** Why a command can't read the journal, and a remedy: never a new journal if the file exists. */
function unusable(path: string, reason: FileUnavailable): UserError {
  // Unless SQLite itself failed, the reason includes the remedy.
  const failed = reason.cause !== undefined;
  const advice = !fileExists(path)
    ? ' (create one with "journal-api init")'
    : failed
      ? ' ("journal-api check" shows details; if it is damaged, restore a backup)'
      : '';
  return new UserError(`the journal ${path} can't be used: ${reason.message}${advice}`, { cause: reason });
}
