// The part of protobuf's wire format that a TRON token transfer needs: integer and byte string fields, ordered by number, as
// java-tron writes them. Own code, because the signer loads no chain SDK.

export type Field = { readonly number: number; readonly value: bigint | Uint8Array };

const [VARINT, BYTES] = [0, 2];

/** The bytes of a message. Zero and empty fields are omitted, as in proto3. */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  const kept = fields.filter(({ value }) => (typeof value === 'bigint' ? value !== 0n : value.length > 0));
  return Buffer.concat(
    kept.flatMap(({ number, value }) =>
      typeof value === 'bigint'
        ? [varint(BigInt((number << 3) | VARINT)), varint(value)]
        : [varint(BigInt((number << 3) | BYTES)), varint(BigInt(value.length)), value],
    ),
  );
}

function varint(value: bigint): Uint8Array {
  if (value < 0n) throw new Error('negative integers are not written here');
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(left)]);
}

/** The fields of a message by number. Throws an Error for a repeated number and for any other kind of field. */
export function decodeFields(bytes: Uint8Array): ReadonlyMap<number, bigint | Uint8Array> {
  const found = new Map<number, bigint | Uint8Array>();
  for (let at = 0; at < bytes.length;) {
    const [tag, afterTag] = readVarint(bytes, at);
    const number = Number(tag >> 3n);
    if (found.has(number)) throw new Error('a field comes twice');
    const [value, next] = readVarint(bytes, afterTag);
    const kind = Number(tag & 7n);
    if (kind === VARINT) {
      found.set(number, value);
      at = next;
    } else if (kind === BYTES) {
      const end = next + Number(value);
      if (end > bytes.length) throw new Error('a field is cut short');
      found.set(number, bytes.subarray(next, end));
      at = end;
    } else throw new Error('a field of another kind');
  }
  return found;
}

function readVarint(bytes: Uint8Array, start: number): [bigint, number] {
  let value = 0n;
  for (let at = start; at < start + 10; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return [value, at + 1];
  }
  throw new Error('an integer is cut short');
}
