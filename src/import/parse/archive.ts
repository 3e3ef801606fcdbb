/** Files of a zip archive, unpacked in bounded memory. Workbooks and some exports are zip archives. */
import { unzipSync } from 'fflate';
import { RowError } from '../../journal-write/row-error.ts';
import { MOST_UNPACKED } from './bounds.ts';
import { decodeOlder } from './encoding.ts';

/** @param start the beginning of a file as text, even if the file is binary */
export function isZip(start: string): boolean {
  return start.startsWith('PK\u0003\u0004');
}

/** Whether a name matches the first file of an archive. The name follows thirty bytes, which may not be characters. */
export function firstZipped(start: string, name: RegExp): boolean {
  return name.test(start.slice(4, 150));
}

/**
 * @param isWanted whether to unpack the file of this name
 * @throws RowError if the archive is damaged or its wanted files exceed the bounds
 */
export function unzipped(bytes: Buffer, isWanted: (name: string) => boolean): Record<string, Uint8Array> {
  let size = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false;
        size += originalSize;
        if (size > MOST_UNPACKED) throw new RowError(null, `unpacks to more than ${MOST_UNPACKED / 1e6} MB`);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof RowError ? error : new RowError(null, 'the archive is damaged; download it again');
  }
}

/**
 * The text of a file, or of the one wanted file in an archive.
 * @param isWanted whether the file of this name is the wanted one
 * @param what kind of file it is, for messages: "backtest result"
 * @throws RowError if the archive is damaged, or contains none or several of them
 */
export function textOrZipped(bytes: Buffer, isWanted: (name: string) => boolean, what: string): string {
  if (!isZip(bytes.toString('latin1', 0, 4))) return decodeOlder(bytes);
  const names = Object.entries(unzipped(bytes, isWanted));
  const [only, ...others] = names;
  if (!only) throw new RowError(null, `no ${what} in this archive`);
  if (others.length > 0) {
    throw new RowError(
      null,
      `more than one ${what} in this archive: ${names.map(([name]) => name).join(', ')}; unpack it`,
    );
  }
  return decodeOlder(only[1]);
}
