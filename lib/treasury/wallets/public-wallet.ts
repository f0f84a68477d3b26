// Whether a wallet's mnemonic is public. Bots watch the addresses of such wallets and take payments to them at once.

import type { AddressSource } from './address-source';

/** The first addresses of the two mnemonics that development tools ship with (lib/signer/keystore/keystore.ts has their words). */
const FIRST_ADDRESSES = [
  '0x9858effd232b4033e47d90003d41ec34ecaeda94',
  'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6',
  'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
];

export const PUBLIC_WALLET =
  "The mnemonic of this installation's wallet is public: anyone can take what is paid to it.";

/** Checks by address and not by the source's fingerprint, which also depends on the list of Solana keys. */
export async function isPublicWallet(source: AddressSource): Promise<boolean> {
  for (const address of FIRST_ADDRESSES) if (await source.owns(0, [address])) return true;
  return false;
}
