// Removes the parts of a picture that browsers do not draw: camera and place, comments, thumbnails, colour profiles. A logo is
// public, and its merchant does not see these parts. Each walk reads every byte once and never beyond the end. Pure.

import type { PictureType } from './picture';

/** The picture without metadata; null when its parts do not match its type. */
export function withoutMetadata(bytes: Uint8Array, type: PictureType): Buffer | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (type) {
    case 'image/png':
      return cleanPng(data);
    case 'image/jpeg':
      return cleanJpeg(data);
    case 'image/webp':
      return cleanWebp(data);
    default:
      return type satisfies never;
  }
}

/** The pixels, and how their values become colours. */
const PNG_KEPT = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB']);
const PNG_SIGNATURE_BYTES = 8;
/** Length, name and checksum around a chunk's content. */
const PNG_FRAME = 12;

function cleanPng(data: Buffer): Buffer | null {
  const kept: Buffer[] = [data.subarray(0, PNG_SIGNATURE_BYTES)];
  let at = PNG_SIGNATURE_BYTES;
  while (at + PNG_FRAME <= data.length) {
    const next = at + PNG_FRAME + data.readUInt32BE(at);
    if (next > data.length) return null;
    if (PNG_KEPT.has(data.toString('latin1', at + 4, at + 8))) kept.push(data.subarray(at, next));
    at = next;
  }
  return at === data.length ? Buffer.concat(kept) : null;
}

const [START_OF_IMAGE, END_OF_IMAGE, START_OF_SCAN, COMMENT, FIRST_APP, LAST_APP, ADOBE] = [
  ...[0xd8, 0xd9, 0xda, 0xfe, 0xe0, 0xef, 0xee],
] as const;

/**
 * Adobe's segment says how the colours are coded. All other application segments, Exif and its rotation included, are metadata.
 */
const isJpegMetadata = (marker: number): boolean =>
  marker === COMMENT || (marker >= FIRST_APP && marker <= LAST_APP && marker !== ADOBE);

/** Stops at the first end marker. Data after it is another picture, such as a larger one that some cameras append. */
function cleanJpeg(data: Buffer): Buffer | null {
  const kept: Buffer[] = [Buffer.from([0xff, START_OF_IMAGE])];
  let at = 2;
  while (at + 2 <= data.length) {
    const marker = data[at + 1] as number;
    if (data[at] !== 0xff) return null;
    if (marker === END_OF_IMAGE) return Buffer.concat([...kept, data.subarray(at, at + 2)]);
    if (at + 4 > data.length) return null;
    const length = data.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > data.length) return null;
    const next = marker === START_OF_SCAN ? endOfScan(data, end) : end;
    if (!isJpegMetadata(marker)) kept.push(data.subarray(at, next));
    at = next;
  }
  return null;
}

/** Where the compressed pixels end: at a marker that is neither a stuffed byte nor a restart. */
function endOfScan(data: Buffer, from: number): number {
  for (let at = from; at + 1 < data.length; at++) {
    const next = data[at + 1] as number;
    if (data[at] === 0xff && next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return data.length;
}

const WEBP_KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH']);
const WEBP_HEAD = 12;
const WEBP_CHUNK_HEAD = 8;
/** The bits of the feature chunk that announce a colour profile, Exif and XMP. */
const WEBP_METADATA_FLAGS = 0x20 | 0x08 | 0x04;

function cleanWebp(data: Buffer): Buffer | null {
  const kept: Buffer[] = [];
  let at = WEBP_HEAD;
  while (at + WEBP_CHUNK_HEAD <= data.length) {
    const length = data.readUInt32LE(at + 4);
    // Chunks are padded to an even length.
    const next = at + WEBP_CHUNK_HEAD + length + (length % 2);
    if (next > data.length) return null;
    const name = data.toString('latin1', at, at + 4);
    const chunk = Buffer.from(data.subarray(at, next));
    if (name === 'VP8X') chunk[WEBP_CHUNK_HEAD] = (chunk[WEBP_CHUNK_HEAD] as number) & ~WEBP_METADATA_FLAGS;
    if (WEBP_KEPT.has(name)) kept.push(chunk);
    at = next;
  }
  if (at !== data.length) return null;
  const body = Buffer.concat(kept);
  const head = Buffer.from(data.subarray(0, WEBP_HEAD));
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}
