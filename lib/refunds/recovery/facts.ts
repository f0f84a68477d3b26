// Compares what the journal and the database record about a refund: whether both mean the same payment. Pure.

import { networkSpec } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';
import type { DecimalsOf } from '@/lib/ledger/sources';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { sessionOfEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { JournalIntent } from '@/lib/signer/client';
import type { RefundStatus } from '@/prisma/generated/enums';
import { transferEvidence, transferReference, type ChainTransfer } from '@/lib/refunds/request/intent';

type Order = JournalIntent['order'];

/** The columns of a refund's row that recovery reads. */
export type KnownRefund = {
  readonly status: RefundStatus;
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly session_id: string;
  readonly case_id: string | null;
  /** The transfer that the refund sends back; null for a refund of what was paid. */
  readonly transfer: ChainTransfer | null;
  readonly destination: string | null;
  readonly signature_requested_at: Date | null;
};

/** The session of a refund that the database lacks. Amounts are in cents. */
export type RefundedSession = {
  readonly store_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly amount_due: string;
  readonly amount_refunded: string;
};

/** Whether an order sends back a payment that did not count; otherwise it refunds what a session was paid. */
export const isOfTransfer = ({ evidence }: Order): boolean => /^(transfer|case):/.test(evidence.session);

/**
 * Whether an order sends this transfer back. Earlier orders name a case instead of a transfer, and its number may mean a different case in
 * a restored database. They identify the transfer only if they went to its payer.
 */
export function isOrderOf({ evidence }: Order, transfer: ChainTransfer & { readonly network: string }): boolean {
  if (evidence.session === transferEvidence(transfer)) return true;
  return evidence.session.startsWith('case:') && evidence.reference === transferReference(transfer);
}

/** Decimals of the tokens of an environment. Throws an Error for a token that is not in the networks table. */
export const decimalsIn =
  (config: Pick<Config, 'TEST_CHAINS'>, environment: Environment): DecimalsOf =>
  ({ network, currency }) => {
    const token = networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency];
    if (!token) throw new Error(`${currency} on ${network} is not in the networks table`);
    return token.decimals;
  };

export const centsOf = (
  config: Pick<Config, 'TEST_CHAINS'>,
  { environment, network, currency, amount }: Order,
): bigint => baseUnitsToCents(BigInt(amount), decimalsIn(config, environment)({ network, currency }));

/** Why the attempts in the journal cannot belong to this refund; null when they can. */
export function contradiction(row: KnownRefund, { order, released }: JournalIntent, cents: bigint): string | null {
  const isSame =
    row.currency === order.currency &&
    row.network === order.network &&
    BigInt(row.amount) === cents &&
    (row.transfer === null
      ? row.session_id === sessionOfEvidence(order.evidence.session)
      : isOrderOf(order, { ...row.transfer, network: row.network }));
  if (!isSame) return 'the database has another refund of this name';
  if (row.signature_requested_at !== null && row.destination !== order.to)
    return 'in the database it goes to another address';
  const isEnded = row.status !== 'pending' && row.status !== 'processing';
  return isEnded && !(released && row.status === 'failed') ? `it is ${row.status} in the database` : null;
}

/** Why a refund of this session cannot be made again; null when it can. */
export function recreationObstacle(session: RefundedSession | null, cents: bigint): string | null {
  if (session === null) {
    return 'its session is unknown to this database: it was created after the backup, and the payment stands for itself';
  }
  if (session.status !== 'completed') {
    return 'its session is not paid in this database: let the worker catch up with the network and run this again';
  }
  const isTooMuch = BigInt(session.amount_refunded) + cents > BigInt(session.amount_due);
  return isTooMuch ? 'the refunds of its session would be more than it paid' : null;
}
