// What two operators agree to when they let a large refund go: this refund, on this network, in this token, to this address
// for this reason, this amount, as one digest. Pure. Should any of it change, nobody has agreed to it.

import { sha256 } from '@/lib/crypto';
import { canonicalJson } from '@/lib/json-text';

/** `contract`, `to` and `amount` (base units) as the payment itself has them. */
export type Payout = {
  readonly refund: string;
  readonly environment: string;
  readonly network: string;
  readonly currency: string;
  readonly contract: string;
  readonly to: string;
  /** Whose address it is: of the proven payer, or one that somebody gave by a link. */
  readonly kind: 'payer' | 'claim';
  readonly amount: bigint;
};

/** SHA-256 of all of it. */
export const payoutDigest = (payout: Payout): Buffer => sha256(canonicalJson(payoutFacts(payout)));

/** The same for people to read. */
export const payoutFacts = ({ refund, environment, network, currency, contract, to, kind, amount }: Payout) => ({
  refund,
  environment,
  network,
  currency,
  contract,
  to,
  kind,
  amount: amount.toString(),
});
