/** Reads stored values, with one error for invalid ones, for example if a disk has changed bytes of the file. */
import { FileUnavailable } from '../sqlite/errors.ts';
import { fromInstantText } from '../time.ts';

export class DamagedRecord extends FileUnavailable {
  override name = 'DamagedRecord';

  constructor(cause?: unknown) {
    super('the journal is damaged; run "journal-api check" for details, and restore a backup', { cause });
  }
}

/** @throws DamagedRecord if it isn't a list or object in JSON */
export function parseStored(text: unknown): unknown {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw new DamagedRecord();
  return value;
}

/** @throws DamagedRecord if it isn't a list in JSON */
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

/** @throws DamagedRecord if it isn't a finite number */
export function storedNumber(value: unknown): number {
  if (!Number.isFinite(value)) throw new DamagedRecord();
  return value as number;
}

/** @throws DamagedRecord if it isn't a text */
export function storedText(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedRecord();
  return value;
}

/** Epoch milliseconds. @throws DamagedRecord if it isn't an instant */
export function storedInstant(text: unknown): number {
  return storedNumber(fromInstantText(storedText(text)));
}
