// The receipt of a refund: what went back, where to, in which transaction, and for which order. Only its number gives access to it.

import { networkSpec } from '@/lib/networks/networks';
import { displayAddress, explorerUrl } from '@/lib/networks/payment-uri';
import type { Context } from '@/lib/platform/context';
import { isReceiptNumber, type Environment } from '@/lib/platform/ids';
import {
  brandOf,
  logoOf,
  type Brand,
  type BrandColumns,
  type LogoColumns,
  type LogoFacts,
} from '@/lib/merchants/branding/logo-columns';
import { centsToText } from '@/lib/money/amounts';
import { receiptOrder, type Money, type ReceiptOrder } from '@/lib/payments/receipts/order';

export type RefundReceipt = {
  readonly number: string;
  readonly environment: Environment;
  /** The name that the hosted page shows. */
  readonly storeName: string;
  readonly logo: LogoFacts | null;
  readonly brand: Brand;
  readonly website: string | null;
  /** The merchant's description of the order. */
  readonly description: string | null;
  readonly returned: Money;
  readonly network: string;
  /** In display form. */
  readonly destination: string;
  readonly transactionHash: string;
  readonly explorerUrl: string | null;
  /** Unix seconds at which the transaction was final. */
  readonly at: number;
  readonly order: ReceiptOrder;
};

type Row = LogoColumns &
  BrandColumns & {
    environment: Environment;
    store_name: string;
    website: string | null;
    description: string | null;
    amount: string;
    currency: string;
    network: string;
    destination: string;
    transaction_hash: string;
    processed_at: number;
    amount_total: string;
    amount_due: string;
    order_currency: string;
    currencies: readonly string[];
    exchange_rate: string | null;
  };

/** The receipt with this number, or null when there is none: only completed refunds have one. */
export async function readRefundReceipt(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  receiptNumber: string,
): Promise<RefundReceipt | null> {
  if (!isReceiptNumber(receiptNumber)) return null;
  const { rows } = await pool.query<Row>({ name: 'refund_receipt', text: STATEMENT, values: [receiptNumber] });
  const [row] = rows;
  if (!row) return null;
  const spec = networkSpec(row.environment, row.network, config.TEST_CHAINS);
  return {
    number: receiptNumber,
    environment: row.environment,
    storeName: row.store_name,
    logo: logoOf(row),
    brand: brandOf(row),
    website: row.website,
    description: row.description,
    returned: { amount: centsToText(BigInt(row.amount)), currency: row.currency },
    network: row.network,
    destination: spec ? displayAddress(spec.family, row.destination) : row.destination,
    transactionHash: row.transaction_hash,
    explorerUrl: spec && explorerUrl(spec, row.transaction_hash),
    at: row.processed_at,
    order: receiptOrder({ ...row, currency: row.order_currency }),
  };
}

const STATEMENT = `
SELECT r.environment, coalesce(l.display_name, st.name) AS store_name, l.logo_hash, l.logo_width, l.logo_height, l.brand_color, l.theme, st.website, s.description, r.amount::text, r.currency, r.network, r.destination,
       r.transaction_hash, extract(epoch FROM r.processed_at)::int AS processed_at, s.amount_total::text, s.amount_due::text,
       s.currency AS order_currency, s.currencies, s.exchange_rate
  FROM refunds r JOIN sessions s ON s.id = r.session_id JOIN stores st ON st.id = r.store_id
  LEFT JOIN store_branding l ON l.store_id = r.store_id
 WHERE r.receipt_number = $1 AND r.status = 'completed' AND r.destination IS NOT NULL AND r.transaction_hash IS NOT NULL`;
