// The payments of one store or all stores in one environment, newest first. One statement a page uses the index that fits the
// filters.

import type { Context } from '@/lib/platform/context';
import { minorDigits } from '@/lib/money/currencies';
import type { Environment } from '@/lib/platform/ids';
import { centsToText, minorUnitsToText } from '@/lib/money/amounts';
import { hasStatus } from '@/lib/payments/sessions/list';
import type { SessionException, SessionStatus } from '@/prisma/generated/enums';
import type { PaymentFilters } from './filters';
import { keyset, pageOf, type Page, type PageRequest } from './keyset';
import { searchSessions } from './payments-search';

/** How much of the price was refunded. Refunds of payment exceptions are not included. */
export type RefundShare = 'none' | 'part' | 'whole';
export const refundShare = (sent: bigint, due: bigint): RefundShare =>
  sent === 0n ? 'none' : sent < due ? 'part' : 'whole';

/** One store and environment. */
export type StoreScope = { readonly storeId: string; readonly environment: Environment };

export type PaymentRow = {
  readonly id: string;
  readonly orderId: string;
  /** Of the payment link that created it; null without one. */
  readonly linkTitle: string | null;
  readonly status: SessionStatus;
  readonly exception: SessionException;
  /** The price that the merchant requested: exact decimal text, and its currency. */
  readonly amount: string;
  readonly currency: string;
  /** The token it was paid with; null if unpaid. */
  readonly paid: { readonly network: string; readonly currency: string; readonly amount: string } | null;
  /** Decimal text of the amount refunded or being refunded; null when there is none. */
  readonly refunded: string | null;
  readonly refundShare: RefundShare;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
};

type Row = {
  id: string;
  order_id: string;
  link_title: string | null;
  status: SessionStatus;
  exception: SessionException;
  amount_total: string;
  currency: string;
  amount_due: string;
  amount_refunded: string;
  refund_sent: string | null;
  completed_network: string | null;
  completed_currency: string | null;
  created_at: Date;
  closed_at: Date | null;
};

/** A null store covers all stores, which only operators may see. */
export type PaymentsScope = { readonly storeId: string | null; readonly environment: Environment };

/** One page. */
export async function listPayments(
  { pool }: { readonly pool: Pick<Context['pool'], 'query'> },
  of: StoreScope,
  filters: PaymentFilters,
  pageRequest: PageRequest,
): Promise<Page<PaymentRow>> {
  const { rows } = await pool.query<Row>(paymentsStatement(of, filters, pageRequest));
  return pageOf(rows.map(paymentOf), pageRequest, (row) => row);
}

/** A payment with its store. */
export type StorePayment = PaymentRow & { readonly storeId: string; readonly storeName: string };

/** One page of the payments of all stores, or of one. */
export async function listAllPayments(
  { pool }: { readonly pool: Pick<Context['pool'], 'query'> },
  of: PaymentsScope,
  filters: PaymentFilters,
  pageRequest: PageRequest,
): Promise<Page<StorePayment>> {
  const { rows } = await pool.query<Row & { store_id: string }>(paymentsStatement(of, filters, pageRequest));
  const { rows: stores } = await pool.query<{ id: string; name: string }>({
    name: 'payments-store-names',
    text: 'SELECT id, name FROM stores WHERE id = ANY ($1::text[])',
    values: [[...new Set(rows.map((row) => row.store_id))]],
  });
  const names = new Map(stores.map(({ id, name }) => [id, name]));
  const found = rows.map((row) => ({
    ...paymentOf(row),
    storeId: row.store_id,
    storeName: names.get(row.store_id) ?? row.store_id,
  }));
  return pageOf(found, pageRequest, (row) => row);
}

/** Must match the partial indexes of the migration refunded_payments literally. */
const REFUNDED: Readonly<Record<NonNullable<PaymentFilters['refund']>, string>> = {
  whole: 's.amount_refunded > 0 AND s.amount_refunded >= s.amount_due',
  part: 's.amount_refunded > 0 AND s.amount_refunded < s.amount_due',
};

/** Not named: it contains only the requested conditions, and PostgreSQL plans it with their values. */
export function paymentsStatement(
  { storeId, environment }: PaymentsScope,
  filters: PaymentFilters,
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const store = storeId === null ? null : given(storeId);
  const conditions = ['s.environment = $1::"Environment"', ...(store === null ? [] : [`s.store_id = ${store}`])];
  if (filters.status) conditions.push(hasStatus(filters.status, given));
  if (filters.exception)
    conditions.push(`s.exception <> 'none' AND s.exception = ${given(filters.exception)}::"SessionException"`);
  if (filters.refund) conditions.push(REFUNDED[filters.refund]);
  if (filters.currency) conditions.push(`s.currency = ${given(filters.currency)}`);
  if (filters.network)
    conditions.push(`s.completed_network IS NOT NULL AND s.completed_network = ${given(filters.network)}`);
  if (filters.from) conditions.push(`s.created_at >= ${given(filters.from)}`);
  if (filters.to) conditions.push(`s.created_at < ${given(filters.to)}`);
  if (filters.q) {
    const found = searchSessions(filters.q, { store, environment: '$1', given });
    conditions.push(`s.id = ANY (ARRAY(${found}))`);
  }
  const { condition, order } = keyset(pageRequest, ['s.created_at', 's.id'], given);
  const text = `SELECT s.id, s.store_id, s.order_id, s.status, s.exception, s.amount_total, s.currency, s.amount_due, s.amount_refunded,
      s.completed_network, s.completed_currency, s.created_at, s.closed_at,
      CASE WHEN s.amount_refunded > 0 THEN (SELECT sum(r.amount) FROM refunds r
        WHERE r.session_id = s.id AND r.case_id IS NULL AND r.status = 'completed')::text END AS refund_sent,
      (SELECT l.title FROM payment_link_sessions o JOIN payment_links l ON l.id = o.link_id WHERE o.session_id = s.id) AS link_title
    FROM sessions s WHERE ${conditions.join(' AND ')}${condition} ${order}`;
  return { text, values };
}

const STABLECOIN_DIGITS = 2;

/** Minor units as decimal text in whole units of the currency. */
export const priceText = (units: string, currency: string): string =>
  minorUnitsToText(BigInt(units), minorDigits(currency) ?? STABLECOIN_DIGITS);

const paymentOf = (row: Row): PaymentRow => ({
  id: row.id,
  orderId: row.order_id,
  linkTitle: row.link_title,
  status: row.status,
  exception: row.exception,
  amount: priceText(row.amount_total, row.currency),
  currency: row.currency,
  paid:
    row.completed_network !== null && row.completed_currency !== null
      ? {
          network: row.completed_network,
          currency: row.completed_currency,
          amount: centsToText(BigInt(row.amount_due)),
        }
      : null,
  refunded: row.amount_refunded === '0' ? null : centsToText(BigInt(row.amount_refunded)),
  refundShare: refundShare(BigInt(row.refund_sent ?? 0), BigInt(row.amount_due)),
  createdAt: row.created_at,
  closedAt: row.closed_at,
});
