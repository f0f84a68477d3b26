// The real signer behind a real socket, with its journal on disk, for end-to-end tests of refunds.

import path from 'node:path';
import { systemClock } from '@/lib/platform/clock';
import { callsOn } from '@/lib/signer/calls';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { serveCalls } from '@/lib/signer/transport/server';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { silentLog } from '@/testing/chain-clock';
import { partsOf, policy, seed } from './signer-scene';
import { sweepSignerOn } from './sweep-scene';

export type ServedSigner = Awaited<ReturnType<typeof serveSigner>>;

/**
 * Listens below `directory`, or at another address, until closed; uses signer-scene's wallet on the local chains, nearly without limits,
 * and sweeps to its treasury.
 */
export async function serveSigner(directory: string, socket = path.join(directory, 'signer.sock')) {
  const limits = { perRefund: 10n ** 9n, perHour: 10n ** 12n, perDay: 10n ** 12n };
  const parts = { ...partsOf(path.join(directory, 'journal')), clock: systemClock, policy: policy(limits) };
  const journal = new SignerJournal(parts);
  const [signer, sweeps] = [new RefundSigner(parts, journal), sweepSignerOn(journal)];
  const server = await serveCalls(socket, callsOn(keysFromSeed(seed), signer, { sweeps }), silentLog());
  return {
    socket,
    state: () => signer.state(),
    /** Writes the ticket that a person at a terminal writes (lib/signer/keystore/unfreeze.ts). */
    unfreeze(): void {
      const { head } = Journal.read(parts.journalFile, parts.journalKey, () => {});
      new FreezeFiles(parts.journalFile, parts.journalKey).writeTicket(head);
    },
    close: () => server.close(),
  };
}
