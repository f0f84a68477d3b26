// The gate before a refund is drafted on a network without account nonces. After a whole machine was restored, the database and the
// signer's journal agree that a later payment was never signed, and its refund would be paid again. On EVM the final nonce reveals that
// payment (signer-check.ts); elsewhere the transactions that the refund wallet signed do. A transaction that the database does not know
// stops signing until an operator has checked, as an unknown nonce does. The time of the comparison is stored with the chain, by the
// chain's own clock, so the next start compares only later transactions. A worker may keep running while database and signer are restored
// on another machine. So it compares again whenever either was unreachable, or the database is not the one that was compared.

import { ChainError } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { fromUnixSeconds, unixSeconds, type Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import {
  forgetDatabase,
  hasOpenDraft,
  knownAmong,
  knownExpiry,
  recordDatabase,
  readAgain,
  readSince,
  storeKnown,
  type SeenDatabase,
} from './known';
import { clearMentions, storedMentions } from './mentions';
import { judgeReports, type WalletObstacle } from './verdict';

/** The network whose refund wallet is checked. */
type CheckedWallet = {
  readonly context: Pick<Context, 'pool' | 'clock' | 'log'>;
  readonly sending: {
    readonly network: string;
    readonly spec: Pick<NetworkSpec, 'chain'>;
    readonly sender: Pick<ChainSender, 'unknownTransactions'>;
  };
  readonly chainId: number;
};

export type WalletCheck = {
  /** Before and after each draft: why it may not be made, or null. Reads the chain once per start. Throws a ChainError. */
  readonly judge: (work: CheckedWallet, wallet: string) => Promise<WalletObstacle | null>;
  /** The same, but always sends requests to the network. */
  readonly compare: (work: CheckedWallet, wallet: string) => Promise<WalletObstacle | null>;
  /** Called in every run: the wallet is compared again after a pause of the process or a jump of the wall clock. */
  readonly detectPause: (clock: Clock) => void;
  /** The machine may have been resumed from a snapshot: nothing is drafted before earlier signatures have expired. */
  readonly distrust: () => void;
  /** Stores that distrust, so that the ten minutes begin before a refund is due. */
  readonly settle: (work: CheckedWallet) => Promise<void>;
  /** Signer or database were frozen or unreachable and may have been restored: compare the wallet again. */
  readonly restart: () => void;
  /** True at most once in each interval: time to compare the wallet, or to check whether that is due. */
  readonly isIntervalOver: (now: Date, milliseconds: number) => boolean;
};

/**
 * A process that was paused for longer may have missed a restore of database and signer, or may have been resumed from a snapshot of its
 * machine.
 */
const PAUSE_MILLISECONDS = 30_000;
/**
 * The largest difference between the changes of the wall clock and the monotonic clock. A machine that is resumed from a snapshot of its
 * memory has both clocks as they were, until its wall clock is corrected. Time services step a correct clock by less than a second.
 */
const JUMP_MILLISECONDS = 10_000;
/** Every refund of a run checks the wallet. Within this time the result of a disagreement is reused, to save requests. */
const RETRY_MILLISECONDS = 5000;

/**
 * How long a payment may land that was signed before the database was restored, cloned or promoted: a signature is valid for about six
 * minutes on TRON and two on Solana, and a block takes minutes to become final. A local chain is never restored.
 */
const OLD_SIGNATURES_SECONDS = 600;

const AWAY: WalletObstacle = { kind: 'wait', why: 'the signer or the database was away meanwhile' };
const TAKEN_OVER: WalletObstacle = { kind: 'wait', why: 'payments that the signer signed are still taken over' };
const REPLACED: WalletObstacle = { kind: 'wait', why: 'the database was replaced meanwhile' };

/** The result of a comparison that blocked refunds, repeated until `until` (milliseconds). */
type Last = { readonly ended: WalletObstacle | ChainError; readonly until: number };

/** The check of one network. The result is kept in memory only, because a restored database could contain a result that no longer holds. */
export function openWalletCheck(): WalletCheck {
  let clear: SeenDatabase | null = null;
  let last: Last | null = null;
  let starts = 0;
  let seenAt: { readonly wall: number; readonly steady: number } | null = null;
  /** Set until the database has stored it: another process that checks then waits as well. */
  let isDistrusted = false;
  let comparing = 0;
  let intervalAt = -Infinity;
  const restart = (): void => {
    clear = null;
    last = null;
    starts += 1;
  };

  function distrust(): void {
    isDistrusted = true;
    restart();
  }

  function detectPause(clock: Clock): void {
    const wall = clock.now().getTime();
    const steady = clock.monotonic?.() ?? wall;
    const before = seenAt ?? { wall, steady };
    seenAt = { wall, steady };
    const since = wall - before.wall;
    if (Math.abs(since - (steady - before.steady)) > JUMP_MILLISECONDS) distrust();
    // A slow comparison is no pause: it ends with the same database with which it began.
    else if (since < 0 || (comparing === 0 && since > PAUSE_MILLISECONDS)) restart();
  }

  async function settle({ context, ...work }: CheckedWallet): Promise<void> {
    if (!isDistrusted) return;
    const start = starts;
    const about = { network: work.sending.network };
    context.log.warn(
      about,
      'this machine may have been resumed from a snapshot, or its database was replaced: refunds wait',
    );
    await forgetDatabase({ context, ...work });
    if (start === starts) isDistrusted = false;
  }

  async function compare(work: CheckedWallet, wallet: string): Promise<WalletObstacle | null> {
    detectPause(work.context.clock);
    await settle(work);
    const start = starts;
    comparing += 1;
    const ended = await compareWallet(work, wallet)
      .catch(chainErrorOf)
      .finally(() => {
        detectPause(work.context.clock);
        comparing -= 1;
      });
    // After a restart in the meantime, the result may be older than the restore.
    if (start !== starts) return AWAY;
    if ('seen' in ended) {
      clear = ended.seen;
      return null;
    }
    if ('kind' in ended && ended.kind === 'stop') clear = null;
    last = { ended, until: work.context.clock.now().getTime() + RETRY_MILLISECONDS };
    return given(ended);
  }

  return {
    compare,
    async judge(work, wallet) {
      detectPause(work.context.clock);
      const start = starts;
      const again = clear && (await readAgain(work, clear));
      if (start !== starts) return AWAY;
      if (again) {
        clear = again;
        return null;
      }
      if (clear) distrust();
      if (last && work.context.clock.now().getTime() < last.until) return given(last.ended);
      return compare(work, wallet);
    },
    detectPause,
    distrust,
    settle,
    restart,
    isIntervalOver(now, milliseconds) {
      const isOver = Math.abs(now.getTime() - intervalAt) >= milliseconds;
      if (isOver) intervalAt = now.getTime();
      return isOver;
    },
  };
}

function chainErrorOf(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  throw error;
}

function given(ended: WalletObstacle | ChainError): WalletObstacle {
  if (ended instanceof ChainError) throw ended;
  return ended;
}

/** `seen`: the database in which every transaction was found, after that was stored in it. */
type Compared = { readonly seen: SeenDatabase } | WalletObstacle;

async function compareWallet(work: CheckedWallet, wallet: string): Promise<Compared> {
  const { context, sending } = work;
  const { since, seen, firstCompared } = await readSince(work);
  if (!sending.sender.unknownTransactions) return { seen };
  if (firstCompared && context.clock.now() < settledAt(sending, firstCompared))
    return unsettled(sending, firstCompared);
  const wasOpen = await hasOpenDraft(work);
  // Both are read after an endpoint answered: a payment that was sent in between is stored by then.
  const { votes, needed } = await sending.sender.unknownTransactions(wallet, {
    since,
    known: (hashes) => knownAmong(work, hashes),
    knownExpiry: () => knownExpiry(work),
    mentions: storedMentions(work),
  });
  const now = unixSeconds(context.clock.now());
  const verdict = judgeReports({ votes, needed, since, now, network: sending.network });
  // Payments signed before a restore are imported as drafts. Their hashes are stored once the signer returns the bytes.
  if (verdict.kind === 'stop' && (wasOpen || (await hasOpenDraft(work)))) return TAKEN_OVER;
  if (verdict.kind !== 'clear') return verdict;
  const first = firstCompared ?? fromUnixSeconds(now);
  if (!firstCompared) await recordDatabase(work, first);
  // By the chain's time, so that a wrong clock of this machine shortens nothing.
  if (sending.spec.chain !== 'local' && fromUnixSeconds(verdict.through) < settledAt(sending, first)) {
    return unsettled(sending, first);
  }
  // Neither this machine's clock nor that of a single endpoint can store a future time.
  const through = fromUnixSeconds(Math.min(verdict.through, now));
  const stored = await storeKnown(work, { through, seen });
  if (!stored) return REPLACED;
  await clearMentions(work, through);
  return { seen: stored };
}

/** The time after which nothing can land that was signed before the first comparison of the wallet in this database. */
const settledAt = ({ spec }: CheckedWallet['sending'], firstCompared: Date): Date =>
  new Date(firstCompared.getTime() + (spec.chain === 'local' ? 0 : OLD_SIGNATURES_SECONDS * 1000));

const unsettled = (sending: CheckedWallet['sending'], firstCompared: Date): WalletObstacle => ({
  kind: 'wait',
  why: `the database was started or restored, or the clock of this machine jumped: what was signed before may land until ${settledAt(sending, firstCompared).toISOString()}`,
});
