// The rules of payouts: they go to an address of the store that is past its delay, and are backed by what the store provably received.
// Large ones need the approval of two operators. Their fee and network cost are booked when they arrive.

import { isShort } from '@/lib/ledger/frozen';
import { payoutAccount, type PayoutCosts } from '@/lib/ledger/postings';
import { postPaidPayout, releasePayout } from '@/lib/ledger/post-payout';
import { isStoreOpen } from '@/lib/merchants/stores/store-status';
import type { Tx } from '@/lib/platform/database/db';
import type { HoldCode } from '@/lib/refunds/holds';
import { recordPayoutEnd } from '@/lib/refunds/payout-event';
import type { Destination, LeasedPayout } from '@/lib/refunds/rows';
import { payoutNeedsApproval, readSignatures, recordRefused, type Approved } from '@/lib/refunds/approval/approval';
import {
  isBackedByStore,
  isStillBackedByStore,
  lockStorePayments,
  mostPaidOut,
} from '@/lib/refunds/approval/store-backing';
import { checkRentLimit } from '@/lib/refunds/sending/draft/rent-limit';
import { idleUntil } from '@/lib/refunds/sending/lease';
import { lacksTokens } from '@/lib/refunds/sending/remaining-hold';
import { holdOf, orderFor, putOnHold, type PaymentRules, type Work } from '@/lib/refunds/sending/sending-context';
import { callOrHold } from '@/lib/refunds/sending/sign/call';
import { isSettled } from '@/lib/refunds/sending/worker-macs';
import { payoutEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { SignerState } from '@/lib/signer/client';
import type { StoreStatus } from '@/prisma/generated/enums';
import { addressById, payableAddress } from './addresses/payable';

type PayoutWork = Work<LeasedPayout>;

export const PAYOUT_RULES: PaymentRules<LeasedPayout> = {
  remainingHold: async (work) =>
    work.payment.hold === 'no_tokens' && (await lacksTokens(work)) ? holdOf('no_tokens') : null,
  chooseDestination,
  isProven,
  async isApproved(work, destination, state) {
    const found = await obstacle(work, state);
    const hold = found ? holdOf(found) : await approvalHold(work, destination, state);
    if (hold === 'declined') return hold;
    if (hold) await putOnHold(work, hold);
    return hold === null;
  },
  isMoneyFrozen: (db, { payment }) => isShort(db, payment, payment),
  isBacked: isBackedByStore,
  unbackedHold: async () => holdOf('evidence'),
  isConvertible: async () => true,
  async reserve(tx, work, { draft, destination }) {
    if (!(await isReserved(tx, work))) return holdOf('insufficient_balance');
    await lockStorePayments(tx, work.payment);
    if (!(await isStillBackedByStore(tx, work))) return holdOf('evidence');
    const payee = { to: destination.address, currency: work.payment.currency };
    return checkRentLimit(tx, work, { ...payee, opens: draft.rent !== undefined });
  },
  async boundOf(work, key) {
    const session = payoutEvidence(work.payment.storeId, work.payment);
    return { session, mostCents: String(await mostPaidOut(work, key)) };
  },
  signatures: (work, destination) => readSignatures(work.context.pool, approvedOf(work, destination)),
  recordRefused: (tx, work, destination, refusal) => recordRefused(tx, approvedOf(work, destination), refusal),
  async complete(tx, work, { now }) {
    const { id: intentId, storeId, environment, network, currency } = work.payment;
    const { amount, costs } = bookedFor(work);
    await postPaidPayout(tx, { intentId, storeId, environment, paid: { network, currency, amount }, costs });
    await recordPayoutEnd(tx, intentId, 'payout.paid', now);
  },
  async fail(tx, { payment }, { now }) {
    await releasePayout(tx, { intentId: payment.id });
    await recordPayoutEnd(tx, payment.id, 'payout.failed', now);
  },
};

const approvedOf = (work: PayoutWork, { address }: Destination): Approved => ({
  refund: work.payment,
  kind: 'payout',
  order: orderFor(work, address),
});

function approvalHold(work: PayoutWork, destination: Destination, { guarded }: SignerState) {
  const { context, payment } = work;
  return payoutNeedsApproval(context.pool, {
    ...approvedOf(work, destination),
    above: context.config.PAYOUT_APPROVAL_ABOVE,
    needsPasskeys: guarded[payment.environment],
    now: context.clock.now(),
  });
}

/** The store's current address, or the one in the signature request while that is proven. */
async function chooseDestination(work: PayoutWork): Promise<Destination | null> {
  const { context, sending, payment } = work;
  if (!sending.signer) return null;
  if (payment.signatureRequestedAt !== null && payment.destination) {
    const proven = await callOrHold(work, () => isProven(work));
    if (proven === null) return null;
    if (proven) return payment.destination;
  }
  const now = context.clock.now();
  const { storeId, environment, network } = payment;
  const found = await payableAddress(context.pool, sending.signer.evidenceKey, { storeId, environment, network, now });
  if (found && 'id' in found) return { address: found.address, kind: 'payout', reference: found.id };
  if (found) await idleUntil(context, payment, found.waiting, holdOf('address_delay'));
  else await putOnHold(work, holdOf('destination_needed'));
  return null;
}

/**
 * Whether the stored destination may be signed: the signer has signed this payout before, and signs no other order for it; or the worker
 * chose the address, and its owners have not stopped it since.
 */
async function isProven({ context, sending, payment }: PayoutWork): Promise<boolean> {
  const { signer } = sending;
  if (!signer || !payment.destination) return false;
  if ((await signer.calls.attempts(payment.id)).length > 0) return true;
  if (!isSettled(signer.evidenceKey, payment)) return false;
  const { address, reference } = payment.destination;
  const found = await addressById(context.pool, signer.evidenceKey, reference);
  const { storeId, environment, network } = payment;
  return (
    found?.address === address &&
    found.storeId === storeId &&
    found.environment === environment &&
    found.network === network &&
    found.payAfter <= context.clock.now()
  );
}

/** Parts of the signer's limits that one store may use while others are paid out too, as for refunds. */
const [HOURS_SHARE, DAYS_SHARE] = [2n, 4n];

type State = {
  is_freezing: boolean;
  status: StoreStatus;
  hour: string;
  day: string;
  is_alone: boolean;
};

/** Why nothing is drafted for the payout now: its store is closed, a freeze is requested, or the limits of the signer do not allow it. */
async function obstacle(
  { context, payment, together = 0n }: PayoutWork,
  { limits }: SignerState,
): Promise<HoldCode | null> {
  const { id, storeId, environment, currency, amount } = payment;
  const { rows } = await context.pool.query<State>({
    name: 'payout-obstacles',
    text: `SELECT EXISTS (SELECT FROM freeze_requests WHERE carried_out_at IS NULL) AS is_freezing, s.status,
             coalesce(sum(p.amount) FILTER (WHERE p.signature_requested_at > $5::timestamptz - interval '1 hour'), 0)::text AS hour,
             coalesce(sum(p.amount), 0)::text AS day,
             NOT EXISTS (SELECT FROM payouts o WHERE o.environment = $2::"Environment" AND o.store_id <> $1
               AND o.status IN ('pending', 'processing')) AS is_alone
           FROM stores s LEFT JOIN payouts p ON p.store_id = s.id AND p.environment = $2::"Environment" AND p.currency = $3
             AND p.id <> $4 AND p.signature_requested_at > $5::timestamptz - interval '1 day'
           WHERE s.id = $1 GROUP BY s.status`,
    values: [storeId, environment, currency, id, context.clock.now()],
  });
  const [found] = rows;
  // What was swept has reached the merchant already. The payout was requested before the setting was changed; it stays cancelable.
  if (context.config.DIRECT_SETTLEMENT) return 'not_allowed';
  if (!found || !isStoreOpen(found.status, environment)) return 'not_allowed';
  if (found.is_freezing) return 'frozen';
  if (!limits.payouts) return null;
  // The signer would refuse it for ever. It stays cancelable.
  const each = BigInt(limits.payouts.perRefund);
  if (amount > each) return 'not_allowed';
  if (found.is_alone) return null;
  const isAbove = (spent: string, limit: string, share: bigint): boolean => {
    const part = BigInt(limit) / share;
    return amount + together + BigInt(spent) > (part > each ? part : each);
  };
  const { perHour, perDay } = limits.payouts;
  return isAbove(found.hour, perHour, HOURS_SHARE) || isAbove(found.day, perDay, DAYS_SHARE) ? 'limit' : null;
}

/** Base units of what arrives, and of what its store pays beside it. */
function bookedFor(work: PayoutWork): { readonly amount: bigint; readonly costs: PayoutCosts } {
  const { amount: cents, fee, networkCost } = work.payment;
  const { amount } = orderFor(work, work.payment.destination?.address ?? '');
  const unitsPerCent = amount / cents;
  return { amount, costs: { fee: fee * unitsPerCent, networkCost: networkCost * unitsPerCent } };
}

/** Whether the ledger holds the payout's amount and costs. The web process can post, so a payout without a reserve is possible. */
async function isReserved(tx: Tx, work: PayoutWork): Promise<boolean> {
  const { id, storeId, network, currency } = work.payment;
  const { amount, costs } = bookedFor(work);
  const { rowCount } = await tx.query({
    name: 'payout-reserved',
    text: `SELECT 1 FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
           WHERE e.intent_id = $1 AND p.account = $2 AND p.network = $3 AND p.currency = $4
           HAVING sum(p.amount) = -$5::numeric`,
    values: [id, payoutAccount(storeId), network, currency, String(amount + costs.fee + costs.networkCost)],
  });
  return rowCount !== 0;
}
