/** WebP: chunks in a RIFF file; those of animations lie within frames. */
import {
  ascii,
  damaged,
  joined,
  littleBytes,
  type PictureBytes,
  requireProfile,
  requireShowable,
  type Walked,
} from './bytes.ts';
import { orientationIn, tiffWith } from './orientation.ts';

interface Size {
  width: number;
  height: number;
}

interface Chunk {
  name: string;
  data: PictureBytes;
}

/** Bits of VP8X. */
const [HAS_PROFILE, HAS_ALPHA, HAS_EXIF, IS_ANIMATED] = [0x20, 0x10, 0x08, 0x02];

function* chunksIn(bytes: PictureBytes, from: number): Generator<Chunk> {
  for (let at = from; at < bytes.length; ) {
    const size = bytes.little(at + 4, 4);
    yield { name: bytes.text(at, 4), data: bytes.part(at + 8, at + 8 + size) };
    // An odd length is followed by a byte of padding, which the last one may lack.
    at += 8 + size + (size % 2);
  }
}

export function walkWebp(file: PictureBytes): Walked {
  const bytes = file.part(0, 8 + file.little(4, 4));
  const chunks = [...chunksIn(bytes, 12)];
  const [first] = chunks;
  if (first?.name === 'VP8 ' || first?.name === 'VP8L') return simple(first);
  if (first?.name !== 'VP8X') throw damaged();

  return extended(first.data, chunks.slice(1));
}

function simple(chunk: Chunk): Walked {
  const { width, height } = sizeOf(chunk);
  requireShowable(width, height, 1);
  return { width, height, frames: 1, kept: fileOf([chunkOf(chunk)]) };
}

function extended(header: PictureBytes, chunks: readonly Chunk[]): Walked {
  const canvas = { width: header.little(4, 3) + 1, height: header.little(7, 3) + 1 };
  requireShowable(canvas.width, canvas.height, 1);

  const find = (name: string) => chunks.find((chunk) => chunk.name === name);
  const frames = chunks.filter(({ name }) => name === 'ANMF');
  const isAnimated = (header.byte(0) & IS_ANIMATED) !== 0;
  if (isAnimated !== frames.length > 0) throw damaged();
  requireShowable(canvas.width, canvas.height, Math.max(1, frames.length));

  const [profile, exif, animation] = [find('ICCP'), find('EXIF'), find('ANIM')];
  if (profile) requireProfile(profile.data.length);
  if (isAnimated && !animation) throw damaged();

  const orientation = exif && orientationIn(tiffOf(exif.data));
  const pixels = isAnimated
    ? [chunkOf(animation as Chunk), ...frames.map(({ data }) => frameOf(data, canvas))]
    : imageOf(chunks, canvas);
  const flags =
    (header.byte(0) & (HAS_ALPHA | IS_ANIMATED)) |
    (profile ? HAS_PROFILE : 0) |
    (orientation === undefined ? 0 : HAS_EXIF);
  const start = joined([Uint8Array.from([flags, 0, 0, 0]), header.slice(4, 10)]);

  const kept = fileOf([
    withName('VP8X', start),
    ...(profile ? [chunkOf(profile)] : []),
    ...pixels,
    ...(orientation === undefined ? [] : [withName('EXIF', tiffWith(orientation))]),
  ]);
  return { ...canvas, frames: Math.max(1, frames.length), kept };
}

/** Some programs write the prefix of JPEG before it. */
function tiffOf(exif: PictureBytes): Uint8Array {
  return exif.slice(exif.has('Exif\0\0', 0) ? 6 : 0, exif.length);
}

/** The chunks of one image: its transparency, if any, then its pixels. */
function imageOf(chunks: readonly Chunk[], { width, height }: Size): Uint8Array[] {
  const pixels = chunks.find(({ name }) => name === 'VP8 ' || name === 'VP8L');
  if (!pixels) throw damaged();

  const size = sizeOf(pixels);
  if (size.width !== width || size.height !== height) throw damaged();

  const alpha = pixels.name === 'VP8 ' && chunks.find(({ name }) => name === 'ALPH');
  return [...(alpha ? [chunkOf(alpha)] : []), chunkOf(pixels)];
}

/** A frame of an animation: its place, size and duration, then its image. */
function frameOf(frame: PictureBytes, canvas: Size): Uint8Array {
  const size = { width: frame.little(6, 3) + 1, height: frame.little(9, 3) + 1 };
  const right = 2 * frame.little(0, 3) + size.width;
  const bottom = 2 * frame.little(3, 3) + size.height;
  if (right > canvas.width || bottom > canvas.height) throw damaged();

  const image = imageOf([...chunksIn(frame, 16)], size);
  return withName('ANMF', joined([frame.slice(0, 16), ...image]));
}

function sizeOf({ name, data }: Chunk): Size {
  if (name === 'VP8L') {
    if (data.byte(0) !== 0x2f) throw damaged();
    const bits = data.little(1, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }

  if (data.big(3, 3) !== 0x9d012a) throw damaged();
  return { width: data.little(6, 2) & 0x3fff, height: data.little(8, 2) & 0x3fff };
}

function chunkOf({ name, data }: Chunk): Uint8Array {
  return withName(name, data.slice(0, data.length));
}

function withName(name: string, data: Uint8Array): Uint8Array {
  const padding = new Uint8Array(data.length % 2);
  return joined([ascii(name), littleBytes(data.length, 4), data, padding]);
}

function fileOf(chunks: readonly Uint8Array[]): Uint8Array[] {
  const content = joined([ascii('WEBP'), ...chunks]);
  return [ascii('RIFF'), littleBytes(content.length, 4), content];
}
