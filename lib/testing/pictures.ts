// The smallest pictures of each kind, made byte by byte for tests.

import { crc32, deflateSync } from 'node:zlib';

/** A grey PNG that every browser draws; `extra` puts an empty chunk of that name behind the header. */
export function png(width: number, height: number, extra?: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const pixels = Buffer.alloc((width + 1) * height, 0x80);
  for (let row = 0; row < height; row++) pixels[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...(extra === undefined ? [] : [chunk(extra, Buffer.alloc(0))]),
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

/** A JPEG's frame between its first and last marker. */
export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0000b08000000000101110000', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
    frame,
    Buffer.from('ffd9', 'hex'),
  ]);
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
