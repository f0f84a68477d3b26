import { randomBytes, randomInt } from 'node:crypto';
import { getBytes, HDNodeWallet, Mnemonic, recoverAddress, Signature } from 'ethers';
import { utils } from 'tronweb';
import { expect, test } from 'vitest';
import { INDEX_LIMIT, keysFromSeed } from './derivation';
import { refundAccounts } from './derivation-refund';
import { SPONSOR_PATHS, SPONSORS, sweepKeys, TRON_SPONSOR_PATHS } from './derivation-sweep';
import type { SigningAccount } from './secp-account';

const environments = ['live', 'test'] as const;
const digest = randomBytes(32);

const signerOf = (signature: Uint8Array): string => {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map(
    (part) => `0x${Buffer.from(part).toString('hex')}`,
  ) as [string, string];
  const read = Signature.from({ r, s, v: 27 + (signature[64] as number) });
  return recoverAddress(getBytes(digest), read).toLowerCase();
};

test('the four sponsors agree with ethers at their documented paths, and are no other wallet', () => {
  for (let round = 0; round < 3; round++) {
    const seed = randomBytes(64);
    const [keys, refunds] = [sweepKeys(seed), refundAccounts(seed)];
    const sponsors = environments.flatMap((environment) =>
      SPONSORS.map((which) => {
        const { address, sign } = keys.sponsor(environment, which);
        const path = SPONSOR_PATHS[environment][which];
        expect(address).toBe(HDNodeWallet.fromSeed(seed).derivePath(path).address.toLowerCase());
        expect(signerOf(sign(digest))).toBe(address);
        return address;
      }),
    );
    const others = environments.map((environment) => refunds.of(environment, 'evm').address);
    expect(new Set([...sponsors, ...others, keysFromSeed(seed).addressesAt(0).evm]).size).toBe(7);
  }
  expect(SPONSOR_PATHS).toEqual({
    live: { first: "m/44'/60'/2'/0/0", spare: "m/44'/60'/3'/0/0" },
    test: { first: "m/44'/60'/2'/0/1", spare: "m/44'/60'/3'/0/1" },
  });
});

test('the key of a deposit address signs as the address that customers pay to, at random indexes of random seeds', () => {
  for (let round = 0; round < 10; round++) {
    const seed = randomBytes(64);
    const [keys, addresses] = [sweepKeys(seed), keysFromSeed(seed)];
    for (const index of [0, 1, INDEX_LIMIT - 1, randomInt(INDEX_LIMIT)]) {
      const { evm } = addresses.addressesAt(index);
      expect(evm).toBe(HDNodeWallet.fromSeed(seed).derivePath(`m/44'/60'/0'/0/${index}`).address.toLowerCase());
      keys.withDeposit(index, ({ address, sign }) => {
        expect(address).toBe(evm);
        expect(signerOf(sign(digest))).toBe(evm);
      });
    }
  }
});

test('sponsors and deposit keys on TRON are those of its own coin, as tronweb derives them', () => {
  const mnemonic = Mnemonic.fromEntropy(randomBytes(16));
  const seed = getBytes(mnemonic.computeSeed());
  const keys = sweepKeys(seed, 'tron');
  const [addresses, refunds] = [keysFromSeed(seed), refundAccounts(seed)];
  const derived = (path: string): string => utils.accounts.generateAccountWithMnemonic(mnemonic.phrase, path).address;
  const all = environments.flatMap((environment) =>
    SPONSORS.map((which) => {
      const { address, sign } = keys.sponsor(environment, which);
      expect(address).toBe(derived(TRON_SPONSOR_PATHS[environment][which]));
      expect(utils.address.fromHex(`41${signerOf(sign(digest)).slice(2)}`)).toBe(address);
      return address;
    }),
  );
  const others = environments.map((environment) => refunds.of(environment, 'tron').address);
  expect(new Set([...all, ...others, addresses.addressesAt(0).tron]).size).toBe(7);
  for (const index of [0, 1, randomInt(INDEX_LIMIT)])
    keys.withDeposit(index, ({ address }) => expect(address).toBe(addresses.addressesAt(index).tron));
  expect(TRON_SPONSOR_PATHS).toEqual({
    live: { first: "m/44'/195'/2'/0/0", spare: "m/44'/195'/3'/0/0" },
    test: { first: "m/44'/195'/2'/0/1", spare: "m/44'/195'/3'/0/1" },
  });
  keys.wipe();
  expect(() => keys.withDeposit(0, ({ address }) => address)).toThrow('wiped');
});

test('no index outside of the range of addresses has a key', () => {
  const keys = sweepKeys(randomBytes(64));
  for (const index of [-1, INDEX_LIMIT, 2 ** 32, 0.5, Number.NaN])
    expect(() => keys.withDeposit(index, ({ address }) => address)).toThrow(RangeError);
});

test('a deposit key is wiped after its request, also when the request fails', () => {
  const keys = sweepKeys(randomBytes(64));
  const used: SigningAccount[] = [];
  keys.withDeposit(5, (account) => used.push(account));
  const failing = (account: SigningAccount): never => {
    used.push(account);
    throw new Error('stop');
  };
  expect(() => keys.withDeposit(6, failing)).toThrow('stop');
  expect(used).toHaveLength(2);
  for (const account of used) expect(() => account.sign(digest)).toThrow(/private|secret|invalid|expected/i);
});

test('after the keys were wiped, no sponsor and no deposit address signs', () => {
  const keys = sweepKeys(randomBytes(64));
  keys.wipe();
  for (const environment of environments)
    for (const which of SPONSORS)
      expect(() => keys.sponsor(environment, which).sign(digest)).toThrow(/private|secret|invalid|expected/i);
  expect(() => keys.withDeposit(0, ({ address }) => address)).toThrow(/wiped/);
});
