// Whether the stored destination of a refund may be sent to the signer. The web process can write the row, so the row alone proves nothing.

import type { Destination } from '@/lib/refunds/rows';
import type { Work } from '@/lib/refunds/sending/sending-context';
import { isSettled } from '@/lib/refunds/sending/worker-macs';

/**
 * True when the worker's MAC over the destination is valid, or when the signer has signed this refund before: then the signer has its
 * order and signs no other. Refunds of earlier versions and recovered refunds have no MAC. Throws AddressSourceError.
 */
export async function isProven({ sending, refund }: Work): Promise<boolean> {
  if (!sending.signer || !refund.destination) return false;
  if (isSettled(sending.signer.evidenceKey, refund)) return true;
  return (await sending.signer.calls.attempts(refund.id)).length > 0;
}

/** The stored destination when it is proven; null otherwise. Throws AddressSourceError. */
export const provenDestination = async (work: Work): Promise<Destination | null> =>
  (await isProven(work)) ? work.refund.destination : null;
