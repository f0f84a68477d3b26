// The refund behind a claim link, found by the hash of the link's token: what its page shows, and whether it accepts an address.

import { sha256 } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { isClaimToken, type Environment } from '@/lib/platform/ids';
import {
  brandOf,
  logoOf,
  type Brand,
  type BrandColumns,
  type LogoColumns,
  type LogoFacts,
} from '@/lib/merchants/branding/logo-columns';
import type { RefundStatus } from '@/prisma/generated/enums';
import { DESTINATION_NEEDED } from './claim-links';

/** `open`: waits for an address. `given`: has one by this link. `closed`: needs no address any more. */
export type ClaimState = 'open' | 'given' | 'expired' | 'closed';

/** What the page of a claim link shows. `amount` is in cents; `address` was given by this link. */
export type Claim = {
  /** The name that the hosted page shows. */
  readonly storeName: string;
  readonly logo: LogoFacts | null;
  readonly brand: Brand;
  /** How the customer reaches the shop; null when the shop gave no contact. */
  readonly supportContact: string | null;
  readonly environment: Environment;
  /** The merchant's number of the order, which its customer may know. */
  readonly orderId: string;
  readonly sessionId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  readonly status: RefundStatus;
  readonly state: ClaimState;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly transactionHash: string | null;
  /** Opens the receipt, once the refund was sent. */
  readonly receiptNumber: string | null;
};

/** Null for a link that does not exist or that a newer one replaced. */
export async function readClaim(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  token: string,
): Promise<Claim | null> {
  const row = isClaimToken(token) ? await findClaim(pool, sha256(token)) : null;
  if (!row) return null;
  return {
    storeName: row.store_name,
    logo: logoOf(row),
    brand: brandOf(row),
    supportContact: row.support_contact,
    environment: row.environment,
    orderId: row.order_id,
    sessionId: row.session_id,
    amount: BigInt(row.amount),
    currency: row.currency,
    network: row.network,
    status: row.status,
    state: claimState(row, clock.now()),
    expiresAt: row.claim_expires_at,
    address: row.address,
    transactionHash: row.transaction_hash,
    receiptNumber: row.receipt_number,
  };
}

export type ClaimRow = LogoColumns &
  BrandColumns & {
    readonly id: string;
    readonly store_name: string;
    readonly support_contact: string | null;
    readonly environment: Environment;
    readonly order_id: string;
    readonly session_id: string;
    readonly amount: string;
    readonly currency: string;
    readonly network: string;
    readonly status: RefundStatus;
    readonly hold: string | null;
    readonly signature_requested_at: Date | null;
    readonly claim_expires_at: Date;
    readonly address: string | null;
    readonly transaction_hash: string | null;
    readonly receipt_number: string | null;
  };

export async function findClaim(db: Db, hash: Uint8Array): Promise<ClaimRow | null> {
  const { rows } = await db.query<ClaimRow>({
    name: 'find-claim',
    text: `SELECT r.id, coalesce(l.display_name, s.name) AS store_name, l.support_contact, l.logo_hash, l.logo_width, l.logo_height, l.brand_color, l.theme,
             r.environment, r.order_id, r.session_id, r.amount, r.currency, r.network, r.status, r.hold, r.signature_requested_at, r.claim_expires_at,
             r.transaction_hash, r.receipt_number, a.address
           FROM refunds r JOIN stores s ON s.id = r.store_id LEFT JOIN store_branding l ON l.store_id = r.store_id
             LEFT JOIN refund_addresses a ON a.intent_id = r.id
           WHERE r.claim_hash = $1`,
    values: [hash],
  });
  return rows[0] ?? null;
}

export function claimState(row: ClaimRow, now: Date): ClaimState {
  if (row.address !== null) return 'given';
  if (row.status !== 'processing' || row.signature_requested_at !== null || row.hold !== DESTINATION_NEEDED)
    return 'closed';
  return row.claim_expires_at <= now ? 'expired' : 'open';
}
