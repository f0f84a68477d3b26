// The `unfreeze` command: shows the journal's counts, asks for the passphrase, and writes a ticket. The signer consumes
// the ticket at its next call, whether it is running or starts later. It needs a person at a terminal.

import { FreezeFiles } from '@/lib/signer/freeze';
import { MOVED } from '@/lib/signer/machine';
import { readJournal } from '@/lib/signer/journal/open';
import type { SignerSettings } from '@/lib/signer/settings';
import { openJournalAt } from './open-journal';
import type { Terminal } from './terminal';

/**
 * Lets a frozen signer sign again. Throws when the switch is on, the journal is damaged or missing, or the signer is
 * not frozen.
 */
export async function unfreeze(settings: SignerSettings, terminal: Terminal): Promise<void> {
  const { file, key } = await openJournalAt(
    terminal,
    settings,
    'There is no journal: start the signer once, then unfreeze it.',
  );
  const files = new FreezeFiles(file, key);
  if (files.isSwitched())
    throw new Error('The freeze switch is on: remove the file "….freeze" beside the journal first.');

  const { index, head, damage } = readJournal(file, key);
  if (damage !== null) {
    throw new Error(
      `The journal ${damage}. Put a whole copy of it back; without one, move it away, start the signer, compare every ` +
        'refund with the chains, and unfreeze then.',
    );
  }
  if (index.frozen === null) throw new Error('The signer is not frozen. Nothing was done.');
  const { intents, attempts, released } = index.counts;
  terminal.print(`Frozen because: ${index.frozen}.`);
  if (index.frozen.includes(MOVED)) {
    terminal.print('Continue only when the original no longer runs: two signers with one journal pay refunds twice.');
  }
  terminal.print(
    `The journal holds ${intents} intents, ${attempts} attempts, ${released} of them closed without a payment.`,
  );
  if ((await terminal.prompt('Type "unfreeze" to let it sign again: ')) !== 'unfreeze') {
    throw new Error('Nothing was done.');
  }
  files.writeTicket(head);
  terminal.print('The signer signs again from its next call on.');
}
