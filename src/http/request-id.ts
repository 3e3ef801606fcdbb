import { randomUUID } from 'node:crypto';
import { hideKeys } from '../keys/format.ts';

const HEX = /(?:[0-9a-f]{2}){32,}/gi;

/** The client's request id if it is well-formed (and not a key), else a new one. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(header) && !hasKey(header) ? header : randomUUID();
}

/** Whether it contains a key, also in hexadecimal. */
function hasKey(text: string): boolean {
  const decoded = text.match(HEX)?.map((hex) => Buffer.from(hex, 'hex').toString('latin1')) ?? [];
  return [text, ...decoded].some((plain) => hideKeys(plain) !== plain);
}
