// A machine without a network that has the words of the deposit addresses, and signs their delegations in advance.

import fs from 'node:fs';
import path from 'node:path';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { createKeystore } from '@/lib/signer/keystore/keystore';
import type { SignerSettings } from '@/lib/signer/settings';
import { presignAuthorizations } from '@/lib/signer/sweeps/authorizations-command';
import { temporaryDirectory } from '@/testing/signer/signer-scene';

const passphrase = 'four lamps under a quiet bridge';
const entropy = Buffer.alloc(32, 77);

/** `usb`: an empty directory for its files. */
export async function openOfflineWallet() {
  const directory = temporaryDirectory();
  const [usb, keystore] = ['usb', 'keystore.json'].map((name) => path.join(directory, name)) as [string, string];
  fs.mkdirSync(usb);
  await createKeystore({ file: keystore, passphrase, entropy });
  return {
    usb,
    seed: mnemonicToSeedSync(entropyToMnemonic(entropy, wordlist)),
    /** Runs the command and returns what it prints. */
    async presign(words: readonly (string | number)[]): Promise<string> {
      const settings = { KEYSTORE_FILE: keystore, KEYSTORE_PASSPHRASE: passphrase, ALLOW_PUBLIC_MNEMONIC: false };
      const lines: string[] = [];
      await presignAuthorizations(settings as SignerSettings, words.map(String), (line) => void lines.push(line));
      return lines.join('\n');
    },
  };
}
