// What the database says at one moment, in one statement: the rows that the checks judge and the story tells about.

import type { Pool } from '@/lib/platform/database/db';
import { COLD_LISTS, NO_COLD, type ColdRows } from './cold/rows';
import { NO_PAYOUTS, PAYOUT_LISTS, type PayoutRows } from './payouts/rows';
import { NO_STOPS, STOP_LISTS, type StopRows } from './stops/rows';
import { NO_SWEEPS, SWEEP_LISTS, type SweepRows } from './snapshot-sweeps';

type SessionRow = {
  readonly id: string;
  readonly store_id: string;
  readonly status: 'pending' | 'completed' | 'expired' | 'failed' | 'canceled';
  readonly exception: string;
  readonly amount_due: string;
  readonly amount_received: string;
  readonly amount_refunded: string;
  readonly networks: readonly string[];
  readonly address: string;
  readonly completed_network: string | null;
  readonly completed_currency: string | null;
  /** Unix milliseconds. */
  readonly closed_at: number | null;
};
type TransferRow = {
  readonly id: string;
  readonly network: string;
  readonly session_id: string;
  readonly hash: string;
  readonly ordinal: number;
  readonly currency: string;
  readonly payer: string;
  readonly recipient: string;
  readonly amount: string;
};
export type RefundRow = {
  readonly id: string;
  readonly store_id: string;
  readonly refund_id: string;
  readonly session_id: string;
  readonly case_id: string | null;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'canceled';
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly destination: string | null;
  readonly hold: string | null;
  readonly hash: string | null;
  /** The worker has drafted its payment. */
  readonly is_drafted: boolean;
  /** The ledger has set its money aside, or it is the return of a payment, which belongs to no store. */
  readonly is_reserved: boolean;
  /** Unix milliseconds. */
  readonly created_at: number;
};
type ExceptionRow = {
  readonly id: string;
  readonly session_id: string;
  readonly kind: string;
  readonly state: string;
  readonly transfer_id: string;
  /** Base units to decide about, and how many of them were counted towards the price. */
  readonly amount: string;
  readonly counted: string;
};
type EventRow = {
  readonly id: string;
  readonly store_id: string;
  readonly type: string;
};
type DeliveryRow = {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
};

/** `signed_at`: Unix milliseconds. */
type AttemptRow = { readonly hash: string; readonly refund_id: string; readonly signed_at: number | null };
/** What a step failed on and has yet to do. */
type QuarantineRow = {
  readonly kind: string;
  readonly subject_id: string;
  readonly step: string;
  readonly error: string;
};
/** Amounts on which ledger and chain disagree now. */
type DiscrepancyRow = {
  readonly address: string;
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  readonly expected: string;
  readonly found: string;
};

/** A transfer out of a deposit address. */
type OutflowRow = {
  readonly network: string;
  readonly hash: string;
  readonly currency: string;
  readonly payer: string;
  readonly recipient: string;
  readonly amount: string;
  readonly is_reported: boolean;
  readonly is_booked: boolean;
  /** Unix milliseconds. */
  readonly stored_at: number;
};

/** A request that signing stops. */
type FreezeRow = { readonly id: string; readonly is_carried_out: boolean };

/** A payment that is shown as on its way. */
type UnconfirmedRow = { readonly network: string; readonly hash: string; readonly block_number: number };

/** How far a network is read: the newest block of which everything is stored; null before the first scan. */
type CursorRow = { readonly network: string; readonly final_number: number | null };

export type Snapshot = SweepRows &
  PayoutRows &
  ColdRows &
  StopRows & {
    readonly cursors: readonly CursorRow[];
    readonly unconfirmed: readonly UnconfirmedRow[];
    readonly sessions: readonly SessionRow[];
    readonly transfers: readonly TransferRow[];
    readonly refunds: readonly RefundRow[];
    readonly exceptions: readonly ExceptionRow[];
    readonly events: readonly EventRow[];
    readonly deliveries: readonly DeliveryRow[];
    /** The signed transactions of refunds and payouts. */
    readonly attempts: readonly AttemptRow[];
    readonly quarantine: readonly QuarantineRow[];
    readonly discrepancies: readonly DiscrepancyRow[];
    readonly freezes: readonly FreezeRow[];
    readonly outflows: readonly OutflowRow[];
  };

