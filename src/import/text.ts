/** The text of what is imported: a file, or standard input. */
import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../errors.ts';
import { decode } from './parse/encoding.ts';

/** As standard input is named in messages and reports. */
export const STANDARD_INPUT = 'standard input';

export function textOf(job: { file: string; bytes?: Buffer }): string {
  return decoded(job.file, bytesOf(job));
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

function decoded(name: string, bytes: Buffer): string {
  const text = decode(bytes);
  if (text === undefined) throw new UserError(`${name}: not UTF-8 text; save it as UTF-8 and try again`);
  return text;
}
