// What a command at the terminal needs before it changes the journal: the keystore's passphrase, which gives the journal's key.

import fs from 'node:fs';
import { mnemonicToSeed } from '@scure/bip39';
import { journalKeyOf } from '@/lib/signer/journal/signer-journal';
import { journalFileOf, type SignerSettings } from '@/lib/signer/settings';
import { openKeystore } from './keystore';
import { requireTerminal, type Terminal } from './terminal';

/**
 * Prompts for the passphrase and returns the journal's file and key. Throws without a terminal, with a wrong passphrase, and with `missing`
 * when there is no journal.
 */
export async function openJournalAt(
  terminal: Terminal,
  settings: SignerSettings,
  missing: string,
): Promise<{ file: string; key: Buffer }> {
  requireTerminal(terminal);
  const file = journalFileOf(settings);
  if (!fs.existsSync(file)) throw new Error(missing);
  const mnemonic = await openKeystore({
    file: settings.KEYSTORE_FILE,
    passphrase: await terminal.prompt('Passphrase of the keystore: '),
    allowPublic: settings.ALLOW_PUBLIC_MNEMONIC,
  });
  const seed = await mnemonicToSeed(mnemonic);
  const key = journalKeyOf(seed);
  seed.fill(0);
  return { file, key };
}
