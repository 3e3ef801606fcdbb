/** PNG: chunks with a length, a name and a checksum. */

import { crc32, inflateSync } from 'node:zlib';
import { codeOf } from '../../errors.ts';
import {
  ascii,
  bigBytes,
  damaged,
  joined,
  MOST_PROFILE,
  type PictureBytes,
  requireProfile,
  requireShowable,
  type Walked,
} from './bytes.ts';
import { orientationIn, tiffWith } from './orientation.ts';

export const PNG_START = '\x89PNG\r\n\x1a\n';

/** Chunks that the picture is made of; those of animations, too. */
const KEPT: readonly string[] = [
  'IHDR',
  'PLTE',
  'tRNS',
  'cHRM',
  'gAMA',
  'sBIT',
  'sRGB',
  'cICP',
  'iCCP',
  'acTL',
  'fcTL',
  'fdAT',
  'IDAT',
  'IEND',
];

interface Chunk {
  name: string;
  data: PictureBytes;
  /** With its length and checksum. */
  whole: Uint8Array;
}

function* chunksIn(bytes: PictureBytes): Generator<Chunk> {
  for (let at = PNG_START.length; ; ) {
    const size = bytes.big(at, 4);
    const end = at + 12 + size;
    const name = bytes.text(at + 4, 4);
    const whole = bytes.slice(at, end);
    if (crc32(whole.subarray(4, 8 + size)) !== bytes.big(end - 4, 4)) throw damaged();

    yield { name, data: bytes.part(at + 8, end - 4), whole };
    if (name === 'IEND') return;
    at = end;
  }
}

export function walkPng(bytes: PictureBytes): Walked {
  const chunks = [...chunksIn(bytes)];
  const of = (name: string) => chunks.filter((chunk) => chunk.name === name);
  const [header, ...others] = of('IHDR');
  if (header === undefined || header !== chunks[0] || others.length > 0) throw damaged();

  const size = { width: header.data.big(0, 4), height: header.data.big(4, 4) };
  const frames = of('fcTL');
  requireShowable(size.width, size.height, Math.max(1, frames.length));
  for (const { data } of frames) requireFrame(data, size);
  for (const { data } of of('iCCP')) requireUnpackedProfile(data);
  if (of('IDAT').length === 0) throw damaged();

  const kept = chunks.filter(({ name }) => KEPT.includes(name)).map(({ whole }) => whole);
  const [exif] = of('eXIf');
  const orientation = exif && orientationIn(exif.data.slice(0, exif.data.length));
  if (orientation !== undefined) kept.splice(-1, 0, chunkOf(orientation));

  return {
    ...size,
    frames: Math.max(1, frames.length),
    kept: [ascii(PNG_START), ...kept],
  };
}

function requireFrame(
  data: PictureBytes,
  { width, height }: { width: number; height: number },
): void {
  const right = data.big(4, 4) + data.big(12, 4);
  const bottom = data.big(8, 4) + data.big(16, 4);
  if (right > width || bottom > height) throw damaged();
}

/** A name, a byte for the method, and the profile compressed. */
function requireUnpackedProfile(data: PictureBytes): void {
  let end = 0;
  while (data.byte(end) !== 0) end++;

  const packed = data.slice(end + 2, data.length);
  requireProfile(packed.length);
  try {
    inflateSync(packed, { maxOutputLength: MOST_PROFILE });
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw damaged();
    requireProfile(MOST_PROFILE + 1);
  }
}

function chunkOf(orientation: number): Uint8Array {
  const content = joined([ascii('eXIf'), tiffWith(orientation)]);
  return joined([bigBytes(content.length - 4, 4), content, bigBytes(crc32(content), 4)]);
}
