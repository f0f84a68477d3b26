// The `unfreeze` command: shows the journal's counts, asks for the passphrase, and writes a ticket. The signer consumes
// the ticket at its next call, whether it is running or starts later. It needs a person at a terminal.

import { FreezeFiles } from '@/lib/signer/freeze';
import { FIRST_HAS_STOPPED, MOVED } from '@/lib/signer/machine';
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
  const isMoved = index.frozen.includes(MOVED);
  if (isMoved) {
    terminal.print(
      'Two signers with one journal pay refunds twice, and a copy that lacks records may pay again what the first one paid. ' +
        'Where the database is there, use take-over, which compares the copy with it. Otherwise stop the first signer, and keep it from starting again.',
    );
  }
  terminal.print(
    `The journal holds ${intents} intents, ${attempts} attempts, ${released} of them closed without a payment.`,
  );
  const confirmation = isMoved ? FIRST_HAS_STOPPED : 'unfreeze';
  if ((await terminal.prompt(`Type "${confirmation}" to let it sign again: `)) !== confirmation) {
    throw new Error('Nothing was done.');
  }
  files.writeTicket(head);
  terminal.print('The signer signs again from its next call on.');
}
