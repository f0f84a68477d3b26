// The deposit addresses of an index, from a seed or from account public keys: EVM m/44'/60'/0'/0/i, TRON m/44'/195'/0'/0/i, Solana
// m/44'/501'/i'/0' by SLIP-0010. Pure: reads, stores and generates nothing. The last derivation step is written out on the libraries'
// hash and curve functions, because it runs per address and their key objects make it three times slower. The tests compare it with
// four independent implementations.

import { createHash, createHmac } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { LRUCache } from 'lru-cache';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';

const { Point } = secp256k1;
const HARDENED = 0x8000_0000;
/** Depths of `m/44'/60'/0'` (an account) and of `m/44'/60'/0'/0` (its receiving branch). */
const ACCOUNT_DEPTH = 3;
const BRANCH_DEPTH = 4;
/** How many derived addresses are cached, a few megabytes: each payout of a store looks up the owners of its recent payments again. */
const REMEMBERED = 10_000;
/** The first byte of a TRON mainnet address; its test networks use the same. */
const TRON_PREFIX = 0x41;

/** Indexes run from 0 to one below this, so that the next one still fits the database's 32-bit column. */
export const INDEX_LIMIT = HARDENED - 1;

/** `evm` in lower-case hex, the same address on every EVM network; `tron` in base58check; `solana` in base58. */
export type DepositAddresses = {
  readonly index: number;
  readonly evm: string;
  readonly tron: string;
  readonly solana: string;
};

/** The source of addresses. Two wallets with one fingerprint give the same EVM and TRON addresses at every index. */
export type AddressKeys = {
  readonly fingerprint: string;
  /** The addresses of an index from 0 to INDEX_LIMIT - 1. */
  readonly addressesAt: (index: number) => DepositAddresses;
};

/** The parent of all deposit keys of one coin, without its private key. */
export type Branch = {
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
  readonly point: InstanceType<typeof Point>;
};

/** One private node of a SLIP-0010 tree; all of its children are hardened. */
type PrivateNode = { readonly privateKey: Uint8Array; readonly chainCode: Uint8Array };

/** The addresses of a BIP-39 seed. Keeps only one private key, Solana's `m/44'/501'`, whose tree has no public derivation. */
export function keysFromSeed(seed: Uint8Array): AddressKeys {
  const evm = branchFromSeed(seed, "m/44'/60'/0'/0");
  const tron = branchFromSeed(seed, "m/44'/195'/0'/0");
  const solana = Slip10Key.fromMasterSeed(seed).derive("m/44'/501'");
  const solanaAt = (index: number): string => solanaAddress(solanaKeyOf(solana, index));
  return keysFromBranches({ evm, tron, solanaAt });
}

/** The addresses of two branches and a given derivation for Solana, for callers without a seed. */
export function keysFromBranches(parts: {
  readonly evm: Branch;
  readonly tron: Branch;
  readonly solanaAt: (index: number) => string;
}): AddressKeys {
  const { evm, tron, solanaAt } = parts;
  const known = new LRUCache<number, DepositAddresses>({ max: REMEMBERED });
  const derive = (index: number): DepositAddresses => ({
    index,
    evm: evmAddress(childPublicKey(evm, index)),
    tron: tronAddress(childPublicKey(tron, index)),
    solana: solanaAt(index),
  });
  const addressesAt = (index: number): DepositAddresses => {
    if (!Number.isSafeInteger(index) || index < 0 || index >= INDEX_LIMIT) {
      throw new RangeError('an address index is an integer from 0 to 2147483646');
    }
    const addresses = known.get(index) ?? derive(index);
    known.set(index, addresses);
    return addresses;
  };
  return { fingerprint: fingerprintOf(evm, tron, solanaAt(0)), addressesAt };
}

/** The public half of the node at a path of a seed's BIP-32 tree. */
export function branchFromSeed(seed: Uint8Array, path: string): Branch {
  const master = HDKey.fromMasterSeed(seed);
  const node = master.derive(path);
  const branch = branchOf(node);
  master.wipePrivateData();
  node.wipePrivateData();
  return branch;
}

/**
 * The receiving branch of an `xpub…` of an account (depth 3) or of its branch (depth 4). Throws an Error for anything else, private extended
 * keys above all; its message does not repeat the text.
 */
