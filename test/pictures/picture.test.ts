/** Pictures by their bytes: what is kept of them, and what is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanedPicture, PictureRefused } from '../../src/pictures/picture.ts';
import { runs } from '../effort.ts';
import {
  bytesOf,
  chunk,
  chunksOfWebp,
  exif,
  extendedHeader,
  frameOfPng,
  frameOfWebp,
  gif,
  gifExtension,
  gifImage,
  jpegWith,
  png,
  pngOfSize,
  profileOfPng,
  realPicture,
  riff,
  segment,
  webp,
} from './sample-pictures.ts';

const SECRET = 'SECRET place';
const vp8 = () => chunksOfWebp('chart.webp').get('VP8 ') as Buffer;
const control = gifExtension(0xf9, '\x04\x05\x00\x00');

const ANIMATED_WEBP = () =>
  webp(
    extendedHeader(16, 10, 0x02),
    riff('ANIM', bytesOf([0, 0, 0, 0, 0, 0])),
    frameOfWebp(16, 10, vp8()),
    frameOfWebp(16, 10, bytesOf(vp8(), riff('note', SECRET))),
    riff('XMP ', SECRET),
  );

const WITH_METADATA: Readonly<Record<string, () => Buffer>> = {
  'a PNG with texts, a time, EXIF, unknown chunks and bytes after its end': () =>
    bytesOf(
      png({}, [
        chunk('tEXt', `Comment\0${SECRET}`),
        chunk('iTXt', SECRET),
        chunk('zTXt', SECRET),
        chunk('tIME', SECRET),
        chunk('eXIf', exif(6)),
        chunk('prVt', SECRET),
      ]),
      SECRET,
    ),
  'an animated PNG': () =>
    png({}, [
      chunk('acTL', bytesOf([0, 0, 0, 2, 0, 0, 0, 0])),
      frameOfPng(4, 3),
      frameOfPng(2, 2),
    ]),
  'a JPEG with EXIF, XMP, IPTC, comments, a thumbnail and bytes after its end': () =>
    bytesOf(
      jpegWith(
        segment(0xe0, bytesOf('JFIF\0', [1, 1, 0, 0, 72, 0, 72, 4, 4], SECRET)),
        segment(0xe1, bytesOf('Exif\0\0', exif(6))),
        segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
        segment(0xed, `Photoshop 3.0\0${SECRET}`),
        segment(0xfe, SECRET),
        segment(0xe2, `MPF\0${SECRET}`),
      ),
      realPicture('chart.jpg'),
      SECRET,
    ),
  'a WebP with EXIF, XMP and unknown chunks': () => {
    const {
      VP8X,
      ICCP,
      'VP8 ': pixels,
    } = Object.fromEntries(chunksOfWebp('chart.webp')) as Record<string, Buffer>;
    return bytesOf(
      webp(
        extendedHeader(16, 10, (VP8X?.[8] ?? 0) | 0x0c),
        ICCP as Buffer,
        pixels as Buffer,
        riff('EXIF', exif(6)),
        riff('XMP ', SECRET),
        riff('odd!', SECRET),
      ),
      SECRET,
    );
  },
  'an animated WebP': ANIMATED_WEBP,
  'a GIF with comments, XMP and bytes after its end': () =>
    bytesOf(
      gif(
        {},
        gifExtension(0xff, 'NETSCAPE2.0', '\x01\x00\x00'),
        gifExtension(0xfe, SECRET),
        gifExtension(0xff, 'XMP DataXMP', SECRET),
        control,
        gifImage(3, 2),
        gifExtension(0x01, '\0'.repeat(12), SECRET),
        gifImage(2, 2, 1),
      ),
      SECRET,
    ),
};

const REAL = ['chart.png', 'chart.jpg', 'chart.webp', 'alpha.webp'] as const;

describe('what is kept', () => {
  test.each(REAL)('of %s: its type and size', (name) => {
    const picture = cleanedPicture(realPicture(name));
    expect(picture).toMatchObject({ type: name.split('.')[1], width: 16, height: 10 });
    expect(picture.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each(Object.keys(WITH_METADATA))('of %s: nothing but the picture', (name) => {
    const picture = cleanedPicture((WITH_METADATA[name] as () => Buffer)());
    expect(Buffer.from(picture.bytes).includes('SECRET')).toBe(false);
    expect(Buffer.from(picture.bytes).includes('GPS')).toBe(false);
    expect(cleanedPicture(picture.bytes)).toEqual(picture);
  });

  test('the orientation, once, and the colour profile', () => {
    for (const name of Object.keys(WITH_METADATA).slice(0, 4).toSpliced(1, 1)) {
      const bytes = Buffer.from(
        cleanedPicture((WITH_METADATA[name] as () => Buffer)()).bytes,
      );
      const at = bytes.indexOf('MM\0*', 0, 'latin1');
      expect([...bytes.subarray(at + 8, at + 20)]).toEqual([
        0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6,
      ]);
    }

    const profile = chunksOfWebp('chart.webp').get('ICCP') as Buffer;
    expect(
      Buffer.from(cleanedPicture(realPicture('chart.webp')).bytes).includes(profile),
    ).toBe(true);
    const ofJpeg = segment(0xe2, bytesOf('ICC_PROFILE\0', [1, 1], 'the profile'));
    expect(Buffer.from(cleanedPicture(jpegWith(ofJpeg)).bytes).includes(ofJpeg)).toBe(
      true,
    );
    const ofPng = profileOfPng(500);
    expect(Buffer.from(cleanedPicture(png({}, [ofPng])).bytes).includes(ofPng)).toBe(
      true,
    );
  });

  test.each([0, 1, 9])(
    'no orientation if EXIF has %i: the picture is upright',
    (value) => {
      const upright = png({}, [chunk('eXIf', exif(value))]);
      expect(cleanedPicture(upright)).toEqual(cleanedPicture(png()));
    },
  );

  test('of what controls images of a GIF, only that before an image', () => {
    const image = gifImage(3, 2);
    expect(cleanedPicture(gif({}, control, image, control))).toEqual(
      cleanedPicture(gif({}, control, image)),
    );
  });

  test('the same bytes, whatever was beside them', () => {
    const bare = cleanedPicture(jpegWith());
    const comments = ['a', 'b'].map((text) =>
      cleanedPicture(jpegWith(segment(0xfe, text))),
    );
    for (const { sha256 } of comments) expect(sha256).toBe(bare.sha256);
  });
});

const REFUSED: readonly (readonly [
  what: string,
  bytes: () => Uint8Array,
  why: RegExp,
])[] = [
  ['nothing', () => bytesOf(), /no PNG, JPEG, WebP or GIF/],
  ['SVG', () => bytesOf('<svg xmlns="http://www.w3.org/2000/svg"/>'), /no PNG/],
  ['HTML', () => bytesOf('<html><script>alert(1)</script>'), /no PNG/],
  ['a BMP', () => bytesOf('BM', Buffer.alloc(60)), /no PNG/],
  ['more than 8 MB', () => Buffer.alloc(8_000_001), /more than 8 MB/],
  ['a PNG too wide', () => pngOfSize(16_385, 1), /16384 a side/],
  ['a bomb of 2.5 GB', () => pngOfSize(16_384, 16_384), /50 million/],
  ['a PNG without width', () => pngOfSize(0, 5), /no width/],
  ['a PNG of 2^31', () => pngOfSize(2 ** 31, 2 ** 31), /a side/],
  ['a PNG whose chunk goes beyond the end', () => png().subarray(0, -3), /cut off/],
  [
    'a PNG whose length lies',
    () => withBytes(png(), 33, [0x7f, 0xff, 0xff, 0xff]),
    /cut off/,
  ],
  ['a PNG with a wrong checksum', () => withBytes(png(), 45, [1]), /damaged/],
  [
    'a PNG without pixels',
    () => bytesOf(png().subarray(0, 33), chunk('IEND')),
    /damaged/,
  ],
  ['a PNG with two headers', () => png({}, [png().subarray(8, 33)]), /damaged/],
  ['a PNG frame outside', () => png({}, [frameOfPng(4, 3, 1)]), /damaged/],
  [
    'frames of 200 million pixels',
    () =>
      png(
        { width: 5000, height: 5000 },
        Array(9).fill(frameOfPng(9, 9)),
        Buffer.alloc(9),
      ),
    /9 frames of 5000 x 5000/,
  ],
  ['a profile that unpacks to 2 MB', () => png({}, [profileOfPng(2_000_000)]), /1 MB/],
  ['a profile that is none', () => png({}, [chunk('iCCP', 'name\0\0xxx')]), /damaged/],
  [
    'a JPEG profile of over 1 MB',
    () =>
      jpegWith(...Array(17).fill(segment(0xe2, `ICC_PROFILE\0${'x'.repeat(65_000)}`))),
    /1 MB/,
  ],
  ['a JPEG without an end', () => realPicture('chart.jpg').subarray(0, -2), /cut off/],
  ['a JPEG without a scan', () => bytesOf([0xff, 0xd8, 0xff, 0xd9]), /damaged/],
  ['a JPEG with two frames', () => jpegWith(frameOf(4, 4)), /damaged/],
  ['a JPEG too tall', () => jpegWith(frameOf(4, 20_000)), /a side/],
  ['a JPEG of unknown height', () => jpegWith(frameOf(4, 0)), /no width or height/],
  ['a JPEG of 101 scans', manyScans, /100 scans/],
  [
    'a JPEG segment without length',
    () => jpegWith(bytesOf([0xff, 0xfe, 0, 0])),
    /cut off/,
  ],
  ['a WebP that is cut off', () => realPicture('chart.webp').subarray(0, 400), /cut off/],
  ['a WebP whose canvas lies', () => webp(extendedHeader(9, 9, 0), vp8()), /damaged/],
  ['a WebP without pixels', () => webp(extendedHeader(9, 9, 0)), /damaged/],
  ['a WebP of chunks alone', () => webp(riff('XMP ', 'x')), /damaged/],
  ['a WebP too wide', () => webp(extendedHeader(16_385, 1, 0), vp8()), /a side/],
  [
    'a WebP frame outside',
    () =>
      webp(extendedHeader(10, 10, 2), riff('ANIM', '123456'), frameOfWebp(16, 10, vp8())),
    /damaged/,
  ],
  [
    'a WebP of frames that are none',
    () => webp(extendedHeader(16, 10, 2), riff('ANIM', '123456')),
    /damaged/,
  ],
  ['a GIF without an end', () => gif({}, gifImage(3, 2)).subarray(0, -1), /cut off/],
  ['a GIF without images', () => gif({}), /damaged/],
  ['a GIF image outside', () => gif({}, gifImage(3, 2, 1)), /damaged/],
  [
    'a GIF of too many frames',
    () => gif({ width: 7000, height: 7000 }, ...Array(5).fill(gifImage(1, 1))),
    /5 frames of 7000 x 7000/,
  ],
  ['a GIF with an unknown block', () => gif({}, bytesOf([9])), /damaged/],
];

function withBytes(bytes: Buffer, at: number, others: readonly number[]): Buffer {
  const changed = Buffer.from(bytes);
  changed.set(others, at);
  return changed;
}

/** The segment that states the size of a JPEG. */
function frameOf(width: number, height: number): Buffer {
  return segment(
    0xc0,
    bytesOf([8, height >> 8, height & 255, width >> 8, width & 255, 0]),
  );
}

