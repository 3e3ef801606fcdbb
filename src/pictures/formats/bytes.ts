/** The bytes of a picture: each read is checked against their end. */

/** Why a picture isn't kept. */
export class PictureRefused extends Error {
  override name = 'PictureRefused';
}

export class PictureBytes {
  readonly length: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  /**
   * The bytes from one place to another.
   * @throws PictureRefused if they go beyond the end
   */
  slice(from: number, to: number): Uint8Array {
    this.#require(from, to - from);
    return this.#bytes.subarray(from, to);
  }

  /** A part with places of its own, beyond which nothing is read. */
  part(from: number, to: number): PictureBytes {
    return new PictureBytes(this.slice(from, to));
  }

  byte(at: number): number {
    this.#require(at, 1);
    return this.#bytes[at] as number;
  }

  /** A whole number whose first byte is the highest. */
  big(at: number, size: number): number {
    this.#require(at, size);
    let value = 0;
    for (let i = at; i < at + size; i++) value = value * 256 + (this.#bytes[i] as number);
    return value;
  }

  /** A whole number whose first byte is the lowest. */
  little(at: number, size: number): number {
    this.#require(at, size);
    let value = 0;
    for (let i = at + size - 1; i >= at; i--)
      value = value * 256 + (this.#bytes[i] as number);
    return value;
  }

  /** ASCII characters. */
  text(at: number, size: number): string {
    return String.fromCharCode(...this.slice(at, at + size));
  }

  /** Whether the characters are at a place; false beyond the end. */
  has(text: string, at: number): boolean {
    return at + text.length <= this.length && this.text(at, text.length) === text;
  }

  #require(at: number, size: number): void {
    if (at < 0 || size < 0 || at + size > this.length)
      throw new PictureRefused('it is cut off');
  }
}

/** What a picture is, and its bytes without metadata. */
export interface Walked {
  width: number;
  height: number;
  /** Of an animation. */
  frames: number;
  kept: Uint8Array[];
}

const MOST_SIDE = 16_384;
const MOST_PIXELS = 50_000_000;
const MOST_OF_FRAMES = 200_000_000;
export const MOST_PROFILE = 1_000_000;

/** @throws PictureRefused for a picture that takes too much memory to show */
export function requireShowable(width: number, height: number, frames: number): void {
  if (width === 0 || height === 0) throw new PictureRefused('it has no width or height');
  if (width > MOST_SIDE || height > MOST_SIDE)
    throw new PictureRefused(`${width} x ${height} pixels; at most ${MOST_SIDE} a side`);
  if (width * height > MOST_PIXELS)
    throw new PictureRefused(`${width} x ${height} pixels; at most 50 million`);
  if (width * height * frames > MOST_OF_FRAMES)
    throw new PictureRefused(
      `${frames} frames of ${width} x ${height}; at most 200 million pixels`,
    );
}

/** @throws PictureRefused */
export function requireProfile(size: number): void {
  if (size > MOST_PROFILE)
    throw new PictureRefused('its colour profile has more than 1 MB');
}

export function damaged(): PictureRefused {
  return new PictureRefused('it is damaged');
}

/** Bytes of ASCII characters. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function bigBytes(value: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) =>
    Math.floor(value / 256 ** (size - 1 - i)),
  );
}

export function littleBytes(value: number, size: number): Uint8Array {
  return bigBytes(value, size).reverse();
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
