// Only complete, still PNG, JPEG and WebP pictures are accepted.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jpeg, png, webp } from '@/testing/pictures';
import { readPicture } from './picture';

describe('a picture', () => {
  test.each([
    ['png', png(40, 20), { type: 'image/png', width: 40, height: 20 }],
    ['jpeg', jpeg(64, 48), { type: 'image/jpeg', width: 64, height: 48 }],
    ['lossy webp', webp('VP8 ', 30, 12), { type: 'image/webp', width: 30, height: 12 }],
    ['lossless webp', webp('VP8L', 300, 120), { type: 'image/webp', width: 300, height: 120 }],
    ['webp with features', webp('VP8X', 1000, 2), { type: 'image/webp', width: 1000, height: 2 }],
  ])('is detected by its bytes: %s', (_name, bytes, expected) => {
    expect(readPicture(bytes)).toEqual(expected);
    // A view into a larger buffer, as uploads are.
    const around = new Uint8Array(bytes.length + 9);
    around.set(bytes, 9);
    expect(readPicture(around.subarray(9))).toEqual(expected);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['svg', readFileSync(new URL('../../../app/icon.svg', import.meta.url))],
    [
      'html that begins like a png',
      Buffer.concat([png(1, 1).subarray(0, 8), Buffer.from('<script>alert(1)</script>')]),
    ],
    ['gif', Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1')],
    ['a png without pixels', png(0, 10)],
    ['a png that is cut off', png(40, 20).subarray(0, -1)],
    ['a png with something behind it', Buffer.concat([png(40, 20), Buffer.from('<html>')])],
    ['a png that moves', png(40, 20, 'acTL')],
    ['a png with two headers', png(40, 20, 'IHDR')],
    ['a jpeg that is cut off', jpeg(64, 48).subarray(0, -2)],
    ['a webp that moves', webp('VP8X', 10, 10, 0x02)],
    ['a webp with something behind it', Buffer.concat([webp('VP8L', 10, 10), Buffer.from('<html>')])],
    ['another riff', Buffer.from(webp('VP8L', 10, 10).toString('latin1').replace('WEBP', 'WAVE'), 'latin1')],
  ])('is rejected: %s', (_name, bytes) => {
    expect(readPicture(bytes)).toBeNull();
  });

  test('is never larger than its own bytes', () => {
    const heads = [png(8, 8), jpeg(8, 8), webp('VP8 ', 8, 8), webp('VP8L', 8, 8), webp('VP8X', 8, 8)];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.nat(), fc.uint8Array({ maxLength: 60 }), (head, at, tail) => {
        const bytes = Buffer.concat([head.subarray(0, at % (head.length + 1)), tail]);
        const picture = readPicture(bytes);
        if (picture) expect(picture.width * picture.height).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
