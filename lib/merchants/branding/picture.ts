// Detects a picture's type from its bytes alone, never from a name or header. Accepts PNG, JPEG or WebP that is complete,
// still, and has nothing after its end. Rejects everything else, SVG above all. Pure.

export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp';
/** Width and height in pixels. */
export type Picture = { readonly type: PictureType; readonly width: number; readonly height: number };

/** The picture in the bytes, or null when they are not exactly one picture of the three types. */
export function readPicture(bytes: Uint8Array): Picture | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const picture = readPng(data) ?? readJpeg(data) ?? readWebp(data);
  return picture && picture.width > 0 && picture.height > 0 ? picture : null;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Length, name and checksum around a chunk's content. */
const PNG_CHUNK_FRAME = 12;

/** Walks the chunks: a header first, an end last, no animation. */
function readPng(data: Buffer): Picture | null {
  if (!data.subarray(0, 8).equals(PNG_SIGNATURE)) return null;
  let size: { width: number; height: number } | null = null;
  for (let at = 8; at + PNG_CHUNK_FRAME <= data.length;) {
    const length = data.readUInt32BE(at);
    const name = data.toString('latin1', at + 4, at + 8);
    const next = at + PNG_CHUNK_FRAME + length;
    if (next > data.length || name === 'acTL' || (size === null) !== (name === 'IHDR')) return null;
    if (name === 'IHDR') {
      if (length !== 13) return null;
      size = { width: data.readUInt32BE(at + 8), height: data.readUInt32BE(at + 12) };
    }
    if (name === 'IEND') return size && next === data.length ? { type: 'image/png', ...size } : null;
    at = next;
  }
  return null;
}

/** Markers that begin a frame and hold its size; C4, C8 and CC among them mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Walks the segments up to the frame; the file ends with the end marker. */
function readJpeg(data: Buffer): Picture | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8 || data.readUInt16BE(data.length - 2) !== 0xffd9) return null;
  for (let at = 2; at + 9 < data.length;) {
    if (data[at] !== 0xff) return null;
    const marker = data[at + 1] as number;
    if (isFrame(marker)) {
      return { type: 'image/jpeg', height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    }
    const length = data.readUInt16BE(at + 2);
    if (length < 2) return null;
    at += 2 + length;
  }
  return null;
}

/** The container's flag for animations. */
const WEBP_ANIMATION = 0x02;

/** One of the three kinds of WebP: lossy, lossless, or with features. */
function readWebp(data: Buffer): Picture | null {
  if (data.length < 30 || data.toString('latin1', 0, 4) !== 'RIFF' || data.toString('latin1', 8, 12) !== 'WEBP')
    return null;
  // The container states its length; chunks are padded to an even length.
  if (data.readUInt32LE(4) + 8 !== data.length) return null;
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (data.readUIntBE(23, 3) !== 0x9d012a) return null;
      return { type: 'image/webp', width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      if (data[20] !== 0x2f) return null;
      const bits = data.readUInt32LE(21);
      return { type: 'image/webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      if ((data[20] as number) & WEBP_ANIMATION) return null;
      return { type: 'image/webp', width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
  }
  return null;
}
