/** The text of what is imported: a file, or standard input. */
import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../errors.ts';

/** As standard input is named in messages and reports. */
export const STANDARD_INPUT = 'standard input';

/** @param text what has been read already, where it can be read only once */
export function textOf({ file, text }: { file: string; text?: string }): string {
  return text ?? decoded(file, bytesOf(file, file));
}

export function standardInput(): string {
  return decoded(STANDARD_INPUT, bytesOf(STANDARD_INPUT, 0));
}

function bytesOf(name: string, file: string | number): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UserError(`${name} can't be read: ${messageOf(error)}`);
  }
}

function decoded(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(`${name}: not UTF-8 text; save it as UTF-8 and try again`);
  }
}
