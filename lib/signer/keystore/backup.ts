// The operator's backup: `backup` shows the words of the keystore, `restore` creates a keystore from them on another
// machine. Both need a person at a terminal, so that the words never pass through a pipe, a file or a log.

import { createKeystore, entropyOf, openKeystore } from './keystore';
import type { SignerSettings } from '@/lib/signer/settings';
import { requireTerminal, type Terminal } from './terminal';

/** Prints the backup words. Always asks for the passphrase, even when the environment has one. */
export async function backup(settings: SignerSettings, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const mnemonic = await openKeystore({
    file: settings.KEYSTORE_FILE,
    passphrase: await terminal.prompt('Passphrase of the keystore: '),
    allowPublic: settings.ALLOW_PUBLIC_MNEMONIC,
  });
  const words = mnemonic.split(' ');
  terminal.print(
    'Anyone who has these words has the money. Write them on paper, in this order, and clear the screen:\n',
  );
  for (const [index, word] of words.entries()) terminal.print(`${String(index + 1).padStart(2)}  ${word}`);
}

/** Creates a keystore from backup words and a new passphrase. Refuses when one exists already. */
export async function restore(settings: SignerSettings, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const words = await terminal.prompt('Backup words, in order, separated by spaces: ');
  await createRestored(settings, terminal, entropyOf(words, settings.ALLOW_PUBLIC_MNEMONIC));
}

/** Asks for the new passphrase and creates the keystore. */
export async function createRestored(settings: SignerSettings, terminal: Terminal, entropy: Uint8Array): Promise<void> {
  const passphrase = await terminal.prompt('New passphrase: ');
  if (passphrase !== (await terminal.prompt('The same passphrase again: '))) {
    throw new Error('The two passphrases differ. Nothing was done.');
  }
  await createKeystore({ file: settings.KEYSTORE_FILE, passphrase, entropy });
  terminal.print('The keystore was restored.');
}
