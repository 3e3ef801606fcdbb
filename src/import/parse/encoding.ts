/** Text out of bytes, in the encodings that exports come in. */

/**
 * UTF-8, or UTF-16 where a byte order mark or zeros beside the first letter say so; the mark itself is left out.
 * @param isStart whether these are the first bytes of a text, which may end within a character
 * @returns undefined where the bytes are no such text
 */
export function decode(bytes: Uint8Array, isStart = false): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: !isStart }).decode(bytes, { stream: isStart });
  } catch {
    return undefined;
  }
}

/** Text of a program that writes in the encoding of its computer, where it is no other: Western European Windows. */
export function decodeOlder(bytes: Uint8Array): string {
  return decode(bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** @param bytes the first ones of a text */
export function encodingOf(bytes: Uint8Array): string {
  const [first = 1, second = 1] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : 'utf-8';
}
