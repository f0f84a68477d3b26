// `stabletill signer`: makes the keystore of a new installation, shows and restores its words, and ends a freeze. The signer
// program (lib/signer/main.ts) does the work at this terminal.

import { WrongUsage } from '../start/refusal.mjs';
import { runSigner } from '../start/signer-terminal.mjs';

const WORDS = [
  'init',
  'words',
  'backup',
  'restore',
  'shares',
  'passphrase',
  'unfreeze',
  'take-over',
  'approvers',
  'authorizations',
  'forwarders',
];

export const command = {
  name: 'signer',
  summary: 'makes the keystore, shows and restores its backup words, ends a freeze',
  usage: `stabletill signer init
    makes the keystore of a new installation and its journal, under the passphrase in KEYSTORE_PASSPHRASE. Only this makes a wallet: a
    signer without a keystore does not start. It never replaces a keystore, and refuses beside the journal of another one.
stabletill signer words
    shows the backup words once, clears the screen, and has three of them typed back. Do this right after init.
stabletill signer backup
    shows the words again. It asks for the passphrase.
stabletill signer restore [--shares]
    makes a keystore from the words, or from enough shares, under a new passphrase.
stabletill signer shares --threshold N --of M
    splits the wallet into M shares of which any N restore it, and shows one after the other.
stabletill signer passphrase [--new FILE]
    puts the keystore under a new passphrase, which FILE holds or you type. Stop the signer first (docs/operate/rotation.md).
stabletill signer unfreeze
    lets a frozen signer sign again. It shows why it is frozen and asks for the passphrase.
stabletill signer take-over RECORDS:HEAD
    lets a cold standby sign, once the first signer is stopped (docs/operate/signer-standby.md). "stabletill refunds mark" prints the mark.
stabletill signer approvers list | add | remove
stabletill signer authorizations … | forwarders NETWORK

Run it where the keystore is, as the signer's user; with compose: docker compose run --rm -it signer stabletill signer …`,
  isJsonless: true,
  run: (words) => {
    if (!WORDS.includes(words[0])) throw new WrongUsage();
    return runSigner(words);
  },
};
