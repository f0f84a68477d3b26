// The keys that sweep deposit addresses on EVM networks and on TRON. Sponsors send sweeps and pay their fees: account 2', and account 3' as a spare.
// Deposit keys (account 0') sign the delegations of their addresses, and on TRON their transfers. They are derived for each request and wiped after it; between
// requests only their parent key is in memory. Only the signer calls this, and only if the settings name a treasury wallet.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import type { Environment } from '@/lib/platform/ids';
import { childDigest, evmAddress, INDEX_LIMIT, tronAddress } from './derivation';
import { bip32Key, secpAccount, type SigningAccount } from './secp-account';

const { Fn } = secp256k1.Point;

export const SPONSORS = ['first', 'spare'] as const;
/** `spare` takes over if the first one's account is stuck. */
export type Sponsor = (typeof SPONSORS)[number];

type SponsorPaths = Readonly<Record<Environment, Readonly<Record<Sponsor, string>>>>;
/** The last step separates live (0) from test (1), as for refund accounts. */
const sponsorPaths = (coin: number): SponsorPaths => ({
  live: { first: `m/44'/${coin}'/2'/0/0`, spare: `m/44'/${coin}'/3'/0/0` },
  test: { first: `m/44'/${coin}'/2'/0/1`, spare: `m/44'/${coin}'/3'/0/1` },
});
/** Of EVM networks. */
export const SPONSOR_PATHS = sponsorPaths(60);
export const TRON_SPONSOR_PATHS = sponsorPaths(195);

const FAMILIES = {
  evm: { paths: SPONSOR_PATHS, branch: "m/44'/60'/0'/0", addressOf: evmAddress },
  tron: { paths: TRON_SPONSOR_PATHS, branch: "m/44'/195'/0'/0", addressOf: tronAddress },
} as const;

export type SweepKeys = {
  readonly sponsor: (environment: Environment, which: Sponsor) => SigningAccount;
  /** Runs `use` with the account of a deposit address. Its key is wiped when `use` returns or throws. */
  readonly withDeposit: <T>(index: number, use: (account: SigningAccount) => T) => T;
  /** Overwrites the private keys; every later signature throws. */
  readonly wipe: () => void;
};

/** The sponsors and deposit keys of a BIP-39 seed. Private keys stay inside the returned functions. */
export function sweepKeys(seed: Uint8Array, family: keyof typeof FAMILIES = 'evm'): SweepKeys {
  const { paths, branch: branchPath, addressOf } = FAMILIES[family];
  const kept: Uint8Array[] = [];
  const keep = (key: Uint8Array): Uint8Array => {
    kept.push(key);
    return key;
  };
  const account = (path: string): SigningAccount => secpAccount(keep(bip32Key(seed, path)), addressOf);
  const sponsorsOf = ({ first, spare }: Readonly<Record<Sponsor, string>>) => ({
    first: account(first),
    spare: account(spare),
  });
  const sponsors = { live: sponsorsOf(paths.live), test: sponsorsOf(paths.test) };
  const branch = branchOf(seed, branchPath);
  keep(branch.privateKey);
  return {
    sponsor: (environment, which) => sponsors[environment][which],
    withDeposit: (index, use) => {
      const key = childKey(branch, index);
      try {
        return use(secpAccount(key, addressOf));
      } finally {
        key.fill(0);
      }
    },
    wipe: () => kept.forEach((key) => key.fill(0)),
  };
}

/** The parent of all deposit keys. */
type PrivateBranch = {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
};

function branchOf(seed: Uint8Array, path: string): PrivateBranch {
  const master = HDKey.fromMasterSeed(seed);
  const node = master.derive(path);
  const { publicKey, chainCode, privateKey } = node;
  if (!publicKey || !chainCode || !privateKey) throw new Error('a seed gave no key for deposit addresses');
  const branch = { publicKey, chainCode, privateKey: Uint8Array.from(privateKey) };
  master.wipePrivateData();
  node.wipePrivateData();
  return branch;
}

/** BIP-32's private child key. */
function childKey({ privateKey, publicKey, chainCode }: PrivateBranch, index: number): Uint8Array {
  if (!Number.isSafeInteger(index) || index < 0 || index >= INDEX_LIMIT) throw new RangeError('no index of an address');
  // A wiped parent still derives keys, which belong to addresses that no one owns.
  if (privateKey.every((byte) => byte === 0)) throw new Error('the deposit keys were wiped');
  const derived = childDigest(chainCode, publicKey, index);
  try {
    // Throws when the left half is not below the curve's order, as the public derivation does.
    const tweak = Fn.fromBytes(derived.subarray(0, 32));
    return Fn.toBytes(Fn.create(tweak + Fn.fromBytes(privateKey)));
  } finally {
    derived.fill(0);
  }
}
