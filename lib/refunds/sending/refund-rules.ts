// The rules of refunds: they go back to their payers, are backed by what the session was paid, may need operators' approval and a
// conversion, and their events tell the merchant.

import type { Tx } from '@/lib/platform/database/db';
import { postPaidRefund } from '@/lib/ledger/post-refund';
import {
  demandsOf,
  needsApproval,
  readSignatures,
  recordRefused,
  type Approved,
} from '@/lib/refunds/approval/approval';
import { isBacked, isWithinProven } from '@/lib/refunds/approval/backing';
import { boundOf } from '@/lib/refunds/approval/bound';
import {
  isBackedByStore,
  isStillBackedByStore,
  lockStorePayments,
  wasPaidOut,
} from '@/lib/refunds/approval/store-backing';
import { isDelayOver } from '@/lib/refunds/customer-address/notice';
import { isProven } from '@/lib/refunds/destination/proof';
import { conversionHold, convertRefund, notOfferedHold, unreservedHold } from '@/lib/refunds/request/convert';
import { reserveCost, settleCost } from '@/lib/refunds/request/costs';
import { releaseAmounts } from '@/lib/refunds/request/release-amounts';
import type { Destination, LeasedRefund } from '@/lib/refunds/rows';
import type { RefundEventType, RefundFacts } from '@/lib/webhooks/events/events';
import { recordRefundEvent } from '@/lib/webhooks/events/record';
import { checkRentLimit } from './draft/rent-limit';
import { remainingHold } from './remaining-hold';
import { holdOf, orderFor, putOnHold, type PaymentRules, type RefundWork } from './sending-context';
import { callOrHold } from './sign/call';

export const REFUND_RULES: PaymentRules<LeasedRefund> = {
  remainingHold,
  chooseDestination,
  async isApproved(work, destination, state) {
    const { context, payment } = work;
    const above = context.config.REFUND_APPROVAL_ABOVE;
    const demands = demandsOf(state, payment.environment);
    const approved = { ...approvedOf(work, destination), refund: payment };
    const requested = { above, demands, ...approved, now: context.clock.now() };
    const hold = await needsApproval(context.pool, requested);
    if (hold) await putOnHold(work, hold);
    return hold === null;
  },
  isProven,
  // The screening of its session's payers holds it.
  isMoneyFrozen: async () => false,
  async isBacked(work, key) {
    if (!(await isBacked(work, key))) return false;
    return !(await wasPaidOut(work.context.pool, work.payment)) || isBackedByStore(work, key);
  },
  // Tokens that are not offered never back a refund in another token, and a store that was paid out has nothing left to refund from. The
  // merchant has to change that; no evidence is missing.
  unbackedHold: async (work) =>
    (await notOfferedHold(work)) ??
    ((await isProvenOfPaidOut(work)) ? await unreservedHold(work) : null) ??
    holdOf('evidence'),
  async isConvertible(work) {
    const hold = await conversionHold(work);
    if (hold) await putOnHold(work, hold);
    return hold === null;
  },
  /** The network cost of a first draft, and the conversion. */
  async reserve(tx, work, { draft, destination }) {
    if (!(await isWithinProven(tx, work, destination))) return holdOf('evidence');
    // What was paid out cannot be refunded again.
    await lockStorePayments(tx, work.payment);
    if ((await wasPaidOut(tx, work.payment)) && !(await isStillBackedByStore(tx, work))) return holdOf('evidence');
    const payee = { to: destination.address, currency: work.payment.currency };
    const rentHold = await checkRentLimit(tx, work, { ...payee, opens: draft.rent !== undefined });
    const hold = rentHold ?? (await reserveCost(tx, work, draft));
    if (hold === null) await convertRefund(tx, work);
    return hold;
  },
  boundOf,
  signatures: (work, destination) => readSignatures(work.context.pool, approvedOf(work, destination)),
  recordRefused: (tx, work, destination, refusal) => recordRefused(tx, approvedOf(work, destination), refusal),
  async complete(tx, work, { hash, fee, now }) {
    const { payment } = work;
    const { currency, amount } = orderFor(work, payment.destination?.address ?? '');
    const { id: intentId, environment, storeId, sessionId, network } = payment;
    const paid = { network, currency, amount };
    // First, because it locks the store's balance, which all postings lock before the reserve (migration ledger_order).
    if (payment.costBearer === 'store') await settleCost(tx, payment, fee);
    await postPaidRefund(tx, { intentId, storeId, environment, sessionId, paid });
    await recordEvent(tx, work, 'refund.succeeded', { transactionHash: hash, failureReason: null }, now);
  },
  async fail(tx, work, { reason, fee, now }) {
    await releaseAmounts(tx, { ...work.payment, fee });
    await recordEvent(tx, work, 'refund.failed', { transactionHash: null, failureReason: reason }, now);
  },
};

/**
 * Before the signature request, the customer's latest choice counts. Afterwards the address in the request counts. A stored destination
 * that is not proven is ignored: the web process may have written it.
 */
async function chooseDestination(work: RefundWork, wallet: string): Promise<Destination | null> {
  const { context, sending, payment } = work;
  if (payment.signatureRequestedAt !== null && payment.destination) {
    const proven = await callOrHold(work, () => isProven(work));
    if (proven === null) return null;
    if (proven) return payment.destination;
  }
  const found = await sending.findDestination(context, { ...sending, wallet }, payment);
  if ('hold' in found) {
    await putOnHold(work, { code: found.hold, message: found.message });
    return null;
  }
  return (await isDelayOver(work, found.destination)) ? found.destination : null;
}

/** Whether the refund's own session covers it, and the store was paid out. */
async function isProvenOfPaidOut(work: RefundWork): Promise<boolean> {
  const { context, sending, payment } = work;
  if (!sending.signer || !(await wasPaidOut(context.pool, payment))) return false;
  return isBacked(work, sending.signer.evidenceKey);
}

const approvedOf = (work: RefundWork, { kind, address }: Destination): Approved => ({
  refund: work.payment,
  kind,
  order: orderFor(work, address),
});

async function recordEvent(
  tx: Tx,
  { payment }: RefundWork,
  type: RefundEventType,
  end: Pick<RefundFacts, 'transactionHash' | 'failureReason'>,
  now: Date,
): Promise<void> {
  const { id, storeId, environment, sessionId, orderId, refundId, amount, currency, network } = payment;
  const facts = { sessionId, orderId, refundId, amount, currency, network, ...end };
  await recordRefundEvent(tx, { ...facts, intentId: id, storeId, environment, type, now });
}
