/** Errors of a file that other programs write, and their SQLite codes. */
import Database from 'better-sqlite3';

/**
 * The file can't be read now, but perhaps later. The message names no path: it reaches
 * clients.
 */
export class FileUnavailable extends Error {
  override name = 'FileUnavailable';
}

/** The read was abandoned: its result was no longer wanted. */
export class ReadAbandoned extends Error {
  override name = 'ReadAbandoned';

  constructor() {
    super('the result is no longer wanted');
  }
}

/** Too many reads of the same client are waiting. */
export class TooManyReads extends Error {
  override name = 'TooManyReads';
}

interface SqliteError extends Error {
  code: string;
}

const CANNOT_BE_READ = 'the file cannot be read';
const DAMAGED = 'the file is damaged or not an SQLite database';

/**
 * SQLite's primary codes about the file. Any other, such as SQLITE_ERROR for a missing
 * table, is a fault of this program.
 */
const REASONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another program is writing to the file',
  SQLITE_LOCKED: 'another program is writing to the file',
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_NOTADB: DAMAGED,
  // On a read: a damaged value makes a computed column of the wrong type.
  SQLITE_CONSTRAINT: DAMAGED,
  SQLITE_READONLY:
    'a program that wrote the file stopped halfway; "journal-api check" repairs the journal, "journal-api key list" the keys',
  SQLITE_CANTOPEN: CANNOT_BE_READ,
  SQLITE_IOERR: CANNOT_BE_READ,
  SQLITE_PERM: CANNOT_BE_READ,
  SQLITE_FULL: CANNOT_BE_READ,
  SQLITE_AUTH: CANNOT_BE_READ,
};

/**
 * The error as FileUnavailable if SQLite or the operating system can't read the file;
 * else unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (isSqliteError(error)) {
    const reason = isDamagedText(error) ? DAMAGED : REASONS[primaryCode(error)];
    return reason === undefined ? error : new FileUnavailable(reason, { cause: error });
  }
  // No permission, a loop of links, too many open files.
  if (error instanceof Error && 'syscall' in error)
    return new FileUnavailable(CANNOT_BE_READ, { cause: error });

  return error;
}

/**
 * Errors about a stored text, JSON or the schema's: a fault of the file, despite the code
 * of a wrong statement. Each collation that this program uses is SQLite's own.
 */
function isDamagedText({ code, message }: SqliteError): boolean {
  return (
    /^(?:malformed JSON$|no such collation sequence: )/.test(message) &&
    primaryCode({ code }) === 'SQLITE_ERROR'
  );
}

/** Whether the cause is a lock of another program. */
export function isLocked(error: unknown): boolean {
  if (error instanceof FileUnavailable) return isLocked(error.cause);
  return isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)$/.test(primaryCode(error));
}

/**
 * Whether a value was larger than SQLite allows, such as the one that
 * src/journal/response-size.ts makes on purpose.
 */
export function isTooBig(error: unknown): boolean {
  return isSqliteError(error) && primaryCode(error) === 'SQLITE_TOOBIG';
}

/**
 * Root cause of an error as SQLite or the operating system words it, for a log: never a
 * value of a record.
 */
export function rootCause(error: unknown): string | undefined {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  if (isSqliteError(root)) return `${root.code}: ${root.message}`;
  // As another thread words it.
  if (typeof root === 'string' && root !== error) return root;
  return root instanceof Error && 'syscall' in root ? root.message : undefined;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Database.SqliteError;
}

/** An extended code starts with its primary code: SQLITE_IOERR_READ. */
function primaryCode({ code }: Pick<SqliteError, 'code'>): string {
  return code.split('_', 2).join('_');
}
