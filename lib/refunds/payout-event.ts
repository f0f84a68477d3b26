// Records the event of a payout that was paid or failed, for a store whose endpoint gets such events. It is not in lib/payouts, because
// the recovery of payouts uses it too (lib/refunds/recovery), and lib/refunds imports nothing of lib/payouts.

import { networkFacts } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { PayoutEventType, PayoutFacts } from '@/lib/webhooks/events/events';
import { recordPayoutEvent } from '@/lib/webhooks/events/record';

type Row = Omit<PayoutFacts, 'amount'> & {
  readonly storeId: string;
  readonly environment: Environment;
  readonly amount: string;
};

/** Runs in the transaction that ended the payout, after its status was written. */
export async function recordPayoutEnd(tx: Tx, intentId: string, type: PayoutEventType, now: Date): Promise<void> {
  const { rows } = await tx.query<Row>({
    name: 'payout-ended',
    text: `SELECT p.store_id AS "storeId", p.environment, p.payout_id AS "payoutId", p.amount, p.currency, p.network, p.description,
             p.destination, p.transaction_hash AS "transactionHash", p.failure_reason AS "failureReason"
           FROM payouts p JOIN webhook_endpoints e ON e.store_id = p.store_id AND e.environment = p.environment
           WHERE p.id = $1 AND $2 = ANY (e.optional_events)`,
    values: [intentId, type],
  });
  const [row] = rows;
  if (!row) return;
  const { network, destination: stored } = row;
  const facts = networkFacts(network);
  const destination = stored !== null && facts ? displayAddress(facts.family, stored) : stored;
  await recordPayoutEvent(tx, { ...row, amount: BigInt(row.amount), destination, intentId, type, now });
}
