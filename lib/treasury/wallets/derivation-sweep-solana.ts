// The keys that sweep deposit addresses on Solana. Sponsors pay the fees: they have the one index that deposits never reach, like the
// refund accounts (INDEX_LIMIT), with steps of their own. Deposit keys sign the transfers out of their accounts. They are derived for each
// request and wiped after it; between requests only their parent key is in memory. Only the signer calls this, and only if the
// settings name a treasury wallet.

import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import type { Environment } from '@/lib/platform/ids';
import { hardenedChild, INDEX_LIMIT } from './derivation';
import type { Sponsor, SweepKeys } from './derivation-sweep';
import { edAccount } from './ed-account';
import type { SigningAccount } from './secp-account';

const COIN = "m/44'/501'";

/** Refund accounts have the last steps 0' (live) and 1' (test). */
export const SOLANA_SPONSOR_PATHS: Readonly<Record<Environment, Readonly<Record<Sponsor, string>>>> = {
  live: { first: `${COIN}/${INDEX_LIMIT}'/2'`, spare: `${COIN}/${INDEX_LIMIT}'/4'` },
  test: { first: `${COIN}/${INDEX_LIMIT}'/3'`, spare: `${COIN}/${INDEX_LIMIT}'/5'` },
};

/** The sponsors and deposit keys of a BIP-39 seed. Private keys stay inside the returned functions. */
export function solanaSweepKeys(seed: Uint8Array): SweepKeys {
  const kept: Uint8Array[] = [];
  const nodeAt = (path: string): { readonly privateKey: Uint8Array; readonly chainCode: Uint8Array } => {
    const { privateKey, chainCode } = Slip10Key.fromMasterSeed(seed).derive(path);
    const copy = Uint8Array.from(privateKey);
    privateKey.fill(0);
    kept.push(copy);
    return { privateKey: copy, chainCode };
  };
  const account = (path: string): SigningAccount => edAccount(nodeAt(path).privateKey);
  const sponsorsOf = ({ first, spare }: Readonly<Record<Sponsor, string>>) => ({
    first: account(first),
    spare: account(spare),
  });
  const sponsors = { live: sponsorsOf(SOLANA_SPONSOR_PATHS.live), test: sponsorsOf(SOLANA_SPONSOR_PATHS.test) };
  const coin = nodeAt(COIN);
  return {
    sponsor: (environment, which) => sponsors[environment][which],
    withDeposit: (index, use) => {
      if (!Number.isSafeInteger(index) || index < 0 || index >= INDEX_LIMIT)
        throw new RangeError('no index of an address');
      // A wiped parent still derives keys, which belong to addresses that no one owns.
      if (coin.privateKey.every((byte) => byte === 0)) throw new Error('the deposit keys were wiped');
      const parent = hardenedChild(coin, index);
      const { privateKey } = hardenedChild(parent, 0);
      try {
        return use(edAccount(privateKey));
      } finally {
        parent.privateKey.fill(0);
        privateKey.fill(0);
      }
    },
    wipe: () => kept.forEach((key) => key.fill(0)),
  };
}
