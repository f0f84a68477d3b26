// The keystore: the one secret that every key derives from, encrypted under a passphrase in one file. The file is
// written atomically and never replaced by another wallet's, because that would lose the money on its addresses. Error messages
// never contain a secret.

import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';
import { openWithPassphrase, sealWithPassphrase } from './passphrase';
import { writeNewFile } from '@/lib/signer/files/new-file';

/** Short passphrases can be guessed however slow each guess is. */
const LEAST_PASSPHRASE = 12;
/** A keystore is under one KiB; anything much larger is another file. */
const MAX_BYTES = 16_384;

const base64 = (bytes: number) => z.base64().refine((text) => Buffer.from(text, 'base64').length === bytes);

/**
 * Version 1 fixes every parameter, so that an altered file can neither weaken the key derivation nor exhaust memory.
 */
const fileFormat = z.strictObject({
  version: z.literal(1),
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    N: z.literal(131_072),
    r: z.literal(8),
    p: z.literal(1),
    salt: base64(32),
  }),
  cipher: z.strictObject({ name: z.literal('aes-256-gcm'), iv: base64(12), tag: base64(16), data: z.base64().max(64) }),
  checksum: z.string(),
});

export type KeystoreFault = 'missing' | 'exists' | 'permissions' | 'damaged' | 'passphrase' | 'mnemonic';

export class KeystoreError extends Error {
  readonly fault: KeystoreFault;
  constructor(fault: KeystoreFault, message: string) {
    super(message);
    this.name = 'KeystoreError';
    this.fault = fault;
  }
}

/** Entropy of the two mnemonics that every development tool ships. Bots take whatever is paid to their addresses. */
const PUBLIC_MNEMONICS = new Set(
  [
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
    'test test test test test test test test test test test junk',
  ].map((mnemonic) => Buffer.from(mnemonicToEntropy(mnemonic, wordlist)).toString('hex')),
);

/**
 * Creates a keystore of `entropy` (16 to 32 bytes), readable by its owner only. Throws `exists` rather than replace a
 * file, and `passphrase` when it is missing or too short.
 */
export async function createKeystore(given: {
  readonly file: string;
  readonly passphrase: string | undefined;
  readonly entropy: Uint8Array;
}): Promise<void> {
  const passphrase = requirePassphrase(given.passphrase);
  if (passphrase.length < LEAST_PASSPHRASE) {
    throw new KeystoreError(
      'passphrase',
      `The passphrase of a new keystore needs at least ${LEAST_PASSPHRASE} characters.`,
    );
  }
  const sealed = { version: 1, ...(await sealWithPassphrase(given.entropy, passphrase)) };
  await mkdir(path.dirname(given.file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ ...sealed, checksum: checksumOf(sealed) }, null, 2)}\n`;
  if (!(await writeNewFile(given.file, text))) {
    throw new KeystoreError('exists', 'There is a keystore already, and it is never overwritten.');
  }
}

/**
 * The mnemonic in a keystore. Throws `missing`, `permissions` (others may read the file), `damaged`, `passphrase`
 * (missing or wrong) or `mnemonic` (a publicly known one, unless `allowPublic`).
 */
export async function openKeystore(given: {
  readonly file: string;
  readonly passphrase: string | undefined;
  readonly allowPublic: boolean;
}): Promise<string> {
  const { kdf, cipher } = await readKeystore(given.file);
  const entropy = await openWithPassphrase({ kdf, cipher }, requirePassphrase(given.passphrase));
  if (!entropy) throw new KeystoreError('passphrase', 'The passphrase does not open this keystore.');
  const isPublic = PUBLIC_MNEMONICS.has(entropy.toString('hex'));
  const mnemonic = entropyToMnemonic(entropy, wordlist);
  entropy.fill(0);
  if (isPublic && !given.allowPublic) throw publicMnemonic();
  return mnemonic;
}

/**
 * The entropy of a typed mnemonic. Throws `mnemonic` when its words or its checksum are wrong, or when it is publicly
 * known (unless `allowPublic`).
 */
export function entropyOf(mnemonic: string, allowPublic: boolean): Uint8Array {
  let entropy: Uint8Array;
  try {
    entropy = mnemonicToEntropy(mnemonic.trim().toLowerCase().split(/\s+/).join(' '), wordlist);
  } catch {
    // The library's message can repeat a word.
    throw new KeystoreError('mnemonic', 'These are not the words of a backup: a word or their order is wrong.');
  }
  if (PUBLIC_MNEMONICS.has(Buffer.from(entropy).toString('hex')) && !allowPublic) throw publicMnemonic();
  return entropy;
}

async function readKeystore(file: string) {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new KeystoreError('missing', 'There is no keystore file.');
    throw new KeystoreError('damaged', `The keystore file cannot be read (${error.code}).`);
  });
  if ((found.mode & 0o077) !== 0) {
    throw new KeystoreError('permissions', 'Others may read or write the keystore file: set its mode to 600.');
  }
  const text = found.isFile() && found.size <= MAX_BYTES ? await readFile(file, 'utf8') : '';
  const read = fileFormat.safeParse(parseJson(text));
  if (!read.success) throw damaged();
  const { checksum, ...sealed } = read.data;
  if (checksum !== checksumOf(sealed)) throw damaged();
  return sealed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function requirePassphrase(passphrase: string | undefined): string {
  if (!passphrase) throw new KeystoreError('passphrase', 'The keystore needs a passphrase: set KEYSTORE_PASSPHRASE.');
  return passphrase;
}

/** Distinguishes a damaged file from a wrong passphrase, which the cipher's tag alone cannot. It protects nothing. */
const checksumOf = (sealed: object): string => createHash('sha256').update(JSON.stringify(sealed)).digest('hex');

const damaged = () =>
  new KeystoreError(
    'damaged',
    'The keystore file is damaged: put a copy of it back, or restore it from the backup words.',
  );

const publicMnemonic = () =>
  new KeystoreError('mnemonic', 'These backup words are printed in public documentation: everybody holds their keys.');
