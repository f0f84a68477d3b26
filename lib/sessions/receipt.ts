// The receipt of a payment: what was ordered, at which rate it was converted, and the transactions that paid it. Read from the
// same view as the hosted page, so that both always say the same.

import type { Environment } from '@/lib/ids';
import { logoOf, type LogoFacts } from '@/lib/logo-columns';
import { centsToText } from '@/lib/money';
import { receiptOrder, type Money, type ReceiptOrder } from '@/lib/receipt-order';
import { readCheckout, type Deps } from './checkout-view';

export type ReceiptTransaction = Money & {
  readonly network: string;
  readonly hash: string;
  readonly explorerUrl: string | null;
  /** Unix seconds of its block. */
  readonly at: number;
};

export type PaymentReceipt = {
  /** The session's id: one payment has one receipt. */
  readonly number: string;
  readonly environment: Environment;
  readonly storeName: string;
  readonly logo: LogoFacts | null;
  readonly website: string | null;
  readonly description: string | null;
  /** What arrived and counts. */
  readonly paid: Money;
  readonly order: ReceiptOrder;
  /** Unix seconds at which the session was complete. */
  readonly at: number;
  readonly transactions: readonly ReceiptTransaction[];
  /** What went back since, by token; empty when nothing did. */
  readonly refunded: readonly Money[];
};

/** What the hosted page does not show. */
type Row = { exchange_rate: string | null; closed_at: number; website: string | null };

/** The receipt of a completed session; null for an unknown session and for one that is not complete. */
export async function readPaymentReceipt(deps: Deps, sessionId: string): Promise<PaymentReceipt | null> {
  const view = await readCheckout(deps, sessionId);
  if (view?.facts.status !== 'completed') return null;
  const { facts, seen, refunds } = view;
  const { rows } = await deps.pool.query<Row>({ name: 'payment_receipt', text: STATEMENT, values: [sessionId] });
  const [row] = rows;
  if (!row) return null;
  const currency = facts.completed_currency ?? facts.currencies.join('/');
  const times = new Map(facts.payments.map((payment) => [payment.transaction_hash, payment.block_time]));
  return {
    number: facts.id,
    environment: facts.environment,
    storeName: facts.store_name,
    logo: logoOf(facts.look),
    website: row.website,
    description: facts.description,
    paid: { amount: centsToText(BigInt(facts.amount_received)), currency },
    order: receiptOrder({ ...facts, exchange_rate: row.exchange_rate }),
    at: row.closed_at,
    transactions: seen
      .filter(({ verdict, final }) => verdict === 'counts' && final)
      .map((payment) => ({
        amount: payment.amount,
        currency: payment.currency,
        network: payment.network,
        hash: payment.transaction_hash,
        explorerUrl: payment.explorer_url,
        at: times.get(payment.transaction_hash) ?? row.closed_at,
      })),
    refunded: sumByCurrency(refunds.filter(({ state }) => state === 'sent')),
  };
}

function sumByCurrency(amounts: readonly Money[]): Money[] {
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of amounts)
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount.replace('.', '')));
  return [...sums].map(([currency, cents]) => ({ amount: centsToText(cents), currency }));
}

const STATEMENT = `
SELECT s.exchange_rate, extract(epoch FROM s.closed_at)::int AS closed_at, st.website
  FROM sessions s JOIN stores st ON st.id = s.store_id WHERE s.id = $1 AND s.closed_at IS NOT NULL`;
