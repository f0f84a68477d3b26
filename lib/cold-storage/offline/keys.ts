// Opens the cold wallet's key on the offline machine: from a key file, or from BIP-39 words and a path. The key leaves this module only
// inside an account's functions, and `wipe` overwrites it. No message of this file contains a character of its input.

import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import type { NetworkFamily } from '@/lib/networks/chain';
import { evmAddress, tronAddress } from '@/lib/treasury/wallets/derivation';
import { edAccount } from '@/lib/treasury/wallets/ed-account';
import { bip32Key, secpAccount, type SigningAccount } from '@/lib/treasury/wallets/secp-account';

export type KeySource =
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'words'; readonly text: string; readonly path: string };

export type OpenedKey = { readonly account: SigningAccount; readonly wipe: () => void };

/** The input is no key of this family. The message says what was expected. */
export class BadKey extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadKey';
  }
}

/** The account of the key. Throws BadKey. */
export function openKey(family: NetworkFamily, source: KeySource): OpenedKey {
  const key = source.kind === 'key' ? keyOf(family, source.text.trim()) : derivedKey(family, source);
  return { account: accountOf(family, key), wipe: () => void key.fill(0) };
}

function accountOf(family: NetworkFamily, key: Uint8Array): SigningAccount {
  try {
    if (family === 'solana') return edAccount(key);
    return secpAccount(key, family === 'evm' ? evmAddress : tronAddress);
  } catch {
    // Zero, or above the order of the curve. The library's message might show the key.
    throw new BadKey('the key file holds no possible private key');
  }
}

const keyOf = (family: NetworkFamily, text: string): Uint8Array =>
  family === 'solana' ? solanaKey(text) : hexKey(text);

function hexKey(text: string): Uint8Array {
  const [, hex] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (hex === undefined) throw new BadKey('the key file must hold a private key of 64 hex digits and nothing else');
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

/** A key pair as solana-keygen writes it (a JSON list of 64 bytes), or the same in base58. */
function solanaKey(text: string): Uint8Array {
  const pair = listOf(text) ?? base58Of(text);
  if (pair?.length !== 64)
    throw new BadKey('the key file must hold a key pair as solana-keygen writes it, or its 64 bytes in base58');
  const key = pair.slice(0, 32);
  const publicKey = Buffer.from(pair.subarray(32));
  pair.fill(0);
  if (publicKey.equals(ed25519.getPublicKey(key))) return key;
  key.fill(0);
  throw new BadKey('the two halves of the key pair do not belong together');
}

function listOf(text: string): Uint8Array | null {
  if (!/^\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){63}\s*\]$/.test(text)) return null;
  const bytes = text.slice(1, -1).split(',').map(Number);
  return bytes.every((byte) => byte < 256) ? Uint8Array.from(bytes) : null;
}

const base58Of = (text: string): Uint8Array | null =>
  /^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(text) ? Uint8Array.from(base58.decode(text)) : null;

const PATH = /^m(?:\/\d{1,10}'?){1,10}$/;
const HARDENED_PATH = /^m(?:\/\d{1,10}'){1,10}$/;

function derivedKey(
  family: NetworkFamily,
  { text, path }: { readonly text: string; readonly path: string },
): Uint8Array {
  const words = text.trim().split(/\s+/).join(' ').toLowerCase();
  if (!validateMnemonic(words, wordlist)) throw new BadKey('the words are no BIP-39 words, or one of them is wrong');
  if (!(family === 'solana' ? HARDENED_PATH : PATH).test(path))
    throw new BadKey(`--path must be like ${family === 'solana' ? "m/44'/501'/0'/0'" : "m/44'/60'/0'/0/0"}`);
  const seed = mnemonicToSeedSync(words);
  try {
    if (family !== 'solana') return bip32Key(seed, path);
    return Uint8Array.from(Slip10Key.fromMasterSeed(seed).derive(path).privateKey);
  } catch {
    // An index above 2^31 - 1.
    throw new BadKey('--path has a number that is too large');
  } finally {
    seed.fill(0);
  }
}
