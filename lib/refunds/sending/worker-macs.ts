// Records that the worker signs under EVIDENCE_KEY, which the web process does not have: the destination that it chose before the signature
// request, and the end of the delay for an address from a customer. A row without a valid MAC is ignored. Pure.

import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Destination, LeasedPayment } from '@/lib/refunds/rows';

type Payment = Pick<LeasedPayment, 'id' | 'environment' | 'network' | 'currency' | 'amount'>;

export const destinationMac = (key: Uint8Array, payment: Payment, { address, kind, reference }: Destination): Buffer =>
  macOf(key, ['stabletill destination 1', ...factsOf(payment), address, kind, reference]);

/** Whether the worker chose the payment's stored destination, for its present amount. */
export const isSettled = (key: Uint8Array, payment: LeasedPayment): boolean =>
  payment.destination !== null &&
  payment.destinationMac !== null &&
  sameBytes(destinationMac(key, payment, payment.destination), payment.destinationMac);

/** `address`: in the form that the payment order has. */
export const noticeMac = (key: Uint8Array, payment: Payment, address: string, payAfter: Date): Buffer =>
  macOf(key, ['stabletill address notice 1', ...factsOf(payment), address, payAfter.toISOString()]);

const factsOf = ({ id, environment, network, currency, amount }: Payment): readonly string[] => [
  id,
  environment,
  network,
  currency,
  String(amount),
];
