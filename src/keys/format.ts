/**
 * What a key looks like: "jak_", 43 base62 characters (256 random bits), 6 base62
 * characters of CRC-32 over those 43. The prefix lets secret scanners find a leaked key;
 * the checksum tells a typo from a stranger without a look-up.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'jak_';
export const KEY_LENGTH = PREFIX.length + 43 + 6;
const SHAPE = /^jak_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** A new key: the only time it exists in the clear. */
export function generateKey(): string {
  const body = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return PREFIX + body + checksum(body);
}

/** A new public id of a key, which names it in lists, logs and commands. */
export function generateKeyId(): string {
  return `key_${base62(BigInt(`0x${randomBytes(6).toString('hex')}`), 9)}`;
}

export function isWellFormed(key: string): boolean {
  const [, body, sum] = SHAPE.exec(key) ?? [];
  return body !== undefined && checksum(body) === sum;
}

/** A message without keys and tokens: a file or typed text may have contained one. */
export function withoutKeys(message: string): string {
  return message.replace(/jak_[0-9A-Za-z]+/gi, 'jak_…').replace(/jat_[\w-]+/gi, 'jat_…');
}

/**
 * A text for a log, without pasted keys: complete or partial, percent-encoded or not,
 * with or without prefix.
 */
export function hideKeys(text: string): string {
  const plain = text.includes('%') ? decoded(text) : text;
  const hidden = withoutKeys(plain).replace(/[0-9A-Za-z]{32,}/g, hideRandom);
  return hidden === plain ? text : hidden;
}

/** Ids may be as long, but hexadecimal ones have one letter case. */
function hideRandom(run: string): string {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) ? '…' : run;
}

/** Undoes every percent-encoding, nested ones too. */
function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < 10; round++) {
    const before = plain;
    plain = before
      .replace(/%(?:25)+/g, '%')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    if (plain === before) break;
  }

  return plain;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), 6);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n)
    text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}
