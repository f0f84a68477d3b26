// Calls to the signer while a payment is processed: the order that it receives, and what happens when it does not respond.

import type { MacKeys } from '@/lib/platform/crypto';
import type { PaymentOrder } from '@/lib/networks/sending/send';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { RefundOrder } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import type { Destination } from '@/lib/refunds/rows';
import { putOnHold, holdOf, orderFor, type Work } from '@/lib/refunds/sending/sending-context';

/** The response of a signer call. Null, with the payment on hold, when the signer was unreachable; it may have executed the call even so. */
export async function callOrHold<T>(work: Work, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    const hold = holdOf('signer_unavailable');
    // A watch-only list that is too short does not resolve itself, so the operator reads what to do.
    await putOnHold(work, error.fault === 'exhausted' ? { ...hold, message: `${error.message}.` } : hold);
    return null;
  }
}

/** The order for the signer, with the evidence that attests it. */
export async function signerOrder(
  work: Work,
  { kind, reference, address }: Destination,
  evidenceKey: MacKeys,
): Promise<RefundOrder> {
  const { sending, payment } = work;
  const order: PaymentOrder = orderFor(work, address);
  const evidence = makeEvidence(evidenceKey, sending.environment, {
    kind,
    ...(await work.rules.boundOf(work, evidenceKey)),
    network: sending.network,
    address: order.to,
    reference,
  });
  return {
    intentId: payment.id,
    environment: sending.environment,
    network: sending.network,
    currency: order.currency as RefundOrder['currency'],
    contract: order.contract,
    to: order.to,
    amount: String(order.amount),
    evidence,
  };
}
