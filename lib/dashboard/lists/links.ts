// The payment links of a store in one environment, newest first, each with its number of payments, by one statement a page.

import type { Context } from '@/lib/platform/context';
import { amountText } from '@/lib/payments/links/amount';
import { LINK_COLUMNS, paymentLink, type LinkRow } from '@/lib/payments/links/link';
import { keyset, pageOf, type Page, type PageRequest } from './keyset';
import type { StoreScope } from './payments';

export type PaymentLinkRow = {
  readonly id: string;
  /** Where customers open it. */
  readonly url: string;
  readonly title: string;
  readonly description: string | null;
  readonly currency: string;
  /** Decimal text; null when the customer chooses the amount. */
  readonly amount: string | null;
  readonly leastAmount: string | null;
  readonly mostAmount: string | null;
  readonly mostPaid: number | null;
  /** Complete payments, counted up to `MAX_COUNTED`. */
  readonly paid: number;
  readonly isActive: boolean;
  readonly createdAt: Date;
};

/** From this number on a page says "or more". No link with an end has a higher limit (lib/payments/links/link, MAX_PAID). */
export const MAX_COUNTED = 10_000;

/** One page. */
export async function listPaymentLinks(
  { pool, config }: Pick<Context, 'config'> & { readonly pool: Pick<Context['pool'], 'query'> },
  of: StoreScope,
  pageRequest: PageRequest,
): Promise<Page<PaymentLinkRow>> {
  const { rows } = await pool.query<Row>(linksStatement(of, pageRequest));
  return pageOf(
    rows.map((row) => linkOf(row, config.PUBLIC_URL)),
    pageRequest,
    (row) => row,
  );
}

type Row = LinkRow & { paid: string };

/** Not named: it contains only the conditions of this page, and PostgreSQL plans it with their values. */
function linksStatement(
  { storeId, environment }: StoreScope,
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [storeId, environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const { condition, order } = keyset(pageRequest, ['l.created_at', 'l.id'], given);
  const text = `SELECT ${LINK_COLUMNS}, (SELECT count(*) FROM (
      SELECT FROM payment_link_sessions p JOIN sessions s ON s.id = p.session_id
      WHERE p.link_id = l.id AND s.status = 'completed' LIMIT ${MAX_COUNTED}) AS done) AS paid
    FROM payment_links l WHERE l.store_id = $1 AND l.environment = $2::"Environment"${condition} ${order}`;
  return { text, values };
}

function linkOf(row: Row, publicUrl: string): PaymentLinkRow {
  const { amount, leastAmount, mostAmount, ...link } = paymentLink(row);
  const textOf = (units: bigint | null): string | null => (units === null ? null : amountText(units, link.currency));
  return {
    id: link.id,
    url: `${publicUrl}/link/${link.id}`,
    title: link.title,
    description: link.description,
    currency: link.currency,
    amount: textOf(amount),
    leastAmount: textOf(leastAmount),
    mostAmount: textOf(mostAmount),
    mostPaid: link.mostPaid,
    paid: Number(row.paid),
    isActive: link.isActive,
    createdAt: link.createdAt,
  };
}
