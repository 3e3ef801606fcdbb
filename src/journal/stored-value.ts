/** Stored values, read; and the one error for those that stand for nothing, as where a disk has changed some bytes of the file. */
import { FileUnavailable } from '../sqlite/errors.ts';
import { fromInstantText } from '../time.ts';

export class DamagedRecord extends FileUnavailable {
  override name = 'DamagedRecord';

  constructor(cause?: unknown) {
    super('the journal is damaged; "journal-api check" says where, and a backup can be put in its place', { cause });
  }
}

/** @throws DamagedRecord where it is no list or object in JSON */
export function parseStored(text: unknown): unknown {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw new DamagedRecord();
  return value;
}

/** @throws DamagedRecord where it is no list in JSON */
export function storedList(text: unknown): unknown[] {
  const value = parsed(text);
  if (!Array.isArray(value)) throw new DamagedRecord();
  return value;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch (error) {
    throw new DamagedRecord(error);
  }
}

/** @throws DamagedRecord where it is no finite number */
export function storedNumber(value: unknown): number {
  if (!Number.isFinite(value)) throw new DamagedRecord();
  return value as number;
}

/** @throws DamagedRecord where it is no text */
export function storedText(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedRecord();
  return value;
}

/** Epoch milliseconds. @throws DamagedRecord where it is no instant */
export function storedInstant(text: unknown): number {
  return storedNumber(fromInstantText(storedText(text)));
}
