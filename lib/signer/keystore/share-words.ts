// How a share of the wallet is written on paper: words of the list that the backup words come from, with a header and a
// checksum. The header lets a restore refuse shares of another set, and the checksum finds words that were copied wrongly.

import { createHash } from 'node:crypto';
import { wordlist } from '@scure/bip39/wordlists/english.js';

export type Share = {
  /** The same in all shares of one set, and random. */
  readonly set: Uint8Array;
  /** How many shares of the set restore the wallet. */
  readonly threshold: number;
  /** What the library made. */
  readonly part: Uint8Array;
};

/** The first byte. Another layout gets another number. */
const VERSION = 1;
const SET_BYTES = 4;
/** An accident passes with a probability of one in four thousand million. */
const CHECKSUM_BYTES = 4;
const WORDS = BigInt(wordlist.length);
const HEADER_BYTES = 1 + SET_BYTES + 1;
/** The shortest entropy of backup words, its digest and the library's own byte. */
const SHORTEST_PART = 16 + 4 + 1;

export const SHARE_SET_BYTES = SET_BYTES;

/** The words of a share; their number depends on the length of its part only. */
export function wordsOfShare({ set, threshold, part }: Share): string[] {
  const body = Buffer.concat([Buffer.from([VERSION]), set, Buffer.from([threshold]), part]);
  const bytes = Buffer.concat([body, checksumOf(body)]);
  // One number, whose first byte is not zero, so that every word and byte of it comes back.
  const places: number[] = [];
  for (let left = BigInt(`0x${bytes.toString('hex')}`); left > 0n; left /= WORDS) places.unshift(Number(left % WORDS));
  return places.flatMap((place) => wordlist[place] ?? []);
}

/** Null when these are not the words of one share: a word, its place or the number of words is wrong. */
export function shareOfWords(text: string): Share | null {
  const places = text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .map((word) => wordlist.indexOf(word));
  if (places.includes(-1)) return null;
  const hex = places.reduce((sum, place) => sum * WORDS + BigInt(place), 0n).toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  if (bytes.length < HEADER_BYTES + SHORTEST_PART + CHECKSUM_BYTES) return null;
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (body[0] !== VERSION || !checksumOf(body).equals(bytes.subarray(-CHECKSUM_BYTES))) return null;
  return {
    set: body.subarray(1, 1 + SET_BYTES),
    threshold: body.readUInt8(1 + SET_BYTES),
    part: body.subarray(HEADER_BYTES),
  };
}

const checksumOf = (body: Uint8Array): Buffer =>
  createHash('sha256').update('stabletill share\0').update(body).digest().subarray(0, CHECKSUM_BYTES);
