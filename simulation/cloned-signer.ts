// A second signer on a copy of the journal, as on a machine that was cloned. It has a socket of its own and runs beside the first one.

import fs from 'node:fs';
import path from 'node:path';
import { callsOn, type Call, type Calls } from '@/lib/signer/calls';
import { RefundSigner, type RefundSignerParts } from '@/lib/signer/refund-signer';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { serveCalls } from '@/lib/signer/transport/server';
import { silentLog } from '@/testing/chain-clock';
import type { depositKeys } from '@/testing/refunds/deposit-keys';
import { openSweepSigner, type Sweeping } from './sweeping';

export type ClonedSigner = {
  readonly socket: string;
  /** Starts on a copy of this journal, on a machine of this name. `sweeping`: null without a treasury. */
  readonly start: (parts: RefundSignerParts, machineId: string, sweeping: Sweeping | null) => void;
  readonly stop: () => void;
  /** Why it signs nothing, or null. Null also while it is stopped. */
  readonly frozen: () => string | null;
  readonly close: () => Promise<void>;
};

const down: Call = () => Promise.reject(new Error('this machine is switched off'));

export async function openClonedSigner(directory: string, keys: typeof depositKeys): Promise<ClonedSigner> {
  const socket = path.join(directory, 'clone.sock');
  let signer: RefundSigner | null = null;
  let calls: Calls = new Map();
  const current = { get: (name: string) => (signer === null ? down : calls.get(name)) } as Calls;
  const server = await serveCalls(socket, current, silentLog());
  return {
    socket,
    start: (parts, machineId, sweeping) => {
      const folder = path.join(directory, 'clone');
      fs.rmSync(folder, { recursive: true, force: true });
      fs.cpSync(path.dirname(parts.journalFile), folder, { recursive: true });
      const journalFile = path.join(folder, path.basename(parts.journalFile));
      const given = { ...parts, journalFile, machineId, isNewWallet: false };
      const journal = new SignerJournal(given);
      signer = new RefundSigner(given, journal);
      calls = callsOn(keys, signer, { sweeps: sweeping && openSweepSigner(given, journal, sweeping) });
    },
    stop: () => {
      signer = null;
      calls = new Map();
    },
    frozen: () => {
      const state = signer?.state();
      return state?.frozen ? (state.reason ?? 'without a reason') : null;
    },
    close: () => server.close(),
  };
}
