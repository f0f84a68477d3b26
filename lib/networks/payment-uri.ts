// Payment requests for wallets: the payment URI of the network's family, and the block explorer links. The main QR code
// holds the bare address; the URI is the "open in wallet" alternative.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type { NetworkFamily } from './chain';
import { FAMILIES } from './families/family';
import type { NetworkSpec } from './networks';

export type PaymentRequest = {
  readonly spec: NetworkSpec;
  readonly currency: string;
  /** The deposit address, as stored in the database. */
  readonly recipient: string;
  /** Base units of the token, greater than zero. */
  readonly amount: bigint;
  /** Solana Pay only: a key that marks the session's transaction, and the payee's label. Payments without them count too. */
  readonly solanaPay?: { readonly reference: string; readonly label: string };
};

/** The payment URI. Throws for a currency that the network does not support. */
export function paymentUri(payment: PaymentRequest): string {
  const token = payment.spec.tokens[payment.currency];
  if (!token) throw new RangeError(`${payment.spec.network} has no ${payment.currency}`);
  const { spec, recipient, amount, solanaPay } = payment;
  const solanaPayQuery = solanaPay ? `&reference=${solanaPay.reference}&label=${encoded(solanaPay.label)}` : '';
  const wholeAmount = wholeTokens(amount, token.decimals);
  return FAMILIES[spec.family].paymentUri({ spec, token, recipient, amount, wholeAmount, solanaPayQuery });
}

/** The address as wallets expect it: with its checksum if the family has one. */
export const displayAddress = (family: NetworkFamily, address: string): string =>
  FAMILIES[family].shownAddress(address);

/** The page of a transaction in the network's explorer, or null where there is none. */
export const explorerUrl = (spec: NetworkSpec, transactionHash: string): string | null =>
  spec.explorer?.replace('{hash}', encodeURIComponent(transactionHash)) ?? null;

/** Longer labels make the QR code harder to scan. */
const LONGEST_LABEL = 40;

/**
 * Cut between whole characters: half of a surrogate pair cannot be encoded. Spaces become %20, since wallets read a plus sign as one.
 */
const encoded = (text: string): string =>
  encodeURIComponent(
    [...text]
      .slice(0, LONGEST_LABEL)
      .join('')
      .replaceAll(/\p{Cs}/gu, ''),
  );

/**
 * The key that marks a session's transactions. It is derived from the session, so it is stable; its secret key does not exist
 * anywhere.
 */
export const solanaReference = (sessionId: string): string =>
  base58.encode(createHash('sha256').update(`solana pay reference of ${sessionId}`).digest());

/** Base units as a plain decimal number of whole tokens, without trailing zeros. */
export function wholeTokens(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return digits.slice(0, digits.length - decimals) + (fraction ? `.${fraction}` : '');
}
