// The final transfers of a store that the ledger booked in a period, with all that accounting needs about each. One snapshot
// answers all queries. A transfer is listed by the time of its ledger entry, as in statements, so a closed month never grows.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import type { RateBasis } from '@/lib/money/rates/quote';
import { readClosedMonth } from '@/lib/ledger/statements/months';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import type { Period } from '@/lib/ledger/statements/period';
import { openStatementSnapshot } from '@/lib/ledger/statements/place';
import { storeAccount } from '@/lib/ledger/postings';
import type { ExceptionState, SessionException, SessionStatus } from '@/prisma/generated/enums';
import type { Environment } from '@/lib/platform/ids';
import { fiatValueSql } from './fiat-value';

/** Amounts as text: base units of the token, minor units of `currency`, or cents. */
export type PaymentLine = {
  id: string;
  created_at: Date;
  block_time: Date | null;
  network: string | null;
  token: string | null;
  amount: string | null;
  decimals: number | null;
  transaction_hash: string | null;
  payer: string | null;
  recipient: string | null;
  session_id: string | null;
  order_id: string | null;
  description: string | null;
  metadata: Readonly<Record<string, string>> | null;
  status: SessionStatus | null;
  exception: SessionException | null;
  case_kind: string | null;
  case_state: ExceptionState | null;
  currency: string | null;
  fiat_value: string | null;
  exchange_rate: string | null;
  rate_basis: RateBasis | null;
  rate_fixed_at: Date | null;
  /** Base units that are the store's now: what the transfer brought, with what decisions added. */
  credited: string;
  /** Whether it is the session's first transfer, which carries what is about the order as a whole. */
  is_first: boolean;
  refunded: string;
  network_cost: string;
  amount_total: string | null;
  tax_amount: string | null;
  shipping_amount: string | null;
  /** Of the session's receipt, once it was issued. */
  environment: Environment | null;
  receipt_series: number | null;
  receipt_number: string | null;
};

/** Any number of pages, then the end. The hashes are null while the month is not closed, and for other periods. */
export type PaymentPiece =
  | { readonly kind: 'lines'; readonly lines: readonly PaymentLine[] }
  | { readonly kind: 'end'; readonly hash: string | null; readonly previousHash: string | null };

/** Lines in memory at once. */
const PAGE_LINES = 1000;

/** Throws RATE_LIMITED at the first piece, as `readStatement`. The caller reads to the end or calls `return`. */
export async function* readPayments(
  { pool }: Pick<Context, 'pool'>,
  of: StatementScope,
  period: Period,
): AsyncGenerator<PaymentPiece, void, undefined> {
  const { db, end } = await openStatementSnapshot(pool, of);
  try {
    const closed = period.month === null ? null : await readClosedMonth(db, of, period.month);
    for (let next: Promise<PaymentLine[]> | null = readPage(db, of, period, null); next;) {
      const lines: PaymentLine[] = await next;
      const last = lines.at(-1);
      next = last && lines.length === PAGE_LINES ? readPage(db, of, period, last) : null;
      // A caller that stops early does not await it.
      next?.catch(() => {});
      const missing = lines.find((line) => line.transaction_hash === null || line.session_id === null);
      if (missing) throw new Error(`ledger entry ${missing.id} has no transfer or no session`);
      yield { kind: 'lines', lines };
    }
    yield { kind: 'end', hash: closed?.hash ?? null, previousHash: closed?.previousHash ?? null };
  } finally {
    await end();
  }
}

async function readPage(
  db: Db,
  { storeId, environment }: StatementScope,
  { from, to }: Period,
  after: PaymentLine | null,
): Promise<PaymentLine[]> {
  const place = [after?.created_at ?? from, after?.id ?? '0'];
  const values = [storeId, environment, ...place, to, PAGE_LINES, storeAccount(storeId)];
  return (await db.query<PaymentLine>({ name: 'payment-lines', text: PAYMENT_LINES, values })).rows;
}

/**
 * Refunds and costs of the order, its total, tax and shipping are on the first transfer, and the refund of a payment exception
 * is on its own transfer, so that sums over the lines are right. OFFSET 0 makes PostgreSQL use an index for each line.
 */
export const PAYMENT_LINES = `
  WITH page AS (SELECT e.id, e.created_at, e.transfer_id, e.session_id FROM ledger_entries e
      WHERE e.store_id = $1 AND e.environment = $2::"Environment" AND e.kind = 'transfer'
        AND (e.created_at, e.id) > ($3::timestamptz, $4::bigint) AND e.created_at < $5 ORDER BY e.created_at, e.id LIMIT $6)
  SELECT e.id::text, e.created_at, t.block_time, t.network, t.currency AS token, t.amount::text, t.decimals, t.transaction_hash,
    t.payer, t.recipient, s.id AS session_id, s.order_id, s.description, s.metadata, s.status, s.exception,
    x.kind AS case_kind, x.state AS case_state, s.currency, ${fiatValueSql('t.amount', 't.decimals')}::text AS fiat_value,
    s.exchange_rate, s.rate_basis, s.created_at AS rate_fixed_at, credit.amount::text AS credited, first.is_first,
    refund.refunded::text, refund.cost::text AS network_cost,
    CASE WHEN first.is_first THEN s.amount_total END::text AS amount_total,
    CASE WHEN first.is_first THEN s.tax_amount END::text AS tax_amount,
    CASE WHEN first.is_first THEN s.shipping_amount END::text AS shipping_amount,
    receipt.environment, receipt.series AS receipt_series, receipt.number::text AS receipt_number
  FROM page e
    LEFT JOIN LATERAL (SELECT * FROM transfers WHERE id = e.transfer_id OFFSET 0) AS t ON true
    LEFT JOIN LATERAL (SELECT * FROM sessions WHERE id = e.session_id OFFSET 0) AS s ON true
    LEFT JOIN LATERAL (SELECT id, kind, state FROM payment_exceptions WHERE transfer_id = t.id OFFSET 0) AS x ON true
    CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM transfers
      WHERE session_id = t.session_id AND id < t.id) AS is_first) AS first
    CROSS JOIN LATERAL (SELECT coalesce(-sum(p.amount), 0) AS amount FROM ledger_entries m
      JOIN LATERAL (SELECT amount FROM ledger_postings WHERE entry_id = m.id AND account = $7 OFFSET 0) p ON true
      WHERE m.transfer_id = e.transfer_id) AS credit
    CROSS JOIN LATERAL (SELECT coalesce(sum(r.amount) FILTER (WHERE r.status = 'completed'), 0) AS refunded,
      coalesce(sum(r.cost_charged), 0) AS cost FROM refunds r
      WHERE r.session_id = s.id AND (r.case_id = x.id OR (r.case_id IS NULL AND first.is_first))) AS refund
    LEFT JOIN LATERAL (SELECT environment, series, number FROM receipt_numbers WHERE session_id = s.id OFFSET 0) AS receipt ON true
  ORDER BY e.created_at, e.id`;
