/**
 * Pictures by their bytes: what they are, and their bytes without metadata. PNG, JPEG,
 * WebP and GIF are walked by their own segments; nothing is decoded. What was beside the
 * pixels goes: EXIF but its orientation, XMP, IPTC, comments, text, thumbnails, bytes
 * after the end; the colour profile stays.
 */
import { hash } from 'node:crypto';
import {
  joined,
  PictureBytes,
  PictureRefused,
  requireShowable,
  type Walked,
} from './formats/bytes.ts';
import { walkGif } from './formats/gif.ts';
import { walkJpeg } from './formats/jpeg.ts';
import { PNG_START, walkPng } from './formats/png.ts';
import { walkWebp } from './formats/webp.ts';
import {
  MOST_PICTURE_BYTES,
  type NamedPicture,
  type PictureType,
} from './kept-pictures.ts';

export { PictureRefused } from './formats/bytes.ts';

/** A picture as it is kept. */
export interface Picture extends NamedPicture {
  /** Of its pixels as stored, before its orientation is applied. */
  width: number;
  height: number;
  bytes: Uint8Array;
}

const STARTS: readonly (readonly [PictureType, (bytes: PictureBytes) => boolean])[] = [
  ['png', (bytes) => bytes.has(PNG_START, 0)],
  ['jpg', (bytes) => bytes.has('\xff\xd8\xff', 0)],
  ['webp', (bytes) => bytes.has('RIFF', 0) && bytes.has('WEBP', 8)],
  ['gif', (bytes) => bytes.has('GIF87a', 0) || bytes.has('GIF89a', 0)],
];

const WALKS: Readonly<Record<PictureType, (bytes: PictureBytes) => Walked>> = {
  png: walkPng,
  jpg: walkJpeg,
  webp: walkWebp,
  gif: walkGif,
};

/** @throws PictureRefused if it isn't one of these, damaged, or too large */
export function cleanedPicture(content: Uint8Array): Picture {
  if (content.length > MOST_PICTURE_BYTES) throw tooLarge();

  const bytes = new PictureBytes(content);
  const type = STARTS.find(([, isOf]) => isOf(bytes))?.[0];
  if (type === undefined) throw new PictureRefused('it is no PNG, JPEG, WebP or GIF');

  const { width, height, frames, kept } = WALKS[type](bytes);
  requireShowable(width, height, frames);
  const cleaned = joined(kept);

  return { type, width, height, sha256: hash('sha256', cleaned), bytes: cleaned };
}

export function tooLarge(): PictureRefused {
  return new PictureRefused(`it has more than ${MOST_PICTURE_BYTES / 1e6} MB`);
}
