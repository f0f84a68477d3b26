// The smallest pictures of each kind, built byte by byte for tests.

import { crc32, deflateSync } from 'node:zlib';

/** A grey PNG that every browser draws; `extra` adds a chunk of that name after the header, with `content`. */
export function png(width: number, height: number, extra?: string, content = ''): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const pixels = Buffer.alloc((width + 1) * height, 0x80);
  for (let row = 0; row < height; row++) pixels[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...(extra === undefined ? [] : [chunk(extra, Buffer.from(content))]),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A JPEG's frame between its first and last marker; `segments` stand before it. */
export function jpeg(width: number, height: number, segments: readonly Buffer[] = []): Buffer {
  const frame = Buffer.from('ffc0000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8', 'hex'), ...segments, frame, Buffer.from('ffd9', 'hex')]);
}

/** A segment of a JPEG: its marker and content. */
export function segment(marker: number, content: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, Buffer.from(content, 'latin1')]);
}

/** A WebP with another chunk behind its pixels. */
export function webpWith(name: string, content: string, flags: number): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(content.length, 4);
  const padding = Buffer.alloc(content.length % 2);
  const whole = Buffer.concat([webp('VP8X', 10, 10, flags), head, Buffer.from(content), padding]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

/** The container and the first chunk's header; `flags` are those of a picture with features. */
export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(30);
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(data.length - 8, 4);
  data.write(`WEBP${kind}`, 8, 'latin1');
  data.writeUInt32LE(10, 16);
  if (kind === 'VP8 ') {
    data.set([0, 0, 0, 0x9d, 0x01, 0x2a], 20);
    data.writeUInt16LE(width, 26);
    data.writeUInt16LE(height, 28);
  } else if (kind === 'VP8L') {
    data[20] = 0x2f;
    data.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    data[20] = flags;
    data.writeUIntLE(width - 1, 24, 3);
    data.writeUIntLE(height - 1, 27, 3);
  }
  return data;
}
