// TRON addresses in both formats: 21 bytes as hex that begin with 41, as nodes write them, and base58check (T…), as people do.
// Inside the local chain an address always has the hex format.

import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { keccak256 } from 'ethers';

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

const base58check = createBase58check(sha256);
const HEX = /^41[0-9a-f]{40}$/;

/**
 * The address as hex from any format that a node accepts: T…, 41…, or the 20 bytes with or without 0x. Null if it is no address.
 */
export function readAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  if (text.startsWith('T')) return fromBase58(text);
  const hex = text.replace(/^0x/, '').toLowerCase();
  const whole = hex.length === 40 ? `41${hex}` : hex;
  return HEX.test(whole) ? whole : null;
}

function fromBase58(text: string): string | null {
  // The library throws for anything that is not base58check. Here an invalid text is an expected input.
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return null;
  try {
    const hex = Buffer.from(base58check.decode(text)).toString('hex');
    return HEX.test(hex) ? hex : null;
  } catch (error) {
    if (error instanceof Error && /checksum/i.test(error.message)) return null;
    throw error;
  }
}

export const toBase58 = (address: string): string => base58check.encode(Buffer.from(address, 'hex'));
/** As 20 bytes with 0x, the format of EVM tools. */
export const toEvm = (address: string): `0x${string}` => `0x${address.slice(2)}`;
export const fromEvm = (address: string): string => `41${address.slice(2).toLowerCase()}`;

/** The future address of a contract that this transaction creates. */
export const createdAddress = (transactionId: string, owner: string): string =>
  `41${keccak256(`0x${transactionId}${owner}`).slice(26)}`;
