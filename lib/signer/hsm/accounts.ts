// Accounts whose private key is in the HSM, in the place of those of the keystore. The HSM signs whatever it is given, so every rule of the
// signer stays in front of `sign`. A signature is returned only if it belongs to the address that the settings name.

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { evmAddress, solanaAddress, tronAddress } from '@/lib/treasury/wallets/derivation';
import type { RefundAccounts, RefundFamily } from '@/lib/treasury/wallets/derivation-refund';
import type { SweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import type { SigningAccount } from '@/lib/treasury/wallets/secp-account';
import { HsmFault } from './faults';
import type { Hsm } from './hsm';
import type { Curve } from './key-format';
import { nameOfWallet, type HsmKey, type HsmWallet } from './settings';

const { Fn } = secp256k1.Point;
const { Signature } = secp256k1;

const FAMILIES = {
  evm: { curve: 'secp256k1', addressOf: evmAddress },
  tron: { curve: 'secp256k1', addressOf: tronAddress },
  solana: { curve: 'ed25519', addressOf: solanaAddress },
} as const satisfies Record<RefundFamily, { curve: Curve; addressOf: (publicKey: Uint8Array) => string }>;

export const curveOf = (family: RefundFamily): Curve => FAMILIES[family].curve;
export const addressOfKey = (family: RefundFamily, publicKey: Uint8Array): string =>
  FAMILIES[family].addressOf(publicKey);

export type HsmAccounts = {
  /** The account of a wallet whose key is in the HSM; null if its key is in the keystore. */
  readonly of: (wallet: HsmWallet) => SigningAccount | null;
  /** Why no key of the HSM can be used now, or null. Absent without an HSM. */
  readonly trouble?: () => string | null;
  readonly close: () => void;
};

/** Every key is in the keystore. */
export const NO_HSM: HsmAccounts = { of: () => null, close: () => {} };

/** Reads every public key. Throws an HsmFault if a key is missing, has another address, or belongs to two wallets. */
export function openHsmAccounts(hsm: Hsm, keys: readonly HsmKey[]): HsmAccounts {
  const accounts = new Map(keys.map((key) => [nameOfWallet(key), hsmAccount(hsm, key)]));
  const distinct = new Set([...accounts.values()].map(({ publicKey }) => Buffer.from(publicKey).toString('hex')));
  if (distinct.size !== accounts.size)
    throw new HsmFault('Two wallets of SIGNER_HSM_KEYS have the same key in the HSM: make one for each wallet.');
  return {
    of: (wallet) => accounts.get(nameOfWallet(wallet)) ?? null,
    trouble: () => hsm.trouble,
    close: () => hsm.close(),
  };
}

/** Throws an HsmFault unless the key has the address of the settings. */
export function hsmAccount(hsm: Hsm, key: HsmKey): SigningAccount {
  const { label, family, address } = key;
  const curve = curveOf(family);
  const publicKey = hsm.publicKey(label, curve);
  const found = addressOfKey(family, publicKey);
  if (found !== address) {
    throw new HsmFault(
      `The key "${label}" of the HSM has the address ${found}, and SIGNER_HSM_KEYS names ${address} for ${nameOfWallet(key)}: ` +
        'connect the HSM of this wallet, or correct the setting.',
    );
  }
  const finish = curve === 'secp256k1' ? recovered : verified;
  const sign = (payload: Uint8Array): Uint8Array =>
    hsm.sign(label, curve, {
      payload,
      check: (signature) => {
        const finished = finish(signature, payload, publicKey);
        if (finished) return finished;
        throw new HsmFault(`The HSM signed with another key than that of ${address}: connect the HSM of this wallet.`);
      },
    });
  return { address, publicKey, sign };
}

/** r, the low s that the networks require, and the recovery id that leads to the public key; null if none does. */
export function recovered(rs: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): Uint8Array | null {
  try {
    const given = Signature.fromBytes(rs, 'compact');
    // (r, s) and (r, n - s) are both valid; networks take only the lower s.
    const low = given.hasHighS() ? new Signature(given.r, Fn.neg(given.s)) : given;
    const id = [0, 1].find((bit) => isFrom(low.addRecoveryBit(bit).recoverPublicKey(digest).toBytes(false), publicKey));
    return id === undefined ? null : Uint8Array.of(...low.toBytes('compact'), id);
  } catch {
    // The library throws for numbers that are no signature at all.
    return null;
  }
}

const verified = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): Uint8Array | null =>
  ed25519.verify(signature, message, publicKey) ? Uint8Array.from(signature) : null;

const isFrom = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Refund accounts, those of the HSM before those of the keystore. */
export const withHsmRefunds = (accounts: RefundAccounts, hsm: HsmAccounts): RefundAccounts => ({
  of: (environment, family) => hsm.of({ role: 'refund', environment, family }) ?? accounts.of(environment, family),
  wipe: () => {
    accounts.wipe();
    hsm.close();
  },
});

/** The keys of sweeps with the sponsors of the HSM. Deposit keys are always derived. */
export const withHsmSponsors = (keys: SweepKeys, family: RefundFamily, hsm: HsmAccounts): SweepKeys => ({
  ...keys,
  sponsor: (environment, which) =>
    hsm.of({ role: which === 'first' ? 'sponsor' : 'spare', environment, family }) ?? keys.sponsor(environment, which),
});
