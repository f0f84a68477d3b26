// A synthetic chain whose blocks follow from their numbers alone. Each has as many token transfers as a block of the
// real network. Some transfers pay a watched address. Every process computes the same chain.

import { createHash } from 'node:crypto';

export type NetworkName = 'ethereum' | 'bsc' | 'tron';

/** Values of the real networks: seconds between blocks, token transfers per block (issue 3), blocks until final. */
export const PACES: Readonly<Record<NetworkName, { seconds: number; transfers: number; finalAfter: number }>> = {
  ethereum: { seconds: 12, transfers: 60, finalAfter: 64 },
  bsc: { seconds: 0.45, transfers: 150, finalAfter: 2 },
  tron: { seconds: 3, transfers: 120, finalAfter: 19 },
};

/**
 * Blocks per payment to us: 100,000 sessions a year on one network are one in 26 blocks of Ethereum, and rarer
 * elsewhere. Payments go to this many addresses in turn, all watched in every run.
 */
const PAYMENT_EVERY = 25;
export const PAID_ADDRESSES = 1000;
/** Base units of six decimals: the session price of the benchmark, 12.50. */
const PRICE = 12_500_000n;

/** Addresses as 20 bytes of hex; the transaction hash as 32. */
export type SyntheticTransfer = { hash: string; payer: string; recipient: string; amount: bigint; ours: boolean };
export type SyntheticBlock = {
  number: number;
  hash: string;
  parentHash: string;
  time: number;
  transfers: SyntheticTransfer[];
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The deposit address of the n-th session, 20 bytes of hex; spread over the index as derived addresses are. */
export const watchedHex = (n: number): string => sha256(`session ${n}`).slice(0, 40);

/** TRON's block ids begin with the height; its local genesis ends with the chain's id. */
export function hashOf(network: NetworkName, number: number): string {
  const digest = sha256(`${network} block ${number}`);
  if (network !== 'tron') return digest;
  const height = number.toString(16).padStart(16, '0');
  return height + (number === 0 ? `${digest.slice(16, 56)}00007a6b` : digest.slice(16));
}

/** A block of the chain; `zero` is the Unix time of block 0, and a hundred blocks share a second. */
export function syntheticBlock(network: NetworkName, number: number, zero: number): SyntheticBlock {
  const count = number === 0 ? 0 : PACES[network].transfers;
  const transfers = Array.from({ length: count }, (_, index): SyntheticTransfer => {
    const hash = sha256(`${network} ${number} ${index}`);
    const ours = index === 0 && number % PAYMENT_EVERY === 0;
    const paid = watchedHex((number / PAYMENT_EVERY) % PAID_ADDRESSES);
    const recipient = ours ? paid : hash.slice(24);
    return { hash, payer: hash.slice(0, 40), recipient, amount: ours ? priceOn(network) : BigInt(1 + index), ours };
  });
  return {
    number,
    hash: hashOf(network, number),
    parentHash: number === 0 ? '0'.repeat(64) : hashOf(network, number - 1),
    time: zero + Math.floor(number / 100),
    transfers,
  };
}

const priceOn = (network: NetworkName): bigint => (network === 'bsc' ? PRICE * 10n ** 12n : PRICE);

/** Caches the result for the newest blocks; two watchers read the same ones shortly after each other. */
export function remembering<T>(make: (number: number) => T, most = 1500): (number: number) => T {
  const kept = new Map<number, T>();
  return (number) => {
    const known = kept.get(number);
    if (known !== undefined) return known;
    const made = make(number);
    kept.set(number, made);
    if (kept.size > most) kept.delete(kept.keys().next().value as number);
    return made;
  };
}
