/** GIF: a screen with a table of colours, then extensions and images in blocks. */
import {
  ascii,
  damaged,
  joined,
  type PictureBytes,
  requireShowable,
  type Walked,
} from './bytes.ts';

const [EXTENSION, IMAGE, END] = [0x21, 0x2c, 0x3b];
/** Duration and transparency of the next image. */
const CONTROL = 0xf9;
const APPLICATION = 0xff;
const LOOPS: readonly string[] = ['NETSCAPE2.0', 'ANIMEXTS1.0'];

const HEADER = 13;

/** The length of the table of colours that flags announce. */
function tableSize(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** The place after blocks, each with its length before it; the last has none. */
function endOfBlocks(bytes: PictureBytes, from: number): number {
  let at = from;
  for (let size = bytes.byte(at); size > 0; size = bytes.byte(at)) at += 1 + size;
  return at + 1;
}

interface Block {
  kind: number;
  at: number;
  end: number;
}

function* blocksIn(bytes: PictureBytes, from: number): Generator<Block> {
  for (let at = from; ; ) {
    const kind = bytes.byte(at);
    if (kind === END) return;
    if (kind !== EXTENSION && kind !== IMAGE) throw damaged();

    const end = kind === IMAGE ? endOfImage(bytes, at) : endOfBlocks(bytes, at + 2);
    yield { kind, at, end };
    at = end;
  }
}

export function walkGif(bytes: PictureBytes): Walked {
  const size = { width: bytes.little(6, 2), height: bytes.little(8, 2) };
  const start = HEADER + tableSize(bytes.byte(10));
  const blocks = [...blocksIn(bytes, start)];
  const frames = blocks.filter(({ kind }) => kind === IMAGE);
  if (frames.length === 0) throw damaged();

  requireShowable(size.width, size.height, frames.length);
  for (const { at } of frames) requireInside(bytes, at, size);

  const kept = blocks.flatMap((block, index) => keptOf(bytes, block, blocks[index + 1]));
  const all = [bytes.slice(0, start), ...kept, Uint8Array.from([END])];
  return { ...size, frames: frames.length, kept: all };
}

/** An image, what controls it, and how often an animation repeats. */
function keptOf(
  bytes: PictureBytes,
  { kind, at, end }: Block,
  next?: Block,
): Uint8Array[] {
  if (kind === IMAGE) return [bytes.slice(at, end)];
  if (isLoop(bytes, at)) return [loopOf(bytes, at)];
  const isControl = bytes.byte(at + 1) === CONTROL && next?.kind === IMAGE;
  return isControl ? [controlAt(bytes, at)] : [];
}

function endOfImage(bytes: PictureBytes, at: number): number {
  const data = at + 10 + tableSize(bytes.byte(at + 9));
  bytes.byte(data);
  return endOfBlocks(bytes, data + 1);
}

function requireInside(
  bytes: PictureBytes,
  at: number,
  { width, height }: Pick<Walked, 'width' | 'height'>,
): void {
  const right = bytes.little(at + 1, 2) + bytes.little(at + 5, 2);
  const bottom = bytes.little(at + 3, 2) + bytes.little(at + 7, 2);
  if (right > width || bottom > height) throw damaged();
}

/** Its one block of four bytes. */
function controlAt(bytes: PictureBytes, at: number): Uint8Array {
  if (bytes.byte(at + 2) !== 4) throw damaged();
  return joined([bytes.slice(at, at + 7), Uint8Array.from([0])]);
}

function isLoop(bytes: PictureBytes, at: number): boolean {
  if (bytes.byte(at + 1) !== APPLICATION || bytes.byte(at + 2) !== 11) return false;
  return LOOPS.some((name) => bytes.has(name, at + 3)) && bytes.byte(at + 14) === 3;
}

/** How often an animation repeats, without blocks after it. */
function loopOf(bytes: PictureBytes, at: number): Uint8Array {
  const start = joined([
    Uint8Array.from([EXTENSION, APPLICATION, 11]),
    ascii('NETSCAPE2.0'),
  ]);
  return joined([start, bytes.slice(at + 14, at + 18), Uint8Array.from([0])]);
}
