// Has a draft signed and stores what was signed before anybody else may see it. The same draft is asked for until it is known
// whether it was signed; only the signer's own list of what it made is proof that it was not.

import { crashpoint } from '@/lib/platform/crash-point';
import { Refusal, type RefusalCode, type Signed } from '@/lib/signer/client';
import type { SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { noteRefused, readSignatures, type Approved } from '@/lib/refunds/approval/approval';
import { keepRefund, whileMine } from '@/lib/refunds/payout/lease';
import { isProven } from '@/lib/refunds/destination/proof';
import type { HoldCode } from '@/lib/refunds/holds';
import type { Destination, UnsignedAttempt } from '@/lib/refunds/rows';
import {
  holdBack,
  holdOf,
  orderFor,
  restFor,
  type PayoutContext,
  type Work,
} from '@/lib/refunds/payout/payout-context';
import { adoptUnknown, refuseAttempt, storeSigned } from './adopt';
import { orSignerHold, signerOrder } from './call';

/** The signer has it from elsewhere that another was signed meanwhile: drafted again at once. */
const NONCE_MILLISECONDS = 100;

/** What a refusal shows. `nonce` shows nothing: the next draft has the right one. */
const HOLDS: Readonly<Record<RefusalCode, HoldCode | null>> = {
  frozen: 'frozen',
  limit: 'limit',
  approval: 'approval_needed',
  evidence: 'evidence',
  not_allowed: 'not_allowed',
  draft: 'not_allowed',
  conflict: 'not_allowed',
  released: 'not_allowed',
  nonce: null,
  used: 'not_allowed',
};

/**
 * Asks the signer for an attempt. `isFirst`: this very worker has just claimed the refund's first signature, so nobody else
 * can have asked for it. True when it is known by now what became of it and the refund goes on; false when it rests.
 */
export async function signAttempt(work: Work, attempt: UnsignedAttempt, isFirst: boolean): Promise<boolean> {
  const { line, refund, context } = work;
  const { signer } = line;
  if (!signer || !refund.destination) {
    await holdBack(work, holdOf('signer_unavailable'));
    return false;
  }
  const { destination } = refund;
  const proven = await orSignerHold(work, () => isProven(work));
  if (proven === null) return false;
  if (!proven) return endForged(work, attempt);
  const order = await signerOrder(work, destination, signer.evidenceKey);
  const approvals = await readSignatures(context.pool, approvedOf(work, destination));
  if (!(await keepRefund(context, refund, line.pace.lease))) return false;
  const asked = await orSignerHold(work, () =>
    sign(signer, { order, draft: attempt.draft, lapsed: attempt.lapsed, approvals }),
  );
  if (!asked) return false;
  if (asked instanceof Refusal) return refused(work, attempt, { refusal: asked, isFirst });
  crashpoint('after-signed');
  const isStored = await whileMine(context.pool, refund, (tx) =>
    storeSigned(tx, attempt.id, asked, context.clock.now()),
  );
  crashpoint('after-stored');
  return isStored !== null;
}

type Asked = Parameters<NonNullable<PayoutContext['signer']>['calls']['sign']>[0];
type Given = Pick<Asked, 'order' | 'draft'> & {
  readonly lapsed: Asked['lapsed'] | null;
  readonly approvals: readonly SignedApproval[];
};

async function sign(
  { calls }: NonNullable<PayoutContext['signer']>,
  { order, draft, lapsed, approvals }: Given,
): Promise<Signed | Refusal> {
  try {
    return await calls.sign({
      order,
      draft,
      ...(lapsed ? { lapsed } : {}),
      ...(approvals.length > 0 ? { approvals: [...approvals] } : {}),
    });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function refused(
  work: Work,
  attempt: UnsignedAttempt,
  { refusal, isFirst }: { refusal: Refusal; isFirst: boolean },
): Promise<boolean> {
  const { context, refund, line } = work;
  const about = { refundId: refund.id, attempt: attempt.number, network: line.network, code: refusal.code };
  context.log.warn(about, `the signer refused a payment: ${refusal.message}`);
  const known = await orSignerHold(work, () => adoptUnknown(work, attempt));
  if (known === null || known === 'held') return false;
  if (known === 'adopted') return true;
  await whileMine(context.pool, refund, async (tx) => {
    const now = context.clock.now();
    await refuseAttempt(tx, { attempt, isFirst, now, outcome: `${refusal.code}: ${refusal.message}` });
    if (refusal.code === 'approval' && refund.destination)
      await noteRefused(tx, approvedOf(work, refund.destination), { trouble: refusal.message, now });
  });
  // An old draft that nobody answered about ages out; a new one is no different otherwise.
  const isOld = context.clock.now().getTime() - attempt.draftedAt.getTime() >= line.pace.lease;
  const hold = refusal.code === 'draft' && isOld ? null : HOLDS[refusal.code];
  await (hold === null ? restFor(work, NONCE_MILLISECONDS) : holdBack(work, holdOf(hold)));
  return false;
}

/**
 * Ends a draft to a destination that the worker did not settle on, and that the signer has not signed: the database was changed
 * behind the worker's back, or the draft is of a former version. The next draft goes where the worker finds that it belongs.
 */
async function endForged(work: Work, attempt: UnsignedAttempt): Promise<boolean> {
  const { context, refund } = work;
  const about = { refundId: refund.id, attempt: attempt.number, destination: refund.destination?.address };
  context.log.error(about, 'a draft was dropped: the worker did not settle on its destination');
  const outcome = 'dropped: the worker did not settle on this destination';
  const now = context.clock.now();
  await whileMine(context.pool, refund, (tx) => refuseAttempt(tx, { attempt, isFirst: false, now, outcome }));
  return true;
}

const approvedOf = (work: Work, { kind, address }: Destination): Approved => ({
  refund: work.refund,
  kind,
  order: orderFor(work, address),
});
