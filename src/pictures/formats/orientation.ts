/** The orientation that EXIF states: all that is kept of it. */
import { PictureBytes, PictureRefused } from './bytes.ts';

const ORIENTATION = 0x0112;
const SHORT = 3;

/**
 * The orientation in a TIFF block; undefined if it is upright or unreadable. Only the
 * first directory is read, once, whatever its offsets say.
 */
export function orientationIn(block: Uint8Array): number | undefined {
  try {
    return found(new PictureBytes(block));
  } catch (error) {
    if (error instanceof PictureRefused) return undefined;
    throw error;
  }
}

function found(tiff: PictureBytes): number | undefined {
  const order = tiff.text(0, 2);
  if (order !== 'II' && order !== 'MM') return undefined;

  const number = (at: number, size: number) =>
    order === 'II' ? tiff.little(at, size) : tiff.big(at, size);
  const directory = number(4, 4);
  const count = number(directory, 2);

  for (let i = 0; i < count; i++) {
    const entry = directory + 2 + i * 12;
    if (number(entry, 2) !== ORIENTATION) continue;
    if (number(entry + 2, 2) !== SHORT || number(entry + 4, 4) !== 1) return undefined;

    const value = number(entry + 8, 2);
    return value >= 2 && value <= 8 ? value : undefined;
  }

  return undefined;
}

/** A TIFF block with an orientation alone. */
export function tiffWith(orientation: number): Uint8Array {
  const entry = [0x01, 0x12, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0];
  return Uint8Array.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0]);
}
