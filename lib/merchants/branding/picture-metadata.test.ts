// Which parts of an uploaded picture are stored: what browsers draw, without metadata about author and place.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jpeg, png, segment, webp, webpWith } from '@/testing/pictures';
import { readPicture, type PictureType } from './picture';
import { withoutMetadata } from './picture-metadata';

const SECRET = 'GPS 48.2082 16.3738, Alice, Photoshop';
const clean = (bytes: Buffer): Buffer | null =>
  withoutMetadata(bytes, (readPicture(bytes) as { type: PictureType }).type);
const scan = Buffer.concat([
  segment(0xda, '\u0001\u0001\u0000\u0000?\u0000'),
  Buffer.from('12ff00d0ffd334ff00', 'hex'),
]);

describe('metadata', () => {
  test.each(['tEXt', 'iTXt', 'zTXt', 'eXIf', 'tIME', 'iCCP', 'pHYs', 'prVt'])('of a PNG is removed: %s', (name) => {
    expect(clean(png(40, 20, name, SECRET))).toEqual(png(40, 20));
  });
  test.each(['gAMA', 'sRGB', 'tRNS', 'PLTE'])('of a PNG does not include the chunks of its colours: %s', (name) => {
    const bytes = png(40, 20, name, 'abc');
    expect(clean(bytes)).toEqual(bytes);
  });
  test.each([0xe0, 0xe1, 0xe2, 0xed, 0xef, 0xfe])('of a JPEG is removed: segment %i', (marker) => {
    expect(clean(jpeg(40, 20, [segment(marker, SECRET)]))).toEqual(jpeg(40, 20));
  });
  test('of a JPEG is removed between its scans and after its end, while its colours and pixels stay', () => {
    const adobe = segment(0xee, 'Adobe');
    const whole = jpeg(40, 20, [adobe]).subarray(0, -2);
    const end = Buffer.from('ffd9', 'hex');
    const bytes = Buffer.concat([whole, scan, segment(0xfe, SECRET), scan, end, Buffer.from(SECRET), end]);
    expect(clean(bytes)).toEqual(Buffer.concat([whole, scan, scan, end]));
  });
  test.each(['EXIF', 'XMP ', 'ICCP', 'abcd'])('of a WebP is removed: %s', (name) => {
    for (const text of [SECRET, `${SECRET}.`])
      expect(clean(webpWith(name, text, 0x20 | 0x10 | 0x08 | 0x04))).toEqual(webp('VP8X', 10, 10, 0x10));
  });
});

test('a picture with truncated parts is refused', () => {
  const broken = png(40, 20);
  broken.writeUInt32BE(0xffff_fff0, 8 + 25);
  expect(withoutMetadata(broken, 'image/png')).toBeNull();
  expect(withoutMetadata(jpeg(40, 20, [Buffer.from('ffe1ffff', 'hex')]), 'image/jpeg')).toBeNull();
  const long = webpWith('EXIF', SECRET, 0);
  long.writeUInt32LE(0xffff_fff0, 34);
  expect(withoutMetadata(long, 'image/webp')).toBeNull();
});

test('for any bytes the walk ends and never makes the picture longer', () => {
  const heads = [png(8, 8), jpeg(8, 8, [scan]), webp('VP8X', 8, 8)];
  const types = ['image/png', 'image/jpeg', 'image/webp'] as const;
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 2), fc.nat(), fc.uint8Array({ maxLength: 60 }), (kind, at, tail) => {
      const head = heads[kind] as Buffer;
      const bytes = Buffer.concat([head.subarray(0, at % (head.length + 1)), tail]);
      expect(withoutMetadata(bytes, types[kind])?.length ?? 0).toBeLessThanOrEqual(Math.max(12, bytes.length));
    }),
    { numRuns: 3000 },
  );
});
