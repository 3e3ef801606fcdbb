/** Errors with messages for the user, and "did you mean". */
import leven from 'leven';

/** An error that the user can fix. The message is all they see: problem; remedy. */
export class UserError extends Error {
  override name = 'UserError';
}

/** An error in the command line: exit code 2. */
export class UsageError extends UserError {
  override name = 'UsageError';
}

/** The service refused the key: exit code 4. */
export class KeyRefused extends UserError {
  override name = 'KeyRefused';
}

/** Texts of the system's file errors, by code, to follow the path. */
const MEANINGS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the folder is not empty',
  EACCES: "you don't have permission",
  EPERM: "you don't have permission",
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would be larger than the disk allows',
  EIO: 'the disk reports an error',
  EBUSY: 'another program is using it',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the machine has too many files open',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links form a loop',
};

/** The message of any caught value; for file errors of the system, a text without the path. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', message } = error as NodeJS.ErrnoException;
  return 'syscall' in error ? (MEANINGS[code] ?? message) : message;
}

/** Ignores case, hyphens, underscores and spaces. */
const plain = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '');

/**
 * The candidate that was probably meant: equal except for case and hyphens, else different in at most a third of its letters, else the
 * shortest that contains the typed text or is contained in it.
 */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const meant = plain(typed);
  const ranked = candidates
    .map((name) => ({ name, distance: leven(meant, plain(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best && best.distance <= Math.floor(Math.max(meant.length, plain(best.name).length) / 3)) return best.name;
  const related = candidates.filter((name) => isPartOf(meant, plain(name)) || isPartOf(plain(name), meant));
  return related.sort((a, b) => a.length - b.length)[0];
}

/** Whether a text of at least four letters is part of another. */
function isPartOf(part: string, whole: string): boolean {
  return part.length >= 4 && whole.includes(part);
}
