// A refund in the API's form, as JSON text: its metadata is exactly the stored text, because parsing it could change its numbers. Fields of
// a terminal state or a hold are omitted until then.

import { NETWORKS } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import { unixSeconds } from '@/lib/platform/clock';
import { openSecret, type MasterKeys } from '@/lib/platform/crypto';
import type { RefundStatus } from '@/prisma/generated/enums';
import type { HoldCode } from './holds';

/** What the API shows of a refund. */
export type RefundFacts = {
  /** The service's own id (lib/refunds/request/intent). */
  readonly id: string;
  /** The merchant's id. */
  readonly refundId: string;
  readonly sessionId: string;
  readonly orderId: string;
  /** In cents. */
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  readonly status: RefundStatus;
  readonly reason: string | null;
  readonly description: string | null;
  /** JSON text, as the merchant sent it. */
  readonly metadata: string | null;
  readonly createdAt: Date;
  readonly processedAt: Date | null;
  readonly destination: string | null;
  readonly hold: string | null;
  readonly holdMessage: string | null;
  /** When the hold ends, where that is known. */
  readonly holdUntil: Date | null;
  /** The link's token, sealed; null until a link is made. */
  readonly claimCiphertext: Buffer | null;
  readonly failureReason: string | null;
  readonly transactionHash: string | null;
  readonly receiptNumber: string | null;
  /** Cents of network cost that the store was charged; null until the end, and where the operator pays it. */
  readonly costCharged: bigint | null;
};

/** The base of links, and the keys that open their sealed tokens. */
export type ViewSettings = { readonly PUBLIC_URL: string; readonly MASTER_KEYS: MasterKeys };

/** `showsClaimLink`: the link decides where the money goes, so only a caller who may change refunds sees it. */
export type Viewer = { readonly showsClaimLink: boolean };

/** The purpose under which a claim link's token is sealed: its own refund, so that it opens in no other row. */
export const claimPurpose = (intentId: string): string => `claim:${intentId}`;

/** The response to a create as JSON text: the fields that the API lists for it, and no others. */
export const createdRefundText = (refund: RefundFacts): string => withMetadata(requestedFields(refund), refund);

/** The Refund object as JSON text. */
export const refundText = (refund: RefundFacts, settings: ViewSettings, viewer: Viewer): string =>
  withMetadata({ ...requestedFields(refund), ...outcomeFields(refund, settings, viewer) }, refund);

/** Inserts the stored metadata text unchanged: parsing it could change its numbers. */
function withMetadata(fields: Record<string, unknown>, { metadata }: RefundFacts): string {
  const known = JSON.stringify(withoutNull(fields));
  return metadata === null ? known : `${known.slice(0, -1)},"metadata":${metadata}}`;
}

const requestedFields = (refund: RefundFacts): Record<string, unknown> => ({
  refund_id: refund.refundId,
  session_id: refund.sessionId,
  order_id: refund.orderId,
  amount: Number(refund.amount),
  currency: refund.currency,
  status: refund.status,
  reason: refund.reason,
  description: refund.description,
  created_at: unixSeconds(refund.createdAt),
});

function outcomeFields(refund: RefundFacts, settings: ViewSettings, viewer: Viewer): Record<string, unknown> {
  const { status, receiptNumber } = refund;
  const isCompleted = status === 'completed';
  return {
    failure_reason: status === 'failed' ? refund.failureReason : null,
    transaction_hash: isCompleted ? refund.transactionHash : null,
    receipt_number: isCompleted ? receiptNumber : null,
    receipt_url: isCompleted ? `${settings.PUBLIC_URL}/receipt/${receiptNumber}` : null,
    // A canceled refund was never processed.
    processed_at: isCompleted || status === 'failed' ? refund.processedAt && unixSeconds(refund.processedAt) : null,
    network_cost: refund.costCharged === null ? null : Number(refund.costCharged),
    network: refund.network,
    destination: refund.destination && inDisplayForm(refund.network, refund.destination),
    hold: status === 'processing' && refund.hold !== null ? hold(refund, settings, viewer) : null,
  };
}

/** A network name has one address format, on all of its chains. */
function inDisplayForm(network: string, address: string): string {
  const spec = NETWORKS.find((one) => one.network === network);
  return spec ? displayAddress(spec.family, address) : address;
}

const FOR_THE_CUSTOMER: HoldCode = 'destination_needed';

function hold(
  refund: RefundFacts,
  { PUBLIC_URL, MASTER_KEYS }: ViewSettings,
  { showsClaimLink }: Viewer,
): Record<string, unknown> {
  const { id, claimCiphertext: sealed, destination } = refund;
  // Show no link that was used or that is not needed now.
  const isNeeded = sealed !== null && destination === null && refund.hold === FOR_THE_CUSTOMER;
  const url =
    isNeeded && showsClaimLink ? `${PUBLIC_URL}/claim/${openSecret(MASTER_KEYS, sealed, claimPurpose(id))}` : null;
  const until = refund.holdUntil && unixSeconds(refund.holdUntil);
  return withoutNull({ reason: refund.hold, message: refund.holdMessage, until, claim_url: url });
}

const withoutNull = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
