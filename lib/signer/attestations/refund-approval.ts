// What two operators approve before a large refund is paid, as one digest: the refund, network, token, destination, the
// kind of destination, and the amount. Each operator signs the digest with a passkey. The signer verifies both
// signatures against a digest that it computes from the order itself. Pure.

import { z } from 'zod';
import { sha256 } from '@/lib/platform/crypto';
import { canonicalJson } from '@/lib/platform/json/json-text';

/** `contract`, `to` and `amount` (base units) are those of the payment itself. */
export type ApprovedPayment = {
  readonly refund: string;
  readonly environment: string;
  readonly network: string;
  readonly currency: string;
  readonly contract: string;
  readonly to: string;
  /** Whether the address is the proven payer's, one that the customer gave, or the store's own. */
  readonly kind: 'payer' | 'claim' | 'payout' | 'cold';
  readonly amount: bigint;
};

const base64url = (characters: number) =>
  z
    .string()
    .max(characters)
    .regex(/^[\w-]+$/);

/**
 * An operator's passkey signature of a payment: the parts of a WebAuthn assertion that verify it. `id` is the credential
 * id. The bounds fit the longest credential id and RSA signatures.
 */
export const signedApproval = z.strictObject({
  id: base64url(1364),
  clientDataJSON: base64url(1400),
  authenticatorData: base64url(400),
  signature: base64url(700),
});
export type SignedApproval = z.output<typeof signedApproval>;

/** SHA-256 of all facts of the payment. */
export const paymentDigest = (payment: ApprovedPayment): Buffer => sha256(canonicalJson(paymentFacts(payment)));

/** The same facts in readable form. */
export const paymentFacts = ({
  refund,
  environment,
  network,
  currency,
  contract,
  to,
  kind,
  amount,
}: ApprovedPayment) => ({
  refund,
  environment,
  network,
  currency,
  contract,
  to,
  kind,
  amount: amount.toString(),
});

/** The WebAuthn challenge that approves a payment. The prefix separates it from every other use of a passkey. */
export const approvalChallenge = (digest: Uint8Array): Buffer =>
  sha256(Buffer.concat([Buffer.from('stabletill refund approval 1\n'), digest]));
