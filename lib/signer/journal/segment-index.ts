// The index of a closed segment of the journal: the offsets of each intent's records, and the change of each session's
// refunds. Sorted fixed-width tables under a MAC, so that a start reads a few bytes per record and parses none of them.

import { macOf, sameBytes, sha256 } from '@/lib/platform/crypto';

const [DIGEST_BYTES, OFFSET_BYTES, CENTS_BYTES, MAC_BYTES] = [16, 4, 8, 32];
const PLACE_BYTES = DIGEST_BYTES + OFFSET_BYTES;
const SUM_BYTES = DIGEST_BYTES + CENTS_BYTES;
/** Longer than any first line of an index. */
const MAX_HEAD_BYTES = 1000;

/**
 * The head of an index. `first`: number of the segment's first record. `previous`: MAC of the previous index, or zeros.
 */
type IndexHead = {
  readonly segment: number;
  readonly first: number;
  readonly records: number;
  readonly places: number;
  readonly sums: number;
  readonly previous: string;
};

export type IndexContent = Omit<IndexHead, 'places' | 'sums'> & {
  readonly places: readonly { readonly intentId: string; readonly offset: number }[];
  readonly sums: ReadonlyMap<string, bigint>;
};

export class SegmentIndex {
  readonly head: IndexHead;
  /** In hex. */
  readonly mac: string;
  readonly #places: Buffer;
  readonly #sums: Buffer;

  private constructor(head: IndexHead, body: Buffer, mac: string) {
    this.head = head;
    this.mac = mac;
    this.#places = body.subarray(0, head.places * PLACE_BYTES);
    this.#sums = body.subarray(head.places * PLACE_BYTES);
  }

  /** The bytes of an index file. */
  static write(key: Uint8Array, { places, sums, ...rest }: IndexContent): Buffer {
    const head = { ...rest, places: places.length, sums: sums.size };
    const content = Buffer.concat([
      Buffer.from(`${JSON.stringify(head)}\n`),
      sorted(places.map(({ intentId, offset }) => [intentId, uint32(offset)])),
      sorted([...sums].map(([name, cents]) => [name, int64(cents)])),
    ]);
    return Buffer.concat([content, macOfIndex(key, content)]);
  }

  /** The index in these bytes, or null when its MAC was not made with this key. */
  static read(key: Uint8Array, bytes: Buffer): SegmentIndex | null {
    const content = bytes.subarray(0, Math.max(0, bytes.length - MAC_BYTES));
    const mac = bytes.subarray(content.length);
    if (!sameBytes(mac, macOfIndex(key, content))) return null;
    const end = content.subarray(0, MAX_HEAD_BYTES).indexOf(0x0a);
    const head = JSON.parse(content.toString('utf8', 0, end)) as IndexHead;
    return new SegmentIndex(head, content.subarray(end + 1), mac.toString('hex'));
  }

  /** Offsets in the segment of the records that may be about an intent. */
  offsetsOf(intentId: string): number[] {
    const digest = digestOf(intentId);
    const offsets: number[] = [];
    for (let at = firstOf(this.#places, PLACE_BYTES, digest); isAt(this.#places, at, digest); at += PLACE_BYTES) {
      offsets.push(this.#places.readUInt32BE(at + DIGEST_BYTES));
    }
    return offsets;
  }

  /** Change in cents of a session's refunds in the segment. */
  sumOf(session: string): bigint {
    const digest = digestOf(session);
    const at = firstOf(this.#sums, SUM_BYTES, digest);
    return isAt(this.#sums, at, digest) ? this.#sums.readBigInt64BE(at + DIGEST_BYTES) : 0n;
  }
}

const digestOf = (name: string): Buffer => sha256(name).subarray(0, DIGEST_BYTES);

const macOfIndex = (key: Uint8Array, content: Buffer): Buffer =>
  macOf(key, ['stabletill journal index 1', sha256(content).toString('hex')]);

/** Rows of digest and value. The sort is by both, so the offsets of an intent ascend. */
const sorted = (rows: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat(
    rows.map(([name, value]) => Buffer.concat([digestOf(name), value])).toSorted((a, b) => Buffer.compare(a, b)),
  );

/** Offset of the first row that is not below a digest. */
function firstOf(rows: Buffer, width: number, digest: Buffer): number {
  let [low, high] = [0, rows.length / width];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = middle * width;
    if (rows.compare(digest, 0, DIGEST_BYTES, at, at + DIGEST_BYTES) < 0) low = middle + 1;
    else high = middle;
  }
  return low * width;
}

const isAt = (rows: Buffer, at: number, digest: Buffer): boolean =>
  at < rows.length && rows.compare(digest, 0, DIGEST_BYTES, at, at + DIGEST_BYTES) === 0;

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(OFFSET_BYTES);
  bytes.writeUInt32BE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(CENTS_BYTES);
  bytes.writeBigInt64BE(value);
  return bytes;
}
