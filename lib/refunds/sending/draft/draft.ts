// Drafts a payment: to its destination, from the wallet that the signer names, with the nonce that the signer expects. A draft
// commits to nothing: the payment can be canceled until its signature is requested.

import { SendRefused, type Drafted } from '@/lib/networks/sending/send';
import { unixSeconds } from '@/lib/platform/clock';
import { crashpoint } from '@/lib/platform/crash-point';
import { makeOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import { idleKeepingHold } from '@/lib/refunds/sending/lease';
import { clearPayment } from './clearance';
import { isWalletKnown, walletOf, type Wallet } from './wallet';
import { isPayeeBusy } from './rent-limit';
import { requestSignature, otherDraftSince, type Requested } from './signature-request';
import { failPayment } from '@/lib/refunds/sending/finish';
import { isProvenLapsed, sentAttempt } from '@/lib/refunds/sending/follow/facts';
import { MAX_SIGNED, type Action } from '@/lib/refunds/sending/plan';
import type { SignedAttempt } from '@/lib/refunds/attempts';
import type { HoldCode } from '@/lib/refunds/holds';
import type { Destination } from '@/lib/refunds/rows';
import {
  asSentence,
  chainHold,
  putOnHold,
  holdOf,
  laterBy,
  orderFor,
  idleFor,
  type SendingContext,
  namedInLog,
  type Work,
} from '@/lib/refunds/sending/sending-context';
import { adoptUnknown } from '@/lib/refunds/sending/sign/adopt';
import { callOrHold } from '@/lib/refunds/sending/sign/call';
import { holdPruned } from '@/lib/refunds/sending/follow/ambiguous-attempt';
import { readUnmined } from '@/lib/refunds/sending/follow/unmined';
import { NEWEST_AHEAD_SECONDS } from '@/lib/refunds/wallet-check/known';

const REVERTS = 'reverts' satisfies HoldCode;

/**
 * How often a transfer must be refused before it fails. About twelve runs happen within `revertsFor`. While the machine is suspended or an
 * endpoint is throttled, time passes without any, and a node that lags must not fail the payment by two refusals.
 */
const LEAST_REFUSALS = 8;

type Signer = NonNullable<SendingContext['signer']>;

/** Another payment's draft is open only for a moment. This wait is short, without a busy loop. */
const BUSY_MILLISECONDS = 100;

/**
 * Drafts a payment and requests its signature. Null: it is idle, on hold, failed, or another worker has it. Checks the database and the
 * signer before any node, so that waiting payments use no endpoint requests.
 */
export async function draftPayment(
  work: Work,
  { lapsed, isLast }: Pick<Extract<Action, { kind: 'draft' }>, 'lapsed' | 'isLast'>,
): Promise<Requested | null> {
  const { context, sending, payment } = work;
  const { signer } = sending;
  if (!signer) return idle(putOnHold(work, NO_SIGNER));
  const held = await work.rules.remainingHold(work);
  if (held) return idle(putOnHold(work, held));
  try {
    const state = await callOrHold(work, () => signer.calls.state());
    if (!state) return null;
    if (state.frozen) return idle(putOnHold(work, holdOf('frozen')));
    const address = state.wallets[sending.environment][sending.spec.family];
    const since = await otherDraftSince(work, address);
    if (since) return idle(idleKeepingHold(context.pool, payment, laterBy(work, busyFor(work, since))));
    const cleared = await clearPayment(work, signer, state);
    if (!cleared) return null;
    if (cleared.ended !== null) return idle(endUnpaid(work, signer, { ...cleared, lapsed }));
    const { destination } = cleared;
    const wallet = await callOrHold(work, () => walletOf(work, signer, address));
    if (!wallet || !(await callOrHold(work, () => isWalletKnown(work, signer, wallet)))) return null;
    const statement = lapsed ? await attestLapse(work, signer, lapsed, destination) : undefined;
    if (statement === null) return null;
    if (isLast) return idle(failUnpayable(work, NEVER_TAKEN));
    return await draftTo(work, { signer, destination, wallet, statement });
  } catch (error) {
    const hold = chainHold(error);
    if (!hold) throw error;
    return idle(putOnHold(work, hold));
  }
}

/** The longer the other draft stays open, the longer the next check waits. */
function busyFor({ context, sending }: Work, since: Date): number {
  const open = context.clock.now().getTime() - since.getTime();
  return Math.min(sending.intervals.mostHold, Math.max(BUSY_MILLISECONDS, open / 2));
}

/** The operator has not finished the setup; a merchant cannot. */
const NO_SIGNER = {
  code: 'signer_unavailable',
  message:
    'This installation has no signer for refunds yet: SIGNER_SOCKET and EVIDENCE_KEY have to be set by the operator.',
};

type Unpaid = {
  readonly ended: string;
  readonly lapsed: SignedAttempt | null;
  readonly destination: Destination | null;
};

/** Fails a payment. The lapse of its last attempt must still be proven, and the signer must know no other attempt. */
async function endUnpaid(work: Work, signer: Signer, { ended, lapsed, destination }: Unpaid): Promise<void> {
  if (lapsed && !destination) throw new Error(`payment ${work.payment.id} was signed and has no destination`);
  if (lapsed && destination && !(await attestLapse(work, signer, lapsed, destination))) return;
  await failUnpayable(work, ended);
}

/** Checks the chain again before a second payment is drafted: the lapse must still be proven. Null when it is not. */
async function attestLapse(
  work: Work,
  { evidenceKey }: Signer,
  attempt: SignedAttempt,
  { address }: Destination,
): Promise<Outcome | null> {
  const { sending, payment } = work;
  const outcome = await sending.sender.outcome(sentAttempt(work, attempt, [], address));
  if (isProvenLapsed(attempt.validity, outcome)) {
    const { hash } = attempt;
    const statement = {
      intentId: payment.id,
      network: sending.network,
      hash,
      outcome: 'lapsed',
      finalized: outcome.finalized,
    } as const;
    return makeOutcome(evidenceKey, sending.environment, statement);
  }
  if (outcome.kind === 'pruned') return idle(holdPruned(work, outcome.reason));
  // An endpoint that was unreachable may lag and still report the attempt as pending, which is not a terminal state.
  const isEnd = outcome.kind === 'landed' || outcome.kind === 'reverted' || outcome.kind === 'unclear';
  return idle(putOnHold(work, holdOf(isEnd ? 'unclear' : 'chain_unavailable')));
}

type Drafting = {
  readonly signer: Signer;
  readonly destination: Destination;
  readonly wallet: Wallet;
  readonly statement: Outcome | undefined;
};

async function draftTo(work: Work, { signer, destination, wallet, statement }: Drafting): Promise<Requested | null> {
  const order = orderFor(work, destination.address);
  if (await isPayeeBusy(work.context.pool, work, order)) return idle(idleFor(work, work.sending.intervals.leastHold));
  let draft: Drafted;
  try {
    const unmined = await readUnmined(work);
    const options = { unmined, ...(wallet.nonce === null ? {} : { nonce: wallet.nonce }) };
    draft = await work.sending.sender.draft(order, wallet.address, options);
  } catch (error) {
    if (!(error instanceof SendRefused)) throw error;
    if (error.reason === 'reverts' && !haveRevertsLasted(work)) return idle(putOnHold(work, holdOf(REVERTS)));
    return idle(failUnpayable(work, error.message));
  }
  crashpoint('after-draft');
  if (!(await isClockInSync(work)) || !(await callOrHold(work, () => isWalletKnown(work, signer, wallet)))) return null;
  const requested = await requestSignature(work, {
    draft,
    destination: { ...destination, address: order.to },
    lapsed: statement,
  });
  if (requested === 'busy') {
    // On Solana until other payments to the payee are final (rent-limit.ts).
    const { spec, intervals } = work.sending;
    return idle(idleFor(work, spec.family === 'solana' ? intervals.leastHold : BUSY_MILLISECONDS));
  }
  if (requested === 'lost') return null;
  return 'code' in requested ? idle(putOnHold(work, requested)) : requested;
}

/** Whether the simulations have refused the transfer for so long, and so often, that it fails for good. This refusal is not counted yet. */
function haveRevertsLasted({ context, sending, payment }: Work): boolean {
  const { revertsFor } = sending.intervals;
  if (revertsFor === 0) return true;
  if (payment.hold !== REVERTS || payment.heldAt === null || payment.holdCount + 1 < LEAST_REFUSALS) return false;
  return context.clock.now().getTime() - payment.heldAt.getTime() >= revertsFor;
}

/**
 * Whether this machine's clock is not behind the chain; otherwise the payment is put on hold. A machine that was resumed from a snapshot
 * of its memory agrees with its database. So the endpoints are read after the draft: a draft from before a snapshot belongs to an old
 * block. A local chain has its own time.
 */
async function isClockInSync(work: Work): Promise<boolean> {
  const { context, sending } = work;
  const newest = sending.spec.chain === 'local' ? undefined : await sending.sender.newestTime?.();
  if (newest === undefined || newest.time <= unixSeconds(context.clock.now()) + NEWEST_AHEAD_SECONDS) return true;
  sending.walletCheck?.distrust();
  const message = `The refund waits: the newest block of ${newest.endpoint} is ahead of the clock of this machine. One of the two is wrong.`;
  await putOnHold(work, { code: 'chain_unavailable', message });
  return false;
}

/**
 * Fails a payment that can never work as ordered, because of the recipient or the token, or because the network never included it.
 * None of its attempts can land, so the merchant can pay the customer back in another way. A temporary cause is a hold (SendHold).
 */
async function failUnpayable(work: Work, reason: string): Promise<void> {
  // A payment must not fail while the signer has a signature that the database does not know, for example after a restore.
  const known = await callOrHold(work, () => adoptUnknown(work, null));
  if (known === 'adopted') await idleFor(work, 0);
  if (known !== 'none') return;
  work.context.log.warn({ ...namedInLog(work.payment), reason }, 'a payment cannot be made');
  await failPayment(work, { reason: asSentence(reason) });
}

const NEVER_TAKEN = `the network took none of ${MAX_SIGNED} transactions in time, and none of them can be taken any more. You can ask for the refund again`;

async function idle(idling: Promise<void>): Promise<null> {
  await idling;
  return null;
}
