/** Files out of a zip archive, in bounded memory: a workbook is one, and some exports come in one. */
import { unzipSync } from 'fflate';
import { RowError } from '../../journal-write/row-error.ts';
import { MOST_UNPACKED } from './bounds.ts';
import { decodeOlder } from './encoding.ts';

/** @param start the beginning of a file, as text whatever it holds */
export function isZip(start: string): boolean {
  return start.startsWith('PK\u0003\u0004');
}

/** Whether the first file of an archive is called so: its name stands behind thirty bytes that need not be characters. */
export function firstZipped(start: string, name: RegExp): boolean {
  return name.test(start.slice(4, 150));
}

/**
 * @param isWanted tells by its name whether a file is unpacked
 * @throws RowError where the archive is damaged, or what is wanted holds more than the bounds allow
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
    throw error instanceof RowError ? error : new RowError(null, 'the archive is damaged');
  }
}

/**
 * The text of a file, or of the one in its archive that it is about.
 * @param isWanted tells by its name which that is
 * @param what it is, for messages: "result of a backtest"
 * @throws RowError where an archive is damaged, or holds none or several of them
 */
export function textOrZipped(bytes: Buffer, isWanted: (name: string) => boolean, what: string): string {
  if (!isZip(bytes.toString('latin1', 0, 4))) return decodeOlder(bytes);
  const names = Object.entries(unzipped(bytes, isWanted));
  const [only, ...others] = names;
  if (!only) throw new RowError(null, `this archive holds no ${what}`);
  if (others.length > 0) {
    throw new RowError(null, `this archive holds several: ${names.map(([name]) => name).join(', ')}; unpack it`);
  }
  return decodeOlder(only[1]);
}
