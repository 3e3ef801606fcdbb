/**
 * JPEG: segments that begin with a marker, and compressed data after each start of a
 * scan.
 */
import {
  ascii,
  bigBytes,
  damaged,
  joined,
  type PictureBytes,
  PictureRefused,
  requireProfile,
  requireShowable,
  type Walked,
} from './bytes.ts';
import { orientationIn, tiffWith } from './orientation.ts';

const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
const TABLES: readonly number[] = [0xc4, 0xcc, 0xdb, 0xdd];
const [APP0, APP1, APP2, APP14] = [0xe0, 0xe1, 0xe2, 0xee];

const JFIF = 'JFIF\0';
const EXIF = 'Exif\0\0';
const PROFILE = 'ICC_PROFILE\0';
const ADOBE = 'Adobe';

/** A picture in steps has about ten; each is drawn over the whole of it. */
const MOST_SCANS = 100;

const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8 && !TABLES.includes(marker);
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

interface Segment {
  marker: number;
  data: PictureBytes;
  /** With marker and length; of a scan also what follows until the next marker. */
  whole: Uint8Array;
}

function* segmentsIn(bytes: PictureBytes): Generator<Segment> {
  for (let at = 2; ; ) {
    if (bytes.byte(at) !== 0xff) throw damaged();
    while (bytes.byte(at + 1) === 0xff) at++;

    const marker = bytes.byte(at + 1);
    if (marker === END) return;
    if (marker < 0xc0 || isRestart(marker) || marker === START) throw damaged();

    const size = bytes.big(at + 2, 2);
    const data = bytes.part(at + 4, at + 2 + size);
    const end = marker === SCAN ? endOfScan(bytes, at + 2 + size) : at + 2 + size;
    yield { marker, data, whole: bytes.slice(at, end) };
    at = end;
  }
}

/** The place of the marker that ends compressed data. */
function endOfScan(bytes: PictureBytes, from: number): number {
  for (let at = from; ; at++) {
    if (bytes.byte(at) !== 0xff) continue;

    const next = bytes.byte(at + 1);
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at;
  }
}

export function walkJpeg(bytes: PictureBytes): Walked {
  const segments = [...segmentsIn(bytes)];
  const [frame, ...others] = segments.filter(({ marker }) => isFrame(marker));
  if (frame === undefined) throw damaged();

  const size = { width: frame.data.big(3, 2), height: frame.data.big(1, 2) };
  requireShowable(size.width, size.height, 1);
  if (others.length > 0) throw damaged();

  const scans = segments.filter(({ marker }) => marker === SCAN);
  if (
    scans.length === 0 ||
    segments.indexOf(frame) > segments.indexOf(scans[0] as Segment)
  )
    throw damaged();
  if (scans.length > MOST_SCANS)
    throw new PictureRefused(`it has more than ${MOST_SCANS} scans`);

  const profile = segments
    .filter(isProfile)
    .reduce((sum, { data }) => sum + data.length, 0);
  requireProfile(profile);

  const orientation = segments.map(orientationOf).find((value) => value !== undefined);
  const kept = segments.flatMap((segment) => keptOf(segment) ?? []);
  const [start, end] = [START, END].map((marker) => Uint8Array.from([0xff, marker]));
  const exif = orientation === undefined ? [] : [exifWith(orientation)];
  return {
    ...size,
    frames: 1,
    kept: [start as Uint8Array, ...exif, ...kept, end as Uint8Array],
  };
}

function isProfile({ marker, data }: Segment): boolean {
  return marker === APP2 && data.has(PROFILE, 0);
}

function orientationOf({ marker, data }: Segment): number | undefined {
  if (marker !== APP1 || !data.has(EXIF, 0)) return undefined;
  return orientationIn(data.slice(EXIF.length, data.length));
}

function keptOf(segment: Segment): Uint8Array | undefined {
  const { marker, data, whole } = segment;
  if (isFrame(marker) || TABLES.includes(marker) || marker === SCAN) return whole;
  if (isProfile(segment)) return whole;
  // Without the thumbnail that may follow.
  if (marker === APP0 && data.has(JFIF, 0))
    return segmentOf(APP0, joined([data.slice(0, 12), Uint8Array.from([0, 0])]));
  // What says how colours are meant.
  if (marker === APP14 && data.has(ADOBE, 0)) return segmentOf(APP14, data.slice(0, 12));
  return undefined;
}

function exifWith(orientation: number): Uint8Array {
  return segmentOf(APP1, joined([ascii(EXIF), tiffWith(orientation)]));
}

function segmentOf(marker: number, data: Uint8Array): Uint8Array {
  return joined([Uint8Array.from([0xff, marker]), bigBytes(data.length + 2, 2), data]);
}
