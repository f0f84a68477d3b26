// A TRON draft: the raw data of a transaction (protobuf) that calls a token's transfer. It is read strictly and written again
// from what was read and from the order; a byte that differs is a refusal, so no unknown field, second contract, memo,
// permission or TRX value can ride along. TRON's raw data names no chain: refund keys differ per environment for that reason.

import { sha256 } from '@/lib/crypto';
import { requestAddress } from '@/lib/chains/tron/address';
import type { Draft } from './orders';
import type { Expected, Payload } from './payload-shape';
import { Refusal } from './refusal';

const TRANSFER_SELECTOR = 'a9059cbb';
const TYPE_URL = 'type.googleapis.com/protocol.TriggerSmartContract';
/** ContractType.TriggerSmartContract. */
const TRIGGER = 31n;
/** The network's own bound on an expiration. */
const LONGEST_LIFE_MILLISECONDS = 24 * 3600 * 1000;
/** Clocks of nodes and of this machine may differ by this much. */
const MOST_AHEAD_MILLISECONDS = 5 * 60 * 1000;

/** Throws a Refusal when the draft is not the order's transfer, within the fee cap, to expire within a day. */
export function tronPayload(draft: Extract<Draft, { family: 'tron' }>, expected: Expected): Payload {
  const { order, account, feeCap } = expected;
  const raw = Buffer.from(draft.rawDataHex, 'hex');
  const read = readRaw(raw);
  const again = writeRaw(read, {
    owner: requestAddress(account.address),
    contract: requestAddress(order.contract),
    data: `${TRANSFER_SELECTOR}${requestAddress(order.to).slice(2).padStart(64, '0')}${BigInt(order.amount).toString(16).padStart(64, '0')}`,
  });
  if (!raw.equals(again)) throw new Refusal('draft', "the draft is not the order's transfer from the refund wallet");
  if (read.feeLimit > feeCap) throw new Refusal('draft', 'the draft may cost more than the fee cap');
  const expiresAt = Number(read.expiration);
  const id = sha256(raw);
  return {
    digest: id.toString('hex'),
    validity: { kind: 'time', expiresAt },
    evm: null,
    checkLife: (now) => checkLife(read, now),
    sign: () => {
      const signature = account.sign(id);
      const v = 27 + (signature[64] as number);
      const signed = Buffer.concat([field(1, raw), field(2, Uint8Array.of(...signature.subarray(0, 64), v))]);
      return { hash: id.toString('hex'), bytes: signed.toString('hex') };
    },
  };
}

function checkLife({ expiration, timestamp }: Chosen, now: number): void {
  if (Number(expiration) <= now) throw new Refusal('draft', 'the draft has expired by the clock of the signer');
  if (Number(expiration) > now + LONGEST_LIFE_MILLISECONDS) {
    throw new Refusal('draft', 'the draft would stay valid for too long');
  }
  if (Number(timestamp) > now + MOST_AHEAD_MILLISECONDS) throw new Refusal('draft', 'the draft is of the future');
}

/** What a draft may choose itself. */
type Chosen = {
  readonly refBlockBytes: Uint8Array;
  readonly refBlockHash: Uint8Array;
  readonly expiration: bigint;
  readonly timestamp: bigint;
  readonly feeLimit: bigint;
};

function writeRaw(chosen: Chosen, call: { owner: string; contract: string; data: string }): Buffer {
  const trigger = Buffer.concat([
    field(1, Buffer.from(call.owner, 'hex')),
    field(2, Buffer.from(call.contract, 'hex')),
    field(4, Buffer.from(call.data, 'hex')),
  ]);
  const parameter = Buffer.concat([field(1, Buffer.from(TYPE_URL)), field(2, trigger)]);
  return Buffer.concat([
    field(1, chosen.refBlockBytes),
    field(4, chosen.refBlockHash),
    field(8, chosen.expiration),
    field(11, Buffer.concat([field(1, TRIGGER), field(2, parameter)])),
    field(14, chosen.timestamp),
    field(18, chosen.feeLimit),
  ]);
}

/** Reads the fields that a draft chooses; the rest is checked by writing it again. */
function readRaw(raw: Buffer): Chosen {
  const fields = new Map<number, bigint | Uint8Array>();
  for (let at = 0; at < raw.length;) {
    const [key, afterKey] = readVarint(raw, at);
    const [value, afterValue] = readVarint(raw, afterKey);
    const end = key % 8n === 2n ? afterValue + Number(value) : afterValue;
    if (fields.has(Number(key / 8n)) || (key % 8n !== 0n && key % 8n !== 2n) || end > raw.length) throw unreadable();
    fields.set(Number(key / 8n), key % 8n === 2n ? raw.subarray(afterValue, end) : value);
    at = end;
  }
  const bytes = (id: number, length: number): Uint8Array => {
    const value = fields.get(id);
    if (!(value instanceof Uint8Array) || value.length !== length) throw unreadable();
    return value;
  };
  const count = (id: number): bigint => {
    const value = fields.get(id);
    if (typeof value !== 'bigint' || value === 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw unreadable();
    return value;
  };
  return {
    refBlockBytes: bytes(1, 2),
    refBlockHash: bytes(4, 8),
    expiration: count(8),
    timestamp: count(14),
    feeLimit: count(18),
  };
}

function readVarint(bytes: Uint8Array, from: number): [value: bigint, next: number] {
  let value = 0n;
  for (let at = from; at < from + 9; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += BigInt(byte & 0x7f) << BigInt(7 * (at - from));
    if (byte < 0x80) return [value, at + 1];
  }
  throw unreadable();
}

/** One field of a protobuf message: a number as a varint, bytes with their length before them. */
function field(id: number, value: bigint | Uint8Array): Buffer {
  if (typeof value === 'bigint') return Buffer.concat([varint(BigInt(id) * 8n), varint(value)]);
  return Buffer.concat([varint(BigInt(id) * 8n + 2n), varint(BigInt(value.length)), value]);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

const unreadable = (): Refusal => new Refusal('draft', "the draft is not the raw data of a token's transfer");
