import { randomBytes, randomInt } from 'node:crypto';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HDKey } from '@scure/bip32';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { Keypair } from '@solana/web3.js';
import { HDNodeWallet } from 'ethers';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { utils as tronUtils } from 'tronweb';
import { describe, expect, test } from 'vitest';
import {
  branchFromSeed,
  branchFromXpub,
  checksumAddress,
  evmAddress,
  INDEX_LIMIT,
  keysFromBranches,
  keysFromSeed,
  solanaAddress,
  tronAddress,
} from './derivation';
import { VECTORS } from './published-vectors';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe.each(VECTORS)('vectors of "$mnemonic"', (vector) => {
  const seed = mnemonicToSeedSync(vector.mnemonic);
  const keys = keysFromSeed(seed);

  test('the seed is the published one', () => {
    expect(Buffer.from(seed).toString('hex')).toBe(vector.seed);
  });

  test.each([0, 1, 2])('all networks give the published addresses of index %i', (index) => {
    expect(keys.addressesAt(index)).toEqual({
      index,
      evm: vector.evm[index]?.toLowerCase(),
      tron: vector.tron[index],
      solana: vector.solana[index],
    });
    expect(checksumAddress(keys.addressesAt(index).evm)).toBe(vector.evm[index]);
  });

  test('the second accounts give the published addresses, and not ours', () => {
    const second = keysFromBranches({
      evm: branchFromSeed(seed, "m/44'/60'/1'/0"),
      tron: branchFromSeed(seed, "m/44'/195'/1'/0"),
      solanaAt: () => vector.solana[0],
    });
    expect(checksumAddress(second.addressesAt(0).evm)).toBe(vector.evmSecondAccount);
    expect(second.addressesAt(0).tron).toBe(vector.tronSecondAccount);
    expect(second.fingerprint).not.toBe(keys.fingerprint);
  });

  test('every published xpub gives the published EVM and TRON addresses, from the account as from its branch', () => {
    for (const evmXpub of vector.evmXpubs) {
      for (const tronXpub of vector.tronXpubs) {
        const watching = keysFromBranches({
          evm: branchFromXpub(evmXpub),
          tron: branchFromXpub(tronXpub),
          solanaAt: (index) => vector.solana[index] as string,
        });
        for (const index of [0, 1, 2]) expect(watching.addressesAt(index)).toEqual(keys.addressesAt(index));
        expect(watching.fingerprint).toBe(keys.fingerprint);
      }
    }
  });

  test('the published private keys are those of the published addresses', () => {
    const { evm, tron, solana } = vector.firstKeys;
    expect(checksumAddress(evmAddress(secp256k1.getPublicKey(bytes(evm), false)))).toBe(vector.evm[0]);
    if (tron) expect(tronAddress(secp256k1.getPublicKey(bytes(tron), false))).toBe(vector.tron[0]);
    expect(solanaAddress(ed25519.getPublicKey(bytes(solana)))).toBe(vector.solana[0]);
  });

  test("other wallets' Solana paths give the published addresses, and not ours", () => {
    const master = Slip10Key.fromMasterSeed(seed);
    const ours = new Set<string>([0, 1, 2].map((index) => keys.addressesAt(index).solana));
    for (const [path, published] of Object.entries(vector.solanaElsewhere)) {
      const key = path === 'seed' ? seed.slice(0, 32) : master.derive(path, true).privateKey;
      expect(solanaAddress(ed25519.getPublicKey(key))).toBe(published);
      expect(ours).not.toContain(published);
    }
  });
});

test('one key in its EVM and its TRON form is the published pair', () => {
  const publicKey = secp256k1.getPublicKey(bytes(VECTORS[1].firstKeys.evm), false);
  expect(checksumAddress(evmAddress(publicKey))).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  expect(tronAddress(publicKey)).toBe('TYBNgWfhGuNzdLtjKtxXTfskAhTbMcqbaG');
});

test('fifty random indexes of random seeds agree with ethers, tronweb, web3.js and the key libraries', () => {
  for (let round = 0; round < 5; round++) {
    const seed = randomBytes(64);
    const keys = keysFromSeed(seed);
    const evm = HDNodeWallet.fromSeed(seed).derivePath("m/44'/60'/0'/0");
    const tron = HDKey.fromMasterSeed(seed).derive("m/44'/195'/0'/0");
    const solana = Slip10Key.fromMasterSeed(seed);
    for (const index of [0, INDEX_LIMIT - 1, ...Array.from({ length: 8 }, () => randomInt(INDEX_LIMIT))]) {
      const ours = keys.addressesAt(index);
      expect(checksumAddress(ours.evm)).toBe(evm.deriveChild(index).address);
      const tronKey = tron.deriveChild(index).privateKey as Uint8Array;
      expect(ours.tron).toBe(tronUtils.address.fromPrivateKey(Buffer.from(tronKey).toString('hex')));
      const solanaKey = solana.derive(`m/44'/501'/${index}'/0'`).privateKey;
      expect(ours.solana).toBe(Keypair.fromSeed(solanaKey).publicKey.toBase58());
    }
  }
});

test('rejects an invalid index', () => {
  const keys = keysFromSeed(randomBytes(64));
  for (const index of [-1, 0.5, Number.NaN, INDEX_LIMIT, 2 ** 31, 2 ** 53]) {
    expect(() => keys.addressesAt(index)).toThrow(RangeError);
  }
});

describe('an unusable extended key is refused without being repeated', () => {
  const master = HDKey.fromMasterSeed(bytes(VECTORS[0].seed));
  const good = VECTORS[0].evmXpubs[0];
  test.each([
    ['a private account key', master.derive("m/44'/60'/0'").privateExtendedKey, /private key/],
    ['a private key in other letters', master.privateExtendedKey.replace('xprv', 'ZPRV'), /private key/],
    ['the master public key', master.publicExtendedKey, /depth 0/],
    ['the coin', master.derive("m/44'/60'").publicExtendedKey, /depth 2/],
    ['a single address', master.derive("m/44'/60'/0'/0/0").publicExtendedKey, /depth 5/],
    ['one character changed', good.replace('jawq', 'jawr'), /damaged/],
    ['cut short', good.slice(0, -1), /damaged/],
    ['another version', good.replace('xpub', 'ypub'), /starts with xpub/],
    ['empty', '', /starts with xpub/],
  ])('%s', (_what, text, reason) => {
    const attempt = () => branchFromXpub(text);
    expect(attempt).toThrow(reason);
    try {
      attempt();
    } catch (error) {
      if (text) expect((error as Error).message).not.toContain(text.slice(4, 24));
    }
  });
});

test('mixed-case addresses follow EIP-55, and an invalid address is refused', () => {
  const published = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  expect(checksumAddress(published.toLowerCase())).toBe(published);
  expect(checksumAddress(published)).toBe(published);
  for (const wrong of ['', '0x', published.slice(2), `${published}0`, published.replace('5', 'g')]) {
    expect(() => checksumAddress(wrong)).toThrow('not an EVM address');
  }
});
