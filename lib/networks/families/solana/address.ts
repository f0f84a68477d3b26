// Solana addresses: the programs that count, and the associated token account (ATA) where wallets pay an owner. The ATA is a
// program derived address: the first hash of its seeds that is not a point of the curve. Deriving it takes about a quarter of a
// millisecond, so owners are cached, and the event loop runs in between.

import { createHash } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { LRUCache } from 'lru-cache';

/** Owns every wallet, and every account that is not open yet. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The classic token program; USDT and USDC exist under this program only. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

const KEY_LENGTH = 32;
const PDA_MARKER = Buffer.from('ProgramDerivedAddress');
const token = base58.decode(TOKEN_PROGRAM);
const associated = base58.decode(ASSOCIATED_TOKEN_PROGRAM);

/** Owners whose accounts are cached: about 300 bytes each, so at most 40 MB. */
const REMEMBERED_OWNERS = 120_000;
/** New owners derived without a break: about ten milliseconds. */
const STRETCH = 20;

/** The 32 bytes of an address, or null for text that is not an address. */
export function keyBytes(address: string): Uint8Array | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return null;
  const bytes = base58.decode(address);
  return bytes.length === KEY_LENGTH ? bytes : null;
}

/** Whether the text is a possible address, of a key or a program, judged by its form. */
export const isKey = (text: string): boolean => {
  const bytes = keyBytes(text);
  return bytes !== null && keyText(bytes) === text;
};

/** The address of 32 bytes. */
export const keyText = (bytes: Uint8Array): string => base58.encode(bytes);

/** The token account into which wallets pay an owner's `mint`. Throws for text that is not an address. */
export function associatedAccount(owner: string, mint: string): string {
  const [of, mintBytes] = [keyBytes(owner), keyBytes(mint)];
  if (!of || !mintBytes) throw new Error('not a Solana address');
  return derivedAddress([of, token, mintBytes], associated);
}

/** The address that a program derives from these seeds. */
export function derivedAddress(seeds: readonly Uint8Array[], program: Uint8Array): string {
  const hash = createHash('sha256');
  for (const seed of seeds) hash.update(seed);
  for (let bump = 255; bump >= 0; bump--) {
    const digest = hash.copy().update(Uint8Array.of(bump)).update(program).update(PDA_MARKER).digest();
    if (!isOnCurve(digest)) return keyText(digest);
  }
  throw new Error('no address can be derived from these seeds');
}

/** Whether a key can exist for the address; a program derived address has none. */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}

export type AccountDeriver = {
  /** The associated accounts of the owners, one per mint in the order of the mints. Invalid owner addresses are left out. */
  accountsOf(owners: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
};

/** Derives and caches the accounts of these mints. */
export function openAccountDeriver(mints: readonly string[]): AccountDeriver {
  const known = new LRUCache<string, readonly string[]>({ max: REMEMBERED_OWNERS });
  return {
    async accountsOf(owners) {
      const found = new Map<string, readonly string[]>();
      let derived = 0;
      for (const owner of owners) {
        let accounts = known.get(owner);
        if (!accounts) {
          if (!keyBytes(owner)) continue;
          accounts = mints.map((mint) => associatedAccount(owner, mint));
          known.set(owner, accounts);
          if (++derived % STRETCH === 0) await letOthersRun();
        }
        found.set(owner, accounts);
      }
      return found;
    },
  };
}
