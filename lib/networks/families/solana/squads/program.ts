// The Squads multisig program, version 4: the addresses that it derives, and the names of its instructions and accounts (github
// Squads-Protocol/v4, commit c14a6d6). By hand: @sqds/multisig brings an RPC client, and the offline program must not. Pure.

import { derivedAddress, keyBytes } from '@/lib/networks/families/solana/address';
import { sha256 } from '@/lib/platform/crypto';

export const SQUADS_PROGRAM = 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf';
/** A vault's index is one byte. */
const VAULTS = 256;
const NAME_LENGTH = 8;

const program = keyBytes(SQUADS_PROGRAM) as Uint8Array;
const seed = (text: string): Uint8Array => Buffer.from(text);

/** The first bytes of an instruction's data. */
export const instructionName = (name: string): Uint8Array => sha256(`global:${name}`).subarray(0, NAME_LENGTH);
/** The first bytes of an account's data. */
export const accountName = (name: string): Uint8Array => sha256(`account:${name}`).subarray(0, NAME_LENGTH);

export function u64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** An address that the program derives for a multisig. Throws an Error for text that is not an address. */
function derived(multisig: string, ...seeds: readonly Uint8Array[]): string {
  const key = keyBytes(multisig);
  if (!key) throw new Error('not a Solana address');
  return derivedAddress([seed('multisig'), key, ...seeds], program);
}

/** The wallet whose money the members of the multisig move. A multisig has several, by their index. */
export const vaultAddress = (multisig: string, index: number): string =>
  derived(multisig, seed('vault'), Uint8Array.of(index));

/** Where the multisig stores what its transaction with this index does. */
export const transactionAddress = (multisig: string, index: number): string =>
  derived(multisig, seed('transaction'), u64(index));

/** Where it stores the votes about that transaction. */
export const proposalAddress = (multisig: string, index: number): string =>
  derived(multisig, seed('transaction'), u64(index), seed('proposal'));

/** Which vault of the multisig this address is; null if it is none. */
export function vaultIndexOf(multisig: string, address: string): number | null {
  for (let index = 0; index < VAULTS; index++) if (vaultAddress(multisig, index) === address) return index;
  return null;
}
