// Seeded transfers of all families, the same ones forever: recorded-drafts.json has what this service's first version wrote for each.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { tronAddress } from '@/lib/networks/families/tron/address';
import type { EvmTransfer } from '@/lib/networks/families/evm/sending/read-draft';
import type { SolanaTransfer } from '@/lib/networks/families/solana/sending/read-draft';
import type { TronTransfer } from '@/lib/networks/families/tron/sending/read-draft';

/** Cases recorded for each family. */
export const CASES = 128;
/** Every eighth case has keys and hashes that begin with zeros. */
const ZEROS_EVERY = 8;
const CHAIN_IDS = [1, 56, 137, 8453, 31_337];
const PRINTABLE = [0x21, 0x5e] as const;

/** What the recording keeps of a draft. */
export const digestOf = (unsigned: string): string => createHash('sha256').update(unsigned).digest('hex').slice(0, 16);

const bytes = (seed: number, label: string, length: number): Buffer =>
  createHash('shake256', { outputLength: length }).update(`${seed}:${label}`).digest();

function key(seed: number, label: string, length: number): Buffer {
  const found = bytes(seed, label, length);
  return seed % ZEROS_EVERY === 0 ? found.fill(0, 0, 3) : found;
}

/** An integer of at most this many bits. Small ones are as frequent as large ones. */
function integer(seed: number, label: string, most: number): bigint {
  const length = (bytes(seed, `${label} bits`, 2).readUInt16BE() % most) + 1;
  return BigInt(`0x${bytes(seed, label, 32).toString('hex')}`) & ((1n << BigInt(length)) - 1n);
}

const positive = (value: bigint): bigint => (value === 0n ? 1n : value);

export function evmCase(seed: number): EvmTransfer {
  const maxFeePerGas = integer(seed, 'price', 70);
  return {
    chainId: CHAIN_IDS[seed % CHAIN_IDS.length] as number,
    nonce: Number(integer(seed, 'nonce', 31)),
    maxPriorityFeePerGas: maxFeePerGas >> BigInt(seed % 3),
    maxFeePerGas,
    gasLimit: integer(seed, 'gas', 24),
    contract: `0x${key(seed, 'contract', 20).toString('hex')}`,
    to: `0x${key(seed, 'to', 20).toString('hex')}`,
    amount: integer(seed, 'amount', 256),
  };
}

export function tronCase(seed: number): TronTransfer {
  const address = (label: string): string => tronAddress(key(seed, label, 20).toString('hex'));
  return {
    owner: address('owner'),
    contract: address('contract'),
    to: address('to'),
    amount: integer(seed, 'amount', 256),
    refBlockBytes: bytes(seed, 'block', 2).toString('hex'),
    refBlockHash: key(seed, 'hash', 8).toString('hex'),
    expiration: Number(positive(integer(seed, 'expiration', 42))),
    timestamp: Number(positive(integer(seed, 'timestamp', 42))),
    feeLimit: positive(integer(seed, 'fee', 36)),
  };
}

export function solanaCase(seed: number): SolanaTransfer {
  const address = (label: string): string => base58.encode(key(seed, label, 32));
  const [first, count] = PRINTABLE;
  const memo = bytes(seed, 'memo', 1 + (seed % 100)).map((byte) => first + (byte % count));
  return {
    from: address('from'),
    to: address('to'),
    direct: seed % 4 === 1,
    mint: address('mint'),
    decimals: seed % 19,
    amount: integer(seed, 'amount', 64),
    blockhash: address('blockhash'),
    unitLimit: Number(integer(seed, 'units', 32)),
    unitPrice: integer(seed, 'price', 64),
    memo: memo.toString(),
    nonceAccount: null,
  };
}
