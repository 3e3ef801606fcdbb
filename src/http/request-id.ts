import { randomUUID } from 'node:crypto';
import { hideKeys } from '../keys/format.ts';

/** The caller's own request id where it is a sane one (and no key), else a new one. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(header) && hideKeys(header) === header
    ? header
    : randomUUID();
}
