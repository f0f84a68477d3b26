// Compares settings of the worker with those of the signer: the signer must sign what two operators approve.

import type { Config } from '@/lib/platform/config/config';
import type { SignerState } from '@/lib/signer/client';

/** The largest amount of a session in cents. No refund is above it, so this value turns approvals off. */
const APPROVALS_OFF = 10n ** 15n;

/** The contradiction in one sentence, or null. */
export function settingsContradiction(
  { REFUND_APPROVAL_ABOVE, PAYOUT_APPROVAL_ABOVE }: Pick<Config, 'REFUND_APPROVAL_ABOVE' | 'PAYOUT_APPROVAL_ABOVE'>,
  { limits }: Pick<SignerState, 'limits'>,
): string | null {
  const { payoutApprovalAbove: payouts } = limits;
  if (payouts !== undefined && BigInt(PAYOUT_APPROVAL_ABOVE) > BigInt(payouts)) {
    return (
      `PAYOUT_APPROVAL_ABOVE (${PAYOUT_APPROVAL_ABOVE}) must not be above the signer's SIGNER_PAYOUT_APPROVAL_ABOVE (${payouts}): ` +
      'the signer would refuse payouts that no operator was asked to approve. Set both to the same amount.'
    );
  }
  const above = BigInt(REFUND_APPROVAL_ABOVE);
  if (above > BigInt(limits.approvalAbove)) {
    return (
      `REFUND_APPROVAL_ABOVE (${above}) must not be above the signer's SIGNER_APPROVAL_ABOVE (${limits.approvalAbove}): ` +
      'the signer would refuse refunds that no operator was asked to approve. Set both to the same amount.'
    );
  }
  // A limit of 0 means that the signer pays nothing, so there is no contradiction.
  if (above >= APPROVALS_OFF || BigInt(limits.perRefund) === 0n || above < BigInt(limits.perRefund)) return null;
  return (
    `REFUND_APPROVAL_ABOVE (${above}) must be below the signer's SIGNER_CENTS_PER_REFUND (${limits.perRefund}): ` +
    'the signer would refuse every refund that two operators approve.'
  );
}
