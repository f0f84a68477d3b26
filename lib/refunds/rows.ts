// A payment of the refund wallet, a refund, a payout or a cold transfer, as the worker's steps read it. They read only what decides the next
// action and what is signed.

import { z } from 'zod';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import {
  PAYMENT_COLUMNS,
  type ColdTransferColumns,
  type PaymentColumns,
  type PaymentRow,
  type PayoutColumns,
  type RefundColumns,
} from './columns';

/** The tables whose rows the refund wallet pays. An attempt belongs to a row of one of them. */
export const PAYMENT_TABLES = ['refunds', 'payouts', 'cold_transfers'] as const;
export type PaymentTable = (typeof PAYMENT_TABLES)[number];

/** The table of a payment, by the service's own id of it. */
export const tableOf = (id: string): PaymentTable =>
  id.startsWith('po_') ? 'payouts' : id.startsWith('ct_') ? 'cold_transfers' : 'refunds';

/** A payment that this worker has leased, valid while `epoch` is the row's. */
type Leased = {
  /** The signer's intent. */
  readonly id: string;
  readonly epoch: number;
  readonly environment: Environment;
  /** In cents. */
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  readonly signAfter: Date;
  readonly destination: Destination | null;
  /** The worker's MAC over the destination (worker-macs.ts). */
  readonly destinationMac: Buffer | null;
  readonly hold: string | null;
  readonly heldAt: Date | null;
  /** How often the worker has put it on this hold since then. */
  readonly holdCount: number;
  readonly signatureRequestedAt: Date | null;
};

export type LeasedRefund = Leased & {
  readonly table: 'refunds';
  readonly storeId: string;
  /** The merchant's name for it. */
  readonly refundId: string;
  readonly sessionId: string;
  readonly orderId: string;
  /** The case of the payment that it sends back; null for a refund of what was paid. */
  readonly caseId: string | null;
  /** Who pays its network cost; null until the first signature request. */
  readonly costBearer: 'store' | 'operator' | 'operator_no_price' | null;
  /** The last quote, in cents, that its store's balance could not cover. */
  readonly costShort: { readonly cents: bigint; readonly at: Date } | null;
};

export type LeasedPayout = Leased & {
  readonly table: 'payouts';
  readonly storeId: string;
  /** The merchant's or the schedule's name for it. */
  readonly payoutId: string;
  /** Cents that its store pays the operator when it has arrived. */
  readonly fee: bigint;
  readonly networkCost: bigint;
};

/** It belongs to no store. */
export type LeasedColdTransfer = Leased & { readonly table: 'cold_transfers'; readonly number: number };

export type LeasedPayment = LeasedRefund | LeasedPayout | LeasedColdTransfer;

/** Where a payment goes, and the evidence for it: a payer's transfer, a customer's claim, a payout address of the store, or the operator's
 * cold wallet. */
export type Destination = {
  readonly address: string;
  readonly kind: 'payer' | 'claim' | 'payout' | 'cold';
  readonly reference: string;
  /** Whether the wallet that paid signed for the address. Known when the destination is found; not stored. */
  readonly isSigned?: boolean;
};

const kind = z.enum(['payer', 'claim', 'payout', 'cold']);

const readCommon = (row: PaymentColumns): Leased => ({
  id: row.id,
  epoch: row.epoch,
  environment: row.environment,
  amount: BigInt(row.amount),
  currency: row.currency,
  network: row.network,
  signAfter: row.sign_after,
  destination:
    row.destination === null || row.destination_reference === null
      ? null
      : { address: row.destination, kind: kind.parse(row.destination_kind), reference: row.destination_reference },
  destinationMac: row.destination_mac,
  hold: row.hold,
  heldAt: row.held_at,
  holdCount: row.hold_count,
  signatureRequestedAt: row.signature_requested_at,
});

const readRefund = (row: RefundColumns): LeasedRefund => ({
  ...readCommon(row),
  table: 'refunds',
  storeId: row.store_id,
  refundId: row.refund_id,
  sessionId: row.session_id,
  orderId: row.order_id,
  caseId: row.case_id,
  costBearer: row.cost_bearer,
  costShort:
    row.cost_short === null || row.cost_short_at === null
      ? null
      : { cents: BigInt(row.cost_short), at: row.cost_short_at },
});

const readPayout = (row: PayoutColumns): LeasedPayout => ({
  ...readCommon(row),
  table: 'payouts',
  storeId: row.store_id,
  payoutId: row.payout_id,
  fee: BigInt(row.fee),
  networkCost: BigInt(row.network_cost),
});

/** Reads a row of any of the tables. Throws for a value that no version writes. */
export function readPayment(row: PaymentRow): LeasedPayment {
  if ('refund_id' in row) return readRefund(row);
  if ('number' in row) return { ...readCommon(row), table: 'cold_transfers', number: row.number };
  return readPayout(row);
}

/** The payment's present state, or null when another worker has it or it has ended. */
export async function rereadPayment<P extends LeasedPayment>(db: Db, { table, id, epoch }: P): Promise<P | null> {
  const statement = {
    name: `${table}-mine`,
    text: `SELECT ${PAYMENT_COLUMNS[table]} FROM ${table} r WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch],
  };
  const found = await READ_ROW[table](db, statement);
  return found ? (readPayment(found) as P) : null;
}

/** The payouts among these that are being processed, whichever worker has them. */
export async function readPayouts(db: Db, ids: readonly string[]): Promise<readonly LeasedPayout[]> {
  const { rows } = await db.query<PayoutColumns>({
    name: 'payouts-of-batch',
    text: `SELECT ${PAYMENT_COLUMNS.payouts} FROM payouts r WHERE id = ANY($1) AND status = 'processing'`,
    values: [ids],
  });
  return rows.map(readPayout);
}

type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] };

/** Each table has its own row. */
const READ_ROW: Readonly<Record<PaymentTable, (db: Db, statement: Statement) => Promise<PaymentRow | undefined>>> = {
  refunds: async (db, statement) => (await db.query<RefundColumns>(statement)).rows[0],
  payouts: async (db, statement) => (await db.query<PayoutColumns>(statement)).rows[0],
  cold_transfers: async (db, statement) => (await db.query<ColdTransferColumns>(statement)).rows[0],
};
