// Speaking with the signer while a refund is worked on: what the order is, and what it means when nobody answers.

import type { PaymentOrder } from '@/lib/networks/sending/send';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { RefundOrder } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { boundOf } from '@/lib/refunds/approval/bound';
import type { Destination } from '@/lib/refunds/rows';
import { holdBack, holdOf, orderFor, type Work } from '@/lib/refunds/payout/payout-context';

/** The answer, or null with the refund held back when the signer could not be asked. Whatever was asked may have been done. */
export async function orSignerHold<T>(work: Work, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    const hold = holdOf('signer_unavailable');
    // A watch-only list that is too short does not pass by itself, so the operator reads what to do.
    await holdBack(work, error.fault === 'exhausted' ? { ...hold, message: `${error.message}.` } : hold);
    return null;
  }
}

/** What the signer is asked to pay, with what vouches for it. */
export async function signerOrder(
  work: Work,
  { kind, reference, address }: Destination,
  evidenceKey: Uint8Array,
): Promise<RefundOrder> {
  const { line, refund } = work;
  const order: PaymentOrder = orderFor(work, address);
  const evidence = makeEvidence(evidenceKey, line.environment, {
    kind,
    ...(await boundOf(work, evidenceKey)),
    network: line.network,
    address: order.to,
    reference,
  });
  return {
    intentId: refund.id,
    environment: line.environment,
    network: line.network,
    currency: order.currency as RefundOrder['currency'],
    contract: order.contract,
    to: order.to,
    amount: String(order.amount),
    evidence,
  };
}
