// Reads typed Solana addresses. They carry no checksum, but only one in sixteen strings of 32 bytes is a public key with a
// possible secret key, so most typing errors are caught.

import { ed25519 } from '@noble/curves/ed25519.js';
import type { FamilyRecipient } from './fault';
import { keyBytes, SYSTEM_PROGRAM } from '@/lib/networks/families/solana/address';

const INCINERATOR = '1nc1nerator11111111111111111111111111111111';
/** Burn addresses: the system program's zero, and the incinerator account, which every epoch empties. */
const BURNT: ReadonlySet<string> = new Set([SYSTEM_PROGRAM, INCINERATOR]);
/** Programs that people see beside their payments. System programs end in a row of ones, which no real key does. */
const SYSTEM = /1{8}$/;
const PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

export const looksLikeSolana = (text: string): boolean => keyBytes(text) !== null;

/** Reads text that looks like an address: the address, or the fault. */
export function readSolanaRecipient(text: string): FamilyRecipient {
  const bytes = keyBytes(text);
  if (!bytes) return { fault: 'malformed' };
  if (BURNT.has(text)) return { fault: 'zero' };
  if (SYSTEM.test(text) || PROGRAMS.has(text)) return { fault: 'cannot_receive' };
  switch (pointOf(bytes)) {
    // A token account or another program derived address; the text does not reveal its owner.
    case 'none':
      return { fault: 'cannot_receive' };
    // On the curve but not a multiple of the base point: no secret key has this public key, so the address is mistyped.
    case 'unreachable':
      return { fault: 'checksum' };
    case 'key':
      return { address: text };
  }
}

function pointOf(bytes: Uint8Array): 'none' | 'unreachable' | 'key' {
  try {
    const point = ed25519.Point.fromBytes(bytes);
    return point.isTorsionFree() && !point.isSmallOrder() ? 'key' : 'unreachable';
  } catch {
    // The decoder throws only for bytes that are not a point.
    return 'none';
  }
}
