// Whether the stored destination of a refund may be sent to the signer. The web process can write the row, so the row alone proves nothing.

import type { Work } from '@/lib/refunds/sending/sending-context';
import { isSettled } from '@/lib/refunds/sending/worker-macs';

/**
 * True when the worker's MAC over the destination is valid, or when the signer has signed this refund before: then the signer has its
 * order and signs no other. Refunds of earlier versions and recovered refunds have no MAC. Throws AddressSourceError.
 */
export async function isProven({ sending, payment }: Work): Promise<boolean> {
  if (!sending.signer || !payment.destination) return false;
  if (isSettled(sending.signer.evidenceKey, payment)) return true;
  return (await sending.signer.calls.attempts(payment.id)).length > 0;
}
