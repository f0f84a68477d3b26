// Decides which new payments need the passkey signatures of two operators. They are those that raise their session's
// refunds above SIGNER_APPROVAL_ABOVE, those above the claim limit per refund to an address that only a claim link
// or the payment page attests, and payouts above SIGNER_PAYOUT_APPROVAL_ABOVE. Pure.

import type { Environment } from '@/lib/platform/ids';
import { assetEvidence, sessionOfEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { Approvals } from './approvals';
import type { JournalIndex } from '@/lib/signer/journal/journal-index';
import type { Allowed, Policy } from '@/lib/signer/policy';
import { Refusal } from '@/lib/signer/refusal';

const PEOPLE = 2;

/** Whether two different people approved the order. */
export const isApproved = ({ people }: Approvals): boolean => people.size >= PEOPLE;

/**
 * Whether passkey signatures and the claim limits apply. They always apply to real money. They apply to the test
 * environment once it has approvers, so that a sandbox works without passkeys.
 */
export const isGuarded = ({ approvals }: Pick<Policy, 'approvals'>, environment: Environment): boolean =>
  environment === 'live' || approvals !== null;

/** Throws a Refusal of code `approval` when a new payment needs two signatures and lacks them. */
export function checkApproved(
  index: JournalIndex,
  policy: Policy,
  { order, cents }: Allowed,
  approvals: Approvals,
): void {
  const { environment, evidence } = order;
  // Cold transfers go to the operator's own wallet.
  if (evidence.kind === 'cold' || !isGuarded(policy, environment) || isApproved(approvals)) return;
  const what = sizeOf(index, policy, { order, cents });
  if (what === null) return;
  const why = approvals.problem ?? `${approvals.people.size} of ${PEOPLE} signatures came with it`;
  throw new Refusal('approval', `${what} needs the passkey signatures of two operators; ${why}`);
}

/** What makes a payment large; null if it is not. */
function sizeOf(
  index: JournalIndex,
  policy: Policy,
  { order, cents }: Pick<Allowed, 'order' | 'cents'>,
): string | null {
  const { environment, evidence, intentId } = order;
  // The address of a payout had its delay, and each payout counts alone: the limits for an hour and a day bound many small ones.
  if (evidence.kind === 'payout') return cents > policy.payoutApprovalAbove ? 'a payout of this size' : null;
  const others = namesOf(policy, order).map((one) => index.refundedOf(environment, one, intentId));
  const total = others.reduce((sum, one) => sum + one, cents);
  if (total > policy.approvalAbove) return 'a refund of this size';
  const isLargeClaim = evidence.kind === 'claim' && cents > policy.claimLimits.perRefund;
  return isLargeClaim ? 'a refund of this size to an address that the customer gave' : null;
}

/** All evidence names under which the refunds of the order's session are summed. */
function namesOf({ chains }: Policy, { evidence }: Allowed['order']): readonly string[] {
  const session = sessionOfEvidence(evidence.session);
  const assets = chains.flatMap(({ network, tokens }) =>
    Object.keys(tokens).map((currency) => assetEvidence(session, { network, currency })),
  );
  return [...new Set([session, ...assets])];
}
