/** Text out of bytes, in the encodings that exports come in. */

/**
 * UTF-8, or UTF-16 where a byte order mark or an opening < says so; the mark itself is left out.
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

function encodingOf(bytes: Uint8Array): string {
  const mark = bytes.subarray(0, 2).join();
  if (mark === '255,254' || mark === '60,0') return 'utf-16le';
  return mark === '254,255' || mark === '0,60' ? 'utf-16be' : 'utf-8';
}
