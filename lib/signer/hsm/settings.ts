// Which wallets' keys are in the HSM, from the signer's settings. Pure. A key that is not named here stays in the keystore.

import { DRAFT_FAMILIES } from '@/lib/networks/families/drafts';
import type { Environment } from '@/lib/platform/ids';
import { checksumAddress } from '@/lib/treasury/wallets/derivation';
import type { RefundFamily } from '@/lib/treasury/wallets/derivation-refund';

const ROLES = ['refund', 'sponsor', 'spare'] as const;
const ENVIRONMENTS = ['live', 'test'] as const satisfies readonly Environment[];
const FAMILIES = ['evm', 'tron', 'solana'] as const satisfies readonly RefundFamily[];

/** `refund`: the refund wallet. `sponsor`, `spare`: the accounts that send sweeps (SIGNER_SPONSOR). */
export type HsmWallet = {
  readonly role: (typeof ROLES)[number];
  readonly environment: Environment;
  readonly family: RefundFamily;
};
/** `label`: CKA_LABEL of the private and the public key. `address`: the only one that the key may have. */
export type HsmKey = HsmWallet & { readonly label: string; readonly address: string };

/** Where the HSM is. */
export type HsmPlace = {
  /** The PKCS#11 library of its maker. */
  readonly module: string;
  readonly label: string;
  readonly pinFile: string;
  /** The signer writes into it which version of the PIN file the HSM refused. */
  readonly refusedPinFile: string;
};

export const nameOfWallet = ({ role, environment, family }: HsmWallet): string => `${role}/${environment}/${family}`;

/** The wallet of a name such as `refund/live/evm`; null for another text. */
export const walletNamed = (name: string): HsmWallet | null =>
  ROLES.flatMap((role) =>
    ENVIRONMENTS.flatMap((environment) => FAMILIES.map((family) => ({ role, environment, family }))),
  ).find((wallet) => nameOfWallet(wallet) === name) ?? null;

/** As the setting names a key. */
export const entryOf = (key: HsmKey): string => `${nameOfWallet(key)}=${key.label}:${key.address}`;

const LABEL = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Parses a setting such as `refund/live/evm=LABEL:0x…,refund/live/tron=LABEL:T…`. No two wallets may share a key: on TRON and
 * Solana a payload that was signed for a local chain would be valid on the main one. Throws an Error without any value.
 */
export function hsmKeysOf(setting: string): readonly HsmKey[] {
  const keys = setting
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(keyOf);
  if (isTwice(keys.map(nameOfWallet))) throw new Error('names a wallet twice');
  if (isTwice(keys.map(({ label }) => label))) throw new Error('gives two wallets one label');
  if (isTwice(keys.map(({ address }) => address))) throw new Error('gives two wallets one address');
  return keys;
}

const isTwice = (values: readonly string[]): boolean => new Set(values).size !== values.length;

function keyOf(entry: string): HsmKey {
  const [, name = '', label = '', given = ''] = /^([^=]+)=([^:]+):([^:=]+)$/.exec(entry) ?? [];
  const wallet = walletNamed(name);
  if (!wallet || !LABEL.test(label)) throw new Error('needs entries such as refund/live/evm=LABEL:ADDRESS');
  const address = addressOf(given, wallet.family);
  if (address === null) throw new Error(`has no address of ${nameOfWallet(wallet)}`);
  return { ...wallet, label, address };
}

/** An EVM address in lower case; mixed case must be its checksum (EIP-55). */
function addressOf(text: string, family: RefundFamily): string | null {
  const address = family === 'evm' ? text.toLowerCase() : text;
  if (!DRAFT_FAMILIES[family].isPayable(address)) return null;
  return text === address || checksumAddress(address) === text ? address : null;
}
