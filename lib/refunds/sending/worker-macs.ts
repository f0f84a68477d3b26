// Records that the worker signs under EVIDENCE_KEY, which the web process does not have: the destination that it chose before the signature
// request, and the end of the delay for an address from a customer. A row without a valid MAC is ignored. Pure.

import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Destination, LeasedRefund } from '@/lib/refunds/rows';

type Refund = Pick<LeasedRefund, 'id' | 'environment' | 'network' | 'currency' | 'amount'>;

export const destinationMac = (key: Uint8Array, refund: Refund, { address, kind, reference }: Destination): Buffer =>
  macOf(key, ['stabletill destination 1', ...payment(refund), address, kind, reference]);

/** Whether the worker chose the refund's stored destination, for its present amount. */
export const isSettled = (key: Uint8Array, refund: LeasedRefund): boolean =>
  refund.destination !== null &&
  refund.destinationMac !== null &&
  sameBytes(destinationMac(key, refund, refund.destination), refund.destinationMac);

/** `address`: in the form that the payment order has. */
export const noticeMac = (key: Uint8Array, refund: Refund, address: string, payAfter: Date): Buffer =>
  macOf(key, ['stabletill address notice 1', ...payment(refund), address, payAfter.toISOString()]);

const payment = ({ id, environment, network, currency, amount }: Refund): readonly string[] => [
  id,
  environment,
  network,
  currency,
  String(amount),
];
