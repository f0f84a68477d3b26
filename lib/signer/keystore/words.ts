// The `words` command: shows the keystore's words at the terminal, clears the screen, and asks for three of them. The
// words pass through no browser, no web process and no file, yet the set-up page can show that a person wrote them
// down. The only trace is a file beside the keystore with the wallet's fingerprint.

import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import { mnemonicToSeed } from '@scure/bip39';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { durably } from '@/lib/signer/files/durable-file';
import { openKeystore } from './keystore';
import type { SignerSettings } from '@/lib/signer/settings';
import { CLEAR, requireTerminal, type Terminal } from './terminal';

/** Typing the words at three of 24 positions proves that the person has them. */
const WORDS_TO_TYPE = 3;
/** How often the words are shown when a typed word is wrong. */
const MAX_TRIES = 3;

/** Beside the keystore. */
const fileOf = ({ KEYSTORE_FILE }: Pick<SignerSettings, 'KEYSTORE_FILE'>): string => `${KEYSTORE_FILE}.words`;

/** Whether a person has confirmed that they wrote down the words of this wallet. */
export function areWordsConfirmed(settings: Pick<SignerSettings, 'KEYSTORE_FILE'>, fingerprint: string): boolean {
  try {
    return fs.readFileSync(fileOf(settings), 'utf8').trim() === fingerprint;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Shows the words and has the person type three of them. The passphrase in the environment is enough until the words
 * are confirmed, because the operator of a new installation has never seen it. Afterwards only `backup` shows them,
 * which asks for it.
 */
export async function confirmWords(settings: SignerSettings, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const mnemonic = await openKeystore({
    file: settings.KEYSTORE_FILE,
    passphrase: settings.KEYSTORE_PASSPHRASE ?? (await terminal.prompt('Passphrase of the keystore: ')),
    allowPublic: settings.ALLOW_PUBLIC_MNEMONIC,
  });
  const fingerprint = await fingerprintOf(mnemonic);
  if (areWordsConfirmed(settings, fingerprint)) {
    terminal.print(
      'These words were confirmed before. To see them again, use "backup", which asks for the passphrase.',
    );
    return;
  }
  const words = mnemonic.split(' ');
  for (let left = MAX_TRIES; left > 0; left--) {
    if (await isWrittenDown(words, terminal)) {
      durably(fileOf(settings), Buffer.from(`${fingerprint}\n`));
      terminal.print(
        'Confirmed. Keep the paper where no thief and no fire finds it. The set-up page continues by itself.',
      );
      return;
    }
    terminal.print(left > 1 ? 'That is another word. The words are shown once more.\n' : '');
  }
  throw new Error('Nothing was confirmed. Run the command again.');
}

async function isWrittenDown(words: readonly string[], terminal: Terminal): Promise<boolean> {
  terminal.print(`Anyone who has these ${words.length} words has the money. Write them on paper, in this order:\n`);
  for (const [index, word] of words.entries()) terminal.print(`${String(index + 1).padStart(2)}  ${word}`);
  await terminal.prompt('\nPress Enter when you have written them down. The screen is cleared then. ');
  terminal.print(CLEAR);
  for (const index of drawn(words.length)) {
    const typed = await terminal.prompt(`Word ${index + 1} (what you type is not shown): `);
    if (typed.trim().toLowerCase() !== words[index]) return false;
  }
  return true;
}

/** Different positions, in ascending order. */
function drawn(count: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < WORDS_TO_TYPE) chosen.add(randomInt(count));
  return [...chosen].toSorted((one, other) => one - other);
}

async function fingerprintOf(mnemonic: string): Promise<string> {
  const seed = await mnemonicToSeed(mnemonic);
  try {
    return keysFromSeed(seed).fingerprint;
  } finally {
    seed.fill(0);
  }
}
