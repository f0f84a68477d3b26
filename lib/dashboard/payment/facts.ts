// All facts about one payment for its merchant, read by one statement and so at one moment.

import type { Environment } from '@/lib/platform/ids';
import type { Db } from '@/lib/platform/database/db';
import { decisionOf } from '@/lib/payments/sessions/settle/judge';
import type { ExceptionKind } from '@/lib/payments/sessions/settle/exceptions';
import type {
  ExceptionState,
  DeliveryStatus,
  RefundStatus,
  SessionException,
  SessionStatus,
} from '@/prisma/generated/enums';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

/** Times are Unix seconds, amounts text of integers. */
export type PaymentFacts = {
  readonly id: string;
  readonly environment: Environment;
  readonly order_id: string;
  readonly status: SessionStatus;
  readonly accepted_from: SessionStatus | null;
  readonly exception: SessionException;
  readonly amount_total: string;
  readonly currency: string;
  readonly amount_due: string;
  readonly amount_received: string;
  readonly amount_refunded: string;
  readonly exchange_rate: string | null;
  readonly currencies: readonly string[];
  readonly networks: readonly string[];
  readonly offered_pairs: readonly string[];
  readonly description: string | null;
  readonly line_items: readonly ItemFacts[] | null;
  readonly tax_amount: string | null;
  readonly shipping_amount: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly closed_at: number | null;
  readonly completed_network: string | null;
  readonly completed_currency: string | null;
  readonly completed_transaction: string | null;
  /** The refund address that the customer named on its page. */
  readonly refund_address: string | null;
  readonly evm_address: string;
  readonly tron_address: string;
  readonly solana_address: string;
  readonly transfers: readonly TransferFacts[];
  readonly changes: readonly {
    readonly move: string;
    readonly from: SessionStatus;
    readonly to: SessionStatus;
    readonly at: number;
  }[];
  readonly exceptions: readonly ExceptionFacts[];
  readonly refunds: readonly RefundOfPayment[];
  readonly events: readonly EventFacts[];
};

type ItemFacts = {
  readonly quantity?: number;
  readonly price_data: { readonly unit_amount: number; readonly product_data: { readonly name: string } };
};

/** A transfer to the payment's addresses: final, or unconfirmed. */
export type TransferFacts = {
  readonly final: boolean;
  readonly network: string;
  readonly currency: string;
  readonly transaction_hash: string;
  readonly ordinal: number;
  readonly payer: string;
  /** Base units. */
  readonly amount: string;
  readonly block_number: number;
  readonly block_time: number;
  /** When it was first seen unconfirmed, and when it was found final; null if it was not. */
  readonly seen_at: number | null;
  readonly final_at: number | null;
  readonly orphaned_at: number | null;
  readonly decision: ExceptionState | null;
  readonly tip_number: number;
  readonly final_lag: number;
};

export type ExceptionFacts = {
  readonly id: string;
  readonly kind: ExceptionKind;
  readonly state: ExceptionState;
  /** The status of its newest refund; null when it has none. */
  readonly refund: RefundStatus | null;
  /** Base units that were not counted. */
  readonly amount: string;
  readonly decimals: number;
  readonly currency: string;
  readonly network: string;
  readonly payer: string;
  readonly transaction_hash: string;
  readonly created_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly note: string | null;
};

type RefundOfPayment = {
  readonly id: string;
  readonly refund_id: string;
  readonly status: RefundStatus;
  /** Cents. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly hold: string | null;
  /** It returns a payment exception, which is not part of the price. */
  readonly of_exception: boolean;
  readonly created_at: number;
  readonly processed_at: number | null;
};

export type EventFacts = {
  readonly id: string;
  readonly type: string;
  readonly created_at: number;
  /** Of its newest delivery; null when there was no endpoint, or after its retention. */
  readonly delivery: DeliveryStatus | null;
  readonly attempts: number | null;
  readonly status_code: number | null;
};

/** The facts of a payment of the store, or null when it has none with this id. */
export async function readPaymentFacts(db: Db, of: StoreScope, sessionId: string): Promise<PaymentFacts | null> {
  const values = [sessionId, of.storeId, of.environment];
  const { rows } = await db.query<PaymentFacts>({ name: 'dashboard-payment', text: PAYMENT_SQL, values });
  return rows[0] ?? null;
}

/** More than a page of one payment needs. It keeps the page fast when the payment receives much dust. */
const MAX = 100;

const unix = (column: string): string => `extract(epoch FROM ${column})::float8`;
const list = (rows: string, order: string): string =>
  `coalesce((SELECT json_agg(one) FROM (SELECT * FROM (${rows}) AS every ORDER BY ${order} LIMIT ${MAX}) AS one), '[]')`;

