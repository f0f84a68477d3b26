// The Bloom filter that an EVM block's header keeps of its logs' addresses and topics (yellow paper, 4.3.1): it never misses
// what is there, so a node that calls a block empty of a token whose filter says otherwise owes a closer look. Pure.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { Log } from './shapes';

/** A filter with more bits set than this says "perhaps" to almost everything, as those of full Ethereum blocks do. */
const SATURATED_BITS = 1024;

/** Whether the block may hold a log with all of these addresses and topics (0x hex); a saturated filter tells nothing. */
export function maySpeakOf(logsBloom: string, values: readonly string[]): boolean {
  const filter = BigInt(logsBloom);
  return values.every((value) => (filter & bitsOf(value)) === bitsOf(value)) && bitCount(logsBloom) <= SATURATED_BITS;
}

/** The filter of exactly these logs, as a header writes it. */
export function bloomOf(logs: readonly Pick<Log, 'address' | 'topics'>[]): string {
  const values = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]));
  const filter = [...values].reduce((all, value) => all | bitsOf(value), 0n);
  return `0x${filter.toString(16).padStart(512, '0')}`;
}

/** Three of 2,048 bits, chosen by the first three pairs of bytes of the value's hash. */
function bitsOf(value: string): bigint {
  const hash = keccak_256(hexToBytes(value.slice(2)));
  return [0, 2, 4].reduce((bits, at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
    return bits | (1n << BigInt(bit));
  }, 0n);
}

const ONES = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
const bitCount = (hex: string): number =>
  [...hex.slice(2)].reduce((sum, digit) => sum + (ONES[Number.parseInt(digit, 16)] ?? 0), 0);
