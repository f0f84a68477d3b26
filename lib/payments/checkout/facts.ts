// All customer-visible facts of one session, read by one statement and therefore consistent. The statement lists its columns: order id,
// metadata and other merchant-only fields are never read.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { LogoColumns } from '@/lib/merchants/branding/logo-columns';
import type { RefundStatus, SessionStatus } from '@/prisma/generated/enums';
import { paymentRows, type PaymentRow } from '@/lib/payments/sessions/payment-rows';

/** The scan progress of a network and the fee of a payment on it. Times are Unix seconds. */
type ChainRow = {
  readonly network: string;
  readonly scanned_at: number;
  /** Smallest units of the network's coin as decimal text; null before any endpoint reported it. */
  readonly fee: string | null;
  readonly fee_read_at: number | null;
};

/** A refund of the session. */
export type RefundRow = {
  readonly status: RefundStatus;
  /** Cents as decimal text. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  /** Whether it is on hold for an address from the customer. */
  readonly waits_for_address: boolean;
  readonly receipt_number: string | null;
  /** Whether it refunds a payment exception, which paid for nothing. */
  readonly of_exception: boolean;
};

export type LineItem = {
  readonly quantity?: number;
  readonly price_data: { readonly unit_amount: number; readonly product_data: { readonly name: string } };
};

/** The branding of the store (migration store_look). */
export type BrandingFacts = LogoColumns & {
  /** `#rrggbb`. */
  readonly brand_color: string | null;
  readonly theme: 'auto' | 'light' | 'dark';
  /** An e-mail address or an https address. */
  readonly support_contact: string | null;
  /** Origins whose pages receive the status. */
  readonly embed_origins: readonly string[];
};

export type CheckoutFacts = {
  readonly id: string;
  readonly environment: Environment;
  readonly status: 'pending' | 'completed' | 'expired' | 'canceled' | 'failed';
  /** The terminal status before an accepted payment completed the session. */
  readonly accepted_from: SessionStatus | null;
  readonly exception: 'none' | 'partial' | 'over' | 'early' | 'late' | 'wrong_token' | 'wrong_network';
  readonly amount_total: string;
  readonly currency: string;
  /** Tokens for one unit of the order's currency; null where no rate was needed. */
  readonly exchange_rate: string | null;
  readonly amount_due: string;
  readonly amount_received: string;
  readonly currencies: readonly string[];
  readonly networks: readonly string[];
  readonly offered_pairs: readonly string[];
  readonly description: string | null;
  readonly line_items: readonly LineItem[] | null;
  readonly tax_amount: string | null;
  readonly shipping_amount: string | null;
  readonly success_url: string | null;
  readonly cancel_url: string | null;
  readonly completed_currency: string | null;
  /** Dollar price of a coin within the last day, by its symbol; null when none is known. */
  readonly coin_prices: Readonly<Record<string, string>> | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly evm_address: string;
  readonly tron_address: string;
  readonly solana_address: string;
  readonly store_name: string;
  /** Null when the store never set it. */
  readonly branding: BrandingFacts | null;
  readonly payments: readonly PaymentRow[];
  readonly chains: readonly ChainRow[];
  /** In the order of their requests. */
  readonly refunds: readonly RefundRow[];
};

/** The facts of a session, or null when there is none with this id. One round trip. */
export async function readCheckoutFacts(db: Db, sessionId: string): Promise<CheckoutFacts | null> {
  const { rows } = await db.query<CheckoutFacts>({ name: 'checkout_facts', text: STATEMENT, values: [sessionId] });
  return rows[0] ?? null;
}

const MAX_REFUNDS = 50;

const STATEMENT = `
SELECT s.id, s.environment, s.status, s.accepted_from, s.exception, s.amount_total::text, s.currency, s.exchange_rate, s.amount_due::text,
       s.amount_received::text, s.currencies, s.networks, s.offered_pairs, s.description, s.line_items,
       s.tax_amount::text, s.shipping_amount::text, s.success_url, s.cancel_url, s.completed_currency,
       (SELECT json_object_agg(coin, price::text) FROM coin_prices WHERE agreed_at > now() - interval '1 day') AS coin_prices,
       extract(epoch FROM s.created_at)::int AS created_at, extract(epoch FROM s.expires_at)::int AS expires_at, s.evm_address, s.tron_address, s.solana_address,
       coalesce(l.display_name, st.name) AS store_name,
       CASE WHEN l.store_id IS NULL THEN NULL ELSE json_build_object(
         'brand_color', l.brand_color, 'theme', l.theme, 'support_contact', l.support_contact,
         'embed_origins', l.embed_origins, 'logo_hash', l.logo_hash, 'logo_width', l.logo_width,
         'logo_height', l.logo_height) END AS branding,
       ${paymentRows({ forMerchant: false })} AS payments,
       coalesce((SELECT json_agg(json_build_object('network', c.network,
                                                   'scanned_at', extract(epoch FROM c.scanned_at)::bigint,
                                                   'fee', n.amount::text,
                                                   'fee_read_at', extract(epoch FROM n.read_at)::bigint))
          FROM chains c LEFT JOIN network_fees n ON n.environment = c.environment AND n.network = c.network
         WHERE c.environment = s.environment AND c.retired_at IS NULL), '[]') AS chains,
       coalesce((SELECT json_agg(r) FROM (
         SELECT f.status, f.amount::text, f.currency, f.network, f.receipt_number,
                f.hold IS NOT DISTINCT FROM 'destination_needed' AS waits_for_address, f.case_id IS NOT NULL AS of_exception
           FROM refunds f WHERE f.session_id = s.id ORDER BY f.created_at, f.id LIMIT ${MAX_REFUNDS}) r), '[]') AS refunds
  FROM sessions s JOIN stores st ON st.id = s.store_id LEFT JOIN store_branding l ON l.store_id = s.store_id
 WHERE s.id = $1`;
