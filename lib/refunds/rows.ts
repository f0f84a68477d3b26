// A payment of the refund wallet, a refund or a payout, as the worker's steps read it. They read only what decides the next action and what
// is signed.

import { z } from 'zod';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

/** The tables whose rows the refund wallet pays. An attempt belongs to a row of either one. */
export const PAYMENT_TABLES = ['refunds', 'payouts'] as const;
export type PaymentTable = (typeof PAYMENT_TABLES)[number];

/** The table of a payment, by the service's own id of it. */
export const tableOf = (id: string): PaymentTable => (id.startsWith('po_') ? 'payouts' : 'refunds');

/** A payment that this worker has leased, valid while `epoch` is the row's. */
type Leased = {
  /** The signer's intent. */
  readonly id: string;
  readonly epoch: number;
  readonly storeId: string;
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
  readonly signatureRequestedAt: Date | null;
};

export type LeasedRefund = Leased & {
  readonly table: 'refunds';
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
  /** The merchant's or the schedule's name for it. */
  readonly payoutId: string;
  /** Cents that its store pays the operator when it has arrived. */
  readonly fee: bigint;
  readonly networkCost: bigint;
};

export type LeasedPayment = LeasedRefund | LeasedPayout;

/** Where a payment goes, and the evidence for it: a payer's transfer, a customer's claim, or a payout address of the store. */
export type Destination = {
  readonly address: string;
  readonly kind: 'payer' | 'claim' | 'payout';
  readonly reference: string;
  /** Whether the wallet that paid signed for the address. Known when the destination is found; not stored. */
  readonly isSigned?: boolean;
};

type PaymentColumns = {
  id: string;
  epoch: number;
  store_id: string;
  environment: Environment;
  amount: string;
  currency: string;
  network: string;
  sign_after: Date;
  destination: string | null;
  destination_kind: string | null;
  destination_reference: string | null;
  destination_mac: Buffer | null;
  hold: string | null;
  held_at: Date | null;
  signature_requested_at: Date | null;
};
export type RefundColumns = PaymentColumns & {
  refund_id: string;
  session_id: string;
  order_id: string;
  case_id: string | null;
  cost_bearer: LeasedRefund['costBearer'];
  cost_short: string | null;
  cost_short_at: Date | null;
};
export type PayoutColumns = PaymentColumns & { payout_id: string; fee: string; network_cost: string };
/** A row of either table. */
export type PaymentRow = RefundColumns | PayoutColumns;

const COMMON = `r.id, r.epoch, r.store_id, r.environment, r.amount, r.currency, r.network, r.sign_after, r.destination,
  r.destination_kind, r.destination_reference, r.destination_mac, r.hold, r.held_at, r.signature_requested_at`;

/** The columns of a row of each table under the alias r. */
export const PAYMENT_COLUMNS: Readonly<Record<PaymentTable, string>> = {
  refunds: `${COMMON}, r.refund_id, r.session_id, r.order_id, r.case_id, r.cost_bearer, r.cost_short, r.cost_short_at`,
  payouts: `${COMMON}, r.payout_id, r.fee, r.network_cost`,
};

const kind = z.enum(['payer', 'claim', 'payout']);

const readCommon = (row: PaymentColumns): Leased => ({
  id: row.id,
  epoch: row.epoch,
  storeId: row.store_id,
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
  signatureRequestedAt: row.signature_requested_at,
});

const readRefund = (row: RefundColumns): LeasedRefund => ({
  ...readCommon(row),
  table: 'refunds',
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
  payoutId: row.payout_id,
  fee: BigInt(row.fee),
  networkCost: BigInt(row.network_cost),
});

/** Reads a row of either table. Throws for a value that no version writes. */
export const readPayment = (row: PaymentRow): LeasedPayment => ('refund_id' in row ? readRefund(row) : readPayout(row));

/** The payment's present state, or null when another worker has it or it has ended. */
export async function rereadPayment<P extends LeasedPayment>(db: Db, { table, id, epoch }: P): Promise<P | null> {
  const statement = {
    name: `${table}-mine`,
    text: `SELECT ${PAYMENT_COLUMNS[table]} FROM ${table} r WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch],
  };
  const found = table === 'refunds' ? await readRefundRow(db, statement) : await readPayoutRow(db, statement);
  return found ? (readPayment(found) as P) : null;
}

type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] };

const readRefundRow = async (db: Db, statement: Statement): Promise<RefundColumns | undefined> =>
  (await db.query<RefundColumns>(statement)).rows[0];
const readPayoutRow = async (db: Db, statement: Statement): Promise<PayoutColumns | undefined> =>
  (await db.query<PayoutColumns>(statement)).rows[0];
