/** Opens a file to import. In a watched folder, another user may replace it with a link at any moment. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../errors.ts';

export interface FilePlace {
  file: string;
  /** Whether a link is rejected, both as the file and as a folder above it. */
  noLinks?: boolean | undefined;
}

/**
 * @returns its descriptor; opening doesn't wait for a pipe's writer
 * @throws UserError for a rejected link, or if it is neither a file nor a pipe; the system's error if it can't be opened
 */
export function openFile({ file, noLinks = false }: FilePlace): number {
  const seen = noLinks ? lstatSync(file, { bigint: true }) : statSync(file, { bigint: true });
  if (seen.isSymbolicLink()) throw isLink(file);
  if (!seen.isFile() && !seen.isFIFO()) throw new UserError(`${file} is neither a file nor a pipe`);
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  if (!noLinks) return openSync(file, flags);
  let fd: number;
  try {
    // Windows has no such flag.
    fd = openSync(file, flags | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? isLink(file) : error;
  }
  const opened = fstatSync(fd, { bigint: true });
  if (opened.ino === seen.ino && opened.dev === seen.dev && isInPlace(file, fd)) return fd;
  closeSync(fd);
  throw new UserError(`${file} was replaced while it was opened; import it again`);
}

/** Whether no folder of the path was a link. Linux reports the path of an open file; other systems resolve the path again. */
function isInPlace(file: string, fd: number): boolean {
  const path = resolve(file);
  let opened: string;
  try {
    opened = readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    opened = realpathSync(path);
  }
  return opened === path;
}

function isLink(file: string): UserError {
  return new UserError(`${file} is a link; copy the file into the folder`);
}
