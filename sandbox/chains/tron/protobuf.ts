// Protocol buffers for the few TRON messages that the local chain uses: a schema is a list of fields, a message is a node's JSON.
// As in that JSON, fields of value zero are absent. Encoding is canonical: fields in the order of numbers.

import { readAddress, toBase58 } from './address';

export type Kind =
  | 'int'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'address'
  | { readonly enum: Readonly<Record<string, number>> }
  | { readonly message: Schema };
export type Field = {
  readonly name: string;
  readonly number: number;
  readonly kind: Kind;
  readonly repeated?: boolean;
};
export type Schema = readonly Field[];
export type Message = Readonly<Record<string, unknown>>;

/** An invalid message; the text is for the caller. */
export class MalformedMessage extends Error {}

const VARINT = 0;
const DELIMITED = 2;

/** The bytes of a message. Bytes are hex text or raw, addresses in any format, enums by name or number. */
export function encode(schema: Schema, message: Message): Buffer {
  const parts = schema.flatMap((field) => {
    const value = message[field.name];
    if (value === undefined || value === null) return [];
    if (!field.repeated) return encodeField(field, value, false);
    if (!Array.isArray(value)) throw new MalformedMessage(`${field.name} must be a list`);
    return value.flatMap((one) => encodeField(field, one, true));
  });
  return Buffer.concat(parts);
}

function encodeField({ name, number, kind }: Field, value: unknown, evenIfZero: boolean): Buffer[] {
  if (kind === 'int' || kind === 'bool' || (typeof kind === 'object' && 'enum' in kind)) {
    const amount = integerOf(name, kind, value);
    return amount === 0n && !evenIfZero ? [] : [varint(BigInt((number << 3) | VARINT)), varint(amount)];
  }
  const bytes = typeof kind === 'object' ? encode(kind.message, value as Message) : bytesOf(name, kind, value);
  if (bytes.length === 0 && typeof kind !== 'object' && !evenIfZero) return [];
  return [varint(BigInt((number << 3) | DELIMITED)), varint(BigInt(bytes.length)), bytes];
}

function integerOf(name: string, kind: Kind, value: unknown): bigint {
  if (kind === 'bool') return value === true ? 1n : 0n;
  if (typeof kind === 'object' && 'enum' in kind && typeof value === 'string') {
    const found = Object.entries(kind.enum).find(([label]) => label.toLowerCase() === value.toLowerCase());
    if (!found) throw new MalformedMessage(`${name} has no value ${value.slice(0, 40)}`);
    return BigInt(found[1]);
  }
  const text = String(value);
  if (!/^-?\d{1,19}$/.test(text)) throw new MalformedMessage(`${name} must be a whole number`);
  return BigInt(text);
}

function bytesOf(name: string, kind: Kind, value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value !== 'string') throw new MalformedMessage(`${name} must be text`);
  if (kind === 'string') return Buffer.from(value, 'utf8');
  if (kind === 'address') {
    const address = value === '' ? '' : readAddress(value);
    if (address === null) throw new MalformedMessage(`${name} is not an address`);
    return Buffer.from(address, 'hex');
  }
  if (!/^(0x)?([0-9a-f]{2})*$/i.test(value)) throw new MalformedMessage(`${name} must be hex`);
  return Buffer.from(value.replace(/^0x/, ''), 'hex');
}

/** Negative numbers take ten bytes, as everywhere in protocol buffers. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  while (left > 127n) {
    bytes.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

/** Decodes a message; unknown fields are skipped. `visible`: addresses as base58. */
export function decode(schema: Schema, bytes: Uint8Array, visible = false): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  const reader = new Reader(bytes);
  while (!reader.atEnd()) {
    const tag = Number(reader.varint());
    const content = reader.content(tag & 7);
    const field = schema.find(({ number }) => number === tag >> 3);
    if (!field) continue;
    const value = valueOf(field.kind, content, visible);
    if (field.repeated) message[field.name] = [...((message[field.name] as unknown[] | undefined) ?? []), value];
    else if (value !== 0 && value !== false && value !== '') message[field.name] = value;
  }
  return message;
}

function valueOf(kind: Kind, content: bigint | Buffer, visible: boolean): unknown {
  if (typeof content === 'bigint') {
    if (kind === 'bool') return content !== 0n;
    const number = Number(BigInt.asIntN(64, content));
    if (typeof kind !== 'object' || !('enum' in kind)) return number;
    // The first value of an enum is its zero and is not written.
    if (number === 0) return 0;
    return Object.entries(kind.enum).find(([, value]) => value === number)?.[0] ?? number;
  }
  if (typeof kind === 'object' && 'message' in kind) return decode(kind.message, content, visible);
  if (kind === 'string') return content.toString('utf8');
  const hex = content.toString('hex');
  return kind === 'address' && visible && readAddress(hex) !== null ? toBase58(hex) : hex;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes);
  }

  atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    for (let value = 0n, shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new MalformedMessage('the message ends in the middle of a number');
  }

  content(wire: number): bigint | Buffer {
    if (wire === VARINT) return this.varint();
    if (wire !== DELIMITED) throw new MalformedMessage(`a field of wire type ${wire}`);
    const length = Number(this.varint());
    if (this.#at + length > this.#bytes.length) throw new MalformedMessage('the message ends in the middle of a field');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
