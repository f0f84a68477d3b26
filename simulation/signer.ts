// The real signer of a history, called through its real socket protocol inside this process. It keeps its journal in a
// directory of its own and can end and start again on it, as a process does.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '@/lib/platform/clock';
import { BatchSigner } from '@/lib/signer/batches/batch-signer';
import { batchTokensOf } from '@/lib/signer/batches/policy';
import { callsOn, type Call, type Calls } from '@/lib/signer/calls';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { SignedSweep, SweepParams } from '@/lib/signer/sweeps/orders';
import { serveCalls } from '@/lib/signer/transport/server';
import type { DepositAddresses } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import type { Sponsor } from '@/lib/treasury/wallets/derivation-sweep';
import { silentLog } from '@/testing/chain-clock';
import { depositKeys, seed } from '@/testing/refunds/deposit-keys';
import { partsOf, policy } from '@/testing/signer/signer-scene';

import { openClonedSigner, type ClonedSigner } from './cloned-signer';
import { payoutLimits, type PayoutSettings } from './payouts/settings';
import { coldPolicy, treasuryOf, type ColdSettings } from './cold/settings';
import { openNotes, type NotedCalls } from './noted-calls';
import { openSweepSigner, recordOf, type SignedRecord, type Sweeping, type SweepSettings } from './sweeping';

/** `signed`: it gave away signed bytes. `unfrozen`: a person at its terminal let it sign again. */
export type SignerAnswer = 'signed' | 'frozen' | 'unfrozen';

/** `perHour`: cents of one currency. `segmentBytes`: size at which it closes a segment of its journal. `sweeps`: null without a treasury. */
export type SignerSettings = {
  readonly perHour: bigint;
  readonly segmentBytes: number;
  readonly sweeps: SweepSettings | null;
  readonly payouts: PayoutSettings;
  /** Null without a cold wallet. */
  readonly cold: ColdSettings | null;
};

export type SimulatedSigner = Pick<NotedCalls, 'payouts' | 'cold' | 'guarded'> & {
  readonly socket: string;
  /** Begins a history: an empty journal, this clock and these settings. */
  readonly begin: (clock: Clock, settings: SignerSettings) => void;
  /** Those of the present history. */
  settings: SignerSettings;
  /** The process ends and starts again on its journal. */
  readonly restart: () => void;
  isDown: boolean;
  /** Which account sends sweeps. A change needs a restart. */
  sponsor: Sponsor;
  /** The sweeps that it signed since the history began. */
  readonly sweeps: readonly SignedRecord[];
  /** What looks at the world when it is asked to sign a payment. */
  readonly looks: Pick<NotedCalls, 'look' | 'stopLook'>;
  /** Its operator takes the cold wallets out of its settings, or puts them back, and it starts again. */
  readonly pin: (isPinned: boolean) => void;
  /** Its operator lets payouts be paid in batches, or no longer, and it starts again. */
  readonly setBatches: (isOn: boolean) => void;
  /** A person at its terminal lets it sign again. */
  readonly unfreeze: () => void;
  /** What it answered since the history began, in order. */
  readonly log: readonly SignerAnswer[];
  /** Why it signs nothing, or null. */
  readonly frozen: () => string | null;
  /** The signer of a cloned machine, and how it starts. */
  readonly clone: ClonedSigner;
  readonly startClone: (machineId: string) => void;
  readonly close: () => Promise<void>;
};

/** Deriving an address takes milliseconds, and every history begins with the same ones. */
function cachedKeys(): typeof depositKeys {
  const known = new Map<number, DepositAddresses>();
  const addressesAt = (index: number): DepositAddresses => {
    const found = known.get(index) ?? depositKeys.addressesAt(index);
    known.set(index, found);
    return found;
  };
  return { ...depositKeys, addressesAt };
}

const SIGNING = new Set(['sign', 'sign-batch', 'allow', 'sweep', 'authorize']);

/** What an answer means to those who watch the signer from outside; null for answers without signed bytes. */
function meaningOf(name: string, given: object): SignerAnswer | null {
  if (name === 'freeze') return 'frozen';
  if (SIGNING.has(name)) return 'signed';
  const { attempts = [] } = given as { readonly attempts?: readonly { readonly bytes: unknown }[] };
  return name === 'attempts' && attempts.some(({ bytes }) => bytes !== null) ? 'signed' : null;
}

/** Whole tokens that the contract of batches may move before its allowance is raised. */
const BATCHED = ['ethereum', 'bsc']
  .flatMap((network) => ['USDT', 'USDC'].map((token) => `${network}@local/${token}=2000`))
  .join();
