// Links by which a customer names the address of a refund whose sender cannot be paid back. The database holds the token's hash, for
// look-ups, and its ciphertext, so that the merchant can see the link again. A renewed link invalidates the previous one.

import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { sealSecret, sha256 } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newClaimToken } from '@/lib/platform/ids';
import { claimPurpose } from '@/lib/refunds/view';

/** The hold code of such a refund. */
export const DESTINATION_NEEDED = 'destination_needed';

const DAY_MILLISECONDS = 86_400_000;

/**
 * Opens the claim link of a refund that is being processed, if it never had one. Returns when the link expires. Returns null when the
 * refund has no link and needs none, because it was canceled in the meantime.
 */
export async function openClaim({ pool, clock, config }: Context, intentId: string): Promise<Date | null> {
  const made = newClaim(config, intentId, clock.now());
  const { rows } = await pool.query<{ expires: Date | null }>({
    name: 'open-claim',
    text: `WITH opened AS (
             UPDATE refunds SET claim_hash = $2, claim_ciphertext = $3, claim_expires_at = $4
             WHERE id = $1 AND claim_hash IS NULL AND status = 'processing' AND signature_requested_at IS NULL RETURNING claim_expires_at)
           SELECT coalesce((SELECT claim_expires_at FROM opened), r.claim_expires_at) AS expires FROM refunds r
           WHERE r.id = $1`,
    values: [intentId, made.hash, made.ciphertext, made.expiresAt],
  });
  return rows[0]?.expires ?? null;
}

/**
 * Replaces the link with a new one; the previous link stops working. The worker takes the refund at once, because its hold message may
 * say that the link has expired. `refundId` is the refund's own id (intentIdOf), not the merchant's name for it. Throws
 * REFUND_NOT_FOUND, also for another store's refund, and INVALID_PARAMETER when the refund does not wait for an address.
 */
export async function renewClaim(
  { pool, clock, config }: Pick<Context, 'clock' | 'config'> & { readonly pool: Db },
  { storeId, refundId }: { readonly storeId: string; readonly refundId: string },
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  const now = clock.now();
  const made = newClaim(config, refundId, now);
  const { rows } = await pool.query<{ renewed: boolean }>({
    name: 'renew-claim',
    text: `WITH renewed AS (
             UPDATE refunds SET claim_hash = $3, claim_ciphertext = $4, claim_expires_at = $5, next_at = $7, epoch = epoch + 1
             WHERE id = $1 AND store_id = $2 AND status = 'processing' AND signature_requested_at IS NULL AND hold = $6 RETURNING id)
           SELECT EXISTS (SELECT FROM renewed) AS renewed FROM refunds WHERE id = $1 AND store_id = $2`,
    values: [refundId, storeId, made.hash, made.ciphertext, made.expiresAt, DESTINATION_NEEDED, now],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('REFUND_NOT_FOUND');
  if (!row.renewed) {
    const message = 'This refund does not wait for an address from the customer.';
    throw new ServiceError('INVALID_PARAMETER', { param: 'refund_id', message });
  }
  return { url: `${config.PUBLIC_URL}/claim/${made.token}`, expiresAt: made.expiresAt };
}

/**
 * Makes the customer name an address for this refund by its claim link, even if the payer is known or an address was given on the
 * payment's page. Throws REFUND_NOT_FOUND, and INVALID_PARAMETER once it is being sent or has an address by its link.
 */
export async function requestCustomerAddress(
  { pool, clock }: Pick<Context, 'clock'> & { readonly pool: Db },
  { storeId, refundId }: { readonly storeId: string; readonly refundId: string },
): Promise<void> {
  const { rows } = await pool.query<{ is_asked: boolean }>({
    name: 'ask-for-address',
    text: `WITH requested AS (
             UPDATE refunds r SET wants_address = true, destination = NULL, destination_kind = NULL,
               destination_reference = NULL, next_at = $3, epoch = epoch + 1
             WHERE id = $1 AND store_id = $2 AND status IN ('pending', 'processing') AND signature_requested_at IS NULL
               AND NOT EXISTS (SELECT FROM refund_addresses a WHERE a.intent_id = r.id) RETURNING id)
           SELECT EXISTS (SELECT FROM requested) AS is_asked FROM refunds WHERE id = $1 AND store_id = $2`,
    values: [refundId, storeId, clock.now()],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('REFUND_NOT_FOUND');
  if (row.is_asked) return;
  const message = 'This refund is being sent, has ended, or has an address that the customer named by its link.';
  throw new ServiceError('INVALID_PARAMETER', { param: 'refund_id', message });
}

/**
 * Records that the merchant accepts the address that the customer named on the payment's page, although the payment came from a
 * different one. Throws REFUND_NOT_FOUND, and INVALID_PARAMETER when the refund does not wait for this.
 */
export async function confirmAddress(
  { pool, clock }: Pick<Context, 'clock'> & { readonly pool: Db },
  { storeId, refundId }: { readonly storeId: string; readonly refundId: string },
): Promise<void> {
  const { rows } = await pool.query<{ is_confirmed: boolean }>({
    name: 'confirm-address',
    text: `WITH confirmed AS (
             UPDATE refunds r SET confirmed_address_id = a.id, hold = NULL, hold_message = NULL, held_at = NULL,
               next_at = $3, epoch = epoch + 1
             FROM refund_addresses a
             WHERE r.id = $1 AND r.store_id = $2 AND r.status = 'processing' AND r.signature_requested_at IS NULL
               AND r.hold = 'address_unconfirmed' AND a.session_id = r.session_id AND a.network = r.network
               AND a.intent_id IS NULL RETURNING r.id)
           SELECT EXISTS (SELECT FROM confirmed) AS is_confirmed FROM refunds WHERE id = $1 AND store_id = $2`,
    values: [refundId, storeId, clock.now()],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('REFUND_NOT_FOUND');
  if (row.is_confirmed) return;
  const message = 'This refund does not wait for you to confirm an address.';
  throw new ServiceError('INVALID_PARAMETER', { param: 'refund_id', message });
}

function newClaim({ MASTER_KEYS, CLAIM_DAYS }: Config, intentId: string, now: Date) {
  const token = newClaimToken();
  return {
    token,
    hash: sha256(token),
    ciphertext: sealSecret(MASTER_KEYS, token, claimPurpose(intentId)),
    expiresAt: new Date(now.getTime() + CLAIM_DAYS * DAY_MILLISECONDS),
  };
}
