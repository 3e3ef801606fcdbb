/** Decodes bytes to text, in the encodings that exports use. */

/**
 * UTF-8, or UTF-16 if there is a byte order mark or a zero next to the first letter. The mark itself is dropped.
 * @param isStart whether these are only the first bytes of a text, which may end within a character
 * @returns undefined if the bytes aren't valid text
 */
export function decode(bytes: Uint8Array, isStart = false): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: !isStart }).decode(bytes, { stream: isStart });
  } catch {
    return undefined;
  }
}

/** Text of a program that uses its computer's encoding: if neither of the above, Western European Windows. */
export function decodeOlder(bytes: Uint8Array): string {
  return decode(bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** @param bytes the first ones of a text */
export function encodingOf(bytes: Uint8Array): string {
  const [first = 1, second = 1] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : 'utf-8';
}
