// The `take-over` command of a cold standby: a second machine with the keystore and a copy of the journal, whose signer starts frozen
// (machine.ts). It lets that signer sign when a person confirms that the first one has stopped for good, and only when the copy has every
// record that the database has seen. From then on the workers know the standby's journal, and freeze a first signer that runs again
// (lib/refunds/recovery/signer-check).

import { FreezeFiles } from '@/lib/signer/freeze';
import { FIRST_HAS_STOPPED, MOVED, withoutMoved } from '@/lib/signer/machine';
import { readJournal } from '@/lib/signer/journal/open';
import type { SignerSettings } from '@/lib/signer/settings';
import { openJournalAt } from './open-journal';
import { requireTerminal, type Terminal } from './terminal';

/** `mark`: RECORDS:HEAD, as `stabletill refunds mark` prints it. Throws when anything speaks against it; then nothing was done. */
export async function takeOver(settings: SignerSettings, mark: string, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const [, count, head] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(mark) ?? [];
  if (count === undefined) throw new Error('take-over needs RECORDS:HEAD, as `stabletill refunds mark` prints it.');
  const { file, key } = await openJournalAt(
    terminal,
    settings,
    'There is no journal: copy that of the first signer here.',
  );
  const journal = readJournal(file, key);
  if (journal.damage !== null) throw new Error(`The journal ${journal.damage}. Put a whole copy of it here.`);
  const { frozen } = journal.index;
  if (frozen === null) throw new Error('This signer already signs: it is not a standby that waits. Nothing was done.');
  if (!frozen.includes(MOVED))
    throw new Error(
      `This signer is not a standby that waits: start it once on the copied journal. It is frozen because: ${frozen}. Nothing was done.`,
    );
  const records = Number(count);
  if (records > 0 && journal.index.mark(records - 1)?.hash !== head)
    throw new Error(
      `The copy of the journal lacks records that the database has seen (${records}). Copy the journal again from the first ` +
        'machine or its disk. If it is lost, see "After a machine was restored" in docs/operate.md. Nothing was done.',
    );
  const files = new FreezeFiles(file, key);
  if (files.isSwitched())
    throw new Error('The freeze switch is on: remove the file "….freeze" beside the journal first.');
  terminal.print(`The copy has all ${records} records that the database has seen.`);
  const left = withoutMoved(frozen);
  if (left !== null)
    terminal.print(`The signer stays frozen after the take-over, because: ${left}. The command unfreeze lifts that.`);
  terminal.print(
    'Two signers with one journal pay refunds twice. Stop the first one, and keep it from starting again.',
  );
  if ((await terminal.prompt(`Type "${FIRST_HAS_STOPPED}": `)) !== FIRST_HAS_STOPPED)
    throw new Error('Nothing was done.');
  files.writeTicket(journal.head, 'take-over');
  if (left === null)
    terminal.print('This signer signs from its next call on. Give the workers its address in SIGNER_SOCKET.');
  else terminal.print('The take-over is done at the next call. Run unfreeze then.');
}
