/** The text of what is imported: a file, or standard input. */
import { closeSync, fstatSync, readFileSync, readSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.ts';
import { MOST_BYTES } from '../parse/bounds.ts';
import { decode, decodeOlder } from '../parse/encoding.ts';
import { type FilePlace, openFile } from '../parse/open-file.ts';

/** As standard input is named in messages and reports. */
export const STANDARD_INPUT = 'standard input';

/** @param isForeign whether another program wrote it: what is neither UTF-8 nor UTF-16 is in the encoding of its computer */
export function textOf(job: FilePlace & { bytes?: Buffer }, isForeign = false): string {
  return decoded(job.file, bytesOf(job), isForeign);
}

/** @param bytes what has been read already, where it can be read only once */
export function bytesOf({ bytes, ...place }: FilePlace & { bytes?: Buffer }): Buffer {
  return bytes ?? bytesFrom(place.file, place);
}

export function standardInput(): Buffer {
  return bytesFrom(STANDARD_INPUT, STDIN);
}

/** @throws UserError where it can't be read, or is longer than what is read whole */
function bytesFrom(name: string, from: FilePlace | number): Buffer {
  let fd: number | undefined;
  try {
    fd = typeof from === 'number' ? from : openFile(from);
    const stats = fstatSync(fd);
    if (stats.isFile() && stats.size > MOST_BYTES) throw tooLong(name);
    if (stats.isFile() && typeof from !== 'number') return readFileSync(fd);
    const blocks: Buffer[] = [];
    let length = 0;
    for (const block of blocksOf(name, fd)) {
      length += block.length;
      if (length > MOST_BYTES) throw tooLong(name);
      blocks.push(Buffer.from(block));
    }
    return Buffer.concat(blocks);
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${name} can't be read: ${messageOf(error)}`);
  } finally {
    if (fd !== undefined && typeof from !== 'number') closeSync(fd);
  }
}

function tooLong(name: string): UserError {
  return new UserError(
    `${name} has more than ${MOST_BYTES / 1e6} MB, which no export has; only records as CSV or JSON Lines may be longer, in a file`,
  );
}

const STDIN = 0;
const BLOCK = 1 << 18;
const PAUSE_MS = 10;
/** How long a pipe may be without a writer. */
const PATIENCE_MS = 5000;

/**
 * What a file, a pipe or standard input holds, in blocks that hold until the next one is asked for. A pipe without a writer is given up.
 * @param fd which stays open
 * @throws UserError for such a pipe; the system's error if it can't be read
 */
export function* blocksOf(name: string, fd: number): Generator<Buffer> {
  const room = Buffer.allocUnsafe(BLOCK);
  for (let waited = 0, hasBegun = !fstatSync(fd).isFIFO() || fd === STDIN; ; ) {
    const block = readBlock(fd, room);
    hasBegun ||= block?.length !== 0;
    if (block && block.length > 0) yield block;
    else if (block && hasBegun) return;
    else {
      if (!hasBegun && waited > PATIENCE_MS)
        throw new UserError(`${name} is a pipe without a writer; start the program that writes to it first`);
      waited += PAUSE_MS;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Undefined where there is a writer who has written nothing yet; empty at the end. */
function readBlock(fd: number, block: Buffer): Buffer | undefined {
  try {
    return block.subarray(0, readSync(fd, block));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return undefined;
    if (code === 'EOF') return block.subarray(0, 0);
    throw error;
  }
}

function decoded(name: string, bytes: Buffer, isForeign: boolean): string {
  const text = isForeign ? decodeOlder(bytes) : decode(bytes);
  if (text === undefined) throw new UserError(`${name}: not UTF-8 text; save it as UTF-8 and try again`);
  return text;
}
