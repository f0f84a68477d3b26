// Decides which new payments need the passkey signatures of two operators. They are those that raise their session's
// refunds above SIGNER_APPROVAL_ABOVE, and those above the claim limit per refund to an address that only a claim link
// or the payment page attests. Pure.

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
  const { environment, evidence, intentId } = order;
  // Payouts have limits of their own, and their address had its delay. Cold transfers go to the operator's own wallet.
  if (
    evidence.kind === 'payout' ||
    evidence.kind === 'cold' ||
    !isGuarded(policy, environment) ||
    isApproved(approvals)
  )
    return;
  const others = namesOf(policy, order).map((one) => index.refundedOf(environment, one, intentId));
  const total = others.reduce((sum, one) => sum + one, cents);
  const isLarge = total > policy.approvalAbove;
  const isLargeClaim = evidence.kind === 'claim' && cents > policy.claimLimits.perRefund;
  if (!isLarge && !isLargeClaim) return;
  const what = isLarge ? 'a refund of this size' : 'a refund of this size to an address that the customer gave';
  const why = approvals.problem ?? `${approvals.people.size} of ${PEOPLE} signatures came with it`;
  throw new Refusal('approval', `${what} needs the passkey signatures of two operators; ${why}`);
}

/** All evidence names under which the refunds of the order's session are summed. */
function namesOf({ chains }: Policy, { evidence }: Allowed['order']): readonly string[] {
  const session = sessionOfEvidence(evidence.session);
  const assets = chains.flatMap(({ network, tokens }) =>
    Object.keys(tokens).map((currency) => assetEvidence(session, { network, currency })),
  );
  return [...new Set([session, ...assets])];
}
