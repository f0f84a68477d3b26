// Typed Solana addresses. They carry no checksum, but only one in sixteen strings of 32 bytes is a public key that anybody can
// have the secret of, so most typing errors are found all the same.

import { ed25519 } from '@noble/curves/ed25519.js';
import type { FamilyRecipient } from './fault';
import { keyBytes } from '@/lib/networks/families/solana/address';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const INCINERATOR = '1nc1nerator11111111111111111111111111111111';
/** Where coins are destroyed: the system program's zero, and the account that every epoch is emptied. */
const BURNT: ReadonlySet<string> = new Set([SYSTEM_PROGRAM, INCINERATOR]);
/** Programs that people see beside their payments. Those of the system end in a row of ones, which no key does by chance. */
const SYSTEM = /1{8}$/;
const PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

export const looksLikeSolana = (text: string): boolean => keyBytes(text) !== null;

/** Text that looks like an address, or what is wrong with it. */
export function readSolanaRecipient(text: string): FamilyRecipient {
  const bytes = keyBytes(text);
  if (!bytes) return { fault: 'malformed' };
  if (BURNT.has(text)) return { fault: 'zero' };
  if (SYSTEM.test(text) || PROGRAMS.has(text)) return { fault: 'cannot_receive' };
  switch (pointOf(bytes)) {
    // A token account or another address that a program derived; whose it is, is not for its text to say.
    case 'none':
      return { fault: 'cannot_receive' };
    // On the curve, but no multiple of its base: no secret key leads here, so somebody mistyped.
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
    // The decoder throws for bytes that are no point, and for nothing else.
    return 'none';
  }
}
