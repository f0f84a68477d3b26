// The refund wallet: the one account per family that pays refunds, separate from every deposit address. EVM and TRON use account 1'
// (deposits use 0'), Solana the one index that deposits never reach (INDEX_LIMIT). Live and test have separate keys, because a TRON or
// Solana transaction does not say which chain it is for. With one key, a payload that was signed for a local chain could be sent on the
// main one. Only the signer calls this.

import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import type { Environment } from '@/lib/platform/ids';
import { evmAddress, INDEX_LIMIT, tronAddress } from './derivation';
import { edAccount } from './ed-account';
import { bip32Key, secpAccount, type SigningAccount } from './secp-account';

export type RefundFamily = 'evm' | 'tron' | 'solana';

/** Paths of the refund accounts. The last step separates live (0) from test (1). */
export const REFUND_PATHS: Readonly<Record<Environment, Readonly<Record<RefundFamily, string>>>> = {
  live: { evm: "m/44'/60'/1'/0/0", tron: "m/44'/195'/1'/0/0", solana: `m/44'/501'/${INDEX_LIMIT}'/0'` },
  test: { evm: "m/44'/60'/1'/0/1", tron: "m/44'/195'/1'/0/1", solana: `m/44'/501'/${INDEX_LIMIT}'/1'` },
};

export type RefundAccounts = {
  readonly of: (environment: Environment, family: RefundFamily) => SigningAccount;
  /** Overwrites the private keys; every later signature throws. */
  readonly wipe: () => void;
};

/** The refund accounts of a BIP-39 seed. Private keys stay inside the returned functions. */
export function refundAccounts(seed: Uint8Array): RefundAccounts {
  const keys: Uint8Array[] = [];
  const keep = (key: Uint8Array): Uint8Array => {
    const kept = Uint8Array.from(key);
    key.fill(0);
    keys.push(kept);
    return kept;
  };
  const accountsOf = (environment: Environment): Record<RefundFamily, SigningAccount> => {
    const paths = REFUND_PATHS[environment];
    return {
      evm: secpAccount(keep(bip32Key(seed, paths.evm)), evmAddress),
      tron: secpAccount(keep(bip32Key(seed, paths.tron)), tronAddress),
      solana: edAccount(keep(Slip10Key.fromMasterSeed(seed).derive(paths.solana).privateKey)),
    };
  };
  const accounts = { live: accountsOf('live'), test: accountsOf('test') };
  return {
    of: (environment, family) => accounts[environment][family],
    wipe: () => keys.forEach((key) => key.fill(0)),
  };
}

/** The addresses of the refund accounts. */
export function refundAddresses({ of }: RefundAccounts): Record<Environment, Record<RefundFamily, string>> {
  const addresses = (environment: Environment): Record<RefundFamily, string> => ({
    evm: of(environment, 'evm').address,
    tron: of(environment, 'tron').address,
    solana: of(environment, 'solana').address,
  });
  return { live: addresses('live'), test: addresses('test') };
}
