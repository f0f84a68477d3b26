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

/** chains.md section 4, whole. */
const VECTORS = [
  {
    mnemonic: 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
    seed: '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
    evm: [
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
      '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0',
      '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A',
    ],
    evmSecondAccount: '0x78839F6054d7ed13918bAe0473BA31b1Ca9D7265',
    tron: [
      'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
      'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
      'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
    ],
    tronSecondAccount: 'TLrpNTBuCpGMrB9TyVwgEhNVRhtWEQPHh4',
    solana: [
      'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
      'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
      '7WktogJEd2wQ9eH2oWusmcoFTgeYi6rS632UviTBJ2jm',
    ],
    solanaElsewhere: {
      "m/44'/501'/0'": 'GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL',
      "m/44'/501'/1'": 'ANf3TEKFL6jPWjzkndo4CbnNdUNkBk4KHPggJs2nu8Xi',
      "m/44'/501'": 'D2PPQSYFe83nDzk96FqGumVU8JA7J8vj2Rhjc2oXzEi5',
      seed: 'EHqmfkN89RJ7Y33CXM6uCzhVeuywHoJXZZLszBHHZy7o',
    },
    firstKeys: {
      evm: '1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727',
      tron: 'b5a4cea271ff424d7c31dc12a3e43e401df7a40d7412a15750f3f0b6b5449a28',
      solana: '37df573b3ac4ad5b522e064e25b63ea16bcbe79d449e81a0268d1047948bb445',
    },
    evmXpubs: [
      'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
      'xpub6EF8jXqFeFEW5bwMU7RpQtHkzE4KJxcqJtvkCjJumzW8CPpacXkb92ek4WzLQXjL93HycJwTPUAcuNxCqFPKKU5m5Z2Vq4nCyh5CyPeBFFr',
    ],
    tronXpubs: [
      'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
      'xpub6EuK4CZWW5urEHdwAVDdDw327danAtccFcrXYvgf1DHrPXRwErt36xStQ2PNhn4hpwzPbzJ8pJVpewgChRnSs59q5Ay61GCfQZKUe71gbLq',
    ],
  },
  {
    mnemonic: 'test test test test test test test test test test test junk',
    seed: '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0',
    evm: [
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    ],
    evmSecondAccount: '0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650',
    tron: [
      'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6',
      'TPjjvMwjPoDC32V2dGDYTkLH4E5LAtBZ6C',
      'TB7mhtkvfhsRBRhe5FuRa4tFXSEyGDe4eA',
    ],
    tronSecondAccount: 'TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ',
    solana: [
      'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
      'AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD',
      'CqMbRgMuEhQi9BUS8xP44Wk5nENm48FqJnfjEi4eNb1k',
    ],
    solanaElsewhere: {
      "m/44'/501'/0'": 'BtELVjZSaWhMat94P9HyasX3Gvpv6C7WHXJGqWdZbwSQ',
      "m/44'/501'/1'": 'M9juqHHtP85PvRKX3d4FS9jkF1WHZwyX3dG7NcYswdH',
      "m/44'/501'": '9tKf8Q98FsGKJiM4oqMnTxmYH3fU2qJzSwzc76vgzyBT',
      seed: 'G9r1RYmVnXptzCA2an46rNnHsCAQLvjyM6vR2mo3LpG1',
    },
    firstKeys: {
      evm: 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
      tron: null,
      solana: 'a01c67efb5cb8f62f15907a9fcf124c73d2695c8a9a31f21c05742a31ca1dc72',
    },
    evmXpubs: [
      'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
    ],
    tronXpubs: [
      'xpub6BuRy7ZmkGfP2RWhoor1kWB1w9DvrtmJbFBvnC1bQ4SB5NbCHTyQYCJSXZtxDbFyHTmC7wkU2he3nYYdpZ3Vf6qUAkXSnL6RPif4BDtDEKr',
    ],
  },
] as const;

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

test('an index that is none is refused', () => {
  const keys = keysFromSeed(randomBytes(64));
  for (const index of [-1, 0.5, Number.NaN, INDEX_LIMIT, 2 ** 31, 2 ** 53]) {
    expect(() => keys.addressesAt(index)).toThrow(RangeError);
  }
});

describe('an extended key that must not be used is refused without being repeated', () => {
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

test('mixed-case addresses follow EIP-55, and what is no address is refused', () => {
  const published = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  expect(checksumAddress(published.toLowerCase())).toBe(published);
  expect(checksumAddress(published)).toBe(published);
  for (const wrong of ['', '0x', published.slice(2), `${published}0`, published.replace('5', 'g')]) {
    expect(() => checksumAddress(wrong)).toThrow('not an EVM address');
  }
});
