// A store's share of the signer's limits. Refunds above it need the approval of two operators, so that one store cannot use up the limits of
// all stores.

import type { Db } from '@/lib/platform/database/db';
import type { LeasedRefund } from '@/lib/refunds/rows';

export type PaymentLimits = { readonly perRefund: bigint; readonly perHour: bigint; readonly perDay: bigint };

type Payment = {
  readonly refund: Pick<LeasedRefund, 'id' | 'storeId' | 'amount' | 'currency' | 'environment'>;
  readonly kind: string;
  readonly demands: { readonly limits: PaymentLimits; readonly claims: PaymentLimits | null };
  readonly now: Date;
};

/** All stores share the signer's limits. Without an approval, one store gets at most half of an hour and a quarter of a day. */
const [HOURS_SHARE, DAYS_SHARE] = [2n, 4n];

/** A store has a share of the limits for all payments only if another store made a refund within this many days. */
const OTHERS_WITHIN_DAYS = 30;

type Spent = { is_alone: boolean; hour: string; day: string; claims_hour: string; claims_day: string };

/**
 * Whether a payment takes its store above its share of the signer's limits for a rolling hour or day. Payments that operators
 * approved do not count. The share of the claim limits applies to a single store too: it also bounds what an attacker who
 * controls the web process can get.
 */
export async function isAboveShare(
  db: Db,
  { refund: { id, storeId, environment, currency, amount }, kind, demands: { limits, claims }, now }: Payment,
): Promise<boolean> {
  const { rows } = await db.query<Spent>({
    name: 'payments-of-store',
    text: `SELECT coalesce(sum(amount) FILTER (WHERE in_hour), 0)::text AS hour, coalesce(sum(amount), 0)::text AS day,
             coalesce(sum(amount) FILTER (WHERE in_hour AND is_claim), 0)::text AS claims_hour,
             coalesce(sum(amount) FILTER (WHERE is_claim), 0)::text AS claims_day,
             NOT EXISTS (SELECT FROM refund_days WHERE store_id <> $1 AND environment = $2::"Environment" AND count > 0
               AND day > ($5::timestamptz AT TIME ZONE 'UTC')::date - ${OTHERS_WITHIN_DAYS}) AS is_alone
           FROM (SELECT amount, signature_requested_at > $5::timestamptz - interval '1 hour' AS in_hour, destination_kind = 'claim' AS is_claim
             FROM refunds r WHERE store_id = $1 AND environment = $2::"Environment" AND currency = $3 AND id <> $4
               AND signature_requested_at > $5::timestamptz - interval '1 day' AND NOT EXISTS (SELECT FROM approvals a
                 WHERE a.kind = 'refund' AND a.target = r.id AND a.is_approved)) AS payment`,
    values: [storeId, environment, currency, id, now],
  });
  const [spent] = rows;
  if (!spent) return false;
  const isAboveOf = ({ perRefund, perHour, perDay }: PaymentLimits, hour: string, day: string): boolean =>
    amount + BigInt(hour) > shareOf(perHour, HOURS_SHARE, perRefund) ||
    amount + BigInt(day) > shareOf(perDay, DAYS_SHARE, perRefund);
  if (kind === 'claim' && claims !== null && isAboveOf(claims, spent.claims_hour, spent.claims_day)) return true;
  return !spent.is_alone && isAboveOf(limits, spent.hour, spent.day);
}

/** At least one refund of the largest size. */
const shareOf = (limit: bigint, share: bigint, least: bigint): bigint =>
  limit / share > least ? limit / share : least;
