// Records that the worker signs under EVIDENCE_KEY, which the web process does not have: the destination that it chose before the signature
// request, and the end of the delay for an address from a customer. A row without a valid MAC is ignored. Pure.

import { isMac, makeMac, type MacKeys } from '@/lib/platform/crypto';
import type { Destination, LeasedPayment } from '@/lib/refunds/rows';

type Payment = Pick<LeasedPayment, 'id' | 'environment' | 'network' | 'currency' | 'amount'>;
type SettledPayment = Payment & Pick<LeasedPayment, 'destination' | 'destinationMac'>;
/** `address`: in the form that the payment order has. */
type AddressNotice = { readonly address: string; readonly payAfter: Date };

export const destinationMac = (keys: MacKeys, payment: Payment, destination: Destination): Buffer =>
  makeMac(keys, destinationParts(payment, destination));

/** Whether the worker chose the payment's stored destination, for its present amount. */
export const isSettled = (keys: MacKeys, payment: SettledPayment): boolean =>
  payment.destination !== null &&
  payment.destinationMac !== null &&
  isMac(keys, destinationParts(payment, payment.destination), payment.destinationMac);

export const noticeMac = (keys: MacKeys, payment: Payment, notice: AddressNotice): Buffer =>
  makeMac(keys, noticeParts(payment, notice));

/** Whether the worker started the delay of this address for this payment. */
export const isNotice = (keys: MacKeys, payment: Payment, notice: AddressNotice, mac: Uint8Array): boolean =>
  isMac(keys, noticeParts(payment, notice), mac);

const destinationParts = (payment: Payment, { address, kind, reference }: Destination): readonly string[] => [
  'stabletill destination 1',
  ...factsOf(payment),
  address,
  kind,
  reference,
];

const noticeParts = (payment: Payment, { address, payAfter }: AddressNotice): readonly string[] => [
  'stabletill address notice 1',
  ...factsOf(payment),
  address,
  payAfter.toISOString(),
];

const factsOf = ({ id, environment, network, currency, amount }: Payment): readonly string[] => [
  id,
  environment,
  network,
  currency,
  String(amount),
];