export const EMPTY: Snapshot = {
  cursors: [],
  unconfirmed: [],
  sessions: [],
  transfers: [],
  refunds: [],
  exceptions: [],
  events: [],
  deliveries: [],
  attempts: [],
  quarantine: [],
  discrepancies: [],
  freezes: [],
  outflows: [],
  ...NO_SWEEPS,
  ...NO_PAYOUTS,
  ...NO_COLD,
  ...NO_STOPS,
};

const milliseconds = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/** Amounts are texts, because JSON numbers are not exact. */
const listOf = (columns: string, table: string, order: string): string =>
  `(SELECT coalesce(json_agg(one), '[]') FROM (SELECT ${columns} FROM ${table} ORDER BY ${order}) AS one)`;

const READ = {
  name: 'simulation-snapshot',
  text: `SELECT json_build_object(
    'cursors', ${listOf('network, final_number', 'chains WHERE retired_at IS NULL', 'network')},
    'sessions', ${listOf(
      `id, store_id, status, exception, amount_due::text, amount_received::text, amount_refunded::text, networks,
       evm_address AS address, completed_network, completed_currency, ${milliseconds('closed_at')} AS closed_at`,
      'sessions',
      'created_at, id',
    )},
    'unconfirmed', ${listOf(
      'c.network, u.transaction_hash AS hash, u.block_number',
      'unconfirmed_transfers u JOIN chains c ON c.id = u.chain_id WHERE u.orphaned_at IS NULL',
      'u.id',
    )},
    'transfers', ${listOf(
      `id::text, network, session_id, transaction_hash AS hash, ordinal, currency, payer, recipient, amount::text`,
      'transfers',
      'transfers.id',
    )},
    'refunds', ${listOf(
      `id, store_id, refund_id, session_id, case_id::text, status, amount::text, currency, network, destination, hold, transaction_hash AS hash,
       EXISTS (SELECT FROM refund_attempts WHERE intent_id = refunds.id) AS is_drafted, case_id IS NOT NULL OR EXISTS (SELECT FROM ledger_entries
         WHERE intent_id = refunds.id AND kind = 'refund_reserved') AS is_reserved, ${milliseconds('created_at')} AS created_at`,
      'refunds',
      'created_at, id',
    )},
    'exceptions', ${listOf('id::text, session_id, kind, state, transfer_id::text, amount::text, counted::text', 'payment_exceptions', 'payment_exceptions.id')},
    'events', ${listOf('id, store_id, type', 'events', 'events.id')},
    'deliveries', ${listOf('id::text, event_id, status, attempts', 'deliveries', 'deliveries.id')},
    'attempts', (SELECT coalesce(json_agg(json_build_object('hash', hash, 'refund_id', intent_id, 'signed_at', ${milliseconds('signed_at')})), '[]') FROM refund_attempts WHERE hash IS NOT NULL),
    'quarantine', ${listOf('kind, subject_id, step, error', 'quarantine WHERE resolved_at IS NULL', 'quarantine.id')},
    'discrepancies', ${listOf(
      'id::text, network, currency, address, expected::text, found::text',
      'discrepancies WHERE ended_at IS NULL',
      'discrepancies.id',
    )},
    'freezes', ${listOf('id::text, carried_out_at IS NOT NULL AS is_carried_out', 'freeze_requests', 'freeze_requests.id')},
    'sweeps', ${listOf(...SWEEP_LISTS.sweeps)},
    'sweep_states', ${listOf(...SWEEP_LISTS.sweep_states)},
    'payouts', ${listOf(...PAYOUT_LISTS.payouts)},
    'payout_addresses', ${listOf(...PAYOUT_LISTS.payout_addresses)},
    'cold_transfers', ${listOf(...COLD_LISTS.cold_transfers)},
    'cold_returns', ${listOf(...COLD_LISTS.cold_returns)},
    'wallet_books', ${listOf(...COLD_LISTS.wallet_books)},
    'screenings', ${listOf(...STOP_LISTS.screenings)},
    'tip_outflows', ${listOf(...STOP_LISTS.tip_outflows)},
    'outflows', ${listOf(
      `network, transaction_hash AS hash, currency, payer, recipient, amount::text, reported_at IS NOT NULL AS is_reported,
       booked_at IS NOT NULL AS is_booked, (extract(epoch FROM created_at) * 1000)::float8 AS stored_at`,
      'outgoing_transfers',
      'outgoing_transfers.id',
    )}
  ) AS snapshot`,
};

export async function readSnapshot(pool: Pool): Promise<Snapshot> {
  const { rows } = await pool.query<{ snapshot: Snapshot }>(READ);
  return (rows[0] as { snapshot: Snapshot }).snapshot;
}
