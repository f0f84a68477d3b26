import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Keypair } from '@solana/web3.js';
import { getBytes, HDNodeWallet, recoverAddress, Signature } from 'ethers';
import { HDKey } from '@scure/bip32';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { utils as tronUtils } from 'tronweb';
import { describe, expect, test } from 'vitest';
import { checksumAddress, INDEX_LIMIT, keysFromSeed } from './derivation';
import { REFUND_PATHS, refundAccounts } from './derivation-refund';
import { VECTORS } from './published-vectors';

const environments = ['live', 'test'] as const;

describe.each(VECTORS)('vectors of "$mnemonic"', (vector) => {
  test('the live refund accounts are the published second accounts of EVM and TRON', () => {
    const accounts = refundAccounts(Buffer.from(vector.seed, 'hex'));
    expect(checksumAddress(accounts.of('live', 'evm').address)).toBe(vector.evmSecondAccount);
    expect(accounts.of('live', 'tron').address).toBe(vector.tronSecondAccount);
  });
});

test('every refund account agrees with ethers, tronweb, web3.js and the key libraries at its documented path', () => {
  for (let round = 0; round < 5; round++) {
    const seed = randomBytes(64);
    const accounts = refundAccounts(seed);
    for (const environment of environments) {
      const { evm, tron, solana } = REFUND_PATHS[environment];
      expect(checksumAddress(accounts.of(environment, 'evm').address)).toBe(
        HDNodeWallet.fromSeed(seed).derivePath(evm).address,
      );
      const tronKey = HDKey.fromMasterSeed(seed).derive(tron).privateKey as Uint8Array;
      const tronAddress = tronUtils.address.fromPrivateKey(Buffer.from(tronKey).toString('hex'));
      expect(accounts.of(environment, 'tron').address).toBe(tronAddress);
      const solanaKey = Slip10Key.fromMasterSeed(seed).derive(solana).privateKey;
      expect(accounts.of(environment, 'solana').address).toBe(Keypair.fromSeed(solanaKey).publicKey.toBase58());
    }
  }
});

test('the six accounts have six addresses, and none is a deposit address', () => {
  const seed = randomBytes(64);
  const accounts = refundAccounts(seed);
  const addresses = environments.flatMap((environment) =>
    (['evm', 'tron', 'solana'] as const).map((family) => accounts.of(environment, family).address),
  );
  expect(new Set(addresses).size).toBe(6);
  const keys = keysFromSeed(seed);
  for (const index of [0, 1, 2, INDEX_LIMIT - 1]) {
    const { evm, tron, solana } = keys.addressesAt(index);
    for (const deposit of [evm, tron, solana]) expect(addresses).not.toContain(deposit);
  }
  // The index of Solana's refund accounts is one that deposit addresses cannot have.
  expect(() => keys.addressesAt(INDEX_LIMIT)).toThrow(RangeError);
});

test('a signature is deterministic, recovers to the address, and is impossible after the keys were wiped', () => {
  const accounts = refundAccounts(randomBytes(64));
  const digest = randomBytes(32);
  const account = accounts.of('test', 'evm');
  const signature = account.sign(digest);
  expect(account.sign(digest)).toEqual(signature);
  const [r, s, v] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64] as number];
  const read = Signature.from({ r: `0x${hex(r)}`, s: `0x${hex(s)}`, v: 27 + v });
  expect(recoverAddress(getBytes(digest), read).toLowerCase()).toBe(account.address);
  expect(BigInt(`0x${hex(s)}`) * 2n < secp256k1.Point.Fn.ORDER).toBe(true);
  accounts.wipe();
  for (const family of ['evm', 'tron', 'solana'] as const) {
    expect(() => accounts.of('live', family).sign(digest)).toThrow(/wiped|private|secret|invalid|expected/i);
  }
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
