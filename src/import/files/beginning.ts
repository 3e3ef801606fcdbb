/** The type and the first bytes of a file, by which its format is detected. */
import { closeSync, lstatSync, readSync, type Stats, statSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.ts';
import { SEPARATOR_LINE } from '../parse/csv-rows.ts';
import { decode, type FilePlace, openFile } from '../parse/open-file.ts';

export function statOf({ file, noLinks = false }: FilePlace): Stats {
  try {
    return noLinks ? lstatSync(file) : statSync(file);
  } catch (error) {
    throw new UserError(`${file} can't be read: ${messageOf(error)}`);
  }
}

/** Number of bytes used to detect a format. */
export const START = 4096;

export function startOf(place: FilePlace): string {
  try {
    const fd = openFile(place);
    try {
      const bytes = Buffer.alloc(START);
      return startOfBytes(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${place.file} can't be read: ${messageOf(error)}`);
  }
}

export function startOfBytes(bytes: Buffer): string {
  const start = decode(bytes.subarray(0, START), true) ?? '';
  return start.replace(SEPARATOR_LINE, '').trimStart();
}
