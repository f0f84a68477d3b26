// The forms of TRON addresses: base58check (T…) in the service and in the database, twenty bytes of hex in logs, and the same
// with a leading 41 in requests. tronweb could do this too, but takes the worker half a second and 50 MB to load. This uses the
// wallet's base58check library, which runs a hundred times per block.

import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

/** The first byte of every address, on mainnet and test networks alike. */
const PREFIX = '41';
const TEXT = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

const base58check = createBase58check((data: Uint8Array) => createHash('sha256').update(data).digest());

/** The address of twenty bytes in hex. */
export const tronAddress = (bytes: string): string => base58check.encode(Buffer.from(`${PREFIX}${bytes}`, 'hex'));

/** The twenty bytes of an address in lower-case hex. Throws an Error for text that is not an address, checksum included. */
export function addressBytes(address: string): string {
  const hex = TEXT.test(address) ? Buffer.from(base58check.decode(address)).toString('hex') : '';
  if (hex.length === 42 && hex.startsWith(PREFIX)) return hex.slice(PREFIX.length);
  throw new Error('not a TRON address');
}

/** The twenty bytes with the leading 41, as requests expect them. */
export const requestAddress = (address: string): string => `${PREFIX}${addressBytes(address)}`;
