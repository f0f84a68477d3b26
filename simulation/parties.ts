// Who sends and receives on the simulated chains besides the deposit addresses: the refund wallet, customers, an exchange and
// a relayer, with an address in each family. All come from fixed bytes, so every history has the same ones.

import { ed25519 } from '@noble/curves/ed25519.js';
import { openKey } from '@/lib/cold-storage/offline/keys';
import type { NetworkFamily } from '@/lib/networks/chain';
import { isOnCurve, keyText } from '@/lib/networks/families/solana/address';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { seed } from '@/testing/refunds/deposit-keys';

export type Addresses = Readonly<Record<NetworkFamily, string>>;
export type Customer = { readonly name: string; readonly addresses: Addresses };

const NAMES = ['Alice', 'Bob', 'Carol', 'Dave', 'Erin', 'Frank'] as const;

/** The addresses of a byte. On Solana, a wallet has a key and a contract has none. */
const addressesOf = (byte: number, solana: (bytes: Uint8Array) => string): Addresses => {
  const bytes = Buffer.alloc(32, byte);
  const hex = bytes.toString('hex', 0, 20);
  return { evm: `0x${hex}`, tron: tronAddress(hex), solana: solana(bytes) };
};

const withKey = (bytes: Uint8Array): string => keyText(ed25519.getPublicKey(bytes));

function withoutKey(bytes: Uint8Array): string {
  const tried = Uint8Array.from(bytes);
  while (isOnCurve(tried)) tried[0] = ((tried[0] ?? 0) + 1) % 256;
  return keyText(tried);
}

export const CUSTOMERS: readonly Customer[] = NAMES.map((name, index) => ({
  name,
  addresses: addressesOf(0xa1 + index, withKey),
}));
/** Wallets that customers have beside those that they pay from. */
export const OTHER_WALLETS: readonly Customer[] = NAMES.map((name, index) => ({
  name,
  addresses: addressesOf(0xc1 + index, withKey),
}));
/** The operator's own wallets, to which sweeps go. */
export const TREASURY: Addresses = addressesOf(0x7e, withKey);
const COLD_KEY = Buffer.alloc(32, 0x1c);
/** The keys of the operator's cold wallets, as the offline program reads them from a file. */
export const COLD_KEYS: Addresses = {
  evm: COLD_KEY.toString('hex'),
  tron: COLD_KEY.toString('hex'),
  solana: JSON.stringify([...COLD_KEY, ...ed25519.getPublicKey(COLD_KEY)]),
};
const coldAddress = (family: NetworkFamily): string =>
  openKey(family, { kind: 'key', text: COLD_KEYS[family] }).account.address;
/** The operator's cold wallets. */
export const COLD: Addresses = {
  evm: coldAddress('evm').toLowerCase(),
  tron: coldAddress('tron'),
  solana: coldAddress('solana'),
};
/** Durable nonce accounts of the cold wallet on Solana. */
export const COLD_NONCES: readonly string[] = [0x1d, 0x1e].map((byte) => addressesOf(byte, withKey).solana);
/** Two wallets of the owner of each store, in the order of the stores. */
export const OWNERS_WALLETS: readonly Addresses[] = Array.from({ length: 12 }, (_, index) =>
  addressesOf(0x21 + index, withKey),
);
/** An address with the same ends, on EVM networks: how an attacker hopes to be copied from a list. */
export const lookAlikeOf = ({ evm }: Addresses): string => `${evm.slice(0, 6)}${'0'.repeat(32)}${evm.slice(-4)}`;
/** A person who paid nothing and whom no customer named. */
export const THIEF: Addresses = addressesOf(0xbd, withKey);
/** Frank's wallet delegates to a contract on EVM networks (EIP-7702), and stays a wallet. */
export const DELEGATED: string = CUSTOMERS.at(-1)!.addresses.evm;
/** A person on every sanctions list, who has nothing to do with any store. */
export const SANCTIONED: Addresses = addressesOf(0x5d, withKey);
export const EXCHANGE: Addresses = addressesOf(0xe0, withoutKey);
export const RELAYER: Addresses = addressesOf(0xbe, withKey);

const accounts = refundAccounts(seed);
/** The refund wallet. */
export const WALLET: Addresses = {
  evm: accounts.of('test', 'evm').address.toLowerCase(),
  tron: accounts.of('test', 'tron').address,
  solana: accounts.of('test', 'solana').address,
};