// An unconfirmed transfer that became final is the same payment; it tells when the payment was first seen.
const TRANSFERS = `
  SELECT true AS final, t.network, t.currency, t.transaction_hash, t.ordinal, t.payer, t.amount::text, t.block_number,
         ${unix('t.block_time')} AS block_time, ${unix('g.seen_at')} AS seen_at, ${unix('t.created_at')} AS final_at,
         NULL::float8 AS orphaned_at, ${decisionOf('pc')} AS decision, c.tip_number, c.final_lag
    FROM transfers t JOIN chains c ON c.id = t.chain_id LEFT JOIN payment_exceptions pc ON pc.transfer_id = t.id
         LEFT JOIN unconfirmed_transfers g ON g.chain_id = t.chain_id AND g.transaction_hash = t.transaction_hash AND g.ordinal = t.ordinal
   WHERE t.session_id = s.id
  UNION ALL
  SELECT false, c.network, g.currency, g.transaction_hash, g.ordinal, g.payer, g.amount::text, g.block_number,
         ${unix('g.block_time')}, ${unix('g.seen_at')}, NULL, ${unix('coalesce(g.orphaned_at, c.retired_at)')}, NULL, c.tip_number, c.final_lag
    FROM unconfirmed_transfers g JOIN chains c ON c.id = g.chain_id
   WHERE g.session_id = s.id AND NOT EXISTS (SELECT FROM transfers t WHERE t.chain_id = g.chain_id
     AND t.transaction_hash = g.transaction_hash AND t.ordinal = g.ordinal)`;

const CHANGES = `SELECT h.move, h."from", h."to", ${unix('h.at')} AS at FROM session_status_changes h WHERE h.session_id = s.id`;

const EXCEPTIONS = `
  SELECT p.id::text, p.kind, p.state, (p.amount - p.counted)::text AS amount, t.decimals, t.currency, t.network, t.payer, t.transaction_hash,
         ${unix('p.created_at')} AS created_at, ${unix('p.decided_at')} AS decided_at, p.decided_by, p.note,
         (SELECT r.status FROM refunds r WHERE r.session_id = s.id AND r.case_id = p.id ORDER BY r.created_at DESC, r.id LIMIT 1) AS refund
    FROM payment_exceptions p JOIN transfers t ON t.id = p.transfer_id WHERE p.session_id = s.id`;

const REFUNDS = `
  SELECT r.id, r.refund_id, r.status, r.amount::text, r.currency, r.network, r.hold, r.case_id IS NOT NULL AS of_exception, ${unix('r.created_at')} AS created_at,
         ${unix('r.processed_at')} AS processed_at FROM refunds r WHERE r.session_id = s.id`;

// OFFSET 0: found by their object alone. Otherwise PostgreSQL, which expects few events of a store, also reads those of the whole store.
const EVENTS = `
  SELECT e.id, e.type, ${unix('e.created_at')} AS created_at, d.status AS delivery, d.attempts, d.status_code
    FROM (SELECT * FROM events
      WHERE object_id = ANY (ARRAY(SELECT s.id UNION ALL SELECT r.id FROM refunds r WHERE r.session_id = s.id)) OFFSET 0) e LEFT JOIN LATERAL (
      SELECT v.status, v.attempts, a.status_code FROM deliveries v
        LEFT JOIN LATERAL (SELECT status_code FROM delivery_attempts WHERE delivery_id = v.id ORDER BY number DESC LIMIT 1) a ON true
       WHERE v.event_id = e.id ORDER BY v.id DESC LIMIT 1) d ON true
   WHERE e.store_id = s.store_id AND e.environment = s.environment`;

const PAYMENT_SQL = `
SELECT s.id, s.environment, s.order_id, s.status, s.accepted_from, s.exception, s.amount_total::text, s.currency, s.amount_due::text,
       s.amount_received::text, s.amount_refunded::text, s.exchange_rate, s.currencies, s.networks, s.offered_pairs,
       s.description, s.line_items, s.tax_amount::text, s.shipping_amount::text, s.metadata, ${unix('s.created_at')} AS created_at,
       ${unix('s.expires_at')} AS expires_at, ${unix('s.closed_at')} AS closed_at, s.completed_network, s.completed_currency,
       s.completed_transaction,
       (SELECT a.address FROM refund_addresses a
         WHERE a.session_id = s.id AND a.network = s.completed_network AND a.intent_id IS NULL) AS refund_address, s.evm_address, s.tron_address, s.solana_address,
       ${list(TRANSFERS, 'block_time, transaction_hash, ordinal')} AS transfers,
       ${list(CHANGES, 'at')} AS changes, ${list(EXCEPTIONS, 'created_at, id')} AS exceptions,
       ${list(REFUNDS, 'created_at, id')} AS refunds, ${list(EVENTS, 'created_at, id')} AS events
  FROM sessions s WHERE s.id = $1 AND s.store_id = $2 AND s.environment = $3::"Environment"`;
