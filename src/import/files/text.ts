/** The text of a file or standard input. */
import { closeSync, fstatSync, readFileSync, readSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.ts';
import { MOST_BYTES } from '../parse/bounds.ts';
import { decode, decodeOlder, type FilePlace, openFile } from '../parse/open-file.ts';

/** The name of standard input in messages and reports. */
export const STANDARD_INPUT = 'standard input';

/** @param isForeign whether another program wrote it: then text that is neither UTF-8 nor UTF-16 may be in an older encoding */
export function textOf(job: FilePlace & { bytes?: Buffer }, isForeign = false): string {
  return decoded(job.file, bytesOf(job), isForeign);
}

/** @param bytes the contents, if already read */
export function bytesOf({ bytes, ...place }: FilePlace & { bytes?: Buffer }): Buffer {
  return bytes ?? bytesFrom(place.file, place);
}

export function standardInput(): Buffer {
  return bytesFrom(STANDARD_INPUT, STDIN);
}

/** @throws UserError if it can't be read or is too long */
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
    `${name} has more than ${MOST_BYTES / 1e6} MB; only files of records in CSV or JSON Lines may be longer`,
  );
}

const STDIN = 0;
const BLOCK = 1 << 18;
const PAUSE_MS = 10;
/** Maximum wait for a pipe's writer. */
const PATIENCE_MS = 5000;

/**
 * The contents of a file, pipe or standard input, in blocks that are valid until the next one. Gives up on a pipe without a writer.
 * @param fd stays open
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

/** Undefined if the writer has written nothing yet; empty at the end. */
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
