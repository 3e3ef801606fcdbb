/** Pictures for tests: small real ones, and what cameras, programs and attackers add to them. */
import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';

export function realPicture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/pictures/${name}`, import.meta.url));
}

export function bytesOf(...parts: readonly (string | number[] | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  );
}

function big(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}

function little(value: number, size: number): Buffer {
  return big(value, size).reverse();
}

/** EXIF as a camera writes it: orientation and the place of the exposure. */
export function exif(orientation: number): Buffer {
  const entry = (tag: number, kind: number, count: number, value: Buffer) =>
    bytesOf(little(tag, 2), little(kind, 2), little(count, 4), value);
  const entries = [
    entry(0x010f, 2, 4, bytesOf('GPS\0')),
    entry(0x0112, 3, 1, bytesOf(little(orientation, 2), [0, 0])),
    entry(0x8825, 4, 1, little(62, 4)),
  ];
  return bytesOf(
    'II*\0',
    little(8, 4),
    little(3, 2),
    ...entries,
    little(0, 4),
    'SECRET place',
  );
}

// PNG.

export function chunk(name: string, data: string | Uint8Array = ''): Buffer {
  const content = bytesOf(name, data);
  return bytesOf(big(content.length - 4, 4), content, big(crc32(content), 4));
}

const PNG_START = '\x89PNG\r\n\x1a\n';

/** A picture of one colour, with chunks before its pixels and before its end. */
export function png(
  { width = 4, height = 3 }: { width?: number; height?: number } = {},
  more: readonly Buffer[] = [],
  pixels = deflateSync(Buffer.alloc((width * 3 + 1) * height, 80)),
): Buffer {
  const header = bytesOf(big(width, 4), big(height, 4), [8, 2, 0, 0, 0]);
  return bytesOf(
    PNG_START,
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', pixels),
    chunk('IEND'),
  );
}

/** A header that states a size, without pixels for it. */
export const pngOfSize = (width: number, height: number) =>
  png({ width, height }, [], deflateSync(Buffer.alloc(10)));

export function frameOfPng(width: number, height: number, left = 0): Buffer {
  const place = [0, width, height, left, 0].map((value) => big(value, 4));
  return chunk('fcTL', bytesOf(...place, [0, 1, 0, 10, 0, 0]));
}

export const profileOfPng = (size: number) =>
  chunk('iCCP', bytesOf('name\0\0', deflateSync(Buffer.alloc(size, 7))));

// JPEG: segments after the first two bytes.

export function segment(marker: number, data: string | Uint8Array): Buffer {
  const content = bytesOf(data);
  return bytesOf([0xff, marker], big(content.length + 2, 2), content);
}

export function jpegWith(...segments: readonly Buffer[]): Buffer {
  const real = realPicture('chart.jpg');
  return bytesOf(real.subarray(0, 2), ...segments, real.subarray(2));
}

// WebP.

export function riff(name: string, data: string | Uint8Array): Buffer {
  const content = bytesOf(data);
  return bytesOf(
    name,
    little(content.length, 4),
    content,
    content.length % 2 === 1 ? [0] : [],
  );
}

export function webp(...chunks: readonly Buffer[]): Buffer {
  const content = bytesOf('WEBP', ...chunks);
  return bytesOf('RIFF', little(content.length, 4), content);
}

/** The chunks of a real one. */
export function chunksOfWebp(name: string): Map<string, Buffer> {
  const real = realPicture(name);
  const found = new Map<string, Buffer>();
  for (let at = 12; at < real.length; ) {
    const size = real.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    found.set(real.toString('latin1', at, at + 4), real.subarray(at, end));
    at = end;
  }
  return found;
}

export function extendedHeader(width: number, height: number, flags: number): Buffer {
  return riff(
    'VP8X',
    bytesOf([flags, 0, 0, 0], little(width - 1, 3), little(height - 1, 3)),
  );
}

export function frameOfWebp(width: number, height: number, image: Uint8Array): Buffer {
  const size = bytesOf(little(width - 1, 3), little(height - 1, 3));
  return riff(
    'ANMF',
    bytesOf(little(0, 3), little(0, 3), size, little(100, 3), [0], image),
  );
}

// GIF.

const GIF_PIXELS = [2, 2, 0x44, 0x01, 0];

export const gifImage = (width: number, height: number, left = 0) =>
  bytesOf(
    [0x2c],
    little(left, 2),
    little(0, 2),
    little(width, 2),
    little(height, 2),
    [0],
    GIF_PIXELS,
  );

export function gif(
  { width = 3, height = 2 }: { width?: number; height?: number },
  ...blocks: readonly Buffer[]
): Buffer {
  const screen = bytesOf(little(width, 2), little(height, 2), [0x80, 0, 0]);
  return bytesOf('GIF89a', screen, [0, 0, 0, 255, 255, 255], ...blocks, [0x3b]);
}

export const gifExtension = (kind: number, ...blocks: readonly string[]) =>
  bytesOf([0x21, kind], ...blocks.flatMap((block) => [[block.length], block]), [0]);