function manyScans(): Buffer {
  const real = realPicture('chart.jpg');
  const scan = segment(0xda, bytesOf([0, 0, 0, 0]));
  return bytesOf(real.subarray(0, -2), ...Array(100).fill(scan), [0xff, 0xd9]);
}

test.each(REFUSED)('refuses %s', (_, bytes, why) => {
  expect(() => cleanedPicture(bytes())).toThrow(PictureRefused);
  expect(() => cleanedPicture(bytes())).toThrow(why);
});

test('EXIF whose directory is beyond its end, or itself, has no orientation', () => {
  for (const offset of [
    [0xff, 0xff, 0xff, 0x7f],
    [0, 0, 0, 0],
    [8, 0, 0, 0],
  ]) {
    const block = bytesOf('II*\0', offset, [0xff, 0xff], 'SECRET');
    const bytes = Buffer.from(cleanedPicture(png({}, [chunk('eXIf', block)])).bytes);
    expect(bytes.includes('eXIf')).toBe(false);
  }
});

test('bytes changed at random are kept as what they read as, or refused', () => {
  const sources = [
    ...REAL.map(realPicture),
    ...Object.values(WITH_METADATA).map((make) => make()),
  ];
  const change = fc.record({ at: fc.nat(2000), value: fc.integer({ min: 0, max: 255 }) });
  const inputs = fc.record({
    source: fc.nat(sources.length - 1),
    changes: fc.array(change, { maxLength: 4 }),
    cut: fc.option(fc.nat(2000), { freq: 4 }),
    twice: fc.option(fc.tuple(fc.nat(1000), fc.nat(200)), { freq: 4 }),
  });

  let kept = 0;
  fc.assert(
    fc.property(inputs, ({ source, changes, cut, twice }) => {
      let bytes: Buffer = Buffer.from(sources[source] as Buffer);
      for (const { at, value } of changes) bytes[at % bytes.length] = value;
      if (cut !== null) bytes = bytes.subarray(0, cut);
      if (twice !== null) {
        const [from, size] = twice;
        bytes = bytesOf(bytes.subarray(0, from + size), bytes.subarray(from));
      }

      try {
        const picture = cleanedPicture(bytes);
        expect(cleanedPicture(picture.bytes)).toEqual(picture);
        expect(picture.width * picture.height).toBeLessThanOrEqual(50_000_000);
        kept++;
      } catch (error) {
        if (!(error instanceof PictureRefused)) throw error;
      }
    }),
    { numRuns: runs(20_000, 1500) },
  );
  expect(kept).toBeGreaterThan(0);
});