/** The machine of the first signer. */
const MACHINE = 'machine 1';
const NO_SETTINGS: SignerSettings = {
  ...{ perHour: 0n, segmentBytes: 0, sweeps: null },
  payouts: { perHour: 0n, delaySeconds: 0 },
  cold: null,
};
const down: Call = () => Promise.reject(new Error('the signer is down'));

/** Starts serving. Nothing can be called before the first `begin`. */
export async function openSimulatedSigner(): Promise<SimulatedSigner> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-simulated-signer-'));
  const keys = cachedKeys();
  const accounts = refundAccounts(seed);
  let histories = 0;
  let parts = partsOf(path.join(directory, 'journal'));
  let signer: RefundSigner;
  let calls: Calls = new Map();
  const sweepingOf = (settings: SweepSettings): Sweeping => ({
    ...{ settings, sponsor: simulated.sponsor, treasury: treasuryOf(simulated.settings.cold) },
  });
  const start = (isNewWallet: boolean): void => {
    const given = { ...parts, isNewWallet, accounts };
    const journal = new SignerJournal(given);
    signer = new RefundSigner(given, journal);
    const { settings } = simulated;
    const sweeps = settings.sweeps && openSweepSigner(given, journal, sweepingOf(settings.sweeps));
    calls = callsOn(keys, signer, { sweeps, batches: new BatchSigner(given, journal) });
  };
  const log: SignerAnswer[] = [];
  const sweeps: SignedRecord[] = [];
  const notes = openNotes(() => parts.clock.now().getTime());
  const noted =
    (name: string, call: Call): Call =>
    (params) =>
      notes.answered(name, call, params)?.then((given) => {
        const meaning = meaningOf(name, given);
        if (meaning !== null) log.push(meaning);
        if (name === 'sweep') sweeps.push(recordOf(params as SweepParams, given as SignedSweep, parts.clock));
        return given;
      }) ?? null;
  const current = {
    get: (name: string) => {
      const call = calls.get(name);
      return simulated.isDown ? down : call && noted(name, call);
    },
  } as Calls;
  const socket = path.join(directory, 'signer.sock');
  const server = await serveCalls(socket, current, silentLog());
  const clone = await openClonedSigner(directory, keys);
  const simulated: SimulatedSigner = {
    ...{
      clone,
      socket,
      log,
      sweeps,
      payouts: notes.calls.payouts,
      cold: notes.calls.cold,
      guarded: notes.calls.guarded,
      looks: notes.calls,
      isDown: false,
      settings: NO_SETTINGS,
      sponsor: 'first',
    },
    begin: (clock, settings) => {
      const { perHour, segmentBytes } = (simulated.settings = settings);
      const limits = { perRefund: 10n ** 9n, perHour, perDay: 10n ** 12n };
      const folder = path.join(directory, String(++histories));
      fs.rmSync(path.join(directory, String(histories - 1)), { recursive: true, force: true });
      fs.mkdirSync(folder);
      parts = {
        ...partsOf(path.join(folder, 'journal')),
        clock,
        policy: { ...policy(limits), payoutLimits: payoutLimits(settings.payouts), cold: coldPolicy(settings.cold) },
        segmentBytes,
        machineId: MACHINE,
      };
      clone.stop();
      simulated.isDown = false;
      simulated.sponsor = 'first';
      log.length = 0;
      sweeps.length = 0;
      notes.clear();
      start(true);
    },
    restart: () => start(false),
    pin: (isPinned) => {
      const pinned = coldPolicy(isPinned ? simulated.settings.cold : null);
      parts = { ...parts, policy: { ...parts.policy, cold: pinned } };
      start(false);
    },
    setBatches: (isOn) => {
      parts = { ...parts, policy: { ...parts.policy, batches: isOn ? batchTokensOf(BATCHED) : [] } };
      start(false);
    },
    startClone: (machineId) => {
      const { sweeps: settings } = simulated.settings;
      clone.start({ ...parts, accounts }, machineId, settings && sweepingOf(settings));
    },
    unfreeze: () => {
      const { journalFile, journalKey } = parts;
      const { head } = Journal.read(journalFile, journalKey, () => {});
      new FreezeFiles(journalFile, journalKey).writeTicket(head);
      log.push('unfrozen');
      signer.state();
    },
    frozen: () => {
      const { frozen, reason } = signer.state();
      return frozen ? (reason ?? 'without a reason') : null;
    },
    close: async () => {
      await clone.close();
      await server.close();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
  return simulated;
}
