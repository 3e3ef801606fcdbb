/** The text of what is imported: a file, or standard input. */
import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../errors.ts';
import { decode, decodeOlder } from './parse/encoding.ts';

/** As standard input is named in messages and reports. */
export const STANDARD_INPUT = 'standard input';

/** @param isForeign whether another program wrote it: what is neither UTF-8 nor UTF-16 is in the encoding of its computer */
export function textOf(job: { file: string; bytes?: Buffer }, isForeign = false): string {
  return decoded(job.file, bytesOf(job), isForeign);
}

/** @param bytes what has been read already, where it can be read only once */
export function bytesOf({ file, bytes }: { file: string; bytes?: Buffer }): Buffer {
  return bytes ?? bytesFrom(file, file);
}

export function standardInput(): Buffer {
  return bytesFrom(STANDARD_INPUT, 0);
}

function bytesFrom(name: string, file: string | number): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UserError(`${name} can't be read: ${messageOf(error)}`);
  }
}

/** As objects, more would not fit into memory. */
const MAX_LINES = 10_000_000;

function hasMoreLines(bytes: Buffer, limit: number): boolean {
  if (bytes.length <= limit) return false;
  let lines = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE && ++lines > limit) return true;
  return false;
}

const NEWLINE = 10;

function decoded(name: string, bytes: Buffer, isForeign: boolean): string {
  if (hasMoreLines(bytes, MAX_LINES)) {
    throw new UserError(`${name} has more than ${MAX_LINES} lines; split it into several files`);
  }
  const text = isForeign ? decodeOlder(bytes) : decode(bytes);
  if (text === undefined) throw new UserError(`${name}: not UTF-8 text; save it as UTF-8 and try again`);
  return text;
}
