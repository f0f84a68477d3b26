import { randomBytes, randomInt } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { expect, test } from 'vitest';
import { INDEX_LIMIT, keysFromSeed } from './derivation';
import { REFUND_PATHS, refundAccounts } from './derivation-refund';
import { SPONSORS } from './derivation-sweep';
import { SOLANA_SPONSOR_PATHS, solanaSweepKeys } from './derivation-sweep-solana';
import type { SigningAccount } from './secp-account';

const environments = ['live', 'test'] as const;
const message = randomBytes(200);
const isSignedBy = (address: string, signature: Uint8Array): boolean =>
  ed25519.verify(signature, message, base58.decode(address));

test('the four sponsors agree with web3.js at their documented paths, and are no other wallet', () => {
  for (let round = 0; round < 3; round++) {
    const seed = randomBytes(64);
    const [keys, refunds] = [solanaSweepKeys(seed), refundAccounts(seed)];
    const sponsors = environments.flatMap((environment) =>
      SPONSORS.map((which) => {
        const { address, sign } = keys.sponsor(environment, which);
        const key = Slip10Key.fromMasterSeed(seed).derive(SOLANA_SPONSOR_PATHS[environment][which]).privateKey;
        expect(address).toBe(Keypair.fromSeed(key).publicKey.toBase58());
        expect(isSignedBy(address, sign(message))).toBe(true);
        return address;
      }),
    );
    const others = environments.map((environment) => refunds.of(environment, 'solana').address);
    expect(new Set([...sponsors, ...others, keysFromSeed(seed).addressesAt(0).solana]).size).toBe(7);
  }
  expect(SOLANA_SPONSOR_PATHS).toEqual({
    live: { first: "m/44'/501'/2147483647'/2'", spare: "m/44'/501'/2147483647'/4'" },
    test: { first: "m/44'/501'/2147483647'/3'", spare: "m/44'/501'/2147483647'/5'" },
  });
  expect(Object.values(REFUND_PATHS).map(({ solana }) => solana)).toEqual([
    "m/44'/501'/2147483647'/0'",
    "m/44'/501'/2147483647'/1'",
  ]);
});

test('the key of a deposit address signs as the address that customers pay to, at random indexes of random seeds', () => {
  for (let round = 0; round < 10; round++) {
    const seed = randomBytes(64);
    const [keys, addresses] = [solanaSweepKeys(seed), keysFromSeed(seed)];
    for (const index of [0, 1, INDEX_LIMIT - 1, randomInt(INDEX_LIMIT)]) {
      const { solana } = addresses.addressesAt(index);
      keys.withDeposit(index, ({ address, sign }) => {
        expect(address).toBe(solana);
        expect(isSignedBy(solana, sign(message))).toBe(true);
      });
    }
  }
});

test('no index outside of the range of addresses has a key', () => {
  const keys = solanaSweepKeys(randomBytes(64));
  for (const index of [-1, INDEX_LIMIT, 2 ** 32, 0.5, Number.NaN])
    expect(() => keys.withDeposit(index, ({ address }) => address)).toThrow(RangeError);
});

test('a deposit key is wiped after its request, also when the request fails', () => {
  const keys = solanaSweepKeys(randomBytes(64));
  const used: SigningAccount[] = [];
  keys.withDeposit(5, (account) => used.push(account));
  const failing = (account: SigningAccount): never => {
    used.push(account);
    throw new Error('stop');
  };
  expect(() => keys.withDeposit(6, failing)).toThrow('stop');
  expect(used).toHaveLength(2);
  for (const account of used) expect(() => account.sign(message)).toThrow(/wiped/);
});

test('after the keys were wiped, no sponsor and no deposit address signs', () => {
  const keys = solanaSweepKeys(randomBytes(64));
  keys.wipe();
  for (const environment of environments)
    for (const which of SPONSORS) expect(() => keys.sponsor(environment, which).sign(message)).toThrow(/wiped/);
  expect(() => keys.withDeposit(0, ({ address }) => address)).toThrow(/wiped/);
});
