// Drafts a refund's payment: to where it goes, from the wallet that the signer names, with the nonce that the signer expects.
// Nothing is promised by a draft; until the signer is asked the refund can be canceled.

import { SendRefused, type Drafted } from '@/lib/networks/sending/send';
import { unixSeconds } from '@/lib/platform/clock';
import { crashpoint } from '@/lib/platform/crash-point';
import { makeOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import { isDelayOver } from '@/lib/refunds/customer-address/notice';
import { demandsOf, needsApproval, type Demands } from '@/lib/refunds/approval/approval';
import { isBacked } from '@/lib/refunds/approval/backing';
import { restAsBefore } from '@/lib/refunds/payout/lease';
import { isProven } from '@/lib/refunds/destination/proof';
import { askFor, otherDraftSince, type Asked } from './draft-ask';
import { conversionHold, notOfferedHold } from '@/lib/refunds/request/convert';
import { failRefund } from '@/lib/refunds/payout/finish';
import { isProvenLapsed, sentAttempt } from '@/lib/refunds/payout/follow/facts';
import { MOST_SIGNED, type Action } from '@/lib/refunds/payout/plan';
import type { Destination, SignedAttempt } from '@/lib/refunds/rows';
import {
  asSentence,
  chainHold,
  holdBack,
  holdOf,
  laterBy,
  orderFor,
  restFor,
  type PayoutContext,
  type Work,
} from '@/lib/refunds/payout/payout-context';
import { adoptUnknown } from '@/lib/refunds/payout/sign/adopt';
import { orSignerHold } from '@/lib/refunds/payout/sign/call';
import { stillHeld } from '@/lib/refunds/payout/still-held';
import { holdPruned } from '@/lib/refunds/payout/follow/ambiguous-attempt';
import { readUnmined } from '@/lib/refunds/payout/follow/unmined';
import { firstNonceHold, stopSigning, walletHold } from '@/lib/refunds/wallet-check/gate';
import { NEWEST_AHEAD_SECONDS } from '@/lib/refunds/wallet-check/known';

type Signer = NonNullable<PayoutContext['signer']>;

/** Another refund's draft is open for a moment only: soon enough for the next in line, and no busy loop. */
const BUSY_MILLISECONDS = 100;

/**
 * Drafts a refund and claims it for signing. Null: it rests, waits, failed, or is no longer ours. The database and the signer are
 * asked before any node, so that refunds which wait for a person use up no requests of the endpoints.
 */
export async function draftRefund(
  work: Work,
  { lapsed, isLast }: Pick<Extract<Action, { kind: 'draft' }>, 'lapsed' | 'isLast'>,
): Promise<Asked | null> {
  const { context, line, refund } = work;
  const { signer } = line;
  if (!signer) return rest(holdBack(work, NO_SIGNER));
  const held = await stillHeld(work);
  if (held) return rest(holdBack(work, held));
  const since = await otherDraftSince(work);
  if (since) return rest(restAsBefore(context.pool, refund, laterBy(work, busyFor(work, since))));
  try {
    const state = await orSignerHold(work, () => signer.calls.state());
    if (!state) return null;
    if (state.frozen) return rest(holdBack(work, holdOf('frozen')));
    const address = state.wallets[line.environment][line.spec.family];
    const destination = await whereTo(work, address);
    if (!destination || !(await isLetGo(work, destination, demandsOf(state, line.environment)))) return null;
    const isCovered = await orSignerHold(work, () => isBacked(work, signer.evidenceKey));
    // Tokens that are not offered back no refund in another: that is for the merchant to change, and no lack of proof.
    if (isCovered === false) return rest(holdBack(work, (await notOfferedHold(work)) ?? holdOf('evidence')));
    if (isCovered === null || !(await isConvertible(work))) return null;
    const wallet = await orSignerHold(work, () => walletOf(work, signer, address));
    if (!wallet || !(await orSignerHold(work, () => isWalletKnown(work, signer, wallet)))) return null;
    const statement = lapsed ? await stateLapsed(work, signer, lapsed, destination) : undefined;
    if (statement === null) return null;
    if (isLast) return rest(refuse(work, NEVER_TAKEN));
    return await draftTo(work, { signer, destination, wallet, statement });
  } catch (error) {
    const hold = chainHold(error);
    if (!hold) throw error;
    return rest(holdBack(work, hold));
  }
}

/** The longer the other draft is open, the longer it is waited for. */
function busyFor({ context, line }: Work, since: Date): number {
  const open = context.clock.now().getTime() - since.getTime();
  return Math.min(line.pace.mostHold, Math.max(BUSY_MILLISECONDS, open / 2));
}

/** The operator has not finished setting it up; a merchant cannot. */
const NO_SIGNER = {
  code: 'signer_unavailable',
  message:
    'This installation has no signer for refunds yet: SIGNER_SOCKET and EVIDENCE_KEY have to be set by the operator.',
};

type Wallet = { readonly address: string; readonly nonce: number | null };

/** The paying address with its next nonce on EVM. Null when nothing can be signed now; the refund is held then. */
async function walletOf(work: Work, { calls }: Signer, address: string): Promise<Wallet | null> {
  const { spec, network, sender } = work.line;
  if (spec.family !== 'evm') return { address, nonce: null };
  // The chain first and the signer second: what the signer signs meanwhile can then not look like somebody else's.
  const used = await sender.nextNonce(address);
  const state = await calls.state();
  if (state.frozen) return rest(holdBack(work, holdOf('frozen')));
  const name = `${network}@${spec.chain}`;
  const next = state.nextNonces[name];
  if (next !== undefined && used <= next) return { address, nonce: next };
  // While other endpoints are away, one can make up what is pending: a first nonce too high is never mined, and neither is any
  // after it; and a frozen signer waits for a person. What is final, several must report.
  const final = (await sender.finalNonce?.(address)) ?? used;
  const made = (await calls.state()).nextNonces[name];
  if (made === undefined && used <= final) {
    const hold = await firstNonceHold(work, calls, final);
    return hold ? rest(holdBack(work, hold)) : { address, nonce: final };
  }
  if (made === undefined || final <= made) return rest(holdBack(work, holdOf('chain_unavailable')));
  const reason = `the chain has ${final} transactions of the wallet on ${network}, and the signer made ${made}`;
  return rest(holdBack(work, await stopSigning(work, calls, reason)));
}

/** Whether the wallet has signed nothing that the database does not know; the refund is held if not. */
async function isWalletKnown(work: Work, { calls }: Signer, { address }: Wallet): Promise<boolean> {
  const hold = await walletHold(work, calls, address);
  if (hold) await holdBack(work, hold);
  return hold === null;
}

/**
 * Until the signer was asked, what the customer said last counts; afterwards it is where the signer was asked to pay. A stored
 * destination that is not proven is ignored: the web process may have written it.
 */
async function whereTo(work: Work, wallet: string): Promise<Destination | null> {
  const { context, line, refund } = work;
  if (refund.askedAt !== null && refund.destination) {
    const proven = await orSignerHold(work, () => isProven(work));
    if (proven === null) return null;
    if (proven) return refund.destination;
  }
  const found = await line.findDestination(context, { ...line, wallet }, refund);
  if ('hold' in found) return rest(holdBack(work, { code: found.hold, message: found.message }));
  return (await isDelayOver(work, found.destination)) ? found.destination : null;
}

/** Whether nobody has to be asked for it first; it rests when somebody has. */
async function isLetGo(work: Work, { address, kind }: Destination, demands: Demands): Promise<boolean> {
  const { context, refund } = work;
  const above = context.config.REFUND_APPROVAL_ABOVE;
  const asked = { above, demands, refund, kind, order: orderFor(work, address), now: context.clock.now() };
  const hold = await needsApproval(context.pool, asked);
  if (hold) await holdBack(work, hold);
  return hold === null;
}

/** Whether its money is of the asset that is paid, or can be converted now; the refund is held if not. */
async function isConvertible(work: Work): Promise<boolean> {
  const hold = await conversionHold(work);
  if (hold) await holdBack(work, hold);
  return hold === null;
}

/** A second look before a second payment is drafted: what was proven must still be so. Null when it is not. */
async function stateLapsed(
  work: Work,
  { evidenceKey }: Signer,
  attempt: SignedAttempt,
  { address }: Destination,
): Promise<Outcome | null> {
  const { line, refund } = work;
  const outcome = await line.sender.outcome(sentAttempt(work, attempt, [], address));
  if (isProvenLapsed(attempt.validity, outcome)) {
    const { hash } = attempt;
    const said = {
      intentId: refund.id,
      network: line.network,
      hash,
      outcome: 'lapsed',
      finalized: outcome.finalized,
    } as const;
    return makeOutcome(evidenceKey, line.environment, said);
  }
  if (outcome.kind === 'pruned') return rest(holdPruned(work, outcome.reason));
  // An endpoint that was away can be behind, and still have it among what waits: that is no end yet.
  const isEnd = outcome.kind === 'landed' || outcome.kind === 'reverted' || outcome.kind === 'unclear';
  return rest(holdBack(work, holdOf(isEnd ? 'unclear' : 'chain_unavailable')));
}

type Drafting = {
  readonly signer: Signer;
  readonly destination: Destination;
  readonly wallet: Wallet;
  readonly statement: Outcome | undefined;
};

async function draftTo(work: Work, { signer, destination, wallet, statement }: Drafting): Promise<Asked | null> {
  const order = orderFor(work, destination.address);
  let draft: Drafted;
  try {
    const unmined = await readUnmined(work);
    const options = { unmined, ...(wallet.nonce === null ? {} : { nonce: wallet.nonce }) };
    draft = await work.line.sender.draft(order, wallet.address, options);
  } catch (error) {
    if (!(error instanceof SendRefused)) throw error;
    return rest(refuse(work, error.message));
  }
  crashpoint('after-draft');
  if (!(await isOfNow(work)) || !(await orSignerHold(work, () => isWalletKnown(work, signer, wallet)))) return null;
  const asked = await askFor(work, { draft, destination: { ...destination, address: order.to }, lapsed: statement });
  if (asked === 'busy') return rest(restFor(work, BUSY_MILLISECONDS));
  if (asked === 'lost') return null;
  return 'code' in asked ? rest(holdBack(work, asked)) : asked;
}

/**
 * Whether the clock of this machine is not behind the chain; the refund is held if it is. A machine that was resumed from a snapshot of
 * its memory agrees with its database. So the endpoints are asked after the draft: one from before a snapshot is of an old block. A
 * local chain keeps a time of its own.
 */
async function isOfNow(work: Work): Promise<boolean> {
  const { context, line } = work;
  const newest = line.spec.chain === 'local' ? undefined : await line.sender.newestTime?.();
  if (newest === undefined || newest.time <= unixSeconds(context.clock.now()) + NEWEST_AHEAD_SECONDS) return true;
  line.walletCheck?.distrust();
  const message = `The refund waits: the newest block of ${newest.endpoint} is ahead of the clock of this machine. One of the two is wrong.`;
  await holdBack(work, { code: 'chain_unavailable', message });
  return false;
}

/**
 * The payment will never work as ordered, because of the recipient or the token, or the network never took it. It fails, so that the
 * merchant knows and can pay back otherwise; nothing of it can land. What can end by itself is a hold instead (SendHold).
 */
async function refuse(work: Work, reason: string): Promise<void> {
  // Nothing may fail that the signer has signed and we do not know of; a restored database knows of no question either.
  const known = await orSignerHold(work, () => adoptUnknown(work, null));
  if (known === 'adopted') await restFor(work, 0);
  if (known !== 'none') return;
  work.context.log.warn({ refundId: work.refund.id, reason }, 'a refund cannot be paid');
  await failRefund(work, { reason: asSentence(reason) });
}

const NEVER_TAKEN = `the network took none of ${MOST_SIGNED} transactions in time, and none of them can be taken any more. You can ask for the refund again`;

async function rest(resting: Promise<void>): Promise<null> {
  await resting;
  return null;
}