export function branchFromXpub(xpub: string): Branch {
  if (/^[a-z]prv/i.test(xpub)) {
    throw new Error('this is a private key: only a public extended key (xpub…) may be given');
  }
  if (!xpub.startsWith('xpub')) throw new Error('an account public key starts with xpub');
  let node: HDKey;
  try {
    node = HDKey.fromExtendedKey(xpub);
  } catch {
    // The library's message can contain parts of the key. For the reader the cause is always the same: a bad copy.
    throw new Error('the xpub is damaged: its checksum or its point is wrong');
  }
  if (node.depth === ACCOUNT_DEPTH) return branchOf(node.deriveChild(0));
  if (node.depth === BRANCH_DEPTH) return branchOf(node);
  throw new Error(`the xpub has depth ${node.depth}: an account (depth 3) or its receiving branch (depth 4) is needed`);
}

/** The EVM address of an uncompressed public key (65 bytes), in lower case. */
export const evmAddress = (publicKey: Uint8Array): string => `0x${Buffer.from(accountHash(publicKey)).toString('hex')}`;

/** The TRON address of an uncompressed public key (65 bytes). */
export const tronAddress = (publicKey: Uint8Array): string =>
  base58check.encode(Uint8Array.of(TRON_PREFIX, ...accountHash(publicKey)));

/** The Solana address of an Ed25519 public key (32 bytes). */
export const solanaAddress = (publicKey: Uint8Array): string => base58.encode(publicKey);

/** An EVM address in the mixed case of EIP-55, as wallets show it. Throws for any other text. */
export function checksumAddress(address: string): string {
  const digits = address.toLowerCase().slice(2);
  if (!/^0x[0-9a-f]{40}$/.test(`0x${digits}`) || !/^0x/i.test(address)) throw new Error('not an EVM address');
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  const cased = Array.from(digits, (digit, at) => ((hash[at] as string) >= '8' ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

const sha256 = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest();
const base58check = createBase58check(sha256);

/** The last 20 bytes of the Keccak-256 of a public key without its leading 0x04. */
const accountHash = (publicKey: Uint8Array): Uint8Array => keccak_256(publicKey.subarray(1)).subarray(12);

function branchOf(node: HDKey): Branch {
  const { publicKey, chainCode } = node;
  if (!publicKey || !chainCode) throw new Error('an extended key without a public key or chain code');
  return { publicKey, chainCode, point: Point.fromBytes(publicKey) };
}

/** BIP-32's public child key, uncompressed. */
function childPublicKey(parent: Branch, index: number): Uint8Array {
  const derived = childDigest(parent.chainCode, parent.publicKey, index);
  // Throws when the left half is not below the curve's order: once in 2^127 indexes. Then no key may be derived.
  const tweak = Point.Fn.fromBytes(derived.subarray(0, 32));
  // The tweak follows from public values, so its arithmetic does not have to be constant-time.
  return parent.point.add(Point.BASE.multiplyUnsafe(tweak)).toBytes(false);
}

/** The public key of `index'/0'` under Solana's coin node. */
const solanaKeyOf = (coin: PrivateNode, index: number): Uint8Array =>
  ed25519.getPublicKey(hardenedChild(hardenedChild(coin, index), 0).privateKey);

/** SLIP-0010's child for Ed25519. */
export function hardenedChild(parent: PrivateNode, index: number): PrivateNode {
  const derived = childDigest(parent.chainCode, Uint8Array.of(0, ...parent.privateKey), HARDENED + index);
  return { privateKey: derived.subarray(0, 32), chainCode: derived.subarray(32) };
}

/** BIP-32's and SLIP-0010's HMAC for a child; `key` is its parent's in the serialized form. */
export function childDigest(chainCode: Uint8Array, key: Uint8Array, index: number): Buffer {
  const serialized = Buffer.alloc(4);
  serialized.writeUInt32BE(index);
  return createHmac('sha512', chainCode).update(key).update(serialized).digest();
}

/**
 * SHA-256 over the branches' public keys and chain codes and Solana's first address, so that a seed and its xpubs count as one wallet,
 * regardless of the depth of the xpubs.
 */
function fingerprintOf(evm: Branch, tron: Branch, firstSolana: string): string {
  const hash = createHash('sha256').update('stabletill wallet 1\n');
  for (const branch of [evm, tron]) hash.update(branch.publicKey).update(branch.chainCode);
  return hash.update(firstSolana).digest('hex');
}
