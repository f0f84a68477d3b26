// The payment of a session recomputed from the ledger alone, and as each response of the service reports it. A test
// compares the two after every step of a history.

import { readCheckout, publicStatus, type Deps } from '@/lib/payments/checkout/view';
import { readPaymentReceipt } from '@/lib/payments/receipts/receipt';
import { openFinder } from '@/lib/payments/finder/find';
import type { Context } from '@/lib/platform/context';
import { centsToText } from '@/lib/money/amounts';

export type Recomputed = {
  /** Cents that the store has, or that count and wait for the remaining price. */
  readonly received: bigint;
  /** The same by token, rounded down. */
  readonly byToken: Readonly<Record<string, bigint>>;
  /** Hashes of transfers with a counted part. */
  readonly paidBy: readonly string[];
  /** Hashes of transfers that are owed back completely. */
  readonly returned: readonly string[];
  /** Whether an exception waits for a decision, or was left unchanged. */
  readonly isOpen: boolean;
};

/** A transfer's amount credited to its store, and its unresolved amount that counts (part payment, open surplus). */
const LEDGER = `
WITH share AS (
  SELECT t.id, t.currency, t.transaction_hash, t.amount, power(10::numeric, 18 - t.decimals) AS scale,
         coalesce(-sum(p.amount) FILTER (WHERE p.account LIKE 'store:%'), 0) AS store,
         coalesce(-sum(p.amount) FILTER (WHERE p.account LIKE 'unresolved:%'), 0) AS unresolved,
         coalesce(-sum(p.amount) FILTER (WHERE p.account LIKE 'refund:%'), 0) AS owed
    FROM transfers t JOIN ledger_entries e ON e.transfer_id = t.id JOIN ledger_postings p ON p.entry_id = e.id
   WHERE t.session_id = $1 GROUP BY t.id)
SELECT s.currency, s.transaction_hash, s.owed = s.amount AS is_returned, coalesce(c.state IN ('open', 'left'), false) AS is_open,
       ((s.store + CASE WHEN c.id IS NULL OR c.kind IN ('over', 'unfinished') OR c.counted > 0 OR c.state = 'accepted'
                        THEN s.unresolved ELSE 0 END) * s.scale)::numeric(78, 0)::text AS amount
  FROM share s LEFT JOIN payment_exceptions c ON c.transfer_id = s.id`;

const CENT = 10n ** 16n;

export async function recompute({ pool }: Pick<Context, 'pool'>, sessionId: string): Promise<Recomputed> {
  const { rows } = await pool.query<{
    currency: string;
    transaction_hash: string;
    is_returned: boolean;
    is_open: boolean;
    amount: string;
  }>(LEDGER, [sessionId]);
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of rows) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  return {
    received: [...sums.values()].reduce((sum, one) => sum + one, 0n) / CENT,
    byToken: Object.fromEntries(
      [...sums].map(([currency, sum]) => [currency, sum / CENT] as const).filter(([, cents]) => cents > 0n),
    ),
    paidBy: rows
      .filter(({ amount }) => BigInt(amount) >= CENT)
      .map((row) => row.transaction_hash)
      .toSorted(),
    returned: rows
      .filter((row) => row.is_returned)
      .map((row) => row.transaction_hash)
      .toSorted(),
    isOpen: rows.some((row) => row.is_open),
  };
}

/** The payment as reported by the page's status, the newest payment event, the receipt and the finder. */
export async function reportedPayment(context: Context & Deps, sessionId: string) {
  const view = await readCheckout(context, sessionId);
  if (!view) throw new Error('there is no such session');
  const events = await context.pool.query<{ body: string }>(
    `SELECT body FROM events WHERE object_id = $1 AND type = 'payment.completed'`,
    [sessionId],
  );
  const find = openFinder(context, () => []);
  const hashes = view.facts.payments.map((payment) => payment.transaction_hash);
  const verdicts = new Map<string, string>();
  for (const text of hashes)
    verdicts.set(text, (await find({ sessionId, text, from: null, budget: 'merchants' })).result.verdict);
  return {
    status: publicStatus(view),
    completedWith: events.rows[0] ? BigInt(JSON.parse(events.rows[0].body).data.object.amount_received) : null,
    receipt: await readPaymentReceipt(context, sessionId),
    verdictsOf: (verdict: string) => hashes.filter((hash) => verdicts.get(hash) === verdict).toSorted(),
  };
}

/** Cents by token as a receipt writes them. */
export const asMoney = (byToken: Recomputed['byToken']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(byToken).map(([currency, cents]) => [currency, centsToText(cents)]));
