// The `init` command: makes the keystore of a new installation, and its journal. Nothing else makes a wallet, because a signer that did so
// when its disk is missing would give deposit addresses of a wallet that the books do not know.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mnemonicToSeed } from '@scure/bip39';
import { systemClock } from '@/lib/platform/clock';
import { journalKeyOf, SignerJournal } from '@/lib/signer/journal/signer-journal';
import { journalFileOf, type SignerSettings } from '@/lib/signer/settings';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { createKeystore, openKeystore } from './keystore';

/** 24 words. */
const ENTROPY_BYTES = 32;

/**
 * Throws `exists` rather than replace a keystore, and an Error beside the journal of another one: then the keystore was lost, and the money
 * of that journal needs its words. A crash in between leaves a keystore without a journal, which starts frozen.
 */
export async function init(settings: SignerSettings, print: (line: string) => void): Promise<void> {
  const { KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase, ALLOW_PUBLIC_MNEMONIC: allowPublic } = settings;
  const journalFile = journalFileOf(settings);
  if (fs.existsSync(journalFile) && !fs.existsSync(file)) {
    throw new Error(
      `There is the journal of a keystore that is missing (${journalFile}). Put the keystore back, or restore it from its words with ` +
        '"restore". Only for a new wallet, move the journal away first.',
    );
  }
  const entropy = randomBytes(ENTROPY_BYTES);
  await createKeystore({ file, passphrase, entropy });
  entropy.fill(0);
  const seed = await mnemonicToSeed(await openKeystore({ file, passphrase, allowPublic }));
  const { fingerprint } = keysFromSeed(seed);
  const parts = { clock: systemClock, journalFile, journalKey: journalKeyOf(seed), fingerprint };
  seed.fill(0);
  // The first start records the machine.
  new SignerJournal({ ...parts, isNewWallet: true }).close();
  print(`The keystore was made: ${file}, wallet ${fingerprint}.`);
  print('Write its words down now, at a terminal: stabletill signer words');
}
