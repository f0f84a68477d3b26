// Recursive Length Prefix, Ethereum's serialisation: nested lists of byte strings, in the canonical form only. Own code, because
// the signer parses what it signs and loads no chain SDK.

export type Rlp = Uint8Array | readonly Rlp[];

const [SHORT, LIST, LONGEST_SHORT] = [0x80, 0xc0, 55];

/** The canonical bytes of an item. */
export function encodeRlp(item: Rlp): Uint8Array {
  if (item instanceof Uint8Array) {
    return item.length === 1 && (item[0] as number) < SHORT ? item : prefixed(SHORT, item);
  }
  return prefixed(LIST, Buffer.concat(item.map(encodeRlp)));
}

function prefixed(base: number, content: Uint8Array): Uint8Array {
  if (content.length <= LONGEST_SHORT) return Buffer.concat([Uint8Array.of(base + content.length), content]);
  const length = integerBytes(BigInt(content.length));
  return Buffer.concat([Uint8Array.of(base + LONGEST_SHORT + length.length), length, content]);
}

/** The item that the bytes encode. Throws an Error for anything but the canonical form of one item. */
export function decodeRlp(bytes: Uint8Array): Rlp {
  const [item, end] = decodeAt(bytes, 0);
  // Encode the item again and compare, which refuses every non-canonical encoding.
  if (end !== bytes.length || !Buffer.from(encodeRlp(item)).equals(bytes)) throw new Error('not canonical RLP');
  return item;
}

function decodeAt(bytes: Uint8Array, at: number): [Rlp, number] {
  const first = bytes[at];
  if (first === undefined) throw new Error('RLP is cut short');
  if (first < SHORT) return [bytes.subarray(at, at + 1), at + 1];
  const base = first < LIST ? SHORT : LIST;
  const long = first - base - LONGEST_SHORT;
  const start = at + 1 + Math.max(0, long);
  const length = long > 0 ? lengthOf(bytes.subarray(at + 1, start)) : first - base;
  const end = start + length;
  if (start > bytes.length || end > bytes.length) throw new Error('RLP is cut short');
  if (base === SHORT) return [bytes.subarray(start, end), end];
  const items: Rlp[] = [];
  for (let next = start; next < end;) {
    const [item, after] = decodeAt(bytes.subarray(0, end), next);
    items.push(item);
    next = after;
  }
  return [items, end];
}

function lengthOf(bytes: Uint8Array): number {
  if (bytes.length > 4) throw new Error('RLP of this length is not read');
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Big-endian without leading zeros; zero is empty. */
export function integerBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new Error('RLP has no negative integers');
  if (value === 0n) return new Uint8Array();
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

/** The integer of canonical bytes. Throws an Error for leading zeros. */
export function integerOf(bytes: Uint8Array): bigint {
  if (bytes[0] === 0) throw new Error('an RLP integer begins with zero');
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}
